"""CONTRIBUTING's steps, followed literally: a learner is its file, its registration and its test."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text()
STEP = re.compile(r"\*\*\d\. The (\w+)\*\*,.*?`([\w/.]+)`.*?\n```\w*\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package to which the three steps were done."""
    root = tmp_path_factory.mktemp("contributed")
    shutil.copytree(ROOT / "src", root / "src")  # with what is compiled: only the steps' files are new
    core = sys.modules["bayleaf._core"].__file__
    assert core is not None
    shutil.copy(core, root / "src" / "bayleaf")
    steps = {what: (root / place, text) for what, place, text in STEP.findall(TEXT)}
    assert list(steps) == ["file", "registration", "test"]
    for what in ("file", "test"):
        place, text = steps[what]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    register, (import_line, name) = steps["registration"][0], steps["registration"][1].splitlines()
    known = register.read_text()
    register.write_text(known.replace("\n\n__all__ = [", f"\n{import_line}\n\n__all__ = [\n{name}", 1))
    return root


def run(package: Path, *arguments: str) -> str:
    # Without ``site``, which would lead an editable install back to this package.
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package / "src"), *libraries])}
    done = subprocess.run(
        [sys.executable, "-S", *arguments],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_test_passes_and_everything_that_names_learners_knows_it(package: Path):
    (package / "data.csv").write_text("a,b,c\n" + "1,2,no\n3,4,yes\n" * 20)
    script = """
import sys
import pytest
import bayleaf as bl
from bayleaf.cli import main
from bayleaf.page.learned import python_lines

assert bl.__file__.startswith(sys.argv.pop(1))
assert "SPODE" in bl.__all__
assert pytest.main(["-q", "-p", "no:cacheprovider", "tests/learn/structure/test_spode.py"]) == 0
options = ["--target", "c", "--set", "structure=SPODE(parent=a)", "-o", "m.bayleaf.json"]
sys.argv = ["bayleaf", "fit", "data.csv", *options]
try:
    main()
except SystemExit as done:
    assert not done.code
print(python_lines(bl.load("m.bayleaf.json")))
"""
    shown = run(package, "-c", script, str(package))
    assert "6 passed" in shown
    assert "structure=bl.SPODE(parent='a')" in shown


def test_hidden_naive_bayes_is_shown_as_it_is():
    [shown] = re.findall(r"```py\n(def search.*?)```", TEXT, re.DOTALL)
    file = ROOT / "src" / "bayleaf" / "learn" / "structure" / "hidden_naive_bayes.py"
    wanted, lines = ([line.strip() for line in text.splitlines()] for text in (shown, file.read_text()))
    assert "\n".join(filter(None, wanted)) in "\n".join(filter(None, lines))


def test_the_new_file_passes_the_linters(package: Path):
    pytest.importorskip("ruff", reason="the linters are not installed: pip install 'bayleaf[lint]'")
    file = package / "src" / "bayleaf" / "learn" / "structure" / "spode.py"
    run(package, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), str(file))
    run(package, "-m", "ruff", "format", "--check", "--config", str(ROOT / "pyproject.toml"), str(file))
