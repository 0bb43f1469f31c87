"""Grossman and Domingos (2004), Learning Bayesian network classifiers by maximizing conditional likelihood.

    python experiments/bnc_2004/run.py                          # 25 data sets, ten classifiers
    python experiments/bnc_2004/run.py --only iris glass        # some data sets
    python experiments/bnc_2004/run.py --without letter satimage
    python experiments/bnc_2004/run.py --tables                 # only tabulate what is there
    python experiments/bnc_2004/run.py --full iris corral       # section 4.1: full optimisation on small data

A line per finished fold goes to FOLDER/folds.csv, so that an interrupted run goes on where it stopped. Data sets are
found through BAYLEAF_DATA.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

from data_sets import DataSet, available
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
import report
from bayleaf.evaluation import Results, evaluate

sys.path.insert(0, str(Path(__file__).parents[1] / "rmcv_2012"))
from compared import Cells  # the values as bayleaf's classifiers see them

MEASURES = ["log_loss", "zero_one_loss", "fit_seconds"]
FULL = {
    "BNC-2P": {},
    "BNC-full, 200 rows, 5 line searches": {"sample": 200, "line_searches": 5},
    "BNC-full, all rows, 5 line searches": {"sample": None, "line_searches": 5},
    "BNC-full": {"sample": None, "line_searches": 200},
}


def classifiers() -> dict[str, Any]:
    """Return the paper's classifiers; a pruned tree stands for C4.5."""
    names = {"NB": "NBC"} | {name: name for name in report.METHODS if name not in ("NB", "C4.5")}
    built = {shown: bl.classifier(name).set_params(n_jobs=1) for shown, name in names.items()}
    built["TAN"].set_params(parameters=bl.MaximumLikelihood())
    tree = DecisionTreeClassifier(min_samples_leaf=2, ccp_alpha=0.003, random_state=0)
    built["C4.5"] = make_pipeline(Cells(), OneHotEncoder(handle_unknown="ignore"), tree)
    return built


def full() -> dict[str, Any]:
    """Return the search that optimises parameters for every candidate, with and without its accelerations."""
    return {
        shown: bl.classifier("BNC-2P" if not settings else "BNC-full", **settings).set_params(n_jobs=1)
        for shown, settings in FULL.items()
    }


def measure(methods: dict[str, Any], data_sets: list[DataSet], jobs: int, out: Path) -> Results:
    """Run what is not in the file yet."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.filterwarnings("ignore", message=".*not seen in fit")
        return evaluate(
            methods,
            {each.name: each.load for each in data_sets},
            {each.name: each.protocol for each in data_sets},
            MEASURES,
            n_jobs=jobs,
            out=out,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--only", nargs="+", help="data sets")
    parser.add_argument("--without", nargs="+", default=[], help="data sets to leave out")
    parser.add_argument("--full", nargs="+", metavar="NAME", help="full optimisation on these data sets")
    parser.add_argument("--tables", action="store_true", help="only tabulate")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    chosen = [
        each
        for each in available()
        if (not options.only or each.name in options.only) and each.name not in options.without
    ]
    folds, slow = options.out / "folds.csv", options.out / "full.csv"
    if options.full:
        measure(full(), [each for each in available() if each.name in options.full], options.jobs, slow)
    elif not options.tables:
        measure(classifiers(), chosen, options.jobs, folds)
    report.write(folds, slow, options.out)
    print(f"Tables are in {options.out} ({time.perf_counter() - started:.0f} s).")


if __name__ == "__main__":
    main()
