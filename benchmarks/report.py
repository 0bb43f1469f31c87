"""The model page: time to write it, its size, time until it can be used, time of a what-if click, in chromium.

Times are those of a clock, which other work on the machine makes longer, and for a click also those of the processor:
all that the page's thread does for it.
"""

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from common import random_tan, report

import bayleaf as bl
from bayleaf.networks import read_bif
from bayleaf.page import write_report

DATA = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[2] / "shared" / "data"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# From a click on a state until everything is computed and written to the page, and until the next frame is painted.
CLICKS = """async () => {
  const times = [];
  for (const button of [...document.querySelectorAll("#view-whatif .state")].slice(0, 40)) {
    const start = performance.now();
    button.click();
    const computed = performance.now() - start;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    times.push([computed, performance.now() - start]);
  }
  return times;
}"""


def fitted_tan(nodes: int, rows: int, method: str | None = None) -> tuple[object, object, object]:
    """Fit a TAN of this many nodes with four states each, or a method; return it with as many new rows."""
    rng = np.random.default_rng(0)
    network = random_tan(nodes - 1, 4, 2, rng)
    frame = network.sample(2 * rows, random_state=1)
    X, y = frame.drop("class").cast(str), frame["class"]
    model = bl.BayesNetClassifier() if method is None else bl.classifier(method, random_state=0)
    return model.fit(X[:rows], y[:rows]), X[rows:], y[rows:]


def task_seconds(session) -> float:
    """Return how long the thread of the page has been at work, by the processor's clock."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def measure(browser, path: Path) -> list[float]:
    """Return milliseconds until the page is ready, and for clicks on states of the What if view.

    These are medians, and the mean of the processor's time.
    """
    ready = []
    for _ in range(5):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        ready.append(float(page.evaluate("document.body.dataset.ready")))
        if len(ready) < 5:
            page.close()
    page.click("#tab-whatif")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    start = task_seconds(session)
    clicks = page.evaluate(CLICKS)
    worked = 1000 * (task_seconds(session) - start) / len(clicks)
    page.close()
    return [
        statistics.median(ready),
        *(statistics.median(each) for each in zip(*clicks, strict=True)),
        worked,
    ]


def run() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        print("The page is measured in chromium, which is not on the PATH.")
        return
    models = [
        ("TAN, 40 nodes, 50,000 rows", *fitted_tan(40, 50_000)),
        ("TAN, 223 nodes, 5,000 rows", *fitted_tan(223, 5_000)),
        ("RTAN, 10 TANs of 40 nodes, 5,000 rows", *fitted_tan(40, 5_000, "RTAN")),
    ]
    for name in ("alarm", "andes"):
        file = DATA / "networks" / f"{name}.bif.gz"
        if file.exists():
            network = read_bif(file)
            models.append((f"{name.upper()} itself, {len(network.nodes)} nodes", network, None, None))
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, model, X, y in models:
            path = Path(folder) / "page.html"
            write_report(model, path, X, y)  # the first page also imports what it needs
            start = time.perf_counter()
            write_report(model, path, X, y)
            seconds = time.perf_counter() - start
            rows.append([name, seconds, path.stat().st_size / 1e6, *measure(browser, path)])
        browser.close()
    header = [
        "model",
        "write s",
        "size MB",
        "ready ms",
        "click: computed ms",
        "click: painted ms",
        "click: CPU ms",
    ]
    report("Model page", header, rows, "report.csv")


if __name__ == "__main__":
    run()
