"""Figures that are small or many: no minus before nought, and a matrix of many classes without scrolling."""

import re

import numpy as np
import pandas as pd

import bayleaf as bl


def test_nought_has_no_minus(open_page):
    X = pd.DataFrame({"f": ["a"] * 90 + ["b"] * 90, "g": ["u", "v", "w"] * 60})
    y = ["yes"] * 60 + ["no"] * 30 + ["yes"] * 30 + ["no"] * 60
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, y)
    new = pd.DataFrame({"f": ["a"] * 2000 + ["b"] * 2001, "g": ["u"] * 4001})
    page = open_page(clf, new, ["yes", "no"] * 1000 + ["yes", "no"] * 1000 + ["yes"], view="quality")
    coefficient = float(page.get_attribute("[data-measure='MCC']", "data-value"))
    assert -0.0005 < coefficient < 0
    assert page.inner_text("[data-measure='MCC'] .tile-value") == "0.000"
    page.select_option("#row", "3")
    for tab in page.locator("[role=tab]").all():
        tab.click()
        assert re.search(r"[-−]0[.]0+(?![0-9])", page.inner_text("body")) is None


def test_the_matrix_of_many_classes_has_the_whole_width(open_page):
    rng = np.random.default_rng(0)
    labels = np.array([f"a class called {k}" for k in range(19)])
    y = rng.permutation(np.repeat(labels, 20))
    X = pd.DataFrame(
        {"f": np.where(rng.random(380) < 0.7, y, rng.permutation(y)), "g": rng.choice(["a", "b"], 380)}
    )
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X[:190], y[:190])
    page = open_page(clf, X[190:], y[190:], view="quality", width=1440)
    hidden = "box => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]"
    assert page.locator("[aria-label='Confusion matrix']").evaluate(hidden) == [0, 0]
    assert page.locator("#confusion thead th").count() == 20
    for k in (1, 19):  # as numbers sort: 2 before 10
        assert page.locator("#confusion thead th").nth(k).inner_text() == labels[k - 1]
    assert page.locator("#threshold-class option").all_inner_texts() == labels.tolist()
