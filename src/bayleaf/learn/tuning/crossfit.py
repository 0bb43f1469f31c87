"""Scores out of sample: what networks say of each row that learned graph and tables from the other folds.

The cells of families: which entry of a node's table, on which level of back-off, tells of a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.counts import count
from bayleaf.counts.contingency import MAX_CELLS
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.parameters.shrinkage import STRENGTHS, parent_order, shrunk_levels

from .held_out import FloatArray

Cells = NDArray[np.int32]


@dataclass(frozen=True)
class FamilyCells:
    """The families that tell of the class, and the numbers of the cells of their tables.

    A family is a node and its parents but the class, in the order in which they are taken up by `Shrinkage`. Its
    cells are those of all levels, without a parent, with the first, with the first two, ..., so that a row with a
    missing parent finds one on the level below. Cells are numbered through all families.

    Attributes
    ----------
    families : tuple of tuples of int
        Columns of the table: the node first.
    arities : tuple of int
        States of all columns of the table.
    target : int
        The column of the class.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 1, 0], [1, 1, 0], [1, -1, 1], [-1, 0, 1]], target=2)
    >>> families = FamilyCells(((0, 1), (1,)), (2, 2, 2), 2)
    >>> families.cells(table).tolist()
    [[4, 5, 1, -1], [7, 7, -1, 6]]
    """

    families: tuple[tuple[int, ...], ...]
    arities: tuple[int, ...]
    target: int

    @classmethod
    def of(cls, table: Table, dag: DAG) -> "FamilyCells":
        """Return the families of the children of a table's class, each with its parents in order."""
        assert table.target is not None
        parents_of = dag.parent_indices
        children = [node for node, parents in enumerate(parents_of) if table.target in parents]
        families = []
        for node in children:
            parents = [table.target, *(parent for parent in parents_of[node] if parent != table.target)]
            if len(parents) > 2:
                counts = count(table, [[*parents, node]])[0]
                order = parent_order(counts, [parent == table.target for parent in parents])
                parents = [parents[axis] for axis in order]
            families.append((node, *parents[1:]))
        return cls(tuple(families), tuple(int(arity) for arity in table.arities), table.target)

    @cached_property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """The number of cells on each level of each family."""
        return tuple(
            tuple(accumulate((self.arities[column] for column in family), lambda size, arity: size * arity))
            for family in self.families
        )

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The number of each family's first cell, and of all cells."""
        first = np.array([0, *accumulate(sum(levels) for levels in self.sizes)], dtype=np.int64)
        if first[-1] >= MAX_CELLS:
            raise ValueError(
                f"The tables of this graph have {first[-1]:,} cells in all, more than {MAX_CELLS:,}: use fewer "
                "parents or fewer states."
            )
        return first

    @property
    def n_cells(self) -> int:
        """The number of cells of all families and levels."""
        return int(self.first[-1])

    def level(self, family: int, parents: int) -> slice:
        """Return where the cells of a family are that know so many of its parents."""
        start = int(self.first[family]) + sum(self.sizes[family][:parents])
        return slice(start, start + self.sizes[family][parents])

    @property
    def depth(self) -> int:
        """The most parents of a node, the class left aside."""
        return max((len(family) - 1 for family in self.families), default=0)

    def cells(self, table: Table, most_parents: int | None = None) -> Cells:
        """Return the cell of each row, [family, row]; -1 where the node is missing.

        It is one of the deepest level of which the row has all parents, and that has no more parents than said.
        """
        most = self.depth if most_parents is None else most_parents
        out = np.empty((len(self.families), table.n_rows), dtype=np.int32)
        columns = np.array([column for family in self.families for column in family], dtype=np.int64)
        offsets = np.array([0, *accumulate(map(len, self.families))], dtype=np.int64)
        arities = np.array(self.arities, dtype=np.int64)
        _core.family_cells(table.codes, columns, offsets, self.first[:-1], arities, most, out, table.n_jobs)
        return out

    def log_tables(self, table: Table, strengths: Sequence[float] = STRENGTHS) -> FloatArray:
        """Return the logarithm of the shrunk estimate of every cell and class, from the counts of a table's rows.

        A state that no row has says nothing: all classes get zero.
        """
        classes = self.arities[self.target]
        tables = np.empty((self.n_cells, classes))
        counted = count(table, [[self.target, *family[1:], family[0]] for family in self.families])
        for counts, start in zip(counted, self.first.tolist(), strict=False):
            unseen = counts.sum(axis=tuple(range(counts.ndim - 1))) == 0
            stop = start
            for level in shrunk_levels(counts, strengths)[1:]:  # all that know the class
                logarithms = np.log(level)
                logarithms[..., unseen] = 0.0
                axes = [*range(1, level.ndim - 1)][
                    ::-1
                ]  # cells of the first parent lie nearest to each other
                arranged = np.transpose(logarithms, [*axes, level.ndim - 1, 0]).reshape(-1, classes)
                start, stop = stop, stop + len(arranged)
                tables[start:stop] = arranged
        return tables


