"""``bayleaf evaluate``: methods compared by repeated cross-validation."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.text import Text

from bayleaf.evaluation import CrossValidation, compare
from bayleaf.evaluation import evaluate as run_evaluation

from . import options
from .data import LabelledData, categorical_names, read_labelled
from .learner import build, check_method
from .output import out, working
from .rundir import prepare_folder
from .scores import as_json, as_markdown, light, protocol_text, result_tables

NAME = "evaluate"
EXAMPLE = "bayleaf evaluate iris.csv --target species --methods NB,TAN --cv 5 --repeats 2"


def run(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...", help="Tables: .csv, .tsv (also .gz), .parquet or .arff.", show_default=False
        ),
    ],
    target: Annotated[
        list[str],
        typer.Option(
            "--target", "-t", metavar="COLUMN", help="Column of the class; once, or once per table."
        ),
    ],
    methods: Annotated[
        str, typer.Option("--methods", "-m", metavar="NAMES", help="Methods separated by commas.")
    ] = "NB,TAN",
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated, with other folds.")] = 2,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Keep results here (made if needed); the same call again goes on where it stopped.",
        ),
    ] = None,
    print_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    categorical: options.Categorical = None,
    discretizer: options.Discretizer = options.DiscretizerName.MDLP,
    missing: options.Missing = options.MissingWay.AVAILABLE,
    drop: options.Drop = None,
    seed: options.Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Folds to run at the same time.")] = 1,
    delimiter: options.Delimiter = None,
    missing_values: options.MissingValues = None,
) -> None:
    """Measure methods on rows they have not seen: accuracy, log-loss, Brier score and AUC, with their spread.

    All methods meet the same stratified folds; everything that learns from data sees the training rows only.
    """
    names = [check_method(name) for name in options.names_of([methods])]
    targets = _target_of_each(data, target)
    dropped, categories = options.names_of(drop), options.names_of(categorical)
    tables = []
    for path, column in zip(data, targets, strict=True):
        with working(f"Reading {path} ..."):
            table = read_labelled(
                path,
                column,
                drop=dropped,
                delimiter=delimiter,
                missing_values=options.spellings(missing_values),
            )
        _check_folds(table, cv)
        tables.append(_with_categories(table, categories))
    _check_names(tables)
    learners = {
        name: build(name, discretizer=discretizer, missing=missing, seed=None)
        for name in dict.fromkeys(names)
    }
    file = None
    if output is not None:
        file = prepare_folder(output, tables, options={"drop": dropped, "categorical": categories})
    protocol = CrossValidation(folds=cv, repeats=repeats, stratified=True, seed=seed)
    results = run_evaluation(
        learners,
        {table.name: (table.features, table.target) for table in tables},
        protocol,
        out=file,
        n_jobs=jobs,
    )
    comparison = compare(results) if len(tables) > 1 and len(learners) > 1 else None
    console = out()
    if print_json:
        console.print(as_json(results, protocol), soft_wrap=True, markup=False)
    else:
        for table in result_tables(results):
            console.print(light(table))
        console.print(Text(protocol_text(protocol), style="dim"))
        if comparison is not None:
            console.print()
            console.print(comparison)
    if output is not None:
        as_markdown(results, protocol, comparison, output / "evaluation.md")
        if not print_json:
            console.print(f"Wrote [bold]{output}[/bold]: results.csv, evaluation.md", soft_wrap=True)


def _target_of_each(paths: list[Path], targets: list[str]) -> list[str]:
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
    """Turn number columns that are categories into text, which means the same to every method."""
    names = wanted if wanted == ["all"] else [name for name in wanted if name in table.features.columns]
    columns = categorical_names(table.path, names, table.features)
    return replace(table, features=table.features.with_columns(pl.col(columns).cast(pl.String)))
