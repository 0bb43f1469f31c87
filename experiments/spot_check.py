"""Make a sample of the committed figures again, and keep a record of how many came out the same.

A sample is the experiment's own command on some of its data sets, or some of its steps, into a folder of its own
(BAYLEAF_DATA names the data). Every figure that both have is compared. spot_checks.csv keeps a line per file of
results: the day, what was made again, how many figures, how many of them equal, and digests of the results and of
their learners' code, so that refresh.py, which calls this, can tell whether the record still speaks of both.
"""

import csv
import datetime
import hashlib
import math
import re
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
KEYS = ("dataset", "network", "method", "variant", "rows", "order", "seed", "fold", "check", "predictor")
KEYS += ("graphs ranked first", "variables", "confusion", "features", "run", "missing")
NUMBER = re.compile(r"nan|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
LAST_LINES = 15  # of what a failing experiment says
# Results are kept with four digits or more; sums of floating-point numbers may differ in the last.
TOLERANCE = 2e-4


@dataclass(frozen=True)
class Sample:
    """A part of an experiment: its script and options ({folder} is where it writes), and the figures it makes.

    ``what`` says what is made again where that is more or less than all of some data sets.
    """

    options: tuple[str, ...]
    sets: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("accuracy",)
    what: str = ""
    tolerance: float = TOLERANCE

    @property
    def shown(self) -> str:
        """What is made again, in words."""
        return ": ".join(filter(None, (", ".join(self.sets), self.what)))

    def command(self, experiment: str, folder: str) -> list[str]:
        """Return the command line."""
        script, *options = (part.format(folder=folder) for part in self.options)
        places = [str(HERE / experiment / script)]
        for option in options:
            places += self.sets if option == "SETS" else [option]
        return [sys.executable, *places]


OUT = ("--out", "{folder}")
LOSSES = ("zero_one_loss", "log_loss")
DIGIT_METHODS = tuple(f"{name}-{by}" for name in ("NB", "TAN-CMI", "TAN-OMI-CR") for by in ("ML", "CL"))
# Data sets that take seconds, by the experiment's year.
SMALL_2012 = (
    "Breast",
    "Corral",
    "Flare",
    "Glass",
    "Glass2",
    "Hayes",
    "Hepatitis",
    "Iris",
    "Lymphography",
    "Tic-Tac-Toe",
)
SMALL_2021 = ("banknote", "hayes-roth", "iris", "lenses", "liver", "monks-1", "mux6", "post-operative")
SMALL_2010 = ("BREAST", "CORRAL", "HEPATITIS", "IRIS", "MOFN-3-7-10", "SHUTTLE-SMALL")
SMALL_2015 = ("Balance Scale", "Hungarian", "Lung Cancer", "Pima-ind-diabetes", "Vowel", "Zoo")
SMALL_2004 = ("corral", "glass2", "hepatitis", "iris", "shuttle-small")
SAMPLES: dict[str, Sample] = {
    "rmcv_2012/results/kept.csv": Sample(
        ("run.py", "--only", "SETS", "--repetitions", "1", "--networks-only", *OUT),
        SMALL_2012,
        ("accuracy", "auc"),
    ),
    "rmcv_2012/results/checks.csv": Sample(("checks.py", "--only", "SETS", *OUT), ("Hayes", "Glass2")),
    "rmcv_2012/results/zeros.csv": Sample(("run.py", "--zeros", "--only", "SETS", *OUT), SMALL_2012),
    "rmcv_2012/results/zeros_search.csv": Sample(
        ("zeros.py", "SETS", *OUT), ("Glass", "Hepatitis"), ("accuracy", "arcs")
    ),
    "rmcv_2012/results/speedup.csv": Sample(
        ("speedup.py", *OUT),
        measures=("networks tried", "risk of the plain search", "risk of ours"),
        what="all",
    ),
    "rmcv_2012/results/table5_squared_errors.csv": Sample(
        ("census.py", *OUT), measures=("bayleaf",), what="all", tolerance=1e-7
    ),
    "rmcv_2012/results/section52_counts.csv": Sample(("census.py", *OUT), measures=("bayleaf",), what="all"),
    "anb_2021/results/folds.csv": Sample(("run.py", "accuracy", "--only", "SETS", *OUT), SMALL_2021),
    "anb_2021/results/table3.csv": Sample(
        ("run.py", "asymptotics", *OUT),
        measures=("shd median", "samples with shd 0", "samples with shd 0 from here on", "kl median"),
        what="all",
    ),
    "anb_2021/results/table4.csv": Sample(
        ("run.py", "discovery", "--only", "SETS", *OUT), ("ASIA", "SACHS"), ("missing", "extra", "refused")
    ),
    "omi_cr_2010/results/uci.csv": Sample(
        ("run.py", "uci", "--only", "SETS", "--jobs", "1", *OUT), SMALL_2010
    ),
    "omi_cr_2010/results/uci_crcl.csv": Sample(
        ("run.py", "crcl", "--only", "SETS", "--jobs", "1", *OUT),
        ("IRIS", "CORRAL", "MOFN-3-7-10", "SHUTTLE-SMALL", "DIABETES", "GLASS2"),
    ),
    "omi_cr_2010/results/training.csv": Sample(
        ("run.py", "training", "--only", "SETS", "--jobs", "1", *OUT),
        ("IRIS", "CORRAL", "MOFN-3-7-10", "SHUTTLE-SMALL"),
        ("accuracy", "log_loss"),
    ),
    "omi_cr_2010/results/training_inside.csv": Sample(
        ("run.py", "training", "--costly", "--only", "SETS", "--jobs", "1", *OUT),
        ("IRIS",),
        ("accuracy", "log_loss"),
    ),
    "omi_cr_2010/results/random_orders.csv": Sample(
        ("run.py", "random-orders", "--only", "SETS", *OUT),
        ("IRIS", "GLASS2"),
        ("training_right", "test_right"),
    ),
    "omi_cr_2010/results/figure7.csv": Sample(
        ("run.py", "figure7", "--only", "SETS", *OUT), ("IRIS", "GLASS2", "HEPATITIS"), ("cll",)
    ),
    "omi_cr_2010/results/digits.csv": Sample(
        ("run.py", "digits", "--only", "SETS", "--methods", *DIGIT_METHODS, "--jobs", "1", *OUT),
        ("USPS",),
        what=", ".join(DIGIT_METHODS),
    ),
    "omi_cr_2010/results/section3.csv": Sample(
        ("run.py", "section3", "--first", "1", *OUT),
        measures=("accuracy", "deviation", "joins_x1_x3"),
        what="20 rows",
    ),
    "omi_cr_2010/results/section63.csv": Sample(
        ("run.py", "section63", "--first", "3", *OUT), measures=("cll",), what="3 runs with 10 variables"
    ),
    "omi_cr_2010/results/section64.csv": Sample(
        ("run.py", "section64", "--first", "2", *OUT), what="a run with 5 and one with 10 features"
    ),
    "omi_cr_2010/results/missing.csv": Sample(
        ("run.py", "missing", "--only", "SETS", "--first", "2", *OUT),
        ("LETTER",),
        ("accuracy", "deviation"),
        what="none and one missing",
    ),
    "omi_cr_2010/results/checks.csv": Sample(
        ("run.py", "checks", "--only", "SETS", *OUT),
        ("GLASS2",),
        ("accuracy", "deviation", "lowest", "highest"),
    ),
    "fkdb_2015/results/zero_one_loss.csv": Sample(
        ("run.py", "--only", "SETS", "--no-variants", "--jobs", "1", *OUT),
        SMALL_2015,
        ("mean", "deviation"),
    ),
    "fkdb_2015/results/whole.csv": Sample(
        ("run.py", "--only", "SETS", "--no-variants", "--jobs", "1", *OUT),
        SMALL_2015,
        tuple(f"sum_mi {name}" for name in ("NB", "TAN", "KDB", "FKDB"))
        + tuple(f"training auc {name}" for name in ("NB", "TAN", "RTAN", "KDB", "FKDB")),
    ),
    "fkdb_2015/results/variants_kept.csv": Sample(
        ("run.py", "--only", "SETS", "--jobs", "1", *OUT), ("Vowel", "Zoo"), ("zero_one_loss",)
    ),
    "bnc_2004/results/kept.csv": Sample(
        ("run.py", "--only", "SETS", "--repetitions", "1", *OUT), SMALL_2004, LOSSES
    ),
    "bnc_2004/results/parents_kept.csv": Sample(
        ("run.py", "--parents", "--only", "SETS", *OUT), SMALL_2004, LOSSES
    ),
    "bnc_2004/results/full_kept.csv": Sample(("run.py", "--full", "SETS", *OUT), ("iris",), LOSSES),
    "bnc_2004/results/checks.csv": Sample(("checks.py", "--only", "SETS", *OUT), SMALL_2004, LOSSES),
}

Figures = dict[tuple[str, ...], float]


def figures(path: Path, measures: tuple[str, ...]) -> Figures:
    """Return the figures of a file by what they are of; a field may hold those of several folds.

    What is a key in one file may be a measure in another: that is for the measures to say.
    """
    found: Figures = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            names = tuple(line[key] for key in KEYS if key in line and key not in measures)
            for measure in measures:
                for number, value in enumerate(NUMBER.findall(line[measure])):
                    found[*names, f"{measure} {number}"] = float(value)
    return found


def differing(
    committed: Mapping[tuple[str, ...], float],
    again: Mapping[tuple[str, ...], float],
    tolerance: float = TOLERANCE,
) -> list[str]:
    """Name the figures that have come out otherwise.

    >>> differing({("iris", "NB", "accuracy 0"): 0.9}, {("iris", "NB", "accuracy 0"): 0.8})
    ['iris, NB, accuracy 0: 0.8 instead of 0.9']
    """
    return [
        f"{', '.join(key)}: {again[key]:.6g} instead of {committed[key]:.6g}"
        for key in sorted(committed.keys() & again.keys())
        if not math.isclose(committed[key], again[key], rel_tol=0, abs_tol=tolerance)
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
        _run(sample.command(experiment, folder))
        committed = figures(HERE / results, sample.measures)
        again = figures(Path(folder) / made, sample.measures)
    common = len(committed.keys() & again.keys())
    found = differing(committed, again, sample.tolerance)
    print(
        f"{results}: {common} figures of {sample.shown} made again, {common - len(found)} equal", flush=True
    )
    for said in found[:10]:
        print(f"  {said}", flush=True)
    line = {
        "results": results,
        "day": datetime.date.today().isoformat(),
        "sample": sample.shown,
        "figures": str(common),
        "equal": str(common - len(found)),
        "digest of results": digest((HERE / results).read_text(encoding="utf-8")),
        "digest of code": code,
    }
    write(records() | {results: line})
    return found


def _run(command: list[str]) -> None:
    """Run an experiment; one that fails ends this with what it said last."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(f"  {line}" for line in done.stderr.splitlines()[-LAST_LINES:])
        raise SystemExit(f"{' '.join(command)} ended with exit code {done.returncode}:\n{said}")
