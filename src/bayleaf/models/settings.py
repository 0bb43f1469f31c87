"""Settings as plain data for model files, and as Python code for people.

Learners of bayleaf are named by class and parameters; costs are kept as the matrix that decides; anything else is
kept as a description only.
"""

import inspect
import math
from typing import Any

import numpy as np

from bayleaf._util.words import short
from bayleaf.classify import AveragedClassifier, BaggedClassifier, NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.graph import DAG
from bayleaf.learn.register import learners
from bayleaf.network.decisions import cost_matrix, is_frame

ESTIMATORS = (AveragedClassifier, BaggedClassifier, BayesNetClassifier, NetworkPool)
MOST_DESCRIBED = 200  # characters of what a file cannot hold


class UnknownPartError(ValueError):
    """Plain data name a learner, a setting or a predictor that this version of bayleaf does not have."""


def settings_from_plain(settings: dict[str, Any], kind: type, lost: list[str]) -> dict[str, Any]:
    """Rebuild the settings of an estimator of this kind.

    A sentence about each setting that the plain data only describe is added to ``lost``.
    """
    _check_known(kind, settings)
    return {name: _restore(value, name, lost) for name, value in settings.items()}


def _check_known(kind: type, settings: dict[str, Any]) -> None:
    """Refuse settings that a class does not have, which may decide what a model predicts."""
    known = inspect.signature(kind).parameters
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise UnknownPartError(
            f"this version of bayleaf does not know the setting '{unknown[0]}' of {kind.__name__}"
        )


def learner_to_plain(learner: Any) -> dict[str, Any]:
    """Return a learner as plain data; refuse what plain data cannot hold.

    Examples
    --------
    >>> import bayleaf as bl
    >>> learner_from_plain(learner_to_plain(bl.KDB(k=3)))
    KDB(k=3)
    >>> learner_to_plain(len)
    Traceback (most recent call last):
    TypeError: <built-in function len> cannot be saved: give a learner of bayleaf, with settings that are plain data.
    """
    plain = to_plain(learner, [])
    if not isinstance(plain, dict) or "learner" not in plain or only_described(plain, "learner"):
        raise TypeError(
            f"{short(repr(learner))} cannot be saved: give a learner of bayleaf, with settings that are plain data."
        )
    return plain


def learner_from_plain(plain: dict[str, Any]) -> Any:
    """Return the learner that `learner_to_plain` wrote."""
    return _restore(plain, "learner", [])


def only_described(value: Any, name: str = "") -> list[str]:
    """Name the settings, inside plain data, of which only a description is kept."""
    if isinstance(value, dict) and "unsaved" in value:
        return [f"{name}={value['unsaved']}"]
    if isinstance(value, dict) and "learner" in value:
        parts = value["parameters"].items()
        return [text for key, item in parts for text in only_described(item, f"{name}__{key}")]
    if isinstance(value, dict) and not name:
        return [text for key, item in value.items() for text in only_described(item, key)]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in only_described(item, name)]


def settings_to_plain(estimator: Any, labels: list[Any]) -> dict[str, Any]:
    """Turn the settings of an estimator into JSON; costs given otherwise become a matrix over the labels."""
    settings = estimator.get_params(deep=False)
    loss = settings.get("loss")
    if callable(loss) or is_frame(loss):
        settings["loss"] = cost_matrix(loss, labels, type(estimator).__name__)
    return {name: to_plain(value, labels) for name, value in settings.items()}


def to_plain(value: Any, labels: list[Any]) -> Any:
    """Turn a setting into JSON: plain values as they are, learners as class and parameters."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"list": [to_plain(item, labels) for item in value.tolist()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [to_plain(item, labels) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[to_plain(key, labels), to_plain(item, labels)] for key, item in value.items()]}
    if isinstance(value, DAG):
        return {"dag": {"nodes": list(value.nodes), "arcs": [list(arc) for arc in value.arcs]}}
    if _is_registered(value):
        return {"learner": type(value).__name__, "parameters": settings_to_plain(value, labels)}
    return {"unsaved": " ".join(repr(value).split())[:MOST_DESCRIBED]}


def _is_registered(value: Any) -> bool:
    """Whether a value is a learner of bayleaf; the class itself counts, since others may have its name."""
    return learners().get(type(value).__name__) is type(value)


def _restore(value: Any, name: str, lost: list[str]) -> Any:
    if not isinstance(value, dict):
        return value
    if "learner" in value:
        learner = learners().get(value["learner"])
        if learner is None:
            raise UnknownPartError(f"this version of bayleaf does not know the learner {value['learner']!r}")
        _check_known(learner, value["parameters"])
        return learner(**{key: _restore(item, key, lost) for key, item in value["parameters"].items()})
    if "dag" in value:
        return DAG(value["dag"]["nodes"], [tuple(arc) for arc in value["dag"]["arcs"]])
    if "dict" in value:
        return {_restore(key, name, lost): _restore(item, name, lost) for key, item in value["dict"]}
    if "unsaved" in value:
        lost.append(
            f"The model was fitted with {name}={value['unsaved']}, which a model file cannot hold; predictions are "
            "unaffected, but fitting again would use the default."
        )
        return None
    if len(value) != 1 or not value.keys() <= {"list", "tuple"}:
        raise ValueError(f"the setting '{name}' is of no kind that a model file has: {sorted(value)[:3]}")
    kind, items = next(iter(value.items()))
    return {"list": list, "tuple": tuple}[kind](_restore(item, name, lost) for item in items)


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
    bayleaf.models.settings.NoSpellingError: <built-in function len>
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
    if type(value) in ESTIMATORS or _is_registered(value):
        given = [f"{name}={spelled(item)}" for name, item in own_settings(value).items()]
        return f"bl.{type(value).__name__}({', '.join(given)})"
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
