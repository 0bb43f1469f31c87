"""How often `drift` raises a false alarm, and how often it notices a shift that costs .02 of log-loss.

    python experiments/drift/run.py false_alarms    # rows of the same source: results/false_alarms.csv
    python experiments/drift/run.py shifts          # rows that have changed: results/shifts.csv
    python experiments/drift/run.py --table         # what the results say, without a run

False alarms: a model is fitted to fresh training rows 50 times (the pool 8 times), and each time is given 50, 200,
500 and 2,000 new rows of the same source (as many as the set allows), with labels and without. Shifts: rows that the
model has not seen are changed in one of several ways, as little as makes its log-loss .02 higher over all of them
(the least of `STRENGTHS` that does); 500 of them are given to the model, 10 times for each of 4 fits. For comparison,
it is counted how often the mean log-loss of the 500 rows alone would be noticed, by a one-sided test at 5 % that
knows the log-loss without a change. Sources are data sets of the folder, whose rows are dealt out anew, and tables by
rule.
The column that changes is drawn at random from those whose change can cost as much. Models are the default, the pool
without cycles, and ``shrunk``, the default graph with `Shrinkage` tables, which has no held-out answers.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import bayleaf as bl

sys.path.insert(0, str(Path(__file__).parents[1]))
import datafolder

RESULTS = Path(__file__).parent / "results"
MODELS: dict[str, Callable[[], Any]] = {
    "shrunk": lambda: bl.BayesNetClassifier(parameters=bl.Shrinkage(), n_jobs=1),
    "default": lambda: bl.BayesNetClassifier(n_jobs=1),
    "pool": lambda: bl.NetworkPool(cycles=0, n_jobs=1),
}
FITS = {"pool": 8}  # of each source, for false alarms; by default 50
Labelled = tuple[pl.DataFrame, pl.Series]
Generator = np.random.Generator

# Training rows of each source.
SETS = {
    "adult": 1000, "bank": 1000, "magic": 1000, "letter": 2000, "nursery": 1000, "car": 600, "german": 500,
    "mushroom": 1000, "pendigits": 1000, "kr-vs-kp": 1000,
}  # fmt: skip
RULES = {"by class": 500, "rare values": 500, "no dependence": 300, "chain": 2000}


def by_class(n: int, rng: Generator) -> Labelled:
    """Numbers and categories that depend on one of two classes, with gaps."""
    y = rng.random(n) < 0.3
    columns: dict[str, Any] = {f"number {j}": rng.normal(y * (j % 4) * 0.5, 1, n) for j in range(5)}
    letters = np.array(list("abcdef"))
    for j in range(5):
        columns[f"label {j}"] = letters[np.minimum(rng.geometric(0.35 + 0.08 * j * y, n) - 1, 5)]
    columns["echo"] = np.where(rng.random(n) < 0.8, columns["label 1"], "z")
    return with_gaps(pl.DataFrame(columns), rng), pl.Series("class", np.where(y, "yes", "no"))


def rare_values(n: int, rng: Generator) -> Labelled:
    """Categories of which new ones come all the time."""
    y = rng.integers(0, 3, n)
    columns = {
        f"name {j}": np.char.add("v", (rng.zipf(1.5 + 0.2 * j, n) % 5000).astype(str)) for j in range(4)
    }
    columns["kind"] = np.char.add("k", ((y + (rng.random(n) < 0.3)) % 3).astype(str))
    return with_gaps(pl.DataFrame(columns), rng), pl.Series("class", np.array(["a", "b", "c"])[y])


def no_dependence(n: int, rng: Generator) -> Labelled:
    """Columns that have nothing to do with the class, nor with one another."""
    columns = {f"number {j}": rng.standard_exponential(n) for j in range(20)}
    return pl.DataFrame(columns), pl.Series("class", rng.choice(["no", "yes"], n, p=[0.9, 0.1]))


def chain(n: int, rng: Generator) -> Labelled:
    """Fifteen columns of four values, each of which mostly repeats the one before; the first depends on the class."""
    y = rng.integers(0, 5, n)
    columns, last = {}, y % 4
    for j in range(15):
        last = np.where(rng.random(n) < 0.7, last, rng.integers(0, 4, n))
        columns[f"step {j}"] = np.char.add("s", last.astype(str))
    return pl.DataFrame(columns), pl.Series("class", np.char.add("c", y.astype(str)))


def with_gaps(frame: pl.DataFrame, rng: Generator) -> pl.DataFrame:
    """Remove 0, 5 or 10 % of the values of each column."""
    known = rng.random((frame.height, frame.width)) >= 0.05 * (np.arange(frame.width) % 3)
    return frame.with_columns(
        pl.when(pl.Series(known[:, j])).then(pl.col(name)).alias(name) for j, name in enumerate(frame.columns)
    )


RULE: dict[str, Callable[[int, Generator], Labelled]] = {
    "by class": by_class, "rare values": rare_values, "no dependence": no_dependence, "chain": chain,
}  # fmt: skip


@cache
def whole(name: str) -> Labelled:
    """Return all rows of a data set."""
    X, y = datafolder.features_and_class(datafolder.read(name))
    # Texts: categories that are not in the training rows are not known.
    return X.with_columns(pl.col(pl.Enum).cast(pl.String)), y.cast(pl.String)


def drawn(name: str, train: int, new: int, rng: Generator) -> tuple[Labelled, Labelled]:
    """Return training rows of a source, and new ones: no row of a data set is in both."""
    if name in RULE:
        return RULE[name](train, rng), RULE[name](new, rng)
    X, y = whole(name)
    order = rng.permutation(len(y))
    first, second = order[:train], order[train : train + new]
    return (X[first], y[first]), (X[second], y[second])


def most_new(name: str, train: int) -> int:
    """Return how many rows a source has for `drawn` besides the training rows."""
    return 10_000 if name in RULE else len(whole(name)[1]) - train


def false_alarms(name: str, train: int, model: str) -> Iterator[dict[str, object]]:
    """Count the alarms over new rows of the same source, by their number; each fit is given as many of each."""
    rng, fits = np.random.default_rng(0), FITS.get(model, 50)
    sizes = [rows for rows in (50, 200, 500, 2000) if rows <= most_new(name, train)]
    alarms = {(rows, labels): 0 for rows in sizes for labels in (False, True)}
    named = {key: Counter[str]() for key in alarms}
    for _ in range(fits):
        (X, y), (new, labels) = drawn(name, train, min(sum(sizes), most_new(name, train)), rng)
        clf = MODELS[model]().fit(X, y)
        for rows in sizes:
            some = rng.choice(len(labels), rows, replace=False)
            for given in (None, labels[some]):
                found = clf.drift(new[some], given)
                key = rows, given is not None
                alarms[key] += found.alarm
                named[key].update(
                    {line.name if line.kind == "quality" else line.kind for line in found.changed}
                )
    for rows in sizes:
        yield {
            "source": name, "model": model, "training_rows": train, "rows": rows, "batches": fits,
            "alarms_without_labels": alarms[rows, False], "alarms_with_labels": alarms[rows, True],
            "named_without_labels": said(named[rows, False]), "named_with_labels": said(named[rows, True]),
        }  # fmt: skip


def said(times: Counter[str]) -> str:
    """Write how often each kind of line raised an alarm."""
    return " ".join(f"{kind}:{number}" for kind, number in sorted(times.items()))


# How much of a shift: a share of rows, or of three standard deviations.
STRENGTHS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.75, 1.0)
Shift = Callable[[pl.DataFrame, pl.Series, str, float, Generator], Labelled | None]


def moved(X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator) -> Labelled | None:
    """Add to a number, as another unit or a sensor that has aged would."""
    if not X[name].dtype.is_numeric():
        return None
    spread = float(X[name].std() or 0.0)  # type: ignore[arg-type]
    return X.with_columns((pl.col(name) + 3 * much * spread).cast(pl.Float64)), y


def lost(X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator) -> Labelled | None:
    """Leave values out."""
    kept = pl.Series(rng.random(X.height) >= much)
    return X.with_columns(pl.when(kept).then(pl.col(name)).alias(name)), y


def swapped(X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator) -> Labelled | None:
    """Exchange the two most frequent categories of a column in a share of the rows."""
    if X[name].dtype != pl.String or X[name].drop_nulls().n_unique() < 2:
        return None
    first, second = X[name].drop_nulls().value_counts(sort=True)[name].to_list()[:2]
    chosen = pl.Series(rng.random(X.height) < much)
    other = pl.col(name).replace({first: second, second: first})
    return X.with_columns(pl.when(chosen).then(other).otherwise(pl.col(name)).alias(name)), y


def unheard_of(X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator) -> Labelled | None:
    """Write a category that nobody has seen."""
    if X[name].dtype != pl.String:
        return None
    chosen = pl.Series(rng.random(X.height) < much)
    return X.with_columns(pl.when(chosen).then(pl.lit("brand new")).otherwise(pl.col(name)).alias(name)), y


def shuffled(X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator) -> Labelled | None:
    """Give a share of the rows the value of another of these rows: the column's values are as frequent as before."""
    order = np.arange(X.height)
    chosen = np.flatnonzero(rng.random(X.height) < much)
    order[chosen] = rng.permutation(chosen)
    return X.with_columns(X[name][order]), y


