"""How a pool is learned: members, their weights, weights of the features, corrections; then all of it is added up."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.learn.tuning import PoolWeights, fit_pool_weights, log_softmax
from bayleaf.learn.tuning.held_out import rows_to_hide_from
from bayleaf.learn.tuning.stages import (
    Rows,
    Stage,
    add_scores,
    fit_feature_weights,
    fit_level_weights,
    refit_feature_weights,
)

from .additive import AdditiveScore, ScoreSum
from .class_tables import ClassTables, crossfit_class_tables
from .grids import FloatArray, FoldOrder, PoolRows
from .linear_members import FlatStart, GaussianNetwork, crossfit_flat_start, gaussian_networks
from .members import CYCLE, Information, Network, Plan, bins_for, crossfit, measure, plans
from .refining import Branch, choose_corrections, learn_corrections

# Of members or columns, rows and classes.
Scores = NDArray[np.float32]
# Folds for the scores of members, and parts in which steps are judged, more of them on few rows.
FOLDS = 5
PARTS = 3
PARTS_OF_FEW, FEW_ROWS = 5, 3000
# Up to this number of rows, tables of the class are a member among the others: the held-out scores of corrections
# are too optimistic there to weigh tables against. With more rows corrections find most of what the tables show, and
# the tables are added to what is left.
TABLES_FIRST = 1000
# What draws the weights of the features to 1, from strong to weak.
FEATURE_PENALTIES = (30.0, 3.0)
# Weights and choices are made on the first rows up to one number, corrections learned from those up to another.
MOST_TUNED = 25_000
MOST_SCORED = 100_000
# Of more rows some are taken to learn how much the networks count in rows with gaps.
MOST_CAUTIOUS = 5_000
# What draws their weights to those that they have in complete rows.
GAP_PENALTY = 1.0
# Steps of a fit besides the networks: Gaussian networks, flat start, weights, corrections, tables of the class.
OTHER_STEPS = 5


@dataclass(frozen=True)
class NetworksAlone:
    """The networks of a pool without the other members: their tables back off where a value is missing.

    Attributes
    ----------
    score : AdditiveScore
    held_out : ndarray of shape (rows, classes)
        Their scores of the first training rows, as `Learned.held_out`.
    with_gaps : RowsWithGaps
    """

    score: AdditiveScore
    held_out: FloatArray
    with_gaps: "RowsWithGaps"


@dataclass(frozen=True)
class RowsWithGaps:
    """Training rows of which values were hidden, as what was learned without them scores them.

    Attributes
    ----------
    scores : ndarray of shape (rows, classes)
    fine : ndarray of shape (rows, columns)
        Their codes, those of gaps among them.
    target : int32 array of shape (rows,)
    weights : float64 array of shape (rows,), optional
    """

    scores: FloatArray
    fine: NDArray[Any]
    target: NDArray[np.int32]
    weights: FloatArray | None


@dataclass(frozen=True)
class Learned:
    """What a pool has learned with one seed.

    Attributes
    ----------
    score : AdditiveScore
    held_out : ndarray of shape (rows, classes)
        Logarithms of the probabilities of the first training rows, by what was learned without them, except for the
        weights of the members, which are those of all rows.
    unseen : ndarray of shape (rows, classes)
        The same, up to FEW_ROWS rows also with weights of the members that were learned without the rows.
    networks : NetworksAlone or None
        Where they were asked for.
    """

    score: AdditiveScore
    held_out: FloatArray
    unseen: FloatArray
    networks: NetworksAlone | None


@dataclass(frozen=True)
class Members:
    """The members of a pool with their scores.

    Attributes
    ----------
    networks : list of Network
    plans : list of Plan
        Those of the networks.
    information : list of Information
        Without each fold, and of all rows.
    others : list of GaussianNetwork, FlatStart or ClassTables
    scores : float32 array of shape (1 + members, rows, classes)
        log P(c), then the scores of each row by each member, without the row's fold.
    features : list of float32 arrays of shape (columns, rows, classes)
        The scores of each network by column.
    """

    networks: list[Network]
    plans: list[Plan]
    information: list[Information]
    others: list[GaussianNetwork | FlatStart | ClassTables]
    scores: Scores
    features: list[Scores]

    def joined(self, weights: FloatArray, rows: int) -> Scores:
        """Add up weighted members for the first rows, [1 + column, row, class]; others than networks come first."""
        count = len(self.networks)
        columns = self.features[0].shape[0]
        joined = np.zeros((1 + columns, rows, self.scores.shape[2]), dtype=np.float32)
        joined[0] = weights[0] * self.scores[0, :rows]
        joined[0] += np.tensordot(weights[1 + count :], self.scores[1 + count :, :rows], 1)
        for own, weight in zip(self.features, weights[1 : 1 + count], strict=True):
            if weight > 0:
                joined[1:] += np.float32(weight) * own[:, :rows]
        return joined


def n_steps(cycles: int) -> int:
    """Return how many steps `learn` reports."""
    return 1 + len(CYCLE) * cycles + OTHER_STEPS


def learn_naive(rows: PoolRows) -> AdditiveScore:
    """Return the score of naive Bayes, for rows too few to tune by, or without anything to learn from."""
    score_sum = ScoreSum(rows)
    score_sum.add_bias(_log_prior(rows.class_weights))
    if rows.n_columns and rows.n_rows:
        grid = rows.columns.grid(bins_for(CYCLE[0][1], rows.n_rows))
        score_sum.add_network(Network(grid, ((),) * rows.n_columns), 1.0, np.ones(rows.n_columns))
    return score_sum.score()


def learn(
    rows: PoolRows, cycles: int, seed: int, advance: Callable[[str], None], *, with_networks: bool = True
) -> Learned:
    """Learn a pool from rows of at least two classes and one column.

    Parameters
    ----------
    rows : PoolRows
        In any order if there are more than are tuned by: the first are a sample then.
    cycles : int
        How often networks of one, two and three parents are learned.
    seed : int
        Of the folds, and of what is left to chance in networks and tables of the class.
    advance : callable
        Is told the name of each step that is done.
    with_networks : bool, default=True
        Whether the networks alone are weighed as well, for rows with gaps that were not seen in training.
    """
    scored = rows if rows.n_rows <= MOST_SCORED else rows.take(slice(MOST_SCORED))
    dealt = scored.dealt_out(FOLDS, seed + 1)
    folds = FoldOrder.of(dealt, int(dealt.max()) + 1)
    members = _members(rows, folds, cycles, seed, advance)
    sample = scored if scored.n_rows <= MOST_TUNED else scored.take(slice(MOST_TUNED))
    parts = Rows(
        sample.target,
        sample.weights,
        sample.dealt_out(PARTS_OF_FEW if sample.n_rows <= FEW_ROWS else PARTS, seed),
        sample.doubt,
        sample.n_jobs,
    )
    stage, (*without, weights) = fit_level_weights(_first(members.scores, sample.n_rows), parts)
    joined = members.joined(weights.weights, scored.n_rows)
    stage, features, penalty = fit_feature_weights(
        _first(joined, sample.n_rows), parts, stage, FEATURE_PENALTIES
    )
    optimistic = unseen = stage.held_out
    if features is None:
        features = PoolWeights(np.ones(len(joined)), weights.bias)
    elif sample.n_rows <= FEW_ROWS:  # few weights cannot fit the noise of more rows
        by_part = (members.joined(each.weights, sample.n_rows) for each in without)
        unseen = refit_feature_weights(by_part, parts, penalty)
    advance("weights")
    stage, phases = choose_corrections(sample, parts, stage)
    branch = learn_corrections(scored, features.scores(joined, rows.n_jobs), phases)
    advance("corrections")
    score_sum = _added_up(rows, members, weights.weights, features, branch)
    kept = 1.0
    if rows.n_rows > TABLES_FIRST:
        stage, kept = _with_class_tables(score_sum, stage, parts, rows, folds, seed)
        advance("tables of the class")
    unseen = log_softmax(stage.held_out + kept * (unseen - optimistic))
    alone = _networks_alone(rows, members, parts, folds) if with_networks else None
    return Learned(score_sum.score(), stage.held_out, unseen, alone)


def _with_class_tables(
    score_sum: ScoreSum, stage: Stage, parts: Rows, rows: PoolRows, folds: FoldOrder, seed: int
) -> tuple[Stage, float]:
    """Add tables of the class to the score, if that pays; also return the factor of all that it was before."""
    tables, said = crossfit_class_tables(rows, folds, seed)
    stage, found = add_scores(said[: len(parts.target)], parts, stage)
    if found is None:
        return stage, 1.0
    kept, weight = found.weights.tolist()
    score_sum.scale(kept)
    score_sum.add_bias(found.bias)
    if weight > 0:
        score_sum.add_class_tables(tables, weight)
    return stage, float(kept)


def _networks_alone(rows: PoolRows, members: Members, parts: Rows, folds: FoldOrder) -> NetworksAlone:
    """Weigh the networks without all else, for rows with gaps; return their score, and what they say of others."""
    scores = np.ascontiguousarray(members.scores[: 1 + len(members.networks), : len(parts.target)])
    stage, (*_, found) = fit_level_weights(scores, parts)
    found, with_gaps = _weighed_with_gaps(rows, members, folds, found)
    score_sum = ScoreSum(rows)
    score_sum.add_bias(found.bias + found.weights[0] * _log_prior(rows.class_weights))
    score_sum.add_networks(members.networks, found.weights[1:], np.ones(rows.n_columns))
    return NetworksAlone(score_sum.score(), log_softmax(stage.held_out), with_gaps)


def _weighed_with_gaps(
    rows: PoolRows, members: Members, folds: FoldOrder, weights: PoolWeights
) -> tuple[PoolWeights, RowsWithGaps]:
    """Weigh the networks by rows with hidden values, which each scores by what it learned without them.

    Where values are missing, networks of few parents are worth more. Rows with hidden values stand among the others
    as rows without weight: networks score them, and learn nothing from them. With very many rows, some are enough to
    learn these networks from. ``weights`` are those of complete rows.
    """
    if folds.n_rows > MOST_CAUTIOUS:
        chosen = np.linspace(0, folds.n_rows - 1, MOST_CAUTIOUS).astype(np.int64)
        rows, fold = rows.take(chosen), folds.fold[chosen]
    else:
        fold = folds.fold
        rows = rows if rows.n_rows == folds.n_rows else rows.take(slice(folds.n_rows))
    numbers, shares = rows_to_hide_from(rows.n_rows)
    hidden = rows.take(numbers)
    fine = np.array(hidden.fine)
    rows.gaps.hide(fine, shares)
    rows.gaps.as_missing(fine)
    counted = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    both = replace(
        rows,
        fine=np.asfortranarray(np.concatenate([rows.fine, fine])),
        target=np.concatenate([rows.target, hidden.target]),
        weights=np.concatenate([counted, np.zeros(len(numbers))]),
    )
    in_folds = FoldOrder.of(np.concatenate([fold, fold[numbers]]), len(folds))
    scores = [_held_out_prior(both, in_folds)[rows.n_rows :]]
    for plan in members.plans:
        _, said = crossfit(plan, both, in_folds, members.information)
        scores.append(said[:, rows.n_rows :].sum(axis=0, dtype=np.float64))
    stacked = np.stack([(own - own.max(axis=1, keepdims=True)).astype(np.float32) for own in scores])
    each = np.ones(len(numbers)) if hidden.weights is None else hidden.weights
    found = fit_pool_weights(
        stacked,
        hidden.target,
        weights.weights,
        penalty=GAP_PENALTY,
        sample_weight=each * min(rows.n_rows / len(numbers), 1.0),  # a row that is taken several times is one
        doubt=rows.doubt,
        start=weights,
        n_jobs=rows.n_jobs,
    )
    return found, RowsWithGaps(found.scores(stacked, rows.n_jobs), fine, hidden.target, hidden.weights)


def _added_up(
    rows: PoolRows, members: Members, weights: FloatArray, features: PoolWeights, branch: Branch
) -> ScoreSum:
    """Add up members and corrections."""
    score_sum, count = ScoreSum(rows), len(members.networks)
    rest = features.weights[0]  # the weight of all that is not a network
    score_sum.add_bias(features.bias + rest * weights[0] * _log_prior(rows.class_weights))
    score_sum.add_networks(members.networks, weights[1 : 1 + count], features.weights[1:])
    for other, weight in zip(members.others, (rest * weights[1 + count :]).tolist(), strict=True):
        if weight == 0:
            continue
        if isinstance(other, FlatStart):
            score_sum.add_flat_start(other, weight)
        elif isinstance(other, ClassTables):
            score_sum.add_class_tables(other, weight)
        else:
            score_sum.add_gaussian(other, weight)
    score_sum.add_corrections(branch)
    return score_sum


def _members(
    rows: PoolRows, folds: FoldOrder, cycles: int, seed: int, advance: Callable[[str], None]
) -> Members:
    """Learn the members from all rows, and let them score those of the folds."""
    information = measure(rows, folds)
    scores = [_held_out_prior(rows, folds)]
    networks, features = [], []
    made = plans(rows.n_columns, rows.n_rows, cycles, np.random.default_rng(seed))
    for plan in made:
        network, own = crossfit(plan, rows, folds, information)
        networks.append(network)
        features.append(own)
        scores.append(own.sum(axis=0, dtype=np.float64))
        advance("networks")
    others: list[GaussianNetwork | FlatStart | ClassTables] = []
    for gaussian, said in gaussian_networks(rows, folds):
        others.append(gaussian)
        scores.append(said)
    advance("Gaussian networks")
    flat, said = crossfit_flat_start(rows, folds)
    others.append(flat)
    scores.append(said)
    advance("flat start")
    if rows.n_rows <= TABLES_FIRST:
        tables, said = crossfit_class_tables(rows, folds, seed)
        others.append(tables)
        scores.append(said)
        advance("tables of the class")
    # What all classes share decides nothing, and may be large: it would cost the digits of single precision.
    stacked = np.stack([(own - own.max(axis=1, keepdims=True)).astype(np.float32) for own in scores])
    return Members(networks, made, information, others, stacked, features)


def _first(scores: Scores, rows: int) -> Scores:
    return scores if scores.shape[1] == rows else np.ascontiguousarray(scores[:, :rows])


def _held_out_prior(rows: PoolRows, folds: FoldOrder) -> FloatArray:
    """Return log P(c) for each row, by the rows outside its fold."""
    prior = np.empty((folds.n_rows, rows.classes))
    for k in range(len(folds)):
        own = folds.rows(k)
        weights = None if rows.weights is None else rows.weights[own]
        left_out = np.bincount(rows.target[own], weights, minlength=rows.classes)
        prior[own] = _log_prior(rows.class_weights - left_out)
    return prior


def _log_prior(weights: FloatArray) -> FloatArray:
    prior: FloatArray = np.log((weights + 1) / (weights.sum() + len(weights)))
    return prior
