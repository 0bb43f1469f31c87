"""How a model file is read."""

import os
import re
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bayleaf._util.warning import warn
from bayleaf.data import Schema, Variable
from bayleaf.ensemble import AveragedClassifier, BaggedClassifier, EnsembleClassifier
from bayleaf.estimator import BayesNetClassifier
from bayleaf.files.documents import (
    instance_network_from_dict,
    network_from_dict,
    read_document,
    tables_from_text,
)
from bayleaf.files.whole_files import brief_errors
from bayleaf.graph import DAG
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.pool import NetworkPool
from bayleaf.record import TrainingRecord

from .kept_counts import kept_from_plain
from .pools import mixture_from_plain
from .renamed import named_as_today
from .settings import settings_from_plain
from .writing import FORMAT, VERSION

DTYPE = re.compile(r"[<>=|]?[A-Za-z]\w*")  # of labels, as numpy names them: int64, <U5
Loaded = BayesNetClassifier | AveragedClassifier | BaggedClassifier | NetworkPool


@brief_errors()
def load(path: str | os.PathLike[str]) -> Loaded:
    """Read a model file: a fitted classifier again, with identical probabilities on raw data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = BayesNetClassifier().fit(X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.bayleaf.json"
    >>> clf.save(path)
    >>> bool((load(path).predict_proba(X) == clf.predict_proba(X)).all())
    True
    """
    document = read_document(path, FORMAT, VERSION)
    lost: list[str] = []
    try:
        model = _model(document, lost)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"'{path}' is damaged: its content is incomplete ({error}).") from error
    except ValueError as error:
        raise ValueError(f"'{path}' is damaged: {error}") from error
    for sentence in lost:
        warn(sentence)
    return model


def _model(document: dict[str, Any], lost: list[str]) -> Loaded:
    if "pool" in document:
        return _pool(document, lost)
    if "averaged" in document:
        return _averaged(document, lost)
    return _ensemble(document, lost) if "ensemble" in document else _classifier(document, lost)


def _classifier(document: dict[str, Any], lost: list[str]) -> BayesNetClassifier:
    classifier = _encoder(document, lost)
    classifier._set_network(*_predictor(document, classifier))
    classifier._costs()  # says what is wrong with them
    _set_record(classifier, document)
    if "partial_fit" in document:
        classifier._kept = kept_from_plain(document["partial_fit"], classifier)
    return classifier


def _ensemble(document: dict[str, Any], lost: list[str]) -> BaggedClassifier:
    part = document["ensemble"]
    encoder = _encoder(document, lost)
    settings = settings_from_plain(part["settings"], BaggedClassifier, lost)
    ensemble = BaggedClassifier(estimator=clone(encoder), **settings)
    members = [copy(encoder) for _ in _members(part)]
    for member, item in zip(members, part["members"], strict=True):
        member._set_network(*_predictor(item, member))
    ensemble._set_members(encoder, members, _prior(part, encoder.classes_))
    _set_record(ensemble, document)
    return ensemble


def _averaged(document: dict[str, Any], lost: list[str]) -> AveragedClassifier:
    part = document["averaged"]
    encoder = _encoder(document, lost)
    settings = settings_from_plain(part["settings"], AveragedClassifier, lost)
    ensemble = AveragedClassifier(estimator=clone(encoder), **settings)
    variables = {variable.name: variable for variable in encoder.schema_.variables}
    members = []
    for item in _members(part):
        dag = DAG.from_parents(item["nodes"], item["parents"])
        used = [variables[name] for name in dag.nodes]
        member = copy(encoder)
        network = BayesNet(used, dag, tables_from_text(item["tables"], used, dag), used[-1].name)
        _check_agreement(encoder.schema_, encoder.classes_, network)
        member._set_network(network)
        members.append(member)
    prior, weights = _prior(part, encoder.classes_), np.array(part["weights"], dtype=np.float64)
    levels = {level for level in part["levels"] if isinstance(level, int)}
    if weights.shape != (len(members),) or not (weights > 0).all() or levels != set(range(len(levels))):
        raise ValueError("the weights or levels are not those of the members")
    ensemble._set_members(encoder, members, prior, weights, part["levels"])
    _set_record(ensemble, document)
    return ensemble


