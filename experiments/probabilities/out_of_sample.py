"""How far the figures that a fit gives of itself are from ten-fold cross-validation.

    python experiments/probabilities/out_of_sample.py             # all sets
    python experiments/probabilities/out_of_sample.py usual       # or wide, or made: a group of sets alone
    python experiments/probabilities/out_of_sample.py --table     # what the results say, without a run

Every set is fitted once by the default, which tells `out_of_sample_`, and cross-validated in ten stratified folds
(shuffled, seed 0). Usual: sets of protocol.py with at most 2,000 rows. Wide: 32 to 300 rows (drawn with seed 0) of
sets with 50 to 230 columns. Made: rows by rule, two classes and numbers, of which five tell about the class or none.
A line per set is added to results/out_of_sample.csv, which is never rewritten; the last line of a set counts.
"""

import argparse
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import protocol
from sklearn.model_selection import StratifiedKFold

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "out_of_sample.csv"
FOLDS = 10
USUAL = [
    "vote",
    "car",
    "tic-tac-toe",
    "breast-cancer-wisconsin",
    "pima",
    "australian",
    "german",
    "vehicle",
    "hepatitis",
    "wine",
    "glass",
    "breast-cancer",
    "cleve",
    "haberman",
    "balance-scale",
    "banknote",
]
# Rows and columns that are kept.
WIDE = {
    "lung-cancer": (32, 56),
    "audiology": (226, 69),
    "syncon": (300, 60),
    "spambase": (200, 57),
    "optdigits": (300, 64),
    "usps": (300, 230),
}
MADE = {
    f"{rows} x {columns}, {telling} tell": (rows, columns, telling)
    for rows, columns in ((100, 50), (200, 100), (300, 230))
    for telling in (5, 0)
}
GROUPS = {"usual": USUAL, "wide": [*WIDE], "made": [*MADE]}
MEASURES = ("log_loss", "accuracy", "brier")


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Read or make a set."""
    rng = np.random.default_rng(0)
    if name in MADE:
        rows, columns, telling = MADE[name]
        X = rng.normal(size=(rows, columns))
        score = 1.5 * X[:, :telling].sum(axis=1) + rng.logistic(size=rows)
        return pd.DataFrame(X).add_prefix("x"), (score > 0).astype(int)
    data = protocol.load(name)
    if name not in WIDE:
        return data.X, data.y
    rows, columns = WIDE[name]
    kept = np.sort(rng.permutation(len(data.y))[:rows])
    return data.X.iloc[kept, :columns].reset_index(drop=True), data.y[kept]


def cross_validated(X: pd.DataFrame, y: np.ndarray) -> tuple[float, float, float]:
    """Return log-loss, accuracy and Brier score of ten folds; a class that no training row has is impossible."""
    posterior = np.zeros((len(y), y.max() + 1))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        clf = bl.BayesNetClassifier(n_jobs=1).fit(X.iloc[train], y[train])
        posterior[np.ix_(test, clf.classes_)] = clf.predict_proba(X.iloc[test])
    return protocol.measures(posterior, y)


def run(group: str, name: str) -> dict[str, object]:
    """Compare the two on a set."""
    X, y = load(name)
    y = np.unique(y, return_inverse=True)[1]
    clf = bl.BayesNetClassifier(n_jobs=1).fit(X, y)
    said = clf.out_of_sample_
    assert said is not None
    line: dict[str, object] = {"set": name, "group": group, "rows": len(y), "columns": X.shape[1]}
    for measure, found in zip(MEASURES, cross_validated(X, y), strict=True):
        line[f"said_{measure}"] = f"{getattr(said, measure):.4f}"
        line[f"cv_{measure}"] = f"{found:.4f}"
        line[f"frequencies_{measure}"] = f"{getattr(said, f'frequencies_{measure}'):.4f}"
    return {**line, "warned": said.shortfall() is not None, "date": datetime.now(UTC).date().isoformat()}


def table() -> pl.DataFrame:
    """Return how far apart the two are on the sets of each group, on average, and in which direction."""
    last = pl.read_csv(RESULTS).group_by("set", maintain_order=True).last()
    apart = [pl.col(f"said_{measure}") - pl.col(f"cv_{measure}") for measure in MEASURES]
    return last.group_by("group", maintain_order=True).agg(
        pl.len().alias("sets"),
        *(each.mean().alias(f"{measure}: mean") for each, measure in zip(apart, MEASURES, strict=True)),
        *(
            each.abs().mean().alias(f"{measure}: apart")
            for each, measure in zip(apart, MEASURES, strict=True)
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", default=[*GROUPS], help="usual, wide, made")
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for group in [] if given.table else given.groups:
        for name in GROUPS[group]:
            line = run(group, name)
            protocol.append(RESULTS, line)
            print(", ".join(f"{key} {value}" for key, value in line.items()), flush=True)
    with pl.Config(tbl_cols=-1, float_precision=4):
        print(table())


if __name__ == "__main__":
    main()
