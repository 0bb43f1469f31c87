"""Marks of missing values: what is found in the tables of the data folder, and what would be if marks were there.

    python experiments/columns/missing_marks.py

False alarms: each table is read as its file is written, with ``?`` left in place, and every column that has marks by
`bayleaf.data.numbers.find_marks` is listed with what was found. Hits: in every column of numbers, one row in ten
is replaced by a mark, and it is counted how often it is found again. The tables go to results/missing_marks.md. Data
sets are found through BAYLEAF_DATA.
"""

import sys
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import datafolder
from bayleaf._util.words import listing
from bayleaf.data.numbers import find_marks, marks_text, taken_out
from bayleaf.data.raw_columns import Column, object_column, series_column
from bayleaf.tables import read_data

MOST_ROWS = 50_000
PLANTED: dict[str, object] = {
    "-": "-",
    "n.d.": "n.d.",
    "unknown": "unknown",
    "not sure": "not sure",
    "-99": -99,
    "-999": -999,
    "999": 999,
}
SHARE = 0.1


def columns_of(frame: pl.DataFrame) -> list[Column]:
    """Return the columns of a table as they are read, before anything is decided by their values."""
    return [series_column(name, nw.from_native(frame[name], series_only=True)) for name in frame.columns]


def planted(column: pl.Series, mark: object) -> Column:
    """Return a column with a mark in some of its rows: text among text, a number among numbers."""
    rng = np.random.default_rng(0)
    values = column.cast(pl.String).to_list() if isinstance(mark, str) else column.to_list()
    return object_column(column.name, [mark if rng.random() < SHARE else value for value in values])


def main() -> None:
    found, tables, columns = [], 0, 0
    hits = dict.fromkeys(PLANTED, 0)
    for path in sorted(datafolder.folder().glob("*.csv.gz")):
        frame = read_data(path, missing_values=())[:, :-1].head(MOST_ROWS)
        print(path.name, flush=True)
        tables += 1
        for column in columns_of(frame):
            marks = find_marks(column)
            if marks:
                kept, rows = taken_out(column, marks)
                levels = getattr(kept, "levels", None)
                values = levels if levels is not None else np.unique(kept.values[~kept.missing]).tolist()
                found.append(
                    (path.name.removesuffix(".csv.gz"), column.name, marks_text(rows), listing(values, 4))
                )
        numbers = [
            column for column in frame if column.dtype.is_numeric() and column.drop_nulls().n_unique() > 1
        ]
        columns += len(numbers)
        for name, mark in PLANTED.items():
            hits[name] += sum(mark in find_marks(planted(column.head(2000), mark)) for column in numbers)
    lines = [
        f"{tables} tables, their first {MOST_ROWS:,} rows. What is found in them:",
        "",
        "| set | column | marks | other values |",
        "|:---|:---|:---|:---|",
        *(f"| {' | '.join(line)} |" for line in found),
        "",
        f"Marks that were planted in a tenth of the (first 2,000) rows of each of {columns:,} columns of numbers:",
        "",
        "| mark | found in |",
        "|:---|---:|",
        *(f"| `{name}` | {count / columns:.1%} |" for name, count in hits.items()),
    ]
    (Path(__file__).parent / "results" / "missing_marks.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
