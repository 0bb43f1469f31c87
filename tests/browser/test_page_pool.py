"""The page of a pool in a browser."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return bl.NetworkPool(cycles=1, seeds=1, n_jobs=1).fit(X, y), X, y


def test_features_by_their_weight(open_page, fitted):
    model, X, y = fitted
    page = open_page(model, X, y, view="features")
    shown = page.eval_on_selector_all(
        "#feature-evidence tr",
        "rows => rows.map(row => [row.cells[0].textContent, Number(row.dataset.size)])",
    )
    expected = sorted(zip(X.columns, model.mean_evidence_.tolist(), strict=True), key=lambda pair: -pair[1])
    assert [tuple(each) for each in shown] == expected
    assert page.is_hidden("#decision")


def test_a_row_and_its_reasons(open_page, fitted):
    model, X, y = fitted
    page = open_page(model, X, y, view="why", width=390)
    page.select_option("#row", index=3)
    weights = page.eval_on_selector_all(
        "#evidence-bars .bar-row[data-weight]", "rows => rows.map(row => Number(row.dataset.weight))"
    )
    assert sum(weights[:-1]) == pytest.approx(weights[-1])
    assert page.inner_text("#chances").startswith("Row ")
    assert "The data says 0." in page.inner_text("#chances")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    number = page.inner_text("#evidence-bars .bar-row[data-index='2'] .hint")
    assert re.match(r" [\d.]+ (in|\([≤>])\s", number)
    page.click("#tab-quality")
    assert "to find a node" not in page.inner_text("footer")


def test_without_rows_the_page_says_how_to_pass_some(open_page, fitted):
    page = open_page(fitted[0], view="why")
    assert "written without rows" in page.inner_text("#view-why")


def test_numbers_lead_to_rows_that_can_be_sorted_and_saved(open_page, fitted):
    model, X, y = fitted
    page = open_page(model, X, y, view="quality")
    page.click("#confusion button >> nth=0")
    assert page.get_attribute("#tab-why", "aria-selected") == "true"
    shown = page.locator("#cases tr").evaluate_all("all => all.map((each) => Number(each.dataset.case))")
    right = np.flatnonzero((model.predict(X) == y) & (y == 0)) + 1
    assert set(shown) <= set(right.tolist())
    assert shown
    page.select_option("#case-filter", label="only misclassified")
    wrong = set((np.flatnonzero(model.predict(X) != y) + 1).tolist())
    listed = page.locator("#cases tr").evaluate_all("all => all.map((each) => Number(each.dataset.case))")
    assert set(listed) <= wrong
    page.select_option("#case-filter", label="all rows")
    page.click("#cases tr:nth-child(4) button")
    number = page.inner_text("#cases tr:nth-child(4) button")
    assert page.inner_text("#chances").startswith(f"Row {number}:")
    with page.expect_download() as caught:
        page.click("#save-rows")
    saved = pd.read_csv(caught.value.path())
    expected = model.predict_proba(X)[saved["row"] - 1]
    assert saved[["P(0)", "P(1)", "P(2)"]].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert (saved["predicted"].to_numpy() == model.predict(X)[saved["row"] - 1]).all()
