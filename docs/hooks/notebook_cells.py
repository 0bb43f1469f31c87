"""Run the cells of a notebook in this process, without Jupyter, for the site and for tests."""

import ast
import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits


@dataclass(frozen=True)
class Cell:
    """A cell: "markdown" or "code", and its text."""

    kind: str
    source: str


@dataclass(frozen=True)
class Output:
    """What a cell prints, and what its last expression is: as HTML where it has that, otherwise as text."""

    printed: str = ""
    text: str = ""
    html: str = ""


def read_cells(path: Path) -> list[Cell]:
    """Read a notebook file."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [Cell(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]


def run_cells(cells: list[Cell], where: str, names: dict[str, Any]) -> Iterator[Output]:
    """Run the cells one after another with these names; what is not code has no output."""
    with threadpool_limits(1):  # their data are small: threads would only wait for one another
        for number, cell in enumerate(cells):
            yield run_code(cell.source, f"{where}, cell {number}", names) if cell.kind == "code" else Output()


def run_code(source: str, where: str, names: dict[str, Any]) -> Output:
    """Run code as a notebook does: the value of a last expression is shown."""
    body = ast.parse(source, where).body
    last = (
        body.pop() if body and isinstance(body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
    )
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), where, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    return Output(printed.getvalue(), *shown(value))


def shown(value: Any) -> tuple[str, str]:
    """Return a value as text and as HTML; where there is HTML, notebooks show it alone."""
    if value is None:
        return "", ""
    if hasattr(value, "_repr_mimebundle_"):
        bundle = value._repr_mimebundle_()
        html = bundle.get("text/html", "")
    else:
        html = value._repr_html_() if hasattr(value, "_repr_html_") else ""
    return ("", html) if html else (repr(value), "")
