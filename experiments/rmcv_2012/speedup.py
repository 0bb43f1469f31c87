"""The paper's own speed-up: a plain search for RMCV against ours, on small sets.

    python experiments/rmcv_2012/speedup.py                       # Corral, Glass2, Hayes, Iris, Pima, Tic-Tac-Toe
    python experiments/rmcv_2012/speedup.py --only Hayes

The plain search fills all tables of every neighbour anew, in every fold, and classifies the validation rows by them.
The paper's optimised one exchanges the tables of the nodes that a move changes and leaves out moves that do not touch
the class's Markov blanket; ours does the same in native code. Both searches here start from naive Bayes and use the
same folds; their risks are written down, since of equally good moves they may take different ones. Processor time of
one thread, cut points made beforehand; FOLDER/speedup.csv has the lines.
"""

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from data_sets import DataSet, available
from numpy.typing import NDArray

import bayleaf as bl
import datafolder
from bayleaf.learn.search.samples import table_folds

SETS = ("Corral", "Glass2", "Hayes", "Iris", "Pima", "Tic-Tac-Toe")
FOLDS = 4
Parents = tuple[tuple[int, ...], ...]


def encoded(data: DataSet) -> bl.data.Table:
    """Return all rows of a set as the searches see them."""
    X, y = data.load()
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), n_jobs=1, **datafolder.BY_MDLP)
    return clf.learn_table(X, y)


def neighbours(parents: Parents) -> Iterator[Parents]:
    """Yield the graphs with an arc more, an arc less, or an arc turned round."""
    for child, family in enumerate(parents):
        for parent in range(len(parents)):
            if parent == child:
                continue
            without = _with(parents, child, tuple(each for each in family if each != parent))
            if parent in family:
                yield without
                yield from _acyclic(_with(without, parent, tuple(sorted((*without[parent], child)))))
            elif child not in parents[parent]:
                yield from _acyclic(_with(parents, child, tuple(sorted((*family, parent)))))


def _with(parents: Parents, node: int, family: tuple[int, ...]) -> Parents:
    return (*parents[:node], family, *parents[node + 1 :])


def _acyclic(parents: Parents) -> Iterator[Parents]:
    waiting = set(range(len(parents)))
    while waiting:
        free = {node for node in waiting if not waiting.intersection(parents[node])}
        if not free:
            return
        waiting -= free
    yield parents


def plain_risk(table: bl.data.Table, parents: Parents, fold: NDArray[np.integer]) -> float:
    """Return the share of validation rows that networks of the other folds misclassify, every table made anew."""
    dag, target = bl.DAG.from_parents(table.names, parents), table.n_variables - 1
    wrong = 0
    for k in range(FOLDS):
        training, rest = table.take(fold != k), table.take(fold == k)
        network = bl.BayesNet(table.variables, dag, bl.MaximumLikelihood().fit(training, dag))
        wrong += int((network.log_joint(rest, target, 1).argmax(axis=1) != rest.codes[:, target]).sum())
    return wrong / table.n_rows


def plain_search(table: bl.data.Table, start: Parents, fold: NDArray[np.integer]) -> tuple[Parents, int]:
    """Climb as the paper's plain code does; return the graph and how many networks were tried."""
    now, risk, tried = start, plain_risk(table, start, fold), 1
    while True:
        risks = [(plain_risk(table, other, fold), other) for other in neighbours(now)]
        tried += len(risks)
        best, graph = min(risks, key=lambda pair: pair[0])
        if best >= risk:
            return now, tried
        now, risk = graph, best


def measure(data: DataSet) -> dict[str, object]:
    """Time both searches on one set."""
    table = encoded(data)
    last = table.n_variables - 1
    start: Parents = (*((last,) for _ in range(last)), ())
    score = bl.CrossValidatedRisk(FOLDS)
    fold = table_folds(table, FOLDS, np.random.default_rng(0), "RMCV")
    begun = time.process_time()
    found, tried = plain_search(table, start, fold)
    plain = time.process_time() - begun
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        ours = bl.HillClimbing(score, "naive").learn(table, np.random.default_rng(0))
        seconds.append(time.process_time() - begun)
    return {
        "dataset": data.paper,
        "rows": table.n_rows,
        "variables": table.n_variables,
        "networks tried": tried,
        "plain seconds": f"{plain:.3f}",
        "ours seconds": f"{min(seconds):.4f}",
        "speed-up": f"{plain / min(seconds):.0f}",
        "risk of the plain search": f"{plain_risk(table, found, fold):.5f}",
        "risk of ours": f"{plain_risk(table, ours.parent_indices, fold):.5f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--only", nargs="+", default=SETS, help="data sets by their names in the paper")
    options = parser.parse_args()
    lines = []
    for data in available():
        if data.paper in options.only:
            lines.append(measure(data))
            print(lines[-1], flush=True)
    with (options.out / "speedup.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    main()
