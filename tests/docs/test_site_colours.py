"""Text and links of the site can be read: contrast by WCAG 2.2, 1.4.3, computed from the style sheet."""

import re

import pytest

from docs.pages import ROOT

LEAST = 4.5
# What stands on what, by the names of Material's variables.
PAIRS = [
    ("typeset-a-color", "default-bg-color"),
    ("typeset-a-color", "code-bg-color"),
    ("accent-fg-color", "default-bg-color"),
    ("accent-bg-color", "accent-fg-color"),
    ("primary-bg-color", "primary-fg-color"),
    ("primary-bg-color--light", "primary-fg-color"),
    ("code-hl-comment-color", "code-bg-color"),
    ("code-hl-generic-color", "code-bg-color"),
]


def colours(scheme: str) -> dict[str, str]:
    """The variables of a scheme in the style sheet."""
    text = (ROOT / "docs" / "assets" / "extra.css").read_text()
    block = re.search(rf'\[data-md-color-scheme="{scheme}"\] {{(.*?)}}', text, re.DOTALL)
    return dict(re.findall(r"--md-([\w-]+): (#[0-9a-f]{6});", block[1]))


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_the_footer_can_be_read():
    known = colours("default")
    assert contrast(known["footer-fg-color--lighter"], known["footer-bg-color--dark"]) >= LEAST


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("pair", PAIRS, ids=" on ".join)
def test_text_and_links_have_enough_contrast(scheme, pair):
    known = colours(scheme)
    assert contrast(known[pair[0]], known[pair[1]]) >= LEAST


def test_the_theme_takes_its_colours_from_the_style_sheet():
    settings = (ROOT / "mkdocs.yml").read_text()
    assert re.findall(r"^\s+(?:primary|accent): (\w+)", settings, re.MULTILINE) == ["custom"] * 4
