"""Published classifiers over unrestricted graphs: hill-climbing with a score from a start graph."""

from typing import Any

from bayleaf.data import MedianSplit
from bayleaf.estimator import BayesNetClassifier
from bayleaf.parameters import ConditionalLikelihood, Dirichlet, MaximumLikelihood, Subsampled
from bayleaf.scores import (
    CMDL,
    K2,
    MDL,
    BDe,
    BDeu,
    ConditionalLogLikelihood,
    CrossValidatedRisk,
    HoldoutRisk,
    LogLikelihood,
)
from bayleaf.structure import TAN, HillClimbing, NaiveBayes

from .exact_anb import AT_THE_MEDIAN, SUGAHARA
from .method import Method

KELNER = "Kelner & Lerner 2012"
GROSSMAN = "Grossman & Domingos 2004"
GREINER = "Greiner & Zhou 2002"
HECKERMAN = "Heckerman, Geiger & Chickering 1995"
STARTS = {"NBC": "naive", "empty": "empty"}


def _likely(structure: Any, loss: Any = None) -> BayesNetClassifier:
    """Build a classifier with maximum-likelihood parameters, as both papers use."""
    return BayesNetClassifier(structure, MaximumLikelihood(), loss=loss)


def _ml_np(n: int = 2) -> BayesNetClassifier:
    return _likely(HillClimbing(LogLikelihood(), "empty", max_parents=n))


def _bnc_np(n: int = 2) -> BayesNetClassifier:
    return _likely(HillClimbing(ConditionalLogLikelihood(), "empty", max_parents=n))


def _bnc_mdl() -> BayesNetClassifier:
    return _likely(HillClimbing(CMDL(), "empty"))


def _hgc(ess: float = 1.0, kappa: float = 0.1) -> BayesNetClassifier:
    """Build the search of Heckerman, Geiger and Chickering from no arcs, which is the prior network, too.

    Grossman and Domingos (2004) compare with it and say that the probability of a graph falls exponentially with the
    number of arcs that differ from the initial network, but name neither that network, nor kappa, nor the equivalent
    sample size. Ours: no arcs with uniform tables, kappa = 0.1 (every arc must make the rows ten times more
    probable), and an equivalent sample size of 1, for the structure and for the tables.
    """
    return BayesNetClassifier(HillClimbing(BDe(None, ess, kappa), "empty"), Dirichlet(ess))


def _greedy_bdeu(ess: float = 1.0) -> BayesNetClassifier:
    return BayesNetClassifier(HillClimbing(BDeu(ess), "empty"), Dirichlet(), MedianSplit())


def _elr(structure: Any) -> BayesNetClassifier:
    """Build a classifier whose parameters maximise the conditional likelihood (extended logistic regression)."""
    return BayesNetClassifier(structure, ConditionalLikelihood())


def _bnc_np_elr(n: int = 2) -> BayesNetClassifier:
    return _elr(HillClimbing(ConditionalLogLikelihood(), "empty", max_parents=n))


def _bnc_full(n: int = 2, sample: int | None = 200, line_searches: int = 5) -> BayesNetClassifier:
    """Build the full optimisation; ``sample=None`` and many line searches leave out its accelerations."""
    while_searching: Any = ConditionalLikelihood(max_iter=line_searches)
    if sample is not None:
        while_searching = Subsampled(while_searching, sample)
    return _elr(HillClimbing(ConditionalLogLikelihood(while_searching), "empty", max_parents=n))


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
    Method(
        "gGBN-BDeu",
        _greedy_bdeu,
        SUGAHARA,
        "hill-climbing from no arcs: BDeu",
        "expected a posteriori, ESS 1",
        f"Greedy counterpart of the exact GBN-BDeu. {AT_THE_MEDIAN}",
    ),
    Method(
        "HGC",
        _hgc,
        HECKERMAN,
        "hill-climbing from no arcs: BDe, kappa per arc",
        "expected a posteriori",
        "The most probable network when every arc costs a factor kappa (0.1, our choice: the papers name none).",
    ),
    Method(
        "ML-2P",
        _ml_np,
        GROSSMAN,
        "hill-climbing from no arcs: likelihood, at most n parents",
        "maximum likelihood",
        "The most likely graph with at most n = 2 parents (ML-nP).",
    ),
    Method(
        "ML-MDL",
        lambda: _likely(HillClimbing(MDL(), "empty")),
        GROSSMAN,
        "hill-climbing from no arcs: MDL",
        "maximum likelihood",
        "The shortest description of all variables; the same as MDL(empty).",
    ),
    Method(
        "BNC-2P",
        _bnc_np,
        GROSSMAN,
        "hill-climbing from no arcs: conditional likelihood, at most n parents",
        "maximum likelihood",
        "The graph that makes the classes most likely, with at most n = 2 parents (BNC-nP).",
    ),
    Method(
        "BNC-nP",
        _bnc_np,
        GROSSMAN,
        "hill-climbing from no arcs: conditional likelihood, at most n parents",
        "maximum likelihood",
        "BNC-2P for any n.",
    ),
    Method(
        "BNC-MDL",
        _bnc_mdl,
        GROSSMAN,
        "hill-climbing from no arcs: conditional MDL",
        "maximum likelihood",
        "Conditional likelihood minus the price of the parameters.",
    ),
    Method(
        "GBN-CMDL",
        _bnc_mdl,
        SUGAHARA,
        "hill-climbing from no arcs: conditional MDL",
        "maximum likelihood",
        "Another name of BNC-MDL.",
    ),
    Method(
        "NB-ELR",
        lambda: _elr(NaiveBayes()),
        GREINER,
        "naive Bayes",
        "conditional likelihood",
        "Logistic regression in the form of naive Bayes.",
    ),
    Method(
        "TAN-ELR",
        lambda: _elr(TAN()),
        GREINER,
        "maximum spanning tree on I(X;Y|C)",
        "conditional likelihood",
        "TAN with discriminative parameters.",
    ),
    Method(
        "BNC-2P-ELR",
        _bnc_np_elr,
        GROSSMAN,
        "as BNC-2P",
        "conditional likelihood",
        "BNC-2P with discriminative parameters.",
    ),
    Method(
        "BNC-full",
        _bnc_full,
        GROSSMAN,
        "as BNC-2P, parameters optimised for every candidate",
        "conditional likelihood",
        "Structure and parameters both for the conditional likelihood; for small data.",
    ),
)
