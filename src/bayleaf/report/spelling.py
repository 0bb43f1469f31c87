"""Settings as Python code: nothing left out, and what has no spelling named."""

import inspect
import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

import bayleaf
from bayleaf.graph import DAG


class NoSpellingError(ValueError):
    """A value that code can only refer to, such as a function."""


def spelled(value: Any) -> str:
    """Return code that makes the value, with bayleaf as ``bl``; learners with the settings that differ.

    Examples
    --------
    >>> import bayleaf as bl
    >>> spelled(bl.BayesNetClassifier(bl.KDB(k=3), categorical_features=["TAN(1)"]))
    "bl.BayesNetClassifier(structure=bl.KDB(k=3), categorical_features=['TAN(1)'])"
    >>> spelled(len)
    Traceback (most recent call last):
    bayleaf.report.spelling.NoSpellingError: <built-in function len>
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(spelled, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{spelled(key)}: {spelled(item)}' for key, item in value.items())}}}"
    if isinstance(value, DAG):
        return f"bl.DAG({spelled(list(value.nodes))}, {spelled(list(value.arcs))})"
    if isinstance(value, BaseEstimator) and getattr(bayleaf, type(value).__name__, None) is type(value):
        return call(value, own_settings(value))
    raise NoSpellingError(repr(value))


def own_settings(learner: Any) -> dict[str, Any]:
    """Return the settings of a learner that are not its defaults, in the order of its signature."""
    defaults = inspect.signature(type(learner)).parameters
    given = learner.get_params(deep=False)
    return {
        name: given[name]
        for name, parameter in defaults.items()
        if name in given and not _same(given[name], parameter.default)
    }


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def call(learner: Any, settings: dict[str, Any]) -> str:
    """Return the call that makes a learner with these settings."""
    words = [f"{name}={spelled(value)}" for name, value in settings.items()]
    return f"bl.{type(learner).__name__}({', '.join(words)})"


__all__ = ["NoSpellingError", "call", "own_settings", "spelled"]
