"""Kelner and Lerner (2012), Learning Bayesian network classifiers by risk minimization: the tables again.

    python experiments/rmcv_2012/run.py                        # 10 x 5-fold cross-validation, 22 data sets
    python experiments/rmcv_2012/run.py --only Iris Hayes      # some data sets
    python experiments/rmcv_2012/run.py --repeats 1            # fewer permutations
    python experiments/rmcv_2012/run.py --tables               # only tabulate what is there
    python experiments/rmcv_2012/census.py                     # section 5.2: all graphs over five variables

A line per finished fold goes to FOLDER/folds.csv, so that an interrupted run goes on where it stopped. Data sets are
found through BAYLEAF_DATA.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import compared
from data_sets import available

import report
from bayleaf.evaluation import CrossValidation, Results, evaluate

MEASURES = ["accuracy", "auc", "log_loss", "fit_seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--only", nargs="+", help="data sets by their names in the paper")
    parser.add_argument("--without", nargs="+", default=[], help="data sets to leave out")
    parser.add_argument("--repeats", type=int, default=10, help="random permutations")
    parser.add_argument(
        "--networks-only", action="store_true", help="leave out trees, neural networks and SVMs"
    )
    parser.add_argument("--tables", action="store_true", help="only tabulate")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    folds = options.out / "folds.csv"
    started = time.perf_counter()
    if options.tables:
        results = Results.read(folds)
    else:
        chosen = [
            each
            for each in available()
            if (not options.only or each.paper in options.only) and each.paper not in options.without
        ]
        names = tuple(dict.fromkeys((*compared.VARIANTS, *compared.NETWORKS)))
        with warnings.catch_warnings():
            # Rare classes are missing from some validation folds.
            warnings.filterwarnings("ignore", message=".*fewer than the")
            warnings.filterwarnings("ignore", message="The least populated class")
            warnings.filterwarnings("ignore", message=".*not seen in fit")
            results = evaluate(
                compared.networks(names) | ({} if options.networks_only else compared.others()),
                {each.paper: each.load for each in chosen},
                CrossValidation(folds=5, repeats=options.repeats),
                MEASURES,
                n_jobs=options.jobs,
                out=folds,
            )
    report.write(results, options.out)
    print(
        f"{results.frame.height} fits; tables are in {options.out} ({time.perf_counter() - started:.0f} s)."
    )


if __name__ == "__main__":
    main()
