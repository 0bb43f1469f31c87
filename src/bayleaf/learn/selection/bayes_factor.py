"""Zero-order Bayes factor test of each feature against the class."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.kinds import Seed
from bayleaf._util.params import Needs, declared, number, whole
from bayleaf.counts import required_target
from bayleaf.data import Table
from bayleaf.data.table import stratified_folds
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Dirichlet
from bayleaf.learn.scores import BDeu
from bayleaf.learn.search import ExactLimits, TooLargeError, optimal_parents
from bayleaf.network import BayesNet

from .selector import FEATURE_SELECTOR, Selector


@dataclass
class AugmentedFold:
    """Training and test rows of one fold; each choice of features is tried once."""

    train: Table
    test: Table
    _known: dict[tuple[int, ...], float] = field(default_factory=dict)

    @classmethod
    def folds(cls, table: Table, folds: int, rng: np.random.Generator) -> "Iterator[AugmentedFold]":
        """Iterate over the folds of a stratified, shuffled cross-validation."""
        fold = stratified_folds(table.codes[:, table.target], folds, rng)
        for k in range(min(folds, table.n_rows)):
            yield cls(table.take(fold != k), table.take(fold == k))

    def correct(self, features: list[int]) -> float:
        """Return the weight of the test rows that are classified correctly with these features."""
        key = tuple(features)
        if key in self._known:
            return self._known[key]
        assert self.train.target is not None  # the caller has checked
        columns = [*features, self.train.target]
        train, test = self.train.select(columns), self.test.select(columns)
        if not train.complete_rows().any():
            train, test = train.select([len(features)]), test.select([len(features)])
        dag = DAG.from_parents(train.names, optimal_parents(train, BDeu(1.0), ExactLimits(augmented=True)))
        network = BayesNet(train.variables, dag, Dirichlet(1.0).fit(train, dag))
        target = train.n_variables - 1
        guesses = network.log_joint(test, target, train.n_jobs).argmax(axis=1)
        weights = np.ones(test.n_rows) if test.weights is None else test.weights
        self._known[key] = float(weights[guesses == test.codes[:, target]].sum())
        return self._known[key]


ESS_CHOICES = (1.0, 2.0, 5.0)
DELTA_CHOICES = (3.0, 20.0, 150.0)


class BayesFactorSelector(Selector):
    """Drop features that a Bayes factor finds independent of the class.

    BF(X, C) = exp(score(C | no parents) - score(C | X)) from BDeu scores; X is dropped when BF > delta. One test per
    feature, no conditioning: in theory every parent and child of the class is kept.

    Parameters
    ----------
    ess : float, optional
        Equivalent sample size of the scores. Chosen from 1, 2, 5 by default.
    delta : float, optional
        Threshold; the smaller, the fewer features are kept. Chosen from 3, 20, 150 by default.
    folds : int, default=2
        Folds of the cross-validation, on the training rows, that makes the choices left open: the accuracy of the
        exact augmented naive Bayes over the features kept decides; ties go to the first in the order above.
    random_state : int, RandomState or Generator, optional

    References
    ----------
    S. Sugahara and M. Ueno. Exact learning augmented naive Bayes classifier. Entropy 23, 2021.
    R. E. Kass and A. E. Raftery. Bayes factors. Journal of the American Statistical Association 90, 1995.

    Examples
    --------
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 20, [0, 0, 1, 1] * 20
    >>> BayesFactorSelector(ess=1.0, delta=3.0).fit(X, y).support_
    array([ True, False])
    """

    settings = declared(
        **Selector.settings,
        ess=number(above=0, below=math.inf, or_none=True),
        delta=number(above=0, or_none=True),
        folds=whole(low=2),
    )

    def __init__(
        self,
        ess: float | None = None,
        delta: float | None = None,
        folds: int = 2,
        *,
        random_state: Seed = None,
    ) -> None:
        super().__init__(random_state=random_state)
        self.ess = ess
        self.delta = delta
        self.folds = folds

    @property
    def needs(self) -> Needs:
        """Counts of pairs where both settings are given; rows to choose them by."""
        return "rows" if self.ess is None or self.delta is None else "pairs"

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features kept, ascending."""
        self.check_params()
        required_target(table, FEATURE_SELECTOR)
        sizes = ESS_CHOICES if self.ess is None else (self.ess,)
        thresholds = DELTA_CHOICES if self.delta is None else (self.delta,)
        ess, delta = self._choose(table, sizes, thresholds, rng)
        return kept_features(table, ess, delta)

    def _choose(
        self, table: Table, sizes: Sequence[float], thresholds: Sequence[float], rng: np.random.Generator
    ) -> tuple[float, float]:
        """Return the setting whose features classify held-out rows best."""
        settings = [(ess, delta) for ess in sizes for delta in thresholds]
        if len({tuple(kept_features(table, *setting)) for setting in settings}) == 1:
            return settings[0]  # whatever is chosen, the features are the same
        correct = dict.fromkeys(settings, 0.0)
        try:
            for fold in AugmentedFold.folds(table, self.folds, rng):
                for setting in settings:
                    correct[setting] += fold.correct(kept_features(fold.train, *setting))
        except TooLargeError as error:
            raise ValueError(
                f"{error.reason} BayesFactorSelector compares its settings by such searches. Give both (the smaller "
                "delta, the fewer features are kept): BayesFactorSelector(ess=1.0, delta=1e-100), or "
                "classifier('fsANB-BDeu', selector__ess=1.0, selector__delta=1e-100). Or learn by hill-climbing: "
                "classifier('gGBN-BDeu')."
            ) from error
        return max(settings, key=lambda setting: correct[setting])


def log_bayes_factors(table: Table, ess: float) -> NDArray[np.float64]:
    """Return log BF(X, C) of every feature, in the order of ``table.features``."""
    target = required_target(table, FEATURE_SELECTOR)
    families = [(target, (x,)) for x in table.features]
    alone, *given = BDeu(ess).families(table, [(target, ()), *families])
    return np.array([alone - score for score in given])


def kept_features(table: Table, ess: float, delta: float) -> list[int]:
    """Return the columns of the features of several states whose Bayes factor is at most delta."""
    factors = log_bayes_factors(table, ess)
    return [
        x
        for x, factor in zip(table.features, factors, strict=True)
        if factor <= np.log(delta) and table.arities[x] > 1
    ]
