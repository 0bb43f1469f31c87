"""Rows as the data has them, before they become codes: their numbers, and a digest that recognises training rows.

A digest has one 64-bit number for each row: a hash of its values and its class, in which numbers count as they are,
not as intervals. That is enough to recognise rows later, not enough to read them. Of very many rows a random sample
is kept, from which shares are estimated.
"""

import base64
import hashlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, as_frame, take_rows, with_absent
from .dates import MOMENTS
from .encoding import encode
from .numbers import read_once, without_marks
from .raw_columns import Column, NumberColumn
from .schema import Schema
from .table import Codes, Table
from .text_values import read_numbers
from .variable import Variable

MOST_KEPT = 5_000
Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class RowDigest:
    """Hashes of training rows.

    Attributes
    ----------
    rows : int
        Training rows.
    hashes : str
        Of the rows that are kept, sorted, as base64 of little-endian 64-bit numbers.
    repeated : float
        The share of kept rows that are equal to another: about this share of new rows equals one by chance.
    """

    rows: int
    hashes: str
    repeated: float

    @classmethod
    def of_hashes(cls, hashes: Hashes, rows: int) -> "RowDigest":
        """Keep the hashes of some rows, or of all."""
        _, times = np.unique(hashes, return_counts=True)
        repeated = float(times[times > 1].sum() / max(len(hashes), 1))
        text = base64.b64encode(np.sort(hashes).astype("<u8").tobytes()).decode()
        return cls(rows, text, repeated)

    def kept(self) -> Hashes:
        """Return the hashes that are kept."""
        return np.frombuffer(base64.b64decode(self.hashes), dtype="<u8").astype(np.uint64)

    def equal(self, hashes: Hashes) -> int:
        """Return how many rows are equal to a kept one."""
        return int(np.isin(hashes, self.kept()).sum())

    def share(self, equal: int, rows: int) -> float:
        """Return the share of some rows that were in training, given how many of them equal a kept one.

        It is zero where no more are equal than there would be by chance.
        """
        kept = len(self.kept())
        if not equal or not self.rows:
            return 0.0
        share, chance = equal / rows, self.repeated
        if share <= chance + 3 * np.sqrt(chance * (1 - chance) * (1 / rows + 1 / kept)):
            return 0.0
        of_training = kept / self.rows + (1 - kept / self.rows) * chance
        return float(min(1.0, (share - chance) / max(of_training - chance, 1e-12)))

    @property
    def is_exact(self) -> bool:
        """Whether all rows are kept and no two are equal: then shares are counted, not estimated."""
        return self.repeated == 0.0 and len(self.kept()) == self.rows


def seen_rows(
    schema: Schema, table: Table | None, X: Any, labels: Any, sample_weight: Any = None
) -> dict[str, Any]:
    """Return what a record keeps of training rows: their digest and the ranges of numbers.

    Rows of weight zero do not count.

    Parameters
    ----------
    schema : Schema
        Learned from the rows.
    table : Table, optional
        The rows as fit has encoded them, the columns of the schema first: what need not be encoded again.
    X, labels, sample_weight
        As they were given to fit.
    """
    weights = None if sample_weight is None else np.asarray(sample_weight)
    if weights is not None and not weights.all():
        used = np.flatnonzero(weights)
        X, labels = take_rows(X, used), take_rows(labels, used)
    X = columns_in_order(schema, X)
    columns = Columns(X)
    rows, column = columns.n_rows, columns.__getitem__
    codes = _codes_of_fit(schema, table, rows)
    if rows <= MOST_KEPT:
        column = cache(column)
        hashes = _hashes(schema, column, labels, lambda: _encoded(schema, X) if codes is None else codes)
    else:
        chosen = np.sort(np.random.default_rng(0).choice(rows, MOST_KEPT, replace=False))
        some = take_rows(X, chosen)
        hashes = _hashes(
            schema,
            Columns(some).__getitem__,
            take_rows(labels, chosen),
            lambda: _encoded(schema, some) if codes is None else codes[chosen],
        )
    return {"digest": RowDigest.of_hashes(hashes, rows), "ranges": _ranges(schema, X, column)}


def _codes_of_fit(schema: Schema, table: Table | None, rows: int) -> Codes | None:
    """Return the codes of training rows, where they are those that `encode` would give to the same rows later.

    Fit leaves out some rows (without a class, or with gaps where these are dropped). And a rare category may be
    spelled like one that has a state: 1.0 for 1.
    """
    if table is None or table.n_rows != rows:
        return None
    return None if any(variable.other is not None for variable in schema.columns) else table.codes


def row_hashes(schema: Schema, X: Any, labels: Any) -> Hashes:
    """Return a number for each row, made from its values and its class.

    What is made from another column, and identifiers, do not count.
    """
    X = columns_in_order(schema, X)
    return _hashes(schema, Columns(X).__getitem__, labels, lambda: _encoded(schema, X))


def class_hashes(schema: Schema, X: Any, classes: Sequence[Any]) -> Hashes:
    """Return what `row_hashes` does if all rows have the first class, the second, ...: [class, row]."""
    X = columns_in_order(schema, X)
    start = _of_texts([str(label) for label in classes])[:, None]
    return _mixed_in(schema, Columns(X).__getitem__, start, lambda: _encoded(schema, X))


