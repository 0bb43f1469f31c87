"""An exact search as the kernels see it: which columns take part, in which order, under which limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from bayleaf.graph import DAG
from bayleaf.scores import LogLikelihood, SetForm
from bayleaf.table import Table

Arc = tuple[str, str]


@dataclass(frozen=True)
class Limits:
    """What the graph must look like.

    Parameters
    ----------
    augmented : bool
        Whether the class is a parent of every feature and has none itself.
    max_parents : int, optional
        Most parents of a node, the class included.
    required, forbidden : tuples of (parent, child)
    """

    augmented: bool = False
    max_parents: int | None = None
    required: tuple[Arc, ...] = ()
    forbidden: tuple[Arc, ...] = ()


@dataclass(frozen=True)
class Problem:
    """A checked search problem.

    Parameters
    ----------
    table : Table
        Complete rows only.
    columns : tuple of int
        Columns that the search arranges; bit i of a set of variables stands for ``columns[i]``. Those with few
        states come first: the kernel handles the first ones together.
    given : tuple of int
        Columns that belong to every parent set: the class, in an augmented search.
    required, forbidden : ndarray of int64
        For each of ``columns`` the bit mask of parents it must and must not have.
    largest_set : int
        Most variables of ``columns`` in a family.
    """

    table: Table
    columns: tuple[int, ...]
    given: tuple[int, ...]
    required: NDArray[np.int64]
    forbidden: NDArray[np.int64]
    largest_set: int

    @property
    def whole_weights(self) -> bool:
        """Whether rows can be counted by whole numbers."""
        weights = self.table.weights
        return weights is None or bool((weights == np.rint(weights)).all() and weights.sum() < 2**31)

    @property
    def n_sets(self) -> int:
        """How many sets of variables have to be counted, before pruning."""
        n = len(self.columns)
        return sum(comb(n, size) for size in range(min(n, self.largest_set) + 1))

    def most_configurations(self, form: SetForm) -> float:
        """Return the number of configurations beyond which no set can belong to the best network.

        A family's likelihood is at most zero, so a score with a price per parameter cannot beat the smallest allowed
        parents of the node once the parameters alone cost more than those score.
        """
        price = form.joint.penalty
        if price <= 0 or not self.columns:
            return np.inf
        base = [(j, (*self.given, *self._members(self.required[i]))) for i, j in enumerate(self.columns)]
        likelihoods = LogLikelihood().families(self.table, base)
        most = 0.0
        for (node, parents), likelihood in zip(base, likelihoods, strict=True):
            arity = float(self.table.arities[node])
            configurations = float(np.prod(self.table.arities[list(parents)].astype(float)))
            if arity == 1:  # more parameters of this variable cost nothing
                return np.inf
            most = max(most, arity * (configurations - likelihood / (price * (arity - 1.0))))
        return most * (1 + 1e-9)

    def parents(self, masks: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """Translate bit masks into parents of every column of the table."""
        result: list[tuple[int, ...]] = [()] * self.table.n_variables
        for j in range(self.table.n_variables):
            if j not in self.given:
                result[j] = self.given
        for column, mask in zip(self.columns, masks, strict=True):
            result[column] = tuple(sorted((*self.given, *self._members(int(mask)))))
        return result

    def _members(self, mask: int) -> tuple[int, ...]:
        return tuple(column for i, column in enumerate(self.columns) if int(mask) >> i & 1)


def make_problem(table: Table, limits: Limits) -> Problem:
    """Check the limits against the table and arrange the columns for the kernels.

    Variables of one state take no part: they neither need parents nor help as one.
    """
    target = _check_class(table, limits)
    required = _check_arcs(table, limits.required, "required")
    forbidden = _check_arcs(table, limits.forbidden, "forbidden")
    _check_possible(table, limits, required, forbidden, target)
    columns = [j for j in _taking_part(table, limits) if j != target]
    columns.sort(key=lambda j: (int(table.arities[j]), j))
    position = {column: i for i, column in enumerate(columns)}
    slots = len(columns) if limits.max_parents is None else limits.max_parents - (target is not None)
    return Problem(
        rows_searched(table, limits),
        tuple(columns),
        () if target is None else (target,),
        _masks(required, position),
        _masks(forbidden, position),
        min(len(columns), slots + 1),
    )


def rows_searched(table: Table, limits: Limits) -> Table:
    """Return the rows without a missing value in any variable that takes part in a search.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> variables = (Variable("a", ("0", "1")), Variable("constant", ("0",)))
    >>> rows_searched(Table.from_codes(variables, [[0, 0], [-1, 0], [1, -1]]), Limits()).n_rows
    2
    """
    with_holes = [j for j in _taking_part(table, limits) if table.has_missing[j]]
    complete = (table.codes[:, with_holes] != table.missing_code).all(axis=1)
    if table.n_rows and not complete.any():
        raise ValueError(
            f"Exact search needs rows without missing values: each of the {table.n_rows} rows has one. Use "
            "missing='impute', or leave columns out."
        )
    return table if complete.all() else table.take(complete)


def _taking_part(table: Table, limits: Limits) -> list[int]:
    bound = {name for arc in limits.required for name in arc}
    return [
        j
        for j, name in enumerate(table.names)
        if table.arities[j] > 1 or name in bound or (limits.augmented and j == table.target)
    ]


def _check_class(table: Table, limits: Limits) -> int | None:
    if not limits.augmented:
        return None
    if table.target is None:
        raise ValueError("Exact search with augmented=True needs a class: the table has no target column.")
    return table.target


def _check_arcs(table: Table, arcs: Iterable[Arc], what: str) -> list[tuple[int, int]]:
    pairs = []
    for parent, child in arcs:
        for name in (parent, child):
            if name not in table.names:
                raise ValueError(
                    f"The {what} arc '{parent}' -> '{child}' names '{name}', which is no variable."
                )
        if parent == child:
            raise ValueError(f"The {what} arc '{parent}' -> '{child}' is a loop.")
        pairs.append((table.names.index(parent), table.names.index(child)))
    return pairs


def _check_possible(
    table: Table,
    limits: Limits,
    required: Sequence[tuple[int, int]],
    forbidden: Sequence[tuple[int, int]],
    target: int | None,
) -> None:
    names = table.names
    both = set(required) & set(forbidden)
    if target is not None:
        both |= {arc for arc in forbidden if arc[0] == target} | {arc for arc in required if arc[1] == target}
    if both:
        parent, child = sorted(both)[0]
        why = "it is required" if target not in (parent, child) else "the class is a parent of every feature"
        raise ValueError(
            f"No graph obeys the arcs: '{names[parent]}' -> '{names[child]}' is forbidden, and {why}."
            if (parent, child) in forbidden
            else f"No graph obeys the arcs: '{names[parent]}' -> '{names[child]}' would give the class a parent, "
            "which an augmented search excludes."
        )
    try:
        dag = DAG(names, limits.required)
    except ValueError as error:
        raise ValueError(f"No graph has all required arcs. {error}") from error
    for node, parents in enumerate(dag.parent_indices):
        needed = set(parents) | ({target} if target not in (None, node) else set())
        if limits.max_parents is not None and len(needed) > limits.max_parents:
            raise ValueError(
                f"No graph obeys the limits: '{names[node]}' must have {len(needed)} parents and may have "
                f"max_parents={limits.max_parents}."
            )


def _masks(arcs: Sequence[tuple[int, int]], position: dict[int, int]) -> NDArray[np.int64]:
    masks = np.zeros(len(position), dtype=np.int64)
    for parent, child in arcs:
        if parent in position and child in position:
            masks[position[child]] |= 1 << position[parent]
    return masks
