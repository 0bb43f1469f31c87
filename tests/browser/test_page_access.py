"""The page without a mouse, with a screen reader, with poor sight: barriers, focus, contrast, high contrast."""

from importlib import resources, util

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from browser.conftest import CONTRAST, set_state


def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map(dict(enumerate(["setosa", "versicolor", "virginica"]))).rename("species")


def a_model(kind):
    """Return a model of this kind with rows for its page."""
    X, y = iris()
    half = X[1::2], y[1::2]
    if kind == "classifier":
        return bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), bl.MDLP()).fit(X[::2], y[::2]), *half
    if kind == "ensemble":
        return bl.BaggedClassifier(bl.BayesNetClassifier(), 3, "majority", random_state=0).fit(X, y), *half
    if kind == "pool":
        return bl.NetworkPool(cycles=1, seeds=1, n_jobs=1).fit(X, y), *half
    if kind == "network":
        net = bl.BayesNetClassifier(bl.TAN()).fit(X, y).network_
        return bl.BayesNet(net.variables, net.dag, net.tables), None, None
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("abcdefghijkl"), 300) for name in ("f0", "f1")})
    return bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, [f"class {each}" for each in X["f0"]]), X, None


@pytest.fixture(scope="module")
def pages(open_shared):
    """Return a function that opens the page of a kind of model, once."""
    opened = {}

    def page_of(kind):
        if kind not in opened:
            opened[kind] = open_shared(*a_model(kind), view="learned")
        page = opened[kind]
        page.emulate_media(color_scheme="light", forced_colors="none")
        return page

    return page_of


