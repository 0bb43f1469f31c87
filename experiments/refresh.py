"""Say which committed results were made by older code than the learners they use.

    python experiments/refresh.py            # by the code: learners that have changed since the results were made
    python experiments/refresh.py --measure  # by the figures: small sets again, methods that come out otherwise

By the code: a file of results counts as made by the code of the commit that changed it last. Its learners are the
source files named in USES; they have changed if their code differs between that commit and the working tree,
comments, docstrings and layout aside. A file that has moved since counts as changed, and a change need not alter any
figure.

By the figures: the experiments run on their smallest sets into a folder of their own (BAYLEAF_DATA names the data),
and every cell that both have is compared. What differs was made by other code. Exit code 1 if anything does.
"""

import argparse
import ast
import csv
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent
STRUCTURE, SCORES, PARAMETERS = (f"src/bayleaf/{room}" for room in ("structure", "scores", "parameters"))
CLOSED = f"{PARAMETERS}/closed_form.py"
TUNED = (f"{PARAMETERS}/conditional_likelihood.py", f"{PARAMETERS}/conditional_objective.py")
CLIMB = (f"{STRUCTURE}/hill_climbing.py", "src/bayleaf/search/climbing.py", "src/bayleaf/search/moves.py")
RISK = (f"{SCORES}/classification.py", "src/bayleaf/search/log_joint.py")
EXACT = (f"{STRUCTURE}/exact.py", "src/bayleaf/search/exact_search.py", f"{SCORES}/bayesian.py")
ORDERED = (f"{STRUCTURE}/order_based.py", f"{STRUCTURE}/greedy_tree.py", f"{STRUCTURE}/superparent.py")
TREES = (f"{STRUCTURE}/naive.py", f"{STRUCTURE}/tan.py")
DEPENDENCE = (*TREES, f"{STRUCTURE}/kdb.py", f"{STRUCTURE}/fkdb.py", "src/bayleaf/ensemble/bagging.py")
CONDITIONAL = (f"{SCORES}/conditional.py", "src/bayleaf/search/log_joint.py")
BNC = (*TREES, *CLIMB, *CONDITIONAL, *TUNED, CLOSED, f"{SCORES}/likelihood.py", f"{SCORES}/bayesian.py")
OMI = (*TREES, *ORDERED, *RISK, CLOSED)
SELECTION = tuple(
    f"src/bayleaf/selection/{name}.py"
    for name in ("association", "bayes_factor", "hiton", "mmpc", "pcmb", "s2tmb")
)

# Files of results, and the source files of the learners behind them.
USES: dict[str, tuple[str, ...]] = {
    "rmcv_2012/results/kept.csv": (*TREES, *CLIMB, *RISK, *CONDITIONAL, CLOSED, f"{SCORES}/likelihood.py"),
    "rmcv_2012/results/checks.csv": (*TREES, *CLIMB, *RISK, *CONDITIONAL, CLOSED),
    "rmcv_2012/results/zeros_search.csv": (*TREES, *CLIMB, CLOSED),
    "rmcv_2012/results/zeros.csv": (*TREES, *CLIMB, *RISK, *CONDITIONAL, CLOSED),
    "rmcv_2012/results/times.csv": (*TREES, *CLIMB, *RISK, *CONDITIONAL, CLOSED),
    "rmcv_2012/results/table5_squared_errors.csv": (*RISK, CLOSED),
    "rmcv_2012/results/section52_counts.csv": (*RISK, CLOSED),
    "anb_2021/results/folds.csv": (
        *TREES,
        *EXACT,
        *CLIMB,
        *CONDITIONAL,
        *SELECTION,
        f"{STRUCTURE}/mcdag.py",
        f"{STRUCTURE}/mcges.py",
        f"{STRUCTURE}/tan_acll.py",
        CLOSED,
    ),
    "anb_2021/results/table3.csv": (*EXACT, CLOSED),
    "anb_2021/results/table4.csv": SELECTION,
    "omi_cr_2010/results/uci.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/uci_crcl.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/digits.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/random_orders.csv": OMI,
    "omi_cr_2010/results/training.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/figure7.csv": (*TREES, *ORDERED, *CONDITIONAL, CLOSED),
    "omi_cr_2010/results/section3.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/section63.csv": (*TREES, *ORDERED, *CONDITIONAL, CLOSED),
    "omi_cr_2010/results/section64.csv": OMI,
    "omi_cr_2010/results/missing.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/checks.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/timing.csv": OMI,
    "fkdb_2015/results/zero_one_loss.csv": (*DEPENDENCE, CLOSED, "src/bayleaf/network/instance.py"),
    "fkdb_2015/results/whole.csv": (*DEPENDENCE, CLOSED, "src/bayleaf/network/instance.py"),
    "bnc_2004/results/kept.csv": BNC,
    "bnc_2004/results/full_kept.csv": BNC,
    "bnc_2004/results/parents_kept.csv": BNC,
    "bnc_2004/results/checks.csv": BNC,
}


