"""Options that several commands share, and how their text is understood."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import bayleaf
from bayleaf._util.listed import split_names

DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="Table: .csv, .tsv (also .gz), .parquet or .arff.", show_default=False
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file that 'bayleaf fit' wrote.", show_default=False)
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="Delimiter of a text file, such as ';' or 'tab'; found out by default.",
        show_default=False,
    ),
]
MissingValues = Annotated[
    str | None,
    typer.Option(
        metavar="TEXTS",
        help="Spellings of a missing value, separated by commas. By default the usual ones: ?, NA, nan, null, ...",
        show_default=False,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Columns to leave out, separated by commas.", show_default=False),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Number columns whose values are categories, separated by commas; 'all' for all.",
        show_default=False,
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method", "-m", metavar="NAME", help="Method, such as TAN or 'KDB(k=3)'; see 'bayleaf methods'."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the method, such as k=3; may be repeated."),
]
StoredFolds = Annotated[
    int | None,
    typer.Option(
        "--cv",
        min=2,
        metavar="N",
        help="Also cross-validate with N folds; the model file keeps the result for 'bayleaf report'.",
        show_default=False,
    ),
]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Folds to run at the same time.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Start of all random numbers.")]


class DiscretizerName(StrEnum):
    """Ways to cut numbers into intervals."""

    MDLP = "mdlp"
    MEDIAN = "median"
    QUANTILES = "quantiles"
    EQUAL_WIDTH = "equal-width"

    def make(self) -> Any:
        """Build the discretiser.

        Examples
        --------
        >>> DiscretizerName("median").make()
        MedianSplit()
        """
        kinds = {
            "mdlp": bayleaf.MDLP,
            "median": bayleaf.MedianSplit,
            "quantiles": bayleaf.Quantiles,
            "equal-width": bayleaf.EqualWidth,
        }
        return kinds[self.value]()


class MissingWay(StrEnum):
    """What fit does with missing values."""

    AVAILABLE = "available"
    DROP = "drop"
    IMPUTE = "impute"


Discretizer = Annotated[
    DiscretizerName | None,
    typer.Option(
        metavar="WAY",
        help="How numbers are cut into intervals: mdlp, median, quantiles or equal-width;"
        " without it the method's own way, which is mdlp for most.",
        show_default=False,
    ),
]
Missing = Annotated[
    MissingWay,
    typer.Option(
        metavar="WAY",
        help="Missing values in fit: count what is available, drop such rows, or impute mean and mode.",
    ),
]


def names_of(texts: Sequence[str] | None) -> list[str]:
    """Split names at commas, but not within quotation marks; an option may also be given several times.

    Examples
    --------
    >>> names_of(["a, b", '"c, d"'])
    ['a', 'b', 'c, d']
    """
    return [name for text in texts or () for name in split_names(text)]


def spellings(text: str | None) -> list[str] | None:
    """Split spellings of a missing value; None where the usual ones count.

    Examples
    --------
    >>> spellings("?,-9")
    ['?', '-9']
    """
    return None if text is None else [part.strip() for part in text.split(",")]
