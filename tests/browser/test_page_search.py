"""The steps of the search on the page."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.learn.search import SearchStep, SearchTrace


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 300) for j in range(6)})
    X["f1"] = np.where(rng.random(300) < 0.7, X["f0"], X["f1"])
    return X, np.where((X["f0"] == "a") ^ (X["f2"] == "b"), "yes", "no")


LEARNERS = [bl.TAN(), bl.KDB(2), bl.HillClimbing(), bl.GreedyTree(), bl.Exact()]


@pytest.mark.parametrize("structure", LEARNERS, ids=repr)
def test_every_step_is_shown_with_its_score(open_page, data, structure):
    clf = bl.BayesNetClassifier(structure).fit(*data)
    trace = clf.training_.search
    page = open_page(clf, view="learned")
    rows = page.locator(".search tbody tr").all_inner_texts()
    assert len(rows) == len(trace.steps) + 1
    for row, step in zip(rows[1:], trace.steps, strict=True):
        assert str(step).replace("->", "→") in row
    assert trace.measure in page.inner_text(".search")
    assert page.locator(".search circle.dot").count() == (len(rows) if len(trace.steps) > 1 else 0)


def test_a_model_without_a_search_shows_none(open_page, data):
    page = open_page(bl.classifier("NB").fit(*data), view="learned")
    assert page.locator(".search").count() == 0


def test_steps_that_were_not_kept_leave_a_gap(open_page, data):
    clf = bl.BayesNetClassifier().fit(*data)
    steps = tuple(SearchStep((), (), float(k), note=f"step <b>{k}</b>") for k in range(1500))
    trace = SearchTrace(clf.network_.nodes, "steps", (), float("-inf"), steps).shortened()
    object.__setattr__(clf.training_, "search", trace)
    page = open_page(clf, view="learned")
    assert "500 steps not kept" in page.locator(".search tbody").text_content()
    assert page.locator(".search tbody tr").last.text_content().startswith("1500step <b>1499</b>")
    assert page.locator(".search path.line").get_attribute("d").count("M") == 2