def code_digest(name: str, text: str) -> str:
    """Return a digest of a source file that comments, docstrings and layout do not change.

    >>> code_digest("a.py", "x = 1  # one") == code_digest("a.py", "x  =  1")
    True
    >>> code_digest("a.py", "x = 1") == code_digest("a.py", "x = 2")
    False
    """
    if name.endswith(".py"):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                del node.body[0]
        text = ast.dump(tree)
    else:
        text = re.sub(r"\s+", " ", re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def git(*arguments: str) -> str | None:
    """Return what git says, None where it fails."""
    done = subprocess.run(
        ("git", "-C", str(PROJECT), *arguments), capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


def changed(
    sources: tuple[str, ...], then: Callable[[str], str | None], now: Callable[[str], str | None]
) -> list[str]:
    """List the sources whose code then and now differ; one that did not exist then has changed."""
    different = []
    for source in dict.fromkeys(sources):
        before, after = then(source), now(source)
        if before is None or after is None or code_digest(source, before) != code_digest(source, after):
            different.append(source)
    return different


def made_by(results: str) -> tuple[str, str] | None:
    """Return the commit that changed a file of results last and its day; None where it is not committed."""
    found = git("log", "-1", "--format=%H %cs", "--", f"experiments/{results}")
    if not found or not found.strip():
        return None
    commit, day = found.split()
    return commit, day


# The experiments on their smallest sets: the command, what it writes, and the committed file beside it.
SMALL: dict[str, tuple[tuple[str, ...], str, str]] = {
    "rmcv_2012": (
        ("run.py", "--only", "Corral", "Iris", "--repetitions", "1", "--networks-only", "--out", "{folder}"),
        "kept.csv",
        "results/kept.csv",
    ),
    "anb_2021": (
        ("run.py", "accuracy", "--only", "iris", "lenses", "post-operative", "--folds", "{folder}/folds.csv"),
        "folds.csv",
        "results/folds.csv",
    ),
    "omi_cr_2010": (
        ("run.py", "uci", "--only", "IRIS", "CORRAL", "--jobs", "1", "--out", "{folder}"),
        "uci.csv",
        "results/uci.csv",
    ),
    "fkdb_2015": (
        ("run.py", "--only", "Balance Scale", "--no-variants", "--jobs", "1", "--out", "{folder}"),
        "zero_one_loss.csv",
        "results/zero_one_loss.csv",
    ),
    "bnc_2004": (
        ("run.py", "--only", "iris", "corral", "--repetitions", "1", "--out", "{folder}"),
        "kept.csv",
        "results/kept.csv",
    ),
}
MEASURES = ("accuracy", "zero_one_loss", "log_loss", "mean")
# Results are kept with four digits or more; sums of floating-point numbers may differ in the last.
TOLERANCE = 2e-4


def cells(path: Path) -> dict[tuple[str, str, str], float]:
    """Return the figures of a file of results by data set, method and fold (or measure)."""
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            for measure in MEASURES:
                for number, value in enumerate((line.get(measure) or "").split()):
                    place = line["fold"] if "fold" in line else str(number)
                    found[line["dataset"], line["method"], f"{measure} {place}"] = float(value)
    return found


def differing(
    committed: Mapping[tuple[str, str, str], float], again: Mapping[tuple[str, str, str], float]
) -> list[str]:
    """Name the data sets and methods with a figure that has come out otherwise.

    >>> differing({("iris", "NB", "accuracy 0"): 0.9}, {("iris", "NB", "accuracy 0"): 0.8})
    ['iris NB']
    """
    both = committed.keys() & again.keys()
    return sorted({f"{key[0]} {key[1]}" for key in both if abs(committed[key] - again[key]) > TOLERANCE})


def measure() -> int:
    """Run the experiments on their smallest sets and compare; return how many have figures that differ."""
    stale = 0
    for name, (command, made, kept) in SMALL.items():
        with tempfile.TemporaryDirectory() as folder:
            script, *options = (part.format(folder=folder) for part in command)
            subprocess.run(
                (sys.executable, str(HERE / name / script), *options), check=True, capture_output=True
            )
            committed, again = cells(HERE / name / kept), cells(Path(folder) / made)
        found = differing(committed, again)
        stale += bool(found)
        common = len(committed.keys() & again.keys())
        said = f"{len(found)} differ: {', '.join(found)}" if found else "all the same"
        print(f"{name}: {common} figures made again, {said}", flush=True)
    return stale


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", action="store_true", help="by the figures")
    options = parser.parse_args(arguments)
    if options.measure:
        return 1 if measure() else 0
    for results, sources in USES.items():
        made = made_by(results)
        if made is None:
            print(f"{results}: not committed")
            continue
        commit, day = made
        different = changed(sources, lambda source, at=commit: git("show", f"{at}:{source}"), _now)
        shown = ", ".join(name.removeprefix("src/bayleaf/") for name in different)
        print(
            f"{results}: of {day} ({commit[:8]}); " + (f"changed since: {shown}" if shown else "up to date")
        )
    return 0


def _now(source: str) -> str | None:
    path = PROJECT / source
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
