"""Results of an evaluation as tables, Markdown and JSON."""

import json
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from bayleaf._util.files import atomic_write
from bayleaf.evaluation import (
    Comparison,
    CrossValidation,
    Results,
    ResultTable,
    box_plot,
    critical_difference_diagram,
    nemenyi,
)
from bayleaf.evaluation.tables import value_cells

from .output import counted, light_table

SHOWN = ("accuracy", "log_loss", "brier", "auc")
# Files have room for more than a terminal.
FILED = (*SHOWN, "ece", "fit_seconds", "predict_seconds", "n_parameters")


def result_tables(results: Results) -> list[ResultTable]:
    """One table of methods by measures for a single data set; for several, one per measure."""
    if len(results.datasets) == 1:
        return [method_table(results)]
    return [results.summary(measure) for measure in SHOWN]


def method_table(results: Results, digits: int = 3) -> ResultTable:
    """Tabulate the measures of each method on the only data set, the best in bold.

    Examples
    --------
    >>> import bayleaf
    >>> from bayleaf.evaluation import evaluate
    >>> from sklearn.datasets import load_iris
    >>> methods = {"NB": bayleaf.classifier("NB"), "TAN": bayleaf.classifier("TAN")}
    >>> results = evaluate(methods, {"iris": load_iris(return_X_y=True)}, CrossValidation(folds=2))
    >>> [name for name, _ in method_table(results).rows]
    ['NB', 'TAN']
    """
    (dataset,) = results.datasets
    columns = []
    for name in SHOWN:
        lines = results.spread(name).to_dicts()
        means = np.array([math.nan if line["mean"] is None else line["mean"] for line in lines])
        spreads = np.array([math.nan if line["deviation"] is None else line["deviation"] for line in lines])
        columns.append(value_cells(means, spreads, results.measure(name).higher_is_better, digits))
    rows = tuple(
        (method, tuple(column[number] for column in columns)) for number, method in enumerate(results.methods)
    )
    failed = results.errors.height
    notes = (f"{counted(failed, 'fold')} failed and left out of the means.",) if failed else ()
    titles = [_heading(results, name) for name in SHOWN]
    return ResultTable(
        f"{dataset} ({results.dataset_rows()[dataset]:,} rows)", ("method", *titles), rows, (), notes
    )


def light(table: ResultTable) -> Group:
    """Draw a table of results with little ink, the best values standing out."""
    drawn = light_table(caption="\n".join(table.notes) or None)
    drawn.add_column(table.header[0], no_wrap=True)
    for name in table.header[1:]:
        drawn.add_column(Text(name), justify="right")
    for block in (table.rows, table.totals):
        for number, (name, cells) in enumerate(block):
            texts = [Text(cell.text, style="bold green" if cell.best else "") for cell in cells]
            drawn.add_row(Text(name), *texts, end_section=number == len(block) - 1)
    return Group(Text(table.title, style="bold"), drawn)


def protocol_text(protocol: CrossValidation) -> str:
    """Say how the numbers came about.

    Examples
    --------
    >>> protocol_text(CrossValidation(folds=5, repeats=2, stratified=True))
    'Mean ± standard deviation over 10 test folds (stratified 5-fold cross-validation, 2 repeats, seed 0).'
    """
    kind = "stratified " if protocol.stratified else ""
    repeats = counted(protocol.repeats, "repeat")
    return (
        f"Mean ± standard deviation over {protocol.folds * protocol.repeats} test folds ({kind}{protocol.folds}-fold "
        f"cross-validation, {repeats}, seed {protocol.seed})."
    )


def as_markdown(
    results: Results, protocol: CrossValidation, comparison: Comparison | None, path: Path
) -> None:
    """Write all tables and the comparison to a Markdown file."""
    parts = ["# Evaluation", protocol_text(protocol)]
    for table in result_tables(results):
        parts += [f"## {table.title}", table.to_markdown()]
    if comparison is not None:
        parts += ["## Comparison", comparison.to_markdown()]
    parts.append("# Calibration, time and size")
    for measure in FILED[len(SHOWN) :]:
        table = results.summary(measure)
        parts += [f"## {table.title}", table.to_markdown()]
    with atomic_write(path) as file:
        file.write("\n\n".join(parts) + "\n")


def as_latex(results: Results, path: Path) -> None:
    """Write a table per measure to a LaTeX file."""
    with atomic_write(path) as file:
        file.write("\n\n".join(results.summary(measure).to_latex() for measure in FILED) + "\n")


def draw_figures(results: Results, folder: Path) -> list[str]:
    """Draw box plots and critical differences of accuracy, where there are several data sets and matplotlib."""
    if len(results.datasets) < 2 or len(results.methods) < 2 or find_spec("matplotlib") is None:
        return []
    board = results.scoreboard("accuracy")
    figures = {"accuracy_boxes.png": box_plot(board)}
    if len(results.methods) > 2:
        figures["critical_difference.png"] = critical_difference_diagram(nemenyi(board))
    for name, figure in figures.items():
        figure.savefig(folder / name, dpi=150)
    return list(figures)


def as_json(results: Results, protocol: CrossValidation) -> str:
    """All measures of all methods on all data sets as JSON; undefined values are null."""
    found: dict[str, Any] = {
        name: {"rows": rows, "methods": {method: {} for method in results.methods}}
        for name, rows in results.dataset_rows().items()
    }
    for measure in results.measures:
        for line in results.spread(measure).iter_rows(named=True):
            found[line["dataset"]]["methods"][line["method"]][measure.name] = {
                "mean": line["mean"],
                "deviation": line["deviation"],
                "folds": line["folds"],
                "failed": line["failed"],
            }
    settings = {
        "folds": protocol.folds,
        "repeats": protocol.repeats,
        "stratified": True,
        "seed": protocol.seed,
    }
    return json.dumps({"protocol": settings, "datasets": found}, indent=2, ensure_ascii=False)


def _heading(results: Results, name: str) -> str:
    measure = results.measure(name)
    return f"{measure.title.removesuffix(' score')} {'↑' if measure.higher_is_better else '↓'}"
