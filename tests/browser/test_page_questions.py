"""What the page answers about values, features, groups, thresholds and files is what Python answers."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.quality import group_table
from bayleaf.quality.cross_validation import predicted_outcome
from browser.conftest import TEXT_SIZES, set_state


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 400) for j in range(5)})
    X["f1"] = X["f0"].where(rng.random(400) < 0.8, X["f1"])
    X["number"] = rng.normal(size=400).round(3)
    y = np.where((X["f0"] == "a") & (X["number"] > 0.2) | (rng.random(400) < 0.05), "yes", "no")
    return X.mask(rng.random(X.shape) < 0.05), pd.Series(y, name="answer")


@pytest.fixture(scope="module")
def model(data):
    X, y = data
    return bl.BayesNetClassifier(bl.TAN(), bl.Laplace()).fit(X[:250], y[:250])


def test_next_is_the_value_of_information(open_page, model, data):
    page = open_page(model, *data)
    set_state(page, 0, 0)
    page.click("#tab-next")
    page.wait_for_selector("[data-next]")
    expected = model.value_of_information({"f0": "a"})
    lines = page.locator("[data-next]").evaluate_all("all => all.map(each => ({ ...each.dataset }))")
    assert [model.network_.nodes[int(line["next"])] for line in lines] == expected["feature"].to_list()
    for line, row in zip(lines, expected.to_dicts(), strict=True):
        for name in ("information", "lowest", "highest", "change"):
            assert float(line[name]) == pytest.approx(row[name], abs=1e-9)
    page.locator("[data-next] .link").first.click()
    assert page.is_visible("#view-network .details")


def test_next_of_a_mixture_and_of_votes(open_page, data):
    X, y = data
    mixture = bl.AveragedClassifier(bl.AODE(), bl.BayesNetClassifier(parameters=bl.Laplace())).fit(X, y)
    page = open_page(mixture, X, y)
    page.click("#tab-next")
    page.wait_for_selector("[data-next]")
    shown = float(page.locator("[data-next]").first.get_attribute("data-information"))
    assert shown == pytest.approx(mixture.value_of_information({})["information"][0], abs=1e-6)
    votes = bl.BaggedClassifier(bl.BayesNetClassifier(), 3, "majority", random_state=0).fit(X, y)
    page = open_page(votes, X, y)
    page.click("#tab-next")
    assert "choose one network" in page.inner_text("#next-values")


def test_features_tell_alone_and_beside_the_others(open_page, model, data):
    page = open_page(model, *data)
    page.click("#tab-features")
    page.wait_for_selector(".importance details")
    expected = model.importance()
    shown = page.locator(".importance summary").evaluate_all(
        "all => all.map(each => [Number(each.dataset.information), Number(each.dataset.added)])"
    )
    for (alone, added), row in zip(shown, expected.to_dicts(), strict=True):
        assert alone == pytest.approx(row["information"], abs=1e-6)
        assert added == pytest.approx(row["added"], abs=0.05)
    page.locator(".importance summary").first.click()
    page.wait_for_selector("[data-effect]")
    effects = model.importance(states=True)
    first = page.locator(".importance details").first.get_attribute("data-node")
    name = model.network_.nodes[int(first)]
    wanted = [row for row in effects.to_dicts() if row["feature"] == name and row["class"] == "yes"]
    lines = page.locator(f".importance details[data-node='{first}'] [data-effect]").evaluate_all(
        "all => all.map(each => [Number(each.dataset.value), Number(each.dataset.share)])"
    )
    assert lines == [pytest.approx([row["log_odds"], row["share"]], abs=1e-6) for row in wanted]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_threshold_moves_everything_together(open_page, model, data):
    X, y = data[0][250:], data[1][250:]
    page = open_page(model, X, y, view="quality")
    assert page.input_value("#threshold") == "100"
    page.fill("#miss-cost", "9")
    p = model.predict_proba(X)[:, list(model.classes_).index("yes")]
    called, sick = p >= 0.1, (y == "yes").to_numpy()
    assert page.input_value("#threshold") == "20"
    for cell, part in (("hits", called & sick), ("misses", ~called & sick), ("alarms", called & ~sick)):
        assert page.inner_text(f"[data-cell='{cell}']") == str(part.sum())
    benefit = (called & sick).mean() - (called & ~sick).mean() / 9
    assert float(page.inner_text("[data-figure='Net benefit']").replace("−", "-")) == pytest.approx(
        benefit, abs=6e-4
    )
    page.evaluate(
        "() => { const s = document.querySelector('#threshold'); s.value = 50; s.dispatchEvent(new Event('input')); }"
    )
    assert float(page.input_value("#miss-cost")) == pytest.approx(3)


def test_the_threshold_starts_where_the_costs_of_the_model_put_it(open_page, data):
    X, y = data
    careful = bl.BayesNetClassifier(loss={"yes": {"no": 4.0}}).fit(X[:250], y[:250])
    page = open_page(careful, X[250:], y[250:], view="quality")
    assert page.input_value("#threshold") == "40"
    assert page.input_value("#miss-cost") == "4"
    predicted = careful.predict(X[250:]) == "yes"
    sick = (y[250:] == "yes").to_numpy()
    note = page.locator("#cost-note")  # in place of the alarm about accuracy
    assert page.locator("#baseline-alarm, .tile.poor").count() == 0
    assert float(note.get_attribute("data-cost")) == pytest.approx(
        (4 * (sick & ~predicted) + (predicted & ~sick)).mean()
    )
    assert float(note.get_attribute("data-baseline")) == pytest.approx(min(4 * sick.mean(), 1 - sick.mean()))
    shown = int(page.inner_text("[data-cell='hits']")) + int(page.inner_text("[data-cell='alarms']"))
    assert shown == predicted.sum()


def test_groups_have_the_figures_of_python(open_page, model, data):
    X, y = data[0][250:], data[1][250:]
    page = open_page(model, X, y, view="quality")
    page.select_option("#group-feature", label="f1")
    table = group_table(
        predicted_outcome(model, X, y), [each if isinstance(each, str) else None for each in X["f1"]], "yes"
    )
    shown = page.locator("#group-lines tr").evaluate_all(
        "all => all.map(row => [row.children[0].title, ...Array.from(row.querySelectorAll('[data-share]'), "
        "cell => cell.dataset.share)])"
    )
    named = {line[0]: line[1:] for line in shown}
    for row in table.to_dicts():
        for text, name in zip(named[row["group"]], ("accuracy", "recall", "false_alarms"), strict=True):
            assert (row[name] is None and text == "") or float(text) == pytest.approx(row[name])
    interval = page.inner_text("#group-lines tr:has(th[title='a']) .interval >> nth=0")
    low, high = (float(text.strip("<>% ")) / 100 for text in interval.split("–"))
    assert (low, high) == pytest.approx((table["accuracy_low"][0], table["accuracy_high"][0]), abs=0.006)


def test_weak_groups_are_found_and_calibration_is_told_by_group(open_page):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({f"f{j}": rng.choice(["a", "b", "c"], 900) for j in range(4)})
    y = np.where(X["f0"] == "a", "yes", "no")
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X[:300], y[:300])
    odd = (X["f1"] == "b") & (X["f2"] == "c")  # where new rows are another matter
    truth = np.where(odd, rng.choice(["yes", "no"], 900), y)
    page = open_page(clf, X[300:], truth[300:], view="quality")
    outcome = predicted_outcome(clf, X[300:], truth[300:])
    loss = ((outcome.probabilities[:, 0] - (truth[300:] == "no")) ** 2 * 2)[odd[300:]].mean()
    first = page.locator("#weak-groups tbody tr").first
    assert "f1 = b and f2 = c" in first.inner_text()
    assert float(first.get_attribute("data-loss")) == pytest.approx(loss)
    page.select_option("#group-feature", label="f1")
    line = page.locator("#group-lines tr:has(th[title='b'])")
    rows = (X["f1"][300:] == "b").to_numpy()
    confidence = outcome.probabilities.max(axis=1)[rows].mean()
    assert float(line.locator("[data-confidence]").get_attribute("data-confidence")) == pytest.approx(
        confidence, rel=1e-5
    )
    assert "too sure" in line.inner_text()
    page = open_page(clf, X[300:], y[300:], view="quality")
    assert page.locator("#weak-groups tbody tr").count() == 0


def test_numbers_lead_to_their_rows(open_page, model, data):
    X, y = data[0][250:], data[1][250:]
    page = open_page(model, X, y, view="quality")
    predicted = model.predict(X)
    wrong = np.flatnonzero((y == "yes").to_numpy() & (predicted == "no"))
    page.click("#confusion button[aria-label^='yes predicted as no']")
    options = page.locator("#row option").all_inner_texts()[1:]
    assert [int(text.split()[1]) - 1 for text in options] == wrong.tolist()
    assert page.input_value("#row") == str(wrong[0])
    assert f"{len(wrong)} of {len(wrong)} rows are on this page" in page.inner_text("#row-filter")
    page.click("#row-filter button")
    assert page.locator("#row option").count() == 151
    page.click("#view-quality .plain .link >> nth=0")
    assert "missing" in page.inner_text("#row-filter")
    page.locator("#view-quality .target").first.click()
    confidence = model.predict_proba(X).max(axis=1)
    listed = [int(text.split()[1]) - 1 for text in page.locator("#row option").all_inner_texts()[1:]]
    bins = np.ceil(confidence * 15 - 1e-9)
    assert listed == np.flatnonzero(bins == bins[listed[0]]).tolist()


def test_a_model_that_is_no_better_than_the_baseline_says_so_in_red(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.choice(["a", "b"], 400)})
    y = np.where(rng.random(400) < 0.05, "sick", "well")
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X[:200], y[:200])
    page = open_page(clf, X[200:], y[200:], view="quality")
    assert "no more accurate than always deciding for the most frequent class" in page.inner_text(
        "#baseline-alarm"
    )
    assert "Not one row of sick is found" in page.inner_text("#baseline-alarm")
    assert page.input_value(".curves select") == str(list(clf.classes_).index("sick"))
    assert page.input_value("#threshold-class") == str(list(clf.classes_).index("sick"))
    assert page.locator("#seen").count() == 0


def test_rows_that_were_used_to_fit_are_called_so(open_page, model, data):
    X, y = data
    page = open_page(model, X[200:], y[200:], view="quality")
    assert "of these 200 rows" in page.inner_text("#seen") or "of these rows" in page.inner_text("#seen")
    assert "used to fit: the figures are optimistic" in page.inner_text("#seen")


def test_a_few_rows_that_were_used_to_fit_are_no_alarm(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=800), "b": rng.normal(size=800)})
    y = np.where(X["a"] + rng.normal(size=800) > 0, "yes", "no")
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X[:400], y[:400])
    page = open_page(clf, X[397:], y[397:], view="quality")
    assert "3 of these 403 rows (1%) were used to fit: too few to change" in page.inner_text("#seen")
    assert page.locator("#seen.alarm, #seen[role=alert]").count() == 0


def test_a_dropped_file_is_predicted_in_the_browser(open_page, model, data, tmp_path):
    X = data[0][250:300].copy()
    X.iloc[0, 0] = "unseen"
    X.to_csv(tmp_path / "new.csv", index=False)
    page = open_page(model)
    page.set_input_files("#csv-file", tmp_path / "new.csv")
    page.wait_for_selector("#save-predictions")
    with pytest.warns(UserWarning, match="not seen in fit"):
        expected = model.predict_proba(X)
    shown = page.locator("[data-predicted]").evaluate_all(
        "all => all.map(each => JSON.parse(each.dataset.predicted))"
    )
    assert shown == [pytest.approx(row.tolist(), abs=1e-9) for row in expected[:25]]
    with page.expect_download() as caught:
        page.click("#save-predictions")
    saved = list(csv.reader(io.StringIO(caught.value.path().read_text())))
    assert saved[0][-3:] == ["predicted", "P(no)", "P(yes)"]
    assert len(saved) == 51
    assert [float(row[-1]) for row in saved[1:]] == pytest.approx(expected[:, 1].tolist(), abs=1e-9)
    (tmp_path / "other.csv").write_text("u,v\n1,2\n")
    page.set_input_files("#csv-file", tmp_path / "other.csv")
    page.wait_for_selector("text=none of the model’s columns")


def test_the_most_probable_explanation_is_that_of_python(open_page, model):
    page = open_page(model)
    set_state(page, 0, 1)
    page.click("#explain-all")
    expected = model.network_.mpe({"f0": "b"})
    shown = float(page.get_attribute("#most-probable", "data-probability"))
    assert shown == pytest.approx(expected.probability, rel=1e-9)
    states = dict(
        page.locator("[data-likely]").evaluate_all(
            "all => all.map(each => [each.dataset.likely, each.dataset.state])"
        )
    )
    for node, state in states.items():
        variable = model.network_.variables[int(node)]
        assert variable.states[int(state)] == expected.states[variable.name]


def test_figures_and_tables_can_be_taken_away(open_page, model, data):
    page = open_page(model, *data, view="network")
    page.select_option("#row", "3")
    kinds = {"svg": b"<svg", "png": b"\x89PNG"}
    for view, figure in (("network", "network"), ("quality", "roc")):
        page.click(f"#tab-{view}")
        for kind, start in kinds.items():
            with page.expect_download() as caught:
                page.click(f"[data-take='{figure}.{kind}']")
            content = caught.value.path().read_bytes()
            assert content.startswith(start)
            assert len(content) > 2000
    page.click("#tab-why")
    with page.expect_download() as caught:
        page.click("#save-evidence")
    rows = list(csv.reader(io.StringIO(caught.value.path().read_text())))
    explanation = model.explain(data[0].iloc[[3]])
    assert float(rows[-1][2]) == pytest.approx(explanation.log_odds[0], abs=1e-9)
    weights = {row[0]: float(row[2]) for row in rows[2:-1]}
    for name, weight in zip(explanation.features, explanation.evidence[0], strict=True):
        assert weights.get(name, 0.0) == pytest.approx(weight, abs=1e-9)


def test_votes_are_said_beside_the_mean_probability(open_page, data):
    X, y = data
    ensemble = bl.BaggedClassifier(
        bl.BayesNetClassifier(parameters=bl.Laplace()), 5, "majority", random_state=0
    )
    ensemble.fit(X, y)
    page = open_page(ensemble, X, y)
    share = (y == "no").mean()
    sentence = page.inner_text("#sentence")
    assert "votes" not in sentence
    assert abs(float(sentence.split("with ")[1].split("%")[0]) / 100 - share) < 0.05
    page.click("#tab-why")
    page.wait_for_selector("#changes td")
    page.select_option("#row", "3")
    page.wait_for_selector("#changes td")
    assert "of 5 votes" in page.inner_text("#sentence")


def test_any_node_of_a_network_without_a_class_can_be_asked_for(open_page, model):
    network = bl.BayesNet(model.network_.variables, model.network_.dag, model.network_.tables)
    page = open_page(network)
    assert page.is_hidden("#tab-why")
    page.select_option("#target", label="ask for f0")
    set_state(page, 1, 0)
    page.click("#tab-next")
    page.wait_for_selector("[data-next]")
    lines = page.locator("[data-next]").evaluate_all(
        "all => all.map(each => [each.dataset.next, each.dataset.information])"
    )
    expected = network.mutual_information("f0", evidence={"f1": "a"})
    for index, information in lines:
        assert float(information) == pytest.approx(expected[network.nodes[int(index)]] / np.log(2), abs=1e-9)
    page.click("#tab-why")
    assert "f1" in page.inner_text("#evidence-bars")
    page.click("#tab-features")
    page.wait_for_selector("[data-effect]", state="attached")
    page.select_option("#target", "")
    assert page.is_hidden("#tab-why")


def test_nodes_open_in_place_and_the_layout_turns(open_page, model):
    page = open_page(model, view="network")
    lowest = max(range(6), key=lambda k: page.locator(f"[data-graph-node='{k}']").bounding_box()["y"])
    page.click(f"[data-open='{lowest}'] .hit")
    canvas, states = (page.locator(each).bounding_box() for each in (".canvas", "[data-monitor]"))
    assert states["y"] + states["height"] <= canvas["y"] + canvas["height"]  # moved into sight
    page.click("#close-monitors")
    page.click("[data-open='1'] .hit")
    page.click("[data-monitor='1'] [data-state='0']", force=True)
    assert page.locator("#evidence .chip").count() == 1
    page.click("#close-monitors")
    assert page.locator("[data-monitor]").count() == 0
    before = [page.locator(f"[data-graph-node='{k}']").get_attribute("transform") for k in range(6)]
    page.select_option("#direction", "right" if page.input_value("#direction") == "down" else "down")
    assert [page.locator(f"[data-graph-node='{k}']").get_attribute("transform") for k in range(6)] != before


def test_names_in_the_network_can_be_read_and_nodes_are_announced(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"feature {k}": rng.choice(["a", "b"], 300) for k in range(40)})
    clf = bl.BayesNetClassifier(bl.TAN()).fit(X, X["feature 0"].to_numpy() == "a")
    page = open_page(clf, view="network", width=1440)
    page.click("#all-shown")
    sizes = page.evaluate(TEXT_SIZES)
    assert len(sizes) >= 41
    assert min(sizes) >= 9
    page.focus("svg.network")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "feature" in page.text_content(".said")
    page.click(".details [aria-label='Close']")
    assert page.evaluate("document.activeElement.classList.contains('network')")
    page.fill("#find-node", "no such node")
    assert "No node is called" in page.inner_text("#view-network .tools")
