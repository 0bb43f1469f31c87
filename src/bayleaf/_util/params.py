"""What users pass: settings, seeds, numbers of threads, extras to install; how learners declare settings."""

import importlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from numbers import Integral, Real
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from threadpoolctl import ThreadpoolController

_NUMBERS: dict[type, type] = {int: Integral, float: Real}
# What is asked of the learners of a classifier, and an example of each.
LEARNER_METHODS = {
    "structure": "learn",
    "parameters": "fit",
    "discretizer": "cut_points",
    "selector": "select",
}
EXAMPLES = {"structure": "TAN()", "parameters": "Laplace()", "discretizer": "MDLP()", "selector": "MMPC()"}


def written(learner: object) -> str:
    """Write a learner with the settings that are not its defaults, however scikit-learn is set to print."""
    with config_context(print_changed_only=True):
        return repr(learner)


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
    """Refuse a parameter of the wrong type (TypeError) or outside its range (ValueError), in one sentence.

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


# Checks one setting: takes the owner, the setting's name and its value, and raises an error that says what is wrong.
Rule = Callable[[object, str, Any], None]


def whole(low: int | None = None, high: int | None = None, *, or_none: bool = False) -> Rule:
    """Accept whole numbers from ``low`` to ``high``."""
    return partial(check_param, types=int, low=low, high=high, allow_none=or_none)


def number(
    *,
    low: float | None = None,
    above: float | None = None,
    high: float | None = None,
    below: float | None = None,
    or_none: bool = False,
) -> Rule:
    """Accept numbers of at least ``low`` or more than ``above``, at most ``high`` or less than ``below``."""
    return partial(
        check_param,
        types=float,
        low=low if above is None else above,
        high=high if below is None else below,
        low_open=above is not None,
        high_open=below is not None,
        allow_none=or_none,
    )


def rows_or_share(owner: object, name: str, value: Any) -> None:
    """Accept a number of rows, or a share of them, or None."""
    share = isinstance(value, float | np.floating)
    (number(above=0, high=1) if share else whole(low=1, or_none=True))(owner, name, value)


def one_of(*options: str) -> Rule:
    """Accept some texts only."""
    return partial(check_param, types=str, options=options)


def instance(*types: type, or_none: bool = False) -> Rule:
    """Accept objects of some classes; ``instance(bool)`` accepts True and False."""
    return partial(check_param, types=types, allow_none=or_none)


def with_method(owner: object, name: str, value: object, method: str, example: str, more: str = "") -> None:
    """Refuse anything but None and objects with a method, of which there is an example."""
    if value is not None and (isinstance(value, type) or not hasattr(value, method)):
        raise TypeError(
            f"The '{name}' parameter of {type(owner).__name__} must be an object with a method '{method}', such as "
            f"{example}. Got {value!r} instead.{more}"
        )


def if_given(check: Callable[[Any], None]) -> Rule:
    """Leave a setting that is not None to a function that raises an error."""

    def rule(owner: object, name: str, value: Any) -> None:
        if value is not None:
            check(value)

    return rule


flag = instance(bool)
seeding = partial(
    check_param, types=(int, np.random.RandomState, np.random.Generator), low=0, allow_none=True
)


def declared(**rules: Rule) -> Mapping[str, Rule]:
    """Put together the rules of settings: see `WithSettings`."""
    return MappingProxyType(rules)


class WithSettings(BaseEstimator):  # type: ignore[misc]
    """An object with settings in scikit-learn's sense, each of which declares what it may be.

    A class whose settings depend on each other, or whose message differs, extends `check_params`.

    Examples
    --------
    >>> class Neighbours(WithSettings):
    ...     settings = declared(k=whole(low=1), share=number(above=0, high=1, or_none=True))
    ...     def __init__(self, k=5, share=None):
    ...         self.k, self.share = k, share
    >>> Neighbours(share=2).check_params()
    Traceback (most recent call last):
        ...
    ValueError: The 'share' parameter of Neighbours must be a float in the range (0, 1] or None. Got 2 instead.
    """

    settings: ClassVar[Mapping[str, Rule]] = declared()

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        for name, rule in self.settings.items():
            rule(self, name, getattr(self, name))


# What a learner needs of the rows it learns from, from little to all: counts of the class with every two features;
# counts of any columns; every different row once, with its number as the weight; the rows themselves.
Needs = Literal["pairs", "counts", "distinct rows", "rows"]


def needs_of(learner: object) -> Needs:
    """Return what a learner needs of the rows; the rows themselves if it does not say."""
    needs: Any = getattr(learner, "needs", "rows")
    if needs not in get_args(Needs):
        raise ValueError(f"{learner!r} says needs = {needs!r}; it must be one of {get_args(Needs)}.")
    return needs  # type: ignore[no-any-return]


def most_needed(learners: Iterable[object]) -> Needs:
    """Return what is enough for all of some learners."""
    return max(map(needs_of, learners), key=get_args(Needs).index, default="pairs")


def check_settings(estimator: object) -> None:
    """Refuse wrong settings of an estimator, or of any learner inside it, before there are data."""
    if isinstance(estimator, type):
        return  # its owner says that an object was wanted
    if callable(check := getattr(estimator, "check_params", None)):
        check()
    if callable(settings := getattr(estimator, "get_params", None)):
        for value in settings(deep=False).values():
            check_settings(value)


def check_learners(owner: Any, learners: Mapping[str, Any]) -> None:
    """Each learner is an object with the method that is asked of it, not a name or a class, and known needs."""
    for name, method in LEARNER_METHODS.items():
        learner = learners[name]
        foreign = name == "selector" and hasattr(learner, "get_support") and not isinstance(learner, type)
        pipeline = " Selectors of scikit-learn go before the classifier, in a Pipeline." if foreign else ""
        with_method(owner, name, learner, method, f"bayleaf.{EXAMPLES[name]}", pipeline)
        if not isinstance(getattr(type(learner), "needs", None), property):
            needs_of(learner)  # needs that follow from settings are looked up when these have been checked


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


def generator(random_state: int | np.random.RandomState | np.random.Generator | None) -> np.random.Generator:
    """Return a numpy Generator for an int, a RandomState, a Generator or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


