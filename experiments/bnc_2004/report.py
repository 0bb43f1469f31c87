"""Tables, tests and scatter plots. The paper's own tables could not be read: directions are compared.

Numbers are compared where other papers print them for the same classifier, data set and way of splitting.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from data_sets import DATA_SETS

import datafolder
import kept
from bayleaf.benchmark import Cell, Results, ResultTable, Scoreboard, scatter_plot, signed_rank_test

METHODS = (
    "BNC-2P",
    "BNC-MDL",
    "NB",
    "TAN",
    "ML-2P",
    "ML-MDL",
    "HGC",
    "NB-ELR",
    "TAN-ELR",
    "BNC-2P-ELR",
    "C4.5",
)
# The same with one imaginary row in every cell of their tables; HGC is smoothed anyway.
LAPLACE = tuple(f"{name}, Laplace" for name in ("BNC-2P", "BNC-MDL", "NB", "TAN", "ML-2P", "ML-MDL"))
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
    ("BNC-2P", "BNC-2P-ELR"): ("never worse", "never worse"),
    ("BNC-2P", "C4.5"): ("not measured", "< 0.20"),
    ("TAN", "C4.5"): ("not measured", "< 0.24"),
}
TITLES = {"log_loss": "Mean negative conditional log-likelihood", "zero_one_loss": "Error"}
# Columns of Pernkopf and Bilmes (2010), Table 7: the same data sets, split in the same way.
PERNKOPF = {"NB": "NB-ML", "TAN": "TAN-CMI-ML", "NB-ELR": "NB-CL", "TAN-ELR": "TAN-CMI-CL"}
FAR = 2.0  # points
RIVALS = ("NB", "TAN", "HGC", "ML-2P", "NB-ELR", "TAN-ELR")  # panels of the figures
PLAIN = "Tables by maximum likelihood, zeros replaced by 1e-5; HGC's by its prior."
SMOOTH = "One imaginary row in every cell (Laplace)."


def write(out: Path) -> None:
    """Write the tables that the kept results of a folder allow, and the scatter plots of Figures 1 and 2."""
    parts = ["# Results\n\nMade by `run.py`; see [the notes](../README.md) for what they mean."]
    if (out / "kept.csv").exists():
        parts += _parts(kept.read(out / "kept.csv"), out)
    if (out / "full_kept.csv").exists():
        results = kept.read(out / "full_kept.csv")
        parts.append("## Full optimisation of structure and parameters (section 4.1)")
        parts += [str(results.summary(measure)) for measure in ("log_loss", "zero_one_loss", "fit_seconds")]
    if (out / "parents_kept.csv").exists():
        parts.append(_more_parents(kept.read(out / "parents_kept.csv")))
    (out / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _more_parents(results: Results) -> str:
    """Compare BNC-nP for n above 2 with BNC-2P."""
    rows = []
    for measure, text in (("log_loss", "CLL"), ("zero_one_loss", "error")):
        for ending in ("", ", Laplace"):
            names = [f"BNC-{n}P{ending}" for n in (2, 3, 4)]
            board = _board(results, measure, names)
            cells = [f"{board.column(name).mean():.4f}" for name in names]
            cells += [_test(board, measure, names[0], name, "") for name in names[1:]]
            label = f"{text}, {ending[2:] or 'zeros to 1e-5'}, mean of {len(board.datasets)}"
            rows.append((label, tuple(map(Cell, cells))))
    header = ("", "BNC-2P", "BNC-3P", "BNC-4P", "BNC-2P better than BNC-3P", "than BNC-4P")
    return (
        "## More parents (section 3)\n\nMeans of negative CLL and of errors; wins / losses and p, one-sided.\n\n"
        f"{ResultTable('', header, tuple(rows))}"
    )


def _parts(results: Results, out: Path) -> list[str]:
    plain = [name for name in METHODS if name in results.methods]
    laplace = [name for name in LAPLACE if name in results.methods]
    boards = {measure: _board(results, measure, [*plain, *laplace]) for measure in TITLES}
    parts = [_repetitions(results)]
    for number, (measure, board) in enumerate(boards.items(), start=1):
        parts.append(f"## {TITLES[measure]}")
        for methods, said in ((plain, PLAIN), (laplace, SMOOTH)):
            shown = [name for name in methods if not (name == "C4.5" and measure == "log_loss")]
            parts.append(f"{said}\n\n{_means(board.select(shown, list(board.datasets)))}")
        for ending, suffix in (("", ""), (", Laplace", "_laplace")):
            rivals = [name if (name := rival + ending) in board.methods else rival for rival in RIVALS]
            figure = scatter_plot(board, f"BNC-2P{ending}", rivals)
            path = f"figure{number}_{measure}{suffix}.png"
            figure.savefig(out / path, dpi=90)
            parts.append(f"![Figure {number} of the paper{ending}]({path})")
    parts.append(_tests(boards))
    parts.append(_beside(boards["zero_one_loss"]))
    seconds = _board(results, "fit_seconds", plain)
    note = "While other programs kept both cores busy; discretisation is part of it."
    parts.append(f"## Seconds of a fit\n\n{note}\n\n{_means(seconds, digits=2)}")
    return parts


def _repetitions(results: Results) -> str:
    """Say how often each data set was split."""
    _, repetitions = kept.common(results, results.methods)
    held_out = [each.name for each in DATA_SETS if each.train_rows is not None and each.name in repetitions]
    crossed = {name: number for name, number in repetitions.items() if name not in held_out}
    numbers = sorted(set(crossed.values()))
    times = " or ".join(str(number) for number in numbers) or "0"
    return (
        f"{len(crossed)} data sets were cross-validated (5 folds, {times} times); {len(held_out)} have one hold-out: "
        f"{', '.join(held_out) or 'none'}."
    )


def _board(results: Results, measure: str, methods: Sequence[str]) -> Scoreboard:
    shared, _ = kept.common(results, methods)
    board = shared.scoreboard(measure)
    return board.select(list(methods), [each.name for each in DATA_SETS if each.name in board.datasets])


def _means(board: Scoreboard, *, digits: int = 3) -> ResultTable:
    """One row per data set, the best in bold; the last row has the means."""
    rows = []
    for name, values in zip(board.datasets, board.values, strict=True):
        best = np.round(values, digits) == np.round(values.min(), digits)
        cells = [Cell(f"{value:.{digits}f}", bool(top)) for value, top in zip(values, best, strict=True)]
        rows.append((name, tuple(cells)))
    means = tuple(Cell(f"{board.column(name).mean():.{digits}f}") for name in board.methods)
    rows.append((f"mean of {len(board.datasets)}", means))
    return ResultTable("", ("data set", *board.methods), tuple(rows))


def _tests(boards: dict[str, Scoreboard]) -> str:
    """Test by Wilcoxon's signed ranks whether the first classifier is better than the second."""
    head = ("", "zeros to 1e-5", "Laplace", "paper", "zeros to 1e-5", "Laplace", "paper")
    lines = [f"| better? | {' | '.join(('CLL: ' + head[1], *head[2:4], 'error: ' + head[4], *head[5:]))} |"]
    lines.append("|:--" + "|--:" * 6 + "|")
    for (first, second), paper in PUBLISHED.items():
        cells = []
        for (measure, board), said in zip(boards.items(), paper, strict=True):
            cells += [_test(board, measure, first, second, ending) for ending in ("", ", Laplace")] + [said]
        if not all(cell == "-" for cell in (*cells[:2], *cells[3:5])):
            lines.append(f"| {first} than {second} | {' | '.join(cells)} |")
    note = (
        "Wins / losses and p, one-sided: a p near 1 says that the second is better. Equal pairs are left out. "
        "HGC, ELR and C4.5 are the same in both columns."
    )
    return f"## Wilcoxon tests\n\n{note}\n\n" + "\n".join(lines)


