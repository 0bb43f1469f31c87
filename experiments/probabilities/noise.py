"""What a column of noise does to one network: texts by chance beside the columns of a set.

    python experiments/probabilities/noise.py             # runs what has no line yet
    python experiments/probabilities/noise.py --table     # what the results say, without a run

The column has 30, 200 or 1,000 different values, drawn with seed 0, and says nothing about anything. Sets are run by
the rules of protocol.py; a line per set, model and number of values is added to results/noise.csv. ``children`` are
the features that have the column as a parent in the network of all rows.
"""

import argparse
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import protocol
from one_network import MODELS

RESULTS = Path(__file__).parent / "results" / "noise.csv"
SETS = ["car", "australian", "german", "vehicle", "cmc", "kr-vs-kp", "mushroom", "adult"]
COMPARED = ["default", "TAN as published"]
VALUES = [0, 30, 200, 1000]
NOISE = "noise"


def run(name: str, model: str, values: int) -> dict[str, object]:
    """Cross-validate a model on a set with a column of noise."""
    data = protocol.load(name)
    if values:
        drawn = np.random.default_rng(0).integers(0, values, len(data.y))
        data = replace(data, X=data.X.assign(**{NOISE: [f"v{value}" for value in drawn]}))
    posterior, _ = protocol.cross_validated(data, MODELS[model])
    log_loss, accuracy, _ = protocol.measures(posterior, data.y)
    network = MODELS[model]().fit(data.X, data.y).network_
    return {
        "dataset": name,
        "model": model,
        "values": values,
        "log_loss": f"{log_loss:.5f}",
        "accuracy": f"{accuracy:.5f}",
        "children": sum(NOISE in network.parents(node) for node in network.nodes),
        "features": data.X.shape[1],
        "date": datetime.now(UTC).date().isoformat(),
    }


def table() -> pl.DataFrame:
    """Return the mean log-loss of each model by the number of values, and the share of features below the noise."""
    last = pl.read_csv(RESULTS).group_by("dataset", "model", "values", maintain_order=True).last()
    below = (pl.col("children") / (pl.col("features") - 1)).mean().alias("below the noise")
    return last.group_by("model", "values", maintain_order=True).agg(
        pl.len().alias("sets"), pl.col("log_loss", "accuracy").mean(), below
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    done = (
        set(pl.read_csv(RESULTS).select("dataset", "model", "values").iter_rows())
        if RESULTS.exists()
        else set()
    )
    for name in [] if given.table else SETS:
        for model in COMPARED:
            for values in VALUES:
                if (name, model, values) not in done:
                    line = run(name, model, values)
                    protocol.append(RESULTS, line)
                    print(*line.values(), flush=True)
    with pl.Config(tbl_rows=-1, float_precision=3):
        print(table())


if __name__ == "__main__":
    main()
