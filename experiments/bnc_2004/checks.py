"""How the smoothing of the tables decides which classifier has the better conditional likelihood.

    python experiments/bnc_2004/checks.py                      # all data sets but letter, cross-validated once

Naive Bayes, TAN, BNC-2P and ML-2P with the same estimate of their tables, from nearly none (zeros become 1e-5) to one
imaginary row in every cell, and Friedman's, which draws towards the node's own frequencies. "BNC-2P, searched" uses
the estimate in the score that the search climbs too (but for Friedman's); BNC-2P searches with maximum likelihood, as
the paper says. NB-ELR starts from the estimate. Goes on where it stopped;
FOLDER/checks.md has the tests.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from data_sets import available
from friedman_smoothing import FriedmanSmoothing
from run import measure

import bayleaf as bl
import datafolder
import kept
from bayleaf.benchmark import Cell, Results, ResultTable, signed_rank_test

ESTIMATES: dict[str, Any] = {
    "1e-5": bl.MaximumLikelihood(),
    "0.001": bl.MaximumLikelihood(epsilon=0.001),
    "Dirichlet 1": bl.Dirichlet(1.0),
    "Dirichlet 10": bl.Dirichlet(10.0),
    "Laplace": bl.Laplace(),
    "Friedman 5": FriedmanSmoothing(5.0),
}
FOCUS = ("BNC-2P", "BNC-2P, searched")
RIVALS = ("NB", "TAN", "ML-2P")
ELR_STARTS = ("1e-5", "Laplace")


def classifiers() -> dict[str, Any]:
    """Return every structure with every estimate."""
    built = {}
    for title, estimate in ESTIMATES.items():
        structures = {
            "NB": bl.NaiveBayes(),
            "TAN": bl.classifier("TAN").structure,
            "ML-2P": bl.classifier("ML-2P").structure,
            "BNC-2P": bl.classifier("BNC-2P").structure,
        }
        if title != "Friedman 5":  # a search would fit every candidate anew
            score = bl.ConditionalLogLikelihood(estimate)
            structures["BNC-2P, searched"] = bl.HillClimbing(score, "empty", max_parents=2)
        for name, structure in structures.items():
            built[f"{name} | {title}"] = bl.BayesNetClassifier(
                structure, estimate, n_jobs=1, **datafolder.BY_MDLP
            )
    for title in ELR_STARTS:
        parameters = bl.ConditionalLikelihood(start=ESTIMATES[title])
        built[f"NB-ELR | {title}"] = bl.BayesNetClassifier(
            bl.NaiveBayes(), parameters, n_jobs=1, **datafolder.BY_MDLP
        )
    return built


def write(results: Results, out: Path) -> None:
    """Write means and one-sided tests of BNC-2P against the others, estimate by estimate."""
    parts = ["# Smoothing\n\nMade by `checks.py`."]
    for name, text in (("log_loss", "mean negative conditional log-likelihood"), ("zero_one_loss", "error")):
        board = kept.common(results, results.methods)[0].scoreboard(name)
        rows = []
        for title in ESTIMATES:
            column = {
                each: board.column(name)
                for each in (*FOCUS, *RIVALS)
                if (name := f"{each} | {title}") in board.methods
            }
            if not column:
                continue
            cells = [
                Cell(f"{column[each].mean():.3f}" if each in column else "–") for each in (*FOCUS, *RIVALS)
            ]
            for own in FOCUS:
                for rival in RIVALS:
                    if own not in column:
                        cells.append(Cell("–"))
                        continue
                    a, b = column[own], column[rival]
                    p = signed_rank_test(a, b, alternative="less").p_value
                    cells.append(Cell(f"{(a < b).sum()} / {(a > b).sum()}, {p:.3f}"))
            rows.append((title, tuple(cells)))
        tests = (f"{own} than {rival}" for own in FOCUS for rival in RIVALS)
        table = ResultTable("", ("estimate", *FOCUS, *RIVALS, *tests), tuple(rows))
        parts.append(f"## {text.capitalize()}, {len(board.datasets)} data sets\n\n{table}")
        shown = [f"{each} | {title}" for title in ELR_STARTS for each in ("NB", "NB-ELR")]
        lines = [
            (dataset, tuple(Cell(f"{board.column(each)[row]:.3f}") for each in shown))
            for row, dataset in enumerate(board.datasets)
        ]
        lines.append(("mean", tuple(Cell(f"{board.column(each).mean():.3f}") for each in shown)))
        table = ResultTable("", ("data set", *shown), tuple(lines))
        parts.append(f"## {text.capitalize()} of NB and NB-ELR by where ELR starts\n\n{table}")
    (out / "checks.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--only", nargs="+", help="data sets")
    options = parser.parse_args()
    chosen = [
        each for each in available() if (each.name in options.only if options.only else each.name != "letter")
    ]
    folds = options.out / "checks_folds.csv"
    measure(classifiers(), chosen, 1, 1, folds)
    kept.write(Results.read(folds), options.out / "checks.csv", {"log_loss": 4, "zero_one_loss": 5})
    write(kept.read(options.out / "checks.csv"), options.out)


if __name__ == "__main__":
    main()
