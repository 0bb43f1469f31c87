"""Bayesian network classifiers by conditional likelihood, and the classifiers they are compared with.

D. Grossman and P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood. International
Conference on Machine Learning, 2004.
"""

import re
from dataclasses import replace
from functools import partial
from typing import Any

from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP
from bayleaf.learn.parameters import ConditionalLikelihood, Dirichlet, MaximumLikelihood, Subsampled
from bayleaf.learn.scores import CMDL, MDL, BDe, ConditionalLogLikelihood, LogLikelihood
from bayleaf.learn.structure import TAN, HillClimbing, NaiveBayes

from .papers import Method

GROSSMAN = "Grossman & Domingos 2004"
GREINER = "Greiner & Zhou 2002"
HECKERMAN = "Heckerman, Geiger & Chickering 1995"


def _likely(structure: Any) -> BayesNetClassifier:
    return BayesNetClassifier(structure, MaximumLikelihood(), discretizer=MDLP())


def _bnc_np(n: int = 2) -> BayesNetClassifier:
    return _likely(HillClimbing(ConditionalLogLikelihood(), "empty", max_parents=n))


def _hgc(ess: float = 1.0, kappa: float = 0.1) -> BayesNetClassifier:
    """Build the search of Heckerman, Geiger and Chickering from no arcs, which is the prior network, too.

    Grossman and Domingos (2004) compare with it and say that the probability of a graph falls exponentially with the
    number of arcs that differ from the initial network, but name neither that network, nor kappa, nor the equivalent
    sample size. Ours: no arcs with uniform tables, kappa = 0.1 (every arc must make the rows ten times more
    probable), and an equivalent sample size of 1, for the structure and for the tables.
    """
    return BayesNetClassifier(
        HillClimbing(BDe(None, ess, kappa), "empty"), Dirichlet(ess), discretizer=MDLP()
    )


def _elr(structure: Any) -> BayesNetClassifier:
    """Build a classifier whose parameters maximise the conditional likelihood (extended logistic regression)."""
    return BayesNetClassifier(structure, ConditionalLikelihood(), discretizer=MDLP())


def _bnc_full(n: int = 2, sample: int | None = 200, line_searches: int = 5) -> BayesNetClassifier:
    """Build the full optimisation; ``sample=None`` and many line searches leave out its accelerations."""
    while_searching: Any = ConditionalLikelihood(max_iter=line_searches)
    if sample is not None:
        while_searching = Subsampled(while_searching, sample)
    return _elr(HillClimbing(ConditionalLogLikelihood(while_searching), "empty", max_parents=n))


METHODS: tuple[Method, ...] = (
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
        lambda n=2: _likely(HillClimbing(LogLikelihood(), "empty", max_parents=n)),
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
        lambda: _likely(HillClimbing(CMDL(), "empty")),
        GROSSMAN,
        "hill-climbing from no arcs: conditional MDL",
        "maximum likelihood",
        "Conditional likelihood minus the price of the parameters.",
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
        lambda n=2: _elr(HillClimbing(ConditionalLogLikelihood(), "empty", max_parents=n)),
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


def most_parents_method(name: str) -> Method | None:
    """Build a method from a name such as BNC-3P, ML-3P or BNC-3P-ELR, which says how many parents there may be."""
    found = re.fullmatch(r"(BNC|ML)-([1-9]\d*)P(-ELR)?", name.upper())
    if found is None or found.group(1, 3) == ("ML", "-ELR"):
        return None
    kind, n, elr = found.group(1), int(found.group(2)), found.group(3) or ""
    known = next(method for method in METHODS if method.name == f"{kind}-2P{elr}")
    return replace(
        known,
        name=f"{kind}-{n}P{elr}",
        build=partial(known.build, n=n),
        summary=f"{known.name} for n = {n}.",
    )
