"""Many threads at once on the same model, scorer and network: each gets what it would get alone."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

import bayleaf as bl

from .outcome import check_same

THREADS = 4


@cache
def _model(number: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(number)
    X = rng.integers(0, 4, (80, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.integers(0, 2, 80) > 2).astype(int)
    chosen = ["TAN", "KDB", "AODE", "NB"][number % 4]
    return bl.classifier(chosen, n_jobs=1 + number % 3).fit(X, y), X, y


def one(rng: np.random.Generator) -> bool:
    """Ask the same thing in several threads, beside other work on the same objects."""
    model, X, y = _model(int(rng.integers(8)))
    rows = X[rng.integers(0, len(X), rng.integers(1, 40))]
    scorer = model.scorer()
    network = getattr(model, "network_", None)
    jobs = [
        lambda: model.predict_proba(rows),
        lambda: scorer(rows),
        lambda: np.array([scorer(row) for row in rows[:4].tolist()]),
        lambda: clone(model).fit(X[:40], y[:40]).predict_proba(rows),
    ]
    if network is not None:
        jobs.append(lambda: list(network.posterior(network.nodes[0]).values()))
    alone = [job() for job in jobs]
    order = rng.integers(0, len(jobs), 2 * THREADS).tolist()
    with ThreadPoolExecutor(THREADS) as pool:
        for number, found in zip(order, pool.map(lambda number: jobs[number](), order), strict=True):
            check_same(found, alone[number], "alone and beside others")
    return True
