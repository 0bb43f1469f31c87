"""Methods that are measured on tables: their rows and folds, the folder of their results, tables and figures."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from bayleaf import benchmark
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import FullDiskError, atomic_write, write_text
from bayleaf._util.words import counted
from bayleaf.benchmark import Comparison, GroupedFolds, Results, ResultTable, TimedFolds
from bayleaf.benchmark.result_tables import Cell, value_cells
from bayleaf.benchmark.results import begins_header, read_lines
from bayleaf.data.target import refuse_wrong_target
from bayleaf.quality import MEASURES, Measure
from bayleaf.quality.cross_validation import FoldsOfRows, assessment_folds
from bayleaf.quality.measures import mean_cost_by

from .inputs import LabelledData, categorical_names, read_labelled
from .output import light_table, out, section, shown, working

RESULTS, RECORD = "results.csv", "data.json"
SHOWN = ("accuracy", "log_loss", "brier", "auc")
# Files have room for more than a terminal.
FILED = (*SHOWN, "ece", "fit_seconds", "predict_seconds", "n_parameters")
COST = "mean_cost"


def check_some_worked(results: Results) -> None:
    """Fail where a method failed in every fold, with its reason: its settings do not fit."""
    for method in results.methods:
        lines = results.select(methods=[method])
        if lines.errors.height == lines.frame.height:
            reason = str(lines.errors["error"][0]).rstrip(".")
            raise ValueError(f"'{method}' failed in every fold: {reason}.")


def costs_of(learners: Mapping[str, Any]) -> Any:
    """Return the costs (``loss``) of the methods that have any, by which all are measured; None where none has."""
    found = [
        loss
        for learner in learners.values()
        for name, loss in learner.get_params().items()
        if name in ("loss", "estimator__loss") and loss is not None
    ]
    if any(loss != found[0] for loss in found):
        raise ValueError("The methods have different costs: give each method with costs the same loss.")
    return found[0] if found else None


def measures_for(learners: Mapping[str, Any], more: Sequence[Measure] = ()) -> tuple[Measure, ...]:
    """Return what is measured of methods: with the mean cost of their decisions where one has costs."""
    loss, measures = costs_of(learners), [*MEASURES, *(each for each in more if each not in MEASURES)]
    if loss is not None:
        measures = [*(each for each in measures if each.name != COST), mean_cost_by(loss)]
    return tuple(measures)


def costs_text(learners: Mapping[str, Any]) -> str:
    """Say by which costs decisions were measured; the empty text where they have none."""
    loss = costs_of(learners)
    return "" if loss is None else f" Costs of all decisions (loss): {loss}."


def has_complete_table(results: Results) -> bool:
    """Whether all methods have figures on one of the tables, so that they can be compared."""
    return len(set(results.errors["dataset"])) < len(results.datasets)


def read_for_folds(
    path: Path,
    target: str,
    drop: list[str],
    categorical: list[str],
    folds: int,
    reading: dict[str, Any],
    many_classes: bool = False,
    together: tuple[str | None, str | None] = (None, None),
) -> LabelledData:
    """Read a table for cross-validation: enough rows for the folds, the same categories for every method.

    ``together`` names the columns of groups and of times.
    """
    with working(f"Reading {path} ..."):
        table = read_labelled(path, target, drop=drop, categorical=categorical, **reading)
    table = table.with_groups(*together)
    if not many_classes:
        refuse_wrong_target(table.target.unique().sort().to_list(), len(table.target), target)
    largest = max(table.class_counts.values())
    if largest < folds:
        raise ValueError(
            f"'{path}' has too few rows for {folds} folds: its largest class has {largest}. Use a smaller --cv."
        )
    # Number columns that are categories become such by their type, which means the same to every method.
    names = categorical_names(path, categorical, table.features)
    categories = pl.col(names).cast(pl.String).cast(pl.Categorical)
    return replace(table, features=table.features.with_columns(categories))


def folds_for(table: LabelledData, folds: int, repeats: int, seed: int) -> FoldsOfRows:
    """Return how the rows of a table are split: stratified, of groups as a whole, or in the order of time."""
    repeats = repeats if table.time is None else 1
    return assessment_folds(
        table.target, folds, groups=table.groups, time=table.time, repeats=repeats, seed=seed
    )


def takes_many(learners: Mapping[str, Any]) -> bool:
    """Tell whether a method is to take any number of classes."""
    settings = [each.get_params().items() for each in learners.values()]
    return any(
        name.split("__")[-1] == "classes" and value == "many" for each in settings for name, value in each
    )


def check_names(tables: list[LabelledData]) -> None:
    """Refuse tables of the same name: their results would be mixed up."""
    names = [table.name for table in tables]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"Two tables are named '{twice[0]}': give the files different names.")


@contextmanager
def resumable_or_removed(folder: Path | None) -> Iterator[None]:
    """Keep a folder with results where the disk is full; remove a new one in which there is not one of them."""
    is_new = folder is not None and not folder.exists()
    try:
        yield
    except FullDiskError as error:
        if folder is None:
            raise
        results = folder / RESULTS
        if results.exists() and not begins_header(results) and read_lines(results)[1]:
            raise FullDiskError(
                f"{error} Finished results are kept in '{folder}': the same call goes on from there."
            ) from None
        if is_new:
            results.unlink(missing_ok=True)
            (folder / RECORD).unlink(missing_ok=True)
            with suppress(OSError):  # somebody else put something there, or it was never made
                folder.rmdir()
        raise


def prepare_folder(folder: Path, tables: Sequence[LabelledData], options: Mapping[str, Any]) -> Path:
    """Make the folder where it is not there, and return the path of its result file.

    Results of other data, or of other options that change the data, are refused: they would be mixed with new ones.
    So is a call that leaves out a table with results here: they would be missing in the report.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"Cannot keep results in '{folder}': it is a file.")
    results, record_file = folder / RESULTS, folder / RECORD
    if results.exists() and not begins_header(results):
        read_lines(results)  # refuses a file of another program before anything is written here
    known = _read_record(record_file) if record_file.exists() else {}
    folder.mkdir(parents=True, exist_ok=True)
    current = {table.name: _signature(table, options) for table in tables}
    for name, signature in current.items():
        if known.get(name, signature) != signature:
            raise ValueError(
                f"'{folder}' holds results of '{name}' from other data, another target or other columns, or "
                "by other costs: use another folder for --out."
            )
    left_out = [name for name in known if name not in current]
    if left_out:
        raise ValueError(
            f"'{folder}' holds results of '{left_out[0]}', which is not among the tables of this call: name all "
            "tables again together with the new ones, or use another folder for --out."
        )
    write_text(record_file, json.dumps({**known, **current}, indent=1, ensure_ascii=False))
    return results


