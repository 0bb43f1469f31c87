"""Pernkopf and Bilmes (2010), discriminative structure learning: tables and figures again, in one command.

    python experiments/omi_cr_2010/run.py                          # everything that takes minutes
    python experiments/omi_cr_2010/run.py section3 missing report  # some parts
    python experiments/omi_cr_2010/run.py uci --only CHESS IRIS    # some data sets
    python experiments/omi_cr_2010/run.py digits --costly          # also the searches that take long on digits

What is finished stands in FOLDER, so that an interrupted run goes on where it stopped. Data sets are found through
BAYLEAF_DATA. See README.md for what comes out.
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import report
from checks import run_checks
from compared import COSTLY_ON_DIGITS, DIGIT_METHODS, TRAINED_INSIDE, UCI_METHODS, classifiers
from data_sets import BY_COST, MNIST, USPS, DataSet
from missing import run_missing
from random_orders import run_figure_7, run_random_orders
from synthetic import run_section_3, run_section_63, run_section_64
from timing import run_timing
from training import run_training

from bayleaf.benchmark import evaluate

MEASURES = ["accuracy", "fit_seconds"]


def evaluate_all(
    methods: tuple[str, ...], data_sets: list[DataSet], out: Path, jobs: int, threads: int | None = 1
) -> None:
    """Add the accuracy of each method on each data set to a file."""
    if data_sets:
        evaluate(
            classifiers(methods, n_jobs=threads),
            {each.paper: each.load for each in data_sets},
            {each.paper: each.protocol for each in data_sets},
            MEASURES,
            n_jobs=jobs,
            out=out,
        )


def run_uci(options: argparse.Namespace) -> None:
    """Tables 5, 7 and 13."""
    chosen = [each for each in BY_COST if not options.only or each.paper in options.only]
    evaluate_all(UCI_METHODS, chosen, options.out / "uci.csv", options.jobs)


def run_trained_inside(options: argparse.Namespace) -> None:
    """Fill the columns of Table 7 for which every candidate is trained by CL."""
    chosen = [each for each in BY_COST if not options.only or each.paper in options.only]
    evaluate_all(TRAINED_INSIDE, chosen, options.out / "uci_crcl.csv", options.jobs)


def run_digits(options: argparse.Namespace) -> None:
    """Fill the columns MNIST and USPS of Tables 1, 5 and 11."""
    chosen = [each for each in (USPS, MNIST) if not options.only or each.paper in options.only]
    methods = tuple(options.methods) or DIGIT_METHODS + (COSTLY_ON_DIGITS if options.costly else ())
    evaluate_all(methods, chosen, options.out / "digits.csv", 1, threads=options.jobs)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "section3": lambda options: run_section_3(options.out, first=options.first),
    "section63": lambda options: run_section_63(options.out, first=options.first),
    "section64": lambda options: run_section_64(options.out, first=options.first),
    "uci": run_uci,
    "crcl": run_trained_inside,
    "training": lambda options: run_training(options.out, options.only, options.jobs, costly=options.costly),
    "figure7": lambda options: run_figure_7(options.out, options.only),
    "random-orders": lambda options: run_random_orders(options.out, options.only),
    "timing": lambda options: run_timing(options.out, options.only, costly=options.costly),
    "digits": run_digits,
    "missing": lambda options: run_missing(options.out, options.only, options.first),
    "checks": lambda options: run_checks(options.out, options.only, options.first),
    "report": lambda options: report.write(options.out),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all when left out")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes, or threads on digits")
    parser.add_argument("--only", nargs="+", default=(), help="data sets by their names in the paper")
    parser.add_argument("--methods", nargs="+", default=(), help="of those on digits; all when left out")
    parser.add_argument("--first", type=int, help="only so many steps of synthetic problems, missing, checks")
    parser.add_argument("--costly", action="store_true", help="also what takes long; see README.md")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part '{unknown[0]}'; the parts are {', '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    # Rare classes are missing from some folds; that is so in the paper too. Workers read the variable.
    quiet = ("CrossValidatedRisk", "The least populated class", "Column")
    os.environ["PYTHONWARNINGS"] = ",".join(f"ignore:{start}:UserWarning" for start in quiet)
    for start in quiet:
        warnings.filterwarnings("ignore", message=start)
    for part in options.parts or PARTS:
        begun, used = time.perf_counter(), time.process_time()
        PARTS[part](options)
        elapsed, processor = time.perf_counter() - begun, time.process_time() - used
        print(f"{part}: {elapsed:.0f} s, of this process {processor:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
