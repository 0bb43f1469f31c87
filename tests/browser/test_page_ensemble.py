"""The page of an ensemble: what it computes is what the ensemble computes."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.page import shown_networks as part
from browser.conftest import SCREENSHOTS, set_state, shown_distribution


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 300) for j in range(7)})
    X["f1"] = X["f0"].where(rng.random(300) < 0.8, X["f1"])
    X["number"] = rng.normal(size=300)
    y = np.where((X["f0"] == "a") ^ (X["number"] > 0.2), "yes", np.where(X["f2"] == "b", "no", "maybe"))
    return X.mask(rng.random(X.shape) < 0.1), pd.Series(y, name="answer")


MEMBERS = {
    "TAN": bl.BayesNetClassifier(parameters=bl.Laplace()),
    "hill-climbing": bl.BayesNetClassifier(bl.HillClimbing(bl.MDL(), "naive")),
    "selected features": bl.BayesNetClassifier(selector=bl.MMPC()),
    "zeros": bl.BayesNetClassifier(parameters=bl.MaximumLikelihood(0.0)),
    "costs": bl.BayesNetClassifier(loss=lambda truth, said: 5.0 * (truth == "yes") if truth != said else 0.0),
}


def class_shown(page, ensemble):
    shown = shown_distribution(page, len(ensemble.schema_.features))
    return [shown[k] for k in range(len(ensemble.classes_))]


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("kind", MEMBERS)
def test_rows_get_the_probabilities_and_the_decision_of_the_ensemble(open_page, data, kind, vote):
    X, y = data
    ensemble = bl.BaggedClassifier(MEMBERS[kind], 6, vote, random_state=0).fit(X, y)
    page = open_page(ensemble, X, y)
    probabilities, decisions = ensemble.predict_proba(X), ensemble.predict(X)
    for k in (0, 3, 44, 120):
        page.select_option("#row", str(k))
        assert class_shown(page, ensemble) == pytest.approx(probabilities[k].tolist(), abs=1e-6)
        assert page.inner_text("#sentence strong") == decisions[k]


@pytest.mark.parametrize(
    "structures", [bl.AODE(), bl.AODE(min_count=110), bl.WAODE(), bl.A2DE(min_count=30)], ids=repr
)
def test_a_mixture_answers_as_it_does_in_python(open_page, data, structures):
    X, y = data
    model = bl.AveragedClassifier(structures, MEMBERS["costs"]).fit(X, y)
    page = open_page(model, X, y)
    probabilities, decisions = model.predict_proba(X), model.predict(X)
    for k in (0, 3, 44, 120):
        page.select_option("#row", str(k))
        assert class_shown(page, model) == pytest.approx(probabilities[k].tolist(), abs=1e-6)
        assert page.inner_text("#sentence strong") == decisions[k]


def test_features_of_a_mixture_are_those_of_its_joint_distribution(open_page, data):
    model = bl.AveragedClassifier(bl.AODE(min_count=90)).fit(*data)
    page = open_page(model)
    set_state(page, 0, 1)
    set_state(page, 3, 2)
    features = model.schema_.features
    evidence = {"f0": features[0].states[1], "f3": features[3].states[2]}
    codes = np.array([[1, 255, 255, 2, 255, 255, 255, 255, 255]], dtype=np.uint8, order="F")
    speaking = [
        (member.network_, weight * np.exp(member.network_.log_joint(codes, 8)).sum())
        for member, weight, level in zip(model.estimators_, model.weights_, model.levels_, strict=True)
        if level == 0
    ]
    for index, name in ((1, "f1"), (7, "number")):
        expected = sum(
            w * np.array(list(net.posterior(name, evidence).values())) for net, w in speaking if w > 0
        )
        shown = shown_distribution(page, index)
        found = [shown[k] for k in range(len(expected))]
        assert found == pytest.approx((expected / expected.sum()).tolist(), abs=1e-6)


def test_features_show_the_mean_over_the_networks(open_page, data):
    ensemble = bl.BaggedClassifier(n_estimators=4, vote="average", random_state=0).fit(*data)
    page = open_page(ensemble)
    set_state(page, 0, 1)
    set_state(page, 3, 2)
    features = ensemble.schema_.features
    evidence = {"f0": features[0].states[1], "f3": features[3].states[2]}
    networks = [model.network_ for model in ensemble.estimators_]
    for index, name in ((1, "f1"), (7, "number")):
        expected = np.mean([list(net.posterior(name, evidence).values()) for net in networks], axis=0)
        shown = shown_distribution(page, index)
        assert [shown[k] for k in range(len(expected))] == pytest.approx(expected.tolist(), abs=1e-6)


def test_one_network_can_be_looked_at_and_evidence_stays(open_page, data):
    X, y = data
    ensemble = bl.BaggedClassifier(n_estimators=4, random_state=0).fit(X, y)
    page = open_page(ensemble, X, y, view="network")
    page.select_option("#row", "5")
    together = class_shown(page, ensemble)
    for k in (2, 0):
        page.select_option("#member", str(k))
        member = ensemble.estimators_[k]
        assert class_shown(page, ensemble) == pytest.approx(
            member.predict_proba(X.iloc[[5]])[0].tolist(), abs=1e-6
        )
        arcs = page.locator("path.arc").count()
        assert arcs == len(member.network_.arcs)
        assert page.input_value("#row") == "5"
    page.click("[data-graph-node='1']")
    assert page.locator(".details .heat td").count() == ensemble.estimators_[0].network_.cpt("f1").size
    page.select_option("#member", "")
    assert class_shown(page, ensemble) == together
    assert "choose one network" in page.inner_text(".details")


def test_weights_are_means_over_the_networks(open_page, data):
    X, y = data
    ensemble = bl.BaggedClassifier(n_estimators=5, vote="average", random_state=0).fit(X, y)
    page = open_page(ensemble, X, y)
    row = 7
    page.select_option("#row", str(row))
    page.click("#tab-why")
    first, second = (
        ensemble.classes_[int(page.input_value(f"#view-why select[aria-label='{which} class']"))]
        for which in ("For", "Against")
    )
    one = X.iloc[[row]]
    explained = [model.explain(one, target=first, against=second) for model in ensemble.estimators_]
    expected = np.mean([each.evidence[0] for each in explained], axis=0)
    shown = {
        int(index): float(weight)
        for index, weight in page.locator("#evidence-bars [data-index]").evaluate_all(
            "all => all.map(each => [each.dataset.index, each.dataset.weight])"
        )
    }
    assert shown
    for index, weight in shown.items():
        assert weight == pytest.approx(expected[index], abs=1e-6)
    total = float(page.get_attribute("#evidence-bars .total", "data-weight"))
    assert total == pytest.approx(np.mean([each.total[0] for each in explained]), abs=1e-6)
    assert "mean push over the networks" in page.inner_text("#view-why .lead")
    assert "one network at a time" in page.inner_text("#sufficient")


def test_changes_flip_the_decision_of_the_ensemble(open_page, data):
    X, y = data
    ensemble = bl.BaggedClassifier(n_estimators=5, random_state=0).fit(X, y)
    page = open_page(ensemble, X, y)
    page.select_option("#row", "12")
    page.click("#tab-why")
    page.wait_for_selector("#changes table")
    before = ensemble.predict(X.iloc[[12]])[0]
    rows = page.locator("#changes tr").evaluate_all(
        "all => all.map(each => [each.dataset.index, each.dataset.state])"
    )
    flips = int(page.get_attribute("#changes table", "data-flips")) > 0
    for index, state in rows:
        variable = ensemble.schema_.features[int(index)]
        if variable.cuts is not None:
            continue
        changed = X.iloc[[12]].copy()
        changed[variable.name] = variable.states[int(state)]
        assert (ensemble.predict(changed)[0] != before) == flips


def test_tables_that_do_not_fit_leave_graphs_and_figures(open_page, data, monkeypatch):
    monkeypatch.setattr(part, "MOST_BYTES", 1000)
    X, y = data
    ensemble = bl.BaggedClassifier(n_estimators=4, random_state=0).fit(X, y)
    page = open_page(ensemble, X, y, view="network")
    assert "too many for a page" in page.inner_text("#sentence")
    page.select_option("#member", "1")
    assert page.locator("path.arc").count() == len(ensemble.estimators_[1].network_.arcs)
    page.click("[data-graph-node='1']")
    assert "too many for a page" in page.inner_text(".details")
    page.click("#tab-quality")
    assert float(page.get_attribute("[data-measure='Accuracy']", "data-value")) == pytest.approx(
        ensemble.score(X, y)
    )


def test_screenshots_of_an_ensemble(open_page, data):
    X, y = data
    ensemble = bl.classifier("RTAN", random_state=0).fit(X, y)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for width, scheme in ((1440, "light"), (390, "dark")):
        page = open_page(ensemble, X, y, width=width, scheme=scheme)
        page.evaluate("document.querySelector('details.loader').open = true")  # folded on narrow screens
        page.select_option("#row", "3")
        for view in ("network", "whatif", "why", "learned"):
            page.click(f"#tab-{view}")
            page.wait_for_timeout(150)
            assert page.is_visible(f"#view-{view}")
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (view, width)
            picture = page.screenshot(path=SCREENSHOTS / f"ensemble-{view}-{width}-{scheme}.png")
            assert len(picture) > 10_000
        page.close()
