"""Random tables: every kind of column that people bring, and some that nobody should."""

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Rng = np.random.Generator
ODD_TEXTS = [
    "",
    " ",
    "a",
    "A",
    "nan",
    "None",
    "1",
    "01",
    "1e5",
    "-",
    "ü",
    "日本",
    "a,b",
    'q"q',
    "x" * 300,
    "\t",
]
EDGES = [0.0, -0.0, 1.0, -1.5, 1e308, -1e308, 5e-324, 2.0**53, 1e-9, np.pi]


def column(rng: Rng, rows: int) -> list[Any]:
    """Return one column as Python values, None where one is missing."""
    kinds = (_few, _many, _floats, _edges, _words, _odd, _truths, _dates, _constant, _absent, _own, _mixed)
    values = kinds[rng.integers(len(kinds))](rng, rows)
    holes = rng.choice([0.0, 0.0, 0.1, 0.6])
    return [None if gap else value for value, gap in zip(values, rng.random(rows) < holes, strict=True)]


def _few(rng: Rng, rows: int) -> list[Any]:
    return rng.integers(0, rng.integers(1, 5), rows).tolist()


def _many(rng: Rng, rows: int) -> list[Any]:
    return rng.integers(-(10**6), 10 ** rng.integers(1, 18), rows).tolist()


def _floats(rng: Rng, rows: int) -> list[Any]:
    return (rng.normal(size=rows) * 10.0 ** rng.integers(-12, 12)).tolist()


def _edges(rng: Rng, rows: int) -> list[Any]:
    edges = [*EDGES, np.inf, -np.inf] if rng.random() < 0.1 else EDGES
    return [edges[k] for k in rng.integers(0, len(edges), rows)]


def _words(rng: Rng, rows: int) -> list[Any]:
    return [f"w{k}" for k in rng.integers(0, rng.integers(1, 8), rows)]


def _odd(rng: Rng, rows: int) -> list[Any]:
    return [ODD_TEXTS[k] for k in rng.integers(0, len(ODD_TEXTS), rows)]


def _truths(rng: Rng, rows: int) -> list[Any]:
    return (rng.random(rows) < 0.5).tolist()


def _dates(rng: Rng, rows: int) -> list[Any]:
    days = rng.integers(0, 10 ** rng.integers(1, 6), rows)
    return [date(1900, 1, 1) + timedelta(int(day)) for day in days]


def _constant(rng: Rng, rows: int) -> list[Any]:
    return [[0, 1.5, "c", True][rng.integers(4)]] * rows


def _absent(rng: Rng, rows: int) -> list[Any]:
    return [None] * rows


def _own(rng: Rng, rows: int) -> list[Any]:
    return [f"id{k}" for k in rng.permutation(rows)]


def _mixed(rng: Rng, rows: int) -> list[Any]:
    pieces = [1, 2.5, "three", True, None, date(2020, 2, 29), b"bytes", np.nan, (1,), 10**30]
    return [pieces[k] for k in rng.integers(0, len(pieces), rows)]


def columns(rng: Rng, rows: int, most: int = 6) -> dict[str, list[Any]]:
    """Return several columns by name."""
    return {f"f{j}": column(rng, rows) for j in range(rng.integers(1, most + 1))}


def container(rng: Rng, found: dict[str, list[Any]]) -> Any:
    """Put columns into a table of some library; where that library refuses them, into a list of rows."""
    kind = rng.integers(5)
    try:
        if kind == 0:
            return pd.DataFrame(found)
        if kind == 1:
            return pl.DataFrame(found)
        if kind == 2:
            return pa.table(found)
        if kind == 3:
            return np.array(list(zip(*found.values(), strict=True)), dtype=object)
    except Exception:  # theirs, not ours
        pass
    return [list(row) for row in zip(*found.values(), strict=True)]


def labels(rng: Rng, rows: int) -> list[Any]:
    """Return class labels: of one to four classes, some missing now and then."""
    names = [["no", "yes"], [0, 1, 2], [True, False], ["a", "b", "c", "d"], ["alone"], [0.5, 1.5], [-1, 1]]
    chosen = names[rng.integers(len(names))]
    found: list[Any] = [chosen[k] for k in rng.integers(0, len(chosen), rows)]
    if rng.random() < 0.1:
        found = [None if rng.random() < 0.2 else label for label in found]
    return found


def row_count(rng: Rng) -> int:
    """Return a number of rows: none now and then, mostly few."""
    return int(
        rng.choice([0, 1, 2, 3, 5, 8, 13, 30, 60], p=[0.02, 0.04, 0.08, 0.1, 0.15, 0.15, 0.16, 0.2, 0.1])
    )
