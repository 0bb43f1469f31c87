"""How good the probabilities of one network are: the default of bayleaf, and what it is made of left out in turn.

    python experiments/probabilities/one_network.py 13              # the sets that the default was chosen on
    python experiments/probabilities/one_network.py others          # 28 others
    python experiments/probabilities/one_network.py pima,car --models "default;NB"
    python experiments/probabilities/one_network.py 13 --table      # what the results say, without a run

Every set is run by the rules of protocol.py. A line per set and model is added to results/one_network.csv, which is
never rewritten; of several lines for the same set and model the last counts. Fits are timed in CPU seconds on one
thread.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import protocol

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "one_network.csv"
GRID = bl.AdaptiveQuantiles()


def network(structure: Any, parameters: Any, discretizer: Any = GRID) -> Callable[[], bl.BayesNetClassifier]:
    return lambda: bl.BayesNetClassifier(structure, parameters, discretizer, n_jobs=1)


MODELS: dict[str, Callable[[], Any]] = {
    "default": lambda: bl.BayesNetClassifier(n_jobs=1),
    "NB": network(bl.NaiveBayes(), bl.TunedTables()),
    "KDB-1": network(bl.KDB(k=1), bl.TunedTables()),
    "FAN": network(bl.FAN(), bl.TunedTables()),
    "shrunk": network(bl.TAN(), bl.Shrinkage()),
    "MDLP": network(bl.TAN(), bl.TunedTables(), bl.MDLP()),
    "10 quantiles": network(bl.TAN(), bl.TunedTables(), bl.Quantiles(10)),
    "TAN, Dirichlet(1), MDLP": network(bl.TAN(), bl.Dirichlet(), bl.MDLP()),
}


def run(name: str, model: str) -> protocol.Line:
    """Cross-validate a model on a set."""
    data = protocol.load(name)
    posterior = np.zeros((len(data.y), data.classes))
    spent = np.zeros(2)
    for fold in range(protocol.FOLDS):
        train = data.fold != fold
        clf, start = MODELS[model](), time.process_time()
        clf.fit(data.X[train], data.y[train])
        fitted = time.process_time()
        posterior[np.ix_(~train, clf.classes_)] = clf.predict_proba(data.X[~train])
        spent += fitted - start, time.process_time() - fitted
    found = protocol.measures(posterior, data.y)
    today = datetime.now(UTC).date().isoformat()
    return protocol.Line(name, model, len(data.y), *found, *(spent / protocol.FOLDS).tolist(), today)


def table(names: list[str]) -> pl.DataFrame:
    """Return the means of each model over the sets, by the last line of each; only models that have all sets."""
    lines = pl.read_csv(RESULTS).filter(pl.col("dataset").is_in(names))
    last = lines.group_by("model", "dataset", maintain_order=True).last()
    means = last.group_by("model", maintain_order=True).agg(
        pl.len().alias("sets"), pl.col("log_loss", "accuracy", "brier", "fit_cpu_seconds").mean()
    )
    return means.filter(pl.col("sets") == len(names)).sort("log_loss")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", help="13, others, or names separated by commas")
    parser.add_argument(
        "--models", default="default", help=f"of {', '.join(MODELS)}; separated by semicolons"
    )
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    names = protocol.GROUPS.get(given.sets) or given.sets.split(",")
    if not given.table:
        warnings.simplefilter("ignore")
        for name in names:
            for model in given.models.split(";"):
                line = run(name, model)
                protocol.append(RESULTS, line)
                shown = (
                    f"{line.log_loss:.4f} {line.accuracy:.4f} {line.brier:.4f} {line.fit_cpu_seconds:.2f} s"
                )
                print(f"{name:24s} {model:24s} {shown}", flush=True)
    with pl.Config(tbl_rows=-1, float_precision=4):
        print(table(names))


if __name__ == "__main__":
    main()
