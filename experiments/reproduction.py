"""Write docs/reproduction.md: how near our figures come to the published ones, table by table.

    python experiments/reproduction.py           # writes the page
    python experiments/reproduction.py --check   # says whether the page is what the committed results give

Everything comes from committed files: the results of the experiments, the published figures in expected/, and
explanations.csv, which says why a cell is far away, or that this is open.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from comparison import HERE, Figure, all_figures, read, trained_as_published, trained_our_way
from spot_check import digest, records

PAGE = HERE.parent / "docs" / "reproduction.md"
FURTHEST = 10
OPEN = "open"
PAPERS = {
    "rmcv_2012": "Kelner and Lerner 2012: risk minimisation by cross-validation",
    "anb_2021": "Sugahara and Ueno 2021: exact augmented naive Bayes",
    "omi_cr_2010": "Pernkopf and Bilmes 2010: discriminative structure learning",
    "fkdb_2015": "Wang and Zhao 2015: the flexible k-dependence classifier",
}
TABLES = {
    ("rmcv_2012", "2"): "accuracy of risk minimisation and its variants",
    ("rmcv_2012", "6"): "accuracy of other classifiers",
    ("rmcv_2012", "9"): "AUC on sets with two classes",
    ("anb_2021", "1"): "accuracy",
    ("anb_2021", "2"): "numbers of nodes in the learned graphs",
    ("omi_cr_2010", "1"): "average accuracies",
    ("omi_cr_2010", "7"): "accuracy on the UCI sets",
    ("omi_cr_2010", "8"): "accuracy of random orders",
    ("omi_cr_2010", "13"): "accuracy of other orders",
    ("fkdb_2015", "2"): "zero-one loss",
    ("fkdb_2015", "5"): "AUC on sets with two classes",
}
# Cells within two points (half a node) before methods were brought nearer to their papers, counted by this script.
BEFORE = {
    ("rmcv_2012", "2"): 131,
    ("rmcv_2012", "6"): 187,
    ("rmcv_2012", "9"): 86,
    ("anb_2021", "1"): 274,
    ("anb_2021", "2"): 203,
    ("omi_cr_2010", "1"): 48,
    ("omi_cr_2010", "7"): 350,
    ("omi_cr_2010", "8"): 82,
    ("omi_cr_2010", "13"): 60,
    ("fkdb_2015", "2"): 180,
    ("fkdb_2015", "5"): 59,
}
HEAD = """\
# Published figures and ours

The experiments repeat the tables of five papers. This page compares our figures with the published ones, cell by
cell, and lists the cells of each table that differ most, each with its explanation or "open".
`experiments/reproduction.py` writes the page from the committed results; only the explanations are written by hand
(`experiments/explanations.csv`).

*Covered*: we have a figure for the cell. *Near*: within 2 points of accuracy, loss or AUC, or within half a node for
numbers of nodes. *Within two deviations*: within two of the standard deviations that the paper prints, if it does.
*Near before*: the same count before methods were brought closer to their papers (MC-DAG over classes of equivalent
graphs, FKDB with functional dependencies, averaged ensembles, CL training as in Pernkopf and Bilmes).

