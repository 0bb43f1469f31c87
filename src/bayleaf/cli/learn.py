"""``bayleaf learn``: a network without a class."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import format_suffix
from bayleaf._util.words import counted, listing
from bayleaf.data import IdentifierWarning
from bayleaf.learn.register import settings_of
from bayleaf.network import BayesNet
from bayleaf.networks.network_files import FORMATS, NAMES
from bayleaf.tables import read_data, write_table

from . import options
from .inputs import categorical_names, check_columns, check_writable
from .output import facts, light_table, out, probability, seconds, shown, working, wrote

EXAMPLE = "bayleaf learn patients.csv -o patients.json --bootstrap 100"
MOST_ARCS = 20


def run(
    data: options.DataFile,
    output: Annotated[Path, typer.Option("--out", "-o", metavar="NETWORK", help=f"File to write: {NAMES}.")],
    structure: Annotated[
        str | None,
        options.optional(
            "LEARNER",
            "Such as 'Exact(score=BIC())' or 'HillClimbing(max_parents=3)'; by default the best graph of all "
            "for up to 12 columns without missing values, and hill-climbing with restarts for more.",
        ),
    ] = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Also learn from N bootstrap samples, and show how often each arc is found.",
        ),
    ] = None,
    strengths: Annotated[
        Path | None, options.optional("FILE", "Table of arc strengths to write: .csv, .tsv or .parquet.")
    ] = None,
    plot: Annotated[
        Path | None,
        options.optional(
            "FILE", "Picture of the graph to write (.svg); with --bootstrap, strong arcs are thick."
        ),
    ] = None,
    categorical: options.Categorical = None,
    discretizer: Annotated[
        str | None,
        options.optional(
            "WAY", "How numbers are cut into intervals: quantiles (the default), equal-width or median."
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            metavar="WAY",
            help="Missing values: left out where they matter (available), a state of their own (state), their rows "
            "dropped (drop), or mean and mode in their place (impute).",
        ),
    ] = "available",
    drop: options.Drop = None,
    seed: options.Seed = 0,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
) -> None:
    """Learn a network over all columns of a table, without a class, and write it to a file."""
    if format_suffix(output) not in FORMATS:
        raise ValueError(f"Cannot tell the format of '{output}' by its name: use {NAMES}.")
    check_writable(output, data)
    if strengths is not None:
        if bootstrap is None:
            raise ValueError("--strengths needs --bootstrap: strengths come from bootstrap samples.")
        check_writable(strengths, data, output)
    if plot is not None:
        if plot.suffix != ".svg":
            raise ValueError(f"A picture is written as SVG: '{plot}' must end in .svg.")
        check_writable(plot, data, output)
    learner = None if structure is None else settings_of([f"structure={structure}"])["structure"]
    dropped, categories = options.names_of(drop), options.names_of(categorical)
    with working(f"Reading {data} ..."):
        frame = read_data(data, categorical=categories, **options.reading(delimiter, decimal, missing_values))
        check_columns(data, dropped, frame.columns)
        frame = frame.drop(dropped)
    reading: dict[str, Any] = {
        "categorical_features": categorical_names(data, categories, frame) or "auto",
        "discretizer": _discretizer(discretizer),
        "missing": missing,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)  # the summary names them
        with working(f"Learning from {counted(frame.height, 'row')} ..."):
            start = perf_counter()
            network = bayleaf.learn_network(frame, learner, random_state=seed, **reading)
            duration = perf_counter() - start
        found = None
        if bootstrap is not None:
            found = bayleaf.arc_strengths(frame, learner, samples=bootstrap, random_state=seed, **reading)
    picture = None if plot is None else network.plot(found)
    FORMATS[format_suffix(output)][1](network, output)
    console = out()
    console.print(Text.assemble(("Network", "bold"), f" learned from {data} in {seconds(duration)}"))
    console.print(facts(_summary(frame, network)))
    if found is not None:
        console.print()
        shown(console, _strengths(found, network))
        if strengths is not None:
            write_table(found, strengths)
            wrote(strengths)
    if plot is not None and picture is not None:
        picture.save(plot)
        wrote(plot)
    wrote(output)


def _discretizer(word: str | None) -> Any:
    """Return the discretiser of a name; those that need a class are refused when they are used."""
    if word is None:
        return None
    if word not in options.DISCRETIZERS:
        raise ValueError(f"'{word}' is not a discretiser; there are {listing(options.DISCRETIZERS)}.")
    return options.DISCRETIZERS[word]()


def _summary(frame: pl.DataFrame, network: BayesNet) -> Mapping[str, RenderableType]:
    left_out = [name for name in frame.columns if name not in network.nodes]
    size = f"{counted(len(network.nodes), 'node')}, {counted(len(network.arcs), 'arc')}"
    network_line = f"{size}, {counted(network.n_parameters, 'parameter')}"
    lines: dict[str, RenderableType] = {"Rows": f"{frame.height:,}", "Network": network_line}
    if left_out:
        lines["Left out"] = f"{listing(left_out)} (identifiers)"
    return lines


def _strengths(found: pl.DataFrame, network: BayesNet) -> RenderableType:
    title = "Arcs found again in bootstrap samples"
    table = light_table(title, words=("arc", "in the network"), numbers=("strength", "direction"))
    arcs = set(network.arcs)
    for parent, child, strength, direction in found.head(MOST_ARCS).iter_rows():
        here = "yes" if (parent, child) in arcs else "turned" if (child, parent) in arcs else ""
        table.add_row(Text(f"{parent} -> {child}"), here, probability(strength, 2), probability(direction, 2))
    if found.height > MOST_ARCS:
        table.add_row(f"... and {counted(found.height - MOST_ARCS, 'more pair')}", "", "", "")
    return table
