"""How a model file is written."""

import os
from importlib.metadata import version
from typing import Any

from bayleaf._util.warning import warn
from bayleaf.ensemble import BaggedClassifier
from bayleaf.estimator import BayesNetClassifier
from bayleaf.files.documents import instance_network_to_dict, network_to_dict, write_document
from bayleaf.network import InstanceNetwork

from .settings import only_described, settings_to_plain

FORMAT = "bayleaf"
VERSION = 1


def save(model: BayesNetClassifier | BaggedClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a model file, all or nothing; compressed where its name ends in ``.gz``."""
    content = _ensemble(model) if isinstance(model, BaggedClassifier) else _classifier(model)
    write_document({"format": FORMAT, "version": VERSION, "bayleaf": version("bayleaf"), **content}, path)
    unsaved = [
        *only_described(content["settings"]),
        *only_described(content.get("ensemble", {}).get("settings", {})),
    ]
    if unsaved:
        warn(
            f"A model file cannot hold {' or '.join(unsaved)}: the loaded model predicts the same, but fitting it "
            "again would use the default."
        )


def _classifier(classifier: BayesNetClassifier) -> dict[str, Any]:
    return {**_schema(classifier, classifier), **_predictor(classifier)}


def _ensemble(ensemble: BaggedClassifier) -> dict[str, Any]:
    settings = settings_to_plain(ensemble)
    del settings["estimator"]  # the settings of the members stand where those of a single classifier do
    members = [_predictor(model) for model in ensemble.estimators_]
    part = {"settings": settings, "prior": ensemble._prior.tolist(), "members": members}
    return {**_schema(ensemble._encoder, ensemble), "ensemble": part}


def _schema(encoder: BayesNetClassifier, model: BayesNetClassifier | BaggedClassifier) -> dict[str, Any]:
    """Return what is known of the columns and classes, and the record of the training."""
    *features, target = encoder.schema_.variables
    return {
        "settings": settings_to_plain(encoder),
        "classes": {"dtype": encoder.classes_.dtype.str, "labels": encoder.classes_.tolist()},
        "named_columns": hasattr(encoder, "feature_names_in_"),
        "features": [variable.to_dict() for variable in features],
        "target": target.to_dict(),
        "training": model.training_.to_dict() if hasattr(model, "training_") else None,
    }


def _predictor(classifier: BayesNetClassifier) -> dict[str, Any]:
    """Return a network, and the parents that depend on the row where there are any."""
    data = {"network": network_to_dict(classifier.network_)}
    if isinstance(classifier._predictor, InstanceNetwork):
        data["instance_network"] = instance_network_to_dict(classifier._predictor)
    return data