def of_other_classes(
    X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator
) -> Labelled | None:
    """Replace a share of the rows by rows of the rarest class."""
    rare = y.value_counts().sort("count")[y.name][0]
    order = np.arange(X.height)
    chosen = rng.random(X.height) < much
    order[chosen] = rng.choice(np.flatnonzero((y == rare).to_numpy()), chosen.sum())
    return X[order], y[order]


def relabelled(X: pl.DataFrame, y: pl.Series, name: str, much: float, rng: Generator) -> Labelled | None:
    """Give a share of the rows of one class the most frequent other label: the columns stay as they are."""
    classes = y.value_counts(sort=True)[y.name].to_list()
    chosen = (y == classes[0]).to_numpy() & (rng.random(X.height) < much)
    return X, pl.Series(y.name, np.where(chosen, classes[1], y.to_numpy()))


SHIFTS: dict[str, Shift] = {
    "a number moves": moved,
    "values are lost": lost,
    "categories are swapped": swapped,
    "a new category": unheard_of,
    "a column is shuffled": shuffled,
    "a class gets frequent": of_other_classes,
    "labels change": relabelled,
}
COST, ROWS, MOST_ROWS, TRAINING_ROWS = 0.02, 500, 5000, 2000
ONE_SIDED = 1.645  # standard errors: by chance, one of twenty means is higher by more


