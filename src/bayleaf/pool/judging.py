"""What scores are worth together: their mixture, and the probabilities of rows that none of them has seen."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from bayleaf.tuning import stratified_folds

from .grids import FloatArray
from .learning import Alone, Learned, learn, learn_naive
from .mixture import Mixture, Spare, caution_of
from .rows import PoolRows

# With fewer rows there is nothing to tune by.
FEWEST_ROWS = 10
# Gaps of a column are seldom if fewer than this share of the rows has one.
SELDOM = 0.01


def mixture_of(learned: Sequence[Learned], rows: PoolRows, prior: FloatArray) -> Mixture:
    """Mix what was learned with several seeds, and as much of the class frequencies as held-out rows ask for."""
    held_out = [each.held_out for each in learned]
    sample = rows.take(slice(len(held_out[0])))
    caution = caution_of(held_out, sample.target, prior, sample.weights)
    spare = None if learned[0].networks is None else spare_of(learned[0].networks, rows, sample, prior)
    return Mixture([each.score for each in learned], caution, prior, spare)


def spare_of(networks: Alone, rows: PoolRows, sample: PoolRows, prior: FloatArray) -> Spare:
    """Return the networks of one seed, and which gaps the rows leave to them."""
    caution = caution_of([networks.held_out], sample.target, prior, sample.weights)
    arities = tuple(map(len, rows.columns.counts))
    gaps = rows.fine >= np.array(arities)
    share = np.average(gaps, axis=0, weights=rows.weights)
    counting = slice(None) if rows.weights is None else rows.weights > 0
    return Spare(
        Mixture([networks.score], caution, prior),
        rows.places,
        arities,
        tuple((share < SELDOM).tolist()),
        int(gaps[counting].sum(axis=1).max(initial=0)),
    )


def cross_validated(
    rows: PoolRows, prior: FloatArray, folds: int, cycles: int, seed: int, advance: Callable[[str], None]
) -> FloatArray:
    """Return the probabilities of rows, [row, class], by pools of one seed that were learned without their fold."""
    rows = replace(rows, places=tuple(range(rows.n_columns)))  # scores then read the rows as they are here
    fold = stratified_folds(rows.target, folds, seed + folds)
    chances = np.empty((rows.n_rows, rows.classes))
    for k in range(folds):
        others = rows.take(np.flatnonzero(fold != k))
        if others.n_rows < FEWEST_ROWS or np.count_nonzero(others.class_weights) < 2:
            mixture = Mixture([learn_naive(others)], 1.0 / (others.class_weights.sum() + 2.0), prior)
        else:
            mixture = mixture_of([learn(others, cycles, seed, advance)], others, prior)
        chances[fold == k] = mixture.probabilities(rows.fine[fold == k], rows.n_jobs)
    return chances
