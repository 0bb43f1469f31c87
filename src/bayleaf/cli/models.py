"""Reading a network from any file that has one."""

import gzip
import json
from pathlib import Path
from typing import Any

import bayleaf
from bayleaf._util.jsonfile import read_text
from bayleaf.network import BayesNet, load_network
from bayleaf.scores.loss import class_costs

NETWORK_FORMATS = {".bif": "BIF", ".xmlbif": "XMLBIF", ".xml": "XMLBIF", ".net": "NET", ".dot": "DOT"}


def read_network(path: Path) -> BayesNet:
    """Read the network of a model file, a network file or a BIF file."""
    return only_network(read_model_or_network(path))


def only_network(found: Any) -> BayesNet:
    """Return the network of a classifier, or the network itself."""
    network: BayesNet = found if isinstance(found, BayesNet) else single(found).network_
    return network


def single(classifier: Any) -> bayleaf.BayesNetClassifier:
    """Return a classifier that is one network; refuse an ensemble."""
    if isinstance(classifier, bayleaf.BayesNetClassifier):
        return classifier
    raise ValueError(
        f"The model is an ensemble of {len(classifier.estimators_)} networks: it can predict, and 'bayleaf report' "
        "shows all of them, but it cannot be shown, explained or converted as one."
    )


def costs_of(classifier: Any) -> Any:
    """Return the costs [true class, decision] by which a classifier, or each member of an ensemble, decides, if any.

    Examples
    --------
    >>> clf = bayleaf.BayesNetClassifier(loss=[[0, 1], [9, 0]]).fit([["a"], ["b"]], ["no", "yes"])
    >>> costs_of(clf)
    array([[0., 1.], [9., 0.]])
    """
    loss = getattr(classifier, "estimator", classifier).loss
    return None if loss is None else class_costs(loss, classifier.classes_.tolist(), "the model")


def read_model_or_network(path: Path) -> Any:
    """Read a fitted classifier from a model file, or a network from a network file or a BIF file."""
    if path.suffix.lower() == ".bif":
        from bayleaf.network.bif import read_bif

        return read_bif(path)
    return load_network(path) if _format(path) == "bayleaf-network" else bayleaf.load(path)


def _format(path: Path) -> object:
    """Return what a JSON document says it is, or None (the reader of model files will say what is wrong)."""
    try:
        document = json.loads(read_text(path))
    except (ValueError, RecursionError, IsADirectoryError, gzip.BadGzipFile):
        return None
    return document.get("format") if isinstance(document, dict) else None
