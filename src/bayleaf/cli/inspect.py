"""``bayleaf inspect``: show how the columns of a table are read, before any fit."""

from typing import Annotated

from rich.text import Text

from bayleaf._util.words import counted, listing
from bayleaf.data.schema import rich_table
from bayleaf.learn.register import settings_of

from . import options
from .inputs import categorical_names, read_labelled, read_unlabelled
from .options import build, read_method, types_of
from .output import note, out, working

EXAMPLE = "bayleaf inspect patients.csv --target status --types ward=category"


def run(
    data: options.DataFile,
    target: Annotated[
        str | None, options.optional("COLUMN", "Column of the class.", "--target", "-t")
    ] = None,
    method: options.MethodName = options.DEFAULT,
    categorical: options.Categorical = None,
    types: options.Types = None,
    bins: options.Bins = None,
    discretizer: options.Discretizer = None,
    missing: options.Missing = options.MissingWay.AUTO,
    drop: options.Drop = None,
    settings: options.Settings = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Show how the columns of a table are read, before any fit: types, states, gaps, and what is left out."""
    spec, chosen, column_types = read_method(method), settings_of(settings), types_of(types)
    dropped, categories = options.names_of(drop), options.names_of(categorical)
    how = {
        "drop": dropped,
        "categorical": categories,
        "types": column_types,
        **options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet),
    }
    with working(f"Reading {data} ..."):
        if target is None:
            features, labels = read_unlabelled(data, **how), None
        else:
            table = read_labelled(data, target, bins=bins, **how)
            features, labels = table.features, table.target
    classifier = build(
        spec,
        discretizer=discretizer,
        missing=missing,
        categorical=categorical_names(data, categories, features),
        types=column_types,
        settings=chosen,
    )
    schema = classifier.inspect(features, labels)
    console = out()
    rows, columns = counted(features.height, "row"), counted(features.width, "column")
    of_class = "" if target is None else f", and the class {target}"
    console.print(Text.assemble((str(data), "bold"), f": {rows}, {columns}{of_class}"))
    console.print()
    console.print(rich_table(schema.lines()))
    if dropped:
        note(f"left out as asked: {listing(dropped)}.")
    if target is None:
        note(
            "without --target, what depends on the class is not shown: cut points of numbers, and which missing "
            "values get a state."
        )
