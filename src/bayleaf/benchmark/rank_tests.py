"""Rank tests for several methods over several data sets.

References
----------
Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
Learning Research 7, 1-30.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, f, friedmanchisquare, norm, studentized_range

from bayleaf._util.words import p_text

from .result_tables import Scoreboard


def average_ranks(board: Scoreboard) -> dict[str, float]:
    """Mean rank of every method over the data sets, best first.

    Examples
    --------
    >>> average_ranks(Scoreboard([[0.1, 0.2], [0.1, 0.1]], methods=["NB", "TAN"]))
    {'NB': 1.25, 'TAN': 1.75}
    """
    means = board.ranks.mean(axis=0)
    return {board.methods[i]: float(means[i]) for i in np.argsort(means, kind="stable")}


@dataclass(frozen=True)
class FriedmanTest:
    """Result of `friedman`, which asks whether the methods differ at all.

    Examples
    --------
    >>> print(friedman(Scoreboard([[1, 2, 3], [1, 2, 3], [1, 3, 2]], methods="ABC")))
    Friedman: chi2(2) = 4.67, p = 0.097; Iman-Davenport: F(2, 4) = 7.00, p = 0.049 (3 data sets)
    """

    statistic: float
    degrees: int
    p_value: float
    f_statistic: float
    f_degrees: tuple[int, int]
    f_p_value: float
    ranks: dict[str, float]
    n_datasets: int

    def __str__(self) -> str:
        return (
            f"Friedman: chi2({self.degrees}) = {self.statistic:.2f}, {p_text(self.p_value)}; "
            f"Iman-Davenport: F({self.f_degrees[0]}, {self.f_degrees[1]}) = {self.f_statistic:.2f}, "
            f"{p_text(self.f_p_value)} ({self.n_datasets} data sets)"
        )


def friedman(board: Scoreboard, *, correct_ties: bool = True) -> FriedmanTest:
    """Friedman's test of equal average ranks, and its less conservative form by Iman and Davenport.

    Parameters
    ----------
    board : Scoreboard
        At least 2 data sets and 3 methods.
    correct_ties : bool
        Divide the statistic by its value's share under ties, as statistics packages do. False gives the
        plain formula 12 N / (k (k + 1)) (sum of R_j^2 - k (k + 1)^2 / 4) that most papers print.

    References
    ----------
    Friedman, M. (1940). A comparison of alternative tests of significance for the problem of m rankings.
    Annals of Mathematical Statistics 11(1), 86-92.

    Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of the Friedman statistic.
    Communications in Statistics A9(6), 571-595.

    Examples
    --------
    >>> test = friedman(Scoreboard([[1, 2, 3], [1, 2, 3], [1, 3, 2]], methods="ABC"))
    >>> round(test.p_value, 3)
    0.097
    """
    n, k = board.values.shape
    if n < 2 or k < 3:
        raise ValueError(f"Friedman's test needs at least 2 data sets and 3 methods. Got {n} and {k}.")
    ranks = board.ranks
    if np.all(ranks == ranks[:, :1]):
        statistic = 0.0
    elif correct_ties:
        statistic = float(friedmanchisquare(*ranks.T).statistic)
    else:
        statistic = 12 * n / (k * (k + 1)) * (float(np.sum(ranks.mean(axis=0) ** 2)) - k * (k + 1) ** 2 / 4)
    largest = n * (k - 1)
    # Complete agreement makes the denominator 0 (up to rounding).
    ratio = math.inf if math.isclose(statistic, largest) else (n - 1) * statistic / (largest - statistic)
    degrees = (k - 1, (k - 1) * (n - 1))
    return FriedmanTest(
        statistic,
        k - 1,
        float(chi2.sf(statistic, k - 1)),
        ratio,
        degrees,
        float(f.sf(ratio, *degrees)),
        average_ranks(board),
        n,
    )


def rank_standard_error(n_datasets: int, n_methods: int) -> float:
    """Give the standard error of the difference of two average ranks when the methods are equal."""
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


@dataclass(frozen=True, eq=False)
class NemenyiTest:
    """Result of `nemenyi`, which asks which pairs of methods differ.

    Attributes
    ----------
    ranks : dict
        Average ranks, best first.
    critical_difference : float
        Smallest difference of average ranks that is significant at ``alpha``.
    p_values : (methods, methods) array
        In the order of ``ranks``; 1 on the diagonal.

    Examples
    --------
    >>> board = Scoreboard(np.tile([0.1, 0.2, 0.3], (9, 1)), methods=["TAN", "NB", "ZeroR"])
    >>> print(nemenyi(board))
    Nemenyi: critical difference 1.105 at alpha 0.05
      TAN (1.00) is better than ZeroR (3.00), p < 0.001
      not distinguishable: {TAN, NB}, {NB, ZeroR}
    """

    ranks: dict[str, float]
    critical_difference: float
    p_values: NDArray[np.float64]
    alpha: float
    n_datasets: int

    @property
    def significant(self) -> list[tuple[str, str, float]]:
        """Pairs (better, worse, p-value) that differ at ``alpha``."""
        names = list(self.ranks)
        pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
        found = [(names[i], names[j], float(self.p_values[i, j])) for i, j in pairs]
        return [pair for pair in found if pair[2] <= self.alpha]

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Largest sets of methods, neighbours by rank, in which no pair differs at ``alpha``."""
        names = list(self.ranks)
        groups: list[tuple[int, int]] = []
        for start in range(len(names)):
            stop = start
            while stop + 1 < len(names) and self.p_values[start, stop + 1] > self.alpha:
                stop += 1
            inside_previous = groups and groups[-1][1] >= stop
            if stop > start and not inside_previous:
                groups.append((start, stop))
        return [tuple(names[start : stop + 1]) for start, stop in groups]

    def __str__(self) -> str:
        lines = [f"Nemenyi: critical difference {self.critical_difference:.3f} at alpha {self.alpha:g}"]
        for better, worse, p in self.significant:
            first, second = self.ranks[better], self.ranks[worse]
            lines.append(f"  {better} ({first:.2f}) is better than {worse} ({second:.2f}), {p_text(p)}")
        if self.groups:
            groups = ["{" + ", ".join(group) + "}" for group in self.groups]
            lines.append(f"  not distinguishable: {', '.join(groups)}")
        return "\n".join(lines)


