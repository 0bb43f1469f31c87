"""Table 4: processor seconds of structure learning on encoded training rows, one thread."""

import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from data_sets import BY_COST, BY_NAME, MNIST
from encoding import training_table
from steps import Line, run_steps

import bayleaf as bl

SEARCHES = {"TAN-CMI": bl.TAN(), "TAN-OMI-CR": bl.OrderBased(), "TAN-CR": bl.GreedyTree()}
REPEATS = 3


def run_timing(results: Path, only: tuple[str, ...], *, costly: bool) -> None:
    """Time the searches on the training rows of each set; the greedy one on MNIST only when asked for."""

    @lru_cache(maxsize=1)
    def table(dataset: str) -> bl.data.Table:
        data = BY_NAME[dataset]
        X, y = data.load()
        rows = data.protocol.split(np.asarray(y), *data.protocol.cells[0]).train
        return replace(training_table(X[rows], y[rows]), n_jobs=1)

    def work(dataset: str, search: str) -> list[Line]:
        training = table(dataset)
        seconds = []
        for _ in range(1 if dataset == "MNIST" else REPEATS):
            start = time.process_time()
            SEARCHES[search].learn(training, np.random.default_rng(0))
            seconds.append(time.process_time() - start)
        return [
            {"rows": training.n_rows, "features": training.n_variables - 1, "seconds": f"{min(seconds):.3g}"}
        ]

    steps = [
        {"dataset": each.paper, "search": search}
        for each in (*BY_COST, MNIST)
        for search in SEARCHES
        if (not only or each.paper in only) and (costly or (each.paper, search) != ("MNIST", "TAN-CR"))
    ]
    run_steps(results / "timing.csv", "Run-time", steps, work)
