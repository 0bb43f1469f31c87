"""Weights of levels and features, applied to the tables of a network: what they say of rows, and of families."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table

from .crossfit import FoldModel
from .family_cells import FamilyCells
from .folds import FloatArray
from .weights import MemberScores


@dataclass(frozen=True)
class Weighing:
    """The score of a class is bias + w_0 log P(c) + sum over features and levels of w_level u_feature log P(x | ...).

    Attributes
    ----------
    levels : array of shape (1 + levels,)
        w: of the class, then of each level.
    features : array of shape (1 + features,)
        u: of the class, then of each feature.
    bias : array of shape (classes,)
    """

    levels: FloatArray
    features: FloatArray
    bias: FloatArray

    def prior(self, log_prior: FloatArray) -> FloatArray:
        """Return what the class itself adds to the scores."""
        prior: FloatArray = self.bias + self.levels[0] * self.features[0] * log_prior
        return prior

    def feature_weights(self, families: FamilyCells) -> FloatArray:
        """Return the weight of each cell's feature."""
        features = [column for column in range(len(families.arities)) if column != families.target]
        of_family = [1 + features.index(family[0]) for family in families.families]
        return np.repeat(self.features[of_family], np.diff(families.first))

    def cell_weights(self, families: FamilyCells) -> FloatArray:
        """Return what each cell counts beside those of the levels before it; the deepest stands for all after it."""
        weights = self.feature_weights(families)
        for number, family in enumerate(families.families):
            for parents in range(len(family)):
                last = None if parents + 1 == len(family) else parents + 2
                weights[families.level(number, parents)] *= self.levels[1 + parents : last].sum()
        return weights

    def scores(self, table: Table, models: Sequence[FoldModel]) -> FloatArray:
        """Return the scores of all rows, each by the model that has not seen it."""
        scores = np.empty((table.n_rows, len(self.bias)))
        threads, zeros = thread_count(table.n_jobs), np.zeros(len(self.bias))
        for model in models:
            rows = table.take(model.rows)
            found = np.tile(self.prior(model.prior), (rows.n_rows, 1))
            tables = self.feature_weights(model.families)[:, None] * model.tables
            for level, weight in enumerate(self.levels[1:].tolist()):
                numbers, before = np.concatenate([[1.0], zeros, weight * tables.ravel()]), found
                found = np.empty_like(before)
                _core.cell_scores(before, model.families.cells(rows, level), None, numbers, found, threads)
            scores[model.rows] = found
        return scores


def level_sums(members: MemberScores, features: int) -> MemberScores:
    """Add up the scores of the features, level by level; the class comes first, as it does in the members.

    Examples
    --------
    >>> level_sums(np.arange(5.0, dtype=np.float32).reshape(5, 1, 1), 2).ravel()
    array([0., 3., 7.], dtype=float32)
    """
    sums = members[1:].reshape(-1, features, *members.shape[1:]).sum(axis=1, dtype=np.float64)
    return np.concatenate([members[:1], sums.astype(np.float32)])


def joined_levels(members: MemberScores, features: int, weights: FloatArray) -> MemberScores:
    """Add up the weighed scores of all levels for the class and each feature.

    Examples
    --------
    >>> joined_levels(np.arange(5.0, dtype=np.float32).reshape(5, 1, 1), 2, np.array([1.0, 1.0, 10.0])).ravel()
    array([ 0., 31., 42.], dtype=float32)
    """
    joined = np.empty((1 + features, *members.shape[1:]), dtype=np.float32)
    joined[0] = weights[0] * members[0]
    levels = members[1:].reshape(-1, features, *members.shape[1:])
    joined[1:] = np.float32(weights[1]) * levels[0]
    for level, weight in zip(levels[1:], weights[2:], strict=True):
        joined[1:] += np.float32(weight) * level
    return joined
