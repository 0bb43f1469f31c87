"""``bayleaf evaluate``: methods compared by repeated cross-validation, or a saved model on labelled rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import format_suffix
from bayleaf._util.words import counted
from bayleaf.benchmark import Comparison, CrossValidation, Results, compare
from bayleaf.benchmark import evaluate as run_evaluation

from . import options
from .assess import assess
from .inputs import RESULTS, LabelledData, categorical_names, prepare_folder, read_labelled, types_of
from .options import build, read_methods
from .output import out, section, shown, working, wrote
from .views import as_json, as_latex, as_markdown, draw_figures, light, protocol_text, result_tables

NAME = "evaluate"
EXAMPLE = "bayleaf evaluate iris.csv --target species --methods default,NB,TAN"


def run(
    context: typer.Context,
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Tables: .csv, .tsv, .parquet or .arff; or a model file and a table to measure it on.",
            show_default=False,
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="Column of the class; once, or once per table. A model knows its own.",
            show_default=False,
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            "-m",
            metavar="NAMES",
            help="Methods separated by commas, such as 'NB, KDB(k=3)'; default is what 'fit' learns.",
        ),
    ] = "default,NB",
    cv: Annotated[int, typer.Option(min=2, metavar="N", help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="How often it is repeated, with different folds.")
    ] = 2,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for the results (created if needed); repeating the call resumes where it stopped. With a "
            "model: the model page to write, such as report.html.",
        ),
    ] = None,
    print_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    categorical: options.Categorical = None,
    types: options.Types = None,
    discretizer: options.Discretizer = None,
    missing: options.Missing = options.MissingWay.AUTO,
    drop: options.Drop = None,
    require_class: options.RequireClass = False,
    absent_missing: options.AbsentMissing = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Measure methods on rows they have not seen: accuracy, log-loss, Brier score and AUC, with their spread.

    All methods use the same stratified folds; everything that learns from data sees the training rows only. With a
    model file first, that model is measured on the rows of the table that follows.
    """
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
    given = options_given(context)
    if format_suffix(data[0]) == ".json":
        refuse_options(given - OF_A_MODEL, "is about methods that are fitted: a model is measured as it is.")
        model, table = _model_and_table(data)
        assess(model, table, output, target, reading, absent_missing=absent_missing, print_json=print_json)
        return
    refuse_options(given & {"--absent-missing"}, "is about a model: give its file first.")
    specs, said = read_methods(methods), types_of(types)
    if said and len(data) > 1:
        raise ValueError("--types is about the columns of one table: give one table, or leave it out.")
    learners = {
        spec.label: build(spec, discretizer=discretizer, missing=missing, types=said) for spec in specs
    }
    dropped, categories = options.names_of(drop), options.names_of(categorical)
    tables = [
        read_for_folds(
            path, column, dropped, categories, cv, {"types": said, "require_class": require_class, **reading}
        )
        for path, column in zip(data, _target_of_each(data, target), strict=True)
    ]
    _check_names(tables)
    file = None
    if output is not None:
        asked = {
            name: value for name, value in {**reading, "types": said or None}.items() if value is not None
        }
        file = prepare_folder(output, tables, options={"drop": dropped, "categorical": categories, **asked})
    protocol = CrossValidation(folds=cv, repeats=repeats, stratified=True, seed=seed)
    datasets = {table.name: (table.features, table.target) for table in tables}
    results = run_evaluation(learners, datasets, protocol, out=file, n_jobs=jobs)
    comparison = compare(results) if len(tables) > 1 and len(learners) > 1 else None
    written = [] if output is None else _write(results, protocol, comparison, output)
    if print_json:
        out().print(as_json(results, protocol), soft_wrap=True)
    else:
        _print(results, protocol, comparison)
        if output is not None:
            wrote(output, f": {', '.join(written)}")
    check_some_worked(results)


def check_some_worked(results: Results) -> None:
    """Fail where a method failed in every fold, with its reason: its settings do not fit."""
    for method in results.methods:
        lines = results.select(methods=[method])
        if lines.errors.height == lines.frame.height:
            reason = str(lines.errors["error"][0]).rstrip(".")
            raise ValueError(f"'{method}' failed in every fold: {reason}.")


def read_for_folds(
    path: Path,
    target: str,
    drop: list[str],
    categorical: list[str],
    folds: int,
    reading: dict[str, Any],
) -> LabelledData:
    """Read a table for cross-validation: enough rows for the folds, the same categories for every method."""
    with working(f"Reading {path} ..."):
        table = read_labelled(path, target, drop=drop, categorical=categorical, **reading)
    _check_folds(table, folds)
    return _with_categories(table, categorical)


def _write(
    results: Results, protocol: CrossValidation, comparison: Comparison | None, folder: Path
) -> list[str]:
    """Write tables, and figures where there are any, and return the names of all files with results."""
    as_markdown(results, protocol, comparison, folder / "evaluation.md")
    as_latex(results, folder / "evaluation.tex")
    return [RESULTS, "evaluation.md", "evaluation.tex", *draw_figures(results, folder)]


def _print(results: Results, protocol: CrossValidation, comparison: Comparison | None) -> None:
    console = out()
    for table in result_tables(results):
        shown(console, light(table))
    console.print(Text(protocol_text(protocol), style="dim"))
    if comparison is not None:
        console.print()
        section(console, "Comparison")
        console.print(Text(comparison.to_text()))
        console.print()
        shown(console, light(comparison.records))


OF_A_MODEL = {
    *("--target", "--out", "--json", "--absent-missing"),
    *("--delimiter", "--decimal", "--missing-values", "--encoding", "--no-header", "--sheet"),
}


def options_given(context: typer.Context) -> set[str]:
    """Return the options that the call names."""
    found = set()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.param_type_name == "option" and source is not None and source.name == "COMMANDLINE":
            found.add(option.opts[0])
    return found


def refuse_options(names: set[str], why: str) -> None:
    """Refuse options that mean nothing in a call.

    Examples
    --------
    >>> refuse_options({"--cv"}, "is about methods.")
    Traceback (most recent call last):
    ValueError: --cv is about methods.
    """
    for name in sorted(names):
        raise ValueError(f"{name} {why}")


def _model_and_table(paths: list[Path]) -> tuple[Path, Path]:
    if len(paths) != 2:
        raise ValueError(
            f"A model is measured on one table: give MODEL and TABLE. Got {counted(len(paths), 'file')}."
        )
    return paths[0], paths[1]


def _target_of_each(paths: list[Path], targets: list[str] | None) -> list[str]:
    if not targets:
        raise ValueError("Say which column is the class: --target COLUMN.")
    if len(targets) not in (1, len(paths)):
        raise ValueError(
            f"Give --target once, or once for each of the {len(paths)} tables. Got {len(targets)}."
        )
    return targets * len(paths) if len(targets) == 1 else targets


def _check_folds(table: LabelledData, folds: int) -> None:
    largest = max(table.class_counts.values())
    if largest < folds:
        raise ValueError(
            f"'{table.path}' has too few rows for {folds} folds: its largest class has {largest}. Use a smaller --cv."
        )


def _check_names(tables: list[LabelledData]) -> None:
    names = [table.name for table in tables]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"Two tables are named '{twice[0]}': give the files different names.")


def _with_categories(table: LabelledData, wanted: list[str]) -> LabelledData:
    """Turn number columns that are categories into such by their type, which means the same to every method."""
    columns = categorical_names(table.path, wanted, table.features)
    return replace(
        table, features=table.features.with_columns(pl.col(columns).cast(pl.String).cast(pl.Categorical))
    )
