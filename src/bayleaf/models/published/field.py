"""The strong classifiers of the field, each with the tables of its own paper; `Shrinkage` is an option of all.

``bl.classifier("AODE", parameters=bl.Shrinkage())``
"""

from bayleaf.classify import AveragedClassifier
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP
from bayleaf.learn import structure
from bayleaf.learn.parameters import Dirichlet, Laplace, MEstimate, ParameterLearner, Shrinkage
from bayleaf.learn.structure.structure_learner import SeveralLearner, StructureLearner
from bayleaf.learn.tuning import AWNB, WANBIA

from .papers import Method

PAZZANI = "Pazzani 1996"
JIANG = "Jiang, Cai, Wang & Zhang 2012"


def _single(learner: StructureLearner, parameters: ParameterLearner) -> BayesNetClassifier:
    return BayesNetClassifier(learner, parameters, discretizer=MDLP())


def _averaged(learner: SeveralLearner, parameters: ParameterLearner) -> AveragedClassifier:
    return AveragedClassifier(learner, BayesNetClassifier(parameters=parameters, discretizer=MDLP()))


METHODS: tuple[Method, ...] = (
    Method(
        "AODE",
        lambda min_count=1: _averaged(structure.AODE(min_count), Laplace()),
        "Webb, Boughton & Wang 2005",
        "each feature in turn a parent of all others; joints averaged",
        "Laplace",
        "Averaged one-dependence estimators: no search, little variance.",
    ),
    Method(
        "WAODE",
        lambda: _averaged(structure.WAODE(), MEstimate()),
        "Jiang & Zhang 2006",
        "as AODE, networks weighed by I(X;C)",
        "m-estimate",
        "AODE in which informative super-parents count more.",
    ),
    Method(
        "A2DE",
        lambda min_count=1, weighted=False: _averaged(structure.A2DE(min_count, weighted), Laplace()),
        "Webb et al. 2012",
        "each pair of features in turn parents of all others; joints averaged",
        "Laplace",
        "Averaged two-dependence estimators: for many rows and few features.",
    ),
    Method(
        "ATAN",
        lambda: _averaged(structure.ATAN(), Laplace()),
        JIANG,
        "the tree of TAN with each feature in turn as its root; posteriors averaged",
        "Laplace",
        "TAN whose root does not matter.",
    ),
    Method(
        "WATAN",
        lambda: _averaged(structure.ATAN(weighted=True), Laplace()),
        JIANG,
        "as ATAN, networks weighed by I(root;C)",
        "Laplace",
        "ATAN in which informative roots count more.",
    ),
    Method(
        "SKDB",
        lambda k=5: _single(structure.SKDB(k), MEstimate()),
        "Martinez, Webb, Chen & Zaidi 2016",
        "KDB; left-out rows choose the first features and the number of parents",
        "m-estimate",
        "KDB that finds out how many features and parents it needs.",
    ),
    Method(
        "ESKDB",
        lambda n_members=20, k=5: _averaged(structure.ESKDB(n_members, k), Shrinkage()),
        "Zhang, Petitjean & Buntine 2020",
        "SKDBs of random orders; posteriors averaged",
        "shrinkage",
        "An ensemble of SKDBs with tables that back off: strong on large data.",
    ),
    Method(
        "ETAN",
        lambda: _single(structure.ETAN(), Dirichlet()),
        "de Campos et al. 2016",
        "forest with the best BDeu; features with or without the class",
        "Dirichlet",
        "TAN in which features may do without the class, or without each other.",
    ),
    Method(
        "FSSJ",
        lambda: _single(structure.FSSJ(), Laplace()),
        PAZZANI,
        "features added and joined by 5-fold cross-validated accuracy",
        "Laplace",
        "Naive Bayes of few features, some of them joined into one.",
    ),
    Method(
        "BSEJ",
        lambda: _single(structure.BSEJ(), Laplace()),
        PAZZANI,
        "features removed and joined by 5-fold cross-validated accuracy",
        "Laplace",
        "As FSSJ, from naive Bayes backwards.",
    ),
    Method(
        "WANBIA",
        lambda penalty=0.0: _single(structure.NaiveBayes(), WANBIA(penalty=penalty)),
        "Zaidi, Cerquides, Carman & Webb 2013",
        "naive Bayes",
        "Laplace, weights by conditional likelihood",
        "Naive Bayes in which features that repeat others count less.",
    ),
    Method(
        "wTAN",
        lambda penalty=0.0: _single(structure.TAN(), WANBIA(penalty=penalty)),
        "after Zaidi et al. 2013",
        "maximum spanning tree on I(X;Y|C)",
        "Laplace, weights by conditional likelihood",
        "TAN whose features have weights, as in WANBIA.",
    ),
    Method(
        "HNB",
        lambda: _single(structure.HiddenNaiveBayes(), MEstimate()),
        "Jiang, Zhang & Cai 2009",
        "naive Bayes, each feature with a hidden parent: the others, weighted by I(X;Y|C)",
        "m-estimate",
        "Hidden naive Bayes: no dependence between features is left out, and none is searched for.",
    ),
    Method(
        "AWNB",
        lambda trees=10: _single(structure.NaiveBayes(), AWNB(trees=trees)),
        "Hall 2007",
        "naive Bayes",
        "Laplace, weights by depth in decision trees",
        "Naive Bayes in which features that trees ask for first count most.",
    ),
)
