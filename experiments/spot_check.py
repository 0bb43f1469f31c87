"""Make a sample of the committed figures again, and keep a record of how many came out the same.

A sample is the experiment's own command on some of its data sets, into a folder of its own (BAYLEAF_DATA names the
data). Every figure that both have is compared. spot_checks.csv keeps a line per file of results: the day, what was
made again, how many figures, how many of them equal, and digests of the results and of their learners' code, so that
refresh.py, which calls this, can tell whether the record still speaks of both.
"""

import csv
import datetime
import hashlib
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
RECORDS = HERE / "spot_checks.csv"
COLUMNS = ("results", "day", "sample", "figures", "equal", "digest of results", "digest of code")
# Columns that say what a figure is of; not all files have all of them.
KEYS = ("dataset", "method", "variant", "rows", "order", "seed", "fold")
# Results are kept with four digits or more; sums of floating-point numbers may differ in the last.
TOLERANCE = 2e-4


@dataclass(frozen=True)
class Sample:
    """A part of an experiment: its script and options ({folder} is where it writes), and the figures it makes."""

    options: tuple[str, ...]
    sets: tuple[str, ...]
    measures: tuple[str, ...] = ("accuracy",)

    def command(self, experiment: str, folder: str) -> list[str]:
        """Return the command line."""
        script, *options = (part.format(folder=folder) for part in self.options)
        places = [str(HERE / experiment / script)]
        for option in options:
            places += self.sets if option == "SETS" else [option]
        return [sys.executable, *places]


OUT = ("--out", "{folder}")
LOSSES = ("zero_one_loss", "log_loss")
SAMPLES: dict[str, Sample] = {
    "rmcv_2012/results/kept.csv": Sample(
        ("run.py", "--only", "SETS", "--repetitions", "1", "--networks-only", *OUT),
        ("Corral", "Iris"),
        ("accuracy", "auc"),
    ),
    "rmcv_2012/results/checks.csv": Sample(("checks.py", "--only", "SETS", *OUT), ("Hayes",)),
    "rmcv_2012/results/zeros.csv": Sample(("run.py", "--zeros", "--only", "SETS", *OUT), ("Corral", "Iris")),
    "rmcv_2012/results/zeros_search.csv": Sample(
        ("zeros.py", "SETS", *OUT), ("Glass", "Hepatitis"), ("accuracy", "arcs")
    ),
    "anb_2021/results/folds.csv": Sample(
        ("run.py", "accuracy", "--only", "SETS", "--folds", "{folder}/folds.csv"),
        ("iris", "lenses", "post-operative"),
    ),
    "omi_cr_2010/results/uci.csv": Sample(
        ("run.py", "uci", "--only", "SETS", "--jobs", "1", *OUT), ("IRIS", "CORRAL")
    ),
    "omi_cr_2010/results/uci_crcl.csv": Sample(
        ("run.py", "crcl", "--only", "SETS", "--jobs", "1", *OUT), ("IRIS", "MOFN-3-7-10")
    ),
    "omi_cr_2010/results/training.csv": Sample(
        ("run.py", "training", "--only", "SETS", "--jobs", "1", *OUT),
        ("IRIS", "CORRAL"),
        ("accuracy", "log_loss"),
    ),
    "omi_cr_2010/results/random_orders.csv": Sample(
        ("run.py", "random-orders", "--only", "SETS", *OUT), ("IRIS",), ("training_right", "test_right")
    ),
    "omi_cr_2010/results/figure7.csv": Sample(
        ("run.py", "figure7", "--only", "SETS", *OUT), ("IRIS",), ("cll",)
    ),
    "fkdb_2015/results/zero_one_loss.csv": Sample(
        ("run.py", "--only", "SETS", "--no-variants", "--jobs", "1", *OUT),
        ("Balance Scale",),
        ("mean", "deviation"),
    ),
    "bnc_2004/results/kept.csv": Sample(
        ("run.py", "--only", "SETS", "--repetitions", "1", *OUT), ("iris", "corral"), LOSSES
    ),
    "bnc_2004/results/parents_kept.csv": Sample(
        ("run.py", "--parents", "--only", "SETS", *OUT), ("iris", "corral"), LOSSES
    ),
    "bnc_2004/results/full_kept.csv": Sample(("run.py", "--full", "SETS", *OUT), ("iris",), LOSSES),
    "bnc_2004/results/checks.csv": Sample(("checks.py", "--only", "SETS", *OUT), ("iris", "corral"), LOSSES),
}

Figures = dict[tuple[str, ...], float]


def figures(path: Path, measures: tuple[str, ...]) -> Figures:
    """Return the figures of a file by what they are of; a field may hold those of several folds."""
    found: Figures = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            names = tuple(line[key] for key in KEYS if key in line)
            for measure in measures:
                for number, value in enumerate(line[measure].split()):
                    found[*names, f"{measure} {number}"] = float(value)
    return found


def differing(
    committed: Mapping[tuple[str, ...], float], again: Mapping[tuple[str, ...], float]
) -> list[str]:
    """Name the figures that have come out otherwise.

    >>> differing({("iris", "NB", "accuracy 0"): 0.9}, {("iris", "NB", "accuracy 0"): 0.8})
    ['iris, NB, accuracy 0: 0.8 instead of 0.9']
    """
    return [
        f"{', '.join(key)}: {again[key]:.6g} instead of {committed[key]:.6g}"
        for key in sorted(committed.keys() & again.keys())
        if not math.isclose(committed[key], again[key], rel_tol=0, abs_tol=TOLERANCE)
        and not (math.isnan(committed[key]) and math.isnan(again[key]))
    ]


def digest(text: str) -> str:
    """Return a short digest."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def records() -> dict[str, dict[str, str]]:
    """Return the kept records by file of results."""
    if not RECORDS.exists():
        return {}
    with RECORDS.open(encoding="utf-8", newline="") as file:
        return {line["results"]: line for line in csv.DictReader(file)}


def write(kept: Mapping[str, Mapping[str, str]]) -> None:
    """Write the records, in the order of SAMPLES."""
    with RECORDS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[name] for name in SAMPLES if name in kept)


def check(results: str, code: str) -> list[str]:
    """Make the sample of a file again, keep the record, and name what has come out otherwise."""
    sample = SAMPLES[results]
    experiment, _, made = results.partition("/results/")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(sample.command(experiment, folder), check=True, capture_output=True)
        committed = figures(HERE / results, sample.measures)
        again = figures(Path(folder) / made, sample.measures)
    common = len(committed.keys() & again.keys())
    found = differing(committed, again)
    print(
        f"{results}: {common} figures of {', '.join(sample.sets)} made again, {common - len(found)} equal",
        flush=True,
    )
    for said in found[:10]:
        print(f"  {said}", flush=True)
    line = {
        "results": results,
        "day": datetime.date.today().isoformat(),
        "sample": ", ".join(sample.sets),
        "figures": str(common),
        "equal": str(common - len(found)),
        "digest of results": digest((HERE / results).read_text(encoding="utf-8")),
        "digest of code": code,
    }
    write(records() | {results: line})
    return found
