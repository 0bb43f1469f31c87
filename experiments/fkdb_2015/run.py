"""Reproduce Wang and Zhao (2015): FKDB against NB, TAN, RTAN and KDB.

    python experiments/fkdb_2015/run.py [--out FOLDER] [--jobs 2] [--only NAME ...] [--no-variants]

Reads the data folder (BAYLEAF_DATA) and writes a line per finished fold to FOLDER/folds.csv, so that an interrupted
run goes on where it stopped; then the tables and figures. See README.md for what they show.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import compared
import report
from data_sets import EXTRA, available
from whole import measure_all

import kept
from bayleaf.benchmark import CrossValidation, evaluate

PROTOCOL = CrossValidation(folds=10, stratified=True, seed=2015)
MEASURES = ["zero_one_loss", "log_loss", "auc", "fit_seconds", "predict_seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, help="results/ here, or results/partial with --only or --no-variants"
    )
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--only", nargs="+", help="names of data sets as in the paper's Table 2")
    parser.add_argument("--no-variants", action="store_true", help="leave out the other estimates")
    options = parser.parse_args()
    if options.out is None:  # part of the experiment does not overwrite the whole
        results = Path(__file__).parent / "results"
        options.out = results / "partial" if options.only or options.no_variants else results
    options.out.mkdir(parents=True, exist_ok=True)

    start = time.perf_counter()
    data_sets = [each for each in available() if not options.only or each.paper in options.only]
    loaders = {each.paper: each.load for each in data_sets}
    # Large data sets first, so that no worker is left with one of them at the end.
    by_size = dict(reversed(loaders.items()))
    folds = options.out / "folds.csv"
    results = evaluate(compared.methods(), by_size, PROTOCOL, MEASURES, n_jobs=options.jobs, out=folds)
    print(f"{results.frame.height} fits of the paper's methods: {time.perf_counter() - start:.0f} s")
    variants = None
    if not options.no_variants:
        variants = evaluate(
            compared.variants(),
            {**by_size, EXTRA.paper: EXTRA.load},
            PROTOCOL,
            MEASURES,
            n_jobs=options.jobs,
            out=options.out / "variants.csv",
        )
        kept.write(variants, options.out / "variants_kept.csv", {"zero_one_loss": 5})
        print(f"{variants.frame.height} fits of variants: {time.perf_counter() - start:.0f} s in all")
    whole = measure_all(data_sets, options.out)
    report.write(results, variants, whole, data_sets, options.out)
    print(f"Tables and figures are in {options.out} ({time.perf_counter() - start:.0f} s in all).")


if __name__ == "__main__":
    main()
