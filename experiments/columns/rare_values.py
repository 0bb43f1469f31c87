"""Which categories are rare: the default of ``min_frequency`` and ``max_categories``, chosen on data.

    python experiments/columns/rare_values.py

Naive Bayes and TAN are cross-validated (5 folds, at most 10,000 rows of a set) on all data sets with a category in
fewer than 20 rows. The table of mean changes goes to results/rare_values.md.
Data sets are found through BAYLEAF_DATA.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import bayleaf as bl
import datafolder

LIMITS = [{"min_frequency": k} for k in (2, 3, 5, 10, 20)] + [{"max_categories": k} for k in (5, 10, 20)]
STRUCTURES = {"NB": bl.NaiveBayes(), "TAN": bl.TAN()}


def load(name: str) -> tuple[pl.DataFrame, np.ndarray]:
    """Read a set; categories are those that occur."""
    frame = datafolder.read(name)
    if frame.height > 10_000:
        frame = frame.sample(10_000, seed=0)
    X, y = datafolder.features_and_class(frame.with_columns(pl.col(pl.Enum).cast(pl.String)))
    counts = y.value_counts()
    kept = y.is_in(counts.filter(pl.col("count") >= 5)[y.name].implode())
    return X.filter(kept).with_columns(pl.col(pl.String).cast(pl.Categorical)), y.filter(kept).cast(
        pl.String
    ).to_numpy()


def has_rare(X: pl.DataFrame) -> bool:
    """Whether a category is in fewer than 20 rows."""
    return any(
        column.dtype == pl.Categorical and int(column.drop_nulls().value_counts()["count"].min() or 20) < 20
        for column in X
    )


def score(X: pl.DataFrame, y: np.ndarray, structure: object, limits: dict[str, int]) -> tuple[float, float]:
    """Return log-loss and accuracy."""
    found = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(y, y):
        learners = {"structure": structure, "parameters": bl.Dirichlet(), "discretizer": bl.MDLP()}
        clf = bl.BayesNetClassifier(**learners, **limits, n_jobs=1).fit(X[train], y[train])
        posterior = clf.predict_proba(X[test])
        loss = log_loss(y[test], posterior, labels=clf.classes_)
        found.append((loss, (clf.decide(posterior) == y[test]).mean()))
    loss, accuracy = np.mean(found, axis=0)
    return float(loss), float(accuracy)


def main() -> None:
    warnings.simplefilter("ignore")
    changes: dict[tuple[str, str], list[tuple[float, float]]] = {}
    names = []
    for name in datafolder.schema():
        if not datafolder.has(name):
            continue
        X, y = load(name)
        if not has_rare(X) or name in ("poker-hand",):
            continue
        names.append(name)
        print(name, flush=True)
        for shown, structure in STRUCTURES.items():
            before = score(X, y, structure, {})
            for limits in LIMITS:
                after = score(X, y, structure, limits)
                key = (shown, ", ".join(f"{what} {k}" for what, k in limits.items()))
                changes.setdefault(key, []).append((after[0] - before[0], after[1] - before[1]))
    lines = [
        "# Rare categories\n",
        f"Made by `rare_values.py` from {len(names)} data sets: {', '.join(names)}. Mean changes against no limit; "
        "in brackets the sets that gain and lose more than 0.002. None helps both networks: by default nothing is "
        "pooled.\n",
        "| network | limit | log-loss | accuracy |",
        "| --- | --- | --- | --- |",
    ]
    for (shown, limit), values in changes.items():
        loss, accuracy = np.array(values).T
        lines.append(
            f"| {shown} | {limit} | {loss.mean():+.4f} ({(loss < -0.002).sum()}, {(loss > 0.002).sum()}) "
            f"| {accuracy.mean():+.4f} ({(accuracy > 0.002).sum()}, {(accuracy < -0.002).sum()}) |"
        )
    (Path(__file__).parent / "results" / "rare_values.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
