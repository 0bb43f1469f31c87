"""Risk minimisation in which zeros stay zeros, in the search and in the tables.

    python experiments/rmcv_2012/zeros.py Letter --folds 1        # RMCV (NBC), folds of the first repetition

Relative frequencies are taken as they are: an unseen value has probability 0, and so have all values under parents
that were never seen together. Where no class is left the first one is predicted. That is what the toolbox does which
the authors used (checks.py). A search in Python, slow on large sets. Adds lines to FOLDER/zeros_search.csv; what that
has is not done again.
"""

import argparse
import csv
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from checks import with_zeros
from compared import networks
from data_sets import available
from numpy.typing import NDArray

import bayleaf as bl
from bayleaf.benchmark import CrossValidation
from bayleaf.learn.search import Evaluator
from bayleaf.learn.search.log_joint import Change
from bayleaf.learn.search.samples import table_folds

# Logarithms of the terms, a line per class or one for all.
Terms = NDArray[np.float64]
# Stands for the logarithm of zero: far below all sums of logarithms, and small enough for these to keep their digits.
NONE = -1e5
TIE = 1e-9  # sums and differences of the same terms: what is equal on paper may differ by rounding


class ZerosKept:
    """Minus the share of rows that networks of the other folds misclassify, zeros kept; for `HillClimbing`."""

    def __init__(self, folds: int = 4) -> None:
        self.folds = folds

    def evaluator(self, table: bl.data.Table, dag: bl.DAG, rng: np.random.Generator) -> "ZerosEvaluator":
        """Start at a graph."""
        return ZerosEvaluator(table, dag, table_folds(table, self.folds, rng, "RMCV"))


class ZerosEvaluator(Evaluator):
    """A network whose terms are kept for every class and row."""

    def __init__(self, table: bl.data.Table, dag: bl.DAG, fold: NDArray[np.integer]) -> None:
        self._codes = [np.asarray(column, dtype=np.intp) for column in table.codes.T]
        self._arities = [int(arity) for arity in table.arities]
        self._target = table.n_variables - 1
        self._fold = np.asarray(fold, dtype=np.intp)
        self._parents = [tuple(parents) for parents in dag.parent_indices]
        self._own = [self._terms(node, parents) for node, parents in enumerate(self._parents)]
        self._sum = np.zeros((self._arities[self._target], table.n_rows))
        for terms in self._own:
            self._sum += terms

    @property
    def value(self) -> float:
        """Minus the share of wrong decisions."""
        return self._score(self._sum)

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        scores = []
        for change in changes:
            after = self._sum
            for node, parents in change.items():
                after = after + (self._terms(node, tuple(parents)) - self._own[node])
            scores.append(self._score(after))
        return np.array(scores)

    def commit(self, change: Change) -> None:
        """Make a change."""
        for node, parents in change.items():
            new = self._terms(node, tuple(parents))
            self._sum += new - self._own[node]
            self._parents[node], self._own[node] = tuple(parents), new

    def _score(self, sums: NDArray[np.float64]) -> float:
        """Minus the share of rows whose class is not the first of the best, or of all where none is left."""
        labels = self._codes[self._target]
        best = sums.max(axis=0)
        tied = sums >= best - TIE
        right = tied[labels, np.arange(len(labels))]
        several = np.flatnonzero(tied.sum(axis=0) > 1)
        right[several] = tied[:, several].argmax(axis=0) == labels[several]
        none = best < NONE / 2
        right[none] = labels[none] == 0
        return -float((~right).mean())

    def _terms(self, node: int, parents: tuple[int, ...]) -> Terms:
        """Return the terms of a family for every row, from the rows of other folds."""
        family = (*parents, node)
        shape = [self._arities[each] for each in family]
        place = np.ravel_multi_index([self._codes[each] for each in family], shape)
        cells, folds = int(np.prod(shape)), int(self._fold.max()) + 1
        inside = np.bincount(self._fold * cells + place, minlength=folds * cells).reshape(
            folds, -1, shape[-1]
        )
        counts = inside.sum(axis=0) - inside
        totals = counts.sum(axis=-1, keepdims=True)
        shares = counts / np.where(totals > 0, totals, 1)
        table = np.where(counts > 0, np.log(np.where(counts > 0, shares, 1.0)), NONE).ravel()
        places = self._fold * cells + place
        if self._target in family:
            at = family.index(self._target)
            stride = int(np.prod(shape[at + 1 :]))
            first = places - stride * self._codes[self._target]
            return table[first + stride * np.arange(shape[at])[:, None]]
        return table[places[None, :]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", nargs="+", help="data sets by their names in the paper")
    parser.add_argument("--folds", type=int, default=5, help="how many of the five folds")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    path = options.out / "zeros_search.csv"
    finished = set()
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            finished = {(line["dataset"], int(line["fold"])) for line in csv.DictReader(file)}
    for data in available():
        if data.paper not in options.only:
            continue
        X, y = data.load()
        truth = np.asarray(y)
        for fold in range(options.folds):
            if (data.paper, fold) in finished:
                continue
            split = CrossValidation(folds=5).split(truth, 0, fold)
            (clf,) = networks(("RMCV (NBC)",)).values()
            clf.set_params(random_state=0, structure__score=ZerosKept())
            clf.fit(X[split.train], y[split.train])
            training = clf.learn_table(X[split.train], y[split.train])
            best, _ = with_zeros(clf, training, clf.encode(X[split.test]).codes)
            right = np.asarray(training.variables[training.target].states)[best] == truth[split.test]
            new = not path.exists()
            with path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                if new:
                    writer.writerow(("dataset", "fold", "accuracy", "arcs"))
                writer.writerow((data.paper, fold, f"{right.mean():.5f}", len(clf.network_.arcs)))
            print(data.paper, fold, right.mean(), len(clf.network_.arcs), flush=True)


if __name__ == "__main__":
    main()