def log_prior(table: Table) -> FloatArray:
    """Return log (N_c + 1) / (N + classes) for each class.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("class", ("0", "1")),), [[0], [0], [1]], target=0)
    >>> np.exp(log_prior(table))
    array([0.6, 0.4])
    """
    assert table.target is not None
    counts = count(table, [[table.target]])[0]
    prior: FloatArray = np.log((counts + 1.0) / (counts.sum() + len(counts)))
    return prior


Learn = Callable[[Table], DAG]


@dataclass(frozen=True)
class FoldModel:
    """A graph with shrunk tables, learned without one of the folds.

    Attributes
    ----------
    rows : ndarray of int
        The rows of the fold, which it has not seen.
    families : FamilyCells
    tables : ndarray of shape (cells, classes)
        Logarithms of the estimates.
    prior : ndarray of shape (classes,)
        Logarithms of the class probabilities.
    """

    rows: NDArray[np.int64]
    families: FamilyCells
    tables: FloatArray
    prior: FloatArray


def fold_models(
    table: Table, learn: Learn, fold: NDArray[np.uint8], strengths: Sequence[float] = STRENGTHS
) -> list[FoldModel]:
    """Learn a network without each of the folds.

    Parameters
    ----------
    table : Table
        With a class that every row has.
    learn : callable
        Returns the graph for a table of some of the rows.
    fold : ndarray of shape (rows,)
        The fold of each row.
    strengths : sequence of float
        As `Shrinkage` has it.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> from bayleaf.learn.structure import NaiveBayes
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1], [1, 0], [0, 1]], target=1)
    >>> learn = lambda rows: NaiveBayes().learn(rows, np.random.default_rng(0))
    >>> [model.rows.tolist() for model in fold_models(table, learn, np.array([0, 0, 1, 1], dtype=np.uint8))]
    [[0, 1], [2, 3]]
    """
    models = []
    for k in np.unique(fold):
        others = table.take(fold != k)
        families = FamilyCells.of(others, learn(others))
        tables = families.log_tables(others, strengths)
        models.append(FoldModel(np.flatnonzero(fold == k), families, tables, log_prior(others)))
    return models


def score_members(
    table: Table, models: Sequence[FoldModel], levels: Sequence[int | None] = (None,)
) -> NDArray[np.float32]:
    """Score every row by the network that has not seen it.

    Parameters
    ----------
    table : Table
        The rows that the models were learned from.
    models : sequence of FoldModel
    levels : sequence of int or None
        The most parents that are looked at; None for all.

    Returns
    -------
    float32 array of shape (1 + levels * features, rows, classes)
        log P(c), then log P(x | parents, c) of every feature in the order of the columns, one level after the other.
        A missing value says nothing, and neither does a feature that is no child of the class; a missing parent is
        left out with those after it.
    """
    assert table.target is not None
    features, classes = table.features, int(table.arities[table.target])
    place = {column: number for number, column in enumerate(features, start=1)}
    scores = np.zeros((1 + len(levels) * len(features), table.n_rows, classes), dtype=np.float32)
    for model in models:
        held_out = table.take(model.rows)
        scores[0, model.rows] = model.prior
        own = np.array([place[family[0]] for family in model.families.families], dtype=np.int64)
        for number, level in enumerate(levels):
            cells, members = model.families.cells(held_out, level), own + number * len(features)
            _core.scores_of_cells(cells, members, model.rows, model.tables, scores, table.n_jobs)
    return scores


def cross_fit(
    table: Table, learn: Learn, fold: NDArray[np.uint8], strengths: Sequence[float] = STRENGTHS
) -> NDArray[np.float32]:
    """Score every row by a graph and shrunk tables that were learned from the other folds.

    Parameters and result are those of `fold_models` and `score_members`, with all parents.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> from bayleaf.learn.structure import NaiveBayes
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1]] * 4, target=1)
    >>> learn = lambda rows: NaiveBayes().learn(rows, np.random.default_rng(0))
    >>> scores = cross_fit(table, learn, np.repeat(np.arange(4, dtype=np.uint8), 2))
    >>> scores.shape, (scores.sum(axis=0).argmax(axis=1) == table.codes[:, 1]).all()
    ((2, 8, 2), np.True_)
    """
    return score_members(table, fold_models(table, learn, fold, strengths))
