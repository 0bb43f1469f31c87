"""Tables 1 and 2: ten-fold cross-validation on the 43 data sets, one line per fold, resumable."""

import csv
import time
import warnings
from pathlib import Path

import numpy as np
from data import SETS, load

import bayleaf as bl
from bayleaf.evaluation import CrossValidation

RESULTS = Path(__file__).parent / "results"
FOLDS = RESULTS / "folds.csv"
COLUMNS = [
    "no", "dataset", "method", "fold", "accuracy", "seconds",
    "parents", "children", "sparse", "mb_size", "max_parents", "removed",
]  # fmt: skip
METHODS = ["NB-EAP", "TAN-aCLL", "GBN-BDeu", "ANB-BDeu", "fsANB-BDeu", "MC-DAG"]
# The search of MC-DAG is written for small data.
LARGEST_MCDAG = 100_000


def build(method: str, categorical: list[str]) -> bl.BayesNetClassifier:
    if method == "NB-EAP":
        return bl.BayesNetClassifier(
            bl.NaiveBayes(), bl.Dirichlet(), bl.MedianSplit(), categorical_features=categorical
        )
    built: bl.BayesNetClassifier = bl.classifier(method, categorical_features=categorical, random_state=0)
    return built


def structure(clf: bl.BayesNetClassifier, X: object, features: int) -> dict[str, float]:
    """Return what Table 2 tells of a network; `sparse`: configurations of the class's parents without rows."""
    network = clf.network_
    target = network.nodes[-1]
    parents = network.parents(target)
    sparse = 0.0
    if parents:
        codes = clf.encode(X).codes[:, [network.nodes.index(name) for name in parents]]
        possible = np.prod([network.variable(name).arity for name in parents])
        sparse = float(possible) - len(np.unique(codes, axis=0))
    return {
        "parents": len(parents),
        "children": len(network.children(target)),
        "sparse": sparse,
        "mb_size": len(network.markov_blanket(target)),
        "max_parents": max(len(network.parents(name)) for name in network.nodes),
        "removed": features + 1 - len(network.nodes),
    }


def run(numbers: list[int], methods: list[str], largest: int) -> None:
    RESULTS.mkdir(exist_ok=True)
    done = set()
    if FOLDS.exists():
        with FOLDS.open() as handle:
            done = {(row["dataset"], row["method"], int(row["fold"])) for row in csv.DictReader(handle)}
    else:
        FOLDS.write_text(",".join(COLUMNS) + "\n")
    protocol = CrossValidation(folds=10)
    for number in numbers:
        slug = SETS[number]
        X, y, categorical = load(slug)
        target = y.to_numpy()
        if X.width > largest:
            continue
        for method in methods:
            if method == "MC-DAG" and X.width**2 * X.height > LARGEST_MCDAG:
                continue
            for fold in range(10):
                if (slug, method, fold) in done:
                    continue
                split = protocol.split(target, 0, fold)
                line = run_fold(build(method, categorical), X, target, split)
                line |= {"no": number, "dataset": slug, "method": method, "fold": fold}
                with FOLDS.open("a", newline="") as handle:
                    csv.DictWriter(handle, COLUMNS).writerow(line)
        print(number, slug, flush=True)


def run_fold(clf: bl.BayesNetClassifier, X: object, y: np.ndarray, split: object) -> dict[str, object]:
    train, test = X[split.train], X[split.test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values that only the test rows have, classes with few rows
        start = time.perf_counter()
        clf.fit(train, y[split.train])
        seconds = time.perf_counter() - start
        accuracy = float((clf.predict(test) == y[split.test]).mean())
        return {
            "accuracy": f"{accuracy:.6f}",
            "seconds": f"{seconds:.4f}",
            **structure(clf, train, X.width),
        }
