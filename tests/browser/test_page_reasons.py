"""Why: the page's reasons are those of the library."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from browser.conftest import shown_distribution
from reference.random_networks import random_network


def row_shown(page):
    return int(page.evaluate("document.querySelector('#row').selectedOptions[0].text.match(/\\d+/)[0]")) - 1


@pytest.fixture(scope="module")
def fitted():
    network = random_network(np.random.default_rng(11), "two parents", n=9)
    rows = network.sample(400, random_state=1, backend="pandas")
    X, y = rows.drop(columns=network.target), rows[network.target]
    X = X.mask(np.random.default_rng(2).random(X.shape) < 0.05)
    return bl.BayesNetClassifier().fit(X, y), X, y


@pytest.mark.parametrize("k", [0, 1, 5, 17])
def test_the_bars_are_the_weights_of_evidence_and_add_up(open_page, fitted, k):
    clf, X, y = fitted
    page = open_page(clf, X, y)
    page.select_option("#row", str(k))
    page.click("#tab-why")
    row = row_shown(page)
    explanation = clf.explain(X[row : row + 1])
    weights = page.locator("#evidence-bars .bar-row[data-weight]").evaluate_all(
        "rows => rows.map(row => [row.className, row.dataset.index ?? '', Number(row.dataset.weight)])"
    )
    total = next(weight for name, _, weight in weights if "total" in name)
    assert total == pytest.approx(explanation.log_odds[0], abs=1e-6)
    assert sum(weight for name, _, weight in weights if "total" not in name) == pytest.approx(total, abs=1e-6)
    for name, index, weight in weights:
        if "prior" in name:
            assert weight == pytest.approx(explanation.prior[0], abs=1e-6)
        elif index:
            assert weight == pytest.approx(explanation.evidence[0, int(index)], abs=1e-6)


def test_the_sufficient_values_are_those_of_python(open_page, fitted):
    clf, X, y = fitted
    page = open_page(clf, X, y, view="why")
    for k in range(0, 60, 6):
        page.select_option("#row", str(k))
        page.wait_for_selector("#sufficient [data-guaranteed]")
        row = row_shown(page)
        reason = clf.sufficient_reason(X[row : row + 1])
        kept = page.locator("#sufficient [data-kept]").evaluate_all(
            "all => all.map(each => Number(each.dataset.kept))"
        )
        guaranteed = page.get_attribute("#sufficient [data-guaranteed]", "data-guaranteed") == "true"
        assert guaranteed == reason.guaranteed
        if guaranteed:
            assert {clf.network_.nodes[i] for i in kept} == set(reason.values)


def test_a_change_that_is_said_to_flip_the_decision_does(open_page, fitted):
    clf, X, y = fitted
    page = open_page(clf, X, y, view="why")
    tried = 0
    for k in range(12):
        page.select_option("#row", str(k))
        page.wait_for_selector("#changes [data-flips]")
        row = row_shown(page)
        if page.get_attribute("#changes [data-flips]", "data-flips") == "0":
            continue
        index, state = page.locator("#changes tr").first.evaluate(
            "row => [row.dataset.index, row.dataset.state]"
        )
        changed = X[row : row + 1].copy()
        variable = clf.network_.variables[int(index)]
        changed[variable.name] = variable.states[int(state)]
        assert clf.predict(changed)[0] != clf.predict(X[row : row + 1])[0]
        tried += 1
    assert tried > 0


def test_the_reader_chooses_the_classes(open_page, fitted):
    clf, X, y = fitted
    page = open_page(clf, X, y)
    page.select_option("#row", "3")
    page.click("#tab-why")
    chosen, other = page.locator("#view-why select").all()
    classes = clf.classes_.tolist()
    chosen.select_option(str(0))
    other.select_option(str(len(classes) - 1))
    row = row_shown(page)
    expected = clf.explain(X[row : row + 1], target=classes[0], against=classes[-1]).log_odds[0]
    assert float(page.get_attribute("#evidence-bars .total", "data-weight")) == pytest.approx(
        expected, abs=1e-6
    )


def test_without_evidence_only_the_prior_speaks(open_page):
    clf = bl.BayesNetClassifier().fit(pd.DataFrame({"x": ["a", "b"] * 20}), ["no", "yes", "no", "no"] * 10)
    page = open_page(clf, view="why")
    assert "only the class frequencies count" in page.inner_text("#evidence-bars")


def binary_cases(seed, rows=60):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"f{j}": rng.choice(["u", "v"], rows) for j in range(4)})
    return X, np.where((rng.random(rows) < 0.3) | (X["f0"] == "u"), "ill", "well")


@pytest.mark.parametrize("loss", [[[0, 10], [1, 0]], [[0, 1], [4, 0]], [[0, 1], [0, 0]]], ids=str)
def test_with_a_loss_the_page_explains_and_guarantees_the_cheapest_decision(open_page, loss):
    X, y = binary_cases(1)
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), loss=loss).fit(X, y)
    every = pd.DataFrame(list(product("uv", repeat=4)), columns=X.columns)
    page = open_page(clf, every, clf.predict(every), view="why")
    for k in range(len(every)):
        page.select_option("#row", str(k))
        page.wait_for_selector("#sufficient [data-guaranteed]")
        reason = clf.sufficient_reason(every[k : k + 1])
        kept = page.locator("#sufficient [data-kept]").evaluate_all(
            "all => all.map(each => each.dataset.kept)"
        )
        assert page.get_attribute("#sufficient [data-guaranteed]", "data-guaranteed") == "true"
        assert {clf.network_.nodes[int(i)] for i in kept} == set(reason.values)
        shown = page.locator("#view-why select").evaluate_all(
            "all => all.map(each => each.selectedOptions[0].text)"
        )
        explanation = clf.explain(every[k : k + 1])
        assert shown == [explanation.target[0], explanation.against[0]]


def test_with_a_loss_and_more_classes_the_page_says_that_it_cannot_guarantee(open_page):
    X = pd.DataFrame({"x": ["a", "b", "c"] * 10})
    clf = bl.BayesNetClassifier(loss=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).fit(X, ["r", "s", "t"] * 10)
    page = open_page(clf, X, ["r", "s", "t"] * 10, view="why")
    assert "found for two classes only" in page.inner_text("#sufficient")
    assert page.locator("#sufficient [data-guaranteed]").count() == 0
    page.wait_for_selector("#changes [data-flips]")


def mirrored_cases():
    """Balanced classes and pairs of features that swap their tables between them: rows with equal pairs are ties."""
    rng = np.random.default_rng(3)
    half = pd.DataFrame({f"{side}{j}": rng.choice(["u", "v"], 37) for j in range(4) for side in "fg"})
    swapped = half.rename(columns=lambda name: ("g" if name[0] == "f" else "f") + name[1:])[half.columns]
    ties = pd.DataFrame(
        [[v for value in values for v in (value, value)] for values in product("uv", repeat=4)],
        columns=half.columns,
    )
    return pd.concat([half, swapped], ignore_index=True), ["one"] * 37 + ["two"] * 37, ties


@pytest.mark.parametrize("loss", [None, [[0, 1], [1, 0]]], ids=["probability", "cost"])
def test_ties_are_decided_as_predict_does(open_page, loss):
    X, y, ties = mirrored_cases()
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), loss=loss).fit(X, y)
    decisions = clf.predict(ties)
    page = open_page(clf, ties, decisions)
    assert set(decisions) == {"one"}
    for k, decision in enumerate(decisions):
        page.select_option("#row", str(k))
        assert page.inner_text("#sentence strong") == decision


def test_ties_within_the_networks_of_an_ensemble_are_voted_as_predict_does(open_page):
    X, y, ties = mirrored_cases()
    member = bl.BayesNetClassifier(bl.NaiveBayes())
    ensemble = bl.BaggedClassifier(member, 3, max_samples=1.0, bootstrap=False, random_state=0).fit(X, y)
    probabilities = ensemble.predict_proba(ties)
    page = open_page(ensemble, ties, ensemble.predict(ties))
    for k in range(len(ties)):
        page.select_option("#row", str(k))
        shown = shown_distribution(page, X.shape[1])
        assert [shown[0], shown[1]] == pytest.approx(probabilities[k].tolist(), abs=1e-9)


def shown_weights(page):
    """Read the bars: weights by the index of their node, then the prior, the total, and all as they are written."""
    rows = page.locator("#evidence-bars .bar-row[data-weight]")
    bars = rows.evaluate_all(
        "all => all.map(row => [row.className, row.dataset.index, Number(row.dataset.weight)])"
    )
    weights = {int(index): weight for _, index, weight in bars if index is not None}
    prior, total = (next(w for name, _, w in bars if kind in name) for kind in ("prior", "total"))
    return weights, prior, total, page.locator("#evidence-bars .bar-row .number").all_inner_texts()


def test_after_a_value_that_rules_a_class_out_no_other_has_a_weight(open_page):
    X = pd.DataFrame(
        {"a": ["u", "u", "v", "u"] * 9, "b": ["u", "v", "v", "v"] * 9, "c": ["u", "u", "v", "v"] * 9}
    )
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(0.0)).fit(X, ["p", "q", "q", "p"] * 9)
    row = pd.DataFrame({"a": ["v"], "b": ["v"], "c": ["u"]})
    page = open_page(clf, row, ["q"], view="why")
    page.select_option("#row", "0")
    weights, _, total, texts = shown_weights(page)
    expected = clf.explain(row).evidence[0]
    assert np.isinf(expected).sum() == 1
    assert [weights[k] for k in range(3)] == expected.tolist()
    assert total == np.inf
    assert "−∞" not in texts


def test_classes_that_are_both_impossible_have_no_odds(open_page):
    X = pd.DataFrame({"a": list("uvw") * 10})
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(0.0)).fit(X, list("pqr") * 10)
    page = open_page(clf, X[:1], ["p"], view="why")
    page.select_option("#row", "0")
    chosen, other = page.locator("#view-why select").all()
    chosen.select_option("1")
    other.select_option("2")
    assert "There are no odds to explain" in page.inner_text("#evidence-bars")


@pytest.fixture(scope="module")
def many_agreeing_features():
    """Hundreds of features that follow the class in 99% of the rows; rows that conflict, and rows that agree."""
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 200)
    flips = rng.random((400, 600)) < 0.01
    X = pd.DataFrame(np.where(flips ^ (y == "yes")[:, None], "1", "0"), columns=[f"f{j}" for j in range(600)])
    half = np.where(np.arange(600) < 300, "1", "0")
    rows = pd.DataFrame([half, np.full(600, "1"), np.full(600, "0")], columns=X.columns)
    return bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet()).fit(X, y), rows


def test_strong_evidence_does_not_vanish(open_page, many_agreeing_features):
    clf, rows = many_agreeing_features
    decisions = clf.predict(rows)
    page = open_page(clf, rows, decisions, view="why")
    probabilities, explanation = clf.predict_proba(rows), clf.explain(rows)
    assert explanation.log_odds.max() > 1000
    for k in range(len(rows)):
        page.select_option("#row", str(k))
        assert page.inner_text("#sentence strong") == decisions[k]
        shown = shown_distribution(page, 600)
        assert [shown[0], shown[1]] == pytest.approx(probabilities[k].tolist(), abs=1e-9)
        weights, prior, total, _ = shown_weights(page)
        assert total == pytest.approx(explanation.log_odds[k], abs=1e-6)
        for index, weight in weights.items():
            assert weight == pytest.approx(explanation.evidence[k, index], abs=1e-6)
        assert prior == pytest.approx(explanation.prior[k], abs=1e-9)
    assert "odds of 10" in page.inner_text("#evidence-bars")
    assert "∞" not in page.inner_text("#view-why")
    assert page.locator("#decision .state .value").all_inner_texts() == [">99.9%", "<0.1%"]


def test_many_values_are_no_short_reason(open_page):
    rng = np.random.default_rng(6)
    X = pd.DataFrame({f"f{j}": rng.choice(["u", "v"], 800) for j in range(12)})
    y = np.where((X == "u").sum(axis=1) + rng.normal(scale=0.5, size=800) > 6, "many", "few")
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, y)
    row = pd.DataFrame([["u"] * 8 + ["v"] * 4], columns=X.columns)
    reason = clf.sufficient_reason(row)
    assert reason.guaranteed
    assert len(reason.values) <= 7
    page = open_page(clf, row, ["many"], view="why")
    page.select_option("#row", "0")
    page.wait_for_selector("#sufficient [data-guaranteed]")
    assert page.locator("#sufficient [data-kept]").count() == len(reason.values)
    X = pd.concat([X, X.add_prefix("g")], axis=1)
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, y)
    row = pd.DataFrame([["u"] * 24], columns=X.columns)
    expected = len(clf.sufficient_reason(row).values)
    assert expected > 7
    page = open_page(clf, row, ["many"], view="why")
    page.select_option("#row", "0")
    page.wait_for_selector("#sufficient [data-guaranteed]")
    assert f"It takes {expected} of 24 values" in page.inner_text("#sufficient")
    assert "no short reason" in page.inner_text("#sufficient")
    assert page.locator("#sufficient [data-kept]").count() == 0


def measured_cases():
    """A class of two numbers, one of them whole; the network has their cuts."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"size": rng.uniform(0.1, 3.0, 500).round(3), "rooms": rng.integers(1, 7, 500)})
    y = np.where(X["size"] + 0.3 * X["rooms"] + rng.normal(scale=0.3, size=500) > 2.4, "dear", "cheap")
    return X, y