def _test(board: Scoreboard, measure: str, first: str, second: str, ending: str) -> str:
    names = [name + ending if name + ending in board.methods else name for name in (first, second)]
    if not set(names) <= set(board.methods) or (second == "C4.5" and measure == "log_loss"):
        return "-"
    a, b = (board.column(name) for name in names)
    p = signed_rank_test(a, b, alternative="less").p_value if len(a) > 1 else float("nan")
    return f"{(a < b).sum()} / {(a > b).sum()}, {p:.3f}"


def published_errors() -> dict[tuple[str, str], tuple[float, float]]:
    """Errors (per cent) and their standard errors that Pernkopf and Bilmes print for a data set and a method."""
    found: dict[tuple[str, str], tuple[float, float]] = {}
    folder = datafolder.PROJECT / "experiments" / "expected"
    with (folder / "pernkopf_bilmes_2010_table7_accuracy.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            for ours, theirs in PERNKOPF.items():
                accuracy, *deviation = line[theirs].split(" ± ")
                error = float(deviation[0]) if deviation else 0.0
                found[line["dataset"].lower(), ours] = (100 - float(accuracy), error)
    return found


def _beside(board: Scoreboard) -> str:
    """Our errors beside those of Pernkopf and Bilmes, and those further than two points away."""
    theirs = published_errors()
    methods = [name for name in PERNKOPF if name in board.methods]
    rows: list[tuple[str, tuple[Cell, ...]]] = []
    within, beyond = [], []
    for number, name in enumerate(board.datasets):
        cells = []
        for method in methods:
            ours = 100 * board.column(method)[number]
            known, error = theirs[name, method]
            cells.append(Cell(f"{ours:.1f} / {known:.1f} ± {error:.1f}"))
            if abs(ours - known) > FAR:
                (within if abs(ours - known) <= 2 * error else beyond).append(
                    f"{name} {method} {ours:.1f} against {known:.1f}"
                )
        rows.append((name, tuple(cells)))
    table = ResultTable("", ("ours / theirs, per cent", *methods), tuple(rows))
    note = (
        "The paper's own Table 2 could not be read. Pernkopf and Bilmes (2010, Table 7) print the errors of four of "
        "its classifiers, with standard errors, for the same sets, split in the same way, once."
    )
    lists = [
        f"Further than {FAR:g} points, within two of their standard errors: {'; '.join(within) or 'none'}.",
        f"Further than {FAR:g} points and two standard errors: {'; '.join(beyond) or 'none'}.",
    ]
    return f"## Errors beside published ones\n\n{note}\n\n{table}\n\n" + "\n\n".join(lists)
