"""The model file: a fitted classifier as versioned JSON that executes nothing when it is read.

It holds the settings, the schema and the network; numbers are written so that they come back to the last bit, and
with them every probability. Settings name learners of bayleaf by class and parameters; costs are kept as the matrix
that decides; anything else is kept as a description only.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf import parameters, scores, selection, structure
from bayleaf._util.warning import warn
from bayleaf.data import Schema, Variable, discretize
from bayleaf.files.documents import (
    instance_network_from_dict,
    instance_network_to_dict,
    network_from_dict,
    network_to_dict,
    read_document,
    write_document,
)
from bayleaf.graph import DAG
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.network.costs import cost_matrix, is_frame

from .record import TrainingRecord

Model = TypeVar("Model")
FORMAT = "bayleaf"
VERSION = 1
MOST_DESCRIBED = 200  # characters of what a file cannot hold


def write_model(content: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a fitted model, as plain data, to a model file, all or nothing; packed where its name ends in .gz."""
    document = {"format": FORMAT, "version": VERSION, "bayleaf": version("bayleaf"), **content}
    write_document(document, path)
    unsaved = [*_unsaved(content["settings"]), *_unsaved(content.get("ensemble", {}).get("settings", {}))]
    if unsaved:
        warn(
            f"A model file cannot hold {' or '.join(unsaved)}: the loaded model predicts the same, but fitting it "
            "again would use the default.",
        )


def read_model(path: str | os.PathLike[str], rebuild: Callable[[dict[str, Any]], Model]) -> Model:
    """Read a model file and rebuild the fitted model from its content."""
    document = read_document(path, FORMAT, VERSION)
    try:
        return rebuild(document)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"'{path}' is damaged: its content is incomplete ({error}).") from error
    except ValueError as error:
        raise ValueError(f"'{path}' is damaged: {error}") from error


def settings_to_dict(estimator: Any) -> dict[str, Any]:
    """Return the settings of a fitted estimator as plain data."""
    return _plain_settings(estimator, estimator.classes_.tolist())


def settings_from_dict(settings: dict[str, Any], factory: type) -> dict[str, Any]:
    """Rebuild the settings of an estimator; one that this version does not know is not fatal."""
    known = factory().get_params(deep=False)
    return {name: _restore(value, name, outermost=True) for name, value in settings.items() if name in known}


def schema_to_dict(classifier: Any) -> dict[str, Any]:
    """Return what a classifier knows of its columns and classes as plain data."""
    return {
        "settings": settings_to_dict(classifier),
        "classes": {"dtype": classifier.classes_.dtype.str, "labels": classifier.classes_.tolist()},
        "named_columns": hasattr(classifier, "feature_names_in_"),
        "features": [variable.to_dict() for variable in classifier.schema_.features],
        "target": classifier.schema_.target.to_dict(),
        "training": classifier.training_.to_dict() if hasattr(classifier, "training_") else None,
    }


def schema_from_dict(document: dict[str, Any], factory: type) -> Any:
    """Rebuild a classifier that knows its columns and classes, but has no network yet."""
    classifier = factory(**settings_from_dict(document["settings"], factory))
    features = tuple(Variable.from_dict(item) for item in document["features"])
    classifier.schema_ = Schema(features, Variable.from_dict(document["target"]))
    classifier.n_features_in_ = len(features)
    if document["named_columns"]:
        classifier.feature_names_in_ = np.array([variable.name for variable in features], dtype=object)
    classes = document["classes"]
    classifier.classes_ = np.array(classes["labels"], dtype=np.dtype(classes["dtype"]))
    if document.get("training"):  # absent from files written before it was recorded
        record = TrainingRecord.from_dict(document["training"])
        if (
            record.learned_with is None and "bayleaf" in document
        ):  # older files name the version that wrote them
            record = replace(record, learned_with={"bayleaf": str(document["bayleaf"])})
        classifier.training_ = record
    return classifier


