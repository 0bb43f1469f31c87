"""The classifiers of the field on 13 data sets: with the tables of their papers, and with shrunk ones.

    python experiments/field/run.py [SET ...]

Stratified 5-fold cross-validation, at most 10,000 rows of a set. Folds that ``results/folds.csv`` has are not run
again; ``results/table.csv`` has the means over folds, ``results/means.csv`` those over all sets.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import bayleaf as bl
from bayleaf.benchmark import CrossValidation, Results, evaluate

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import datafolder  # noqa: E402

SETS = (
    "vote",
    "car",
    "tic-tac-toe",
    "breast-cancer-wisconsin",
    "pima",
    "australian",
    "german",
    "vehicle",
    "soybean",
    "kr-vs-kp",
    "segment",
    "mushroom",
    "satimage",
)
METHODS = ("NB", "TAN", "AODE", "WAODE", "A2DE", "ATAN", "SKDB", "ESKDB", "ETAN", "FSSJ", "BSEJ")
WEIGHTED = ("WANBIA", "wTAN", "AWNB")
MEASURES = ("accuracy", "log_loss", "brier")
MOST_ROWS = 10_000


def read(name: str) -> tuple[pl.DataFrame, pl.Series]:
    """Return features and class; of a large set a sample of the rows."""
    frame = datafolder.read(name)
    if frame.height > MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(frame.height, MOST_ROWS, replace=False))
        frame = frame[chosen]
    return frame[:, :-1], frame[:, -1].cast(pl.String)


def classifiers() -> dict[str, Any]:
    """Every method with the tables of its paper, and with `Shrinkage`."""
    common = {**datafolder.AS_PUBLISHED, "discretizer": bl.MDLP(), "n_jobs": 1}
    shrunk = {name: bl.classifier(name, parameters=bl.Shrinkage(), **common) for name in METHODS}
    shrunk |= {name: bl.classifier(name, parameters__start=bl.Shrinkage(), **common) for name in WEIGHTED}
    built = {name: bl.classifier(name, **common) for name in (*METHODS, *WEIGHTED)}
    built |= {f"{name} shrunk": model for name, model in shrunk.items() if name != "ESKDB"}
    for model in built.values():
        if "random_state" in model.get_params(deep=False):
            model.set_params(random_state=0)
    return built


def main() -> None:
    """Run what is not there yet, and write the tables."""
    sets = sys.argv[1:] or list(SETS)
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    protocol = CrossValidation(folds=5, repeats=1)
    data = {name: read(name) for name in sets}
    evaluate(classifiers(), data, protocol, list(MEASURES), out=results / "folds.csv", n_jobs=1)
    frame = Results.read(results / "folds.csv").frame
    table = frame.group_by("dataset", "method", maintain_order=True).agg(pl.col(*MEASURES).mean().round(4))
    table.sort("dataset", "method").write_csv(results / "table.csv")
    means = table.group_by("method").agg(pl.col(*MEASURES).mean().round(4), sets=pl.len())
    means.sort("log_loss").write_csv(results / "means.csv")
    print(means.sort("log_loss"))


if __name__ == "__main__":
    main()
