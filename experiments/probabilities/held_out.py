"""How far the pool's own figures on held-out training rows are from cross-validation.

    python experiments/probabilities/held_out.py vote,pima

The pool is fitted to all rows of a set, and what `out_of_sample_` says is compared with the line of pool.py for that
set. A line per set is added to results/held_out.csv.
"""

import sys
import warnings
from pathlib import Path

import polars as pl
import protocol

import bayleaf as bl

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    warnings.simplefilter("ignore")
    known = pl.read_csv(RESULTS / "pool.csv").filter(pl.col("model") == "pool")
    last = {row["dataset"]: row for row in known.iter_rows(named=True)}
    file = RESULTS / "held_out.csv"
    for name in sys.argv[1].split(","):
        data = protocol.load(name)
        found = bl.NetworkPool(n_jobs=1).fit(data.X, data.y).out_of_sample_
        line = {
            "dataset": name,
            "rows": len(data.y),
            "held_out_log_loss": round(found.log_loss, 4),
            "cross_validated_log_loss": last[name]["log_loss"],
            "held_out_accuracy": round(found.accuracy, 4),
            "cross_validated_accuracy": last[name]["accuracy"],
        }
        protocol.append(file, line)
        print(*line.values(), flush=True)


if __name__ == "__main__":
    main()
