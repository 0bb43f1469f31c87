"""The pool against boosted trees: fit beside HistGradientBoosting, predict beside LightGBM with 100 trees.

    python benchmarks/pool.py                    # the sets of experiments/probabilities with more than 2,000 rows
    python benchmarks/pool.py segment,magic
    python benchmarks/pool.py million            # a million rows of 40 categories: time and memory of a fit

The first fold of five of each set, by the rules of experiments/probabilities/protocol.py. All run on one thread and
are timed in CPU seconds, the best of several runs, from the same DataFrames. Then the pool is fitted with two
threads, and its probabilities must be the same to the last bit. Results go to results/pool.csv.
"""

import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything starts threads
sys.path.insert(0, str(Path(__file__).parents[1] / "experiments" / "probabilities"))

import numpy as np
import protocol
from common import report, sample
from peers import HistGradientBoosting, LightGBM

import bayleaf as bl

MORE_THAN = 2000
FITS, PREDICTIONS = 2, 5


def cpu_seconds(action: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the shortest of several runs, and what the last one returned."""
    times, found = [], None
    for _ in range(repeats):
        start = time.process_time()
        found = action()
        times.append(time.process_time() - start)
    return min(times), found


def compare(name: str) -> dict[str, Any] | None:
    """Time the three on a set; None for one that is too small."""
    data = protocol.load(name)
    if len(data.y) <= MORE_THAN:
        return None
    train = data.fold != 0
    X, y, new = data.X[train], data.y[train], data.X[~train]
    fit, pool = cpu_seconds(lambda: bl.NetworkPool(n_jobs=1).fit(X, y), FITS)
    trees_fit, _ = cpu_seconds(lambda: HistGradientBoosting().fit(X, y), FITS)
    trees = LightGBM().fit(X, y)
    predict, chances = cpu_seconds(lambda: pool.predict_proba(new), PREDICTIONS)
    trees_predict, _ = cpu_seconds(lambda: trees.predict_proba(new), PREDICTIONS)
    in_two = bl.NetworkPool(n_jobs=2).fit(X, y).predict_proba(new)
    return {
        "dataset": name,
        "rows": int(train.sum()),
        "columns": X.shape[1],
        "classes": data.classes,
        "pool_fit_s": round(fit, 3),
        "hist_gradient_boosting_fit_s": round(trees_fit, 3),
        "pool_predict_us_per_row": round(predict / len(new) * 1e6, 2),
        "lightgbm_predict_us_per_row": round(trees_predict / len(new) * 1e6, 2),
        "same_bits_with_two_threads": bool(np.array_equal(in_two, chances)),
    }


def million() -> None:
    """Fit the pool to a million rows, and say what that takes."""
    X, y = sample("A3")
    X = X.astype(np.uint8)
    seconds, _ = cpu_seconds(lambda: bl.NetworkPool(n_jobs=1).fit(X, y), 1)
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{X.shape[0]:,} x {X.shape[1]}: {seconds:.1f} CPU-s, {gigabytes:.1f} GB at most, the data included"
    )


def main() -> None:
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["million"]:
        million()
        return
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else [*protocol.DEVELOPED_ON, *protocol.OTHERS]
    rows = []
    for name in names:
        row = compare(name)
        if row is not None:
            rows.append(row)
            print(*row.values(), flush=True)
    fit, trees_fit = (sum(row[key] for row in rows) for key in ("pool_fit_s", "hist_gradient_boosting_fit_s"))
    faster = sum(row["pool_predict_us_per_row"] <= row["lightgbm_predict_us_per_row"] for row in rows)
    report("The pool against boosted trees", list(rows[0]), [list(row.values()) for row in rows], "pool.csv")
    print(f"Fit {fit:.1f} s, HistGradientBoosting {trees_fit:.1f} s: {fit / trees_fit:.2f} times.")
    print(f"Predict is at least as fast as LightGBM's on {faster} of {len(rows)} sets.")


if __name__ == "__main__":
    main()
