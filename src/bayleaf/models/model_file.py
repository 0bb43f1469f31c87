"""Model files: a fitted classifier as versioned JSON, written and read.

A variable is written once, among the features or as the target; networks name their variables.
"""

import os
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.machine import format_bytes
from bayleaf._util.whole_files import brief_errors
from bayleaf._util.words import warn
from bayleaf.classify import AveragedClassifier, BaggedClassifier, EnsembleClassifier, NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.classify.record import TrainingRecord
from bayleaf.data import Schema, TableReader, Variable
from bayleaf.data.schema import Meaning
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network.council import Vote
from bayleaf.network.member import TwoReadings
from bayleaf.network.predictors import Predictor, predictor_to_dict, registered_predictor
from bayleaf.networks import documents

from .pool_parts import kept_from_plain, kept_to_plain, mixture_from_plain, mixture_to_plain
from .settings import (
    UnknownPartError,
    learner_from_plain,
    only_described,
    settings_from_plain,
    settings_to_plain,
    to_plain,
)
from .small_counts import without_small_counts

# Files of every version since this one are read; see tests/models/files_of_format_1.
FORMAT, VERSION = "bayleaf", 1
Model = BayesNetClassifier | EnsembleClassifier | NetworkPool
Loaded = BayesNetClassifier | AveragedClassifier | BaggedClassifier | NetworkPool
# More would make a file of several hundred megabytes; a number of a pool has few digits there.
MOST_CELLS, MOST_CELLS_OF_POOLS = 20_000_000, 40_000_000
DTYPE = re.compile(r"[<>=|]?[A-Za-z]\w*")  # of labels, as numpy names them: int64, <U5


def save(model: Model, path: str | os.PathLike[str], *, min_count: int | None = None) -> None:
    """Write a fitted model to a model file, all or nothing; compressed where its name ends in ``.gz``.

    With ``min_count``, nothing in the file speaks of fewer rows; see `bayleaf.models.small_counts`.
    """
    model._costs()  # says what is wrong with a loss, or with settings of reading, that were set after fit
    model._reading_settings()
    if min_count is not None:
        model = without_small_counts(model, min_count)
    content = _content(model)
    why = why_large(model)
    if why is not None:
        warn(f"'{path}' will be large: {why}")
    head = {"format": FORMAT, "version": VERSION, "bayleaf": version("bayleaf")}
    documents.write_document({**head, **content}, path)
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
        return _ensemble_content(model)
    kept = kept_to_plain(model) if "_online" in model.__dict__ else None
    return {
        **_schema(model, model),
        **_network_content(model),
        **({} if kept is None else {"partial_fit": kept}),
    }


def _ensemble_content(ensemble: EnsembleClassifier) -> dict[str, Any]:
    settings = settings_to_plain(ensemble, ensemble.classes_.tolist())
    del settings["estimator"]  # the settings of the members stand where those of a single classifier do
    vote, prior = ensemble.council_.vote, ensemble._prior.tolist()
    part: dict[str, Any] = {"settings": settings, "vote": vote, "prior": prior}
    if isinstance(ensemble, AveragedClassifier):
        check_size(ensemble)
        part |= {"weights": ensemble.council_.given_weights.tolist(), "levels": ensemble.levels_.tolist()}
        part["members"] = [_averaged_content(model) for model in ensemble.estimators_]
        return {**_schema(ensemble._settings(), ensemble), "averaged": part}
    part["members"] = [{**_network_content(each), "training": _record(each)} for each in ensemble.estimators_]
    return {**_schema(ensemble._settings(), ensemble), "ensemble": part}


# Files that are larger than this, or than this many training tables but not small, are worth a word beforehand.
LARGE_FILE, MOST_TABLES, SMALL_FILE = 50_000_000, 10, 5_000_000
# About what a number takes in a file, by the kind of model; a value of a table in memory, and the rest of a file.
_NUMBER, _NUMBER_IN_LINE, _NUMBER_OF_POOL, _VALUE, _REST = 27, 20, 5, 8, 60_000


