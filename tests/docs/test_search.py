"""What the search of the site finds first: guides, by the words that people look for."""

import importlib
import re
from types import SimpleNamespace

import pytest

from docs.pages import ROOT

# In a heading or right at the beginning.
WANTED = {
    "threshold": "costs.md",
    "fairness": "costs.md",
    "class imbalance": "costs.md",
    "spreadsheet": "data.md",
    "GUI": "doctors.md",
    "overfitting": "probabilities.md",
}


@pytest.mark.parametrize(("word", "page"), WANTED.items())
def test_a_guide_speaks_of_what_people_look_for(word: str, page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    spoken = re.findall(r"^#+ .*", text, re.MULTILINE) + text.split("\n\n")[:3]
    assert any(word.lower() in part.lower() for part in spoken)


def test_guides_weigh_more_than_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "hooks"))
    hook = importlib.import_module("search_weights")

    def weight(name: str, **meta: object) -> float:
        page = SimpleNamespace(file=SimpleNamespace(src_uri=name), meta=dict(meta))
        assert hook.on_page_markdown("text", page, None, None) == "text"
        return page.meta["search"]["boost"]

    assert weight("costs.md") > 1 > weight("api/quality.md") > 0
    assert weight("costs.md", search={"boost": 7}) == 7
