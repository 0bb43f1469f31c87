"""How much of a search over any graph an augmented search can save: cells of sets with and without the class.

    python benchmarks/exact_cells.py      # needs BAYLEAF_DATA and results/exact_sets.csv

Exact search adds one term per cell that holds a row. A search over any graph needs the sets of features with the
class and those without it; an augmented search needs the former only. So it is faster by (cells with + cells without)
/ (cells with) if every cell costs the same: twice where the class hardly splits cells, hardly at all where it has
many states. The cells are counted in random sets of features, each feature in or out by the toss of a coin.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from common import RESULTS, report
from numpy.typing import NDArray

import bayleaf as bl

SETS = ("pendigits", "letter", "segment", "vehicle", "german", "bank", "waveform-21", "mushroom", "spect")
DRAWN = 400


def mean_cells(table: bl.data.Table, rng: np.random.Generator) -> tuple[float, float]:
    """Return the mean number of cells of a random set of features, with the class and without."""
    # A cell is known by the sum of random numbers, one per column and state.
    numbers = [rng.integers(0, 2**62, size=int(arity), dtype=np.uint64) for arity in table.arities]
    keys = np.stack([number[codes] for number, codes in zip(numbers, table.codes.T, strict=True)])
    target = table.target
    counts = []
    for _ in range(DRAWN):
        drawn = rng.random(len(keys)) < 0.5
        drawn[target] = False
        without: NDArray[np.uint64] = keys[drawn].sum(axis=0, dtype=np.uint64)
        counts.append([len(np.unique(without + keys[target])), len(np.unique(without))])
    with_class, without_class = np.mean(counts, axis=0)
    return float(with_class), float(without_class)


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "experiments" / "anb_2021"))
    from data import encoded

    with (RESULTS / "exact_sets.csv").open() as handle:
        measured = {row["slug"]: row for row in csv.DictReader(handle)}
    rows = []
    for slug in SETS:
        table = encoded(slug)
        with_class, without = mean_cells(table, np.random.default_rng(0))
        seconds = [float(measured[slug][f"{model}_cpu_seconds"]) for model in ("GBN", "ANB")]
        expected, found = 1 + without / with_class, seconds[0] / seconds[1]
        rows.append(
            [
                slug,
                int(table.arities[-1]),
                round(with_class),
                round(without),
                f"{expected:.2f}",
                f"{found:.2f}",
            ]
        )
        print(rows[-1], flush=True)
    header = [
        "data set", "classes", "cells with the class", "cells without", "times faster, by cells", "by CPU time",
    ]  # fmt: skip
    report("Cells of a random set of features", header, rows, "exact_cells.csv")


if __name__ == "__main__":
    main()
