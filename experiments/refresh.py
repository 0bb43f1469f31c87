"""Say which committed results were made by older code than the learners they use.

    python experiments/refresh.py            # by the code: learners that have changed since the results were made
    python experiments/refresh.py --measure  # by the figures: small sets again, figures that come out otherwise
    python experiments/refresh.py --measure omi_cr_2010/results/uci.csv   # those of one file

By the code: a file of results counts as made by the code of the commit that its oldest figures come from, for runs
often add to a file or make some of it again. Its learners are the source files named in USES; they have changed if
their code differs between that commit and the working tree, comments, docstrings and layout aside. A file that has
moved since counts as changed, and a change need not alter any figure; figures that a later run gave to the digit
again keep their age.

By the figures: the experiments run on some of their smallest sets, and every figure that both have is compared
(spot_check.py). Exit code 1 if one differs: it was made by other code. The outcome is kept in spot_checks.csv and
shown beside what has changed: a sample that comes out equal says that the changes alter none of its figures, no more.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from spot_check import SAMPLES, check, digest, records

HERE = Path(__file__).parent
PROJECT = HERE.parent
STRUCTURE, SCORES, SEARCH, PARAMETERS, SELECTORS = (
    f"src/bayleaf/learn/{room}" for room in ("structure", "scores", "search", "parameters", "selection")
)
CLOSED = f"{PARAMETERS}/closed_form.py"
TUNED = (f"{PARAMETERS}/conditional_likelihood.py", f"{PARAMETERS}/conditional_objective.py")
CLIMB = (f"{STRUCTURE}/hill_climbing.py", f"{SEARCH}/moves.py")
RISK = CONDITIONAL = (f"{SCORES}/class_focused.py", f"{SEARCH}/log_joint.py")
LIKELIHOOD = f"{SCORES}/likelihood.py"
EXACT = (f"{STRUCTURE}/exact.py", f"{SEARCH}/exact_search.py", LIKELIHOOD)
ORDERED = (f"{STRUCTURE}/order_based.py", f"{STRUCTURE}/greedy_tree.py")
TREES = (f"{STRUCTURE}/fixed.py", f"{STRUCTURE}/tan.py")
DEPENDENCE = (*TREES, f"{STRUCTURE}/kdb.py", "src/bayleaf/classify/ensembles.py")
BNC = (*TREES, *CLIMB, *CONDITIONAL, *TUNED, CLOSED, LIKELIHOOD)
OMI = (*TREES, *ORDERED, *RISK, CLOSED)
SELECTION = tuple(f"{SELECTORS}/{name}.py" for name in ("bayes_factor", "constraint_based", "score_based"))

# Files of results, and the source files of the learners behind them.
USES: dict[str, tuple[str, ...]] = {
    "rmcv_2012/results/kept.csv": (*TREES, *CLIMB, *RISK, CLOSED, LIKELIHOOD),
    "rmcv_2012/results/checks.csv": (*TREES, *CLIMB, *RISK, CLOSED),
    "rmcv_2012/results/zeros_search.csv": (*TREES, *CLIMB, CLOSED),
    "rmcv_2012/results/zeros.csv": (*TREES, *CLIMB, *RISK, CLOSED),
    "rmcv_2012/results/times.csv": (*TREES, *CLIMB, *RISK, CLOSED),
    "rmcv_2012/results/speedup.csv": (*TREES, *CLIMB, *RISK, CLOSED),
    "rmcv_2012/results/table5_squared_errors.csv": (*RISK, CLOSED),
    "rmcv_2012/results/section52_counts.csv": (*RISK, CLOSED),
    "anb_2021/results/folds.csv": (
        *TREES,
        *EXACT,
        *CLIMB,
        *CONDITIONAL,
        *SELECTION,
        f"{STRUCTURE}/mcdag.py",
        CLOSED,
    ),
    "anb_2021/results/table3.csv": (*EXACT, CLOSED),
    "anb_2021/results/table4.csv": SELECTION,
    "anb_2021/results/pc_search.csv": SELECTION,
    "omi_cr_2010/results/uci.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/uci_crcl.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/digits.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/random_orders.csv": OMI,
    "omi_cr_2010/results/training.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/training_inside.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/figure7.csv": (*TREES, *ORDERED, *CONDITIONAL, CLOSED),
    "omi_cr_2010/results/section3.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/section63.csv": (*TREES, *ORDERED, *CONDITIONAL, CLOSED),
    "omi_cr_2010/results/section64.csv": OMI,
    "omi_cr_2010/results/missing.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/checks.csv": (*OMI, *TUNED),
    "omi_cr_2010/results/timing.csv": OMI,
    "fkdb_2015/results/zero_one_loss.csv": (*DEPENDENCE, CLOSED, "src/bayleaf/network/instance.py"),
    "fkdb_2015/results/whole.csv": (*DEPENDENCE, CLOSED, "src/bayleaf/network/instance.py"),
    "fkdb_2015/results/variants_kept.csv": (*DEPENDENCE, CLOSED, "src/bayleaf/network/instance.py"),
    "bnc_2004/results/kept.csv": BNC,
    "bnc_2004/results/full_kept.csv": BNC,
    "bnc_2004/results/parents_kept.csv": BNC,
    "bnc_2004/results/checks.csv": BNC,
}
# Files of seconds alone: another run gives others, so that there is nothing to compare.
TIMES = ("rmcv_2012/results/times.csv", "anb_2021/results/pc_search.csv", "omi_cr_2010/results/timing.csv")


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
    return digest(text)


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
    """Return the commit that the oldest figures of a file come from and its day; None where it is not committed."""
    blame = git("blame", "--porcelain", "--", f"experiments/{results}")
    if not blame:
        return None
    times, commits = {}, set()
    for line in blame.splitlines():
        if found := re.match(r"([0-9a-f]{40}) \d+ (\d+)", line):
            commit = found[1]
            if found[2] != "1":  # the names of the columns are no figures
                commits.add(commit)
        elif line.startswith("committer-time "):
            times[commit] = int(line.split()[1])
    if not commits:  # no figures yet
        return None
    oldest = min(commits, key=times.__getitem__)
    return oldest, datetime.fromtimestamp(times[oldest], UTC).date().isoformat()


def code(results: str) -> str:
    """Return a digest of the code of a file's learners as it is now."""
    return digest(" ".join(code_digest(source, _now(source) or "") for source in sorted(set(USES[results]))))


