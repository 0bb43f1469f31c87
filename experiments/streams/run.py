"""Streams whose meaning changes: TAN that forgets, beside river's naive Bayes and Hoeffding trees.

Two streams of 12,000 rows, made by rule:

- ``sea``: three numbers between 0 and 10, the class is whether the first two add up to less than a limit, which jumps
  three times (Street and Kim 2001); every tenth label is wrong.
- ``shops``: eight categories; the class depends on how two of them go together, and the other six follow one of these
  loosely. Which of three pairs counts changes by degrees, from row 4,000 to 5,000 and from row 8,000 to 9,000.

Each batch of 100 rows is predicted, then learned. River's models learn row by row. Needs river:
``pip install river``.

    python experiments/streams/run.py
"""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from river import naive_bayes, preprocessing, tree
from sklearn.base import BaseEstimator, ClassifierMixin

import bayleaf as bl
from bayleaf.benchmark import prequential
from bayleaf.quality import Measure, Outcome, log_loss, zero_one_loss

ROWS, BATCH = 12_000, 100
RESULTS = Path(__file__).parent / "results"


class RiverModel(ClassifierMixin, BaseEstimator):
    """A model of river as scikit-learn would have it: rows are learned one after the other."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def partial_fit(self, X: pl.DataFrame, y: Any, classes: Any = None) -> "RiverModel":
        """Learn the rows."""
        if not hasattr(self, "model_"):
            self.model_, self.classes_ = self.model.clone(), np.asarray(classes)
        for row, label in zip(X.to_dicts(), np.asarray(y).tolist(), strict=True):
            self.model_.learn_one(row, label)
        return self

    def predict_proba(self, X: pl.DataFrame) -> np.ndarray:
        """Probabilities of the classes; the same for all where river has none."""
        out = np.empty((len(X), len(self.classes_)))
        for k, row in enumerate(X.to_dicts()):
            found = self.model_.predict_proba_one(row)
            out[k] = [found.get(label, 0.0) for label in self.classes_.tolist()]
        out[out.sum(axis=1) == 0] = 1.0
        return out / out.sum(axis=1, keepdims=True)


def sea(rng: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
    numbers = rng.uniform(0, 10, (ROWS, 3))
    limits = np.repeat([8.0, 9.5, 7.0, 9.0], ROWS // 4)
    y = numbers[:, 0] + numbers[:, 1] <= limits
    wrong = rng.random(ROWS) < 0.1
    return pl.DataFrame(numbers, schema=["a", "b", "c"]), np.where(y ^ wrong, "low", "high")


def shops(rng: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
    codes = rng.integers(0, 4, (ROWS, 8))
    follows = rng.random((ROWS, 6)) < 0.5
    codes[:, 2:] = np.where(follows, codes[:, [0, 1, 0, 1, 0, 1]], codes[:, 2:])
    row = np.arange(ROWS)
    turned = (rng.random(ROWS) < (row - 4_000) / 1_000).astype(int) + (
        rng.random(ROWS) < (row - 8_000) / 1_000
    )
    pairs = np.array([[0, 1], [2, 3], [4, 5]])[turned]
    first, second = codes[row, pairs[:, 0]], codes[row, pairs[:, 1]]
    y = np.where(rng.random(ROWS) < 0.1, rng.integers(0, 4, ROWS), (first + second) % 4)
    words = np.array(["north", "south", "east", "west"])
    return pl.DataFrame({f"shop{j}": words[codes[:, j]] for j in range(8)}), words[y]


def methods(stream: str) -> dict[str, Any]:
    numbers = stream == "sea"
    naive = naive_bayes.GaussianNB() if numbers else preprocessing.OneHotEncoder() | naive_bayes.BernoulliNB()
    nominal = None if numbers else [f"shop{j}" for j in range(8)]
    trees = {
        "river Hoeffding tree": tree.HoeffdingTreeClassifier(nominal_attributes=nominal),
        "river adaptive Hoeffding tree": tree.HoeffdingAdaptiveTreeClassifier(
            nominal_attributes=nominal, seed=0
        ),
    }
    ours = {
        "bayleaf naive Bayes": bl.BayesNetClassifier(bl.NaiveBayes()),
        "bayleaf TAN": bl.BayesNetClassifier(bl.TAN()),
        "bayleaf TAN, counts as they are": bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage()),
        "bayleaf TAN, half-life 1,000": bl.BayesNetClassifier(bl.TAN(), half_life=1_000.0),
        "bayleaf TAN, half-life 3,000": bl.BayesNetClassifier(bl.TAN(), half_life=3_000.0),
    }
    peers = {"river naive Bayes": naive, **trees}
    return ours | {name: RiverModel(model) for name, model in peers.items()}


def main() -> None:
    RESULTS.mkdir(exist_ok=True)
    lines = []
    for name, make in {"sea": sea, "shops": shops}.items():
        X, y = make(np.random.default_rng(7))
        losses: list[float] = []

        def error(outcome: Outcome, losses: list[float] = losses) -> float:
            losses.append(log_loss(outcome))
            return zero_one_loss(outcome)

        errors = prequential(methods(name), X, y, batch=BATCH, measure=Measure("error", error))
        by_method = np.array(losses).reshape(len(errors.values), -1).mean(axis=1)
        lines += [
            {
                "stream": name,
                "method": method,
                "accuracy": round(1 - errors.mean(method), 4),
                "log_loss": round(float(loss), 4),
                "cpu_seconds": round(errors.seconds[method], 1),
            }
            for method, loss in zip(errors.values, by_method, strict=True)
        ]
        errors.to_frame().write_csv(RESULTS / f"{name}_errors.csv", float_precision=3)
        errors.plot(window=5).savefig(RESULTS / f"{name}.png", dpi=80)
    table = pl.DataFrame(lines)
    table.write_csv(RESULTS / "summary.csv")
    with pl.Config(tbl_rows=-1, fmt_str_lengths=40):
        print(table)


if __name__ == "__main__":
    main()
