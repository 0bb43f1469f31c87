"""Many tests at once: adjusted p-values.

References
----------
Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
6(2), 65-70.

Hommel, G. (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test.
Biometrika 75(2), 383-386.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bayleaf._util.optional import require
from bayleaf.evaluation.paired import Alternative, signed_rank_test
from bayleaf.evaluation.scoreboard import Scoreboard
from bayleaf.evaluation.wording import p_text

Adjustment = Literal["holm", "hommel"]


def adjust_p_values(p_values: Mapping[str, float], *, method: Adjustment = "holm") -> dict[str, float]:
    """Adjust p-values so that the chance of any false alarm stays below the level they are compared with.

    Needs statsmodels (``pip install 'bayleaf[stats]'``).

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
    multitest = require("statsmodels.stats.multitest", extra="stats")
    adjusted = multitest.multipletests(list(p_values.values()), method=method)[1]
    return {name: float(p) for name, p in zip(p_values, adjusted, strict=True)}


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
    return SignedRankComparison(
        control, adjustment, p_values, adjust_p_values(p_values, method=adjustment), alternative
    )
