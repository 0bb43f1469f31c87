"""Kelner and Lerner (2012), Learning Bayesian network classifiers by risk minimization: the tables again.

    python experiments/rmcv_2012/run.py                        # 10 x 5-fold cross-validation, 22 data sets
    python experiments/rmcv_2012/run.py --only Iris Hayes      # some data sets
    python experiments/rmcv_2012/run.py --repetitions 1        # fewer permutations
    python experiments/rmcv_2012/run.py --times                # processor time of five fits each, for Tables 11 to 13
    python experiments/rmcv_2012/run.py --zeros                # networks whose zeros stay zeros, one repetition
    python experiments/rmcv_2012/run.py --tables               # only tabulate what is kept
    python experiments/rmcv_2012/checks.py                     # why figures differ from the paper's
    python experiments/rmcv_2012/census.py                     # section 5.2: all graphs over five variables

A line per finished fold goes to FOLDER/folds.csv, so that an interrupted run goes on where it stopped. The tables are
made from FOLDER/kept.csv, the same in a small form. Data sets are found through BAYLEAF_DATA.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder and kept, shared by all experiments

import compared
import report
import times
from data_sets import DataSet, available

import kept
from bayleaf.benchmark import CrossValidation, Results, SplitProtocol, evaluate

MEASURES = ["accuracy", "auc", "log_loss", "fit_seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--only", nargs="+", help="data sets by their names in the paper")
    parser.add_argument("--without", nargs="+", default=[], help="data sets to leave out")
    parser.add_argument("--repetitions", type=int, default=10, help="random permutations")
    parser.add_argument("--methods", nargs="+", help="classifiers by their names in the tables")
    parser.add_argument(
        "--networks-only", action="store_true", help="leave out trees, neural networks and SVMs"
    )
    parser.add_argument("--times", action="store_true", help="five fits each, for the run times")
    parser.add_argument("--zeros", action="store_true", help="zeros kept in search and tables")
    parser.add_argument("--tables", action="store_true", help="only tabulate")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    if not options.tables:
        chosen = [
            each
            for each in sorted(available(), key=lambda each: each.paper == "Letter")  # by far the largest
            if (not options.only or each.paper in options.only) and each.paper not in options.without
        ]
        classifiers = methods(networks_only=options.networks_only)
        if options.methods:
            classifiers = {name: classifiers[name] for name in options.methods}
        if options.zeros:
            protocol, file = CrossValidation(folds=5), options.out / "zeros_folds.csv"
            fits = run(compared.with_zeros(), chosen, protocol, options.jobs, file).frame.height
            kept.write(Results.read(file), options.out / "zeros.csv", {"accuracy": 5})
        elif options.times:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fits = times.measure(classifiers, chosen, options.out / "times.csv")
        else:
            # One repetition of all data sets after the other, so that an unfinished run is worth something.
            for repetitions in range(1, options.repetitions + 1):
                protocol = CrossValidation(folds=5, repeats=repetitions)
                results = run(classifiers, chosen, protocol, options.jobs, options.out / "folds.csv")
            fits = results.frame.height
            # Everything that any run has put there, not only what this one asked for.
            everything = Results.read(options.out / "folds.csv")
            kept.write(everything, options.out / "kept.csv", {"accuracy": 5, "auc": 4})
        print(f"{fits} fits.")
    if (options.out / "kept.csv").exists():  # of zeros or times elsewhere there are no tables
        report.write(options.out)
    print(f"Results are in {options.out} ({time.perf_counter() - started:.0f} s).")


def methods(*, networks_only: bool) -> dict[str, Any]:
    """Return all classifiers of the tables."""
    names = tuple(dict.fromkeys((*compared.VARIANTS, *compared.NETWORKS)))
    return compared.networks(names) | ({} if networks_only else compared.others())


def run(
    classifiers: dict[str, Any], data_sets: list[DataSet], protocol: SplitProtocol, jobs: int, out: Path
) -> Results:
    """Run what is not in the file yet."""
    with warnings.catch_warnings():
        # Rare classes are missing from some validation folds; a neural network may need more steps.
        warnings.filterwarnings("ignore", message=".*fewer than the")
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.filterwarnings("ignore", message=".*not seen in fit")
        warnings.filterwarnings("ignore", message="lbfgs failed to converge")
        return evaluate(
            classifiers,
            {each.paper: each.load for each in data_sets},
            protocol,
            MEASURES,
            n_jobs=jobs,
            out=out,
        )


if __name__ == "__main__":
    main()
