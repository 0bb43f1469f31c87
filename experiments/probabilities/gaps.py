"""What is left of the probabilities when values of new rows are missing: 10, 30 and 50 % of them, at random.

    python experiments/probabilities/gaps.py             # all sets and models
    python experiments/probabilities/gaps.py --table     # what the results say, without a run

Models are fitted to the training rows of the first fold of protocol.py and predict its test rows, of which each value
was removed with the same chance (seed 0). A line per set, model and share is added to results/gaps.csv, which is
never rewritten; the last line of each counts. One network sums missing values out; shrunk is the same graph with
`Shrinkage` tables; boosted trees have ways of their own.
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
from sklearn.ensemble import HistGradientBoostingClassifier

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "gaps.csv"
SHARES = (0.0, 0.1, 0.3, 0.5)
SETS = [
    "vote",
    "breast-cancer-wisconsin",
    "pima",
    "australian",
    "german",
    "vehicle",
    "tic-tac-toe",
    "car",
    "hepatitis",
    "wine",
    "glass",
    "breast-cancer",
    "cleve",
    "haberman",
    "balance-scale",
    "banknote",
    "cmc",
    "yeast",
    "vowel",
    "zoo",
    "lymphography",
    "primary-tumor",
    "flare",
    "led7",
]


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)


MODELS: dict[str, Callable[[], Any]] = {
    "one network": lambda: bl.BayesNetClassifier(n_jobs=1),
    "shrunk": lambda: bl.BayesNetClassifier(parameters=bl.Shrinkage(), n_jobs=1),
    "pool": lambda: bl.NetworkPool(n_jobs=1),
    "HistGradientBoosting": lambda: HistGradientBoostingClassifier(
        categorical_features="from_dtype", random_state=0
    ),
    "LightGBM": lightgbm,
}


def as_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Return the table with texts as pandas categories, as boosted trees want them."""
    texts = X.select_dtypes(exclude="number").columns
    return X.astype(dict.fromkeys(texts, "category"))


def run(name: str, model: str) -> list[dict[str, object]]:
    """Fit a model to a set and predict test rows with ever more gaps."""
    data = protocol.load(name)
    train = data.fold != 0
    X = data.X if model in ("one network", "shrunk", "pool") else as_categories(data.X)
    clf = MODELS[model]().fit(X[train], data.y[train])
    chance = np.random.default_rng(0).random(X[~train].shape)
    lines = []
    for share in SHARES:
        posterior = np.zeros(((~train).sum(), data.classes))
        posterior[:, clf.classes_] = clf.predict_proba(X[~train].mask(chance < share))
        found = protocol.measures(posterior, data.y[~train])
        measured = dict(zip(("log_loss", "accuracy", "brier"), (f"{x:.5f}" for x in found), strict=True))
        today = datetime.now(UTC).date().isoformat()
        lines.append({"dataset": name, "model": model, "removed": share, **measured, "date": today})
    return lines


def table() -> pl.DataFrame:
    """Return the mean log-loss and accuracy of each model by share, over the sets that all models have."""
    last = pl.read_csv(RESULTS).group_by("dataset", "model", "removed", maintain_order=True).last()
    models = last["model"].n_unique()
    whole = last.filter(pl.col("model").n_unique().over("dataset") == models)
    means = whole.group_by("model", "removed", maintain_order=True).agg(
        pl.len().alias("sets"), pl.col("log_loss", "accuracy").mean()
    )
    return means.pivot("removed", index=["model", "sets"], values=["log_loss", "accuracy"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--models", default=";".join(MODELS))
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in [] if given.table else given.sets.split(","):
        for model in given.models.split(";"):
            lines = run(name, model)
            for line in lines:
                protocol.append(RESULTS, line)
            print(name, model, *(f"{line['removed']}: {line['log_loss']}" for line in lines), flush=True)
    with pl.Config(tbl_cols=-1, tbl_rows=-1, float_precision=3):
        print(table())


if __name__ == "__main__":
    main()
