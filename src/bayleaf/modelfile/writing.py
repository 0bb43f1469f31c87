"""How a model file is written."""

import os
from importlib.metadata import version
from typing import Any

from bayleaf._util.warning import warn
from bayleaf.data.meaning import Meaning
from bayleaf.ensemble import AveragedClassifier, EnsembleClassifier
from bayleaf.estimator import BayesNetClassifier
from bayleaf.files.documents import instance_network_to_dict, network_to_dict, tables_to_text, write_document
from bayleaf.network import InstanceNetwork

from .settings import only_described, settings_to_plain

FORMAT = "bayleaf"
VERSION = 2
# Of files that the first version of the format can hold; so older versions of bayleaf read them.
FIRST_VERSION = 1


def save(model: BayesNetClassifier | EnsembleClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a model file, all or nothing; compressed where its name ends in ``.gz``."""
    content = _ensemble(model) if isinstance(model, EnsembleClassifier) else _classifier(model)
    needed = VERSION if isinstance(model, AveragedClassifier) else FIRST_VERSION
    write_document({"format": FORMAT, "version": needed, "bayleaf": version("bayleaf"), **content}, path)
    unsaved = [
        *only_described(content["settings"]),
        *only_described(content.get("ensemble", content.get("averaged", {})).get("settings", {})),
    ]
    if unsaved:
        warn(
            f"A model file cannot hold {' or '.join(unsaved)}: the loaded model predicts the same, but fitting it "
            "again would use the default."
        )


def _classifier(classifier: BayesNetClassifier) -> dict[str, Any]:
    return {**_schema(classifier, classifier), **_predictor(classifier)}


def _ensemble(ensemble: EnsembleClassifier) -> dict[str, Any]:
    settings = settings_to_plain(ensemble)
    del settings["estimator"]  # the settings of the members stand where those of a single classifier do
    part: dict[str, Any] = {"settings": settings, "prior": ensemble._prior.tolist()}
    if isinstance(ensemble, AveragedClassifier):
        check_size(ensemble)
        part |= {"weights": ensemble.council_.given_weights.tolist(), "levels": ensemble.levels_.tolist()}
        part["members"] = [_averaged(model) for model in ensemble.estimators_]
        return {**_schema(ensemble._encoder, ensemble), "averaged": part}
    part["members"] = [_predictor(model) for model in ensemble.estimators_]
    return {**_schema(ensemble._encoder, ensemble), "ensemble": part}


# More would make a file of several hundred megabytes.
MOST_CELLS = 20_000_000


def check_size(ensemble: AveragedClassifier) -> None:
    """Refuse to write an ensemble whose tables would make a file that nobody wants."""
    cells = sum(table.size for model in ensemble.estimators_ for table in model.network_.tables)
    if cells > MOST_CELLS:
        raise ValueError(
            f"This model is too large for a model file: the tables of its {len(ensemble.estimators_):,} networks "
            f"have {cells:,} cells, more than {MOST_CELLS:,}. Pickle it instead, or learn fewer networks."
        )


def _averaged(classifier: BayesNetClassifier) -> dict[str, Any]:
    """Return a member in few lines: its variables are those of the schema, and each table is one text."""
    network = classifier.network_
    return {
        "nodes": list(network.nodes),
        "parents": [list(parents) for parents in network.dag.parent_indices],
        "tables": tables_to_text(network),
    }


def _schema(encoder: BayesNetClassifier, model: BayesNetClassifier | EnsembleClassifier) -> dict[str, Any]:
    """Return what is known of the columns and classes, and the record of the training."""
    *features, target = encoder.schema_.variables
    return {
        "settings": settings_to_plain(encoder),
        "classes": {"dtype": encoder.classes_.dtype.str, "labels": encoder.classes_.tolist()},
        "named_columns": hasattr(encoder, "feature_names_in_"),
        "features": [variable.to_dict() for variable in features],
        "target": target.to_dict(),
        "training": model.training_.to_dict() if hasattr(model, "training_") else None,
        **({"meaning": model.meaning_.to_dict()} if model.meaning_ != Meaning() else {}),
    }


def _predictor(classifier: BayesNetClassifier) -> dict[str, Any]:
    """Return a network, and the parents that depend on the row where there are any."""
    data = {"network": network_to_dict(classifier.network_)}
    if isinstance(classifier._predictor, InstanceNetwork):
        data["instance_network"] = instance_network_to_dict(classifier._predictor)
    return data
