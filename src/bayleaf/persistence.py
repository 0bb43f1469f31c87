"""The model file: a fitted classifier as versioned JSON that executes nothing when it is read.

It holds the settings, the schema and the network; numbers are written so that they come back to the last bit, and
with them every probability. Settings name learners of bayleaf by class and parameters; anything else is kept as a
description only.
"""

import json
import os
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import parameters, selection, structure
from ._util.files import atomic_write
from ._util.jsonfile import read_document
from .graph import DAG
from .network import InstanceNetwork
from .network.jsonform import (
    instance_network_from_dict,
    instance_network_to_dict,
    network_from_dict,
    network_to_dict,
)
from .table import Schema, Variable, discretize

FORMAT = "bayleaf"
VERSION = 1


def write_model(classifier: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to a model file, all or nothing."""
    check_is_fitted(classifier)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "bayleaf": version("bayleaf"),
        **model_to_dict(classifier),
    }
    with atomic_write(path) as file:
        json.dump(document, file, indent=1)  # in ASCII: a lone surrogate has no UTF-8


def read_model(path: str | os.PathLike[str], factory: type) -> Any:
    """Read a model file back as a fitted classifier of class ``factory``."""
    document = read_document(path, FORMAT, VERSION)
    try:
        return model_from_dict(document, factory)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"'{path}' is damaged: its content is incomplete ({error}).") from error
    except ValueError as error:
        raise ValueError(f"'{path}' cannot be read as a model: {error}") from error


def model_to_dict(classifier: Any) -> dict[str, Any]:
    """Return a fitted classifier as plain data."""
    settings = classifier.get_params(deep=False)
    return {
        "settings": {name: _plain(value) for name, value in settings.items()},
        "classes": {"dtype": classifier.classes_.dtype.str, "labels": classifier.classes_.tolist()},
        "named_columns": hasattr(classifier, "feature_names_in_"),
        "features": [variable.to_dict() for variable in classifier.schema_.features],
        "target": classifier.schema_.target.to_dict(),
        "network": network_to_dict(classifier.network_),
        **_instance_part(classifier._predictor),
    }


def model_from_dict(document: dict[str, Any], factory: type) -> Any:
    """Rebuild a fitted classifier from plain data."""
    settings = {name: _restore(value, name) for name, value in document["settings"].items()}
    known = factory().get_params(deep=False)  # a setting that a later version dropped is not fatal
    classifier = factory(**{name: value for name, value in settings.items() if name in known})
    features = tuple(Variable.from_dict(item) for item in document["features"])
    classifier.schema_ = Schema(features, Variable.from_dict(document["target"]))
    classifier.n_features_in_ = len(features)
    if document["named_columns"]:
        classifier.feature_names_in_ = np.array([variable.name for variable in features], dtype=object)
    classes = document["classes"]
    classifier.classes_ = np.array(classes["labels"], dtype=np.dtype(classes["dtype"]))
    network = network_from_dict(document["network"])
    part = document.get("instance_network")
    classifier._set_network(network, None if part is None else instance_network_from_dict(part, network))
    return classifier


def _instance_part(predictor: Any) -> dict[str, Any]:
    """Parents that depend on the row are a part of the file that only some classifiers have."""
    if not isinstance(predictor, InstanceNetwork):
        return {}
    return {"instance_network": instance_network_to_dict(predictor)}


def _plain(value: Any) -> Any:
    """Turn a setting into JSON: plain values as they are, learners as class and parameters."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"list": [_plain(item) for item in value.tolist()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_plain(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, DAG):
        return {"dag": {"nodes": list(value.nodes), "arcs": [list(arc) for arc in value.arcs]}}
    if type(value) in _learners().values():  # the class itself: others may have its name
        inner = {name: _plain(item) for name, item in value.get_params(deep=False).items()}
        return {"learner": type(value).__name__, "parameters": inner}
    return {"unsaved": repr(value)}


def _restore(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        return value
    if "learner" in value:
        learner = _learners().get(value["learner"])
        if learner is None:
            raise ValueError(f"The model file names a learner that this bayleaf lacks: {value['learner']!r}.")
        return learner(**{key: _restore(item, key) for key, item in value["parameters"].items()})
    if "dag" in value:
        return DAG(value["dag"]["nodes"], [tuple(arc) for arc in value["dag"]["arcs"]])
    if "dict" in value:
        return {_restore(key, name): _restore(item, name) for key, item in value["dict"]}
    if "unsaved" in value:
        warnings.warn(
            f"The model was fitted with {name}={value['unsaved']}, which a model file cannot hold; predictions are "
            "unaffected, but fitting again would use the default.",
            UserWarning,
            stacklevel=2,
        )
        return None
    kind, items = next(iter(value.items()))
    return {"list": list, "tuple": tuple}[kind](_restore(item, name) for item in items)


def _learners() -> dict[str, type]:
    """Every learner a model file may name."""
    homes = (structure, parameters, discretize, selection)
    found = {name: getattr(home, name) for home in homes for name in home.__all__}
    return {
        name: item
        for name, item in found.items()
        if isinstance(item, type) and issubclass(item, BaseEstimator)
    }
