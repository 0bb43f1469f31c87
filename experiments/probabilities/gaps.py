"""What is left of the probabilities when values of new rows are missing.

    python experiments/probabilities/gaps.py             # all sets and models
    python experiments/probabilities/gaps.py --trained   # the same where training rows have gaps too
    python experiments/probabilities/gaps.py --table     # what the results say, without a run

Models are fitted to the training rows of the first fold of protocol.py and predict its test rows, of which 10, 30 and
50 % of the values were removed at random (seed 0), or all; or a third of the columns in all rows ("third": the mean
over three blocks of columns, seed 5). With --trained, 10 and 30 % of the values of training rows were removed before
(seed 7). A line per set, model and share is added to results/gaps.csv, which is never rewritten; the last line of
each counts. One network sums missing values out; shrunk is the same graph with `Shrinkage` tables; boosted trees have
ways of their own. Logistic regression gets the mean in place of a number, "(missing)" in place of a category.
"""

import argparse
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import protocol
from peers import PEERS
from sklearn.ensemble import HistGradientBoostingClassifier

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "gaps.csv"
SHARES = (0.0, 0.1, 0.3, 0.5, 1.0)
OF_TRAINING = (0.1, 0.3)
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
    "LogisticRegression": PEERS["LogisticRegression"],
}


def as_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Return the table with texts as pandas categories, as boosted trees want them."""
    texts = X.select_dtypes(exclude="number").columns
    return X.astype(dict.fromkeys(texts, "category"))


def removals(shape: tuple[int, int]) -> dict[str, list[np.ndarray]]:
    """Return which values of test rows are removed: for each way one mask or several, whose figures are averaged."""
    chance = np.random.default_rng(0).random(shape)
    ways = {f"{share:g}": [chance < share] for share in SHARES}
    columns = np.random.default_rng(5).permutation(shape[1])
    blocks = [np.isin(np.arange(shape[1]), block) for block in np.array_split(columns, 3)]
    return {**ways, "third": [np.tile(block, (shape[0], 1)) for block in blocks]}


def run(name: str, model: str, trained: float) -> list[dict[str, object]]:
    """Fit a model to a set and predict test rows with ever more gaps."""
    data = protocol.load(name)
    train = data.fold != 0
    X = as_categories(data.X) if model in ("HistGradientBoosting", "LightGBM") else data.X
    rows = X[train]
    if trained:
        rows = rows.mask(np.random.default_rng(7).random(rows.shape) < trained)
    clf = MODELS[model]().fit(rows, data.y[train])
    lines = []
    for removed, masks in removals(X[~train].shape).items():
        found = []
        for mask in masks:
            posterior = np.zeros(((~train).sum(), data.classes))
            posterior[:, clf.classes_] = clf.predict_proba(X[~train].mask(mask))
            found.append(protocol.measures(posterior, data.y[~train])[:3])
        means = (f"{x:.5f}" for x in np.mean(found, axis=0))
        line = {"dataset": name, "model": model, "trained": trained, "removed": removed}
        today = datetime.now(UTC).date().isoformat()
        lines.append(
            {**line, **dict(zip(("log_loss", "accuracy", "brier"), means, strict=True)), "date": today}
        )
    return lines


def table() -> pl.DataFrame:
    """Return the mean log-loss of each model over the sets, by what was removed of training and test rows."""
    keys = ["dataset", "model", "trained", "removed"]
    lines = pl.read_csv(RESULTS, schema_overrides={"trained": pl.Float64, "removed": pl.String})
    last = lines.group_by(keys, maintain_order=True).last()
    means = last.group_by("trained", "model", "removed", maintain_order=True).agg(
        pl.len().alias("sets"), pl.col("log_loss").mean()
    )
    return means.pivot("removed", index=["trained", "model", "sets"], values="log_loss")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--models", default=";".join(MODELS))
    parser.add_argument("--trained", action="store_true", help="remove values of training rows too")
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in [] if given.table else given.sets.split(","):
        for model, trained in product(given.models.split(";"), OF_TRAINING if given.trained else (0.0,)):
            lines = run(name, model, trained)
            for line in lines:
                protocol.append(RESULTS, line)
            found = (f"{line['removed']}: {line['log_loss']}" for line in lines)
            print(name, model, trained or "", *found, flush=True)
    with pl.Config(tbl_cols=-1, tbl_rows=-1, tbl_width_chars=120, float_precision=3):
        print(table())


if __name__ == "__main__":
    main()
