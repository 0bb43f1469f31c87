"""Tables, tests and scatter plots. The paper's own tables could not be read: directions are compared."""

from collections.abc import Sequence
from pathlib import Path

from data_sets import DATA_SETS

from bayleaf.evaluation import Results, Scoreboard, scatter_plot, signed_rank_test

METHODS = ("BNC-2P", "BNC-MDL", "NB", "TAN", "ML-2P", "ML-MDL", "HGC", "NB-ELR", "TAN-ELR", "C4.5")
# The paper's significance levels, its first classifier being the better one.
PUBLISHED = {
    ("BNC-2P", "BNC-MDL"): ("< 0.01", "< 0.001"),
    ("ML-2P", "ML-MDL"): ("better", "better"),
    ("BNC-2P", "NB"): ("< 0.001", "< 0.06"),
    ("BNC-2P", "TAN"): ("< 0.06", "similar"),
    ("BNC-2P", "HGC"): ("< 0.015", "< 0.006"),
    ("BNC-2P", "ML-2P"): ("similar", "< 0.069"),
    ("BNC-2P", "NB-ELR"): ("better", "similar"),
    ("BNC-2P", "TAN-ELR"): ("better", "similar"),
    ("BNC-2P", "C4.5"): ("not measured", "< 0.20"),
}
TITLES = {"log_loss": "Mean negative conditional log-likelihood", "zero_one_loss": "Error"}


def write(folds: Path, full: Path, out: Path) -> None:
    """Write the tables that the files allow, and the scatter plots of Figures 1 and 2."""
    parts = ["# Results\n\nMade by `run.py`; see [the notes](../README.md) for what they mean."]
    if folds.exists():
        results = Results.read(folds)
        methods = [name for name in METHODS if name in results.methods]
        boards = {measure: _board(results, measure, methods) for measure in TITLES}
        parts += [f"## {TITLES[m]}\n\n{results.select(methods=methods).summary(m)}" for m in TITLES]
        parts.append(_tests(boards))
        parts.append(f"## Seconds of a fit\n\n{results.select(methods=methods).summary('fit_seconds')}")
        for number, (measure, board) in enumerate(boards.items(), start=1):
            rivals = [name for name in ("NB", "TAN", "HGC", "ML-2P", "NB-ELR", "TAN-ELR") if name in methods]
            scatter_plot(board, "BNC-2P", rivals).savefig(out / f"figure{number}_{measure}.png", dpi=110)
    if full.exists():
        results = Results.read(full)
        parts.append("## Full optimisation of structure and parameters (section 4.1)")
        parts += [str(results.summary(measure)) for measure in ("log_loss", "zero_one_loss", "fit_seconds")]
    (out / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _board(results: Results, measure: str, methods: Sequence[str]) -> Scoreboard:
    board = results.select(methods=list(methods)).scoreboard(measure)
    return board.select(list(methods), [each.name for each in DATA_SETS if each.name in board.datasets])


def _tests(boards: dict[str, Scoreboard]) -> str:
    """Test by Wilcoxon's signed ranks whether the first classifier is better than the second."""
    lines = ["| better? | CLL: wins, p | paper | error: wins, p | paper |", "|:--|--:|--:|--:|--:|"]
    for (first, second), paper in PUBLISHED.items():
        cells = []
        for board, said in zip(boards.values(), paper, strict=True):
            if second not in board.methods or first not in board.methods:
                break
            a, b = board.column(first), board.column(second)
            p = signed_rank_test(a, b, alternative="less").p_value if len(a) > 1 else float("nan")
            cells += [f"{(a < b).sum()} of {len(a)}, {p:.3f}", said]
        if len(cells) == 4:
            lines.append(f"| {first} than {second} | {' | '.join(cells)} |")
    return "## Wilcoxon tests\n\n" + "\n".join(lines)
