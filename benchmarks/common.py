"""What the benchmarks share: synthetic data by rule, timing, and tables of ratios."""

import csv
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import bayleaf as bl

RESULTS = Path(__file__).parent / "results"

# name: rows, features, states, classes
PROBLEMS = {
    "A1": (10_000, 20, 4, 2),
    "A2": (100_000, 50, 4, 5),
    "A3": (1_000_000, 40, 4, 2),
    "A4": (60_000, 196, 3, 10),
}


def random_tan(features: int, states: int, classes: int, rng: np.random.Generator) -> bl.BayesNet:
    """Make a random tree-augmented network with Dirichlet(1) tables."""
    names = [f"x{j}" for j in range(features)]
    variables = [bl.data.Variable(name, tuple(range(states)), None, "integer") for name in names]
    variables.append(bl.data.Variable("class", tuple(range(classes)), None, "integer"))
    parents = [[features]] + [[int(rng.integers(j)), features] for j in range(1, features)] + [[]]
    dag = bl.DAG.from_parents([*names, "class"], parents)
    arities = [*[states] * features, classes]
    tables = [
        rng.dirichlet(np.ones(arities[j]), size=[arities[p] for p in dag.parent_indices[j]])
        for j in range(features + 1)
    ]
    return bl.BayesNet(variables, dag, tables, "class")


def sample(name: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one problem as int64 arrays, the way numpy users have them."""
    rows, features, states, classes = PROBLEMS[name]
    rng = np.random.default_rng(seed)
    codes = random_tan(features, states, classes, rng).sample_table(rows, rng).codes
    # Every state occurs, so that all libraries agree on the number of categories.
    X, y = np.ascontiguousarray(codes[:, :-1].astype(np.int64)), codes[:, -1].astype(np.int64)
    X[:states] = np.arange(states)[:, None]
    y[:classes] = np.arange(classes)
    return X, y


def best_seconds(action: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several runs: what the code needs when nothing disturbs it."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def report(title: str, header: list[str], rows: list[list[object]], file: str) -> None:
    """Print a table and keep it as CSV beside the scripts."""
    table = Table(title=title)
    for k, name in enumerate(header):
        table.add_column(name, justify="left" if k == 0 else "right")
    shown = [[f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    for row in shown:
        table.add_row(*row)
    Console(width=140).print(table)
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / file).open("w", newline="") as out:
        csv.writer(out).writerows([header, *shown])
