"""Live pages on the site: every mark names one, they open on the row that the text speaks of, and so do figures."""

import importlib
import re
import xml.etree.ElementTree as ET
from types import ModuleType

import pytest

from docs.pages import ROOT, pages

README_AND_HOME = ("README.md", "docs/index.md")


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The hook that puts live pages on the site."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "hooks"))
    return importlib.import_module("live_pages")


def figure_texts(name: str) -> list[str]:
    root = ET.parse(ROOT / "docs" / "images" / name).getroot()
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def printed_terms(page: str) -> dict[str, float]:
    """The lines of the first explanation that a page prints, as "feature = value" with the weight of evidence."""
    shown = re.search(r"^┡.*?^├", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    cells = [
        [cell.strip() for cell in line.split("│")[1:4]] for line in shown[0].splitlines() if line[0] == "│"
    ]
    return {f"{name} = {value}" if value else name: float(weight) for name, value, weight in cells}


@pytest.mark.parametrize(
    ("figure", "page"),
    [("evidence.svg", "README.md"), ("evidence-by-hand.svg", "docs/explanations.md")],
)
def test_a_figure_shows_the_row_that_the_page_prints(figure, page):
    assert f"images/{figure}" in (ROOT / page).read_text()
    texts, terms = figure_texts(figure), printed_terms(page)
    shown = [text for text in texts if " = (" in text or text == "(prior)"]
    assert set(shown) == set(terms)
    strongest_last = sorted((text for text in terms if text != "(prior)"), key=lambda text: abs(terms[text]))
    assert [abs(terms[text]) for text in shown[:-1]] == [abs(terms[text]) for text in strongest_last]
    title = next(text for text in texts if text.startswith("P("))
    printed = re.search(r"against \w+, (P\(\w+\)) = ([\d.]+)", (ROOT / page).read_text())
    assert title == f"{printed[1]} = {float(printed[2]):.3f}"


def test_home_its_live_page_and_its_figure_are_about_the_same_row(hooks):
    live = hooks.LIVE["tumours"]()
    row = importlib.import_module("live_models").DOUBTFUL
    assert live.model.predict_proba(live.X[[row]]).max() < 0.55  # it is in doubt, as the text says
    for page in README_AND_HOME:
        assert f"X_test[[{row}]]" in (ROOT / page).read_text()
    assert "evidence.svg" in (ROOT / "docs" / "index.md").read_text()
    found = live.model.explain(live.X[[row]])
    labels = {f"{name} = {value}" for name, value in zip(found.features, found.values[0], strict=True)}
    assert labels <= set(figure_texts("evidence.svg"))
    # What the address sets are the states of that row, with its numbers.
    number, case = re.fullmatch(r"#why;row=(\d+);e=(.+)", live.address).groups()
    assert int(number) == row + 1
    network = live.model.network_
    for part in case.split("_"):
        node, state, value = re.fullmatch(r"(\d+)\.(\d+)@(.+)", part).groups()
        name = network.nodes[int(node)]
        assert float(value) == live.X[name][row]
        assert (
            str(network.variables[int(node)].states[int(state)])
            == found.values[0][found.features.index(name)]
        )
    assert case.count("@") == live.X.width


def test_the_page_in_the_tutorial_opens_on_the_row_that_it_explains(hooks):
    live = hooks.LIVE["tutorial"]()
    row = int(re.match(r"#why;row=(\d+);", live.address)[1]) - 1
    found, printed = live.model.explain(live.X[[row]]), printed_terms("docs/tutorial.md")
    for name, value, weight in zip(found.features, found.values[0], found.evidence[0], strict=True):
        assert printed[f"{name} = {value}"] == pytest.approx(weight, abs=0.0006)


def test_the_forest_of_the_gallery_is_naive_bayes_as_its_story_says(hooks):
    network = hooks.LIVE["wine"]().model.network_
    assert {parent for parent, _ in network.arcs} == {"cultivar"}


def test_every_mark_names_a_live_page_and_the_gallery_has_all(hooks):
    marked = {page.name: [name for name, _ in hooks.MARK.findall(page.read_text())] for page in pages()}
    assert {name for names in marked.values() for name in names} <= set(hooks.LIVE)
    assert marked["gallery.md"] == [name for name in hooks.LIVE if name != "tutorial"]
    assert marked["tutorial.md"] == ["tutorial"]
    assert marked["index.md"] == ["tumours"]
    assert set(marked["doctors.md"]) == {"tumours"}


def test_each_step_of_reading_the_page_opens_it_at_a_view(hooks):
    """Views that the page does not have would open the first one."""
    text = (ROOT / "docs" / "doctors.md").read_text()
    views = [how.removeprefix(" at ") for _, how in hooks.MARK.findall(text)]
    assert views == ["whatif", "why", "next", "quality", "network"]
    script = (ROOT / "src" / "bayleaf" / "page" / "assets" / "main.js").read_text()
    assert all(f'{{ id: "{view}", title:' in script for view in views)
    address = hooks.LIVE["tumours"]().address
    assert hooks.at_view(address, " at next") == address.replace("#why;", "#next;")
    assert "bayleaf fit" not in text
    assert "$ " not in text  # readers who do not program need no command line


def test_marks_become_frames(hooks):
    live = hooks.LIVE["chest-clinic"]()
    assert live.html().startswith("<!doctype html>")
    assert live.model.posterior("tuberculosis", {})["yes"] == pytest.approx(0.0104)
    for small in (False, True):
        html = ET.fromstring(f"<div>{hooks.frame('live/a.html#x;&', 'Is <it>?', small=small)}</div>")
        assert next(html.iter("iframe")).get("title") == "Is <it>?"
        assert {next(html.iter(kind)).get(at) for kind, at in (("iframe", "src"), ("a", "href"))} == {
            "live/a.html#x;&"
        }
