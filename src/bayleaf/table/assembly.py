"""Putting encoded columns together, each narrowed to its final width as soon as it is known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .table import Codes, Table
from .variable import Variable

BYTE_MISSING, WIDE_MISSING = 255, 65535


class CodeBuffer:
    """Codes of a table under construction: one byte per value, two where a column has more than 255 states."""

    def __init__(self, rows: int, columns: int) -> None:
        self._bytes = np.empty((rows, columns), dtype=np.uint8, order="F")
        self._wide: dict[int, NDArray[np.uint16]] = {}

    def put(self, j: int, codes: NDArray[np.int64], arity: int) -> None:
        """Store a column of codes in which -1 means missing."""
        if arity <= BYTE_MISSING:
            self._bytes[:, j] = codes  # -1 becomes 255
        else:
            self._wide[j] = codes.astype(np.uint16)  # -1 becomes 65535

    def codes(self) -> Codes:
        """Return all columns in the narrowest type that holds them."""
        if not self._wide:
            return self._bytes
        wide = self._bytes.astype(np.uint16, order="F")
        wide[wide == BYTE_MISSING] = WIDE_MISSING
        for j, column in self._wide.items():
            wide[:, j] = column
        return wide


def assemble(
    variables: tuple[Variable, ...],
    columns: Sequence[NDArray[np.int64]],
    weights: NDArray[np.float64] | None,
    n_jobs: int | None,
    target: int | None = None,
) -> Table:
    """Put encoded columns (-1 for missing) together as a table.

    Examples
    --------
    >>> assemble((Variable("x", ("a", "b")),), [np.array([1, -1])], None, 1).codes.ravel()
    array([  1, 255], dtype=uint8)
    """
    buffer = CodeBuffer(len(columns[0]), len(variables))
    for j, (variable, codes) in enumerate(zip(variables, columns, strict=True)):
        buffer.put(j, codes, variable.arity)
    return Table(variables, buffer.codes(), weights, target, n_jobs)
