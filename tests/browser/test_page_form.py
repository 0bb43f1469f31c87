"""The form of What if: one order for eyes and Tab, few stops, one line a feature on a phone, room when zoomed."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from browser.conftest import shown_distribution


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 500)
    day = np.datetime64("2024-01-01T00:00") + rng.integers(0, 500_000, 500) + 100_000 * (y == "yes")
    X = pd.DataFrame({"when": day.astype("datetime64[ns]")})
    for j in range(12):
        X[f"number {j}"] = rng.normal(size=500).round(2) + 0.3 * (y == "yes")
        X[f"letter {j}"] = np.where(rng.random(500) < 0.3, y, rng.choice(list("abcde"), 500))
    X["town"] = [f"town {k}" for k in rng.integers(0, 30, 500)]
    return bl.BayesNetClassifier().fit(X, pd.Series(y, name="answer")), X, y


PLACES = """() => [...document.querySelectorAll("#view-whatif [data-feature]")].map((card) => {
  const { left, top } = card.getBoundingClientRect();
  return [Math.round(top), Math.round(left), Number(card.dataset.feature)];
})"""


@pytest.mark.parametrize("width", [1280, 900])
def test_features_are_read_in_the_order_in_which_they_stand(open_page, fitted, width):
    page = open_page(*fitted, width=width)
    places = page.evaluate(PLACES)
    assert len({left for _, left, _ in places}) > 1  # in several columns
    assert places == sorted(places, key=lambda each: each[:2])


def tab_through(page, most=200):
    """What Tab stops at in What if: the feature and the kind of the control."""
    page.focus("#view-whatif input[type=search]")
    stops = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => {
          const at = document.activeElement, card = at.closest("#view-whatif [data-feature]");
          return card && [Number(card.dataset.feature), at.localName];
        }""")
        if found:
            stops.append(tuple(found))
        elif stops:
            return stops
    raise AssertionError(f"more than {most} stops")


def test_a_feature_is_one_stop_for_its_states_and_one_for_its_field(open_page, fitted):
    page = open_page(*fitted)
    stops = tab_through(page)
    stops = [each for each, _ in itertools.groupby(stops)]  # a field for dates has stops of its own inside
    assert len(stops) == len(set(stops)) <= 2 * 26
    order = [feature for _, _, feature in page.evaluate(PLACES)]
    assert list(dict.fromkeys(feature for feature, _ in stops)) == order


def test_arrows_go_through_the_states_of_a_feature(open_page, fitted):
    page = open_page(*fitted)
    feature = fitted[0].network_.nodes.index("letter 3")
    states = page.locator(f"[data-feature='{feature}'] .state")
    states.first.focus()
    for k in (1, 2):
        page.keyboard.press("ArrowDown")
        assert states.nth(k).evaluate("each => each === document.activeElement")
    page.keyboard.press("Enter")
    assert states.nth(2).get_attribute("aria-pressed") == "true"
    assert states.evaluate_all("all => all.map((each) => each.tabIndex)").count(0) == 1
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.className") == "name"
    # Coming back by Tab stops where one left.
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "name"


def test_a_field_for_dates_and_times_can_be_read(open_page, fitted):
    page = open_page(*fitted)
    feature = fitted[0].network_.nodes.index("when")
    field = page.locator(f"[data-feature='{feature}'] input.moment")
    field.fill("2024-03-05T12:34")
    field.blur()
    assert field.evaluate("each => each.scrollWidth <= each.clientWidth && each.clientWidth > 170")


def test_on_a_phone_a_feature_is_one_line(open_page, fitted):
    model = fitted[0]
    page = open_page(*fitted, width=390, height=800)
    heights = page.locator("#view-whatif [data-feature]").evaluate_all(
        "all => all.map((each) => each.offsetHeight)"
    )
    assert max(heights) <= 72
    assert page.locator("#view-whatif .cards").evaluate("each => each.offsetHeight") < 26 * 66
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    letter, town = (model.network_.nodes.index(name) for name in ("letter 3", "town"))
    variable = model.network_.variables[letter]
    page.select_option(f"[data-feature='{letter}'] select", label="c")
    given = {"letter 3": "c"}
    answer = model.network_.nodes.index("answer")
    row = pd.DataFrame([{**dict.fromkeys(fitted[1]), **given}]).astype(fitted[1].dtypes.to_dict())
    shown = shown_distribution(page, answer)
    assert [shown[k] for k in range(2)] == pytest.approx(model.predict_proba(row)[0].tolist(), abs=1e-9)
    page.select_option(f"[data-feature='{town}'] select", label="town 7")
    assert page.locator("#evidence .chip").count() == 2
    page.select_option(f"[data-feature='{letter}'] select", label="unknown")
    assert page.locator("#evidence .chip").count() == 1
    assert page.locator(f"[data-feature='{letter}'] .state:visible").count() == 0
    page.click(f"[data-feature='{letter}'] .show-states")
    assert page.locator(f"[data-feature='{letter}'] .state:visible").count() == variable.arity


def test_zoomed_to_four_times_the_header_leaves_the_window_and_no_tab_is_cut(open_page, fitted):
    page = open_page(*fitted, width=320, height=256)
    page.evaluate("scrollTo(0, 600)")
    assert page.locator(".top").evaluate("each => each.getBoundingClientRect().bottom") <= 0
    tabs = page.locator("#tabs [role=tab]").evaluate_all(
        "all => all.map((each) => [each.getBoundingClientRect().right, each.scrollWidth - each.clientWidth])"
    )
    assert all(right <= 320 and cut <= 0 for right, cut in tabs)
