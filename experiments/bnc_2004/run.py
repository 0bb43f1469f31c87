"""Grossman and Domingos (2004), Learning Bayesian network classifiers by maximizing conditional likelihood.

    python experiments/bnc_2004/run.py                          # 25 data sets, all classifiers
    python experiments/bnc_2004/run.py --only iris glass        # some data sets
    python experiments/bnc_2004/run.py --repetitions 1          # cross-validation once, as the authors did
    python experiments/bnc_2004/run.py --full iris corral       # section 4.1: full optimisation on small data
    python experiments/bnc_2004/run.py --parents                # section 3: more parents, cross-validated once
    python experiments/bnc_2004/run.py --tables                 # only tabulate what is kept

A line per finished fold goes to FOLDER/folds.csv, so that an interrupted run goes on where it stopped. The tables are
made from FOLDER/kept.csv, the same in a small form. Data sets are found through BAYLEAF_DATA.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import report
from data_sets import DataSet, available
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
import datafolder
import kept
from bayleaf.benchmark import Results, evaluate

sys.path.insert(0, str(Path(__file__).parents[1] / "rmcv_2012"))
from compared import Cells  # the values as bayleaf's classifiers see them

MEASURES = ["log_loss", "zero_one_loss", "fit_seconds"]
DIGITS = {"log_loss": 4, "zero_one_loss": 5, "fit_seconds": 3}
FULL = {
    "BNC-2P": {},
    "BNC-full, 200 rows, 5 line searches": {"sample": 200, "line_searches": 5},
    "BNC-full, all rows, 5 line searches": {"sample": None, "line_searches": 5},
    "BNC-full": {"sample": None, "line_searches": 200},
}


def classifiers() -> dict[str, Any]:
    """Return the paper's classifiers; a pruned tree stands for C4.5.

    The last ones have the structures of the first with smoothed parameters: they tell how much of a conditional
    likelihood is due to zeros in tables of maximum likelihood.
    """
    names = {"NB": "NBC"} | {name: name for name in report.METHODS if name not in ("NB", "C4.5")}
    built = {
        shown: bl.classifier(name).set_params(n_jobs=1, **datafolder.AS_PUBLISHED)
        for shown, name in names.items()
    }
    built["TAN"].set_params(parameters=bl.MaximumLikelihood())
    tree = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03]}, cv=3
    )
    built["C4.5"] = make_pipeline(Cells(), OneHotEncoder(handle_unknown="ignore"), tree)
    for shown in report.LAPLACE:
        built[shown] = clone(built[shown.removesuffix(", Laplace")]).set_params(parameters=bl.Laplace())
    return built


def full() -> dict[str, Any]:
    """Return the search that optimises parameters for every candidate, with and without its accelerations."""
    return {
        shown: bl.classifier("BNC-2P" if not settings else "BNC-full", **settings).set_params(
            n_jobs=1, **datafolder.AS_PUBLISHED
        )
        for shown, settings in FULL.items()
    }


def more_parents() -> dict[str, Any]:
    """Return BNC-nP for n = 2, 3 and 4, with tables by maximum likelihood and by Laplace."""
    built = {
        f"BNC-{n}P": bl.classifier(f"BNC-{n}P").set_params(n_jobs=1, **datafolder.AS_PUBLISHED)
        for n in (2, 3, 4)
    }
    smooth = {
        f"{name}, Laplace": clone(model).set_params(parameters=bl.Laplace()) for name, model in built.items()
    }
    return built | smooth


def measure(
    methods: dict[str, Any], data_sets: list[DataSet], repetitions: int, jobs: int, out: Path
) -> Results:
    """Run what is not in the file yet."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.filterwarnings("ignore", message=".*not seen in fit")
        return evaluate(
            methods,
            {each.name: each.load for each in data_sets},
            {each.name: each.protocol(repetitions) for each in data_sets},
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
    parser.add_argument(
        "--repetitions", type=int, default=5, help="cross-validations; hold-outs are made once"
    )
    parser.add_argument("--full", nargs="+", metavar="NAME", help="full optimisation on these data sets")
    parser.add_argument("--parents", action="store_true", help="more parents than two, all data sets")
    parser.add_argument("--tables", action="store_true", help="only tabulate")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    chosen = [
        each
        for each in sorted(available(), key=lambda each: each.name == "letter")  # by far the largest
        if (not options.only or each.name in options.only) and each.name not in options.without
    ]
    folds, slow = options.out / "folds.csv", options.out / "full.csv"
    if options.full:
        small = [each for each in available() if each.name in options.full]
        measure(full(), small, 1, options.jobs, slow)
        kept.write(Results.read(slow), options.out / "full_kept.csv", DIGITS)
    elif options.parents:
        parents = options.out / "parents.csv"
        measure(more_parents(), chosen, 1, options.jobs, parents)
        kept.write(Results.read(parents), options.out / "parents_kept.csv", DIGITS)
    elif not options.tables:
        # One repetition of all data sets after the other, so that an unfinished run is worth something.
        for repetitions in range(1, options.repetitions + 1):
            measure(classifiers(), chosen, repetitions, options.jobs, folds)
        everything = Results.read(folds)
        known = [name for name in classifiers() if name in everything.methods]
        kept.write(everything.select(methods=known), options.out / "kept.csv", DIGITS)
    report.write(options.out)
    print(f"Tables are in {options.out} ({time.perf_counter() - started:.0f} s).")


if __name__ == "__main__":
    main()
