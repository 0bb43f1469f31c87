"""Tables in text files, whatever is in them: read, or refused; nothing of ours is left behind."""

import io
from pathlib import Path

import numpy as np
import polars as pl
from typer.testing import CliRunner

from bayleaf.cli.app import app
from bayleaf.tables import read_data

from . import odd_tables
from .outcome import FindingError, attempt, scratch
from .spoiling import spoiled


def one(rng: np.random.Generator) -> bool:
    """Read one text as a table; every twentieth goes through ``bayleaf fit``. True if it was taken."""
    suffix = [".csv", ".csv", ".tsv", ".txt", ".arff"][rng.integers(5)]
    content = _arff(rng) if suffix == ".arff" else _delimited(rng)
    content = spoiled(rng, content) if rng.random() < 0.7 else content
    path = scratch() / f"t{suffix}"
    path.write_bytes(content)
    if rng.random() < 0.05:
        return _fitted(rng, path)
    options = {"header": False} if rng.random() < 0.1 and suffix != ".arff" else {}
    frame = attempt(lambda: read_data(path, **options))
    if frame is None:
        return False
    if len(set(frame.columns)) != frame.width or not all(isinstance(name, str) for name in frame.columns):
        raise FindingError(f"columns that cannot be told apart: {frame.columns}")
    return True


def _delimited(rng: np.random.Generator) -> bytes:
    rows = odd_tables.row_count(rng)
    found = {
        name: [None if value is None else str(value) for value in column]
        for name, column in odd_tables.columns(rng, rows).items()
    }
    found["class"] = [str(label) for label in odd_tables.labels(rng, rows)]
    mark = [",", ";", "\t", "|"][rng.integers(4)]
    text = io.BytesIO()
    pl.DataFrame(found, schema=dict.fromkeys(found, pl.String)).write_csv(text, separator=mark)
    encoding = ["utf-8", "utf-8", "utf-8", "utf-16", "latin-1"][rng.integers(5)]
    return text.getvalue().decode().encode(encoding, "replace")


def _arff(rng: np.random.Generator) -> bytes:
    kinds = ["numeric", "{a,b}", "{'a b', \"c\"}", "string", "real", "integer", "date", "{}"]
    lines = ["@relation r"]
    chosen = [kinds[k] for k in rng.integers(0, len(kinds), rng.integers(1, 4))]
    lines += [f"@attribute x{j} {kind}" for j, kind in enumerate(chosen)]
    lines += ["@attribute class {no,yes}", "@data"]
    fields = ["1", "a", "b", "'a b'", "?", "2.5", "zzz", "", "c", "{0 1}"]
    for _ in range(rng.integers(0, 8)):
        row = [fields[k] for k in rng.integers(0, len(fields), len(chosen))]
        lines.append(",".join([*row, str(rng.choice(["no", "yes", "?"]))]))
    return "\n".join(lines).encode()


def _fitted(rng: np.random.Generator, path: Path) -> bool:
    model = path.parent / "m.json"
    method = str(rng.choice(["tan", "nb", "kdb"]))
    result = CliRunner().invoke(
        app, ["fit", str(path), "--method", method, "--target", "class", "-o", str(model)]
    )
    words = result.stderr + result.stdout
    if result.exit_code not in (0, 2) or "Traceback" in words or "bug in bayleaf" in words:
        raise FindingError(f"exit code {result.exit_code}: {words[-300:]} {result.exception!r}")
    if (result.exit_code == 0) != model.exists():
        raise FindingError(f"exit code {result.exit_code}, and a model file: {model.exists()}")
    left = {file.name for file in path.parent.iterdir()} - {path.name, model.name}
    if left:
        raise FindingError(f"left behind: {left}")
    return result.exit_code == 0