def why_large(model: Model) -> str | None:
    """Say why the file of a model will be large, before it is written; None for a model of usual size.

    Examples
    --------
    >>> X = [[f"card {k % 4000}", "ab"[k % 2]] for k in range(20_000)]
    >>> model = BayesNetClassifier().fit(X, [k % 3 for k in range(20_000)])
    >>> why_large(model) is None
    True
    """
    size, cells = foreseen_size(model)
    columns = model.schema_.columns
    table = _VALUE * model.training_.rows * len(columns) if hasattr(model, "training_") else size
    if size < (SMALL_FILE if size > MOST_TABLES * table else LARGE_FILE):
        return None
    times = f", {size / table:,.0f} times its training table" if size > MOST_TABLES * table else ""
    about = f"about {format_bytes(size)}{times}, with {cells:,} numbers"
    variables: Sequence[Variable] = columns
    tables = [(each, node) for each in _networks(model) for node in range(len(each.nodes))]
    if tables:
        network, node = max(tables, key=lambda each: each[0].tables[each[1]].size)
        variables = [network.variables[k] for k in (*network.dag.parent_indices[node], node)]
        about += f", {network.tables[node].size:,} of them in the table of '{network.nodes[node]}'"
    widest = max(variables, key=lambda variable: variable.arity)
    return (
        f"{about}. The column '{widest.name}' has {widest.arity:,} states: leave it out, pool rare categories "
        "(max_categories), or use fewer parents or networks."
    )


def foreseen_size(model: Model) -> tuple[int, int]:
    """Return about how many bytes the file of a model will have, uncompressed, and how many numbers of tables."""
    if isinstance(model, NetworkPool):
        cells, number = model.n_parameters_, _NUMBER_OF_POOL
    else:
        cells = sum(table.size for each in _networks(model) for table in each.tables) + _of_evidence(model)
        number = _NUMBER_IN_LINE if isinstance(model, AveragedClassifier) else _NUMBER
    named = sum(len(str(state)) + 8 for variable in model.schema_.variables for state in variable.states)
    return _REST + named + number * cells, cells


def _networks(model: Model) -> list[BayesNet]:
    """Return the networks whose tables go into the file of a model."""
    if isinstance(model, NetworkPool):
        return []
    return (
        [each.network_ for each in model.estimators_]
        if isinstance(model, EnsembleClassifier)
        else [model.network_]
    )


def _of_evidence(model: Model) -> int:
    """Return how many numbers the second readings of graphs have."""
    members = model.estimators_ if isinstance(model, EnsembleClassifier) else [model]
    predictors = [getattr(each, "_predictor", None) for each in members]
    return sum(each.evidence.n_numbers for each in predictors if isinstance(each, TwoReadings))


def check_size(model: AveragedClassifier | NetworkPool) -> None:
    """Refuse to write a model whose tables would make a huge file."""
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


def _averaged_content(classifier: BayesNetClassifier) -> dict[str, Any]:
    """Return a member in few lines: each table is one text."""
    network = classifier.network_
    return {
        "nodes": list(network.nodes),
        "parents": [list(parents) for parents in network.dag.parent_indices],
        "tables": documents.tables_to_text(network),
    }


def _schema(settings: BayesNetClassifier | NetworkPool, model: Model) -> dict[str, Any]:
    """Return what is known of the columns and classes, and the record of the training."""
    *features, target = model.schema_.variables
    classes = model.classes_
    return {
        "settings": settings_to_plain(settings, classes.tolist()),
        "used": _used_learners(model),
        "classes": {"dtype": classes.dtype.str, "labels": classes.tolist()},
        "named_columns": hasattr(model, "feature_names_in_"),
        "features": [variable.to_dict() for variable in features],
        "target": target.to_dict(),
        "training": _record(model),
        **({"meaning": model.meaning_.to_dict()} if model.meaning_ != Meaning() else {}),
    }


def _record(model: Model) -> dict[str, Any] | None:
    if isinstance(model, BayesNetClassifier):
        model._measure_misfit()  # the rows of fit are not in the file
    return model.training_.to_dict() if hasattr(model, "training_") else None


