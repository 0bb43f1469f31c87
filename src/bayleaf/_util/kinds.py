"""Names for what is passed to classifiers and what they return, and a check of values from files by declared types.

Tables of many libraries have no type in common that a checker knows: it takes their names for ``Any``.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

TableLike: TypeAlias = Any
"""Rows of data: a pandas or polars DataFrame, an Arrow table or record batch, a DuckDB relation, an ibis table, a
numpy array of shape (rows, columns), or a list of rows."""

RowLike: TypeAlias = Any
"""One row: a dict from column to value, in which what is unknown may be absent, or a table of one row."""

Frame: TypeAlias = Any
"""A DataFrame of the library that ``backend`` names: by default polars, pandas or pyarrow, whichever is installed."""

Label: TypeAlias = Any
"""A class label, as it is in ``classes_``."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"]
"""What a row of each class weighs, by label; "balanced" gives all classes the same total weight."""

Loss: TypeAlias = ArrayLike | Mapping[Any, Mapping[Any, float]] | Callable[[Any, Any], float]
"""What decisions cost: a matrix or DataFrame [true class, decision], a dict ``{true class: {decision: cost}}``, or a
function of both labels."""

Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""Where random numbers come from: a number gives the same ones every time."""


def check_fields(item: Any, what: str) -> None:
    """Refuse an object of a dataclass with an attribute that is not of its declared type; NaN is not a number.

    Parameters
    ----------
    item : dataclass instance
    what : str
        What the object is, for the message.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: float
    >>> check_fields(Point(1), "the point")
    >>> check_fields(Point("far"), "the point")
    Traceback (most recent call last):
    ValueError: the point has a wrong x: 'far'
    """
    kind: Any = type(item)
    hints = _hints(kind)
    for field in fields(item):
        value = getattr(item, field.name)
        if not _is_a(value, hints[field.name], f"{field.name} of {what}"):
            raise ValueError(f"{what} has a wrong {field.name}: {repr(value)[:60]}")


_hints = cache(get_type_hints)  # read from texts, and the same every time


def _is_a(value: Any, hint: Any, what: str) -> bool:
    if hint is Any:
        return True
    kind, arguments = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return any(_is_a(value, each, what) for each in arguments)
    if kind is Literal:
        return isinstance(value, str) and value in arguments
    if kind is tuple and arguments[-1:] != (Ellipsis,):
        fits = isinstance(value, tuple) and len(value) == len(arguments)
        return fits and all(_is_a(each, hint, what) for each, hint in zip(value, arguments, strict=True))
    if kind in (list, tuple):
        return isinstance(value, kind) and all(_is_a(each, arguments[0], what) for each in value)
    if kind in (dict, Mapping):
        return isinstance(value, dict) and all(
            _is_a(key, arguments[0], what) and _is_a(each, arguments[1], what) for key, each in value.items()
        )
    if is_dataclass(hint):
        if isinstance(value, hint):  # type: ignore[arg-type]
            check_fields(value, what)
        return isinstance(value, hint)  # type: ignore[arg-type]
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and value == value
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return value is None if hint is NoneType else isinstance(value, hint)
