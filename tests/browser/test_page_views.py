"""The views: keyboard, search, selection, light and dark, paper; screenshots to look at."""

import os
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.networks.bif import read_bif
from browser.conftest import CONTRAST, SCREENSHOTS, TEXT_SIZES

DATA = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[3] / "shared" / "data"))
VIEWS = ("network", "whatif", "why", "next", "features", "quality", "learned")


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map(dict(enumerate(["setosa", "versicolor", "virginica"]))).rename("species")
    return bl.BayesNetClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2]


def sampled(name, target):
    network = read_bif(DATA / "networks" / f"{name}.bif.gz")
    rows = network.sample(6000, random_state=1, backend="pandas")
    return rows.drop(columns=target), rows[target]


def load(name):
    if not DATA.is_dir():
        pytest.skip(f"no data sets at {DATA}")
    if name == "alarm":
        return sampled("alarm", "HYPOVOLEMIA")
    frame = pd.read_csv(DATA / f"{name}.csv.gz", keep_default_na=False, na_values=[""])
    return frame.iloc[:, :-1], frame.iloc[:, -1]


LOOKS = ((1440, "light"), (1280, "dark"), (390, "light"))


def take_screenshots(open_page, name, model, X, y):
    """Save every view at every width; return what was too wide, the pictures, and what the page said on the way."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    overflowing, pictures, texts = [], [], {}
    page = open_page(model, X, y)
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.reload()  # narrow screens get another layout of the network
        page.wait_for_selector("body[data-ready]")
        page.evaluate("document.querySelector('details.loader').open = true")  # folded on narrow screens
        page.select_option("#row", "3")
        for view in VIEWS:
            page.click(f"#tab-{view}")
            page.wait_for_timeout(80)
            if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                overflowing.append((view, width))
            if view == "network" and width == 1440:
                sizes = page.evaluate(TEXT_SIZES)
                assert len(sizes) > X.shape[1]  # every feature and the class have a name
                assert min(sizes) >= 9
            path = SCREENSHOTS / f"{name}-{view}-{width}-{scheme}.png"
            page.screenshot(path=path)
            pictures.append(path)
            texts[view] = page.inner_text(f"#view-{view}")
        texts["decision"], texts["row"] = (
            page.inner_text("#sentence strong"),
            page.inner_text("#row option:checked"),
        )
    return overflowing, pictures, texts


def check_screenshots(found, clf, X, y):
    """Nothing is cut off at the side, no picture is blank or like another, and the page shows this very model."""
    overflowing, pictures, texts = found
    assert overflowing == []
    assert len({path.read_bytes() for path in pictures}) == len(pictures) == len(LOOKS) * len(VIEWS)
    assert all(colours(path) > 20 for path in pictures)
    row = int(re.match(r"row (\d+)", texts["row"])[1]) - 1
    assert texts["decision"] == str(clf.predict(X.iloc[[row]])[0])
    assert f"{100 * clf.score(X, y):.1f}%" in texts["quality"]
    assert f"{clf.training_.rows:,}" in texts["learned"]
    assert "Weight of evidence" in texts["why"]


def colours(path):
    """How many colours a picture has, of every second pixel each way; a blank page has hardly any."""
    pixels = (255 * plt.imread(path)[::2, ::2, :3]).astype(np.int64)
    return len(np.unique(pixels @ [1, 256, 65536]))


def test_screenshots_of_iris(open_page, iris):
    check_screenshots(take_screenshots(open_page, "iris", *iris), *iris)


@pytest.mark.filterwarnings("ignore:Column 'spcop' has 1 value that was not seen in fit")
@pytest.mark.parametrize("name", ["mushroom", "alarm", "kr-vs-kp"])
def test_screenshots_of_larger_models(open_page, name):
    X, y = load(name)
    clf = bl.BayesNetClassifier().fit(X[::2], y[::2])
    new = X[1::2], y[1::2]
    check_screenshots(take_screenshots(open_page, name, clf, *new), clf, *new)


def test_names_of_a_network_itself_can_be_read(open_page):
    if not DATA.is_dir():
        pytest.skip(f"no data sets at {DATA}")
    page = open_page(read_bif(DATA / "networks" / "alarm.bif.gz"), width=1440, view="network")
    sizes = page.evaluate(TEXT_SIZES)
    assert len(sizes) >= 37
    assert min(sizes) >= 9


def test_a_click_on_a_node_shows_its_table(open_page, iris):
    clf = iris[0]
    page = open_page(clf, view="network")
    page.click("[data-graph-node='2']")
    details = page.inner_text(".details")
    assert "petal length (cm)" in details
    assert "bits" in details
    assert "Cut points" in details
    cells = page.locator(".details .heat td").all_inner_texts()
    assert len(cells) == clf.network_.cpt("petal length (cm)").size
    page.keyboard.press("Escape")


def test_the_network_works_from_the_keyboard(open_page, iris):
    page = open_page(iris[0], view="network")
    page.keyboard.press("/")
    page.keyboard.type("petal width")
    assert "petal width" in page.inner_text(".details h2")
    page.focus("svg.network")
    page.keyboard.press("Escape")
    assert page.is_hidden(".details")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.is_visible(".details")
    before = page.get_attribute("g.scene", "transform")
    page.keyboard.press("+")
    assert page.get_attribute("g.scene", "transform") != before
    page.keyboard.press("3")
    assert page.is_visible("#view-why")


def test_states_are_buttons_that_the_keyboard_reaches(open_page, iris):
    page = open_page(iris[0])
    page.focus("[data-feature='0'] [data-state='1']")
    page.keyboard.press("Enter")
    assert page.get_attribute("[data-feature='0'] [data-state='1']", "aria-pressed") == "true"
    assert page.locator("#evidence .chip").count() == 1


def drag(page, x, y):
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=5)
    page.mouse.up()


def test_dragging_moves_the_network_or_one_node_without_selecting(open_page, iris):
    page = open_page(iris[0], view="network")
    scene = page.get_attribute("g.scene", "transform")
    box = page.locator("[data-graph-node='2']").bounding_box()
    other = page.get_attribute("[data-graph-node='1']", "transform")
    arcs = page.locator(".arc").evaluate_all("all => all.map(each => each.getAttribute('d'))")
    drag(page, box["x"] + 20, box["y"] + 10)
    moved = page.locator("[data-graph-node='2']").bounding_box()
    assert (moved["x"] - box["x"], moved["y"] - box["y"]) == pytest.approx((60, 40), abs=6)
    assert page.get_attribute("[data-graph-node='1']", "transform") == other
    after = page.locator(".arc").evaluate_all("all => all.map(each => each.getAttribute('d'))")
    touching = sum("petal length (cm)" in arc for arc in iris[0].network_.dag.arcs)
    assert 0 < sum(a != b for a, b in zip(arcs, after, strict=True)) == touching
    assert page.get_attribute("g.scene", "transform") == scene
    assert page.is_hidden(".details")
    ground = page.locator("svg.network").bounding_box()
    drag(page, ground["x"] + 8, ground["y"] + 8)
    assert page.get_attribute("g.scene", "transform") != scene
    page.focus("svg.network")
    page.keyboard.press("ArrowDown")  # selects the class
    before = page.get_attribute(".node.class", "transform")
    page.keyboard.press("Shift+ArrowDown")
    assert page.get_attribute(".node.class", "transform") != before
    assert page.inner_text(".details h2") == "species"


def test_light_and_dark_follow_the_system_and_the_button(open_page, iris):
    background = "getComputedStyle(document.body).backgroundColor"
    light, dark = open_page(iris[0]), open_page(iris[0], scheme="dark")
    was = light.evaluate(background)
    assert was != dark.evaluate(background)
    light.click("#theme")
    assert light.evaluate(background) == dark.evaluate(background)


def test_on_paper_every_view_shows(open_page, iris):
    page = open_page(*iris)
    page.evaluate("document.querySelector('#print-all').checked = true")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    for view in VIEWS:
        assert page.is_visible(f"#view-{view}")
    assert page.is_hidden("#tabs")


def test_without_data_the_page_says_how_to_get_figures(open_page, iris):
    page = open_page(iris[0], view="quality")
    assert "--data test.csv" in page.inner_text("#view-quality")
    assert page.locator("#row").count() == 0


def test_the_figures_on_the_page_are_those_of_the_classifier(open_page, iris):
    clf, X, y = iris
    page = open_page(clf, X, y, view="quality")
    shown = float(page.get_attribute("[data-measure='Accuracy']", "data-value"))
    assert shown == pytest.approx(clf.score(X, y))
    counts = page.locator("#confusion td").all_inner_texts()
    assert sum(int(text) for text in counts if text.isdigit()) == len(y)


def test_the_skip_link_leaves_the_view_as_it_is(open_page, iris):
    from playwright.sync_api import expect

    page = open_page(*iris, view="why")
    page.focus("a.skip")
    page.keyboard.press("Enter")
    # Not wait_for_function: its second look is made by eval, which the page's security policy forbids.
    expect(page.locator("#views")).to_be_focused()
    expect(page).to_have_url(re.compile("#why$"))
    page.evaluate("document.querySelector('#print-all').checked = true")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert [view for view in VIEWS if page.is_visible(f"#view-{view}")] == ["why"]
    page.evaluate("location.hash = '#learned'")
    page.wait_for_selector("#view-learned", state="visible")


def test_marks_of_rows_say_when_they_come_from_cross_validation(open_page, iris):
    clf, X, y = iris
    judged = open_page(clf, X, y)
    crossed = open_page(clf, X, y, cv=3)
    for page, expected in ((judged, False), (crossed, True)):
        page.select_option("#row", "3")
        assert ("in cross-validation" in page.inner_text("#truth")) == expected
        assert ("in cross-validation" in page.inner_text("#decision .check")) == expected


def test_a_number_stands_only_as_long_as_it_is_the_evidence(open_page, iris):
    clf, X, y = iris
    page = open_page(clf, X, y)
    field = page.locator("[data-feature='2'] input.number")
    pressed = page.locator("[data-feature='2'] [aria-pressed='true']")
    field.fill("1.5")
    field.press("Enter")
    assert pressed.count() == 1
    assert field.input_value() == "1.5"
    page.click("#clear")
    assert field.input_value() == ""
    field.fill("1.5")
    field.press("Enter")
    field.fill("")
    field.press("Enter")
    assert pressed.count() == 0
    field.fill("1.5")
    field.press("Enter")
    page.locator("[data-feature='2'] [aria-pressed='false']").last.click()
    assert field.input_value() == ""


def test_answers_that_are_not_the_classifiers_say_so_where_they_are_given(open_page, iris):
    clf, X, y = iris
    assert open_page(clf).locator("#view-whatif .note").count() == 0
    dependent = bl.BayesNetClassifier(bl.KDB(k=1, functional_dependencies=True)).fit(X, y)
    page = open_page(dependent)
    assert "where no dependency holds" in page.inner_text("#view-whatif .note")
    page.click("#tab-why")
    assert "where no dependency holds" in page.inner_text("#view-why .note")


def test_classes_that_are_not_listed_are_counted(open_page):
    labels = [f"c{k}" for k in range(65)] * 2
    page = open_page(bl.BayesNetClassifier(classes="many").fit([["a"], ["b"]] * 65, labels), view="learned")
    assert "and 5 more classes" in page.inner_text("#view-learned")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_cell_of_a_heat_map_can_be_read(open_page, scheme):
    network = bl.BayesNet(
        [bl.data.Variable("a", tuple("uvw")), bl.data.Variable("b", tuple("xy"))],
        bl.DAG(["a", "b"], [("a", "b")]),
        [[0.3, 0.3, 0.4], [[1.0, 0.0], [0.6, 0.4], [0.75, 0.25]]],
    )
    page = open_page(network, scheme=scheme)
    page.click("[data-feature='1'] button.name")
    cells = page.locator("#view-network .heat td").all()
    assert len(cells) == 6
    assert min(cell.evaluate(CONTRAST, ["color", "background-color"]) for cell in cells) >= 4.5
