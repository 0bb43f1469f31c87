"""Fits of wide tables: the pool and one network against boosted trees.

    python benchmarks/wide.py                    # all tables below
    python benchmarks/wide.py 300x50x2,252x751x2

Tables are made by a rule: normal numbers, of which a fifth are shifted by the class. All run on one thread and are
timed in CPU seconds, from the same arrays: the best of two runs, or one run of more than three seconds. Results go to
results/wide.csv, where those of other tables stay.
"""

import csv
import os
import sys
import time
import warnings
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything starts threads

import numpy as np
from common import RESULTS, report
from lightgbm import LGBMClassifier
from sklearn.ensemble import HistGradientBoostingClassifier

import bayleaf as bl

# rows, columns, classes
TABLES = [
    (300, 50, 2),
    (300, 100, 2),
    (300, 200, 2),
    (360, 90, 15),
    (1907, 58, 32),
    (252, 751, 2),
    (3000, 400, 2),
    (252, 3000, 2),
]
# With more columns a pool takes minutes, and only one network is fitted.
MOST_OF_POOL = 1000
LONG = 3.0


def table(rows: int, columns: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw normal numbers; the mean of every fifth column differs by class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    y[: 2 * classes] = np.tile(np.arange(classes), 2)
    X = rng.normal(size=(rows, columns))
    X[:, ::5] += 0.5 * rng.normal(size=(classes, columns))[y][:, ::5]
    return X, y


def cpu_seconds(fit: Callable[[], object]) -> float:
    """Return the shorter of two runs, or a single long one."""
    times: list[float] = []
    while len(times) < 2 and sum(times) < LONG:
        start = time.process_time()
        fit()
        times.append(time.process_time() - start)
    return min(times)


def compare(rows: int, columns: int, classes: int) -> list[object]:
    """Fit all to one table."""
    X, y = table(rows, columns, classes)
    pool = ""
    if columns <= MOST_OF_POOL:
        pool = round(cpu_seconds(lambda: bl.NetworkPool(n_jobs=1).fit(X, y)), 3)
    network = cpu_seconds(lambda: bl.BayesNetClassifier(n_jobs=1).fit(X, y))
    trees = cpu_seconds(
        lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=0).fit(X, y)
    )
    light = cpu_seconds(lambda: LGBMClassifier(n_jobs=1, verbose=-1, random_state=0).fit(X, y))
    return [rows, columns, classes, pool, *(round(seconds, 3) for seconds in (network, trees, light))]


def main() -> None:
    warnings.simplefilter("ignore")
    asked = sys.argv[1].split(",") if len(sys.argv) > 1 else ["x".join(map(str, sizes)) for sizes in TABLES]
    header = ["rows", "columns", "classes", "pool_s", "network_s", "hist_gradient_boosting_s", "lightgbm_s"]
    found = before(header)
    for each in asked:
        sizes = tuple(map(int, each.split("x")))
        found[sizes] = compare(*sizes)
        print(*found[sizes], flush=True)
        report("CPU seconds of a fit", header, [found[key] for key in sorted(found)], "wide.csv")


def before(header: list[str]) -> dict[tuple[int, ...], list[object]]:
    """Return the results of earlier runs, by the sizes of the table."""
    path = RESULTS / "wide.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            tuple(int(row[name]) for name in header[:3]): list(row.values()) for row in csv.DictReader(file)
        }


if __name__ == "__main__":
    main()
