"""A long search in a process of its own: run by test_interrupted_searches.py, which presses Ctrl-C.

python interrupted.py NAME

Prints "searching" when the fit is under way, then what became of it. Without Ctrl-C it would run for minutes.
"""

import sys
import threading
import time

import numpy as np

import bayleaf as bl

ROWS, FEATURES, STATES, CLASSES = 60_000, 120, 6, 10
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


def problem(name):
    """Random rows: nothing converges early."""
    features, rows = (24, 20_000) if name == "exact" else (FEATURES, ROWS)
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, rows)
    X = (y[:, None] * rng.integers(0, 2, features) + rng.integers(0, STATES, (rows, features))) % STATES
    return X, y


def main(name):
    X, y = problem(name)
    model = bl.BayesNetClassifier(
        **METHODS[name](), categorical_features=np.ones(X.shape[1], dtype=bool), random_state=0
    )
    known = bl.BayesNetClassifier(bl.NaiveBayes(), categorical_features=np.ones(3, dtype=bool))
    known.fit(X[:100, :3], y[:100])
    model.__dict__.update({k: v for k, v in vars(known).items() if k not in model.get_params()})
    before = dict(vars(model))
    threading.Timer(1.0, lambda: print("searching", flush=True)).start()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        same = vars(model).keys() == before.keys() and all(
            value is before[key] for key, value in vars(model).items()
        )
        print("interrupted", "as it was" if same else "half fitted", threading.active_count(), flush=True)
        return
    print("finished", time.process_time(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
