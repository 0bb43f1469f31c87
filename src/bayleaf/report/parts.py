"""What a model is made of: networks and learners, whether it is one network or several."""

from typing import Any

from bayleaf.classifier import BayesNetClassifier
from bayleaf.ensemble import BaggedClassifier
from bayleaf.network import BayesNet
from bayleaf.parameters import Dirichlet
from bayleaf.structure import TAN
from bayleaf.table import MDLP

DEFAULTS = {"structure": TAN, "parameters": Dirichlet, "discretizer": MDLP}


def learner(classifier: Any, part: str) -> Any:
    """Return a learner of a classifier, with the default in the place of None.

    Examples
    --------
    >>> import bayleaf as bl
    >>> learner(bl.BayesNetClassifier(), "structure")
    TAN()
    """
    chosen = getattr(member_of(classifier), part, None)
    return DEFAULTS[part]() if chosen is None and part in DEFAULTS else chosen


def member_of(classifier: Any) -> Any:
    """Return a classifier with the settings of each network: the classifier itself, or what an ensemble is made of.

    Examples
    --------
    >>> import bayleaf as bl
    >>> member_of(bl.BaggedClassifier())
    BayesNetClassifier()
    """
    if not isinstance(classifier, BaggedClassifier):
        return classifier
    return BayesNetClassifier() if classifier.estimator is None else classifier.estimator


def networks_of(model: Any) -> list[BayesNet]:
    """Return the networks of a fitted model: one, or those of the members.

    Examples
    --------
    >>> import bayleaf as bl
    >>> networks_of(bl.BayesNetClassifier().fit([["a"], ["b"]], [0, 1]))
    [<BayesNet nodes=2 arcs=1 parameters=3, target='class'>]
    """
    if isinstance(model, BayesNet):
        return [model]
    return [each.network_ for each in getattr(model, "estimators_", [model])]


__all__ = ["DEFAULTS", "learner", "member_of", "networks_of"]
