"""Parents and children of the class by tests of conditional independence: MMPC, HITON-PC and PCMB, and the tests."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations
from typing import Any, Protocol

import numpy as np
from scipy.special import xlogy
from scipy.stats import chi2

from bayleaf._util.kinds import Seed
from bayleaf._util.params import WithSettings, declared, flag, number, whole, with_method
from bayleaf.counts import count, required_target
from bayleaf.data import Table
from bayleaf.learn.scores import BDeu

from .selector import FEATURE_SELECTOR, Selector


@dataclass(frozen=True)
class Association:
    """Result of one test."""

    strength: float  # comparable between tests of one kind; larger means more dependent
    independent: bool  # whether the variables are taken to be independent


class AssociationTest(Protocol):
    """What the local discovery algorithms ask of a test."""

    def test(self, table: Table, x: int, y: int, given: Sequence[int]) -> Association:
        """Test columns x and y given other columns."""
        ...


class G2(WithSettings):
    """Likelihood-ratio test of conditional independence.

    G2 = 2 sum N_xys ln(N_xys N_s / (N_xs N_ys)), with (r_x - 1)(r_y - 1) q_s degrees of freedom. The strength is the
    negative logarithm of the p-value.

    Parameters
    ----------
    alpha : float, default=0.05
        Independence is rejected when the p-value is at most this.
    min_rows : float, default=5.0
        Rows that a test needs per cell of its table. With fewer there is no test, and the variables are
        taken to be independent with strength zero.

    References
    ----------
    I. Tsamardinos, L. E. Brown and C. F. Aliferis. The max-min hill-climbing Bayesian network structure learning
    algorithm. Machine Learning 65, 2006.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in "ab"), [[0, 0], [1, 1]] * 20)
    >>> G2().test(table, 0, 1, ()).independent
    False
    """

    settings = declared(alpha=number(above=0, below=1), min_rows=number(low=0))

    def __init__(self, alpha: float = 0.05, min_rows: float = 5.0) -> None:
        self.alpha = alpha
        self.min_rows = min_rows

    def test(self, table: Table, x: int, y: int, given: Sequence[int]) -> Association:
        """Test columns x and y given other columns."""
        self.check_params()
        cells = float(np.prod(table.arities[[x, y, *given]].astype(float)))
        if cells * self.min_rows > table.total_weight:
            return Association(0.0, True)
        counts = count(table, [[*given, x, y]])[0]
        flat = counts.reshape(-1, counts.shape[-2], counts.shape[-1])
        terms = [flat, flat.sum(axis=(1, 2)), flat.sum(axis=2), flat.sum(axis=1)]
        joint, given_only, with_x, with_y = (float(xlogy(part, part).sum()) for part in terms)
        statistic = max(0.0, 2.0 * (joint + given_only - with_x - with_y))
        freedom = (flat.shape[1] - 1) * (flat.shape[2] - 1) * flat.shape[0]
        if freedom == 0:
            return Association(0.0, True)
        log_p = float(chi2.logsf(statistic, freedom))
        return Association(-log_p, log_p > math.log(self.alpha))


class BayesFactor(WithSettings):
    """Bayes factor of independence, from BDeu scores.

    log BF = score(Y | S) - score(Y | S + X); independent when BF > delta. The strength is -log BF.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the scores.
    delta : float, default=1.0
        How much more probable independence must be.

    References
    ----------
    K. Natori, M. Uto and M. Ueno. Consistent learning Bayesian networks with thousands of variables. Proceedings of
    Machine Learning Research 73, 2017.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in "ab"), [[0, 0], [1, 1]] * 20)
    >>> BayesFactor().test(table, 0, 1, ()).independent
    False
    """

    settings = declared(delta=number(above=0))

    def __init__(self, ess: float = 1.0, delta: float = 1.0) -> None:
        self.ess = ess
        self.delta = delta

    def test(self, table: Table, x: int, y: int, given: Sequence[int]) -> Association:
        """Test columns x and y given other columns."""
        self.check_params()
        without, with_x = BDeu(self.ess).families(table, [(y, tuple(given)), (y, (*given, x))])
        log_factor = float(without - with_x)
        return Association(-log_factor, log_factor > math.log(self.delta))


@dataclass
class Tests:
    """Tests on one table, each made once."""

    table: Table
    measure: AssociationTest
    _known: dict[tuple[frozenset[int], frozenset[int]], Association] = field(default_factory=dict)

    def between(self, x: int, y: int, given: Sequence[int]) -> Association:
        """Return the association of x and y given others; their order does not matter."""
        key = (frozenset((x, y)), frozenset(given))
        if key not in self._known:
            first, second = sorted((x, y))
            self._known[key] = self.measure.test(self.table, first, second, sorted(given))
        return self._known[key]

    def weakest(self, x: int, y: int, sets: Any) -> Association:
        """Return the weakest association over several conditioning sets; the first independence ends the search."""
        least = Association(math.inf, False)
        for given in sets:
            found = self.between(x, y, given)
            if found.independent:
                return found
            if found.strength < least.strength:
                least = found
        return least


class NeighbourSelector(Selector):
    """What the selectors of the class's parents and children share: settings, and how neighbours are searched."""

    settings = declared(
        **Selector.settings,
        test=partial(with_method, method="test", example="bayleaf.G2()"),
        max_conditioning=whole(low=0),
        symmetric=flag,
    )

    def __init__(
        self,
        test: AssociationTest | None = None,
        max_conditioning: int = 3,
        symmetric: bool = False,
        *,
        random_state: Seed = None,
    ) -> None:
        super().__init__(random_state=random_state)
        self.test = test
        self.max_conditioning = max_conditioning
        self.symmetric = symmetric

    @staticmethod
    @abstractmethod
    def _neighbours(tests: Tests, target: int, most: int) -> list[int]:
        """Return the parents and children of any variable, with conditioning sets of limited size."""

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features found, ascending."""
        self.check_params()
        target, most = required_target(table, FEATURE_SELECTOR), self.max_conditioning
        tests = Tests(table, G2() if self.test is None else self.test)
        found = self._neighbours(tests, target, most)
        if self.symmetric:
            found = [x for x in found if target in self._neighbours(tests, x, most)]
        return sorted(found)


def subsets(items: Sequence[int], most: int) -> Any:
    """Iterate over all subsets of limited size, small ones first."""
    return chain.from_iterable(combinations(items, size) for size in range(min(most, len(items)) + 1))


class MMPC(NeighbourSelector):
    """Max-min parents and children of the class.

    Forward: add the feature whose weakest association with the class, over subsets of those found, is strongest; one
    that is independent given some subset is dropped permanently. Backward: drop those independent given a subset of
    the others.

    Parameters
    ----------
    test : association test, optional
        `G2` (the default) or `BayesFactor`.
    max_conditioning : int, default=3
        Largest conditioning set.
    symmetric : bool, default=False
        Whether a feature is kept only if the class is found from it as well.
    random_state : int, RandomState or Generator, optional

    References
    ----------
    I. Tsamardinos, L. E. Brown and C. F. Aliferis. The max-min hill-climbing Bayesian network structure learning
    algorithm. Machine Learning 65, 2006.

    Examples
    --------
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 20, [0, 0, 1, 1] * 20
    >>> MMPC().fit(X, y).support_
    array([ True, False])
    """

    @staticmethod
    def _neighbours(tests: Tests, target: int, most: int) -> list[int]:
        """Return the candidate parents and children of a variable."""
        found: list[int] = []
        weakest: dict[int, float] = {}
        for x in range(tests.table.n_variables):
            if x != target and not (marginal := tests.between(x, target, ())).independent:
                weakest[x] = marginal.strength
        while weakest:
            best = max(weakest, key=lambda x: (weakest[x], -x))
            del weakest[best]
            # Subsets without the newcomer were tested before.
            fresh = [(*given, best) for given in subsets(found, most - 1)] if most > 0 else []
            found.append(best)
            for x in list(weakest):
                association = tests.weakest(x, target, fresh)
                if association.independent:
                    del weakest[x]
                else:
                    weakest[x] = min(weakest[x], association.strength)
        return shrink(tests, target, found, most)


def shrink(tests: Tests, target: int, found: list[int], most: int) -> list[int]:
    """Drop members that are independent of the target given a subset of the others."""
    kept = list(found)
    for x in found:
        others = [other for other in kept if other != x]
        if tests.weakest(x, target, subsets(others, most)).independent:
            kept = others
    return kept


class HITONPC(NeighbourSelector):
    """HITON parents and children of the class, semi-interleaved.

    Features join in the order of their association with the class, and each newcomer must stay dependent given all
    subsets of those found; a full backward pass comes at the end.

    Parameters
    ----------
    test, max_conditioning, symmetric, random_state
        As in `MMPC`.

    References
    ----------
    C. F. Aliferis, I. Tsamardinos and A. Statnikov. HITON: a novel Markov blanket algorithm for optimal variable
    selection. AMIA Annual Symposium, 2003.

    Examples
    --------
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 20, [0, 0, 1, 1] * 20
    >>> HITONPC().fit(X, y).support_
    array([ True, False])
    """

    @staticmethod
    def _neighbours(tests: Tests, target: int, most: int) -> list[int]:
        """Return the candidate parents and children of a variable."""
        others = [x for x in range(tests.table.n_variables) if x != target]
        marginal = {x: tests.between(x, target, ()) for x in others}
        ranked = sorted(
            (x for x in others if not marginal[x].independent), key=lambda x: (-marginal[x].strength, x)
        )
        found: list[int] = []
        for x in ranked:
            if not tests.weakest(x, target, subsets(found, most)).independent:
                found.append(x)
        return shrink(tests, target, found, most)


class PCMB(NeighbourSelector):
    """Parents and children of the class by the first two procedures of PCMB.

    GetPCD: drop what is independent given some subset of those found, add the feature with the strongest weakest
    association, drop those found that have become independent, and repeat until nothing is left to add. GetPC keeps a
    feature only if the class is found from it as well.

    Parameters
    ----------
    test, max_conditioning, symmetric, random_state
        As in `MMPC`, but ``symmetric`` is True by default.

    References
    ----------
    J. M. Pena, R. Nilsson, J. Bjorkegren and J. Tegner. Towards scalable and data efficient learning of Markov
    boundaries. International Journal of Approximate Reasoning 45, 2007.

    Examples
    --------
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 20, [0, 0, 1, 1] * 20
    >>> PCMB().fit(X, y).support_
    array([ True, False])
    """

    def __init__(
        self,
        test: AssociationTest | None = None,
        max_conditioning: int = 3,
        symmetric: bool = True,
        *,
        random_state: Seed = None,
    ) -> None:
        super().__init__(test, max_conditioning, symmetric, random_state=random_state)

    @staticmethod
    def _neighbours(tests: Tests, target: int, most: int) -> list[int]:
        """Return the parents, children and perhaps some descendants of a variable (GetPCD)."""
        found: list[int] = []
        candidates = [x for x in range(tests.table.n_variables) if x != target]
        while True:
            weakest = {x: tests.weakest(x, target, subsets(found, most)) for x in candidates}
            candidates = [x for x in candidates if not weakest[x].independent]
            if not candidates:
                return found
            best = max(candidates, key=lambda x: (weakest[x].strength, -x))
            candidates.remove(best)
            found.append(best)
            found = [
                x
                for x in found
                if not tests.weakest(x, target, subsets([y for y in found if y != x], most)).independent
            ]
