"""Which whole numbers keep one state per value: the two limits of ``categorical_features="auto"``, chosen on data.

    python experiments/columns/whole_numbers.py                # all data sets that have such columns
    python experiments/columns/whole_numbers.py --only heart   # one more, where it is not measured yet

Each set is read as its CSV file is written, so that codes written as integers are integers. For every pair of limits
(most values of a column, fewest rows per value) naive Bayes and TAN are cross-validated (5 folds, three times where
there are fewer than 2,000 rows; at most 20,000 rows of a set). Columns beyond the limits are cut by MDLP, as all were
before. What is measured is kept in results/folds.csv and not repeated; the tables go to results/whole_numbers.md.
Data sets are found through BAYLEAF_DATA.
"""

import argparse
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import bayleaf as bl
import datafolder
from bayleaf.data.numbers import FEWEST_ROWS as ROWS
from bayleaf.data.numbers import MOST_VALUES as MOST
from bayleaf.tables import read_data

MOST_VALUES = (2, 3, 5, 8, 10, 12, 16, 20, 30)
FEWEST_ROWS = (1, 5, 10, 20, 30, 50, 100)
STRUCTURES = {"NB": bl.NaiveBayes(), "TAN": bl.TAN()}
NEVER = (0, 1)
CHOSEN = (MOST, ROWS)
# Sets that repeat another one, or part of it.
LEFT_OUT = ("flare", "led7digit-500", "poker-hand")


def between(values: pl.Series) -> np.ndarray:
    """Return the midpoints between neighbouring values."""
    levels = values.drop_nulls().unique().sort().to_numpy()
    return (levels[1:] + levels[:-1]) / 2


def load(name: str) -> tuple[pl.DataFrame, np.ndarray]:
    """Read a set as its file is written."""
    frame = read_data(datafolder.folder() / f"{name}.csv.gz")
    if frame.height > 20_000:
        frame = frame.sample(20_000, seed=0)
    X, y = datafolder.features_and_class(frame)
    counts = y.value_counts()
    kept = y.is_in(counts.filter(pl.col("count") >= 5)[y.name].implode())
    return X.filter(kept), y.filter(kept).cast(pl.String).to_numpy()


def has_few(X: pl.DataFrame) -> bool:
    """Whether a column of whole numbers has few values."""
    return any(
        column.dtype.is_integer() and 1 < column.drop_nulls().n_unique() <= MOST_VALUES[-1] for column in X
    )


def kept_apart(X: pl.DataFrame, most_values: int, fewest_rows: int) -> tuple[str, ...]:
    """Return the columns that the limits keep whole."""
    found = []
    for column in X:
        if column.dtype.is_integer():
            known = column.drop_nulls()
            values = known.n_unique()
            if values <= most_values and len(known) >= fewest_rows * values:
                found.append(column.name)
    return tuple(found)


class Measured:
    """Mean log-loss and accuracy of a set by network and columns kept whole; each fit is made once."""

    def __init__(self, name: str) -> None:
        self.X, self.y = load(name)
        self.folds = []
        for seed in range(3 if len(self.y) < 2000 else 1):
            split = StratifiedKFold(5, shuffle=True, random_state=seed)
            self.folds += list(split.split(self.y, self.y))
        self.fold_score = cache(self._fold_score)

    def score(self, structure: str, limits: tuple[int, int]) -> tuple[float, float]:
        """Return log-loss and accuracy, mean over all folds; limits are applied to the training part."""
        every = []
        for number, (train, _) in enumerate(self.folds):
            whole = kept_apart(self.X[train], *limits)
            every.append(self.fold_score(structure, number, whole))
        loss, accuracy = np.mean(every, axis=0)
        return float(loss), float(accuracy)

    def _fold_score(self, structure: str, number: int, whole: tuple[str, ...]) -> tuple[float, float]:
        train, test = self.folds[number]
        X = self.X[train]
        cuts = {name: between(X[name]) for name in whole}
        clf = bl.BayesNetClassifier(
            STRUCTURES[structure],
            bl.Dirichlet(),
            discretizer=bl.Cuts(cuts, others=bl.MDLP()),
            categorical_features="from_dtype",
            n_jobs=1,
        ).fit(X, self.y[train])
        posterior = clf.predict_proba(self.X[test])
        return (
            log_loss(self.y[test], posterior, labels=clf.classes_),
            float((clf.decide(posterior) == self.y[test]).mean()),
        )


