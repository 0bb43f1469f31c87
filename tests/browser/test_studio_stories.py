"""Whole stories in the studio, from an empty one, in a real browser."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import resources, util

import numpy as np
import polars as pl
import pytest

pytest.importorskip("uvicorn")
import bayleaf as bl
from browser.conftest import SCREENSHOTS
from browser.test_page_access import RUN

WAIT = 240_000  # milliseconds: other tests may run at the same time


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the studio in a folder of its own, and returns its process and first address."""
    running = []

    def begin(*arguments):
        command = [sys.executable, "-m", "bayleaf", "studio", *map(str, arguments), "--no-browser"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
        running.append(process)
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, process.stderr.read()
        return process, found[0]

    yield begin
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def visit(browser):
    """Return a function that opens an address; errors and requests to elsewhere are complaints at the end."""
    complaints, contexts = [], []

    def open_it(address, width=1280, height=860, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        origin = address.partition("/?")[0]
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda r: None if r.url.startswith((origin, "blob:")) else complaints.append(r.url)
        )
        page.goto(address)
        page.wait_for_selector("body[data-ready]", timeout=WAIT)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def axe():
    if util.find_spec("axe_playwright_python") is None:
        pytest.skip("axe is not installed: pip install axe-playwright-python")
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def barriers(page, axe):
    """Return what axe finds on a screen, light and dark, but for the model page, which has its own tests."""
    page.evaluate(f"{axe};0")
    found = page.evaluate(RUN, [{"exclude": [["iframe"]]}, None])
    page.emulate_media(color_scheme="dark")
    found += page.evaluate(RUN, [{"exclude": [["iframe"]]}, ["color-contrast"]])
    page.emulate_media(color_scheme="light")
    return found


def screenshot(page, name):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"studio-{name}.png")


