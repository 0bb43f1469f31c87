"""Tests and records for two methods, and many such tests at once.

References
----------
Wang, L. and Zhao, H. (2015). Learning a flexible K-dependence Bayesian classifier from the chain rule of
joint probability distribution. Entropy 17(6), 3766-3786. (Win/draw/loss records.)

Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
6(2), 65-70.

Hommel, G. (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test.
Biometrika 75(2), 383-386.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, t, wilcoxon

from bayleaf._util.params import require
from bayleaf._util.words import counted, p_text

from .result_tables import TIE_DECIMALS, Scoreboard

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class PairedTest:
    """Result of a test on paired values.

    Examples
    --------
    >>> print(PairedTest("Paired t", statistic=2.5, p_value=0.0123, n=25, alternative="greater"))
    Paired t: statistic = 2.500, p = 0.012 (25 pairs, greater)
    """

    name: str
    statistic: float
    p_value: float
    n: int
    alternative: Alternative

    def __str__(self) -> str:
        pairs = counted(self.n, "pair")
        figures = f"statistic = {self.statistic:.3f}, {p_text(self.p_value)}"
        return f"{self.name}: {figures} ({pairs}, {self.alternative})"


def signed_rank_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> PairedTest:
    """Wilcoxon's signed-rank test over data sets.

    Parameters
    ----------
    a, b : array-like
        One value per data set.
    alternative : str
        "greater" asks whether ``a`` tends to be greater than ``b``.
    zeros : str
        What to do with equal pairs: leave them out ("wilcox"), or share them ("zsplit", Demšar's advice).
    method : str
        Null distribution; "auto" is exact for small samples without ties.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.

    Examples
    --------
    >>> signed_rank_test([5, 6, 7, 8, 9], [1, 1, 1, 1, 1]).p_value
    0.0625
    """
    differences = _differences(a, b)
    statistic, p_value = 0.0, 1.0
    if differences.any():
        result = wilcoxon(differences, zero_method=zeros, method=method, alternative=alternative)
        statistic, p_value = float(result.statistic), float(result.pvalue)
    return PairedTest("Wilcoxon signed-rank", statistic, p_value, differences.size, alternative)


def paired_t_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "greater") -> PairedTest:
    """Student's t-test on paired values, one-sided unless asked otherwise.

    Right for values that are independent of each other, such as means on different data sets. Folds of one
    cross-validation are not; use `corrected_t_test` for them.

    Examples
    --------
    >>> round(paired_t_test([0.82, 0.91, 0.77], [0.80, 0.88, 0.76]).p_value, 3)
    0.037
    """
    return _t_test("Paired t", _differences(a, b), 0.0, alternative)


def corrected_t_test(
    a: ArrayLike, b: ArrayLike, *, test_share: float, alternative: Alternative = "two-sided"
) -> PairedTest:
    """Corrected repeated k-fold cross-validation t-test on the fold values of one data set.

    Training sets of different folds overlap, so the plain t-test finds differences that are not there. The
    corrected variance of the mean is (1 / n + test rows / training rows) times the variance of the n = k r
    fold differences; the statistic has n - 1 degrees of freedom.

    Parameters
    ----------
    a, b : array-like
        Values of two methods on the same folds of all repeats.
    test_share : float
        Test rows divided by training rows of a fold, not by all rows: 1 / (k - 1) for k folds, which is 0.25 for 5
        folds and 0.111 for 10.
    alternative : str
        "greater" asks whether ``a`` is greater than ``b``.

    References
    ----------
    Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52(3), 239-281.

    Bouckaert, R. R. and Frank, E. (2004). Evaluating the replicability of significance tests for comparing
    learning algorithms. PAKDD 2004, LNAI 3056, 3-12.

    Examples
    --------
    >>> a, b = [0.84, 0.86, 0.88, 0.83, 0.85], [0.80, 0.84, 0.85, 0.82, 0.80]
    >>> round(corrected_t_test(a, b, test_share=1 / 4).p_value, 3)
    0.047
    >>> round(paired_t_test(a, b, alternative="two-sided").p_value, 3)
    0.013
    """
    if not test_share > 0:
        raise ValueError(f"test_share must be positive: test rows / training rows. Got {test_share}.")
    return _t_test("Corrected repeated k-fold t", _differences(a, b), test_share, alternative)


def _t_test(
    name: str, differences: NDArray[np.float64], test_share: float, alternative: Alternative
) -> PairedTest:
    n = differences.size
    if n < 2 or not differences.any():
        return PairedTest(name, 0.0, 1.0, n, alternative)
    if np.all(differences == differences[0]):
        statistic = math.copysign(math.inf, differences[0])
    else:
        error = math.sqrt((1 / n + test_share) * differences.var(ddof=1))
        statistic = float(differences.mean() / error)
    tails = {
        "greater": t.sf(statistic, n - 1),
        "less": t.cdf(statistic, n - 1),
        "two-sided": 2 * t.sf(abs(statistic), n - 1),
    }
    return PairedTest(name, statistic, float(tails[alternative]), n, alternative)


def corrected_interval(values: ArrayLike, *, test_share: float, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a mean over the folds of repeated cross-validation, corrected as in `corrected_t_test`.

    Parameters
    ----------
    values : array-like
        One per fold: of a method, or the differences of two.
    test_share : float
        Test rows divided by training rows of a fold.
    level : float
        Of confidence.

    Examples
    --------
    >>> [round(end, 3) for end in corrected_interval([0.04, 0.02, 0.03, 0.01, 0.05], test_share=1 / 4)]
    [0.001, 0.059]
    """
    folds = np.asarray(values, dtype=np.float64)
    mean, n = float(folds.mean()), folds.size
    if n < 2:
        return math.nan, math.nan
    half = float(t.ppf((1 + level) / 2, n - 1)) * math.sqrt((1 / n + test_share) * folds.var(ddof=1))
    return mean - half, mean + half


@dataclass(frozen=True)
class Tolerance:
    """Which differences count as draws: up to ``absolute``, or up to ``relative`` times the smaller value.

    Examples
    --------
    >>> Tolerance(relative=0.05).draws(np.array([0.20, 0.20]), np.array([0.21, 0.22]))
    array([ True, False])
    """

    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        if self.absolute < 0 or self.relative < 0:
            raise ValueError(f"A tolerance must not be negative. Got {self}.")

    def draws(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each pair counts as equal."""
        smaller = np.minimum(np.abs(a), np.abs(b))
        allowed = np.maximum(self.absolute, self.relative * smaller)
        return np.abs(a - b) <= allowed + 10.0**-TIE_DECIMALS

    def __str__(self) -> str:
        parts = []
        if self.absolute:
            parts.append(f"{self.absolute:g}")
        if self.relative:
            parts.append(f"{100 * self.relative:g} % of the smaller value")
        return " or ".join(parts) or "exact ties only"


@dataclass(frozen=True)
class WinDrawLoss:
    """On how many data sets the first method is better, equal, worse; and the one-tailed sign test.

    ``p_value`` is the chance of at least that many wins in wins + losses fair coin throws: small when the
    first method is better. Draws say nothing and are left out.

    Examples
    --------
    >>> record = WinDrawLoss(wins=27, draws=11, losses=7)
    >>> str(record), record.p_value < 0.001
    ('27/11/7', True)
    """

    wins: int
    draws: int
    losses: int

    @property
    def p_value(self) -> float:
        """One-tailed binomial sign test."""
        return sign_test(self.wins, self.losses)

    def __str__(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"


def sign_test(wins: int, losses: int) -> float:
    """One-tailed binomial sign test: the chance of at least ``wins`` wins if both methods are equal.

    Examples
    --------
    >>> sign_test(5, 0)
    0.03125
    """
    if wins + losses == 0:
        return 1.0
    return float(binomtest(wins, wins + losses, 0.5, alternative="greater").pvalue)


def win_draw_loss(
    a: ArrayLike, b: ArrayLike, *, higher_is_better: bool = False, tolerance: Tolerance | None = None
) -> WinDrawLoss:
    """Count the data sets on which ``a`` is better than, equal to, worse than ``b``.

    Examples
    --------
    >>> str(win_draw_loss([0.10, 0.20, 0.30], [0.15, 0.201, 0.25], tolerance=Tolerance(relative=0.05)))
    '1/1/1'
    """
    first, second = _pairs(a, b)
    draws = (tolerance or Tolerance()).draws(first, second)
    better = first > second if higher_is_better else first < second
    wins = int(np.sum(better & ~draws))
    return WinDrawLoss(wins, int(draws.sum()), first.size - wins - int(draws.sum()))


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        raise ValueError(
            f"Two lists of equally many values are needed. Got {first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("The paired values must be finite; leave out pairs with missing values.")
    return first, second


def _differences(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    first, second = _pairs(a, b)
    return np.round(first - second, TIE_DECIMALS)


Adjustment = Literal["holm", "hommel"]


def adjust_p_values(p_values: Mapping[str, float], *, method: Adjustment = "holm") -> dict[str, float]:
    """Adjust p-values so that the chance of any false alarm stays below the level they are compared with.

    Hommel's procedure needs statsmodels (``pip install 'bayleaf[stats]'``).

    Parameters
    ----------
    p_values : mapping of str to float
        By name of the comparison.
    method : {"holm", "hommel"}, default="holm"

    Examples
    --------
    >>> adjust_p_values({"NB": 0.01, "TAN": 0.04, "KDB": 0.03}, method="hommel")
    {'NB': 0.03, 'TAN': 0.04, 'KDB': 0.04}
    """
    if method not in ("holm", "hommel"):
        raise ValueError(f"The adjustment must be 'holm' or 'hommel'. Got '{method}'.")
    if not isinstance(p_values, Mapping):
        raise TypeError(
            "p_values must be a dict from names to p-values, such as {'NB': 0.01, 'TAN': 0.04}. Got a "
            f"{type(p_values).__name__}."
        )
    if not p_values:
        return {}
    if method == "holm":
        return _holm(p_values)
    multitest = require("statsmodels.stats.multitest", extra="stats")
    adjusted = multitest.multipletests(list(p_values.values()), method=method)[1]
    return {name: float(p) for name, p in zip(p_values, adjusted, strict=True)}


def _holm(p_values: Mapping[str, float]) -> dict[str, float]:
    adjusted, largest = dict(p_values), 0.0
    for rank, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[name] * (len(p_values) - rank)))
        adjusted[name] = largest
    return adjusted


@dataclass(frozen=True)
class SignedRankComparison:
    """Result of `signed_rank_against`.

    Examples
    --------
    >>> test = SignedRankComparison("TAN", "holm", {"NB": 0.01}, {"NB": 0.01}, "two-sided")
    >>> print(test)
    Wilcoxon signed-rank against TAN (two-sided), p adjusted by holm
      NB: p = 0.010
    """

    control: str
    adjustment: Adjustment
    p_values: dict[str, float]
    adjusted: dict[str, float]
    alternative: Alternative

    def __str__(self) -> str:
        head = f"Wilcoxon signed-rank against {self.control} ({self.alternative})"
        lines = [f"{head}, p adjusted by {self.adjustment}"]
        lines += [f"  {method}: {p_text(p)}" for method, p in self.adjusted.items()]
        return "\n".join(lines)


def signed_rank_against(
    board: Scoreboard,
    control: str,
    *,
    adjustment: Adjustment = "holm",
    alternative: Alternative = "two-sided",
) -> SignedRankComparison:
    """Wilcoxon's signed-rank test of a control against every other method, adjusted for their number.

    ``alternative="greater"`` asks whether the values of the control are greater than those of the others.

    Examples
    --------
    >>> board = Scoreboard([[0.1, 0.2, 0.11], [0.2, 0.4, 0.22], [0.3, 0.6, 0.33]], methods="ABC")
    >>> signed_rank_against(board, "A").adjusted
    {'B': 0.5, 'C': 0.5}
    """
    values = board.column(control)
    p_values = {
        method: signed_rank_test(values, board.column(method), alternative=alternative).p_value
        for method in board.methods
        if method != control
    }
    adjusted = adjust_p_values(p_values, method=adjustment)
    return SignedRankComparison(control, adjustment, p_values, adjusted, alternative)
