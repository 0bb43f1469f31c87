"""How the model was learned: method and reference, settings, score, data, warnings, versions, how to repeat it."""

import inspect
import platform
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from math import log
from typing import Any

from bayleaf.methods import methods
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.parameters import Dirichlet
from bayleaf.structure import TAN
from bayleaf.table import MDLP

from .search import search_data
from .text import shorten

RARE_CLASS = 30
OFTEN_MISSING = 0.5
DISCRETIZERS = {
    "MDLP()": "mdlp",
    "MedianSplit()": "median",
    "Quantiles()": "quantiles",
    "EqualWidth()": "equal-width",
}
DEFAULTS = {"structure": TAN, "parameters": Dirichlet, "discretizer": MDLP}


def how_learned(model: Any, network: BayesNet) -> dict[str, Any]:
    """Everything about the making of a model, as plain data."""
    classifier = None if isinstance(model, BayesNet) else model
    return {
        "method": None if classifier is None else method_name(classifier),
        "structure": None if classifier is None else type(learner(classifier, "structure")).__name__,
        "settings": [] if classifier is None else list(_settings(classifier)),
        "references": [] if classifier is None else list(_references(classifier)),
        "scores": list(_scores(classifier, network)),
        "search": search_data(getattr(classifier, "training_", None)),
        "data": list(_data_summary(classifier, network)),
        "classes": _class_weights(classifier, network),
        "unused": [] if classifier is None else _unused(classifier, network),
        "warnings": [shorten(text, 600) for text in _warnings(classifier, network)],
        "versions": [["bayleaf", version("bayleaf")], ["Python", platform.python_version()]]
        + [[name, version(name)] for name in ("numpy", "scipy", "scikit-learn", "polars")],
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": _python(classifier),
        "command": _command(classifier),
    }


def learner(classifier: Any, part: str) -> Any:
    """Return a learner of a classifier, with the default in the place of None.

    Examples
    --------
    >>> import bayleaf as bl
    >>> learner(bl.BayesNetClassifier(), "structure")
    TAN()
    """
    chosen = getattr(classifier, part, None)
    return DEFAULTS[part]() if chosen is None and part in DEFAULTS else chosen


def method_name(classifier: Any) -> str | None:
    """Name of the published method that a classifier is, if it is one.

    Examples
    --------
    >>> import bayleaf as bl
    >>> method_name(bl.classifier("NB")), method_name(bl.BayesNetClassifier())
    ('NB', None)
    """
    return next(_registered(classifier, ("structure", "parameters", "selector")), None)


def _registered(classifier: Any, parts: Sequence[str]) -> Iterator[str]:
    """Names of the methods that agree with a classifier in these parts."""
    wanted = [repr(learner(classifier, part)) for part in parts]
    for method in methods():
        built = method.build()
        if type(built) is type(classifier) and [repr(learner(built, part)) for part in parts] == wanted:
            yield method.name


def _settings(classifier: Any) -> Iterator[list[str]]:
    for name, value in classifier.get_params(deep=False).items():
        shown = shorten(repr(value), 300)
        if value is None and name in DEFAULTS:
            shown = f"{DEFAULTS[name]()!r} (default)"
        yield [name, shown]


def _references(classifier: Any) -> Iterator[list[str]]:
    """Find the references that the learners' own documentation gives."""
    for part in ("structure", "parameters", "discretizer", "selector"):
        used = learner(classifier, part)
        if used is None:
            continue
        text = inspect.getdoc(type(used)) or ""
        found = re.search(r"References\n-+\n(.*?)(?:\n\n\S[^\n]*\n-+\n|\Z)", text, flags=re.DOTALL)
        if found:
            yield [f"{part}: {type(used).__name__}", " ".join(found.group(1).split())]


def _scores(classifier: Any, network: BayesNet) -> Iterator[list[str]]:
    yield ["Free parameters", f"{network.n_parameters:,}"]
    record = getattr(classifier, "training_", None)
    if record is None:
        return
    yield ["Log-likelihood of the training data", f"{record.log_likelihood:,.1f}"]
    yield ["Per row", f"{record.log_likelihood / max(record.weight, 1):.4f}"]
    bic = bayesian_information_criterion(record.log_likelihood, network.n_parameters, record.weight)
    yield ["BIC (log-likelihood − ½ parameters · ln rows)", f"{bic:,.1f}"]


def bayesian_information_criterion(log_likelihood: float, parameters: int, rows: float) -> float:
    """Log-likelihood less half the logarithm of the number of rows for each parameter; higher is better.

    Examples
    --------
    >>> round(bayesian_information_criterion(-10.0, 2, 100), 3)
    -14.605
    """
    return log_likelihood - 0.5 * parameters * log(max(rows, 1.0))


