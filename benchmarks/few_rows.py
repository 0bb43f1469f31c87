"""Prediction of few rows: milliseconds by the number of rows, where a small table becomes a large one.

    python benchmarks/few_rows.py

Small DataFrames are read value by value, larger ones column by column (`bayleaf.data.reader.FEW_ROWS`). The columns
"by value" and "by column" force each way; the first are what users see. Medians of 100 calls of ``predict_proba`` of
a tree of 11 columns, one of them of texts.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import bayleaf as bl
from bayleaf.data import reader

ROWS = (1, 5, 8, 9, 10, 20, 50, 100, 200, 400, 401, 900, 901, 2000)
CALLS = 100


def median_ms(action: Callable[[], object]) -> float:
    """Return the median time of a call, after one that does not count."""
    action()
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def forced(few_rows: int, model: Any, rows: Any) -> float:
    """Return the time with another limit between the two ways."""
    before = dict(reader.FEW_ROWS)
    reader.FEW_ROWS.update(dict.fromkeys(before, few_rows))
    try:
        return median_ms(lambda: model.predict_proba(rows))
    finally:
        reader.FEW_ROWS.update(before)


def main() -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(max(ROWS), 10)), columns=[f"c{k}" for k in range(10)])
    y = (table["c0"] + rng.normal(size=len(table)) > 0).astype(int)
    table = table.rename(columns={"c0": "first"})
    table["kind"] = rng.choice(["a", "b", "c"], len(table))
    model = bl.BayesNetClassifier(structure=bl.TAN()).fit(table, y)
    print(
        f"{'rows':>5} {'pandas':>8} {'polars':>8}   pandas by value, by column   polars by value, by column"
    )
    for n in ROWS:
        few, polars = table.head(n), pl.from_pandas(table.head(n))
        seen = [median_ms(lambda rows=rows: model.predict_proba(rows)) for rows in (few, polars)]
        ways = [forced(limit, model, rows) for rows in (few, polars) for limit in (10**9, 0)]
        forced_ways = "   ".join(f"{ways[k]:15.2f} {ways[k + 1]:10.2f}" for k in (0, 2))
        print(f"{n:>5} {seen[0]:8.2f} {seen[1]:8.2f}   {forced_ways}")


if __name__ == "__main__":
    main()
