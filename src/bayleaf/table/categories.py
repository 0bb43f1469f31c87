"""Tables in which every distinct value of a column is a state."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .assembly import assemble
from .columns import as_frame, read_columns
from .schema import as_labels, learn_categorical
from .table import Table


def categorical_table(data: Any, names: Sequence[str] | None = None) -> Table:
    """Encode columns of a DataFrame as categories, numbers too; the table has no class.

    Parameters
    ----------
    data : DataFrame
    names : sequence of str, optional
        Columns to take; all by default.

    Examples
    --------
    >>> import polars as pl
    >>> table = categorical_table(pl.DataFrame({"a": [3, 1, None], "b": ["x", "x", "y"]}))
    >>> [variable.states for variable in table.variables]
    [(1, 3), ('x', 'y')]
    """
    frame = as_frame(data)
    if frame is None:
        raise TypeError(
            f"A Table or a DataFrame with named columns is needed here. Got {type(data).__name__} instead."
        )
    lacking = [name for name in names or () if name not in frame.columns]
    if lacking:
        shown = ", ".join(f"'{name}'" for name in frame.columns[:10])
        raise ValueError(f"There is no column '{lacking[0]}'; there are {shown}.")
    chosen = list(frame.columns if names is None else names)
    columns = read_columns(frame.select(chosen).to_native())
    ones = np.ones(len(frame))
    learned = [
        learn_categorical(as_labels(column), name, ones, impute=False)
        for name, column in zip(chosen, columns, strict=True)
    ]
    return assemble(
        tuple(variable for variable, _ in learned), [codes for _, codes in learned], None, None, target=None
    )
