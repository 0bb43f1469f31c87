"""A tour of six stops with words that open, the columns as they were read, and where the rows are from."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl


@pytest.fixture(scope="module")
def page(open_shared):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 80, 300), "town": rng.choice(["Bath", "Ely"], 300)})
    y = pd.Series(np.where(X["age"] + rng.normal(scale=9, size=300) > 50, "ill", "well"), name="state")
    return open_shared(bl.BayesNetClassifier().fit(X[:200], y[:200]), X[200:], y[200:], source="ward 7.csv")


def test_six_stops_each_in_sight_and_words_that_open(page):
    page.click("#start-tour")
    words = set()
    for stop in range(6):
        assert page.inner_text("#tour h2").startswith(f"{stop + 1} of 6")
        marked = page.locator(".toured")
        assert marked.count() == 1
        assert marked.is_visible()
        for word in page.locator("#tour .word").all():
            word.click()
            words.add(word.inner_text())
            assert page.inner_text("#tour [role=status]").startswith(f"{word.inner_text()}: ")
            assert word.get_attribute("aria-expanded") == "true"
            word.click()
            assert page.inner_text("#tour [role=status]") == ""
        page.click("#tour button:has-text('Next'), #tour button:has-text('Done')")
    assert {"arc", "state", "evidence", "log-odds", "bits", "PPV", "conflict", "calibration"} <= words
    assert page.is_hidden("#tour")
    assert page.locator(".toured").count() == 0
    assert page.evaluate("document.activeElement.id") == "start-tour"


def test_the_tour_is_left_by_a_key(page):
    page.focus("#start-tour")
    page.keyboard.press("Enter")
    assert page.is_visible("#tour")
    page.keyboard.press("Escape")
    assert page.is_hidden("#tour")


def test_columns_as_read_and_the_name_of_the_file(page):
    page.click("#tab-learned")
    lines = page.locator("#columns tbody tr").evaluate_all(
        "all => all.map(row => [...row.cells].map(c => c.title))"
    )
    assert [line[:2] for line in lines] == [["age", "number"], ["town", "category"], ["state", "class"]]
    assert "ward 7.csv" in page.inner_text("#view-learned")
    page.click("#tab-quality")
    assert "The rows are those of ward 7.csv." in page.inner_text("#view-quality")