def losses(clf: Any, X: pl.DataFrame, y: pl.Series) -> np.ndarray:
    """Return the log-loss of a model on each row."""
    places = {label: code for code, label in enumerate(clf.classes_.tolist())}
    codes = np.array([places[label] for label in y.to_list()])
    return -np.log(np.maximum(clf.predict_proba(X)[np.arange(len(codes)), codes], 1e-15))


def shifts(
    name: str, train: int, model: str, fits: int = 4, batches: int = 10
) -> Iterator[dict[str, object]]:
    """Count the alarms over rows that have changed, by how they did."""
    train = min(TRAINING_ROWS, most_new(name, 0) // 2)
    available = min(MOST_ROWS, most_new(name, train))
    if available < ROWS:
        return
    found: dict[str, list[tuple[float, float, int, int, int]]] = {}
    for seed in range(fits):
        rng = np.random.default_rng(seed)
        (X, y), (new, labels) = drawn(name, train, available, rng)
        clf = MODELS[model]().fit(X, y)
        known = np.isin(labels.to_numpy(), clf.classes_)
        new, labels = new.filter(known), labels.filter(known)
        before = losses(clf, new, labels).mean()
        for how, shift in SHIFTS.items():
            least = _least(clf, shift, new, labels, before, seed)
            if least is None:
                continue
            cost, much, changed, classes = least
            alarms = [0, 0, 0]
            for _ in range(batches):
                some = rng.choice(changed.height, ROWS, replace=False)
                for k, given in enumerate((None, classes[some])):
                    alarms[k] += clf.drift(changed[some], given).alarm
                each = losses(clf, changed[some], classes[some])
                alarms[2] += (each.mean() - before) / (each.std() / ROWS**0.5) > ONE_SIDED
            found.setdefault(how, []).append((cost, much, *alarms))
    for how, each in found.items():
        cost, much, without, with_labels, by_loss = np.array(each).T
        yield {
            "source": name, "model": model, "training_rows": train, "shift": how, "strength": round(much.mean(), 3),
            "cost": round(cost.mean(), 4), "batches": batches * len(each),
            "alarms_without_labels": int(without.sum()), "alarms_with_labels": int(with_labels.sum()),
            "alarms_of_log_loss_alone": int(by_loss.sum()),
        }  # fmt: skip


def _least(
    clf: Any, shift: Shift, X: pl.DataFrame, y: pl.Series, before: float, seed: int
) -> tuple[float, float, pl.DataFrame, pl.Series] | None:
    """Return the smallest change of a column that costs enough: its cost, how much it is, and its rows."""
    columns = X.columns[:1] if shift in (of_other_classes, relabelled) else X.columns
    for k in np.random.default_rng([seed, 1]).permutation(len(columns)).tolist():
        for much in STRENGTHS:
            done = shift(X, y, columns[k], much, np.random.default_rng(seed))
            if done is None:
                break
            cost = float(losses(clf, *done).mean()) - before
            if cost >= COST:
                return cost, much, *done
    return None


def tables() -> None:
    """Print what the results say."""
    with pl.Config(tbl_rows=-1, tbl_cols=-1, fmt_str_lengths=60, tbl_width_chars=160):
        alarms = pl.read_csv(RESULTS / "false_alarms.csv")
        shares = [
            pl.col(f"alarms_{how}_labels").sum() / pl.col("batches").sum() for how in ("without", "with")
        ]
        print(alarms.group_by("model", "rows").agg(pl.col("batches").sum(), *shares).sort("model", "rows"))
        print(
            alarms.group_by("model", "source").agg(pl.col("batches").sum(), *shares).sort("model", "source")
        )
        if not (RESULTS / "shifts.csv").exists():
            return
        found = pl.read_csv(RESULTS / "shifts.csv")
        print(
            found.group_by("model", "shift", maintain_order=True).agg(
                pl.len().alias("sources"),
                pl.col("cost").mean(),
                pl.col("batches").sum(),
                *shares,
                pl.col("alarms_of_log_loss_alone").sum() / pl.col("batches").sum(),
            )
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("false_alarms", "shifts"))
    parser.add_argument("--sources", default=";".join([*SETS, *RULES]))
    parser.add_argument("--models", default="shrunk")
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    study = {"false_alarms": false_alarms, "shifts": shifts}
    if given.what and not given.table:
        path = RESULTS / f"{given.what}.csv"
        lines = pl.read_csv(path).to_dicts() if path.exists() else []
        for model in given.models.split(";"):
            for name in given.sources.split(";"):
                new = list(study[given.what](name, {**SETS, **RULES}[name], model))
                lines = [each for each in lines if (each["source"], each["model"]) != (name, model)] + new
                pl.DataFrame(lines, infer_schema_length=None).write_csv(path)
                for line in new:
                    print(*line.values(), sep=", ", flush=True)
    tables()


if __name__ == "__main__":
    main()
