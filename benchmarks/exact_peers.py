"""Exact searches of other libraries, where they are installed: seconds for one table."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np

import bayleaf as bl


def run_bayleaf(table: bl.data.Table) -> float:
    start = time.perf_counter()
    bl.Exact(bl.BIC()).learn(table, np.random.default_rng(0))
    return time.perf_counter() - start


def run_pgmpy(table: bl.data.Table) -> float:
    import pandas as pd
    from pgmpy.estimators import ExhaustiveSearch

    frame = pd.DataFrame(np.asarray(table.codes), columns=[f"v{j}" for j in range(table.n_variables)])
    start = time.perf_counter()
    ExhaustiveSearch(frame).estimate()
    return time.perf_counter() - start


def run_causal_learn(table: bl.data.Table, method: str) -> float:
    """Scores of the normal distribution: the library has no exact search for categories."""
    from causallearn.search.ScoreBased.ExactSearch import bic_exact_search

    data = np.asarray(table.codes, dtype=float)
    start = time.perf_counter()
    bic_exact_search(data, search_method=method)
    return time.perf_counter() - start


# pomegranate's exact search ended with version 0.14, which does not build on this Python: BAYLEAF_POMEGRANATE names
# an older interpreter that has it (Python 3.9, for example).
POMEGRANATE = os.environ.get("BAYLEAF_POMEGRANATE", "")
POMEGRANATE_SCRIPT = """
import sys, time
import numpy as np
from pomegranate import BayesianNetwork
data = np.load(sys.argv[1])
start = time.perf_counter()
BayesianNetwork.from_samples(data, algorithm="exact-dp")
print(time.perf_counter() - start)
"""


def run_pomegranate(table: bl.data.Table) -> float:
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, np.asarray(table.codes).astype(np.int64))
        file.flush()
        call = [POMEGRANATE, "-c", POMEGRANATE_SCRIPT, file.name]
        return float(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


PEERS: dict[str, Callable[[bl.data.Table], float]] = {
    name: run
    for name, present, run in (
        ("bayleaf", True, run_bayleaf),
        ("pgmpy (exhaustive)", find_spec("pgmpy"), run_pgmpy),
        ("causal-learn (dp)", find_spec("causallearn"), partial(run_causal_learn, method="dp")),
        ("causal-learn (A*)", find_spec("causallearn"), partial(run_causal_learn, method="astar")),
        ("pomegranate 0.14 (exact-dp)", POMEGRANATE, run_pomegranate),
    )
    if present
}