def predictor_to_dict(network: BayesNet, predictor: Any) -> dict[str, Any]:
    """Return a network, and the parents that depend on the row where there are any, as plain data."""
    data = {"network": network_to_dict(network)}
    if isinstance(predictor, InstanceNetwork):
        data["instance_network"] = instance_network_to_dict(predictor)
    return data


def predictor_from_dict(data: dict[str, Any], classifier: Any) -> tuple[BayesNet, InstanceNetwork | None]:
    """Rebuild the network of a classifier, and what predicts in its place where parents depend on the row."""
    network = network_from_dict(data["network"])
    check_agreement(classifier.schema_, classifier.classes_, network)
    part = data.get("instance_network")
    return network, None if part is None else instance_network_from_dict(part, network)


def check_agreement(schema: Schema, classes: NDArray[Any], network: BayesNet) -> None:
    """Refuse a schema that does not encode for the network: codes would mean other states, or none."""
    known = {variable.name: variable for variable in schema.features}
    *features, target = network.variables
    strange = [variable.name for variable in features if known.get(variable.name) != variable]
    if strange or target != schema.target or network.target != target.name:
        what = strange[0] if strange else target.name
        raise ValueError(f"the network and the schema disagree about '{what}'")
    if tuple(classes.tolist()) != target.states:
        raise ValueError("the class labels are not the states of the class")


def _plain_settings(estimator: Any, labels: list[Any]) -> dict[str, Any]:
    """Turn the settings of an estimator into JSON; costs that are no matrix yet become one, over the labels."""
    settings = estimator.get_params(deep=False)
    loss = settings.get("loss")
    if callable(loss) or is_frame(loss):
        settings["loss"] = cost_matrix(loss, labels, type(estimator).__name__)
    return {name: _plain(value, labels) for name, value in settings.items()}


def _plain(value: Any, labels: list[Any]) -> Any:
    """Turn a setting into JSON: plain values as they are, learners as class and parameters."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"list": [_plain(item, labels) for item in value.tolist()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_plain(item, labels) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_plain(key, labels), _plain(item, labels)] for key, item in value.items()]}
    if isinstance(value, DAG):
        return {"dag": {"nodes": list(value.nodes), "arcs": [list(arc) for arc in value.arcs]}}
    if type(value) in _learners().values():  # the class itself: others may have its name
        return {"learner": type(value).__name__, "parameters": _plain_settings(value, labels)}
    return {"unsaved": " ".join(repr(value).split())[:MOST_DESCRIBED]}


def _unsaved(value: Any, name: str = "") -> list[str]:
    """Name the settings, inside plain data, that are only described there."""
    if isinstance(value, dict) and "unsaved" in value:
        return [f"{name}={value['unsaved']}"]
    if isinstance(value, dict) and "learner" in value:
        return [
            text for key, item in value["parameters"].items() for text in _unsaved(item, f"{name}__{key}")
        ]
    if isinstance(value, dict) and not name:
        return [text for key, item in value.items() for text in _unsaved(item, key)]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _unsaved(item, name)]


def _restore(value: Any, name: str, *, outermost: bool = False) -> Any:
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
        # Only old files describe costs, which are kept as a matrix now; those inside a score decide nothing.
        effect = (
            "the loaded model decides without these costs, for the most probable class"
            if name == "loss" and outermost
            else "predictions are unaffected, but fitting again would use the default"
        )
        warn(
            f"The model was fitted with {name}={value['unsaved']}, which a model file cannot hold; {effect}.",
        )
        return None
    kind, items = next(iter(value.items()))
    return {"list": list, "tuple": tuple}[kind](_restore(item, name) for item in items)


def _learners() -> dict[str, type]:
    """Every learner a model file may name."""
    homes = (structure, parameters, scores, discretize, selection)
    found = {name: getattr(home, name) for home in homes for name in home.__all__}
    return {
        name: item
        for name, item in found.items()
        if isinstance(item, type) and issubclass(item, BaseEstimator)
    }
