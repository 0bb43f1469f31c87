"""The notebooks run, hold no outputs, and show what their text claims."""

import importlib
import json
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from docs.pages import ROOT

NOTEBOOKS = ROOT / "docs" / "notebooks"


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The hook that puts notebooks on the site; what their cells write goes to a folder of the test."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "hooks"))
    monkeypatch.chdir(tmp_path)
    return importlib.import_module("notebook_pages")


def run(hooks: ModuleType, name: str) -> tuple[dict[str, Any], list[Any]]:
    cells = hooks.read_cells(NOTEBOOKS / f"{name}.ipynb")
    names: dict[str, Any] = {"__name__": "__main__"}
    return names, list(hooks.run_cells(cells, name, names))


def test_first_steps(hooks, tmp_path):
    names, outputs = run(hooks, "first-steps")
    shown = "".join(output.html for output in outputs)
    assert "Held out in fit" in shown  # the model shows itself
    assert "log-odds" in shown  # and so does the explanation
    assert (tmp_path / "wine.html").exists()
    model, known = names["model"], names["known"]
    assert names["again"].classes_.tolist() == model.classes_.tolist()
    row = model._as_row(known)
    np.testing.assert_allclose(model.scorer()(known), model.predict_proba(row)[0], atol=1e-12)
    prior = model.training_.class_weights / np.sum(model.training_.class_weights)
    sure, of_network = model.predict_proba(row)[0].max(), model.network_.posterior("cultivar", known)
    assert prior.max() < sure < max(of_network.values())  # two values of thirteen: a cautious answer
    assert outputs[-2].text == "True"  # the loaded model gives the same


def test_boosted_trees_and_what_the_text_says_of_them(hooks):
    names, _ = run(hooks, "boosted-trees")
    trees, one, pool = names["methods"]
    losses = {
        table: dict(names[table].select("method", "log-loss").iter_rows())
        for table in ("complete", "few", "with_gaps", "by_rule")
    }
    assert min(losses["complete"], key=losses["complete"].get) == pool
    assert max(losses["few"][one], losses["few"][pool]) < min(
        losses["few"][name] for name in losses["few"] if name.startswith(trees)
    )
    assert max(losses["with_gaps"][one], losses["with_gaps"][pool]) < 0.5 * losses["with_gaps"][trees]
    assert max(losses["by_rule"][trees], losses["by_rule"][pool]) < 0.6 * losses["by_rule"][one]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_committed_without_outputs_and_are_in_the_navigation(path):
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert notebook["cells"][0]["source"][0].startswith("# ")
    assert f"notebooks/{path.stem}.md" in (ROOT / "mkdocs.yml").read_text()


def test_a_notebook_becomes_markdown_with_its_outputs(hooks, tmp_path):
    class Shown:
        def _repr_html_(self) -> str:
            return "<b>\n\n    shown</b>"

    code = hooks.Cell("code", "print('<1>')\nx = 2\nx")
    output = next(hooks.run_cells([code], "here", {}))
    assert hooks.markdown_of(code, output, "") == f"```python\n{code.source}\n```\n\n```text\n<1>\n2\n```"
    names = {"shown": Shown()}
    outputs = list(
        hooks.run_cells([hooks.Cell("code", "shown"), hooks.Cell("code", "shown;")], "here", names)
    )
    assert [output.html for output in outputs] == ["<b>\n\n    shown</b>", ""]
    with pytest.raises(ZeroDivisionError) as error:
        list(hooks.run_cells([hooks.Cell("markdown", "# x"), hooks.Cell("code", "1 / 0")], "here", {}))
    assert "here, cell 1" in str(error.traceback[-1])


def test_pages_of_notebooks_have_their_outputs_in_place(hooks, tmp_path):
    cells = [("markdown", "# Title\n\nText."), ("code", "import bayleaf as bl\nbl.DAG(['<a>', 'b'])")]
    notebook = {"cells": [{"cell_type": kind, "source": [source]} for kind, source in cells]}
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks" / "small.ipynb"
    path.write_text(json.dumps(notebook))
    markdown, filled = hooks.made(str(path), time.time())
    assert markdown.startswith(
        "# Title\n\n*A notebook, run when this site was built: [small.ipynb](small.ipynb)"
    )
    [(mark, output)] = filled.items()
    assert mark in markdown
    assert "&lt;a&gt;" in output
    assert Path.cwd() == tmp_path


def test_links_to_notebooks_lead_to_their_pages_on_the_site(hooks):
    text = "[one](notebooks/first-steps.ipynb), [two](../notebooks/x.ipynb), [itself](first-steps.ipynb)"
    expected = "[one](notebooks/first-steps.md), [two](../notebooks/x.md), [itself](first-steps.ipynb)"
    assert hooks.on_page_markdown(text, None, None, None) == expected
