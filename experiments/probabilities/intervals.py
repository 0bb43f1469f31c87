"""How often the intervals of the default network have the true probability, where this is known.

    python experiments/probabilities/intervals.py           # all cells, into results/intervals.csv
    python experiments/probabilities/intervals.py --table   # what the results say, without a run

Rows are drawn from known sources over 12 features of three values: 200, 1,000 and 5,000 for fit, of 2 and 5 classes.

- **tree**: a random network in which each feature has the class and one feature as parents;
- **two parents**: the same with two features as parents: no tree is right;
- **logistic**: features from a tree without the class, which follows a logistic rule of all of them.

For 300 new rows of each of ten sources, none of which was used to choose the formula, 90 % intervals
(`predict_interval`) are compared with the true probabilities: those of complete rows, and those given the values that
are left where 30 % are removed at random, summed over all values that the others may have. ``coverage`` is the share
of all intervals, of each row and class, that have the true probability, ``answer`` that of the most probable class
alone, ``width`` the mean width of its interval.
"""

import argparse
import itertools
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import protocol
from scipy.special import logsumexp

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "intervals.csv"
FEATURES, STATES = 12, 3
KINDS = {"tree": 1, "two parents": 2, "logistic": 1}
CLASSES, ROWS, REMOVED = (2, 5), (200, 1_000, 5_000), (0.0, 0.3)
SOURCES, NEW_ROWS = range(100, 110), 300  # sources 0 to 9 were used to choose the formula
LEVEL = 0.9
LOW, HIGH = 0.85, 0.95


class Source:
    """Something that rows come from, and whose probabilities are known."""

    def __init__(self, kind: str, classes: int, rng: np.random.Generator) -> None:
        self.logistic, self.classes = kind == "logistic", classes
        self.parents = [
            tuple(sorted(rng.choice(j, min(j, KINDS[kind]), replace=False).tolist())) if j else ()
            for j in range(FEATURES)
        ]
        self.prior = rng.dirichlet(np.full(classes, 5.0))
        groups = 1 if self.logistic else classes
        self.tables = [
            rng.dirichlet(np.full(STATES, 2.0), size=(STATES,) * len(parents) + (groups,))
            for parents in self.parents
        ]
        self.weights = rng.normal(size=(FEATURES, STATES, classes)) * (0.5 if classes == 2 else 1.0)

    def chances(self, X: np.ndarray, group: np.ndarray, j: int) -> np.ndarray:
        """P(value of feature j | its parents, group), [row, value]."""
        return self.tables[j][(*(X[:, k] for k in self.parents[j]), group)]

    def log_features(self, X: np.ndarray, group: int) -> np.ndarray:
        """Return log P(row | group)."""
        rows = np.arange(len(X))
        return sum(np.log(self.chances(X, np.full(len(X), group), j)[rows, X[:, j]]) for j in range(FEATURES))

    def rule(self, X: np.ndarray) -> np.ndarray:
        """Return log P(class | row) by the logistic rule."""
        scores = sum(self.weights[j][X[:, j]] for j in range(FEATURES))
        return scores - logsumexp(scores, axis=1, keepdims=True)

    def log_joint(self, X: np.ndarray) -> np.ndarray:
        """Return log P(class, row), [row, class]."""
        if self.logistic:
            return self.rule(X) + self.log_features(X, 0)[:, None]
        return np.stack(
            [np.log(self.prior[c]) + self.log_features(X, c) for c in range(self.classes)], axis=1
        )

    def draw(self, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows and their classes."""
        X = np.zeros((rows, FEATURES), dtype=int)
        labels = np.zeros(rows, dtype=int) if self.logistic else rng.choice(self.classes, rows, p=self.prior)
        for j in range(FEATURES):
            X[:, j] = drawn(self.chances(X, labels, j), rng)
        return X, drawn(np.exp(self.rule(X)), rng) if self.logistic else labels

    def posterior(self, X: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """P(class | the values that are known), summed over all values that the others may have."""
        found = np.empty((len(X), self.classes))
        for row, gaps in enumerate(missing):
            places = np.flatnonzero(gaps)
            values = np.array(list(itertools.product(range(STATES), repeat=len(places))), dtype=int)
            filled = np.tile(X[row], (len(values), 1))
            filled[:, places] = values.reshape(len(values), len(places))
            scores = logsumexp(self.log_joint(filled), axis=0)
            found[row] = np.exp(scores - logsumexp(scores))
        return found


def drawn(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a state for each row of probabilities."""
    above = rng.random(len(chances))[:, None] > chances.cumsum(axis=1)
    return above.sum(axis=1).clip(0, chances.shape[1] - 1)


def frame(X: np.ndarray, missing: np.ndarray | None = None) -> pd.DataFrame:
    found = pd.DataFrame(X.astype(str), columns=[f"x{j}" for j in range(FEATURES)])
    return found if missing is None else found.mask(missing)


def measured(kind: str, classes: int, rows: int, number: int) -> dict[float, list[float]]:
    """Return coverage and width for complete new rows, and for those with gaps, by a model of one source."""
    rng = np.random.default_rng([number, rows, classes, *kind.encode()])
    source = Source(kind, classes, rng)
    X, labels = source.draw(rows, rng)
    new, _ = source.draw(NEW_ROWS, rng)
    model = bl.BayesNetClassifier(n_jobs=1).fit(frame(X), labels)
    of_classes = model.classes_  # a rare class may not occur in 200 rows
    found = {}
    for removed in REMOVED:
        missing = rng.random(new.shape) < removed
        truth = source.posterior(new, missing)[:, of_classes]
        truth /= truth.sum(axis=1, keepdims=True)
        given = frame(new, missing)
        low, high = np.moveaxis(model.predict_interval(given, LEVEL), -1, 0)
        inside = (low <= truth) & (truth <= high)
        answer = (np.arange(NEW_ROWS), model.predict_proba(given).argmax(axis=1))
        found[removed] = [inside.mean(), inside[answer].mean(), (high - low)[answer].mean()]
    return found


def table() -> pl.DataFrame:
    """Return the results, a line for each source and number of rows; what is outside 85 to 95 % is marked."""
    lines = pl.read_csv(RESULTS)
    mark = pl.when(pl.col("coverage").is_between(LOW, HIGH)).then(pl.lit("")).otherwise(pl.lit("missed"))
    return lines.with_columns(mark.alias("target"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    if not parser.parse_args().table:
        warnings.simplefilter("ignore")
        RESULTS.unlink(missing_ok=True)
        for kind, classes, rows in itertools.product(KINDS, CLASSES, ROWS):
            found = [measured(kind, classes, rows, number) for number in SOURCES]
            for removed in REMOVED:
                means = np.mean([each[removed] for each in found], axis=0)
                line = {"truth": kind, "classes": classes, "rows": rows, "removed": removed}
                line |= dict(zip(("coverage", "answer", "width"), (f"{x:.3f}" for x in means), strict=True))
                protocol.append(RESULTS, line)
                print(*line.values(), flush=True)
    with pl.Config(tbl_rows=-1, tbl_width_chars=120):
        print(table())


if __name__ == "__main__":
    main()