def _used_learners(model: Model) -> dict[str, Any]:
    """Return the learners that fit used, as far as a file can hold them."""
    if isinstance(model, NetworkPool):
        return {}
    used = {part: getattr(model, f"{part}_", None) for part in ("structure", "parameters", "discretizer")}
    labels = model.classes_.tolist()
    plain = {part: to_plain(each, labels) for part, each in used.items() if each is not None}
    return {part: each for part, each in plain.items() if not only_described(each, part)}


def _network_content(classifier: BayesNetClassifier) -> dict[str, Any]:
    """Return a network, and what predicts instead of it where its structure learner has made something else."""
    network, predictor = classifier.network_, classifier._predictor
    content = {"network": documents.families_to_dict(network)}
    return content if predictor is network else {**content, "predictor": predictor_to_dict(predictor)}


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
    document = documents.read_document(path, FORMAT, VERSION)
    lost: list[str] = []
    try:
        model = _model(document, lost)
    except UnknownPartError as error:
        raise ValueError(
            f"'{path}' cannot be read: {error}; it was written by bayleaf {document.get('bayleaf')}."
        ) from error
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
        return _read_averaged(document, lost)
    return _read_ensemble(document, lost) if "ensemble" in document else _classifier(document, lost)


def _classifier(document: dict[str, Any], lost: list[str]) -> BayesNetClassifier:
    classifier = _settings(document, lost)
    classifier._use(_reader(document, classifier))
    classifier._set_network(*_read_network(document, classifier))
    classifier._costs()  # says what is wrong with them
    _set_record(classifier, document)
    if "partial_fit" in document:
        classifier._online = kept_from_plain(document["partial_fit"], classifier)
    return classifier


def _read_ensemble(document: dict[str, Any], lost: list[str]) -> BaggedClassifier:
    part = document["ensemble"]
    settings = settings_from_plain(part["settings"], BaggedClassifier, lost)
    ensemble = BaggedClassifier(estimator=_settings(document, lost), **settings)
    ensemble._use(_reader(document, ensemble))
    members = [ensemble._new_member() for _ in _members(part)]
    for member, item in zip(members, part["members"], strict=True):
        member._set_network(*_read_network(item, member))
        _set_record(member, item)
        member.structure_, member.parameters_ = ensemble.structure_, ensemble.parameters_
    ensemble._set_members(members, _vote(part, "average", "majority"), _prior(part, ensemble.classes_))
    _set_record(ensemble, document)
    return ensemble


def _read_averaged(document: dict[str, Any], lost: list[str]) -> AveragedClassifier:
    part = document["averaged"]
    settings = settings_from_plain(part["settings"], AveragedClassifier, lost)
    ensemble = AveragedClassifier(estimator=_settings(document, lost), **settings)
    ensemble._use(_reader(document, ensemble))
    members, pattern = [], ensemble._new_member()
    for item in _members(part):
        used = _used(ensemble.schema_, ensemble.classes_, item["nodes"])
        dag = DAG.from_parents(item["nodes"], item["parents"])
        tables = documents.tables_from_text(item["tables"], used, dag)
        members.append(ensemble._member_of(pattern, BayesNet(used, dag, tables, used[-1].name)))
    prior, weights = _prior(part, ensemble.classes_), np.array(part["weights"], dtype=np.float64)
    levels = {level for level in part["levels"] if isinstance(level, int)}
    usable = weights.shape == (len(members),) and bool(((weights > 0) & (weights < np.inf)).all())
    if not usable or levels != set(range(len(levels))):
        raise ValueError("the weights or levels are not those of the members")
    ensemble._set_members(members, _vote(part, "average", "joint"), prior, weights, part["levels"])
    _set_record(ensemble, document)
    return ensemble


def _members(part: dict[str, Any]) -> list[Any]:
    if not isinstance(part["members"], list) or not part["members"]:
        raise ValueError("the ensemble has no members")
    return part["members"]


