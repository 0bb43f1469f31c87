"""A short text that tells whether data are still the same."""

import hashlib
from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bayleaf.table.columns import declared_categories


def data_digest(X: Any, y: Any) -> str:
    """Digest of features and target: names and types of the columns, and every value.

    Frames of another library with the same types and values, and another index, make no difference.

    Examples
    --------
    >>> import polars as pl
    >>> X, y = pl.DataFrame({"size": [1.0, 2.0]}), ["small", "big"]
    >>> data_digest(X, y) == data_digest(X.clone(), np.array(y))
    True
    >>> data_digest(X, y) == data_digest(X.rename({"size": "weight"}), y)
    False
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in (X, y):
        for piece in _pieces(part):
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
    return digest.hexdigest()


def _pieces(part: Any) -> Iterable[Any]:
    """All that makes up a frame, a series, an array, a sparse matrix or a list, as bytes."""
    if issparse(part):
        rows = part.tocsr()
        yield str(rows.shape).encode()
        for array in (rows.data, rows.indices, rows.indptr):
            yield from _array_pieces(array)
        return
    frame = nw.from_native(part, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        for column in frame.iter_columns():
            yield from _column_pieces(column)
    elif isinstance(frame, nw.Series):
        yield from _column_pieces(frame)
    else:
        yield from _array_pieces(_as_array(part))


def _as_array(part: Any) -> NDArray[Any]:
    try:
        return np.asarray(part)
    except ValueError:  # rows of different lengths, which some estimators take
        return np.asarray(part, dtype=object)


def _column_pieces(column: Any) -> Iterable[Any]:
    yield f"{column.name} {column.dtype}".encode()
    yield _text(list(declared_categories(column) or ()))
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        yield from _array_pieces(column.to_numpy())
    else:
        yield np.packbits(column.is_null().to_numpy()).tobytes()
        yield _text(column.drop_nulls().to_list())


def _array_pieces(array: NDArray[Any]) -> Iterable[Any]:
    yield f"{array.dtype.str} {array.shape}".encode()
    yield _text(array.ravel().tolist()) if array.dtype.hasobject else np.ascontiguousarray(array).tobytes()


def _text(values: list[Any]) -> bytes:
    # The lengths keep ("ab", "c") and ("a", "bc") apart.
    words = [value if isinstance(value, str) else repr(value) for value in values]
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    return lengths.tobytes() + "".join(words).encode(errors="surrogatepass")


__all__ = ["data_digest"]
