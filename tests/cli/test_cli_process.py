"""The command as a process: exit codes, streams, interruption, and what importing bayleaf brings along."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf
from bayleaf.benchmark import Results
from bayleaf.cli.app import COMMANDS, app, load_command, summary

COMMAND = [sys.executable, "-m", "bayleaf"]
Run = Callable[..., Any]


def test_version_and_errors_of_the_module(run: Run) -> None:
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"bayleaf {bayleaf.__version__}\n", "")
    done = run("predict", "none.json", "none.csv")
    assert (done.code, done.out, done.err) == (2, "", "Error: There is no file 'none.json'.\n")


HEAVY = ("sklearn", "scipy", "pandas", "polars", "numpy", "narwhals", "joblib")


def test_starting_loads_no_other_library() -> None:
    code = f"import bayleaf.cli.app, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_command_is_ready_for_an_interrupt_before_anything_else_is_imported() -> None:
    package = str(
        Path(bayleaf.__file__).parents[1]
    )  # without site (-S): editable installs have hooks of their own
    code = f"import sys; sys.path.insert(0, {package!r}); before = {{*sys.modules}}; from bayleaf.cli import main; "
    code += "print({*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert eval(done.stdout) == {"bayleaf", "bayleaf.cli"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_commands_say(name: str) -> None:
    assert load_command(name).help.split("\n\n")[0] == summary(name)


def test_interruption_keeps_what_is_done(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = {f"x{j}": rng.normal(size=300) for j in range(4)} | {"c": rng.choice(["a", "b"], 300)}
    pl.DataFrame(data).write_csv(tmp_path / "d.csv")
    arguments = ["evaluate", "d.csv", "-t", "c", "-m", "NB", "--repeats", "1000", "--out", "r"]
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    results = tmp_path / "r" / "results.csv"
    deadline = time.monotonic() + 40
    while not (results.exists() and results.read_text().count("\n") > 2) and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err.startswith("Interrupted. The evaluation stopped after ")
    assert err.endswith("keeps them; run the same again to go on.\n")
    assert err.count("\n") == 1
    assert Results.read(results).frame.height >= 2
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["data.json", "results.csv"]


def test_an_interrupted_cross_validation_leaves_the_old_model(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame({f"x{j}": rng.normal(size=100) for j in range(4)})
    data.with_columns(c=pl.when(pl.col("x0") > 0).then(pl.lit("a")).otherwise(pl.lit("b"))).write_csv(
        tmp_path / "d.csv"
    )
    (tmp_path / "m.json").write_text("old")
    done = []

    def track(folds: Iterable[Any], *rest: Any, **more: Any) -> Iterator[Any]:
        for fold in folds:
            done.append(fold)
            yield fold
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("bayleaf.quality.cross_validation.track", track)
    outcome = run("fit", tmp_path / "d.csv", "-t", "c", "--cv", "5", "-o", tmp_path / "m.json")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "Interrupted.\n")
    assert len(done) == 1
    assert (tmp_path / "m.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv", "m.json"]


LOST = """
import signal, sys, time
from bayleaf.cli.errors import repeated_when_lost

class Deaf:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

with repeated_when_lost():
    try:
        Deaf()
        for _ in range(200):
            time.sleep(0.1)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_an_interrupt_that_a_destructor_swallows_is_heard() -> None:
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_reader_that_closes_early_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pl.DataFrame({"x": list(range(200)), "c": ["a", "b"] * 100})
    frame.write_csv(tmp_path / "d.csv")
    bayleaf.classifier("NB").fit(frame.select("x"), frame["c"]).save(tmp_path / "m.json")
    reader, writer = os.pipe()
    os.close(reader)
    # Closed at the end, as at the end of a process: what is left is written.
    with os.fdopen(writer, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        with pytest.raises(SystemExit) as end:
            app(["predict", str(tmp_path / "m.json"), str(tmp_path / "d.csv")])
    assert end.value.code == 0
    assert capsys.readouterr().err == "Note: ignored 1 column that the model does not use: c.\n"


# In this process


def test_help_of_every_command_has_an_example(run: Run) -> None:
    outcome = run("--help")
    assert outcome.code == 0
    for name in ("fit", "predict", "evaluate", "explain", "show", "convert", "methods", "demo"):
        assert f" {name} " in outcome.out
        page = run(name, "--help")
        assert page.code == 0
        assert f"Example: bayleaf {name}" in page.out
    assert run().out == outcome.out


def test_usage_mistakes_are_one_line(run: Run) -> None:
    for arguments in (["nonsense"], ["fit", "--nonsense"], ["fit"], ["predict", "m.json"]):
        outcome = run(*arguments)
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err.startswith("Error: ")
        assert outcome.err.count("\n") == 1


def test_debug_shows_where_an_error_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = run("--debug", "show", "none.json")
    monkeypatch.setenv("BAYLEAF_DEBUG", "1")
    for outcome in (asked, run("show", "none.json")):
        assert outcome.code == 2  # a mistake in the call stays one
        assert outcome.err.startswith("Traceback (most recent call last):")
        assert "FileNotFoundError" in outcome.err
        assert outcome.err.splitlines()[-1] == "Error: There is no file 'none.json'."


@pytest.mark.parametrize(
    ("raised", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "Interrupted."),
        (
            KeyError("x"),
            1,
            "Error: this is a bug in bayleaf (KeyError: 'x'.); 'bayleaf --debug ...' shows where.",
        ),
        (ImportError("This needs xyz.\n Install it"), 2, "Error: This needs xyz. Install it."),
        (
            PermissionError(13, "Permission denied", "a.json"),
            2,
            "Error: Cannot open 'a.json': permission denied.",
        ),
        (MemoryError(), 2, "Error: There is not enough memory for this."),
    ],
)
def test_what_commands_raise_becomes_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, line: str
) -> None:
    def fail(path: object) -> None:
        raise raised

    monkeypatch.setattr("bayleaf.cli.show.read_model_or_network", fail)
    outcome = run("show", "m.json")
    assert (outcome.code, outcome.out, outcome.err) == (code, "", f"{line}\n")


def test_many_warnings_are_cut_short(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    def warn(path: object) -> None:
        for number in range(8):
            warnings.warn(f"odd\n thing {number}", UserWarning, stacklevel=1)
            warnings.warn("the same", UserWarning, stacklevel=1)
            warnings.warn("not for users", DeprecationWarning, stacklevel=1)
        raise ValueError("enough")

    monkeypatch.setattr("bayleaf.cli.show.read_model_or_network", warn)
    assert run("show", "m.json").err.splitlines() == [
        "Warning: odd thing 0",
        "Warning: the same",
        "Warning: odd thing 1",
        "Warning: odd thing 2",
        "Warning: odd thing 3",
        "Error: enough.",
        "Warning: 4 more like these.",
    ]


def test_settings_are_read_from_the_environment_only_for_debugging(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYLEAF_DEBUG", "0")
    assert os.environ["BAYLEAF_DEBUG"] == "0"
    assert run("show", "none.json").code == 2
