"""What is lost where numbers are cut by a sample of the rows: log-loss on new rows against the size of the sample.

The rows are generated: ten columns of numbers, of which half follow the class by their place and half by their spread
or by waves, and a class of three labels. Cuts come from the sample, counts and tables from all rows.

    python benchmarks/sampled_cuts.py
"""

import argparse
import warnings

import numpy as np
import polars as pl
from common import report

import bayleaf as bl

SAMPLES = (2_000, 20_000, 200_000)


def rows(number: int, seed: int) -> pl.DataFrame:
    """Draw rows by rule."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, number, p=[0.5, 0.3, 0.2])
    columns = {}
    for j in range(10):
        noise = rng.normal(size=number)
        shift = (noise + 0.25 * y, noise * (1 + 0.3 * y), noise + np.sin(noise * 8 + y) / 4)[j % 3]
        columns[f"x{j}"] = shift
    return pl.DataFrame({**columns, "y": np.array(["a", "b", "c"])[y]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=600_000)
    number = parser.parse_args().rows
    warnings.simplefilter("ignore")
    train, test = rows(number, 0), rows(100_000, 1)
    truth = np.searchsorted(["a", "b", "c"], test["y"].to_numpy().astype(str))
    lines: list[list[object]] = []
    for discretizer in (bl.AdaptiveQuantiles(), bl.MDLP()):
        for size in (*SAMPLES, number):
            clf = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), discretizer, n_jobs=1)
            clf.fit_from(train, "y", sample_rows=size)
            of_truth = clf.predict_proba(test.drop("y"))[np.arange(len(truth)), truth]
            intervals = np.mean([variable.arity for variable in clf.schema_.features])
            lines.append(
                [type(discretizer).__name__, f"{size:,}", float(intervals), f"{-np.log(of_truth).mean():.4f}"]
            )
    headings = ["cut points", "rows of the sample", "intervals per column", "log-loss"]
    report(f"Cut points from a sample, counts from {number:,} rows", headings, lines, "sampled_cuts.csv")


if __name__ == "__main__":
    main()
