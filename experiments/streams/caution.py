"""What caution is worth in partial_fit: rows of the data folder in batches, beside class frequencies and one fit.

    python experiments/streams/caution.py            # all sets of 700 rows or more and at most 100 features
    python experiments/streams/caution.py --table    # what the results say, without a run

Of each set at most 4,000 rows are taken in an order drawn at random (seed 0). The first 70 % come in batches of 100,
each predicted before it is learned; the rest is held out. A line per set has mean log-losses: of batches that come
after 500 rows (prequential) and of held-out rows, by ``partial_fit`` as it is, by counts taken as they are
(``parameters=Shrinkage()``), and by the class frequencies so far; on held-out rows also by one ``partial_fit`` of all
rows at once, and by ``fit``.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import bayleaf as bl

sys.path.insert(0, str(Path(__file__).parents[1]))
import datafolder

RESULTS = Path(__file__).parent / "results" / "caution.csv"
FEWEST, MOST, BATCH, SETTLED = 700, 4_000, 100, 500
MOST_FEATURES = 100
# The sets that are quoted: small and large, few and many classes, with features that repeat one another or do not.
QUOTED = (
    "pima",
    "german",
    "vehicle",
    "cmc",
    "yeast",
    "flare",
    "car",
    "tic-tac-toe",
    "segment",
    "spambase",
    "adult",
    "bank",
)


def log_losses(probabilities: np.ndarray, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the log-loss of each row; classes that a model does not know are impossible to it."""
    column = {label: k for k, label in enumerate(classes.tolist())}
    own = [
        row[column[label]] if label in column else 0.0 for row, label in zip(probabilities, y, strict=True)
    ]
    return -np.log(np.maximum(own, 1e-12))


def frequencies(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the share of each class; where a class has none, half a row more for each."""
    counts = np.array([(y == label).sum() for label in classes], dtype=float)
    counts += 0.0 if counts.all() else 0.5
    return counts / counts.sum()


def measure(X: pl.DataFrame, y: np.ndarray) -> dict[str, float]:
    """Learn the first rows in batches and predict the rest."""
    classes, learned = np.unique(y), int(0.7 * len(y))
    streams = {
        "partial_fit": bl.BayesNetClassifier(),
        "counts": bl.BayesNetClassifier(parameters=bl.Shrinkage()),
    }
    losses: dict[str, list[np.ndarray]] = {name: [] for name in (*streams, "frequencies")}
    for start in range(0, learned, BATCH):
        stop = min(start + BATCH, learned)
        rows, truth = X[start:stop], y[start:stop]
        if start >= SETTLED:
            for name, model in streams.items():
                losses[name].append(log_losses(model.predict_proba(rows), classes, truth))
            prior = np.tile(frequencies(y[:start], classes), (len(truth), 1))
            losses["frequencies"].append(log_losses(prior, classes, truth))
        for model in streams.values():
            model.partial_fit(rows, truth, classes=classes)
    found = {f"prequential_{name}": float(np.concatenate(each).mean()) for name, each in losses.items()}
    models = streams | {
        "one_batch": bl.BayesNetClassifier().partial_fit(X[:learned], y[:learned], classes=classes),
        "fit": bl.BayesNetClassifier().fit(X[:learned], y[:learned]),
    }
    rest, truth = X[learned:], y[learned:]
    for name, model in models.items():
        found[f"held_out_{name}"] = float(log_losses(model.predict_proba(rest), model.classes_, truth).mean())
    prior = np.tile(frequencies(y[:learned], classes), (len(truth), 1))
    found["held_out_frequencies"] = float(log_losses(prior, classes, truth).mean())
    return {"rows": learned, **{name: round(value, 4) for name, value in found.items()}}


def sets() -> dict[str, tuple[pl.DataFrame, np.ndarray]]:
    """Return the sets of the folder that are large enough, shuffled, by name."""
    found = {}
    for name in sorted(datafolder.schema()):
        if not datafolder.has(name):
            continue
        X, classes = datafolder.features_and_class(datafolder.read(name))
        if len(X) >= FEWEST and X.width <= MOST_FEATURES:
            order = np.random.default_rng(0).permutation(len(X))[:MOST]
            found[name] = (X[order], np.array(classes.cast(pl.String).to_list())[order])
    return found


def show(table: pl.DataFrame) -> None:
    """Print the sets that are quoted, the means over all, and where the frequencies are nearest."""
    with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=3, tbl_width_chars=200):
        print(table.filter(pl.col("set").is_in(QUOTED)).drop("rows"))
        print(table.drop("set", "rows").mean())
    for way in ("prequential", "held_out"):
        for name in ("partial_fit", "counts"):
            ratio = table[f"{way}_{name}"] / table[f"{way}_frequencies"]
            worst = int(ratio.arg_max())  # type: ignore[arg-type]
            print(
                f"{way}, {name}: at most {ratio[worst]:.3f} of the log-loss of the class frequencies "
                f"('{table['set'][worst]}'), above 1.01 on {(ratio > 1.01).sum()} of {len(table)} sets"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", action="store_true", help="show the results without a run")
    if not parser.parse_args().table:
        warnings.simplefilter("ignore")
        lines = []
        for name, (X, y) in sets().items():
            lines.append({"set": name, **measure(X, y)})
            print(lines[-1], flush=True)
        pl.DataFrame(lines).write_csv(RESULTS)
    show(pl.read_csv(RESULTS))


if __name__ == "__main__":
    main()
