"""The pool and LightGBM on more rows: the first fold of five, with all rows of a set or 100,000.

    python experiments/probabilities/more_rows.py                  # all sets
    python experiments/probabilities/more_rows.py adult,magic --models pool

A line per set and model is added to results/more_rows.csv: see study.py. Every fit runs in a process of its own, on
one thread, so that its memory can be told.
"""

import argparse
import multiprocessing
import resource
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import protocol
from peers import PEERS

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "more_rows.csv"
ROWS = {
    "magic": 10**9,
    "letter": 10**9,
    "adult": 10**9,
    "connect-4": 10**9,
    "census-income": 100_000,
    "poker-hand": 100_000,
}
MODELS = {"pool": lambda: bl.NetworkPool(n_jobs=1), "LightGBM": PEERS.get("LightGBM")}


def measure(name: str, model: str) -> dict[str, Any]:
    """Fit a model to four folds of a set and measure it on the first."""
    warnings.simplefilter("ignore")
    data = protocol.load(name, ROWS[name])
    train = data.fold != 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clf, start = MODELS[model](), time.process_time()
    clf.fit(data.X[train], data.y[train])
    fitted = time.process_time()
    posterior = clf.predict_proba(data.X[~train])
    done = time.process_time()
    log_loss, accuracy, brier = protocol.measures(posterior, data.y[~train])
    return {
        "dataset": name,
        "model": model,
        "rows": int(train.sum()),
        "log_loss": f"{log_loss:.4f}",
        "accuracy": f"{accuracy:.4f}",
        "brier": f"{brier:.4f}",
        "fit_cpu_seconds": f"{fitted - start:.2f}",
        "predict_us_per_row": f"{(done - fitted) / (~train).sum() * 1e6:.1f}",
        "more_megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024,
        "date": datetime.now(UTC).date().isoformat(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="?", default=",".join(ROWS), help="names separated by commas")
    parser.add_argument("--models", default=";".join(MODELS), help="separated by semicolons")
    given = parser.parse_args()
    for name in given.sets.split(","):
        for model in given.models.split(";"):
            with multiprocessing.get_context("spawn").Pool(1) as process:
                line = process.apply(measure, (name, model))
            protocol.append(RESULTS, line)
            print(*line.values(), flush=True)


if __name__ == "__main__":
    main()
