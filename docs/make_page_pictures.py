"""Take the screenshots of the model page that `make demo` writes; needs chromium, playwright and pillow.

python docs/make_page_pictures.py demo/report.html
"""

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def save(picture: bytes, name: str) -> None:
    """Keep a screenshot with few colours: a fifth of the size, and no difference to the eye."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(160, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def main(path: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1360, "height": 820})
        page.goto(path.resolve().as_uri())
        page.wait_for_selector("body[data-ready]")
        wrong = page.locator("#row option").filter(has_text="✗").first
        page.select_option("#row", wrong.get_attribute("value"))
        page.locator(".node-name", has_text="mean area").click()
        page.wait_for_timeout(300)
        save(page.screenshot(), "model-page.png")
        page.click("#tab-why")
        page.wait_for_selector("#changes table")
        save(page.screenshot(), "model-page-why.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/report.html"))
