"""Which rows of the training data count, and which columns look as if they should not."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from .columns import complete_rows
from .table import Table
from .target import read_weights

Weights = NDArray[np.float64] | None
# A column of labels with more values than these, one for nearly every row, looks like an identifier.
FEW_VALUES = 100
OWN_VALUE = 0.9
MOST_NAMES = 5


class IdentifierWarning(UserWarning):
    """A column of the training data looks like an identifier.

    Examples
    --------
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", IdentifierWarning)
    ...     # fit here
    """


def training_rows(X: Any, y: Any, sample_weight: Any, *, drop_incomplete: bool) -> tuple[Any, Any, Weights]:
    """Return the rows that take part in fit, their labels and their weights.

    A row of weight zero is no row, and a dropped row neither: their categories and values must not enter the schema.

    Examples
    --------
    >>> training_rows(np.array([["a"], ["b"]]), ["no", "yes"], [0, 2], drop_incomplete=False)
    (array([['b']], dtype='<U1'), ['yes'], array([2.]))
    """
    weights = read_weights(sample_weight, X)
    if weights is not None and (weights == 0).any():
        kept = np.flatnonzero(weights)
        X, y, weights = _rows_of(X, kept), _rows_of(y, kept), weights[kept]
    if drop_incomplete:
        kept = _complete_rows(X)
        X, y = _rows_of(X, kept), _rows_of(y, kept)
        weights = None if weights is None else weights[kept]
    return X, y, weights


def _rows_of(data: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table or of labels, in the library they came in."""
    return _safe_indexing(data if hasattr(data, "__getitem__") else np.asarray(data), rows)


def _complete_rows(X: Any) -> NDArray[np.int64]:
    complete = complete_rows(X)
    if not complete.any():
        raise ValueError(
            f"missing='drop' leaves no rows: each of the {len(complete)} rows has a missing value. Use "
            "missing='available' or 'impute'."
        )
    return np.flatnonzero(complete)


def warn_of_identifiers(table: Table) -> None:
    """Warn of categories that look like names of the rows: they teach nothing, and their tables are huge.

    Examples
    --------
    >>> import bayleaf as bl
    >>> rows = [[f"patient {k}", k % 3 > 0] for k in range(150)]
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     _ = bl.BayesNetClassifier().fit(rows, [k % 2 for k in range(150)])
    >>> print(caught[0].message)
    Column 'x0' looks like an identifier, with a value of its own in nearly every row: drop it, since it tells nothing
    about new rows.
    """
    found = identifiers(table)
    if not found:
        return
    names = ", ".join(f"'{name}'" for name in found[:MOST_NAMES])
    if len(found) > MOST_NAMES:
        names += f" and {len(found) - MOST_NAMES} more"
    words = ("Column", "looks like an identifier", "its", "it", "it tells")
    if len(found) > 1:
        words = ("Columns", "look like identifiers", "their", "them", "they tell")
    what, looks, own, it, it_tells = words
    warnings.warn(
        f"{what} {names} {looks}, with a value of {own} own in nearly every row: drop {it}, since {it_tells} nothing "
        "about new rows.",
        IdentifierWarning,
        stacklevel=4,  # whoever called fit
    )


def identifiers(table: Table) -> list[str]:
    """Return the features whose categories look like names of the rows: they teach nothing, their tables are huge.

    Examples
    --------
    >>> from bayleaf.data import categorical_table
    >>> import polars as pl
    >>> rows = pl.DataFrame({"patient": [f"patient {k}" for k in range(150)], "sex": ["f", "m", "m"] * 50})
    >>> identifiers(categorical_table(rows))
    ['patient']
    """
    return [table.names[j] for j in table.features if _is_identifier(table, j)]


def _is_identifier(table: Table, column: int) -> bool:
    variable = table.variables[column]
    if variable.kind != "categorical" or variable.arity <= FEW_VALUES:
        return False
    codes = table.codes[:, column]
    counts = np.bincount(codes[codes != table.missing_code])
    values = int(np.count_nonzero(counts))
    return values > FEW_VALUES and values >= OWN_VALUE * float(counts.sum())
