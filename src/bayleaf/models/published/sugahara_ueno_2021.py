"""Globally optimal augmented naive Bayes, and the classifiers it is compared with.

S. Sugahara and M. Ueno. Exact learning augmented naive Bayes classifier. Entropy 23, 2021.
"""

from typing import Any

from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP, MedianSplit
from bayleaf.learn.parameters import Dirichlet, MaximumLikelihood
from bayleaf.learn.scores import CMDL, BDeu
from bayleaf.learn.selection import BayesFactorSelector
from bayleaf.learn.structure import MCDAG, MCGES, Exact, HillClimbing, TANaCLL

from .papers import Method

MIHALJEVIC = "Mihaljevic, Bielza & Larranaga 2018"
SUGAHARA = "Sugahara & Ueno 2021"
# Their protocol, for all classifiers that they compare.
AT_THE_MEDIAN = (
    "Numbers are split at the median, as in Sugahara & Ueno 2021; discretizer=MDLP() cuts them otherwise."
)


def _exact(ess: float, *, augmented: bool, selector: Any = None) -> BayesNetClassifier:
    return BayesNetClassifier(Exact(BDeu(ess), augmented), Dirichlet(), MedianSplit(), selector)


def _class_focused(structure: Any) -> BayesNetClassifier:
    return BayesNetClassifier(structure, MaximumLikelihood(), MedianSplit())


METHODS: tuple[Method, ...] = (
    Method(
        "GBN-BDeu",
        lambda ess=1.0: _exact(ess, augmented=False),
        SUGAHARA,
        "the best graph of all (exact search)",
        "expected a posteriori, ESS 1",
        f"The most probable network over all variables, the class among them. {AT_THE_MEDIAN}",
    ),
    Method(
        "ANB-BDeu",
        lambda ess=1.0: _exact(ess, augmented=True),
        SUGAHARA,
        "the best augmented naive Bayes (exact search)",
        "expected a posteriori, ESS 1",
        f"The most probable network in which the class is a parent of every feature. {AT_THE_MEDIAN}",
    ),
    Method(
        "fsANB-BDeu",
        lambda ess=1.0, delta=None: _exact(ess, augmented=True, selector=BayesFactorSelector(delta=delta)),
        SUGAHARA,
        "Bayes factor selection, then the best augmented naive Bayes",
        "expected a posteriori, ESS 1",
        f"As ANB-BDeu, over the features that depend on the class: a threshold delta, or the best of 3, 20 and 150."
        f" {AT_THE_MEDIAN}",
    ),
    Method(
        "TAN-aCLL",
        lambda: BayesNetClassifier(TANaCLL(), Dirichlet(), MedianSplit()),
        "Carvalho, Adao & Mateus 2013",
        "maximum directed spanning tree on the approximate conditional log-likelihood",
        "expected a posteriori, ESS 1",
        f"A tree chosen for the class posterior instead of the joint distribution. {AT_THE_MEDIAN}",
    ),
    Method(
        "MC-DAG",
        lambda max_parents=None, price=0.0: _class_focused(MCGES(max_parents, price)),
        MIHALJEVIC,
        "greedy equivalence search over minimal class-focused graphs, conditional log-likelihood",
        "maximum likelihood",
        f"Every arc between features ends in a child of the class. {AT_THE_MEDIAN}",
    ),
    Method(
        "MC-DAG-HC",
        lambda max_parents=None, price=0.0: _class_focused(MCDAG(max_parents, price)),
        MIHALJEVIC,
        "greedy over minimal class-focused graphs one by one, conditional log-likelihood",
        "maximum likelihood",
        f"As MC-DAG, over graphs instead of classes of equivalent graphs. {AT_THE_MEDIAN}",
    ),
    Method(
        "gGBN-BDeu",
        lambda ess=1.0: BayesNetClassifier(HillClimbing(BDeu(ess), "empty"), Dirichlet(), MedianSplit()),
        SUGAHARA,
        "hill-climbing from no arcs: BDeu",
        "expected a posteriori, ESS 1",
        f"Greedy counterpart of the exact GBN-BDeu. {AT_THE_MEDIAN}",
    ),
    Method(
        "GBN-CMDL",
        lambda: BayesNetClassifier(HillClimbing(CMDL(), "empty"), MaximumLikelihood(), discretizer=MDLP()),
        SUGAHARA,
        "hill-climbing from no arcs: conditional MDL",
        "maximum likelihood",
        "Another name of BNC-MDL.",
    ),
)
