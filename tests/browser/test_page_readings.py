"""A model that reads its graph in two ways answers on the page as in Python, whatever is known."""

import io

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.data import Table
from bayleaf.network.member import TwoReadings
from browser.conftest import set_state, shown_distribution

EXACT = 1e-12


def cases(gaps):
    """Rows whose class depends on pairs of values; ``gaps`` of them are missing, in one column as the class says."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 400) for j in range(5)})
    X["f1"] = X["f0"].where(rng.random(400) < 0.7, X["f1"])
    X["f3"] = X["f2"].where(rng.random(400) < 0.7, X["f3"])
    X["number"] = rng.normal(size=400).round(3)
    push = (X["f0"] == X["f2"]) * 2.0 + X["number"] + (X["f4"] == "a") - 1.5
    y = np.where(push + rng.logistic(size=400) > 0, "ill", "well")
    y[rng.random(400) < 0.1] = "other"
    X = X.mask(rng.random(X.shape) < gaps)
    X["f4"] = X["f4"].mask((y == "well") & (rng.random(400) < 2 * gaps))
    return X, pd.Series(y, name="health")


@pytest.fixture(
    scope="module",
    params=[(0.0, 1), (0.3, 1), (0.3, 2)],
    ids=["learned from complete rows", "learned from gaps", "learned in batches"],
)
def fitted(request):
    gaps, batches = request.param
    X, y = cases(gaps)
    model = bl.BayesNetClassifier()
    if batches == 1:
        model.fit(X, y)
    else:
        for part in np.array_split(np.arange(len(X)), batches):
            model.partial_fit(X.iloc[part], y.iloc[part], classes=np.unique(y))
    assert isinstance(model._predictor, TwoReadings)
    assert model._predictor.gaps.are_states == (gaps > 0)
    return model


@pytest.fixture(scope="module")
def page(fitted, open_shared):
    return open_shared(fitted, *cases(0.4))


def as_set(model, given):
    """A row with some states set: a number in the middle of its interval, nothing where a state is a gap."""
    frame = {}
    for k, variable in enumerate(model.network_.variables[:-1]):
        state = given.get(k)
        if state is None or (variable.gap and state == variable.arity - 1):
            frame[variable.name] = None
        elif variable.cuts is None:
            frame[variable.name] = variable.states[state]
        else:
            ends = [variable.cuts[0] - 1, *variable.cuts, variable.cuts[-1] + 1]
            frame[variable.name] = (ends[state] + ends[state + 1]) / 2
    row = pd.DataFrame([frame])
    return row.astype({"number": float})


def shown_class(page, model):
    shown = shown_distribution(page, len(model.network_.nodes) - 1)
    return [shown[k] for k in range(len(model.classes_))]


def test_the_class_is_answered_as_predicted_value_by_value_from_nothing_to_all(fitted, page):
    page.click("#tab-whatif")
    page.click("#clear") if page.is_visible("#clear") else None
    assert shown_class(page, fitted) == fitted._prior.tolist()  # to the last bit
    row = fitted.encode(cases(0.0)[0][:1]).codes[0]
    given = {}
    for k in np.random.default_rng(0).permutation(len(fitted.network_.nodes) - 1).tolist():
        given[k] = int(row[k])
        set_state(page, k, given[k])
        codes = [
            [given.get(j, -1) for j in range(len(row))]
        ]  # what is not set is unknown, also where a gap is a state
        expected = fitted._member.answer(Table.from_codes(fitted.network_.variables[:-1], codes))[0]
        assert shown_class(page, fitted) == pytest.approx(expected, abs=EXACT)
    # Of everything else the network speaks: the bars of a feature that is let go of.
    set_state(page, 0, given.pop(0))
    network = fitted.network_
    evidence = {network.nodes[k]: network.variables[k].states[state] for k, state in given.items()}
    of_first = list(network.posterior(network.nodes[0], evidence).values())
    assert list(shown_distribution(page, 0).values()) == pytest.approx(of_first, abs=1e-9)
    # That is not what the class alone would need: the two readings differ.
    said = np.array(list(network.posterior(network.target, evidence).values()))
    assert np.abs(said - shown_class(page, fitted)).max() > 1e-4


def test_rows_with_gaps_their_reasons_and_the_file_that_is_dropped(fitted, page):
    X, _ = cases(0.4)
    page.click("#tab-why")
    told, gone = fitted._predictor.weights(fitted.encode(X))[0], X["f4"].isna().to_numpy()
    kinds = [(told == 1) & ~gone, (told != 1) & ~gone, (told == 1) & gone, (told != 1) & gone]
    for row in [int(row) for kind in kinds for row in np.flatnonzero(kind)[:2]]:
        page.select_option(
            "#row", label=page.locator(f"#row option:text-matches('row {row + 1} ')").inner_text()
        )
        one = X[row : row + 1]
        assert shown_class(page, fitted) == pytest.approx(fitted.predict_proba(one)[0], abs=EXACT)
        explanation = fitted.explain(one)
        bars = page.locator("#evidence-bars .bar-row[data-weight]").evaluate_all(
            "all => all.map(each => [each.className, each.dataset.index ?? '', Number(each.dataset.weight)])"
        )
        total = next(weight for name, _, weight in bars if "total" in name)
        assert total == pytest.approx(explanation.log_odds[0], abs=1e-9)
        assert sum(weight for name, _, weight in bars if "total" not in name) == pytest.approx(
            total, abs=1e-9
        )
        for name, index, weight in bars:
            if "prior" in name:
                assert weight == pytest.approx(explanation.prior[0], abs=1e-9)
            elif index:
                assert weight == pytest.approx(explanation.evidence[0, int(index)], abs=1e-9)
    text = io.StringIO()
    X[:30].to_csv(text, index=False)
    page.set_input_files(
        "#csv-file", {"name": "new.csv", "mimeType": "text/csv", "buffer": text.getvalue().encode()}
    )
    page.wait_for_selector("[data-predicted]")
    found = page.locator("[data-predicted]").evaluate_all(
        "all => all.map(each => JSON.parse(each.dataset.predicted))"
    )
    assert np.array(found) == pytest.approx(fitted.predict_proba(X[: len(found)]), abs=EXACT)


def test_next_asks_the_network_for_the_value_and_both_readings_for_the_class(fitted, page):
    page.click("#tab-whatif")
    page.click("#clear") if page.is_visible("#clear") else None
    set_state(page, 0, 0)
    set_state(page, 4, 1)
    page.click("#tab-next")
    page.wait_for_selector("[data-next]")
    known = as_set(fitted, {0: 0, 4: 1})
    expected = fitted.value_of_information(known).to_dicts()
    lines = page.locator("[data-next]").evaluate_all("all => all.map(each => ({ ...each.dataset }))")
    assert [fitted.network_.nodes[int(line["next"])] for line in lines] == [
        each["feature"] for each in expected
    ]
    for line, row in zip(lines, expected, strict=True):
        for name in ("information", "lowest", "highest", "change"):
            assert float(line[name]) == pytest.approx(row[name], abs=1e-9)


def test_values_that_suffice_do_so_by_what_decides_complete_rows(fitted, page):
    X, _ = cases(0.0)
    text = {True: "true", False: "false"}
    page.click("#tab-why")
    for k in range(0, 12, 2):
        page.click("#tab-whatif")
        page.click("#clear") if page.is_visible("#clear") else None
        for j, state in enumerate(fitted.encode(X[k : k + 1]).codes[0].tolist()):
            set_state(page, j, state)
        page.click("#tab-why")
        page.wait_for_selector("#sufficient [data-guaranteed]")
        reason = fitted.sufficient_reason(X[k : k + 1])
        found = page.get_attribute("#sufficient [data-guaranteed]", "data-guaranteed")
        kept = page.locator("#sufficient [data-kept]").evaluate_all(
            "all => all.map(each => each.dataset.kept)"
        )
        assert found == text[reason.guaranteed]
        assert {fitted.network_.nodes[int(j)] for j in kept} == set(
            reason.values if reason.guaranteed else ()
        )
        flips = fitted.predict(X[k : k + 1])[0]
        assert page.inner_text("#sentence strong") == flips


def test_networks_that_vote_read_their_graphs_in_two_ways_each(open_page):
    X, y = cases(0.2)
    votes = bl.BaggedClassifier(bl.BayesNetClassifier(), 3, random_state=0).fit(X, y)
    assert any(isinstance(each._predictor, TwoReadings) for each in votes.estimators_)
    page = open_page(votes, X, y)
    assert (
        shown_class(page, votes.estimators_[0]) == votes._prior.tolist()
    )  # nothing known: the class frequencies
    probabilities = votes.predict_proba(X)
    for k in (0, 5, 11):
        page.select_option("#row", str(k))
        row = (
            int(page.evaluate("document.querySelector('#row').selectedOptions[0].text.match(/\\d+/)[0]")) - 1
        )
        shown = shown_distribution(page, X.shape[1])
        assert [shown[c] for c in range(3)] == pytest.approx(probabilities[row].tolist(), abs=EXACT)
    page.select_option("#member", "1")
    member = votes.estimators_[1]
    assert shown_class(page, member) == pytest.approx(member.predict_proba(X[row : row + 1])[0], abs=EXACT)


def test_beside_the_answer_stands_how_much_is_known(fitted, page):
    page.click("#tab-whatif")
    page.click("#clear") if page.is_visible("#clear") else None
    assert page.inner_text("#known") == "No value is known: these are the class frequencies."
    given = {}
    features = len(fitted.network_.nodes) - 1
    for k in (4, 0, 2):
        given[k] = 0
        set_state(page, k, 0)
        explanation = fitted.explain(as_set(fitted, given))
        assert f"{len(given)} of {features} values known" in page.inner_text("#known")
        assert page.inner_text("#known") == explanation.known_sentence(0)
    page.evaluate("window.print = () => {}")
    page.click("#print-case")
    assert explanation.known_sentence(0) in page.text_content("#sheet")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    for k in range(features):
        if k not in given:
            set_state(page, k, 0)
    assert page.inner_text("#known") == f"All {features} values known."
    gaps = [k for k, variable in enumerate(fitted.network_.variables[:-1]) if variable.gap]
    for k in gaps:  # set to be missing is not known
        set_state(page, k, fitted.network_.variables[k].arity - 1)
        assert f"{features - 1} of {features} values known" in page.inner_text("#known")
        set_state(page, k, 0)


def test_the_answer_and_the_case_sheet_say_how_sure_it_is(fitted, page):
    page.click("#tab-whatif")
    page.click("#clear") if page.is_visible("#clear") else None
    sureness, variables = fitted._sureness(), fitted.network_.variables[:-1]
    row = fitted.encode(cases(0.0)[0][:1]).codes[0]
    given = {}
    for k in (None, *np.random.default_rng(1).permutation(len(variables)).tolist()):
        if k is not None:
            given[k] = int(row[k])
            set_state(page, k, given[k])
        table = Table.from_codes(variables, [[given.get(j, -1) for j in range(len(row))]])
        best = int(fitted._member.answer(table)[0].argmax())
        low, high = fitted._limits(sureness, table, 0.9)[0, best]
        shown = page.query_selector("#interval")
        assert float(shown.get_attribute("data-low")) == pytest.approx(low, abs=1e-9)
        assert float(shown.get_attribute("data-high")) == pytest.approx(high, abs=1e-9)
        assert low < high
    page.evaluate("window.print = () => {}")
    page.click("#print-case")
    assert page.inner_text("#interval") in page.text_content("#sheet h2")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
