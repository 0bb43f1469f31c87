"""The strong classifiers of the field, each with the tables of its own paper; `Shrinkage` is an option of all.

``bl.classifier("AODE", parameters=bl.Shrinkage())``
"""

from bayleaf.ensemble import AveragedClassifier
from bayleaf.estimator import BayesNetClassifier
from bayleaf.parameters import Laplace
from bayleaf.structure import A2DE, AODE, WAODE, SeveralLearner

from .method import Method


def _averaged(structures: SeveralLearner) -> AveragedClassifier:
    return AveragedClassifier(structures, BayesNetClassifier(parameters=Laplace()))


def _aode(min_count: float = 1) -> AveragedClassifier:
    return _averaged(AODE(min_count))


def _a2de(min_count: float = 1, weighted: bool = False) -> AveragedClassifier:
    return _averaged(A2DE(min_count, weighted))


METHODS: tuple[Method, ...] = (
    Method(
        "AODE",
        _aode,
        "Webb, Boughton & Wang 2005",
        "each feature in turn a parent of all others; joints averaged",
        "Laplace",
        "Averaged one-dependence estimators: no search, little variance.",
    ),
    Method(
        "WAODE",
        lambda: _averaged(WAODE()),
        "Jiang & Zhang 2006",
        "as AODE, networks weighed by I(X;C)",
        "Laplace",
        "AODE in which informative super-parents count more.",
    ),
    Method(
        "A2DE",
        _a2de,
        "Webb et al. 2012",
        "each pair of features in turn parents of all others; joints averaged",
        "Laplace",
        "Averaged two-dependence estimators: for many rows and few features.",
    ),
)