Grossman and Domingos 2004 is not included, because its tables could not be read. `experiments/bnc_2004/README.md`
compares its statements with our results, and with errors that others report for the same classifiers.
"""


def explanation(figure: Figure, known: Iterable[dict[str, str]]) -> str:
    """Return the first explanation whose patterns fit a cell, or "open"."""
    for line in known:
        names = ("paper", "table", "row", "column")
        if all(fnmatchcase(getattr(figure, name), line[name]) for name in names):
            return line["explanation"]
    return OPEN


def page() -> str:
    """Return the text of the page."""
    figures = all_figures()
    known = read(HERE / "explanations.csv")
    parts = [HEAD, overview(figures), made_again()]
    for paper, title in PAPERS.items():
        parts.append(f"## {title}\n\nNotes: `experiments/{paper}/README.md`.")
        for (whose, table), what in TABLES.items():
            if whose == paper:
                own = [each for each in figures if (each.paper, each.table) == (paper, table)]
                parts.append(f"### Table {table}: {what}\n\n{furthest(own, known)}")
                if (paper, table) == ("omi_cr_2010", "7"):
                    parts.append(other_training(own))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def overview(figures: list[Figure]) -> str:
    """Return one line per table: cells, covered, near, within two deviations, near before."""
    lines = [
        "| paper, table | cells | covered | near | near before | within two deviations |",
        "|:---|---:|---:|---:|---:|---:|",
    ]
    for (paper, table), what in TABLES.items():
        own = [each for each in figures if (each.paper, each.table) == (paper, table)]
        covered = sum(each.ours is not None for each in own)
        near = sum(each.near for each in own)
        measured = [each for each in own if each.deviation is not None and each.ours is not None]
        within = sum(each.within_deviations for each in measured)
        said = f"{within} of {len(measured)}" if measured else "none printed"
        lines.append(
            f"| {paper}, Table {table}: {what} | {len(own)} | {covered} | {near} | {BEFORE[paper, table]} | {said} |"
        )
    return "\n".join(lines)


def made_again() -> str:
    """Return one line per file of results of which a sample was repeated with later code."""
    lines = [
        "## Repeated figures",
        "",
        "Learners may change after an experiment. For these files a sample was repeated with later code, data set by "
        "data set, with the experiment's own command (`experiments/refresh.py --measure`).",
        "",
        "| results | repeated on | figures | equal | day |",
        "|:---|:---|---:|---:|:---|",
    ]
    for name, line in records().items():
        if line["digest of results"] != digest((HERE / name).read_text(encoding="utf-8")):
            continue  # of results that are no longer there
        lines.append(f"| {name} | {line['sample']} | {line['figures']} | {line['equal']} | {line['day']} |")
    return "\n".join(lines)


def furthest(figures: list[Figure], known: list[dict[str, str]]) -> str:
    """Return the furthest cells as a table."""
    covered = [each for each in figures if each.ours is not None]
    lines = ["| | ours | paper | explanation |", "|:---|---:|---:|:---|"]
    for each in sorted(covered, key=lambda one: (-round(one.distance, 6), one.row, one.column))[:FURTHEST]:
        printed = f"{each.theirs:.2f}" + (f" ± {each.deviation:.2f}" if each.deviation is not None else "")
        lines.append(
            f"| {each.row}, {each.column} | {each.ours:.2f} | {printed} | {explanation(each, known)} |"
        )
    return "\n".join(lines)


def other_training(figures: Sequence[Figure]) -> str:
    """Say which training the cells of Table 7 have, and how near they come with our training in its place."""
    theirs, ours = trained_as_published(), trained_our_way()
    both = [each for each in figures if (each.row, each.column) in theirs]
    again = [replace(each, ours=ours[each.row, each.column]) for each in both]
    near, with_ours = (sum(each.near for each in some) for some in (both, again))
    trained = [each for each in figures if each.column.endswith("-CL") or "CRCL" in each.column]
    left = [f"{each.column} on {each.row}" for each in trained if each not in both]
    said = (
        "The classifiers that end in CL, and CRCL, are trained as in the paper (conjugate gradients, stopped by "
        f"held-out errors): {len(both)} cells, of which {near} are near. With our training (L-BFGS, stopped by "
        f"held-out likelihood) {with_ours} of them are, and "
        f"{sum(each.near for each in figures) + with_ours - near} of the {len(figures)} cells of the table. "
        "In Table 1 the averages over the UCI sets are of these cells; MNIST and USPS have our training."
    )
    return said + (f" Open, and trained our way above: {', '.join(left)}." if left else "")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing, compare with the page")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    text = page()
    if options.check:
        same = options.page.exists() and options.page.read_text(encoding="utf-8") == text
        print("The page is up to date." if same else "The page is not what the results give: write it again.")
        return 0 if same else 1
    options.page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
