"""Numbers as people type them: either decimal mark, what was read is said, and what may be two numbers is refused."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl


def fitted(texts=False):
    rng = np.random.default_rng(0)
    size = rng.uniform(0, 60, 600).round(1)
    X = pd.DataFrame({"size": size, "noise": rng.normal(size=600).round(2)})
    y = np.where(size + rng.normal(scale=5, size=600) > 30, "bad", "good")
    if texts:  # written with decimal commas
        X["size"] = [f"{value:.1f}".replace(".", ",") for value in size]
    return bl.BayesNetClassifier().fit(X, pd.Series(y, name="state"))


@pytest.fixture(scope="module")
def page(open_shared):
    return open_shared(fitted())


def typed(page, text):
    field = page.locator("[data-feature='0'] input.number")
    field.fill("")
    field.press("Enter")
    field.type(text)
    field.press("Enter")
    bad = page.locator("#decision [data-node='2'][data-state='0']").get_attribute("data-p")
    remark = page.locator("[data-feature='0'] .remark")
    return (
        float(bad),
        remark.inner_text() if remark.is_visible() else "",
        field.get_attribute("aria-invalid"),
    )


def test_a_decimal_comma_is_read_as_a_point(page):
    plain = typed(page, "24.9")
    assert plain[1:] == ("", "false")
    assert typed(page, "24,9") == (plain[0], "read as 24.9", "false")
    assert typed(page, "249")[0] != plain[0]  # what a field for numbers makes of it


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.024,5", "1024.5"),
        ("1,024.5", "1024.5"),
        ("1 024", "1024"),
        ("1,024,000", "1024000"),
        ("0,125", "0.125"),
    ],
)
def test_thousands_are_read_where_they_can_be_nothing_else(page, text, number):
    _, remark, invalid = typed(page, text)
    assert f"read as {number}" in remark
    assert invalid == "false"
    assert float(page.locator("#evidence .chip-text").inner_text().split()[1].replace(",", "")) == float(
        number
    )


def test_what_may_be_two_numbers_or_none_is_refused(page):
    before = typed(page, "")[0]
    for text, said in [
        ("1,234", "may be 1234 or 1.234"),
        ("1,23,4", "not a number"),
        ("12a", "not a number"),
        ("1.2.3", "not a number"),
    ]:
        p, remark, invalid = typed(page, text)
        assert (p, invalid) == (before, "true")
        assert said in remark
    assert page.locator("#evidence .chip").count() == 0


def test_a_column_with_decimal_commas_keeps_its_own_mark(open_page):
    page = open_page(fitted(texts=True))
    comma = typed(page, "24,9")
    assert comma[1] == ""
    assert typed(page, "24.9") == (comma[0], "read as 24,9", "false")
    assert typed(page, "1,234")[1:] == ("", "false")
    page.locator("[data-feature='0'] input.number").blur()
    page.click("#clear")
    assert page.locator("[data-feature='0'] input.number").input_value() == ""


def test_the_cost_of_a_miss_takes_a_comma_too(open_page):
    model = fitted()
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"size": rng.uniform(0, 60, 100), "noise": rng.normal(size=100)})
    page = open_page(model, X, np.where(X["size"] > 30, "bad", "good"), view="quality")
    page.fill("#miss-cost", "1,5")
    assert page.input_value("#threshold") == "80"  # 1 / (1 + 1.5) of 200 steps
