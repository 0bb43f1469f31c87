"""A real browser for the model page: Debian's chromium, headless, without network access."""

import shutil
from pathlib import Path

import pytest

from reference.asked_folders import leave_unless_asked_for

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"


def pytest_collection_modifyitems(config, items):
    leave_unless_asked_for(Path(__file__).parent, config, items)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no browser: chromium is not on the PATH")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Write the page of a model, open it and watch it: no error, no request beyond the file itself."""
    yield from opener(browser, tmp_path)


@pytest.fixture(scope="module")
def open_shared(browser, tmp_path_factory):
    """Open pages that the tests of a module share."""
    yield from opener(browser, tmp_path_factory.mktemp("pages"))


def opener(browser, folder):
    """Yield a function that writes and opens pages; close them at the end, and look at what was heard of them."""
    from bayleaf.page import write_report

    complaints, contexts = [], []

    def open_it(model, X=None, y=None, *, width=1280, height=900, scheme="light", view="whatif", **options):
        path = folder / f"page{len(contexts)}.html"
        write_report(model, path, X, y, **options)
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda r: None if r.url.startswith(("file:", "blob:")) else complaints.append(r.url)
        )
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        page.click(f"#tab-{view}")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def set_state(page, node, state):
    """Click a state in the What if view, asking for more states first where it is not shown yet."""
    card = page.locator(f"[data-feature='{node}']")
    button = card.locator(f"[data-state='{state}']")
    while button.count() == 0:
        card.locator("button.more").click()
    button.click()


def shown_distribution(page, node):
    """Read the probabilities of all states of a node off the page (those that are shown, by state)."""
    places = page.locator(f"#view-whatif [data-node='{node}'], #decision [data-node='{node}']")
    return {
        int(state): float(p)
        for state, p in places.evaluate_all("all => all.map(each => [each.dataset.state, each.dataset.p])")
    }


# The contrast of a colour of an element (with its opacity) to another: of the element, or of one around or elsewhere.
# 1 is the same colour, 21 is black on white.
CONTRAST = """(element, [property, groundProperty, ground]) => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const style = getComputedStyle(element);
  const around = ground ? element.closest(ground) ?? document.querySelector(ground) : element;
  const opacity = property === "fill" ? style.fillOpacity : property === "stroke" ? style.strokeOpacity : 1;
  const paint = (colour, alpha) => {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const behind = paint(getComputedStyle(around).getPropertyValue(groundProperty), 1);
  const front = paint(style.getPropertyValue(property), Number(opacity));
  return Math.max(front, behind) / Math.min(front, behind);
}"""


# The size in pixels of the screen of every text in the drawing of the network that is shown.
TEXT_SIZES = """() => [...document.querySelectorAll("svg.network text")]
  .filter((text) => text.checkVisibility() && text.textContent)
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""
