"""Run the examples of Markdown pages, so that the pages cannot say what the program does not do.

The blocks of a page run in order, in one folder and one Python session:

- ``pycon`` blocks are doctests;
- ``python`` blocks are executed, and what they print must be the ``text`` block that follows;
- ``console`` blocks hold lines ``$ bayleaf ...``, each followed by what the command prints.

In all of them ``...`` stands for anything, and white space is not compared. After a change of the program, this
brings what all pages show (or the pages named) up to date; read the difference before you keep it::

    python tests/docs/pages.py --write [PAGE...]
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayleaf.cli import main

ROOT = Path(__file__).resolve().parents[2]
SPARK_PAGE = ROOT / "docs" / "spark.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WIDTH = "84"  # columns that a page has room for
FENCE = re.compile(r"^```(\w*)")
PROMPT = "$ "
# What differs from day to day, from machine to machine: durations; who made a model, when and with which versions.
PASSING = re.compile(r"\b(?:\d+ min )?[\d.]+ m?s\b|(?<=  Made         )\d{4}-.*(?:\n {15}.*)*")
Names = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, its text and the number of its first line."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Mismatch:
    """Lines ``first`` to ``last`` (exclusive) of a page show something else than ``what`` printed."""

    what: str
    first: int
    last: int
    shown: str
    printed: str

    def __str__(self) -> str:
        return f"line {self.first}: {self.what}\nThe page shows:\n{self.shown}\nIt printed:\n{self.printed}"


def pages() -> list[Path]:
    """Every page with examples, but for the one that is left to the tests with Spark."""
    site = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page != SPARK_PAGE]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *site]


def find_blocks(text: str) -> Iterator[Block]:
    """Find the fenced blocks of a page, in order."""
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        while number < len(lines) and lines[number] != "```":
            number += 1
        yield Block(opening[1], "".join(f"{line}\n" for line in lines[start:number]), start + 1)
        number += 1


def check_page(page: Path) -> list[Mismatch]:
    """Run a page in the current folder; return where it shows what is not so."""
    blocks = list(find_blocks(page.read_text(encoding="utf-8")))
    names: Names = {"__name__": "__main__"}
    found: list[Mismatch] = []
    for number, block in enumerate(blocks):
        if block.kind == "pycon":
            found += _check_session(block, page, names)
        elif block.kind == "python":
            found += _check_script(block, blocks[number + 1 : number + 2], page, names)
        elif block.kind == "console":
            found += _check_commands(block)
    return found


def _check_session(block: Block, page: Path, names: Names) -> list[Mismatch]:
    test = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line - 1)
    session = _Session(block)
    session.run(test, clear_globs=False)
    names.update(test.globs)
    return session.found


class _Session(doctest.DocTestRunner):
    """A doctest that collects mismatches instead of printing them; an exception ends the page."""

    def __init__(self, block: Block) -> None:
        super().__init__(optionflags=FLAGS, verbose=False)
        self.block = block
        self.found: list[Mismatch] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        first = self.block.line + example.lineno + example.source.count("\n")
        last = first + example.want.count("\n")
        self.found.append(Mismatch(example.source.strip(), first, last, example.want, got))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        exc_info[1].add_note(f"{test.filename}, line {self.block.line + example.lineno}: {example.source}")
        raise exc_info[1]


def _check_script(block: Block, following: list[Block], page: Path, names: Names) -> list[Mismatch]:
    printed = io.StringIO()
    padding = "\n" * (block.line - 1)  # so that a traceback names the line of the page
    with contextlib.redirect_stdout(printed):
        exec(compile(padding + block.text, str(page), "exec"), names)
    output = [(after.text, after.line) for after in following if after.kind == "text"]
    shown, first = output[0] if output else ("", block.line)
    return _compare("the script", first, shown, printed.getvalue())


def _check_commands(block: Block) -> list[Mismatch]:
    found = []
    lines = block.text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        call = lines[start].removeprefix(PROMPT)
        shown = "".join(f"{line}\n" for line in lines[start + 1 : stop])
        found += _compare(call, block.line + start + 1, shown, run_command(call))
    return found


def run_command(call: str) -> str:
    """Run a ``bayleaf`` command in this process; return what it prints to both streams, in order."""
    program, *arguments = shlex.split(call)
    assert program == "bayleaf", f"only bayleaf commands are run, not '{call}'"
    printed = io.StringIO()
    before = sys.argv
    sys.argv = [program, *arguments]
    try:
        with _page_width(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main()
    except SystemExit as end:
        if end.code and "Error: " not in printed.getvalue():
            printed.write(f"[exit code {end.code}]\n")
    finally:
        sys.argv = before
    return printed.getvalue()


@contextlib.contextmanager
def _page_width() -> Iterator[None]:
    before = dict(os.environ)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        os.environ.pop(name, None)
    os.environ["COLUMNS"] = WIDTH
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _compare(what: str, first: int, shown: str, printed: str) -> list[Mismatch]:
    # Versions of rich differ by a blank at the edge of a table, and so in the length of its rules.
    expected, got = (re.sub("─+", "─", text).strip() + "\n" for text in (shown, printed))
    if doctest.OutputChecker().check_output(expected, got, FLAGS):
        return []
    return [Mismatch(what, first, first + shown.count("\n"), shown, printed)]


def correct(page: Path, mismatches: list[Mismatch]) -> None:
    """Write what was printed where the page showed something else."""
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks = {block.line: block.kind for block in find_blocks("\n".join(lines))}
    for each in sorted(mismatches, key=lambda each: each.first, reverse=True):
        kind = next(kind for line, kind in sorted(blocks.items(), reverse=True) if line <= each.first)
        new = [line.rstrip() for line in PASSING.sub("...", each.printed).strip("\n").splitlines()]
        if kind == "pycon":  # an empty line would end the output
            new = [line or "<BLANKLINE>" for line in new]
        elif each.shown.rstrip().endswith("\n..."):  # the page breaks off here on purpose
            new = [*new[: each.shown.rstrip().count("\n")], "..."]
        lines[each.first - 1 : each.last - 1] = new
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    named = [Path(text).resolve() for text in sys.argv[1:] if not text.startswith("-")]
    for each_page in named or pages():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            wrong = check_page(each_page)
        print(each_page.name, *wrong, sep="\n")
        if "--write" in sys.argv:
            correct(each_page, wrong)
