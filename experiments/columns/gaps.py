"""What to do with missing values in fit: ``missing="available"``, ``"auto"`` and ``"state"`` on data sets with gaps.

    python experiments/columns/gaps.py               # all sets with gaps
    python experiments/columns/gaps.py --only vote   # one of them

Naive Bayes and TAN with counted tables are cross-validated (5 folds, three times where there are fewer than 2,000
rows; at most 20,000 rows of a set). Log-loss and accuracy of every set, network and way are kept in results/gaps.csv
and not measured again; the table goes to results/gaps.md. Data sets are found through BAYLEAF_DATA.
"""

import argparse
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

WAYS = ("available", "auto", "state")
COUNTED = {"parameters": bl.Dirichlet(), "discretizer": bl.MDLP()}
NETWORKS = {
    "NB": {"structure": bl.NaiveBayes(), **COUNTED},
    "TAN": {"structure": bl.TAN(), **COUNTED},
}
MOST_ROWS, FEW_ROWS, FOLDS = 20_000, 2_000, 5


def load(name: str) -> tuple[pl.DataFrame, np.ndarray]:
    """Read a set, without classes that have fewer rows than there are folds."""
    frame = datafolder.read(name)
    if frame.height > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, seed=0)
    X, y = datafolder.features_and_class(frame)
    sizes = y.value_counts()
    kept = y.is_in(sizes.filter(pl.col("count") >= FOLDS)[y.name].implode())
    return X.filter(kept), y.filter(kept).cast(pl.String).to_numpy()


def measure(name: str) -> list[dict[str, object]]:
    """Return one line per network and way."""
    X, y = load(name)
    splits = [
        split
        for seed in range(3 if len(y) < FEW_ROWS else 1)
        for split in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y)
    ]
    lines = []
    for network, learners in NETWORKS.items():
        for way in WAYS:
            scores, states = [], []
            for train, test in splits:
                clf = bl.BayesNetClassifier(**learners, missing=way, n_jobs=1).fit(X[train], y[train])
                posterior = clf.predict_proba(X[test])
                right = float((clf.decide(posterior) == y[test]).mean())
                scores.append((log_loss(y[test], posterior, labels=clf.classes_), right))
                states.append(sum(variable.gap for variable in clf.schema_.features))
            loss, accuracy = np.mean(scores, axis=0)
            lines.append(
                {
                    "set": name,
                    "rows": len(y),
                    "columns": X.width,
                    "with gaps": sum(column.null_count() > 0 for column in X),
                    "gaps": sum(X.null_count().row(0)),
                    "network": network,
                    "way": way,
                    "states": round(float(np.mean(states)), 1),
                    "log-loss": round(float(loss), 5),
                    "accuracy": round(float(accuracy), 5),
                }
            )
    return lines


def table(frame: pl.DataFrame) -> str:
    """Return the sets one by one and their means, in Markdown."""
    header = ["data set", "rows", "columns with missing values", "of these a state"]
    header += [f"{network} {way}" for network in NETWORKS for way in WAYS]
    lines = [header, [":---", *["---:"] * (len(header) - 1)]]
    for (name,), group in frame.group_by("set", maintain_order=True):
        by = {(each["network"], each["way"]): each for each in group.iter_rows(named=True)}
        first = by["NB", "auto"]
        cells = [str(name), f"{first['rows']:,}", f"{first['with gaps']}", f"{first['states']:g}"]
        for network in NETWORKS:
            losses = [f"{by[network, way]['log-loss']:.3f}" for way in WAYS]
            for way, loss in zip(WAYS, losses, strict=True):
                shown = f"**{loss}**" if loss == min(losses, key=float) else loss
                cells.append(f"{shown} / {by[network, way]['accuracy']:.3f}")
        lines.append(cells)
    means = {
        (network, way): (loss, accuracy)
        for network, way, loss, accuracy in frame.group_by("network", "way")
        .agg(pl.col("log-loss").mean(), pl.col("accuracy").mean())
        .iter_rows()
    }
    every = [means[network, way] for network in NETWORKS for way in WAYS]
    lines.append(["mean", "", "", "", *(f"{loss:.4f} / {accuracy:.4f}" for loss, accuracy in every)])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", help="data sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = Path(__file__).parent / "results"
    kept = results / "gaps.csv"
    frame = pl.read_csv(kept) if kept.exists() else pl.DataFrame()
    for name in options.only or sorted(datafolder.schema()):
        done = frame.height and name in frame["set"]
        if done or not datafolder.has(name) or not sum(load(name)[0].null_count().row(0)):
            continue
        frame = pl.concat([frame, pl.DataFrame(measure(name))])
        frame.write_csv(kept)
        print(name, flush=True)
    (results / "gaps.md").write_text(
        "# Missing values\n\nMade by `gaps.py`: log-loss / accuracy, the best log-loss of each network in bold.\n\n"
        + table(frame)
    )


if __name__ == "__main__":
    main()