def _data_summary(classifier: Any, network: BayesNet) -> Iterator[list[str]]:
    record = getattr(classifier, "training_", None)
    if record is not None:
        yield ["Training rows", f"{record.rows:,}"]
        if record.weight != record.rows:
            yield ["Total weight", f"{record.weight:,.6g}"]
        yield ["Learned on", record.date]
        incomplete = sum(share > 0 for share in record.missing.values())
        yield ["Features with missing values", f"{incomplete} of {len(record.missing)}"]
    features = [variable for variable in network.variables if variable.name != network.target]
    numeric = sum(variable.cuts is not None for variable in features)
    yield [
        "Features in the network",
        f"{len(features)} ({numeric} numeric, {len(features) - numeric} categorical)",
    ]


def _class_weights(classifier: Any, network: BayesNet) -> list[list[Any]]:
    record = getattr(classifier, "training_", None)
    if record is None or network.target is None:
        return []
    states = network.variable(network.target).states
    return [[shorten(state), weight] for state, weight in zip(states, record.class_weights, strict=True)]


def _unused(classifier: Any, network: BayesNet) -> list[str]:
    inside = set(network.nodes)
    return [shorten(variable.name) for variable in classifier.schema_.features if variable.name not in inside]


def _warnings(classifier: Any, network: BayesNet) -> Iterator[str]:
    """Things a careful reader should know."""
    record = getattr(classifier, "training_", None)
    if isinstance(getattr(classifier, "_predictor", None), InstanceNetwork):
        yield (
            "Parents depend on the row through functional dependencies: the figures are those of the classifier, but "
            "the network, What if and Why show what applies where no dependency holds."
        )
    if classifier is not None and record is None:
        yield "The model file holds no record of its training data: rows, classes and missing values are unknown."
    if record is not None and network.target is not None:
        states = network.variable(network.target).states
        rare = [(s, w) for s, w in zip(states, record.class_weights, strict=True) if w < RARE_CLASS]
        if rare:
            shown = _listed(f"{shorten(state, 40)} ({weight:g})" for state, weight in rare)
            yield f"Few training rows for {shown}: little can be learned."
        if record.unseen:
            cells = dict(sorted(record.unseen.items(), key=lambda item: -item[1]))
            shown = _listed(
                f"{shorten(name, 40)} ({n:,} of {_rows(network, name):,})" for name, n in cells.items()
            )
            yield f"Parent configurations without a training row: {shown}. Their probabilities come from smoothing."
        sparse = [name for name, share in record.missing.items() if share > OFTEN_MISSING]
        if sparse:
            yield f"More than half the values are missing: {_listed(shorten(name, 40) for name in sparse)}."
    if classifier is not None and (unused := _unused(classifier, network)):
        yield f"Features left out of the network: {_listed(unused)}."
    constant = [variable.name for variable in network.variables if variable.arity == 1]
    if constant:
        yield f"Features with a single state, which tell nothing: {_listed(shorten(name, 40) for name in constant)}."
    if network.target is not None:
        blanket = {network.target, *network.markov_blanket(network.target)}
        outside = [name for name in network.nodes if name not in blanket]
        if outside:
            yield (
                f"Outside the Markov blanket of the class, hence without influence once the others are known: "
                f"{_listed(shorten(name, 40) for name in outside)}."
            )


def _rows(network: BayesNet, name: str) -> int:
    table = network.cpt(name)
    return int(table.size // table.shape[-1])


def _listed(items: Any, most: int = 8) -> str:
    shown = list(items)
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest


def _python(classifier: Any) -> str:
    if classifier is None:
        return 'import bayleaf as bl\n\nnet = bl.load_network("network.json")\n'
    body = re.sub(r"\b([A-Z]\w*)\(", r"bl.\1(", shorten(repr(classifier), 2000))
    body = re.sub(r"\n\s+", " ", body)
    return (
        "import bayleaf as bl\nimport polars as pl\n\n"
        'data = pl.read_csv("data.csv")\n'
        f"clf = {body}\n"
        f"clf.fit(data.drop({_target(classifier)!r}), data[{_target(classifier)!r}])\n"
        'clf.save("model.bayleaf.json")\n'
    )


def _target(classifier: Any) -> str:
    return shorten(classifier.schema_.target.name)


def _command(classifier: Any) -> str | None:
    """Return the call of the command line that learns the same, where it has one."""
    if classifier is None:
        return None
    name = method_name(classifier) or next(_registered(classifier, ("structure", "selector")), None)
    discretizer = DISCRETIZERS.get(repr(learner(classifier, "discretizer")))
    parameters = repr(learner(classifier, "parameters"))
    if name is None or discretizer is None or not parameters.endswith("()"):
        return None  # settings of one's own have no spelling on the command line
    words = ["bayleaf", "fit", "data.csv", "--target", _target(classifier), "--method", name]
    if method_name(classifier) is None:
        words += ["--set", f"parameters={parameters[:-2]}"]
    if discretizer != "mdlp":
        words += ["--discretizer", discretizer]
    if classifier.missing != "available":
        words += ["--missing", classifier.missing]
    return shlex.join([*words, "-o", "model.bayleaf.json"])


__all__ = ["how_learned", "learner", "method_name"]
