"""Long searches in a process of their own: run by test_interrupted_searches.py, which presses Ctrl-C.

python interrupted.py

For every line "number of a file for standard error, name of a search" it prints "searching" when the fit is under
way, then what became of it. Without Ctrl-C a search would run for minutes.
"""

import os
import sys
import threading
import time
from functools import cache

import numpy as np

import bayleaf as bl

ROWS, FEATURES, STATES, CLASSES = 10_000, 80, 6, 10
SMALLER = {"exact": (20_000, 24)}
METHODS = {
    "order-based": lambda: {"structure": bl.OrderBased(k=2)},
    "greedy": lambda: {"structure": bl.GreedyTree()},
    "superparent": lambda: {"structure": bl.SuperParent()},
    "climbing": lambda: {"structure": bl.HillClimbing(bl.ConditionalLogLikelihood(), "naive")},
    "conditional likelihood": lambda: {
        "structure": bl.KDB(k=2),
        "parameters": bl.ConditionalLikelihood(stopping="converged", max_iter=100_000, tol=0.0),
    },
    "exact": lambda: {"structure": bl.Exact()},
}


@cache
def problem(rows, features):
    """Random rows: nothing converges early."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, rows)
    X = (y[:, None] * rng.integers(0, 2, features) + rng.integers(0, STATES, (rows, features))) % STATES
    return X, y


def main(name):
    X, y = problem(*SMALLER.get(name, (ROWS, FEATURES)))
    model = bl.BayesNetClassifier(
        **METHODS[name](), categorical_features=np.ones(X.shape[1], dtype=bool), random_state=0, n_jobs=1
    )
    known = bl.BayesNetClassifier(
        bl.NaiveBayes(), bl.Dirichlet(), categorical_features=np.ones(3, dtype=bool)
    )
    known.fit(X[:100, :3], y[:100])
    model.__dict__.update({k: v for k, v in vars(known).items() if k not in model.get_params()})
    before = dict(vars(model))
    sign = threading.Timer(0.2, lambda: print("searching", flush=True))
    sign.start()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        sign.cancel()
        sign.join()
        same = vars(model).keys() == before.keys() and all(
            value is before[key] for key, value in vars(model).items()
        )
        print("interrupted", threading.active_count(), "as it was" if same else "half fitted", flush=True)
        return
    print("finished", time.process_time(), flush=True)


if __name__ == "__main__":
    for line in sys.stdin:
        errors, search = line.strip().split(maxsplit=1)
        os.dup2(int(errors), 2)
        main(search)