def _members(part: dict[str, Any]) -> list[Any]:
    if not isinstance(part["members"], list) or not part["members"]:
        raise ValueError("the ensemble has no members")
    return part["members"]


def _prior(part: dict[str, Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    prior = np.array(part["prior"], dtype=np.float64)
    if prior.shape != classes.shape or not (prior >= 0).all() or abs(prior.sum() - 1) > 1e-6:
        raise ValueError("the shares of the classes are not one number for each that sum to one")
    return prior


def _pool(document: dict[str, Any], lost: list[str]) -> NetworkPool:
    pool = NetworkPool(**settings_from_plain(document["settings"], NetworkPool, lost))
    encoder = pool._new_encoder()
    _set_columns(encoder, document)
    _check_labels(encoder.schema_, encoder.classes_)
    part, features = document["pool"], encoder.schema_.features
    evidence = np.array(part["mean_evidence"], dtype=np.float64)
    if evidence.shape != (len(features),):
        raise ValueError("the pool has evidence of other features")
    pool._set_mixture(encoder, mixture_from_plain(part, features, len(encoder.classes_)), evidence)
    encoder._costs()  # says what is wrong with them
    _set_record(pool, document)
    return pool


def _encoder(document: dict[str, Any], lost: list[str]) -> BayesNetClassifier:
    """Rebuild a classifier that knows its columns and classes, but has no network yet."""
    encoder = BayesNetClassifier(**settings_from_plain(document["settings"], BayesNetClassifier, lost))
    _set_columns(encoder, document)
    return encoder


def _set_columns(encoder: BayesNetClassifier, document: dict[str, Any]) -> None:
    features = tuple(Variable.from_dict(item) for item in document["features"])
    rows = (document.get("training") or {}).get("rows")
    schema = Schema(features, Variable.from_dict(document["target"]), rows)
    dtype = document["classes"]["dtype"]
    if not isinstance(dtype, str) or not DTYPE.fullmatch(dtype):  # numpy would read lists and tuples from it
        raise ValueError("the classes have no type")
    classes = np.array(document["classes"]["labels"], dtype=np.dtype(dtype))
    encoder._set_schema(schema, classes, named=document["named_columns"])


def _set_record(
    model: BayesNetClassifier | EnsembleClassifier | NetworkPool, document: dict[str, Any]
) -> None:
    if document.get("meaning"):
        model.describe(**document["meaning"])
    if not document.get("training"):  # absent from files written before it was recorded
        return
    record = TrainingRecord.from_dict(document["training"])
    if record.learned_with is None and "bayleaf" in document:  # older files name the version that wrote them
        record = replace(record, learned_with={"bayleaf": str(document["bayleaf"])})
    record = model.training_ = named_as_today(record, model)
    if record.method is not None:
        model.name_method(record.method)


def _predictor(
    data: dict[str, Any], classifier: BayesNetClassifier
) -> tuple[BayesNet, InstanceNetwork | None]:
    """Rebuild the network of a classifier, and what predicts in its place where parents depend on the row."""
    network = network_from_dict(data["network"])
    _check_agreement(classifier.schema_, classifier.classes_, network)
    part = data.get("instance_network")
    return network, None if part is None else instance_network_from_dict(part, network)


def _check_agreement(schema: Schema, classes: NDArray[Any], network: BayesNet) -> None:
    """Refuse a schema that does not encode for the network: codes would mean other states, or none."""
    known = {variable.name: variable for variable in schema.features}
    *features, target = network.variables
    strange = [variable.name for variable in features if known.get(variable.name) != variable]
    if strange or target != schema.target or network.target != target.name:
        what = strange[0] if strange else target.name
        raise ValueError(f"the network and the schema disagree about '{what}'")
    _check_labels(schema, classes)


def _check_labels(schema: Schema, classes: NDArray[Any]) -> None:
    if schema.target is None or tuple(classes.tolist()) != schema.target.states:
        raise ValueError("the class labels are not the states of the class")