def german_table(path):
    """A table as a German spreadsheet writes it: semicolons, decimal commas, gaps."""
    rng = np.random.default_rng(0)
    lines = ["Alter;Dosis;Ort;Befund"]
    for _ in range(160):
        ill = rng.random() < 0.4
        age = "" if rng.random() < 0.1 else f"{rng.normal(50 + 15 * ill, 8):.1f}".replace(".", ",")
        dose = f"{rng.normal(1 + ill, 0.5):.2f}".replace(".", ",")
        lines.append(f"{age};{dose};{rng.choice(['Ulm', 'Bonn'])};{'krank' if ill else 'gesund'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const dropped = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
  document.querySelector(".drop").dispatchEvent(dropped);
}"""


def test_from_a_table_with_commas_and_gaps_to_scores(start, visit, axe, tmp_path):
    process, address = start()
    page = visit(address)
    assert "token" not in page.url
    found = barriers(page, axe)
    german_table(tmp_path / "befunde.csv")
    page.evaluate(DROP, ["befunde.csv", (tmp_path / "befunde.csv").read_text()])
    page.wait_for_selector("#columns", timeout=WAIT)
    lines = page.locator("#columns tbody tr").all_inner_texts()
    assert [line.split()[1] for line in lines] == ["number", "number", "category", "category"]
    found += barriers(page, axe)
    screenshot(page, "data")

    page.select_option("#target", "Befund")  # one
    page.wait_for_selector("#learn:not([disabled])")
    page.click("#step-question")
    assert "krank" in page.locator("#classes").inner_text()
    found += barriers(page, axe)
    page.click("#learn")  # two
    page.wait_for_selector("#sentence", timeout=WAIT)
    methods = page.locator("#methods tbody th").all_inner_texts()
    assert methods == ["Class frequencies", "Logistic regression", "One network", "Pool of networks"]
    assert re.search(r"beyond chance|may be chance", page.locator("#sentence").inner_text())
    found += barriers(page, axe)
    screenshot(page, "learn")

    page.click("#step-network")
    frame = page.frame_locator("#page")
    frame.locator("svg.network").wait_for(timeout=WAIT)
    assert frame.locator(".node-name").count() == 4
    arcs = page.locator("#arcs li").count()
    page.locator("#arcs button", has_text="strike out").first.click()
    page.wait_for_selector("#wishes li")
    assert "must not be" in page.locator("#wishes").inner_text()
    assert page.locator("#step-network").inner_text().endswith("stale")
    found += barriers(page, axe)
    page.click("#undo")
    page.wait_for_selector("#wishes li", state="detached")
    page.locator("#arcs button", has_text="strike out").first.click()
    page.wait_for_selector("#relearn:not([disabled])")
    page.click("#relearn")
    page.wait_for_selector("#against", timeout=WAIT)
    assert "Arcs lost" in page.locator("#against").inner_text()
    assert "log-loss per held-out row" in page.locator("#against").inner_text()
    assert arcs > 0

    page.click("#step-quality")
    frame.locator("#view-quality:visible").wait_for(timeout=WAIT)
    page.wait_for_selector("text=Looked at once")
    found += barriers(page, axe)
    page.click("#step-use")
    page.set_input_files("#beside input[type=file]", tmp_path / "befunde.csv")
    page.wait_for_selector("#score", timeout=WAIT)
    assert "160 rows" in page.locator("#report").inner_text()
    assert "empty" in page.locator("#report li", has_text="Alter").inner_text()
    page.click("#score")
    page.wait_for_selector("#scored", timeout=WAIT)
    page.click("#recipe")
    page.wait_for_selector("#beside pre")
    found += barriers(page, axe)
    screenshot(page, "use")
    with page.expect_download() as download:
        page.click("text=Download the predictions")
    scored = pl.read_csv(download.value.path())
    with page.expect_download() as download:
        page.click("text=Model file")
    model = bl.load(download.value.path())
    rows = bl.tables.read_data(tmp_path / "befunde.csv").drop("Befund")
    np.testing.assert_allclose(scored["P(krank)"], model.predict_proba(rows)[:, 1], rtol=0, atol=1e-15)
    assert found == []

    for name, width, scheme in (("phone", 390, "light"), ("dark", 1280, "dark")):
        other = visit(address, width=width, scheme=scheme)
        other.wait_for_timeout(500)
        assert other.evaluate("document.documentElement.scrollWidth") <= width
        screenshot(other, name)
        other.context.close()
    page.context.close()
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=30)  # what was read ahead with the address is not in it
    assert out.endswith("Stopped.\n")
    assert errors == ""


def test_sixty_columns_and_ten_classes_by_keyboard_alone_and_stopped(start, visit, tmp_path):
    rng = np.random.default_rng(1)
    label = rng.integers(0, 10, 400)
    columns = {f"x{k}": rng.normal(label * (k % 3), 2).round(3) for k in range(60)}
    pl.DataFrame({**columns, "kind": [f"k{each}" for each in label]}).write_csv(tmp_path / "wide.csv")
    _, address = start("wide.csv")
    page = visit(address)
    page.wait_for_selector("#columns", timeout=WAIT)
    assert page.locator("#columns tbody tr").count() == 61

    def tab_to(selector):
        for _ in range(300):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by Tab")

    tab_to("#target")
    page.keyboard.type("kind")
    page.keyboard.press("Enter")
    page.wait_for_selector("#learn:not([disabled])", timeout=WAIT)
    tab_to("#learn")
    page.keyboard.press("Enter")
    page.wait_for_selector("#methods", timeout=WAIT)
    page.locator("#methods tbody tr").nth(1).wait_for(timeout=WAIT)
    tab_to("#stop")
    page.keyboard.press("Enter")
    pressed = time.perf_counter()
    page.wait_for_selector("#unfinished", timeout=WAIT)
    assert time.perf_counter() - pressed < 5  # a second, where nothing else runs
    assert page.locator("#methods tbody tr").count() >= 2


def test_a_project_killed_in_the_middle_of_learning_has_lost_nothing(start, visit, tmp_path):
    german_table(tmp_path / "befunde.csv")
    process, address = start("befunde.csv")
    page = visit(address)
    page.wait_for_selector("#columns", timeout=WAIT)
    page.select_option("#target", "Befund")
    page.locator("select[aria-label='Read Ort as']").select_option("leave out")
    page.wait_for_selector("tr.off")
    page.wait_for_selector("#learn:not([disabled])")
    page.click("#learn")
    page.wait_for_selector("#methods", timeout=WAIT)
    page.context.close()  # a closed tab stops nothing
    time.sleep(1)
    assert process.poll() is None
    folder = tmp_path / "befunde.bayleaf-studio"
    before = json.loads((folder / "versions" / "1" / "result.json").read_text())
    process.send_signal(signal.SIGKILL)
    process.wait()

    _, address = start(folder)
    page = visit(address)
    page.click("#step-learn")
    assert page.input_value("#target") == "Befund"
    page.wait_for_selector("#continue", timeout=WAIT)
    settings = json.loads((folder / "project.json").read_text())["settings"]
    assert (settings["target"], settings["drop"]) == ("Befund", ["Ort"])
    page.click("#continue")
    page.wait_for_selector("#sentence", timeout=WAIT)
    after = json.loads((folder / "versions" / "1" / "result.json").read_text())
    assert after["done"]
    for name, method in before["methods"].items():
        assert after["methods"][name]["measures"] == method["measures"]
    assert not [name for name in os.listdir(folder) if name.startswith(".incoming")]
