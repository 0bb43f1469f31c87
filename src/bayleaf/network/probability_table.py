"""A conditional probability table that prints with the names of its node, its parents and their states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import make_frame
from bayleaf.data import Variable

MOST_LINES = 40


class ProbabilityTable(np.ndarray):
    """An array of probabilities: axes are the parents, then the node; sums, parts and products are plain arrays."""

    _variables: tuple[Variable, ...] | None = None

    @classmethod
    def of(cls, values: NDArray[np.float64], variables: Sequence[Variable]) -> ProbabilityTable:
        """Return a view of the values of a table, which knows the variables of its axes."""
        table = values.view(cls)
        table._variables = tuple(variables)
        return table

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()

    def __str__(self) -> str:
        return str(np.asarray(self)) if self._variables is None else repr(self)

    def __repr__(self) -> str:
        if self._variables is None:
            return repr(np.asarray(self))
        texts = [list(map(str, cells)) for cells in self._lines()]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        parents = len(self._variables) - 1
        lines = [self._title()]
        for cells in texts:
            filled = [
                cell.ljust(width) if place < parents else cell.rjust(width + (place > 0))
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ]
            lines.append(" ".join(filled).rstrip())
        return "\n".join([*lines, *self._left_out()])

    def _repr_html_(self) -> str:
        if self._variables is None:
            return f"<pre>{escape(repr(self))}</pre>"
        cells = [[escape(str(cell)) for cell in line] for line in self._lines()]
        head = "".join(f"<th>{name}</th>" for name in cells[0])
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in cells[1:])
        notes = "".join(f"<p>{note}</p>" for note in self._left_out())
        return f"<table><caption>{escape(self._title())}</caption><tr>{head}</tr>{body}</table>{notes}"

    def _title(self) -> str:
        *parents, node = (variable.name for variable in self._variables or ())
        return f"P({node} | {', '.join(parents)})" if parents else f"P({node})"

    def _lines(self) -> Iterable[Sequence[object]]:
        """Yield the names of the columns, then a line for each configuration of the parents."""
        assert self._variables is not None
        *parents, node = self._variables
        yield [*(parent.name for parent in parents), *node.states]
        rows = np.asarray(self).reshape(-1, self.shape[-1])
        states = product(*(parent.states for parent in parents))
        for values, given in islice(zip(rows, states, strict=True), MOST_LINES):
            yield [*given, *(f"{value:.4f}" for value in values)]

    def _left_out(self) -> list[str]:
        more = self.size // self.shape[-1] - MOST_LINES
        return [f"... and {more:,} more lines"] if more > 0 else []

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a DataFrame: a line per configuration of the parents, a column per state."""
        assert self._variables is not None
        *parents, node = self._variables
        lines = list(product(*(parent.states for parent in parents)))
        columns: dict[str, list[Any]] = {
            parent.name: [line[k] for line in lines] for k, parent in enumerate(parents)
        }
        entries = np.asarray(self).reshape(-1, self.shape[-1])
        for state, column in zip(node.states, entries.T, strict=True):
            name = str(state)
            while name in columns:  # a parent, or the text of another state, may have this very name
                name += "_"
            columns[name] = column.tolist()
        return make_frame(columns, backend)
