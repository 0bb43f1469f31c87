"""Class probabilities of scikit-bayes' AODE, and its CPU time; runs in an environment of its own.

python scikit_bayes_worker.py fold.npz probabilities.csv
"""

import sys
import time

import numpy as np
from skbn import AnDE


def main(source: str, sink: str) -> None:
    """Fit and predict three times, and keep the shortest times."""
    data = np.load(source)
    fit = predict = np.inf
    for _ in range(3):
        model = AnDE(n_dependence=1, categorical_features=list(range(data["X"].shape[1])), n_jobs=1)
        start = time.process_time()
        model.fit(data["X"], data["y"])
        fit = min(fit, time.process_time() - start)
        start = time.process_time()
        found = model.predict_proba(data["X_new"])
        predict = min(predict, time.process_time() - start)
    wide = np.zeros((len(found), int(data["classes"])))
    wide[:, model.classes_] = found
    header = f"{fit},{predict}"
    np.savetxt(sink, wide, delimiter=",", header=header, comments="")


if __name__ == "__main__":
    main(*sys.argv[1:])