def show_everything(page):
    """Load and change a row, keep a case, select a node, open what can be opened."""
    if page.locator("#target").count():
        page.select_option("#target", index=3)
    if page.locator("#decision").is_visible():
        if page.locator("#row").count():
            page.select_option("#row", "3")
        if page.locator("#pin").inner_text().startswith("Keep"):
            page.click("#pin")
        page.click("#tab-whatif")
        set_state(page, 0, 1)
        page.click("[data-feature='1'] button.name")
        if page.locator("[data-monitor]").count() == 0:
            page.locator("[data-open='0']").dispatch_event("click")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which looks for barriers."""
    if util.find_spec("axe_playwright_python") is None:
        pytest.skip("axe is not installed: pip install axe-playwright-python")
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


RUN = """async ([place, rules]) => {
  const found = await axe.run(place, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
  return found.violations.map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0].html.slice(0, 120)}`);
}"""


@pytest.mark.parametrize("kind", ["classifier", "ensemble", "pool", "network"])
def test_axe_finds_no_barrier_in_any_view(pages, axe, kind):
    page = pages(kind)
    page.evaluate(f"{axe};0")
    show_everything(page)
    found, place = [], "body"
    for tab in page.locator("[role=tab]:visible").all():
        tab.click()
        page.wait_for_timeout(50)  # what is worked out in slices
        found += page.evaluate(RUN, [place, None])
        page.emulate_media(color_scheme="dark")
        found += page.evaluate(RUN, [place, ["color-contrast"]])
        page.emulate_media(color_scheme="light")
        place = "#views"  # the rest has been seen
    assert found == []


# Click everything that can be focused, in each view, once; say where the focus was lost, and how many were clicked.
WALK = """async () => {
  window.print = () => {};
  const selector = "button, select, input:not([type=file]), summary, a[href], [tabindex='0']";
  const usable = (each) => each.checkVisibility() && !each.disabled && each.role !== "tab";
  const name = (each) => each.id || each.ariaLabel || (each.dataset.node
    ? `${each.closest("section, aside, foreignObject").className} ${each.dataset.node}.${each.dataset.state}`
    : each.textContent.slice(0, 40));
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const lost = [], all = new Set();
  for (const tab of document.querySelectorAll("[role=tab]:not([hidden])")) {
    const used = new Set();
    const next = () => [...document.querySelectorAll(selector)].find((each) => usable(each) && !used.has(name(each)));
    tab.focus();
    tab.click();
    await frame();
    for (let control = next(); control; control = next()) {
      const called = name(control);
      used.add(called);
      all.add(called);
      control.focus();
      if (control.localName === "select") {
        control.selectedIndex = control.options.length - 1;
        control.dispatchEvent(new Event("change"));
      } else control.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      await frame();
      if (document.activeElement === document.body) lost.push([tab.id, called]);
      if (tab.ariaSelected !== "true") tab.click();
      if (control.localName === "summary") control.parentElement.open = true;  // for what is folded into it
    }
  }
  return { lost, clicked: [...all] };
}"""


@pytest.mark.parametrize("kind", ["classifier", "many classes", "pool", "network"])
def test_the_focus_never_falls_to_the_body(pages, kind):
    page = pages(kind)
    show_everything(page)
    found = page.evaluate(WALK)
    assert found["lost"] == []
    if kind == "classifier":
        assert {"reset", "clear", "unpin", "Go back to A", "close-monitors", "explain-all"} <= set(
            found["clicked"]
        )


def test_walking_from_node_to_node_says_its_name_and_its_state(pages):
    page = pages("classifier")
    page.evaluate("location.hash = '#network'")
    if page.locator("#clear").is_visible():
        page.click("#clear")
    network = a_model("classifier")[0].network_
    page.focus("svg.network")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")  # the class
    said = page.locator("#view-network [aria-live=polite]")
    assert said.text_content() == "species = setosa, 33%"
    page.keyboard.press("ArrowDown")
    name = page.inner_text(".details h2")
    likely = np.argmax(list(network.posterior(name).values()))
    state = page.locator(".details .state").nth(int(likely))
    label, share = state.locator(".label").inner_text(), state.locator(".value").inner_text()
    assert said.text_content() == f"{name} {label}, {share}"
    page.locator(".details .state").last.click()
    assert said.text_content() == f"{name} {page.locator('.details .label').last.inner_text()}, set"


# Bars and marks: which colour of theirs, against which colour of what is around them.
MARKS = {
    "network": [
        (".node:not(.class, .given) .box", "stroke", "background-color", ".canvas"),
        (".node.given .box", "stroke", "background-color", ".canvas"),
        (".node:not(.class, .given) .gauge", "fill", "background-color", ".canvas"),
        (".node:not(.class, .given) .node-bars rect", "fill", "background-color", ".canvas"),
        (".node.given .node-bars rect", "fill", "fill", ".node.given .box"),
        (".node.class .node-bars rect", "fill", "fill", ".node.class .box"),
        (".arc", "stroke", "background-color", ".canvas"),
        ("#find-node", "border-top-color", "background-color", "body"),
    ],
    "whatif": [
        (".state .bar", "border-bottom-color", "background-color", ".state"),
        (".state .was", "background-color", "background-color", ".state"),
        (".state[aria-pressed=true]", "border-top-color", "background-color", ".card"),
        ("input.number", "border-top-color", "background-color", ".card"),
    ],
    "why": [
        ("#evidence-bars .push", "background-color", "background-color", ".card"),
        ("#evidence-bars .zero", "background-color", "background-color", ".card"),
    ],
    "next": [
        (".meter-bar", "background-color", "background-color", ".meter"),
        (".span-bar", "background-color", "background-color", ".span-track"),
        (".span-now", "background-color", "background-color", ".span-track"),
    ],
    "features": [(".twin-bar", "background-color", "background-color", ".card")],
    "quality": [
        (".dot:not(.few)", "fill", "background-color", ".card"),
        (".dot.few", "stroke", "background-color", ".card"),
        (".line", "stroke", "background-color", ".card"),
        (".reference", "stroke", "background-color", ".card"),
        (".count-bar", "fill", "background-color", ".card"),
    ],
}


def weakest_marks(page):
    """Return the lowest contrast of each kind of mark in all views; each kind must be there."""
    found = {}
    for view, marks in MARKS.items():
        page.click(f"#tab-{view}")
        page.wait_for_timeout(60)
        for selector, *colours in marks:
            place = f"#view-{view}"
            each = page.evaluate(
                f"([place, selector, colours]) => Array.from(document.querySelectorAll(`${{place}} ${{selector}}`), "
                f"(one) => ({CONTRAST})(one, colours))",
                [place, selector, colours],
            )
            assert each, selector
            found[view, selector] = min(each)
    return found


def prepare_marks(page):
    """Two values known, the rest unknown; no node selected, since a selection lets the others step back."""
    page.evaluate("location.hash = '#whatif;e=0.0_1.1'")
    page.click("#tab-network")
    page.focus("svg.network")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_and_marks_stand_out_three_to_one(pages, scheme):
    page = pages("classifier")
    page.emulate_media(color_scheme=scheme)
    prepare_marks(page)
    weak = {mark: contrast for mark, contrast in weakest_marks(page).items() if contrast < 3}
    assert weak == {}


def test_high_contrast_shows_bars_and_the_selected_tab(pages):
    page = pages("classifier")
    prepare_marks(page)
    page.emulate_media(color_scheme="dark", forced_colors="active")
    weak = {mark: contrast for mark, contrast in weakest_marks(page).items() if contrast < 3}
    assert weak == {}
    outline = "tab => getComputedStyle(tab).outlineStyle"
    assert page.locator("[role=tab][aria-selected=true]").evaluate(outline) == "solid"
    assert page.locator("[role=tab][aria-selected=false]").first.evaluate(outline) == "none"
    colour = "bar => getComputedStyle(bar).backgroundColor"  # by shape: colours may be nearly the same
    hollow, full = (page.locator(f".push.{kind}").first.evaluate(colour) for kind in ("against", "for"))
    assert hollow != full


@pytest.mark.parametrize("kind", ["classifier", "pool"])
def test_single_keys_can_be_turned_off_for_good(pages, kind):
    page = pages(kind)
    page.click("#tab-learned")
    page.uncheck("#single-keys")
    page.wait_for_timeout(100)  # the address follows soon
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert not page.is_checked("#single-keys")
    page.focus("#tab-learned")
    page.keyboard.press("1")
    assert page.is_visible("#view-learned")
    page.check("#single-keys")
    page.focus("#tab-learned")
    page.keyboard.press("1")
    assert page.is_hidden("#view-learned")
