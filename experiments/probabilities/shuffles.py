"""How much of a figure of a small set is the shuffle of its rows: the same models on other folds.

    python experiments/probabilities/shuffles.py --sets glass,hepatitis --models "pool;RandomForest"

On some hundred rows the folds of protocol.py are one draw of many. Here the rows are shuffled ten times, with seeds 0
(the protocol's) to 9, and a line per set, model and seed is added to results/shuffles.csv. What is there already is
not run again.
"""

import argparse
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import protocol
from everything import MODELS

RESULTS = Path(__file__).parent / "results" / "shuffles.csv"
SETS = ["glass", "hepatitis"]
COMPARED = ["pool", "one network", "RandomForest", "ExtraTrees", "CatBoost"]
SHUFFLES = 10


def run(name: str, model: str, seed: int) -> dict[str, object]:
    """Cross-validate a model on the folds of a seed."""
    data = protocol.load(name)
    shuffled = replace(data, fold=protocol.fold_of(data.y, seed))
    posterior, _ = protocol.cross_validated(shuffled, MODELS[model])
    log_loss, accuracy, _ = protocol.measures(posterior, data.y)
    return {
        "dataset": name,
        "model": model,
        "seed": seed,
        "log_loss": f"{log_loss:.5f}",
        "accuracy": f"{accuracy:.5f}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", default=",".join(SETS), help="names separated by commas")
    parser.add_argument("--models", default=";".join(COMPARED), help="names separated by semicolons")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = pl.read_csv(RESULTS).select("dataset", "model", "seed") if RESULTS.exists() else pl.DataFrame()
    done = set(names.iter_rows())
    for name in given.sets.split(","):
        for model in given.models.split(";"):
            for seed in range(SHUFFLES):
                if (name, model, seed) not in done:
                    line = run(name, model, seed)
                    protocol.append(RESULTS, line)
                    print(*line.values(), flush=True)


if __name__ == "__main__":
    main()
