"""Tuning of the tables of one graph: what is chosen on some of the rows, and applied to all.

Weights of levels and features, applied to the tables of a network: what they say of rows, and of families.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf._native import _core
from bayleaf.counts import count
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Shrinkage

from .corrections import CellProblem, Correction, Part, follow
from .crossfit import Cells, FamilyCells, FoldModel, Learn, fold_models, log_prior, score_members
from .held_out import FloatArray, Target, class_codes, doubt_about
from .log_linear import MemberScores
from .stages import Corrections, Rows, correct, weigh_features, weigh_levels


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
        zeros = np.zeros(len(self.bias))
        for model in models:
            rows = table.take(model.rows)
            found = np.tile(self.prior(model.prior), (rows.n_rows, 1))
            tables = self.feature_weights(model.families)[:, None] * model.tables
            for level, weight in enumerate(self.levels[1:].tolist()):
                numbers, before = np.concatenate([[1.0], zeros, weight * tables.ravel()]), found
                found = np.empty_like(before)
                _core.cell_scores(
                    before, model.families.cells(rows, level), None, numbers, found, table.n_jobs
                )
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


# Cells with fewer rows are not corrected.
LEAST_ROWS = 3
# The penalty of corrections grows by this factor with each parent after the first.
PER_PARENT = 2.0
# More corrections than these are not learned.
MOST_CORRECTIONS = 5_000_000


@dataclass(frozen=True)
class Recipe:
    """What was chosen on some of the rows.

    Attributes
    ----------
    weighing : Weighing
    phases : tuple of (int, tuple of float)
        The levels whose cells are corrected, each with the strengths of the penalty to go through.
    held_out : ndarray of shape (rows, classes)
        Logarithms of the probabilities of these rows, by what was learned without them.
    """

    weighing: Weighing
    phases: tuple[tuple[int, tuple[float, ...]], ...]
    held_out: FloatArray


@dataclass(frozen=True)
class TuningProblem:
    """The rows with their graph, and networks that were learned without a fold of them."""

    table: Table
    dag: DAG
    target: Target
    families: FamilyCells
    models: list[FoldModel]
    learn: Learn

    @classmethod
    def of(cls, table: Table, dag: DAG, learn: Learn, folds: NDArray[np.uint8]) -> "TuningProblem":
        """Learn networks without each of the folds."""
        models = fold_models(table, learn, folds)
        return cls(table, dag, class_codes(table), FamilyCells.of(table, dag), models, learn)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.families.arities[self.families.target]

    @cached_property
    def doubt(self) -> FloatArray:
        """How much of a row's label is doubted, by class."""
        return doubt_about(self.target, self.classes, self.table.weights)

    @property
    def scores_per_row(self) -> int:
        """How many numbers `choose` holds of each row."""
        return (1 + (self.families.depth + 1) * len(self.table.features)) * self.classes

    @cached_property
    def levels(self) -> list["LevelCells"]:
        """The cells that can be corrected, by the number of parents that they know."""
        return [LevelCells.of(self.table, self.families, level) for level in range(self.families.depth + 1)]

    def choose(self, sample: NDArray[np.int64], parts: NDArray[np.uint8], max_iter: int) -> Recipe:
        """Choose weights and penalties on some of the rows, each of which is held out with its part."""
        part, features = self.table.take(sample), len(self.table.features)
        place = np.full(self.table.n_rows, -1)
        place[sample] = np.arange(len(sample))
        models = [replace(model, rows=_known(place[model.rows])) for model in self.models]
        rows = Rows(self.target[sample], part.weights, parts, self.doubt, self.table.n_jobs)
        members = score_members(part, models, range(self.families.depth + 1))
        stage, (*_, levels) = weigh_levels(level_sums(members, features), rows)
        members = joined_levels(members, features, levels.weights)
        stage, found, _ = weigh_features(members, rows, stage)
        weighing = Weighing(levels.weights, np.ones(1 + features), levels.bias)
        if found is not None:
            weighing = replace(weighing, features=found.weights, bias=found.bias)
        done, phases = Corrections.none(rows, self.classes), []
        # Parents are learned too: those that the rows of a part helped to choose would be too good for them.
        without = [self._families_without(part, parts == k) for k in range(rows.n_parts)]
        for level, chosen in enumerate(self.levels):
            if chosen.size and chosen.size * self.classes <= MOST_CORRECTIONS:
                own = [LevelCells.of(part, families, level) for families in without]
                cells, relative = [each.cells for each in own], [each.relative for each in own]
                stage, done, strengths = correct(stage, rows, done, cells, relative, max_iter)
                if strengths:
                    phases.append((level, strengths))
        return Recipe(weighing, tuple(phases), stage.held_out)

    def _families_without(self, table: Table, held_out: NDArray[np.bool_]) -> FamilyCells:
        """Return the families of the graph that the other rows of a table give."""
        others = table.take(~held_out)
        return FamilyCells.of(others, self.learn(others))

    def corrected(self, recipe: Recipe, max_iter: int) -> Correction:
        """Learn the corrections of a recipe from all rows; those of its phases lie one after the other."""
        correction, penalties, pull = Correction.none(self.classes), np.empty(0), None
        if not recipe.phases:
            return correction
        base = recipe.weighing.scores(self.table, self.models)
        cells = np.empty((0, self.table.n_rows), dtype=np.int32)
        nobody = np.zeros(self.table.n_rows, dtype=bool)
        for level, strengths in recipe.phases:
            chosen = self.levels[level]
            cells = np.concatenate([cells, np.where(chosen.cells < 0, -1, chosen.cells + len(penalties))])
            problem = CellProblem(
                base, cells.astype(np.int32), self.target, self.table.weights, self.table.n_jobs, self.doubt
            )
            relative = np.concatenate([np.zeros(len(penalties)), chosen.relative])
            fixed = np.concatenate([penalties, np.zeros(chosen.size)])
            part = Part.of(problem, nobody, relative, fixed, correction, pull)
            correction = follow(part, strengths, max_iter)
            penalties = fixed + strengths[-1] * relative
            pull = strengths[-1] if pull is None else pull
        return correction

    def family_scores(self, recipe: Recipe, correction: Correction) -> list[FloatArray]:
        """Return the tuned score of every state of every family: one axis per parent, then the node's own."""
        families, weighing = self.families, recipe.weighing
        tables = families.log_tables(self.table)
        added = np.zeros_like(tables)
        stop = 0
        for level, _ in recipe.phases:
            start, stop = stop, stop + self.levels[level].size
            added[self.levels[level].chosen] = correction.cells[start:stop]
        numbers = correction.scale * weighing.cell_weights(families)[:, None] * tables + added
        scores = self._apart_from_class()
        scores[families.target] = correction.scale * weighing.prior(log_prior(self.table)) + correction.bias
        for number, family in enumerate(families.families):
            total = np.zeros((families.arities[family[0]], self.classes))
            for parents in range(len(family)):
                shape = [families.arities[column] for column in (*family[parents:0:-1], family[0])]
                total = total + numbers[families.level(number, parents)].reshape(*shape, self.classes)
            total += self._common(number, tables, total)
            axes = [*family[:0:-1], family[0], families.target]
            wanted = [*self.dag.parent_indices[family[0]], family[0]]
            scores[family[0]] = np.transpose(total, [axes.index(column) for column in wanted])
        return scores

    def _common(self, number: int, tables: FloatArray, scores: FloatArray) -> FloatArray:
        """Return what to add to the scores of a family, the same for all classes, so that full rows do not change.

        It is chosen such that the states of the node have the shrunk probabilities given its parents, the class
        summed out: else weights and corrections would decide how probable a missing value is.
        """
        family = self.families.families[number]
        shrunk = tables[self.families.level(number, len(family) - 1)].reshape(scores.shape)
        counts = count(self.table, [[*family[:0:-1], self.families.target]])[0]
        prior = np.exp(log_prior(self.table))
        given = np.log((counts + prior) / (counts.sum(axis=-1, keepdims=True) + 1.0))[..., None, :]
        wanted = logsumexp(shrunk + given, axis=-1, keepdims=True)
        common: FloatArray = wanted - logsumexp(scores + given, axis=-1, keepdims=True)
        return common

    def _apart_from_class(self) -> list[FloatArray]:
        """Return the scores of nodes that are no children of the class, and empty arrays for the others."""
        tuned = {family[0] for family in self.families.families} | {self.families.target}
        if len(tuned) == self.table.n_variables:
            return [np.empty(0)] * len(tuned)
        return [np.log(part) for part in Shrinkage().fit(self.table, self.dag)]


