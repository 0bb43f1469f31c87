"""Checking constructor parameters, with the sentences scikit-learn users know."""

from collections.abc import Collection
from numbers import Integral, Real

_NUMBERS: dict[type, type] = {int: Integral, float: Real}


def check_param(
    owner: object,
    name: str,
    value: object,
    types: type | tuple[type, ...],
    *,
    low: float | None = None,
    high: float | None = None,
    low_open: bool = False,
    high_open: bool = False,
    options: Collection[object] | None = None,
    allow_none: bool = False,
) -> None:
    """Refuse a parameter of the wrong type or outside its range, in one sentence.

    Parameters
    ----------
    owner : object
        The object whose parameter this is, or its name; only named in the message.
    name : str
        The parameter's name.
    value : object
        What the user gave.
    types : type or tuple of types
        Accepted types. ``int`` accepts every integer type (NumPy's too) and ``float`` every real number;
        neither accepts a bool.
    low, high : float, optional
        Bounds for numbers, each part of the range unless ``low_open`` or ``high_open``.
    low_open, high_open : bool, default=False
        Whether the bound itself is refused.
    options : collection, optional
        The only values accepted.
    allow_none : bool, default=False
        Whether None is accepted as well.

    Raises
    ------
    TypeError
        The type is wrong.
    ValueError
        The type is right, the value is not.

    Examples
    --------
    >>> check_param("Quantiles", "bins", 5, int, low=2)
    >>> check_param("Quantiles", "bins", 1, int, low=2)
    Traceback (most recent call last):
        ...
    ValueError: The 'bins' parameter of Quantiles must be an int in the range [2, inf). Got 1 instead.
    >>> check_param("Holdout", "part", True, float, low=0, high=1, high_open=True, allow_none=True)
    Traceback (most recent call last):
        ...
    TypeError: The 'part' parameter of Holdout must be a float in the range [0, 1) or None. Got True instead.
    """
    if value is None and allow_none:
        return
    accepted = types if isinstance(types, tuple) else (types,)
    right_type = any(_is_a(value, kind) for kind in accepted)
    if right_type and _within(value, low, high, low_open, high_open) and _among(value, options):
        return
    expected = " or ".join(_describe(kind) for kind in accepted)
    if low is not None or high is not None:
        expected += f" in the range {_interval(low, high, low_open, high_open)}"
    if options is not None:
        expected += f" among {{{', '.join(map(repr, options))}}}"
    if allow_none:
        expected += " or None"
    owner_name = owner if isinstance(owner, str) else type(owner).__name__
    error = ValueError if right_type else TypeError
    raise error(f"The '{name}' parameter of {owner_name} must be {expected}. Got {value!r} instead.")


def check_settings(estimator: object) -> None:
    """Refuse wrong settings of an estimator, or of any learner inside it, before there are data.

    Examples
    --------
    >>> from bayleaf import BayesNetClassifier, HillClimbing
    >>> check_settings(BayesNetClassifier(HillClimbing(tabu=-1)))
    Traceback (most recent call last):
        ...
    ValueError: The 'tabu' parameter of HillClimbing must be an int in the range [0, inf). Got -1 instead.
    """
    if isinstance(estimator, type):
        return  # its owner says that an object was wanted
    if callable(check := getattr(estimator, "check_params", None)):
        check()
    if callable(settings := getattr(estimator, "get_params", None)):
        for value in settings(deep=False).values():
            check_settings(value)


def _is_a(value: object, kind: type) -> bool:
    if isinstance(value, bool):  # a bool is an Integral to Python, and a mistake to us
        return kind is bool
    return isinstance(value, _NUMBERS.get(kind, kind))


def _within(value: object, low: float | None, high: float | None, low_open: bool, high_open: bool) -> bool:
    if not isinstance(value, Real) or (low is None and high is None):
        return True
    number = float(value)
    above = low is None or (number > low if low_open else number >= low)
    below = high is None or (number < high if high_open else number <= high)
    return above and below and number == number  # NaN lies in no range


def _among(value: object, options: Collection[object] | None) -> bool:
    return options is None or value in options


def _interval(low: float | None, high: float | None, low_open: bool, high_open: bool) -> str:
    left = "(-inf" if low is None else f"{'(' if low_open else '['}{low}"
    right = "inf)" if high is None else f"{high}{')' if high_open else ']'}"
    return f"{left}, {right}"


def _describe(kind: type) -> str:
    if kind in (int, float, bool, str, dict, list, tuple):
        return f"{'an' if kind is int else 'a'} {kind.__name__}"
    return f"an instance of {kind.__name__}"
