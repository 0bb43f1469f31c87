"""How a pool is learned: members, their weights, weights of the features, corrections; then all of it is added up."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayleaf.tuning import stratified_folds
from bayleaf.tuning.stages import Rows, Stage, weigh_features, weigh_levels

from .additive import AdditiveScore
from .collapse import Collapse
from .flat_start import FlatStart, crossfit_flat_start
from .gaussians import GaussianNetwork, gaussian_networks
from .grids import FloatArray, IntArray
from .networks import CYCLE, Network, bins_for, crossfit, measure, plans
from .refining import refine
from .rows import FoldOrder, PoolRows

# Folds for the scores of members, and parts in which steps are judged.
FOLDS = 5
PARTS = 3
# What draws the weights of the features to 1, from strong to weak.
FEATURE_PENALTIES = (30.0, 3.0)
# Steps of a fit beside the networks: Gaussian networks, flat start, weights, corrections.
OTHER_STEPS = 4


@dataclass(frozen=True)
class Learned:
    """What a pool has learned with one seed.

    Attributes
    ----------
    score : AdditiveScore
    held_out : ndarray of shape (rows, classes)
        Logarithms of the probabilities of training rows, by what was learned without them.
    rows : ndarray of int or None
        The numbers of these rows; None for all.
    """

    score: AdditiveScore
    held_out: FloatArray
    rows: IntArray | None


@dataclass(frozen=True)
class Members:
    """The members of a pool with their scores.

    Attributes
    ----------
    networks : list of Network
    others : list of GaussianNetwork or FlatStart
    scores : float32 array of shape (1 + members, rows, classes)
        log P(c), then what each member says of each row, whose fold it has not seen.
    features : list of float32 arrays of shape (columns, rows, classes)
        Of each network what each column says.
    """

    networks: list[Network]
    others: list[GaussianNetwork | FlatStart]
    scores: np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
    features: list[np.ndarray[tuple[int, int, int], np.dtype[np.float32]]]


def n_steps(cycles: int) -> int:
    """Return how many steps `learn` tells of."""
    return 1 + len(CYCLE) * cycles + OTHER_STEPS


def learn_naive(rows: PoolRows) -> AdditiveScore:
    """Return the score of naive Bayes, for rows too few to tune by, and for nothing to learn from."""
    collapse = Collapse(rows)
    collapse.add_bias(_log_prior(rows.class_weights))
    if rows.n_columns and rows.n_rows:
        grid = rows.columns.grid(bins_for(CYCLE[0][1], rows.n_rows))
        collapse.add_network(Network(grid, ((),) * rows.n_columns), 1.0, np.ones(rows.n_columns))
    return collapse.score()


def learn(rows: PoolRows, cycles: int, seed: int, advance: Callable[[str], None]) -> Learned:
    """Learn a pool from rows of at least two classes and one column.

    Parameters
    ----------
    rows : PoolRows
    cycles : int
        How often networks of one, two and three parents are learned.
    seed : int
        Of the folds, and of what is left to chance in the networks.
    advance : callable
        Is told the name of each step that is done.
    """
    members = _members(rows, cycles, seed, advance)
    parts = Rows(
        rows.target, rows.weights, stratified_folds(rows.target, PARTS, seed), rows.doubt, rows.n_jobs
    )
    stage, weights = weigh_levels(members.scores, parts)
    stage, features, bias = _weigh_features(rows, members, weights.weights, weights.bias, parts, stage)
    advance("weights")
    stage, branch = refine(rows, parts, stage, members.networks[0].grid)
    advance("corrections")
    collapse = Collapse(rows)
    collapse.add_bias(bias + features[0] * weights.weights[0] * _log_prior(rows.class_weights))
    count = len(members.networks)
    for network, weight in zip(members.networks, weights.weights[1:], strict=False):
        if weight > 0:
            collapse.add_network(network, float(weight), features[1:])
    for other, weight in zip(members.others, features[0] * weights.weights[1 + count :], strict=True):
        if weight == 0:
            continue
        if isinstance(other, FlatStart):
            collapse.add_flat_start(other, float(weight))
        else:
            collapse.add_gaussian(other, float(weight))
    collapse.add_corrections(branch)
    return Learned(collapse.score(), stage.held_out, None)


def _members(rows: PoolRows, cycles: int, seed: int, advance: Callable[[str], None]) -> Members:
    folds = FoldOrder.of(stratified_folds(rows.target, FOLDS, seed + 1), FOLDS)
    information = measure(rows, folds)
    scores = [_held_out_prior(rows, folds)]
    networks, features = [], []
    for plan in plans(rows.n_columns, rows.n_rows, cycles, np.random.default_rng(seed)):
        network, own = crossfit(plan, rows, folds, information)
        networks.append(network)
        features.append(own)
        scores.append(own.sum(axis=0, dtype=np.float64))
        advance("networks")
    others: list[GaussianNetwork | FlatStart] = []
    for gaussian, said in gaussian_networks(rows, folds):
        others.append(gaussian)
        scores.append(said)
    advance("Gaussian networks")
    flat, said = crossfit_flat_start(rows, folds)
    others.append(flat)
    scores.append(said)
    advance("flat start")
    # What all classes share decides nothing, and may be large: it would cost the digits of single precision.
    stacked = np.stack([(own - own.max(axis=1, keepdims=True)).astype(np.float32) for own in scores])
    return Members(networks, others, stacked, features)


def _weigh_features(
    rows: PoolRows, members: Members, weights: FloatArray, bias: FloatArray, parts: Rows, stage: Stage
) -> tuple[Stage, FloatArray, FloatArray]:
    """Give each column a weight in all networks together, where that pays; the first is for all else."""
    count = len(members.networks)
    joined = np.zeros((1 + rows.n_columns, rows.n_rows, rows.classes), dtype=np.float32)
    joined[0] = weights[0] * members.scores[0]
    joined[0] += np.tensordot(weights[1 + count :], members.scores[1 + count :], 1)
    for own, weight in zip(members.features, weights[1:], strict=False):
        if weight > 0:
            joined[1:] += np.float32(weight) * own
    stage, found = weigh_features(joined, parts, stage, FEATURE_PENALTIES)
    if found is None:
        return stage, np.ones(1 + rows.n_columns), bias
    return stage, found.weights, found.bias


def _held_out_prior(rows: PoolRows, folds: FoldOrder) -> FloatArray:
    """Return log P(c) for each row, by the rows outside its fold."""
    prior = np.empty((rows.n_rows, rows.classes))
    for k in range(len(folds)):
        own = folds.rows(k)
        weights = None if rows.weights is None else rows.weights[own]
        left_out = np.bincount(rows.target[own], weights, minlength=rows.classes)
        prior[own] = _log_prior(rows.class_weights - left_out)
    return prior


def _log_prior(weights: FloatArray) -> FloatArray:
    prior: FloatArray = np.log((weights + 1) / (weights.sum() + len(weights)))
    return prior
