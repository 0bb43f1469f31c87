"""Tables that back off: each estimate is shrunk towards the one with a parent less, as left-out rows suggest."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from bayleaf._util.params import Needs, WithSettings, declared, number
from bayleaf.counts import Counts, family_counts
from bayleaf.counts.contingency import DECIMALS
from bayleaf.data import Table
from bayleaf.graph import DAG

from .closed_form import Tables

FloatArray = NDArray[np.float64]
# Imaginary rows that the estimate below may be worth.
STRENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0)


def check_strengths(owner: object, name: str, strengths: Sequence[float]) -> None:
    """Refuse anything but a list of numbers above zero."""
    given = np.asarray(strengths)
    if given.ndim != 1 or given.size == 0:
        raise TypeError(f"The 'strengths' parameter of Shrinkage must be a list of numbers. Got {given!r}.")
    for strength in given.tolist():
        number(above=0)(owner, name, strength)


class Shrinkage(WithSettings):
    """Shrink the table of each node level by level towards fewer parents, with strengths from leave-one-out.

    The parents of a node X are put in order: the class first, then the others by decreasing I(X; parent | C). Level 0
    uses no parent, level l the first l of them:

    - P_0(x) = (N(x) + 1/2) / (N + r/2) for r states;
    - P_l(x | pa_1 ... pa_l) = (N(x, pa_1 ... pa_l) + m_l P_{l-1}) / (N(pa_1 ... pa_l) + m_l).

    Each m_l is the strength that gives the rows their highest likelihood when each of them is left out of every count
    on its path, here and on the levels below. All rows of a cell have the same path, so that counts are all that is
    needed. A parent configuration without a row keeps the estimate of the level below, and so does a parent with one
    state only.

    Parameters
    ----------
    strengths : sequence of float, default=(1, 2, 4, ..., 128, 512)
        What m_l is chosen from; of equally good strengths the first.

    Notes
    -----
    Weights count as copies of rows: leaving out a row takes one from its cell, or all of a cell that weighs less.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0]] * 8 + [[1, 1]] * 8 + [[0, 1]], target=1)
    >>> Shrinkage().fit(table, DAG(table.names, [("class", "x")]))[0].round(3)
    array([[0.948, 0.052],
           [0.153, 0.847]])
    """

    needs: Needs = "counts"
    settings = declared(strengths=check_strengths)

    def __init__(self, strengths: Sequence[float] = STRENGTHS) -> None:
        self.strengths = strengths

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        return self.left_out(dag, family_counts(table, dag), table.target)[0]

    def left_out(
        self, dag: DAG, families: Sequence[Counts], target: int | None
    ) -> tuple[Tables, Tables, Tables]:
        """Return the tables for the counts of the families, and what they say of a row that is left out itself.

        The second tables are for the row's own class; the third are for the other classes, whose counts do not hold
        the row, but those of levels that do not know the class do.
        """
        found: tuple[list[FloatArray], ...] = ([], [], [])
        for node, (parents, counts) in enumerate(zip(dag.parent_indices, families, strict=True)):
            order = parent_order(counts, [parent == target for parent in parents])
            levels = levels_left_out(np.transpose(counts, [*order, len(parents)]), self.strengths)
            estimate, own, others = levels[-1]
            if node == target:
                others = estimate
            elif target not in parents:
                others = own
            axes = [*np.argsort(order), len(parents)]
            for into, values in zip(found, (estimate, own, others), strict=True):
                into.append(np.ascontiguousarray(np.transpose(values, axes)))
        tables, own_class, other_classes = map(tuple, found)
        return tables, own_class, other_classes


def parent_order(counts: Counts, is_class: Sequence[bool]) -> list[int]:
    """Return the axes of a family's parents in the order in which the levels take them up: the class first."""
    first = [axis for axis, it_is in enumerate(is_class) if it_is]
    others = [axis for axis, it_is in enumerate(is_class) if not it_is]
    information = {axis: _information(counts, axis, first) for axis in others}
    return first + sorted(others, key=lambda axis: -information[axis])


def levels_of_families(families: Sequence[Counts], strengths: Sequence[float]) -> list[list[FloatArray]]:
    """Return the estimates of all levels of each family; families of one shape are learned together."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    for place, counts in enumerate(families):
        shapes.setdefault(counts.shape, []).append(place)
    found: list[list[FloatArray]] = [[] for _ in families]
    for shape, same in shapes.items():
        together = max(MOST_CELLS // max(math.prod(shape), 1), 1)
        for first in range(0, len(same), together):
            some = same[first : first + together]
            levels = _stacked_levels(np.stack([families[place] for place in some]), strengths)
            for row, place in enumerate(some):
                found[place] = [estimate[row] for estimate, _, _ in levels]
    return found


def shrunk_levels(counts: Counts, strengths: Sequence[float]) -> list[FloatArray]:
    """Return the estimates of all levels: without a parent, with the first, with the first two, ..."""
    return [estimate for estimate, _, _ in levels_left_out(counts, strengths)]


def levels_left_out(
    counts: Counts, strengths: Sequence[float]
) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Return the estimates of all levels, each with what a row of a cell gets when it is left out itself.

    The third estimate is for a row of another state of the first parent: it is left out of the first level only.
    """
    return [
        (estimate[0], own[0], others[0]) for estimate, own, others in _stacked_levels(counts[None], strengths)
    ]


