"""Take the screenshots of the studio with the tumours data; needs chromium, playwright and pillow.

python docs/make_studio_pictures.py
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
from make_page_pictures import FLAGS, save
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer

WAIT = 600_000  # milliseconds


def write_table(path: Path) -> None:
    bunch = load_breast_cancer()
    frame = pl.DataFrame(bunch.data[:, :10], schema=list(bunch.feature_names[:10]))
    frame.with_columns(pl.Series("diagnosis", bunch.target_names[bunch.target])).write_csv(path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        write_table(Path(folder) / "tumours.csv")
        command = [sys.executable, "-m", "bayleaf", "studio", "tumours.csv", "--no-browser"]
        studio = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://\S+", studio.stdout.readline())[0]
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_page(viewport={"width": 1360, "height": 820})
            page.goto(address)
            page.wait_for_selector("#columns", timeout=WAIT)
            page.select_option("#target", "diagnosis")
            page.click("#learn:not([disabled])")
            page.wait_for_selector("#sentence", timeout=WAIT)
            save(page.screenshot(), "studio-learn.png")
            page.click("#step-network")
            page.frame_locator("#page").locator("svg.network").wait_for(timeout=WAIT)
            page.wait_for_timeout(500)
            save(page.screenshot(), "studio-network.png")
            browser.close()
        finally:
            studio.terminate()
            studio.wait()


if __name__ == "__main__":
    main()
