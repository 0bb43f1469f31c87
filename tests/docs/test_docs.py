"""The pages say what the program does: their examples run, and every public name and option is on one."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import bayleaf
import bayleaf.benchmark
import bayleaf.counts
import bayleaf.data
import bayleaf.graph
import bayleaf.learn.parameters
import bayleaf.learn.scores
import bayleaf.learn.structure
import bayleaf.network
import bayleaf.networks
import bayleaf.quality
import bayleaf.tables
from bayleaf.cli.app import COMMANDS, load_command
from docs.pages import ROOT, check_page, correct, find_blocks, pages

PACKAGES = (
    bayleaf,
    bayleaf.counts,
    bayleaf.benchmark,
    bayleaf.quality,
    bayleaf.graph,
    bayleaf.networks,
    bayleaf.tables,
    bayleaf.network,
    bayleaf.learn.parameters,
    bayleaf.learn.scores,
    bayleaf.learn.structure,
    bayleaf.data,
)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert "\n".join(map(str, check_page(page))) == ""


def test_a_wrong_example_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```pycon\n>>> 1 + 1\n3\n```\n\n```python\nprint(5)\n```\n\n```text\n6\n```\n\n"
        "```console\n$ bayleaf --version\nno such version\n```\n"
    )
    mistakes = [str(mistake) for mistake in check_page(page)]
    assert len(mistakes) == 3
    assert "line 3: 1 + 1" in mistakes[0]
    assert "line 11: the script" in mistakes[1]
    assert "line 16: bayleaf --version" in mistakes[2]


def test_a_corrected_page_holds_tomorrow_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    script = "print('  Made         1999-12-31 by nobody with\\n               bayleaf 0')\nprint('It took 2.5 s.')"
    page.write_text(f"```python\n{script}\n```\n\n```text\nnothing\n```\n")
    correct(page, check_page(page))
    assert "```text\n  Made         ...\nIt took ....\n```" in page.read_text()
    assert check_page(page) == []


def test_no_page_shows_the_day_on_which_it_was_made():
    shown = "\n".join(block.text for page in pages() for block in find_blocks(page.read_text()))
    assert re.findall(r"Made +\d.*", shown) == []


def test_python_is_shown_in_blocks_that_run():
    kinds = {block.kind for page in pages() for block in find_blocks(page.read_text())}
    assert kinds <= {"pycon", "python", "console", "text", "bash"}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_is_on_an_api_page(package):
    text = "\n".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    shown = set(re.findall(r"^::: (\S+)", text, re.MULTILINE))
    for name in package.__all__:
        # Aliases of types are explained where they are used.
        if not hasattr(getattr(package, name), "__module__"):
            continue
        home = getattr(package, name).__module__
        by_name = {f"{place}.{name}" for place in ("bayleaf", package.__name__, *_packages(home))}
        candidates = {*by_name, package.__name__, *_packages(home)}
        assert candidates & shown, f"{package.__name__}.{name} is on no page of docs/api"


def test_every_method_of_the_classifier_is_on_one_of_its_pages():
    text = "\n".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    shown = re.findall(r"^::: bayleaf\.BayesNetClassifier\.(\w+)$", text, re.MULTILINE)
    own = {
        name
        for kind in bayleaf.BayesNetClassifier.__mro__
        if kind.__module__.startswith("bayleaf.")
        for name, value in vars(kind).items()
        if not name.startswith("_") and hasattr(value, "__get__")  # methods and properties
    }
    made_by_scikit_learn = {name for name in own if re.fullmatch(r"set_\w+_request", name)}
    assert sorted(shown) == sorted(own - made_by_scikit_learn)


def _packages(module: str) -> set[str]:
    """The packages around a module, without bayleaf itself, whose page would list nothing."""
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(2, len(parts) + 1)}


def test_every_command_and_option_is_on_the_page_of_the_command_line():
    text = (ROOT / "docs" / "command-line.md").read_text()
    for name in COMMANDS:
        section = re.search(rf"^## `bayleaf {name}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section is not None, f"docs/command-line.md has no section on 'bayleaf {name}'"
        for parameter in load_command(name).params:
            for option in parameter.opts:
                if option.startswith("--"):
                    assert f"`{option}`" in section[1], f"'bayleaf {name} {option}' is not explained"
        has = {option for parameter in load_command(name).params for option in parameter.opts}
        rows = re.findall(r"^\| (`-[^|]*)\|", section[1], re.MULTILINE)
        listed = {option for row in rows for option in re.findall(r"`(--[a-z-]+)", row)}
        assert listed <= has, f"'bayleaf {name}' has no {listed - has}"


def test_measured_numbers_are_those_of_the_benchmarks():
    script = ROOT / "docs" / "measured_tables.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