def _stacked_levels(
    counts: Counts, strengths: Sequence[float]
) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Return the same of several families of one shape, which the first axis numbers."""
    parents, states = counts.ndim - 2, counts.shape[-1]
    # The counts of each level, the parents that it does not know summed out.
    levels = [
        counts.sum(axis=tuple(range(1 + known, 1 + parents))).astype(np.float64)
        for known in range(parents + 1)
    ]
    estimate: FloatArray = (levels[0] + 0.5) / (levels[0].sum(axis=-1, keepdims=True) + states / 2)
    left_out = _left_out(levels[0], np.full(states, 0.5), states / 2)
    others = left_out
    found = [(estimate, left_out, others)]
    for cells in levels[1:]:
        if cells.shape[-2] == 1:  # a parent with one state carries no information
            estimate, left_out, others = (np.expand_dims(each, -2) for each in (estimate, left_out, others))
            found.append((estimate, left_out, others))
            continue
        # The level below knows a parent less: its estimates serve all states of that parent.
        below, below_left_out = np.expand_dims(estimate, -2), np.expand_dims(left_out, -2)
        m = _best_strengths(cells, below_left_out, strengths)
        left_out = _left_out(cells, m * below_left_out, m)
        total = cells.sum(axis=-1, keepdims=True) + m
        estimate = (cells + m * below) / total
        others = (cells + m * np.expand_dims(others, -2)) / total
        found.append((estimate, left_out, others))
    return found


# Cells of families that are learned at once.
MOST_CELLS = 2**16
# Logarithms that are held at once where strengths are compared.
MOST_LOGARITHMS = 2**20


def _best_strengths(cells: FloatArray, below: FloatArray, strengths: Sequence[float]) -> FloatArray:
    """Return the strength of each family that gives rows their highest likelihood, left out of their own cells."""
    at = np.nonzero(cells)
    rows, total = cells[at], np.broadcast_to(cells.sum(axis=-1, keepdims=True), cells.shape)[at]
    others, left, imaginary = (
        rows - np.minimum(rows, 1.0),
        total - np.minimum(rows, 1.0),
        below[_cells(at, below)],
    )
    together = max(MOST_LOGARITHMS // max(len(rows), 1), 1)
    # Where the cells of each family begin; a family without rows has no likelihood.
    sizes = np.bincount(at[0], minlength=len(cells))
    known = np.flatnonzero(sizes)
    first_cells = (np.cumsum(sizes) - sizes)[known]
    likelihoods = np.zeros((len(strengths), len(cells)))
    for first in range(0, len(strengths), together):
        m = np.array(strengths[first : first + together])[:, None]
        each = rows * np.log((others + m * imaginary) / (left + m))
        if len(known):
            likelihoods[first : first + together, known] = np.add.reduceat(each, first_cells, axis=1)
    best = np.argmax(np.round(likelihoods, DECIMALS), axis=0)
    chosen: FloatArray = np.asarray(strengths)[best].reshape(-1, *[1] * (cells.ndim - 1))
    return chosen


def _cells(at: tuple[NDArray[np.intp], ...], below: FloatArray) -> tuple[NDArray[np.intp] | int, ...]:
    """Return the same cells in the level below, which has one entry for all states of the last parent."""
    return tuple(
        index if size > 1 or axis == 0 else 0
        for axis, (index, size) in enumerate(zip(at, below.shape, strict=True))
    )


def _left_out(cells: FloatArray, imaginary: FloatArray, imaginary_total: FloatArray | float) -> FloatArray:
    """Return the probability that a row of each cell has when it is left out itself; 1 for cells without rows."""
    row = np.minimum(cells, 1.0)
    total = cells.sum(axis=-1, keepdims=True)
    probability = (cells - row + imaginary) / (total - row + imaginary_total)
    return np.where(cells > 0, probability, 1.0)


def _information(counts: Counts, axis: int, given: Sequence[int]) -> float:
    """I(X; parent), or I(X; parent | class) where the class is a parent too, from a family's counts."""
    kept = {*given, axis, counts.ndim - 1}
    joint = counts.sum(axis=tuple(set(range(counts.ndim)) - kept)).astype(np.float64)
    joint = np.moveaxis(joint, sum(other < axis for other in given), 0)  # parent first, the node last
    share = joint / max(joint.sum(), 1.0)
    context = share.sum(axis=(0, -1), keepdims=True)
    expected = share.sum(axis=0, keepdims=True) * share.sum(axis=-1, keepdims=True)
    expected = np.divide(expected, context, out=np.zeros(expected.shape), where=context > 0)
    return float(np.round(rel_entr(share, expected).sum(), DECIMALS))
