"""TAN and naive Bayes, fit and predict_proba from the raw array, against peers in the same run.

Floor of a TAN fit on A3 (1M x 40 x 4 states x 2 classes): read 320 MB of int64 once, write 40 MB of codes, AND and
count 780 pairs x 9 cells x 15,625 words = 110 M words, 40 M increments for the tables.

    python benchmarks/tan.py [A1 A2 ...] [--peers]
"""

import sys
import time
import warnings

import numpy as np
from common import PROBLEMS, best_seconds, report, sample
from sklearn.naive_bayes import CategoricalNB

import bayleaf as bl

# Peers that need minutes on larger problems are run on the smallest one only.
SLOW_PEERS = {"A1"}


def ours(structure: object, features: int) -> bl.BayesNetClassifier:
    return bl.BayesNetClassifier(structure, bl.Laplace(), categorical_features=np.ones(features, dtype=bool))


def pyagrum_tan(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    from pyagrum.skbn import createBNClassifier

    peer = createBNClassifier(learningMethod="TAN", prior="Smoothing")
    start = time.perf_counter()
    peer.fit(X, y)
    fitted = time.perf_counter()
    peer.predict_proba(X)
    return fitted - start, time.perf_counter() - fitted


def pgmpy_tan(X: np.ndarray, y: np.ndarray) -> float:
    import pandas as pd
    from pgmpy.estimators import TreeSearch
    from pgmpy.models import DiscreteBayesianNetwork

    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(y=y)
    start = time.perf_counter()
    tree = TreeSearch(frame, root_node="x0", n_jobs=2)
    dag = tree.estimate(estimator_type="tan", class_node="y", show_progress=False)
    DiscreteBayesianNetwork(dag.edges()).fit(frame)
    return time.perf_counter() - start


def run(problems: list[str], peers: bool) -> None:
    rows: list[list[object]] = []
    for name in problems:
        X, y = sample(name)
        repeats = 7 if len(X) <= 100_000 else 5
        reference = CategoricalNB()
        fit_reference = best_seconds(lambda model=reference, X=X, y=y: model.fit(X, y), 3)
        predict_reference = best_seconds(lambda model=reference, X=X: model.predict_proba(X), 3)
        rows.append([name, "CategoricalNB (scikit-learn)", fit_reference, 1.0, predict_reference, 1.0])
        for label, structure in (("bayleaf NB", bl.NaiveBayes()), ("bayleaf TAN", bl.TAN())):
            model = ours(structure, X.shape[1])
            fit = best_seconds(lambda model=model, X=X, y=y: model.fit(X, y), repeats)
            predict = best_seconds(lambda model=model, X=X: model.predict_proba(X), repeats)
            rows.append([name, label, fit, fit_reference / fit, predict, predict_reference / predict])
        if peers and name in SLOW_PEERS:
            fit, predict = pyagrum_tan(X, y)
            rows.append([name, "pyAgrum TAN", fit, fit_reference / fit, predict, predict_reference / predict])
            fit = pgmpy_tan(X, y)
            rows.append([name, "pgmpy TAN (fit only)", fit, fit_reference / fit, "", ""])
    header = [
        "problem",
        "method",
        "fit s",
        "fit: times CategoricalNB's speed",
        "predict_proba s",
        "predict: times",
    ]
    report("TAN and naive Bayes, end to end from an int64 array", header, rows, "tan.csv")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    arguments = [a for a in sys.argv[1:] if not a.startswith("-")]
    run(arguments or list(PROBLEMS), peers="--peers" in sys.argv)