def test_values_near_a_border_say_so_and_what_lies_beyond(open_page):
    X, y = measured_cases()
    clf = bl.BayesNetClassifier().fit(X, y)
    cuts = np.array(clf.network_.variables[0].cuts)
    cut = cuts[len(cuts) // 2]
    near, far = cut * 1.012, (cut + cuts[len(cuts) // 2 - 1]) / 2
    rows = pd.DataFrame({"size": [near, far], "rooms": [3, 3]})
    beyond = clf.predict_proba(pd.DataFrame({"size": [cut], "rooms": [3]}))[
        0
    ]  # a cut belongs to what is below it
    page = open_page(clf, rows, clf.predict(rows), view="why")
    page.select_option("#row", "0")
    page.wait_for_selector("#changes [data-flips]")
    border = page.locator("#changes [data-border='0']")
    assert "1.2% above the border" in border.inner_text()
    assert float(border.get_attribute("data-p")) == pytest.approx(beyond.max(), abs=1e-9)
    assert clf.classes_[int(border.get_attribute("data-decision"))] == clf.classes_[beyond.argmax()]
    assert "1.2% above the border" in page.inner_text("#evidence [data-near='0']")
    page.select_option("#row", "1")
    page.wait_for_selector("#changes [data-flips]")
    assert page.locator("[data-border], [data-near]").count() == 0


def test_changes_that_flip_are_sorted_by_how_near_they_are(open_page):
    X, y = measured_cases()
    clf = bl.BayesNetClassifier().fit(X, y)
    page = open_page(clf, X[:40], y[:40], view="why")
    several = 0
    for k in range(40):
        page.select_option("#row", str(k))
        page.wait_for_selector("#changes [data-flips]")
        if page.get_attribute("#changes [data-flips]", "data-flips") == "0":
            continue
        shown = page.locator("#changes tr").evaluate_all(
            "all => all.map(each => [Number(each.dataset.index), Number(each.dataset.state), "
            "Number(each.dataset.distance), each.textContent])"
        )
        nearest = {}
        for j, name in enumerate(
            X
        ):  # the smallest change of this number that flips the decision, found by trying
            cuts = clf.network_.variables[j].cuts
            spread = X[name].max() - X[name].min()
            for cut in cuts:
                other = X[k : k + 1].copy()
                other[name] = cut if X[name][k] > cut else np.nextafter(cut, np.inf)
                if clf.predict(other)[0] != clf.predict(X[k : k + 1])[0]:
                    distance = abs(X[name][k] - cut) / spread
                    nearest[j] = min(distance, nearest.get(j, np.inf))
        expected = sorted(nearest.items(), key=lambda each: each[1])
        assert [each[0] for each in shown] == [j for j, _ in expected]
        assert [each[2] for each in shown] == pytest.approx([distance for _, distance in expected])
        for index, state, _, text in shown:
            assert ("more" if state > clf.encode(X[k : k + 1]).codes[0, index] else "less") in text
        several += len(shown) > 1
    assert several > 3
