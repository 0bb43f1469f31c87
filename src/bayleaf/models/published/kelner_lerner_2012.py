"""Risk minimisation by cross-validation (RMCV), its variants, and the searches it is compared with.

R. Kelner and B. Lerner. Learning Bayesian network classifiers by risk minimization. International Journal of
Approximate Reasoning 53, 2012.
"""

from typing import Any

from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP
from bayleaf.learn.parameters import MaximumLikelihood
from bayleaf.learn.scores import K2, MDL, CrossValidatedRisk, HoldoutRisk
from bayleaf.learn.structure import HillClimbing, NaiveBayes

from .papers import Method

KELNER = "Kelner & Lerner 2012"
STARTS = {"NBC": "naive", "empty": "empty"}


def _likely(structure: Any, loss: Any = None) -> BayesNetClassifier:
    return BayesNetClassifier(structure, MaximumLikelihood(), loss=loss, discretizer=MDLP())


def _from_start(name: str, start: str) -> list[Method]:
    """List the methods of Kelner and Lerner from one start graph; a loss is that of the search and of decisions."""
    begin = STARTS[start]

    def rmcv(folds: int = 4, loss: Any = None) -> BayesNetClassifier:
        return _likely(HillClimbing(CrossValidatedRisk(folds, loss), begin), loss)

    def rmho(fraction: float = 0.25, loss: Any = None) -> BayesNetClassifier:
        return _likely(HillClimbing(HoldoutRisk(fraction, fixed=False, loss=loss), begin), loss)

    def rmho_f(fraction: float = 0.25, loss: Any = None) -> BayesNetClassifier:
        return _likely(HillClimbing(HoldoutRisk(fraction, loss=loss), begin), loss)

    def rmho_ar(fraction: float = 0.25, loss: Any = None) -> BayesNetClassifier:
        return _likely(HillClimbing(HoldoutRisk(fraction, loss=loss), begin, reversals=False), loss)

    climbs = [
        (
            "MDL",
            lambda: _likely(HillClimbing(MDL(), begin)),
            "MDL",
            "The shortest description of all variables.",
        ),
        (
            "K2",
            lambda: _likely(HillClimbing(K2(), begin)),
            "K2",
            "The most probable graph under uniform priors.",
        ),
        (
            "RMCV",
            rmcv,
            "cross-validated risk",
            "The smallest error on validation folds inside the training rows.",
        ),
        (
            "RMHO",
            rmho,
            "risk on a fresh hold-out each step",
            "The smallest error on a hold-out drawn at every step.",
        ),
        ("RMHO-f", rmho_f, "risk on a fixed hold-out", "The smallest error on one hold-out."),
        (
            "RMHO-ar",
            rmho_ar,
            "risk on a fixed hold-out, no reversals",
            "As RMHO-f, adding and deleting arcs only.",
        ),
    ]
    return [
        Method(
            f"{method}({start})",
            build,
            KELNER,
            f"hill-climbing from {name}: {score}",
            "maximum likelihood",
            text,
        )
        for method, build, score, text in climbs
    ]


METHODS: tuple[Method, ...] = (
    Method(
        "NBC",
        lambda: _likely(NaiveBayes()),
        KELNER,
        "naive Bayes",
        "maximum likelihood",
        "Features independent given the class; where risk minimisation starts.",
    ),
    *_from_start("naive Bayes", "NBC"),
    *_from_start("no arcs", "empty"),
)