def _vote(part: dict[str, Any], *possible: Vote) -> Vote:
    """Return how the members answer together."""
    vote: Vote = part["vote"]
    if vote not in possible:
        raise ValueError("it does not say how the members answer together")
    return vote


def _prior(part: dict[str, Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    prior = np.array(part["prior"], dtype=np.float64)
    if prior.shape != classes.shape or not (prior >= 0).all() or abs(prior.sum() - 1) > 1e-6:
        raise ValueError("the shares of the classes are not one number for each that sum to one")
    return prior


def _pool(document: dict[str, Any], lost: list[str]) -> NetworkPool:
    pool = NetworkPool(**settings_from_plain(document["settings"], NetworkPool, lost))
    pool._use(_reader(document, pool))
    _check_labels(pool.schema_, pool.classes_)
    part, features = document["pool"], pool.schema_.features
    evidence = np.array(part["mean_evidence"], dtype=np.float64)
    if evidence.shape != (len(features),):
        raise ValueError("the pool has evidence of other features")
    pool._set_mixture(mixture_from_plain(part, features, len(pool.classes_)), evidence)
    pool._costs()  # says what is wrong with them
    _set_record(pool, document)
    return pool


def _settings(document: dict[str, Any], lost: list[str]) -> BayesNetClassifier:
    return BayesNetClassifier(**settings_from_plain(document["settings"], BayesNetClassifier, lost))


def _reader(document: dict[str, Any], model: Loaded) -> TableReader:
    """Rebuild what reads the columns; the model is given the learners that fit used."""
    features = tuple(Variable.from_dict(item) for item in document["features"])
    rows = (document["training"] or {}).get("rows")
    schema = Schema(features, Variable.from_dict(document["target"]), rows)
    dtype = document["classes"]["dtype"]
    if not isinstance(dtype, str) or not DTYPE.fullmatch(dtype):  # numpy would read lists and tuples from it
        raise ValueError("the classes have no type")
    classes = np.array(document["classes"]["labels"], dtype=np.dtype(dtype))
    reader = model._new_reader().take(schema, classes, named=document["named_columns"])
    if isinstance(model, NetworkPool):
        return reader
    used = {part: learner_from_plain(each) for part, each in document["used"].items()}
    model.structure_, model.parameters_ = used.get("structure"), used.get("parameters")
    reader.discretizer = used.get("discretizer")
    return reader


def _set_record(model: Model, document: dict[str, Any]) -> None:
    if document.get("meaning"):
        model.describe(**document["meaning"])
    if (known := document.get("training")) is None:
        return
    record = model.training_ = TrainingRecord.from_dict(known)
    if record.method is not None:
        model.name_method(record.method)


def _read_network(data: dict[str, Any], classifier: BayesNetClassifier) -> tuple[BayesNet, Predictor | None]:
    """Rebuild the network of a classifier, and what predicts instead of it where there is such a thing."""
    content = data["network"]
    used = _used(classifier.schema_, classifier.classes_, list(content["parents"]))
    network = documents.families_from_dict(content, used, used[-1].name)
    part = data.get("predictor")
    if part is None:
        return network, None
    kind = registered_predictor(part["kind"])
    if kind is None:
        raise UnknownPartError(
            f"no predictor {part['kind']!r} is registered; import the module that registers it"
        )
    return network, kind.from_dict(part, network)


def _used(schema: Schema, classes: NDArray[Any], nodes: list[str]) -> list[Variable]:
    """Return the variables of a network, whose nodes are features of the schema and then the class."""
    _check_labels(schema, classes)
    assert schema.target is not None
    known = {variable.name: variable for variable in schema.features}
    strange = [name for name in nodes[:-1] if name not in known]
    if strange or nodes[-1:] != [schema.target.name]:
        what = strange[0] if strange else schema.target.name
        raise ValueError(f"the network and the schema disagree about '{what}'")
    return [*(known[name] for name in nodes[:-1]), schema.target]


def _check_labels(schema: Schema, classes: NDArray[Any]) -> None:
    if schema.target is None or tuple(classes.tolist()) != schema.target.states:
        raise ValueError("the class labels are not the states of the class")