def spot_checked(results: str, kept: Mapping[str, Mapping[str, str]]) -> str:
    """Say what a record of repeated figures tells about a file, if there is one of these very results."""
    if results in TIMES:
        return "seconds, which cannot be compared"
    line = kept.get(results)
    if line is None or line["digest of results"] != digest((HERE / results).read_text(encoding="utf-8")):
        return "no figure repeated since"
    said = (
        f"{line['equal']} of {line['figures']} repeated figures are equal ({line['sample']}, {line['day']})"
    )
    return said if line["digest of code"] == code(results) else f"{said}, by code that has changed since"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--measure", nargs="*", metavar="RESULTS", help="by the figures, of all files or of some"
    )
    options = parser.parse_args(arguments)
    if options.measure is not None:
        found = [check(results, code(results)) for results in options.measure or SAMPLES]
        return 1 if any(found) else 0
    kept = records()
    for results, sources in USES.items():
        made = made_by(results)
        if made is None:
            print(f"{results}: not committed")
            continue
        commit, day = made
        different = changed(sources, lambda source, at=commit: git("show", f"{at}:{source}"), _now)
        shown = ", ".join(name.removeprefix("src/bayleaf/") for name in different)
        state = f"changed since: {shown}; {spot_checked(results, kept)}" if shown else "up to date"
        print(f"{results}: oldest figures of {day} ({commit[:8]}); {state}")
    return 0


def _now(source: str) -> str | None:
    path = PROJECT / source
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
