"""Why: the page's reasons are those of the library."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from reference.random_networks import random_network


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
    row = int(page.evaluate("document.querySelector('#row').selectedOptions[0].text.match(/\\d+/)[0]")) - 1
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
        row = (
            int(page.evaluate("document.querySelector('#row').selectedOptions[0].text.match(/\\d+/)[0]")) - 1
        )
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
        row = (
            int(page.evaluate("document.querySelector('#row').selectedOptions[0].text.match(/\\d+/)[0]")) - 1
        )
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
    row = int(page.evaluate("document.querySelector('#row').selectedOptions[0].text.match(/\\d+/)[0]")) - 1
    expected = clf.explain(X[row : row + 1], target=classes[0], against=classes[-1]).log_odds[0]
    assert float(page.get_attribute("#evidence-bars .total", "data-weight")) == pytest.approx(
        expected, abs=1e-6
    )


def test_without_evidence_only_the_prior_speaks(open_page):
    clf = bl.BayesNetClassifier().fit(pd.DataFrame({"x": ["a", "b"] * 20}), ["no", "yes", "no", "no"] * 10)
    page = open_page(clf, view="why")
    assert "only the frequency of the classes speaks" in page.inner_text("#evidence-bars")
