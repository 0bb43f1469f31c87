"""Sugahara and Ueno (2021), Exact learning augmented naive Bayes classifier: the tables again, in one command.

    python experiments/anb_2021/run.py                 # everything; what is done already is not repeated
    python experiments/anb_2021/run.py accuracy --methods NB ANB-BDeu
    python experiments/anb_2021/run.py accuracy --only iris --out elsewhere    # part of it, without tables
    python experiments/anb_2021/run.py asymptotics
    python experiments/anb_2021/run.py discovery --only ASIA --out elsewhere
    python experiments/anb_2021/run.py discovery       # larger networks are read from BAYLEAF_DATA/networks
    python experiments/anb_2021/run.py pc-search       # time of the search for features, last column of Table 6
    python experiments/anb_2021/run.py tables          # only tabulate

Run times (Table 6) are measured by benchmarks/exact.py. Data sets are found through BAYLEAF_DATA.
"""

import argparse
from pathlib import Path

import accuracy
import simulations

import tables

PARTS = ["all", "accuracy", "asymptotics", "discovery", "pc-search", "tables"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="all", choices=PARTS)
    parser.add_argument("--methods", nargs="*", default=list(accuracy.METHODS))
    parser.add_argument("--only", nargs="*", help="data sets, or networks of the search for neighbours")
    parser.add_argument("--out", type=Path, default=accuracy.RESULTS, help="folder of the results")
    options = parser.parse_args()
    if options.what in ("all", "accuracy"):
        accuracy.run(options.methods, options.only, options.out / "folds.csv")
    if options.what in ("all", "asymptotics"):
        simulations.asymptotics(options.out)
    if options.what in ("all", "discovery"):
        simulations.discovery(options.out, options.only)
    if options.what in ("all", "pc-search"):
        simulations.pc_search(options.out)
    if options.out == accuracy.RESULTS:
        tables.write()


if __name__ == "__main__":
    main()
