"""What people really pass: floats, integers, categories and strings, from numpy, pandas, polars and Arrow.

Each line is CPU seconds of one thread for TAN with cuts by MDLP on a table of 1,000,000 rows and 40 columns with two
classes (`--rows` for fewer), beside what a peer spends on the same input before it has learned anything. One run, the
best of several. `single` measures one row at a time instead.
"""

import argparse
import gc
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from common import report

import bayleaf as bl

FEATURES = 40
LABELS = np.array(["alpha", "beta", "gamma", "delta"], dtype=object)


def integers(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of four states, each leaning a little towards the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    leaning = rng.random((rows, FEATURES)) < 0.3
    return (rng.integers(0, 4, (rows, FEATURES)) + leaning * y[:, None]) % 4, y


def floats(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal numbers whose means differ between the classes, from hardly to clearly."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, rows)
    return rng.standard_normal((rows, FEATURES)) + y[:, None] * np.linspace(0.05, 1, FEATURES), y


def inputs(rows: int) -> Iterator[tuple[str, Any, np.ndarray]]:
    """Make the tables one after another: what they are, the table, and the classes."""
    names = [f"x{j}" for j in range(FEATURES)]
    numbers, y = floats(rows)
    yield "float64 array", numbers, y
    yield "polars floats", pl.DataFrame(numbers, schema=names), y
    del numbers
    codes, y = integers(rows)
    yield "int64 array, no mask", codes, y
    by_code = {name: pd.Categorical.from_codes(codes[:, j], list(LABELS)) for j, name in enumerate(names)}
    yield "pandas categories", pd.DataFrame(by_code), y
    strings = pl.DataFrame({name: LABELS[codes[:, j]].tolist() for j, name in enumerate(names)})
    del codes, by_code
    categories = strings.cast(pl.Categorical)
    yield "polars categories", categories, y
    yield "Arrow dictionaries", categories.to_arrow(), y
    del categories
    yield "polars strings", strings, y
    yield "pandas strings", strings.to_pandas(), y
    yield "Arrow strings", strings.to_arrow(), y


def tan() -> bl.BayesNetClassifier:
    """Return what is measured: one pass over the rows for the columns, one for the counts."""
    return bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), bl.MDLP(), n_jobs=1)


def cpu_seconds(action: Callable[[], object], repeats: int = 4) -> float:
    """Return the least processor time of several runs."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def peer_steps(kind: str, X: Any, y: np.ndarray) -> tuple[str, float]:
    """Return what a peer does first with such a table, and how long it takes."""
    if kind in ("float64 array", "int64 array, no mask"):
        import lightgbm

        settings = {"verbose": -1, "num_threads": 1}
        made = cpu_seconds(lambda: lightgbm.Dataset(X, y, params=settings).construct())
        return "LightGBM Dataset", made
    if kind == "polars strings":
        return "polars cast to Categorical", cpu_seconds(lambda: X.cast(pl.Categorical))
    if kind == "pandas strings":
        return "pandas factorize", cpu_seconds(lambda: [X[name].factorize() for name in X.columns])
    if kind == "pandas categories":
        from sklearn.preprocessing import OrdinalEncoder

        some = X.iloc[: max(len(X) // 10, 1)]
        return "OrdinalEncoder (a tenth, times 10)", 10 * cpu_seconds(
            lambda: OrdinalEncoder().fit_transform(some)
        )
    return "", float("nan")


def tables(rows: int) -> None:
    lines: list[list[object]] = []
    for kind, X, y in inputs(rows):
        model = tan()
        fit = cpu_seconds(lambda model=model, X=X, y=y: model.fit(X, y))
        predict = cpu_seconds(lambda model=model, X=X: model.predict_proba(X))
        peer, seconds = peer_steps(kind, X, y)
        shown = [peer, seconds, seconds / fit] if peer else ["", "", ""]
        lines.append([kind, fit, len(y) / predict / 1e6, *shown])
    header = [
        "input",
        "fit, CPU s",
        "predict_proba, M rows per CPU s",
        "a peer's first step",
        "its CPU s",
        "ratio",
    ]
    report(f"{rows:,} rows, {FEATURES} columns, 2 classes, one thread", header, lines, "inputs.csv")


def microseconds(action: Callable[[], object], times: int = 100) -> float:
    """Return the processor time of one call among many."""
    return 1e6 * cpu_seconds(lambda: [action() for _ in range(times)], 5) / times


def single() -> None:
    """Measure one row at a time, as services ask."""
    numbers, y = floats(20_000)
    names = [f"x{j}" for j in range(FEATURES)]
    frame = pl.DataFrame(numbers, schema=names)
    by_position = tan().fit(numbers, y)
    by_name = tan().fit(frame, y)
    row = frame[:1]
    as_pandas = row.to_pandas()
    asked: dict[str, Callable[[], object]] = {
        "numpy": lambda: by_position.predict_proba(numbers[:1]),
        "pandas": lambda: by_name.predict_proba(as_pandas),
        "polars": lambda: by_name.predict_proba(row),
    }
    if hasattr(by_name, "scorer"):
        scorer, values = by_name.scorer(), row.row(0, named=True)
        asked["scorer, dict"] = lambda: scorer(values)
    from sklearn.linear_model import LogisticRegression

    peer = LogisticRegression().fit(numbers, y)
    asked["LogisticRegression, numpy"] = lambda: peer.predict_proba(numbers[:1])
    lines: list[list[object]] = [[kind, microseconds(ask)] for kind, ask in asked.items()]
    report("One row", ["input", "CPU microseconds"], lines, "inputs_single.csv")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=["tables", "single"], help="both by default")
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    if given.part != "single":
        tables(given.rows)
    if given.part != "tables":
        single()
