"""Flexible k-dependence classifiers and functional dependencies, and the classifiers they are compared with.

L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint probability
distribution. Entropy 17, 2015. All have Laplace estimates here.
"""

from typing import Literal

from bayleaf.classify import BaggedClassifier
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP
from bayleaf.learn.parameters import Laplace
from bayleaf.learn.structure import FAN, FKDB, KDB, TAN, NaiveBayes
from bayleaf.learn.structure.structure_learner import StructureLearner

from .papers import Method

FRIEDMAN = "Friedman, Geiger & Goldszmidt 1997"
SAHAMI = "Sahami 1996"
WANG = "Wang & Zhao 2015"


def _rtan(n_estimators: int = 10, vote: Literal["majority", "average"] = "average") -> BaggedClassifier:
    """Build bagged TANs; with ``vote="majority"`` they decide as in the papers, which name no probabilities."""
    return BaggedClassifier(BayesNetClassifier(TAN(), Laplace(), discretizer=MDLP()), n_estimators, vote)


# Wang and Zhao measure information with one imaginary row spread over each joint table.
WANG_SMOOTHING = 1.0


def _single(structure: StructureLearner) -> BayesNetClassifier:
    return BayesNetClassifier(structure, Laplace(), discretizer=MDLP())


METHODS: tuple[Method, ...] = (
    Method(
        "NB",
        lambda: _single(NaiveBayes()),
        "Duda & Hart 1973",
        "naive Bayes",
        "Laplace",
        "Features independent given the class.",
    ),
    Method(
        "TAN",
        lambda: _single(TAN()),
        FRIEDMAN,
        "maximum spanning tree on I(X;Y|C)",
        "Laplace",
        "Each feature depends on the class and one other feature.",
    ),
    Method(
        "FAN",
        lambda: _single(FAN()),
        "Lucas 2004",
        "maximum spanning forest on I(X;Y|C)",
        "Laplace",
        "Like TAN, with only the dependences that are worth their parameters.",
    ),
    Method(
        "RTAN",
        _rtan,
        "Ma & Shi 2004",
        "bagged TANs",
        "Laplace",
        "TANs of bootstrap samples; their probabilities are averaged, or each has a vote.",
    ),
    Method(
        "KDB",
        lambda k=2: _single(KDB(k, smoothing=WANG_SMOOTHING)),
        SAHAMI,
        "ordered by I(X;C), k strongest I(X;Y|C) before",
        "Laplace",
        "Each feature depends on the class and up to k features that tell more about it.",
    ),
    Method(
        "FKDB",
        lambda k=2, min_count=100: _single(FKDB(k, True, min_count, WANG_SMOOTHING)),
        WANG,
        "order and k parents by I(X;C) + sum of I(X;Y|C); parents vary with functional dependencies",
        "Laplace",
        "Like KDB, with an order that leaves the strongest dependences possible, and parents that others determine "
        "replaced, row by row.",
    ),
    Method(
        "KDB-FD",
        lambda k=2, min_count=100: _single(KDB(k, True, min_count, WANG_SMOOTHING)),
        WANG,
        "as KDB; parents vary with functional dependencies",
        "Laplace",
        "KDB in which parents that others determine are replaced, row by row.",
    ),
    Method(
        "FKDB-plain",
        lambda k=2: _single(FKDB(k, smoothing=WANG_SMOOTHING)),
        WANG,
        "order and k parents by I(X;C) + sum of I(X;Y|C)",
        "Laplace",
        "FKDB with the same parents in every row.",
    ),
)
