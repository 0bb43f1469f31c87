"""Scores out of sample: what networks say of each row that learned graph and tables from the other folds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.counts import count
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters.shrinkage import STRENGTHS

from .family_cells import FamilyCells
from .folds import FloatArray


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
    >>> from bayleaf.structure import NaiveBayes
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
            threads = thread_count(table.n_jobs)
            _core.scores_of_cells(cells, members, model.rows, model.tables, scores, threads)
    return scores


def cross_fit(
    table: Table, learn: Learn, fold: NDArray[np.uint8], strengths: Sequence[float] = STRENGTHS
) -> NDArray[np.float32]:
    """Score every row by a graph and shrunk tables that were learned from the other folds.

    Parameters and result are those of `fold_models` and `score_members`, with all parents.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> from bayleaf.structure import NaiveBayes
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1]] * 4, target=1)
    >>> learn = lambda rows: NaiveBayes().learn(rows, np.random.default_rng(0))
    >>> scores = cross_fit(table, learn, np.repeat(np.arange(4, dtype=np.uint8), 2))
    >>> scores.shape, (scores.sum(axis=0).argmax(axis=1) == table.codes[:, 1]).all()
    ((2, 8, 2), np.True_)
    """
    return score_members(table, fold_models(table, learn, fold, strengths))
