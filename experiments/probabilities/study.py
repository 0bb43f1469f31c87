"""Runs models on sets by the rules of protocol.py, and keeps a line for each in a file that is never rewritten.

A script names its models and its file of results, and calls `main`. Of several lines for the same set and model the
last counts. Fits are timed in CPU seconds on one thread.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import protocol

Models = Mapping[str, Callable[[], Any]]


def run(name: str, model: str, models: Models) -> protocol.Line:
    """Cross-validate a model on a set."""
    data = protocol.load(name)
    posterior, spent = protocol.cross_validated(data, models[model])
    found = protocol.measures(posterior, data.y)
    today = datetime.now(UTC).date().isoformat()
    return protocol.Line(name, model, len(data.y), *found, *spent.tolist(), today)


def table(results: Path, names: list[str]) -> pl.DataFrame:
    """Return the means of each model over the sets, by the last line of each; only models that have all sets."""
    lines = pl.read_csv(results).filter(pl.col("dataset").is_in(names))
    last = lines.group_by("model", "dataset", maintain_order=True).last()
    means = last.group_by("model", maintain_order=True).agg(
        pl.len().alias("sets"), pl.col("log_loss", "accuracy", "brier", "fit_cpu_seconds").mean()
    )
    return means.filter(pl.col("sets") == len(names)).sort("log_loss")


def main(described: str, models: Models, results: Path) -> None:
    """Run what the command line asks for, and show the means."""
    parser = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", help=f"{', '.join(protocol.GROUPS)}, or names separated by commas")
    parser.add_argument(
        "--models", default=next(iter(models)), help=f"of {', '.join(models)}; separated by semicolons"
    )
    parser.add_argument("--table", action="store_true", help="only show what the results say")
    given = parser.parse_args()
    names = protocol.GROUPS.get(given.sets) or given.sets.split(",")
    if not given.table:
        warnings.simplefilter("ignore")
        for name in names:
            for model in given.models.split(";"):
                line = run(name, model, models)
                protocol.append(results, protocol.printed(line))
                shown = (
                    f"{line.log_loss:.4f} {line.accuracy:.4f} {line.brier:.4f} {line.fit_cpu_seconds:.2f} s"
                )
                print(f"{name:24s} {model:24s} {shown}", flush=True)
    with pl.Config(tbl_rows=-1, float_precision=4):
        print(table(results, names))