def measure(name: str) -> list[dict[str, object]]:
    """Return one line per network and pair of limits."""
    measured = Measured(name)
    lines = []
    for limits in [NEVER, *((most, rows) for most in MOST_VALUES for rows in FEWEST_ROWS)]:
        for structure in STRUCTURES:
            loss, accuracy = measured.score(structure, limits)
            lines.append(
                {
                    "set": name,
                    "rows": len(measured.y),
                    "network": structure,
                    "most values": limits[0],
                    "fewest rows": limits[1],
                    "log-loss": round(loss, 5),
                    "accuracy": round(accuracy, 5),
                }
            )
    return lines


def changes(frame: pl.DataFrame) -> pl.DataFrame:
    """Add what each pair of limits changes against cutting every column."""
    never = frame.filter(pl.col("most values") == NEVER[0])
    before = never.select("set", "network", before_loss="log-loss", before_accuracy="accuracy")
    return frame.join(before, on=["set", "network"]).with_columns(
        loss=pl.col("log-loss") - pl.col("before_loss"),
        gain=pl.col("accuracy") - pl.col("before_accuracy"),
    )


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write mean changes by limits, and the sets one by one at the limits that were chosen."""
    every = changes(frame)
    parts = [
        "# Whole numbers\n",
        f"Made by `whole_numbers.py` from {frame['set'].n_unique()} data sets with integer columns of at most "
        f"{MOST_VALUES[-1]} values. Chosen: at most {MOST} values, at least {ROWS} rows per value.\n",
    ]
    for name in STRUCTURES:
        of_network = every.filter(pl.col("network") == name)
        for measure, title in (("loss", "log-loss"), ("gain", "accuracy")):
            parts.append(
                f"## {name}: mean change of {title}, by most values (down) and fewest rows per value\n"
            )
            means = of_network.group_by("most values", "fewest rows").agg(pl.col(measure).mean())
            known = {(most, rows): value for most, rows, value in means.iter_rows()}
            lines = [
                [str(most), *(f"{known[most, rows]:+.4f}" for rows in FEWEST_ROWS)] for most in MOST_VALUES
            ]
            parts.append(table(["", *map(str, FEWEST_ROWS)], lines))
    parts.append("## Set by set: every column cut by MDLP -> the chosen limits\n")
    chosen = every.filter((pl.col("most values") == CHOSEN[0]) & (pl.col("fewest rows") == CHOSEN[1]))
    lines = []
    for (name, rows), pair in chosen.group_by("set", "rows", maintain_order=True):
        line = [str(name), f"{rows:,}"]
        for each in pair.sort("network").iter_rows(named=True):
            line.append(f"{each['before_accuracy']:.3f} -> {each['accuracy']:.3f}")
            line.append(f"{each['before_loss']:.3f} -> {each['log-loss']:.3f}")
        lines.append(line)
    parts.append(table(["set", "rows", "NB accuracy", "NB log-loss", "TAN accuracy", "TAN log-loss"], lines))
    path.write_text("\n".join(parts))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", help="data sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    kept = results / "folds.csv"
    frame = pl.read_csv(kept) if kept.exists() else pl.DataFrame()
    for name in options.only or datafolder.schema():
        done = frame.height and name in frame["set"]
        if done or name in LEFT_OUT or not datafolder.has(name) or not has_few(load(name)[0]):
            continue
        frame = pl.concat([frame, pl.DataFrame(measure(name))])
        frame.write_csv(kept)
        print(name, flush=True)
    write(frame, results / "whole_numbers.md")


if __name__ == "__main__":
    main()
