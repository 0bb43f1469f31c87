"""Exact searches of other libraries, where they are installed: seconds for one table."""

import time
from collections.abc import Callable

import numpy as np

import bayleaf as bl


def run_bayleaf(table: bl.Table) -> float:
    start = time.perf_counter()
    bl.Exact(bl.BIC()).learn(table, np.random.default_rng(0))
    return time.perf_counter() - start


def run_pgmpy(table: bl.Table) -> float:
    import pandas as pd
    from pgmpy.estimators import ExhaustiveSearch

    frame = pd.DataFrame(np.asarray(table.codes), columns=[f"v{j}" for j in range(table.n_variables)])
    start = time.perf_counter()
    ExhaustiveSearch(frame).estimate()
    return time.perf_counter() - start


def run_causal_learn(table: bl.Table) -> float:
    from causallearn.search.ScoreBased.ExactSearch import bic_exact_search

    data = np.asarray(table.codes, dtype=float)
    start = time.perf_counter()
    bic_exact_search(data, search_method="dp")
    return time.perf_counter() - start


def run_pomegranate(table: bl.Table) -> float:
    from pomegranate import BayesianNetwork

    data = np.asarray(table.codes).astype(int)
    start = time.perf_counter()
    BayesianNetwork.from_samples(data, algorithm="exact-dp")
    return time.perf_counter() - start


def _installed(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


PEERS: dict[str, Callable[[bl.Table], float]] = {
    name: run
    for name, module, run in (
        ("bayleaf", "bayleaf", run_bayleaf),
        ("pgmpy (exhaustive)", "pgmpy", run_pgmpy),
        ("causal-learn (dp)", "causallearn", run_causal_learn),
        ("pomegranate (exact-dp)", "pomegranate", run_pomegranate),
    )
    if _installed(module)
}

# An enumeration of all graphs takes hours beyond this.
MOST_VARIABLES = {"pgmpy (exhaustive)": 4}
