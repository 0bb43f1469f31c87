"""The folder of data sets that experiments read: where it is, and how a file becomes features and class.

The folder holds ``<name>.csv.gz`` files, the class in the last column, and ``SCHEMA.json``, which says which columns
are categorical whatever they look like. It is found through the variable BAYLEAF_DATA, or as ``../shared/data``
beside the project. It is not part of bayleaf.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

import bayleaf as bl

# All columns are read, by their types alone, and gaps are summed out: what bayleaf makes of values and of gaps by
# default is no part of a published protocol.
AS_PUBLISHED: dict[str, Any] = {
    "categorical_features": "from_dtype",
    "identifiers": "keep",
    "missing": "available",
}
# The same for classifiers that are built by hand: numbers are cut as published methods cut them.
BY_MDLP: dict[str, Any] = {"discretizer": bl.MDLP(), **AS_PUBLISHED}

PROJECT = Path(__file__).parents[1]


def folder() -> Path:
    """Return the folder, or say how to name it."""
    place = Path(os.environ.get("BAYLEAF_DATA", PROJECT.parent / "shared" / "data"))
    if not (place / "SCHEMA.json").is_file():
        raise FileNotFoundError(
            f"There is no data folder '{place}': set BAYLEAF_DATA to one with SCHEMA.json."
        )
    return place


@cache
def schema() -> dict[str, dict[str, list[str]]]:
    """Return the numeric and categorical columns of every data set."""
    content: dict[str, dict[str, list[str]]] = json.loads((folder() / "SCHEMA.json").read_text())
    return content


def has(name: str) -> bool:
    """Whether the folder has a data set."""
    return (folder() / f"{name}.csv.gz").is_file()


def read(name: str) -> pl.DataFrame:
    """Read a data set; an empty field is a missing value.

    Categorical columns declare all their categories, those of rows in other folds too, as the descriptions of the
    data sets do.
    """
    categorical = schema()[name]["categorical"]
    frame = pl.read_csv(
        folder() / f"{name}.csv.gz",
        null_values=[""],
        infer_schema_length=None,
        schema_overrides=dict.fromkeys(categorical, pl.String),
    )
    domains = {column: pl.Enum(frame[column].drop_nulls().unique().sort()) for column in categorical}
    return frame.cast(domains)  # type: ignore[arg-type]


def features_and_class(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Split off the last column."""
    return frame[:, :-1], frame[:, -1]