def _read_record(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        known = None
    if not (isinstance(known, dict) and all(isinstance(each, dict) for each in known.values())):
        raise ValueError(
            f"'{path}' is damaged, or not a file of bayleaf: it should say which data the results in this "
            "folder are from. Use another folder for --out, or remove it if you are sure of the data."
        )
    return known


def _signature(table: LabelledData, options: Mapping[str, Any]) -> dict[str, Any]:
    digest = hashlib.sha256(table.path.read_bytes()).hexdigest()[:16]
    given = {name: value for name, value in options.items() if value is not None}
    return {"sha256": digest, "target": table.target.name, "features": table.features.columns, **given}


def write_files(
    results: Results, protocol: FoldsOfRows, comparison: Comparison | None, folder: Path
) -> list[str]:
    """Write tables, and figures where there are any, and return the names of all files with results."""
    as_markdown(results, protocol, comparison, folder / "evaluation.md")
    as_latex(results, folder / "evaluation.tex")
    return [RESULTS, "evaluation.md", "evaluation.tex", *draw_figures(results, folder)]


def print_results(
    results: Results, protocol: FoldsOfRows, comparison: Comparison | None, costs: str = ""
) -> None:
    """Print the tables, what decisions cost, and the comparison of methods where there is one."""
    console = out()
    for table in result_tables(results):
        shown(console, light(table))
    console.print(Text(protocol_text(protocol) + costs, style="dim"))
    if comparison is not None:
        console.print()
        section(console, "Comparison")
        console.print(Text(comparison.to_text()))
        console.print()
        shown(console, light(comparison.records))


def result_tables(results: Results) -> list[ResultTable]:
    """One table of methods by measures for a single data set; for several, one per measure."""
    if len(results.datasets) == 1:
        return [method_table(results)]
    return [results.summary(measure) for measure in shown_measures(results)]


def shown_measures(results: Results, among: Sequence[str] = SHOWN) -> list[str]:
    """Return which measures tables show: with the mean cost where decisions have costs."""
    has_costs = COST in {measure.name for measure in results.measures}
    return [*among[:1], COST, *among[1:]] if has_costs else [*among]


def method_table(results: Results, digits: int = 3) -> ResultTable:
    """Tabulate the measures of each method on the only data set, the best in bold."""
    (dataset,) = results.datasets
    columns = []
    for name in shown_measures(results):
        lines = results.spread(name).to_dicts()
        means = np.array([math.nan if line["mean"] is None else line["mean"] for line in lines])
        spreads = np.array([math.nan if line["deviation"] is None else line["deviation"] for line in lines])
        cells = value_cells(means, spreads, results.measure(name).higher_is_better, digits)
        columns.append(
            [Cell("failed") if line["failed"] else cell for line, cell in zip(lines, cells, strict=True)]
        )
    rows = tuple(
        (method, tuple(column[number] for column in columns)) for number, method in enumerate(results.methods)
    )
    titles = [_heading(results, name) for name in shown_measures(results)]
    notes = tuple(results.failures())
    return ResultTable(
        f"{dataset} ({results.dataset_rows()[dataset]:,} rows)", ("method", *titles), rows, (), notes
    )


def light(table: ResultTable) -> Group:
    """Draw a table of results with little ink, the best values standing out."""
    drawn = table.drawn_into(light_table(caption="\n".join(table.notes) or None), best="bold green")
    return Group(Text(table.title, style="bold"), drawn)


def protocol_text(protocol: FoldsOfRows) -> str:
    """Say how the numbers came about."""
    return f"Mean ± standard deviation over {len(protocol.cells)} test folds ({split_text(protocol)})."


def split_text(protocol: FoldsOfRows) -> str:
    """Say how the rows were split."""
    if isinstance(protocol, TimedFolds):
        return "in the order of time, each predicted from the rows before it"
    repeats = f"{counted(protocol.repeats, 'repeat')}, seed {protocol.seed}"
    if isinstance(protocol, GroupedFolds):
        return (
            f"{protocol.folds}-fold cross-validation, {counted(protocol.n_groups, 'group')} of rows that are not "
            f"parted, {repeats}"
        )
    kind = "stratified " if protocol.stratified else ""
    return f"{kind}{protocol.folds}-fold cross-validation, {repeats}"


def as_markdown(results: Results, protocol: FoldsOfRows, comparison: Comparison | None, path: Path) -> None:
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
    write_text(path, "\n\n".join(parts) + "\n")


def as_latex(results: Results, path: Path) -> None:
    """Write a table per measure to a LaTeX file."""
    measures = shown_measures(results, FILED)
    write_text(path, "\n\n".join(results.summary(measure).to_latex() for measure in measures) + "\n")


def draw_figures(results: Results, folder: Path) -> list[str]:
    """Draw box plots and critical differences of accuracy, where there are several data sets and matplotlib."""
    several = len(results.datasets) > 1 and len(results.methods) > 1 and has_complete_table(results)
    if not several or find_spec("matplotlib") is None:
        return []
    board = results.scoreboard("accuracy")
    figures = {"accuracy_boxes.png": benchmark.box_plot(board)}
    if len(results.methods) > 2:
        figures["critical_difference.png"] = benchmark.critical_difference_diagram(benchmark.nemenyi(board))
    for name, figure in figures.items():
        save_figure(figure, folder / name)
    return list(figures)


def save_figure(figure: Any, path: Path) -> None:
    """Write a picture, all or nothing."""
    with atomic_write(path, binary=True) as file:
        figure.savefig(file, dpi=150, format="png")


def as_json(results: Results, protocol: FoldsOfRows) -> str:
    """All measures of all methods on all data sets as JSON; undefined values are null."""
    found: dict[str, Any] = {
        name: {"rows": rows, "methods": {method: {} for method in results.methods}}
        for name, rows in results.dataset_rows().items()
    }
    kept = ("mean", "deviation", "folds", "failed", "reason")
    for measure in results.measures:
        for line in results.spread(measure).iter_rows(named=True):
            of_method = found[line["dataset"]]["methods"][line["method"]]
            of_method[measure.name] = {name: line[name] for name in kept}
    settings: dict[str, Any] = {"folds": protocol.folds}
    if isinstance(protocol, TimedFolds):
        settings["timed"] = True
    else:
        settings |= {"repeats": protocol.repeats, "stratified": True, "seed": protocol.seed}
    if isinstance(protocol, GroupedFolds):
        settings["groups"] = protocol.n_groups
    return json.dumps({"protocol": settings, "datasets": found}, indent=2, ensure_ascii=False)


def _heading(results: Results, name: str) -> str:
    measure = results.measure(name)
    return f"{measure.title.removesuffix(' score')} {'↑' if measure.higher_is_better else '↓'}"
