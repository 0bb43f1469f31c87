"""On paper: one page for whoever decides, the rest on demand, and a case sheet with bars, next steps and notes."""

import re

import pytest
from sklearn.datasets import load_breast_cancer

import bayleaf as bl


@pytest.fixture(scope="module")
def fitted():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"}).rename("diagnosis")
    return bl.BayesNetClassifier().fit(X[:400], y[:400]), X[400:], y[400:]


@pytest.fixture(scope="module")
def page(fitted, open_shared):
    return open_shared(*fitted)


def pages_of_paper(page):
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))


def test_the_summary_is_one_page_and_says_what_counts(page, fitted):
    model, X, y = fitted
    assert pages_of_paper(page) == 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    text = page.text_content("#summary")
    assert f"{100 * model.score(X, y):.1f}% are predicted correctly" in text
    assert f"Of {len(X)} rows with a known class" in text
    information = model.network_.mutual_information("diagnosis")
    strongest = sorted(information, key=lambda name: -information[name])[:3]
    assert page.locator("#summary li b").all_text_contents() == strongest
    for title in ("For whom", "How good it is", "How honest it is", "Its limits"):
        assert title in text
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("body.summary-sheet").count() == 0


def test_everything_is_printed_on_demand(page):
    page.check("#print-all")
    assert pages_of_paper(page) > 3
    page.uncheck("#print-all")


def test_the_case_sheet_has_bars_next_steps_and_room_for_notes(page, fitted):
    model, X, _ = fitted
    page.select_option("#row", "3")
    for _ in range(25):
        page.locator("#evidence .chip button").first.click()
    page.evaluate("window.print = () => {}")
    page.click("#print-case")
    page.emulate_media(media="print")
    assert page.is_visible("#sheet .notes")
    assert page.is_visible("#sheet .signature")
    assert pages_of_paper(page) == 1
    page.emulate_media(media="screen")
    widths = page.locator("#sheet .sheet-bar .push").evaluate_all(
        "all => all.map((each) => parseFloat(each.style.width))"
    )
    assert len(widths) == 6  # five values, and what counts before them
    assert max(widths) == pytest.approx(50)
    steps = page.locator("#sheet li").all_text_contents()
    gone = X[3:4].copy()
    gone[X.columns[:25]] = None
    best = model.value_of_information(gone)["feature"][0]
    assert any(f"Most worth measuring next: {best}" in step for step in steps)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