def nemenyi(board: Scoreboard, *, alpha: float = 0.05) -> NemenyiTest:
    """Compare all pairs of methods by their average ranks (the studentised range takes care of multiplicity).

    References
    ----------
    Nemenyi, P. B. (1963). Distribution-free multiple comparisons. PhD thesis, Princeton University.

    Examples
    --------
    >>> board = Scoreboard(np.tile([0.1, 0.2, 0.3, 0.4], (14, 1)), methods="ABCD")
    >>> round(nemenyi(board).critical_difference, 2)
    1.25
    """
    n, k = board.values.shape
    ranks = average_ranks(board)
    error = rank_standard_error(n, k)
    means = np.array(list(ranks.values()))
    ranges = np.abs(means[:, None] - means[None, :]) / error * math.sqrt(2)
    p_values = np.minimum(studentized_range.sf(ranges, k, np.inf), 1.0)
    np.fill_diagonal(p_values, 1.0)
    difference = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2) * error
    return NemenyiTest(ranks, difference, p_values, alpha, n)


@dataclass(frozen=True)
class BonferroniDunnTest:
    """Result of `bonferroni_dunn`, which asks which methods differ from the control.

    Examples
    --------
    >>> board = Scoreboard(np.tile([0.1, 0.2, 0.3], (9, 1)), methods=["TAN", "NB", "ZeroR"])
    >>> print(bonferroni_dunn(board, control="TAN"))
    Bonferroni-Dunn against TAN (1.00): critical difference 1.057 at alpha 0.05
      NB (2.00): not distinguishable, p = 0.068
      ZeroR (3.00): worse, p < 0.001
    """

    control: str
    ranks: dict[str, float]
    critical_difference: float
    p_values: dict[str, float]
    alpha: float
    n_datasets: int

    def verdict(self, method: str) -> str:
        """How a method compares with the control: "better", "worse" or "not distinguishable"."""
        if self.p_values[method] > self.alpha:
            return "not distinguishable"
        return "better" if self.ranks[method] < self.ranks[self.control] else "worse"

    def __str__(self) -> str:
        first = (
            f"Bonferroni-Dunn against {self.control} ({self.ranks[self.control]:.2f}): "
            f"critical difference {self.critical_difference:.3f} at alpha {self.alpha:g}"
        )
        rest = [
            f"  {method} ({self.ranks[method]:.2f}): {self.verdict(method)}, {p_text(p)}"
            for method, p in self.p_values.items()
        ]
        return "\n".join([first, *rest])


def bonferroni_dunn(board: Scoreboard, control: str, *, alpha: float = 0.05) -> BonferroniDunnTest:
    """Compare every method with one control by average ranks; p-values are two-sided and times k - 1.

    References
    ----------
    Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association
    56(293), 52-64.

    Examples
    --------
    >>> board = Scoreboard(np.tile([0.1, 0.2, 0.3, 0.4], (14, 1)), methods="ABCD")
    >>> round(bonferroni_dunn(board, control="A").critical_difference, 2)
    1.17
    """
    n, k = board.values.shape
    board.position(control)
    ranks = average_ranks(board)
    error = rank_standard_error(n, k)
    p_values = {
        method: min(1.0, (k - 1) * 2 * float(norm.sf(abs(rank - ranks[control]) / error)))
        for method, rank in ranks.items()
        if method != control
    }
    difference = float(norm.isf(alpha / (2 * (k - 1)))) * error
    return BonferroniDunnTest(control, ranks, difference, p_values, alpha, n)
