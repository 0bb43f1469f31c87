"""The strong classifiers of the field, each with the tables of its own paper; `Shrinkage` is an option of all.

``bl.classifier("AODE", parameters=bl.Shrinkage())``
"""

from bayleaf.classify import AveragedClassifier
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP
from bayleaf.learn.parameters import Dirichlet, Laplace, MEstimate, Shrinkage
from bayleaf.learn.structure import (
    A2DE,
    AODE,
    ATAN,
    BSEJ,
    ESKDB,
    ETAN,
    FSSJ,
    SKDB,
    TAN,
    WAODE,
    NaiveBayes,
    SeveralLearner,
)
from bayleaf.learn.tuning import AWNB, WANBIA

from .papers import Method

PAZZANI = "Pazzani 1996"
JIANG = "Jiang, Cai, Wang & Zhang 2012"


def _averaged(structures: SeveralLearner) -> AveragedClassifier:
    return AveragedClassifier(structures, BayesNetClassifier(parameters=Laplace(), discretizer=MDLP()))


def _aode(min_count: float = 1) -> AveragedClassifier:
    return _averaged(AODE(min_count))


def _a2de(min_count: float = 1, weighted: bool = False) -> AveragedClassifier:
    return _averaged(A2DE(min_count, weighted))


def _skdb(k: int = 5) -> BayesNetClassifier:
    return BayesNetClassifier(SKDB(k), MEstimate(), discretizer=MDLP())


def _eskdb(n_members: int = 20, k: int = 5) -> AveragedClassifier:
    return AveragedClassifier(
        ESKDB(n_members, k), BayesNetClassifier(parameters=Shrinkage(), discretizer=MDLP())
    )


def _wanbia(penalty: float = 0.0) -> BayesNetClassifier:
    return BayesNetClassifier(NaiveBayes(), WANBIA(penalty=penalty), discretizer=MDLP())


def _weighted_tan(penalty: float = 0.0) -> BayesNetClassifier:
    return BayesNetClassifier(TAN(), WANBIA(penalty=penalty), discretizer=MDLP())


def _awnb(trees: int = 10) -> BayesNetClassifier:
    return BayesNetClassifier(NaiveBayes(), AWNB(trees=trees), discretizer=MDLP())


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
        lambda: AveragedClassifier(WAODE(), BayesNetClassifier(parameters=MEstimate(), discretizer=MDLP())),
        "Jiang & Zhang 2006",
        "as AODE, networks weighed by I(X;C)",
        "m-estimate",
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
    Method(
        "ATAN",
        lambda: _averaged(ATAN()),
        JIANG,
        "the tree of TAN with each feature in turn as its root; posteriors averaged",
        "Laplace",
        "TAN whose root does not matter.",
    ),
    Method(
        "WATAN",
        lambda: _averaged(ATAN(weighted=True)),
        JIANG,
        "as ATAN, networks weighed by I(root;C)",
        "Laplace",
        "ATAN in which informative roots count more.",
    ),
    Method(
        "SKDB",
        _skdb,
        "Martinez, Webb, Chen & Zaidi 2016",
        "KDB; left-out rows choose the first features and the number of parents",
        "m-estimate",
        "KDB that finds out how many features and parents it needs.",
    ),
    Method(
        "ESKDB",
        _eskdb,
        "Zhang, Petitjean & Buntine 2020",
        "SKDBs of random orders; posteriors averaged",
        "shrinkage",
        "An ensemble of SKDBs with tables that back off: strong on large data.",
    ),
    Method(
        "ETAN",
        lambda: BayesNetClassifier(ETAN(), Dirichlet(), discretizer=MDLP()),
        "de Campos et al. 2016",
        "forest with the best BDeu; features with or without the class",
        "Dirichlet",
        "TAN in which features may do without the class, or without each other.",
    ),
    Method(
        "FSSJ",
        lambda: BayesNetClassifier(FSSJ(), Laplace(), discretizer=MDLP()),
        PAZZANI,
        "features added and joined by 5-fold cross-validated accuracy",
        "Laplace",
        "Naive Bayes of few features, some of them joined into one.",
    ),
    Method(
        "BSEJ",
        lambda: BayesNetClassifier(BSEJ(), Laplace(), discretizer=MDLP()),
        PAZZANI,
        "features removed and joined by 5-fold cross-validated accuracy",
        "Laplace",
        "As FSSJ, from naive Bayes backwards.",
    ),
    Method(
        "WANBIA",
        _wanbia,
        "Zaidi, Cerquides, Carman & Webb 2013",
        "naive Bayes",
        "Laplace, weights by conditional likelihood",
        "Naive Bayes in which features that repeat others count less.",
    ),
    Method(
        "wTAN",
        _weighted_tan,
        "after Zaidi et al. 2013",
        "maximum spanning tree on I(X;Y|C)",
        "Laplace, weights by conditional likelihood",
        "TAN whose features have weights, as in WANBIA.",
    ),
    Method(
        "AWNB",
        _awnb,
        "Hall 2007",
        "naive Bayes",
        "Laplace, weights by depth in decision trees",
        "Naive Bayes in which features that trees ask for first count most.",
    ),
)
