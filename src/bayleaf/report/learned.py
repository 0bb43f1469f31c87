"""How the model was learned: method and reference, settings, score, data, warnings, versions, how to repeat it."""

import inspect
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from math import log
from typing import Any

from bayleaf.ensemble import BaggedClassifier
from bayleaf.network import BayesNet
from bayleaf.record import versions

from .again import command_line, method_name, python_lines
from .cautions import cautions
from .parts import DEFAULTS, learner, member_of, networks_of
from .search import search_data
from .text import shorten


def how_learned(model: Any) -> dict[str, Any]:
    """Everything about the making of a model, as plain data."""
    classifier = None if isinstance(model, BayesNet) else model
    record = getattr(classifier, "training_", None)
    return {
        "method": None if classifier is None else method_name(classifier),
        "structure": None if classifier is None else type(learner(classifier, "structure")).__name__,
        "settings": [] if classifier is None else list(_settings(classifier)),
        "references": [] if classifier is None else list(_references(classifier)),
        "scores": list(_scores(model)),
        "search": search_data(record),
        "data": list(_data_summary(model)),
        "classes": [] if record is None else _class_weights(classifier),
        "unused": [] if classifier is None else _unused(classifier),
        "warnings": [shorten(text, 600) for text in cautions(model)],
        "versions": [
            ["Learned with", _listed(getattr(record, "learned_with", None))],
            ["Page written with", _listed(versions())],
        ],
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": python_lines(classifier),
        "command": command_line(classifier),
    }


def _listed(used: dict[str, str] | None) -> str:
    if used is None:
        return "not recorded"
    return ", ".join(f"{shorten(name, 40)} {shorten(number, 40)}" for name, number in used.items())


def _settings(classifier: Any) -> Iterator[list[str]]:
    for name, value in classifier.get_params(deep=False).items():
        shown = shorten(repr(value), 300)
        if value is None and name in DEFAULTS:
            shown = f"{DEFAULTS[name]()!r} (default)"
        elif value is None and name == "estimator":
            shown = f"{member_of(classifier)!r} (default)"
        yield [name, shown]


def _references(classifier: Any) -> Iterator[list[str]]:
    """Find the references that the learners' own documentation gives."""
    parts = {
        part: learner(classifier, part) for part in ("structure", "parameters", "discretizer", "selector")
    }
    if isinstance(classifier, BaggedClassifier):
        parts = {"ensemble": classifier, **parts}
    for part, used in parts.items():
        if used is None:
            continue
        text = inspect.getdoc(type(used)) or ""
        found = re.search(r"References\n-+\n(.*?)(?:\n\n\S[^\n]*\n-+\n|\Z)", text, flags=re.DOTALL)
        if found:
            yield [f"{part}: {type(used).__name__}", " ".join(found.group(1).split())]


def _scores(model: Any) -> Iterator[list[str]]:
    networks = networks_of(model)
    record = getattr(model, "training_", None)
    if isinstance(model, BaggedClassifier):
        yield ["Networks", f"{len(networks)}"]
    parameters = sum(network.n_parameters for network in networks)
    yield ["Free parameters", f"{parameters:,}"]
    if record is None or record.log_likelihood is None:
        return
    yield ["Log-likelihood of the training data", f"{record.log_likelihood:,.1f}"]
    yield ["Per row", f"{record.log_likelihood / max(record.weight, 1):.4f}"]
    bic = bayesian_information_criterion(record.log_likelihood, parameters, record.weight)
    yield ["BIC (log-likelihood − ½ parameters · ln rows)", f"{bic:,.1f}"]


def bayesian_information_criterion(log_likelihood: float, parameters: int, rows: float) -> float:
    """Log-likelihood less half the logarithm of the number of rows for each parameter; higher is better.

    Examples
    --------
    >>> round(bayesian_information_criterion(-10.0, 2, 100), 3)
    -14.605
    """
    return log_likelihood - 0.5 * parameters * log(max(rows, 1.0))


def _data_summary(model: Any) -> Iterator[list[str]]:
    record = getattr(model, "training_", None)
    if record is not None:
        yield ["Training rows", f"{record.rows:,}"]
        if record.weight != record.rows:
            yield ["Total weight", f"{record.weight:,.6g}"]
        yield ["Learned on", record.date]
        incomplete = sum(share > 0 for share in record.missing.values())
        yield ["Features with missing values", f"{incomplete} of {len(record.missing)}"]
    target = model.target if isinstance(model, BayesNet) else model.schema_.target.name
    known = {variable.name: variable for network in networks_of(model) for variable in network.variables}
    features = [variable for name, variable in known.items() if name != target]
    numeric = sum(variable.cuts is not None for variable in features)
    where = "Features in the networks" if isinstance(model, BaggedClassifier) else "Features in the network"
    yield [where, f"{len(features)} ({numeric} numeric, {len(features) - numeric} categorical)"]


def _class_weights(classifier: Any) -> list[list[Any]]:
    states = classifier.schema_.target.states
    weights = classifier.training_.class_weights
    return [[shorten(state), weight] for state, weight in zip(states, weights, strict=True)]


def _unused(classifier: Any) -> list[str]:
    inside = {name for network in networks_of(classifier) for name in network.nodes}
    return [shorten(variable.name) for variable in classifier.schema_.features if variable.name not in inside]


__all__ = ["how_learned"]
