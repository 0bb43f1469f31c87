"""Tables of the experiment, ours beside the paper's."""

import re
from collections.abc import Sequence
from pathlib import Path

import datafolder
import numpy as np
import polars as pl
from compared import NETWORKS, OTHERS, VARIANTS
from data_sets import DATA_SETS

from bayleaf.evaluation import (
    Cell,
    Results,
    ResultTable,
    Scoreboard,
    average_ranks,
    bonferroni_dunn,
    corrected_t_test,
    friedman,
    signed_rank_against,
)

EXPECTED = datafolder.PROJECT / "experiments" / "expected"
CONTROL = "RMCV (NBC)"
FAR = 2.0  # points of accuracy


def published(table: str) -> dict[str, dict[str, float]]:
    """One of the paper's tables: data set -> column -> mean."""
    frame = pl.read_csv(EXPECTED / f"kelner_lerner_2012_{table}.csv", infer_schema=False)
    return {
        line["Dataset"]: {
            name: float(re.match(r"[\d.]+", value).group())  # type: ignore[union-attr]
            for name, value in line.items()
            if name != "Dataset" and value and re.match(r"[\d.]+", value)
        }
        for line in frame.iter_rows(named=True)
    }


def write(results: Results, out: Path) -> None:
    """Write everything that the results allow."""
    paper = published("table2_accuracy")
    for name, row in published("table6_accuracy").items():
        paper[name] = {**paper.get(name, {}), **row}
    everyone = (*NETWORKS, *(name for name in OTHERS if name in results.methods))
    parts = [
        "# Results\n\nMade by `run.py`; see [the notes](../README.md). Means over the folds, ours / paper.",
        _accuracy("Table 2: risk minimisation and its variants", results, VARIANTS, paper),
        _ranks("Table 3: ranks of the variants", results, [v for v in VARIANTS if "ar" not in v], paper),
        _accuracy("Table 6: against other classifiers", results, everyone, paper),
        _t_tests("Table 7: corrected t-tests of RMCV, accuracy", results, everyone, "accuracy"),
        _ranks("Table 8 (a): ranks of the Bayesian network classifiers", results, NETWORKS, paper),
        _ranks("Table 8 (b): ranks of all classifiers", results, everyone, paper),
        _auc(results),
        _t_tests("Table 10: corrected t-tests of RMCV, AUC", results, NETWORKS, "auc"),
        _times(results, tuple(dict.fromkeys((*VARIANTS, *everyone)))),
        _far(results, (*VARIANTS, *everyone), paper),
    ]
    (out / "README.md").write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")


def _board(results: Results, measure: str, methods: Sequence[str]) -> Scoreboard:
    board = results.select(methods=list(methods)).scoreboard(measure)
    return board.select(list(methods), [each.paper for each in DATA_SETS if each.paper in board.datasets])


def _accuracy(
    title: str, results: Results, methods: Sequence[str], paper: dict[str, dict[str, float]]
) -> str:
    board = _board(results, "accuracy", methods)
    rows = []
    for name, values in zip(board.datasets, 100 * board.values, strict=True):
        known = paper.get(name, {})
        cells = [
            Cell(f"{v:.1f} / {known.get(m, np.nan):.1f}", value=-v)
            for m, v in zip(methods, values, strict=True)
        ]
        rows.append((name, tuple(cells)))
    means = [
        Cell(
            f"{100 * board.column(m).mean():.1f} / {np.mean([paper[d][m] for d in board.datasets if d in paper]):.1f}"
        )
        for m in methods
    ]
    rows.append((f"mean of {len(board.datasets)}", tuple(means)))
    return f"## {title}\n\n{ResultTable('', ('ours / paper', *methods), tuple(rows))}"


