"""How a model file is written."""

import os
from importlib.metadata import version
from typing import Any

from bayleaf._util.warning import warn
from bayleaf.data.meaning import Meaning
from bayleaf.ensemble import AveragedClassifier, BaggedClassifier, EnsembleClassifier
from bayleaf.estimator import BayesNetClassifier
from bayleaf.files.documents import instance_network_to_dict, network_to_dict, tables_to_text, write_document
from bayleaf.network import InstanceNetwork
from bayleaf.pool import NetworkPool

from .kept_counts import kept_to_plain
from .pools import mixture_to_plain
from .settings import only_described, settings_to_plain
from .small_counts import without_small_counts

FORMAT = "bayleaf"
VERSION = 3
# The version that first could hold each kind of model; so older versions of bayleaf read what they can.
SINCE: dict[type, int] = {BayesNetClassifier: 1, BaggedClassifier: 1, AveragedClassifier: 2, NetworkPool: 3}
Model = BayesNetClassifier | EnsembleClassifier | NetworkPool


def save(model: Model, path: str | os.PathLike[str], *, min_count: int | None = None) -> None:
    """Write a fitted model to a model file, all or nothing; compressed where its name ends in ``.gz``.

    With ``min_count``, nothing in the file speaks of fewer rows; see `bayleaf.modelfile.small_counts`.
    """
    if min_count is not None:
        model = without_small_counts(model, min_count)
    needed = max(since for kind, since in SINCE.items() if isinstance(model, kind))
    content = _content(model)
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


def _content(model: Model) -> dict[str, Any]:
    if isinstance(model, NetworkPool):
        check_size(model)
        learned = {"mean_evidence": model.mean_evidence_.tolist(), **mixture_to_plain(model.mixture_)}
        return {**_schema(model, model), "pool": learned}
    if isinstance(model, EnsembleClassifier):
        return _ensemble(model)
    kept = kept_to_plain(model) if "_kept" in model.__dict__ else None
    return {
        **_schema(model, model),
        **_predictor(model),
        **({} if kept is None else {"partial_fit": kept}),
    }


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


# More would make a file of several hundred megabytes; a number of a pool has few digits there.
MOST_CELLS, MOST_CELLS_OF_POOLS = 20_000_000, 40_000_000


def check_size(model: AveragedClassifier | NetworkPool) -> None:
    """Refuse to write a model whose tables would make a file that nobody wants."""
    if isinstance(model, NetworkPool):
        cells, most = model.n_parameters_, MOST_CELLS_OF_POOLS
        whose, instead = "its tables", "fewer cycles or seeds"
    else:
        most = MOST_CELLS
        cells = sum(table.size for each in model.estimators_ for table in each.network_.tables)
        whose, instead = f"the tables of its {len(model.estimators_):,} networks", "fewer networks"
    if cells > most:
        raise ValueError(
            f"This model is too large for a model file: {whose} have {cells:,} cells, more than {most:,}. "
            f"Pickle it instead, or learn {instead}."
        )


def _averaged(classifier: BayesNetClassifier) -> dict[str, Any]:
    """Return a member in few lines: its variables are those of the schema, and each table is one text."""
    network = classifier.network_
    return {
        "nodes": list(network.nodes),
        "parents": [list(parents) for parents in network.dag.parent_indices],
        "tables": tables_to_text(network),
    }


def _schema(encoder: BayesNetClassifier | NetworkPool, model: Model) -> dict[str, Any]:
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
