"""Results in a small file: one line per data set and method, the values of all folds in one field per measure.

A run writes a line per fold (``folds.csv``), which for ten times five folds of twenty methods is megabytes.
What is kept under version control, and what the tables are made from, is this form.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from bayleaf.benchmark import Results
from bayleaf.quality import MEASURES

LEADING = ("dataset", "method", "rows", "folds")


def write(results: Results, path: Path, digits: Mapping[str, int]) -> None:
    """Keep the measures named in ``digits``, rounded to so many decimals.

    Only whole repetitions are kept: folds of one that was interrupted are left out, and so are failed folds' sets.
    """
    lines: list[dict[str, Any]] = []
    for (dataset, method), group in results.frame.group_by("dataset", "method", maintain_order=True):
        ordered = group.filter(pl.col("error") == "").sort("repeat", "fold")
        if ordered.is_empty():
            continue
        folds = int(results.frame.filter(pl.col("dataset") == dataset)["fold"].to_numpy().max()) + 1
        sizes = ordered.group_by("repeat", maintain_order=True).len()
        whole = sizes.filter(pl.col("len") == folds)["repeat"]
        ordered = ordered.filter(pl.col("repeat").is_in(whole.to_list()))
        if ordered.is_empty():
            continue
        values = {
            name: " ".join(f"{value:.{places}f}" for value in ordered[name])
            for name, places in digits.items()
        }
        lines.append(
            {"dataset": dataset, "method": method, "rows": int(ordered["rows"][0]), "folds": folds} | values
        )
    pl.DataFrame(lines).write_csv(path)


def read(path: Path) -> Results:
    """Read a kept file as if it were the run's own."""
    frame = pl.read_csv(path, infer_schema=False)
    names = [name for name in frame.columns if name not in LEADING]
    lines = []
    for kept in frame.iter_rows(named=True):
        fields = {name: [float(value) for value in kept[name].split()] for name in names}
        folds = int(kept["folds"])
        for number in range(len(fields[names[0]])):
            line = {
                "dataset": kept["dataset"],
                "method": kept["method"],
                "rows": int(kept["rows"]),
                "error": "",
            }
            line |= {"repeat": number // folds, "fold": number % folds}
            lines.append(line | {name: fields[name][number] for name in names})
    return Results.from_lines(lines, tuple(each for each in MEASURES if each.name in names))


def common(results: Results, methods: Sequence[str]) -> tuple[Results, dict[str, int]]:
    """Reduce results to the repetitions that all of some methods have.

    Returns
    -------
    Results, dict
        The results of these methods, without the data sets that one of them lacks, and the number of repetitions
        of every data set.
    """
    chosen = results.select(methods=[name for name in methods if name in results.methods])
    counts = chosen.frame.group_by("dataset", "method", maintain_order=True).agg(
        repeats=pl.col("repeat").n_unique()
    )
    shared = counts.group_by("dataset", maintain_order=True).agg(pl.len(), pl.col("repeats").min())
    repetitions = {
        dataset: repeats for dataset, found, repeats in shared.iter_rows() if found == len(methods)
    }
    limit = pl.col("dataset").replace_strict(repetitions, default=0, return_dtype=pl.Int64)
    return Results(chosen.frame.filter(pl.col("repeat") < limit), chosen.measures), repetitions
