"""Small phrases shared by reports."""

import math
from collections.abc import Iterable


def p_text(p_value: float) -> str:
    """Write a p-value the way journals do.

    Examples
    --------
    >>> p_text(0.0312), p_text(0.00002), p_text(0.5)
    ('p = 0.031', 'p < 0.001', 'p = 0.500')
    """
    if math.isnan(p_value):
        return "p undefined"
    return "p < 0.001" if p_value < 0.0005 else f"p = {p_value:.3f}"


def listing(names: Iterable[str]) -> str:
    """Names separated by commas.

    Examples
    --------
    >>> listing(["NB", "TAN"])
    'NB, TAN'
    """
    return ", ".join(names)


def plural(number: int, noun: str) -> str:
    """Write number and noun, the noun in the plural where it belongs.

    Examples
    --------
    >>> plural(1, "fold"), plural(3, "fold")
    ('1 fold', '3 folds')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
