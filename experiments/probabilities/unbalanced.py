"""How honest probabilities are where one row in a hundred is positive: Brier score and reliability.

    python experiments/probabilities/unbalanced.py             # all sets and models
    python experiments/probabilities/unbalanced.py --table     # what the results say, without a run

One class of a set is positive, all others are negative, and rows are left out at random (seed 0) until one in a
hundred is positive; at most 10,000 rows. Stratified five-fold cross-validation (shuffled, seed 0). A line per set and
model is added to results/unbalanced.csv, which is never rewritten; the last line of each counts. Reliability: rows
in ten bins of equally many, by the probability of being positive that the model gives; said and seen are the mean
probability and the share of positives of each bin, and the calibration error is their mean distance.
"""

import argparse
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import protocol
from gaps import as_categories, lightgbm
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "unbalanced.csv"
ONE_IN, BINS, FOLDS = 100, 10, 5
# Of the classes of each set, in their order, the one that is positive.
SETS = {"adult": 1, "bank": 1, "magic": 1, "connect-4": 0, "nursery": 1, "letter": 0}

MODELS: dict[str, Callable[[], Any]] = {
    "one network": lambda: bl.BayesNetClassifier(n_jobs=1),
    "HistGradientBoosting": lambda: HistGradientBoostingClassifier(
        categorical_features="from_dtype", random_state=0
    ),
    "LightGBM": lightgbm,
}


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Read a set and leave out rows until one in a hundred is positive."""
    data, rng = protocol.load(name), np.random.default_rng(0)
    positive = data.y == SETS[name]
    own, others = (rng.permutation(np.flatnonzero(mask)) for mask in (positive, ~positive))
    kept = min(len(own), len(others) // (ONE_IN - 1))
    rows = np.sort(np.concatenate([own[:kept], others[: kept * (ONE_IN - 1)]]))
    return data.X.iloc[rows].reset_index(drop=True), positive[rows].astype(int)


def run(name: str, model: str) -> dict[str, object]:
    """Cross-validate a model on a set."""
    X, y = load(name)
    X = X if model == "one network" else as_categories(X)
    said = np.empty(len(y))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        said[test] = MODELS[model]().fit(X.iloc[train], y[train]).predict_proba(X.iloc[test])[:, 1]
    bins = np.array_split(np.argsort(said, kind="stable"), BINS)
    means = [(float(said[rows].mean()), float(y[rows].mean())) for rows in bins]
    losses = -np.log(np.clip(np.where(y == 1, said, 1 - said), 1e-15, 1))
    return {
        "dataset": name,
        "model": model,
        "rows": len(y),
        "positive": int(y.sum()),
        "log_loss": f"{losses.mean():.5f}",
        "brier": f"{((said - y) ** 2).mean():.5f}",
        "frequencies_brier": f"{y.mean() * (1 - y.mean()):.5f}",
        "auc": f"{roc_auc_score(y, said):.4f}",
        "calibration_error": f"{np.mean([abs(p - q) for p, q in means]):.5f}",
        "said": " ".join(f"{p:.4f}" for p, _ in means),
        "seen": " ".join(f"{q:.4f}" for _, q in means),
        "date": datetime.now(UTC).date().isoformat(),
    }


def table() -> pl.DataFrame:
    """Return the means of each model over the sets."""
    last = pl.read_csv(RESULTS).group_by("dataset", "model", maintain_order=True).last()
    measures = pl.col("log_loss", "brier", "frequencies_brier", "auc", "calibration_error")
    return last.group_by("model", maintain_order=True).agg(pl.len().alias("sets"), measures.mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in () if given.table else SETS:
        for model in MODELS:
            line = run(name, model)
            protocol.append(RESULTS, line)
            print(", ".join(f"{key} {value}" for key, value in line.items()), flush=True)
    with pl.Config(tbl_cols=-1, float_precision=5):
        print(table())


if __name__ == "__main__":
    main()