def _ranks(title: str, results: Results, methods: Sequence[str], paper: dict[str, dict[str, float]]) -> str:
    board = _board(results, "accuracy", methods)
    if len(board.datasets) < 3:
        return ""
    values = np.array([[paper[d].get(m, np.nan) for m in methods] for d in board.datasets])
    theirs = average_ranks(Scoreboard(values, tuple(methods), board.datasets, True, "accuracy"))
    test, dunn = friedman(board), bonferroni_dunn(board, CONTROL)
    wilcoxon = signed_rank_against(board, CONTROL)
    rows = [
        (
            name,
            (
                Cell(f"{rank:.2f}"),
                Cell(f"{theirs[name]:.2f}"),
                Cell(f"{dunn.p_values[name]:.4f}" if name != CONTROL else ""),
                Cell(f"{wilcoxon.p_values[name]:.4f}" if name != CONTROL else ""),
            ),
        )
        for name, rank in sorted(test.ranks.items(), key=lambda item: item[1])
    ]
    header = ("average rank", "ours", "paper, same sets", "Bonferroni-Dunn p", "Wilcoxon p")
    said = f"{test.n_datasets} data sets, Friedman chi-square {test.statistic:.2f}, p = {test.p_value:.1e}."
    return f"## {title}\n\n{said}\n\n{ResultTable('', header, tuple(rows))}"


def _t_tests(title: str, results: Results, methods: Sequence[str], measure: str) -> str:
    rivals = [name for name in methods if name != CONTROL]
    board = _board(results, measure, methods)
    rows, wins, losses = [], dict.fromkeys(rivals, 0), dict.fromkeys(rivals, 0)
    for dataset in board.datasets:
        own = results.values(measure, dataset, CONTROL)
        cells = []
        for name in rivals:
            test = corrected_t_test(own, results.values(measure, dataset, name), test_share=1 / 4)
            sign = "-" if test.statistic < 0 else ""
            wins[name] += test.p_value <= 0.05 and not sign
            losses[name] += test.p_value <= 0.05 and bool(sign)
            cells.append(Cell(f"{sign}{test.p_value:.3f}"))
        rows.append((dataset, tuple(cells)))
    rows.append(
        ("wins / losses (p <= 0.05)", tuple(Cell(f"{wins[name]} / {losses[name]}") for name in rivals))
    )
    return f"## {title}\n\n{ResultTable('', ('p', *rivals), tuple(rows))}"


def _auc(results: Results) -> str:
    paper = published("table9_auc")
    board = _board(results, "auc", NETWORKS)
    rows = [
        (
            d,
            tuple(
                Cell(f"{v:.3f} / {paper[d].get(m, np.nan):.3f}")
                for m, v in zip(NETWORKS, values, strict=True)
            ),
        )
        for d, values in zip(board.datasets, board.values, strict=True)
        if d in paper
    ]
    return (
        f"## Table 9: AUC, two classes\n\n{ResultTable('', ('ours / paper', *NETWORKS), tuple(rows))}"
        if rows
        else ""
    )


def _times(results: Results, methods: Sequence[str]) -> str:
    """Seconds of a fit beside Tables 11 to 13."""
    paper = published("table11_runtime_s")
    for table in ("table12_runtime_s", "table13_runtime_s"):
        for name, row in published(table).items():
            paper[name] = {**row, **paper.get(name, {})}
    board = _board(results, "fit_seconds", methods)
    rows = [
        (
            d,
            tuple(
                Cell(f"{v:.3f} / {paper.get(d, {}).get(m, np.nan):.4g}")
                for m, v in zip(methods, values, strict=True)
            ),
        )
        for d, values in zip(board.datasets, board.values, strict=True)
    ]
    note = "RMCV (NBC) of the paper is its plain code; its optimised code is in Table 12."
    table = ResultTable("", ("ours / paper", *methods), tuple(rows))
    return f"## Tables 11 to 13: seconds of a fit\n\n{note}\n\n{table}"


def _far(results: Results, methods: Sequence[str], paper: dict[str, dict[str, float]]) -> str:
    """Every accuracy further than two points from the paper's."""
    methods = tuple(dict.fromkeys(methods))
    board = _board(results, "accuracy", methods)
    remarks = {each.paper: each.remark for each in DATA_SETS}
    lines = []
    for name, values in zip(board.datasets, 100 * board.values, strict=True):
        gaps = [
            f"{m} {v:.1f} against {paper[name][m]:.1f}"
            for m, v in zip(methods, values, strict=True)
            if m in paper.get(name, {}) and abs(v - paper[name][m]) > FAR
        ]
        if gaps:
            lines.append(f"- {name}{f' ({remarks[name]})' if remarks[name] else ''}: {', '.join(gaps)}")
    listing = "\n".join(lines)
    return f"## Further than {FAR:g} points from the paper\n\n{listing}"
