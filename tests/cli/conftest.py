"""A small data set in every format, and a way to run the command line in this process."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayleaf.cli.app import app


@dataclass(frozen=True)
class Outcome:
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]
MODEL = "people.bayleaf.json"


def call(*arguments: object, given: bytes | None = None) -> Outcome:
    """Run the command line in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    return call


def people(rows: int = 120) -> pl.DataFrame:
    """Numbers, whole numbers, text and booleans, some missing, and a class that depends on them."""
    rng = np.random.default_rng(1)
    sick = rng.random(rows) < 0.4
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 80, rows) + 15 * sick,
            "dose": np.round(rng.normal(1.0, 0.4, rows) + 0.8 * sick, 3),
            "town": rng.choice(["Bath", "Wells", "Ely"], rows),
            "smoker": rng.random(rows) < np.where(sick, 0.8, 0.3),
            "status": np.where(sick, "sick", "well"),
        }
    )
    holes = [
        pl.when(pl.Series(rng.random(rows) > 0.1)).then(pl.col(name)).alias(name)
        for name in frame.columns[:4]
    ]
    return frame.with_columns(holes)


def write_arff(frame: pl.DataFrame, path: Path) -> None:
    lines = ["@relation people"]
    for column in frame.get_columns():
        labels = ",".join(column.drop_nulls().cast(pl.String).unique().to_list())
        kind = "numeric" if column.dtype.is_numeric() else f"{{{labels}}}"
        lines.append(f"@attribute {column.name} {kind}")
    body = frame.write_csv(include_header=False, null_value="?")
    path.write_text("\n".join([*lines, "@data", body]))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same table as CSV, TSV, Parquet and ARFF, and a model fitted to it."""
    folder = tmp_path_factory.mktemp("made")
    frame = people()
    frame.write_csv(folder / "people.csv")
    frame.write_csv(folder / "people.tsv", separator="\t")
    frame.write_parquet(folder / "people.parquet")
    write_arff(frame, folder / "people.arff")
    assert call("fit", folder / "people.csv", "--target", "status", "-o", folder / MODEL).code == 0
    return folder


@pytest.fixture
def files(made: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the table in every format."""
    for file in made.glob("people.*"):
        if file.name != MODEL:
            shutil.copy(file, tmp_path)
    return tmp_path


@pytest.fixture
def model(made: Path, files: Path) -> Path:
    """A copy of the model, beside the files."""
    return Path(shutil.copy(made / MODEL, files))


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Run a command that must fail as a user's mistake, and return its one sentence."""

    def call(*arguments: object) -> str:
        outcome = run(*arguments)
        assert outcome.code == 2, outcome
        lines = [line for line in outcome.err.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1, outcome.err
        assert "Traceback" not in outcome.err + outcome.out
        return lines[0].removeprefix("Error: ")

    return call


@pytest.fixture
def table() -> pl.DataFrame:
    """The table that the files hold."""
    return people()