@dataclass(frozen=True)
class LevelCells:
    """The cells of one level that can be corrected.

    Attributes
    ----------
    chosen : ndarray of int
        Their numbers among all cells.
    cells : int32 array of shape (families, rows)
        Their numbers among the chosen, of the families that reach the level; -1 for other cells.
    relative : array of shape (chosen,)
        What the strength of the penalty is multiplied by.
    """

    chosen: NDArray[np.int64]
    cells: Cells
    relative: FloatArray

    @classmethod
    def of(cls, table: Table, families: FamilyCells, level: int) -> "LevelCells":
        """Choose the cells that enough rows have."""
        reaching = [
            number
            for number, family in enumerate(families.families)
            if len(family) > level and families.arities[family[0]] > 1
        ]
        cells = families.cells(table, level)[reaching]
        known = cells >= 0
        weights = None if table.weights is None else np.broadcast_to(table.weights, cells.shape)[known]
        rows = np.bincount(cells[known], weights, minlength=families.n_cells)
        enough = np.zeros(families.n_cells, dtype=bool)
        for number in reaching:
            own = families.level(number, level)
            enough[own] = rows[own] >= LEAST_ROWS
        chosen = np.flatnonzero(enough)
        numbers = np.full(families.n_cells + 1, -1, dtype=np.int32)  # the last is for rows without a cell
        numbers[chosen] = np.arange(len(chosen))
        return cls(chosen, numbers[cells], np.full(len(chosen), PER_PARENT ** max(level - 1, 0)))

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.chosen)


def _known(places: NDArray[np.int64]) -> NDArray[np.int64]:
    return places[places >= 0]