def _hashes(
    schema: Schema, column: Callable[[int], Column], labels: Any, encoded: Callable[[], Codes]
) -> Hashes:
    start = _of_texts([str(label) for label in np.asarray(labels, dtype=object).ravel().tolist()])
    return _mixed_in(schema, column, start, encoded)


def _mixed_in(
    schema: Schema, column: Callable[[int], Column], total: Hashes, encoded: Callable[[], Codes]
) -> Hashes:
    """Hash rows by their numbers, and all else by their codes, which are asked for at most once."""
    codes: Codes | None = None
    for j, variable in enumerate(schema.columns):
        if variable.dtype == "identifier":
            continue
        if variable.cuts is not None and variable.dtype not in ("untyped", *MOMENTS):
            values = _of_numbers(number_values(variable, column(j)))
        else:
            codes = encoded() if codes is None else codes
            known = np.minimum(codes[:, j].astype(np.int64), variable.arity)  # the last stands for missing
            values = _of_texts([*map(str, variable.states), ""])[known]
        total = mixed(total + values)
    return total


def _encoded(schema: Schema, X: Any) -> Codes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever predicts these rows warns of them
        return encode(schema, X).codes


def _of_numbers(values: NDArray[np.float64]) -> Hashes:
    """Numbers by their bits, in single precision: tables of either precision hold the same rows."""
    single = values.astype(np.float32) + np.float32(0.0)  # one zero, not two
    single[np.isnan(single)] = np.nan  # one NaN, too
    return mixed(single.view(np.uint32).astype(np.uint64))


def _of_texts(texts: Sequence[str]) -> Hashes:
    known = {
        text: int.from_bytes(
            hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little"
        )
        for text in set(texts)
    }
    return np.array([known[text] for text in texts], dtype=np.uint64)


def mixed(numbers: NDArray[np.uint64]) -> Hashes:
    """Return a number for each number that looks as if drawn at random (the finaliser of splitmix64).

    References
    ----------
    G. L. Steele, D. Lea and C. H. Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.

    Examples
    --------
    >>> hex(mixed(np.zeros(1, dtype=np.uint64))[0])
    '0xe220a8397b1dcdaf'
    """
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _ranges(schema: Schema, X: Any, column: Callable[[int], Column]) -> dict[str, list[float]]:
    """Return the smallest and the largest number of each numeric column that has any."""
    limits = _limits_of_array(X) if isinstance(X, np.ndarray) and X.dtype.kind in "iuf" else None
    ranges = {}
    for j, variable in _numeric(schema):
        low, high = limits[:, j] if limits is not None else _limits_of_column(variable, column(j))
        if not np.isnan(low):
            ranges[variable.name] = [float(low), float(high)]
    return ranges


def _limits_of_array(array: NDArray[Any], rows: int = 2048) -> NDArray[Any]:
    """Return the smallest and the largest number of each column; some rows at a time, which are read once."""
    parts = [array[start : start + rows] for start in range(0, len(array), rows)]
    lowest, highest = zip(*((np.fmin.reduce(part), np.fmax.reduce(part)) for part in parts), strict=True)
    return np.stack([np.fmin.reduce(lowest), np.fmax.reduce(highest)])


def _limits_of_column(variable: Variable, column: Column) -> tuple[Any, Any]:
    if isinstance(column, NumberColumn) and column.dtype not in MOMENTS:
        values = column.values  # not turned into floats first: that would be a copy
    else:
        values = number_values(variable, column)
    low, high = values.min(), values.max()  # many times quicker than heeding NaN
    return (np.fmin.reduce(values), np.fmax.reduce(values)) if np.isnan(low) else (low, high)


def raw_numbers(schema: Schema, X: Any) -> dict[str, NDArray[np.float64]]:
    """Return the values of the numeric columns that rows have, by name."""
    columns = Columns(columns_in_order(schema, X))
    return {variable.name: number_values(variable, columns[j]) for j, variable in _numeric(schema)}


def _numeric(schema: Schema) -> list[tuple[int, Variable]]:
    """Return the numeric columns of a schema and their positions."""
    return [(j, variable) for j, variable in enumerate(schema.columns) if variable.cuts is not None]


def number_values(variable: Variable, column: Column) -> NDArray[np.float64]:
    """Return the values of a column as the variable's cut points count them; NaN where there is no number."""
    column = without_marks(variable, column)
    if variable.dtype in MOMENTS:
        column = read_once(variable, column)
    if isinstance(column, NumberColumn):
        return column.values.astype(np.float64, copy=False)
    texts = [level if isinstance(level, str) else "" for level in column.levels]
    numbers = np.append(read_numbers(texts, variable.reading), np.nan)  # ABSENT is the last
    for k, level in enumerate(column.levels):
        if not isinstance(level, str):
            numbers[k] = float(level)
    return numbers[column.codes]


def columns_in_order(schema: Schema, X: Any) -> Any:
    """Return the columns of X that a schema knows, in its order; those that X lacks are missing in every row.

    Where no column has a name of the schema, columns are known by their position.
    """
    frame, names = as_frame(X), [variable.name for variable in schema.columns]
    if frame is None or not set(names) & set(frame.columns):
        return X
    return as_frame(with_absent(X, names, names)).select(names).to_native()  # type: ignore[union-attr]
