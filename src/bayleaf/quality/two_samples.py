"""Whether two samples of counts come from the same source: tests that hold with few rows, and with many.

A model knows the truth only as well as its training rows do, so new rows are compared with these rows, not with the
probabilities learned from them: a comparison with the network alone would raise an alarm as soon as the new rows are
many. If nothing has changed, which of all rows are new is a matter of chance. Given how often each value occurs in
both samples together, that chance is known without any assumption about the source, however rare the values are.

References
----------
J. B. S. Haldane. The mean and variance of chi-squared, when used as a test of homogeneity, when expectations are
small. Biometrika 31, 1940.
T. Lewis, I. W. Saunders and M. Westcott. The moments of the Pearson chi-squared statistic and the minimum expected
value in two-way tables. Biometrika 71, 1984.
S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import betabinom, chi2, hypergeom, pearson3, poisson

FloatArray = NDArray[np.float64]
# Rarer values are pooled until so many of them are expected in the smaller sample.
LEAST_EXPECTED = 3.0


def same_shares(before: FloatArray, after: FloatArray, *, last_is_rare: bool = False) -> float | None:
    """Return the p-value of the hypothesis that both samples have the same shares of each value, in every stratum.

    The statistic is Pearson's X^2 of the table (sample, value), summed over strata. For rows of a stratum that are
    dealt out at random, R_1 and R_2 of them to the samples and C_j of them with value j of c, N in all, its mean and
    variance are

        E = N (c - 1) / (N - 1)
        V = 2 N / (N - 3) (v_1 - w_1) (v_2 - w_2) + N^2 / (N - 1) w_1 w_2
        v_1 = (N - 2) / (N - 1),           w_1 = (N / R_1 + N / R_2 - 4) / (N - 2)
        v_2 = (c - 1) (N - c) / (N - 1),   w_2 = (sum of N / C_j - c^2) / (N - 2)

    and the sum is compared with the multiple of a chi-squared distribution that has the same mean and variance. The
    rarest values of a stratum count as one, so that it has no longer tail than that.

    Parameters
    ----------
    before, after : array of shape (strata, values) or (values,)
        Rows by stratum and value. The tests are exact for numbers of rows; weighted rows are as many as their
        effective number.
    last_is_rare : bool, default=False
        Whether the last value stands for many rare ones.

    Returns
    -------
    float or None
        None where nothing can be told: no stratum has rows of both samples and two values.

    Examples
    --------
    >>> round(same_shares(np.array([50.0, 50.0]), np.array([52.0, 48.0])), 2)
    0.78
    >>> same_shares(np.array([50.0, 50.0]), np.array([80.0, 20.0])) < 0.001
    True
    """
    first, second = _with_rare_pooled(np.atleast_2d(before), np.atleast_2d(after), last_is_rare)
    rows = np.stack([first.sum(axis=1), second.sum(axis=1)])
    values = first + second
    total = values.sum(axis=1)
    seen = values > 0
    kinds = seen.sum(axis=1)
    told = (rows > 0).all(axis=0) & (kinds > 1) & (total > 3)
    if not told.any():
        return None
    first, rows, values, total, seen, kinds = (
        first[told], rows[:, told], values[told], total[told], seen[told], kinds[told],
    )  # fmt: skip
    # Of two samples, X^2 = N^2 / (R_1 R_2) sum of (A_j - R_1 C_j / N)^2 / C_j.
    expected = rows[0][:, None] * values / total[:, None]
    squares = np.divide((first - expected) ** 2, values, out=np.zeros_like(values), where=seen)
    statistic = float((total**2 / (rows[0] * rows[1]) * squares.sum(axis=1)).sum())
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=seen).sum(axis=1)
    w_rows = (total * (1 / rows).sum(axis=0) - 4) / (total - 2)
    w_values = (total * inverse - kinds**2) / (total - 2)
    v_rows = (total - 2) / (total - 1)
    v_values = (kinds - 1) * (total - kinds) / (total - 1)
    mean = float((total * (kinds - 1) / (total - 1)).sum())
    spread = 2 * total / (total - 3) * (v_rows - w_rows) * (v_values - w_values)
    variance = float((spread + total**2 / (total - 1) * w_rows * w_values).sum())
    if not variance > 1e-9 * mean:  # every way to deal the rows gives the same statistic
        return None
    return float(chi2.sf(2 * mean * statistic / variance, 2 * mean**2 / variance))


def _with_rare_pooled(
    before: FloatArray, after: FloatArray, last_is_rare: bool
) -> tuple[FloatArray, FloatArray]:
    """Pool the rarest values of each stratum, by both samples together, until enough rows have the pooled one."""
    both = before + after
    as_rare = both.copy()
    if last_is_rare:
        as_rare[:, -1] = 0.0
    order = np.argsort(as_rare, axis=1, kind="stable")
    ranked = np.take_along_axis(as_rare, order, axis=1)
    sizes = np.take_along_axis(both, order, axis=1)
    smaller = np.minimum(before.sum(axis=1), after.sum(axis=1))[:, None]
    needed = LEAST_EXPECTED * sizes.sum(axis=1, keepdims=True) / np.maximum(smaller, 1e-9)
    rare = (ranked < needed).sum(axis=1, keepdims=True)
    together = (sizes * (np.arange(sizes.shape[1]) < rare)).sum(axis=1, keepdims=True)
    rare = rare + ((rare > 0) & (together < needed))  # the next one joins them
    inside = np.arange(sizes.shape[1]) < rare
    first, second = (
        np.column_stack([(each * inside).sum(axis=1), each * ~inside])
        for each in (np.take_along_axis(before, order, axis=1), np.take_along_axis(after, order, axis=1))
    )
    return first, second


def same_share(before: float, rows_before: float, after: float, rows_after: float) -> float | None:
    """Return the p-value of the hypothesis that a share of rows is the same in both samples: Fisher's exact test.

    Both sides count: twice the smaller tail. None where no row of either sample, or each of them, is meant.

    Examples
    --------
    >>> round(same_share(5, 100, 25, 100), 4), same_share(0, 100, 0, 100)
    (0.0001, None)
    """
    tails = _tails(before, rows_before, after, rows_after)
    return None if tails is None else min(1.0, 2 * min(tails))


def higher_share(before: float, rows_before: float, after: float, rows_after: float) -> float | None:
    """Return the p-value of the hypothesis that a share is not higher in the second sample, as `same_share`.

    Examples
    --------
    >>> round(higher_share(5, 100, 25, 100), 5)
    5e-05
    """
    tails = _tails(before, rows_before, after, rows_after)
    return None if tails is None else tails[1]


def _tails(before: float, rows_before: float, after: float, rows_after: float) -> tuple[float, float] | None:
    """Return how probable so few, and so many, rows of the second sample are if they are dealt out at random."""
    first, rows_first, second, rows = (round(each) for each in (before, rows_before, after, rows_after))
    total, meant = rows_first + rows, min(first, rows_first) + second
    if not 0 < meant < total or not rows_first or not rows:
        return None
    dealt = hypergeom(total, meant, rows)
    return float(dealt.cdf(second)), float(dealt.sf(second - 1))


def new_values(before: FloatArray, after: FloatArray) -> tuple[int, float, float | None]:
    """Return how many values only the second sample has, how many it would have by chance, and the p-value.

    A value that T of all N rows have is one that only the second sample has, by chance, if all T rows are among its
    M: with probability M (M - 1) ... (M - T + 1) / (N (N - 1) ... (N - T + 1)). Two things may be surprising: how
    many such values there are, whose number is compared with a Poisson distribution (its tail is longer than the
    true one); and how many rows one of them has, where the chances of all values that have as many rows are added up.
    The p-value is twice the smaller one.

    Examples
    --------
    >>> new, expected, p = new_values(np.array([60.0, 40, 0]), np.array([50.0, 40, 10]))
    >>> new, round(expected, 3), round(p, 3)
    (1, 0.001, 0.002)
    """
    rows, both = float(after.sum()), before + after
    times = both[both > 0]
    chances = np.zeros(len(times))
    possible = times <= rows
    most = gammaln(rows + 1) - gammaln(both.sum() + 1)
    chances[possible] = np.exp(
        most + gammaln(both.sum() - times[possible] + 1) - gammaln(rows - times[possible] + 1)
    )
    expected, is_new = float(chances.sum()), (before <= 0) & (after > 0)
    found = int(is_new.sum())
    if found == 0:
        return 0, expected, None if expected < NO_CHANCE else 1.0
    of_number = float(poisson.sf(found - 1, expected))
    of_largest = float(chances[times >= both[is_new].max()].sum())
    return found, expected, min(1.0, 2 * of_number, 2 * of_largest)


# Fewer new values than this are expected where there can be none.
NO_CHANCE = 1e-6


Shape = tuple[float, float, float]  # mean, standard deviation, skewness


def higher_mean(before: Shape, rows_before: float, after: Shape, rows_after: float) -> float:
    """Return the p-value of the hypothesis that a mean is not higher in the second sample.

    The difference of the means is compared with a gamma distribution that has the variance and the skewness of both
    samples together: losses are far from symmetric.

    Examples
    --------
    >>> round(higher_mean((0.0, 1.0, 0.0), 100, (0.3, 1.0, 0.0), 100), 3)
    0.017
    """
    both = rows_before + rows_after
    variance = (rows_before * before[1] ** 2 + rows_after * after[1] ** 2) / both
    third = (rows_before * before[2] * before[1] ** 3 + rows_after * after[2] * after[1] ** 3) / both
    of_difference = variance * (1 / rows_after + 1 / rows_before)
    if not of_difference > 0:
        return float(after[0] <= before[0])
    skewness = third * (1 / rows_after**2 - 1 / rows_before**2) / of_difference**1.5
    return float(pearson3.sf((after[0] - before[0]) / math.sqrt(of_difference), skewness))


def different_mean(before: Shape, rows_before: float, after: Shape, rows_after: float) -> float:
    """Return the p-value of the hypothesis that a mean is the same in both samples, as `higher_mean`, on both sides.

    Examples
    --------
    >>> round(different_mean((0.0, 1.0, 0.0), 100, (0.3, 1.0, 0.0), 100), 3)
    0.034
    """
    higher = higher_mean(before, rows_before, after, rows_after)
    lower = higher_mean(_turned(before), rows_before, _turned(after), rows_after)
    return min(1.0, 2 * min(higher, lower))


def _turned(shape: Shape) -> Shape:
    return -shape[0], shape[1], -shape[2]


def less_told(before: FloatArray, after: FloatArray, choices: int = 1) -> float | None:
    """Return the p-value of the hypothesis that strata tell no less about values in the second sample.

    What the stratum s of a row tells about its value x is log P(x | s) - log P(x), by the counts of the first sample
    and one imaginary row for each stratum, whose values are as frequent as in all strata together. Of the first
    sample, each row is left out of the counts that judge it.

    Parameters
    ----------
    before, after : array of shape (strata, values)
        Rows by stratum and value.
    choices : int
        Of how many such tables this one is the one that tells most in the first sample. If none of them tells
        anything, the best seems to tell about sqrt(d log choices) / N more than it does, with d degrees of freedom:
        so much less is no change.

    Examples
    --------
    >>> told = np.array([[40.0, 10.0], [10.0, 40.0]])
    >>> round(less_told(told, told), 2), less_told(told, np.array([[25.0, 25.0], [25.0, 25.0]])) < 0.001
    (0.59, True)
    """
    rows, of_value, of_stratum = before.sum(), before.sum(axis=0), before.sum(axis=1, keepdims=True)
    seen = (before > 0) | ((after > 0) & (of_value > 0))
    if not (after * seen).any() or min(np.count_nonzero(of_value), np.count_nonzero(of_stratum)) < 2:
        return None
    shapes, sizes = [], []
    for counts, own in ((before, np.minimum(before, 1.0)), (after, 0.0)):
        values = (of_value - own + 0.5) / (rows - own + 0.5 * len(of_value))
        given = (before - own + values) / (of_stratum - own + 1.0)
        weights = np.where(seen, counts, 0.0)
        lost = np.where(seen, -np.log(given / values), 0.0)
        mean = float(np.average(lost, weights=weights))
        square, cube = (float(np.average((lost - mean) ** k, weights=weights)) for k in (2, 3))
        shapes.append((mean, math.sqrt(square), cube / square**1.5 if square > TINY else 0.0))
        sizes.append(float(weights.sum()))
    freedom = (np.count_nonzero(of_value) - 1) * (np.count_nonzero(of_stratum) - 1)
    by_choice = math.sqrt(freedom * math.log(1.0 + choices)) / rows
    (mean, spread, skewness), now = shapes
    return higher_mean((mean + by_choice, spread, skewness), sizes[0], now, sizes[1])


TINY = 1e-24


def more_below(rows_before: float, share: float, below: int, rows_after: int) -> float:
    """Return the p-value of so many rows below a quantile of the first sample, whatever the distribution.

    Of rows of one source, those below the k-th smallest of n are beta-binomial: k and n + 1 - k are its parameters.

    Examples
    --------
    >>> round(more_below(100, 0.05, 6, 100), 2), more_below(100, 0.05, 30, 100) < 0.001
    (0.5, True)
    """
    rank = max(1.0, math.floor(share * rows_before) + 1.0)
    return float(betabinom.sf(below - 1, rows_after, rank, rows_before + 1 - rank))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values that are corrected for their number, by Holm's method.

    If nothing has changed, one of them or more is below 0.05 with a probability of 0.05 at most, however the tests
    depend on one another. Where something has changed, that holds for what has not: a column that is named has, but
    for this risk, changed.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(np.argsort(p_values, kind="stable").tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = highest
    return found
