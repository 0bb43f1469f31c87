"""Put the notebooks in ``docs/notebooks/`` on the site: run when it is built, so that their outputs are never stale.

``notebooks/NAME.ipynb`` becomes the page ``notebooks/NAME.md``; the notebook itself can be downloaded there. Pages
link to the notebook, as a code host shows it; on the site such links lead to its page.
"""

import os
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from notebook_cells import Cell, Output, read_cells, run_cells

FOLDER = "notebooks"
LINK = re.compile(rf"\]\(((?:\.\./)*{FOLDER}/[\w-]+)\.ipynb\)")
MARK = '<div class="cell-output" id="{}"></div>'


@cache  # mkdocs serve builds again and again
def made(path: str, changed: float) -> tuple[str, dict[str, str]]:
    """Return a notebook as Markdown with marks, and the HTML that belongs in their place."""
    cells = read_cells(Path(path))
    before = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # what the cells write is thrown away
        try:
            outputs = list(run_cells(cells, Path(path).name, {"__name__": "__main__"}))
        finally:
            os.chdir(before)
    parts, filled = [], {}
    for number, (cell, output) in enumerate(zip(cells, outputs, strict=True)):
        mark = MARK.format(f"output-{number}")
        parts.append(markdown_of(cell, output, mark))
        if output.html:
            filled[mark] = mark.replace("></div>", f">{output.html}</div>")
    name = Path(path).name
    note = f"*A notebook, run when this site was built: [{name}]({name}){{: download }}.*"
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n\n{note}\n{rest}", filled


def markdown_of(cell: Cell, output: Output, mark: str) -> str:
    """Return a cell as Markdown; a mark stands for HTML, which Markdown would change."""
    if cell.kind == "markdown":
        return cell.source
    text = output.printed + output.text
    shown = [f"```python\n{cell.source}\n```"]
    if text:
        shown.append(f"```text\n{text.rstrip()}\n```")
    if output.html:
        shown.append(mark)
    return "\n\n".join(shown)


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each notebook."""
    from mkdocs.structure.files import File

    for file in list(files):
        if file.src_uri.startswith(f"{FOLDER}/") and file.src_uri.endswith(".ipynb"):
            markdown, _ = made(file.abs_src_path, Path(file.abs_src_path).stat().st_mtime)
            files.append(File.generated(config, _page_of(file.src_uri), content=markdown))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Let links to notebooks lead to their pages."""
    return LINK.sub(r"](\1.md)", markdown)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Put the outputs in their places."""
    source = Path(config.docs_dir) / page.file.src_uri.replace(".md", ".ipynb")
    if page.file.src_uri.startswith(f"{FOLDER}/") and source.exists():
        for mark, output in made(str(source), source.stat().st_mtime)[1].items():
            html = html.replace(mark, output)
    return html


def _page_of(notebook: str) -> str:
    return notebook.removesuffix(".ipynb") + ".md"