# More threads than this never help, and a slip of the keyboard must not ask the system for a billion.
MOST_THREADS = 256


def thread_count(n_jobs: int | None) -> int:
    """Resolve ``n_jobs`` to a number of threads.

    ``None`` means every core this process may use, or ``OMP_NUM_THREADS`` where that is set (joblib sets it
    in its workers, so nested parallelism does not overload the machine). Negative numbers count from the
    number of cores as in scikit-learn: -1 is all of them. There are never more than `MOST_THREADS`.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(max(1, int(limit)), MOST_THREADS) if limit.isdigit() else cores
    check_param("bayleaf", "n_jobs", n_jobs, int, allow_none=True)
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0. Use None for all cores, or a positive number of threads.")
    return min(int(n_jobs), MOST_THREADS) if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional module, or say which extra of bayleaf brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"This needs {package}, which is not installed: pip install 'bayleaf[{extra}]'."
        ) from error


def one_thread() -> AbstractContextManager[Any]:
    """Keep linear algebra to one thread: on short vectors more cost time, and they may change the last bits."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    """Look for the libraries once: that takes longer than training on a few rows."""
    return ThreadpoolController()


@contextmanager
def unchanged_on_failure(estimator: object) -> Iterator[None]:
    """Give an estimator its old attributes back where a step fails or is interrupted.

    Half a fit would pair a new schema with an old network.

    Examples
    --------
    >>> class Estimator:
    ...     schema_ = "old"
    >>> estimator = Estimator()
    >>> with unchanged_on_failure(estimator):
    ...     estimator.schema_ = "new"
    ...     raise ValueError("no network")
    Traceback (most recent call last):
    ValueError: no network
    >>> estimator.schema_
    'old'
    """
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
