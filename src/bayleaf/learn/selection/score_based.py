"""Parents, children and spouses of the class by small optimal networks: S2TMB and SLL."""

from dataclasses import replace

import numpy as np

from bayleaf._util.kinds import Seed
from bayleaf._util.params import declared, flag, if_given
from bayleaf.counts import required_target
from bayleaf.data import Table
from bayleaf.learn.scores import BDeu
from bayleaf.learn.search import ExactScore, check_exact_score, optimal_parents

from .selector import FEATURE_SELECTOR, Selector

# The optimal networks grow with what is found: beyond this each step takes noticeable time.
LARGEST_NETWORK = 20


class S2TMB(Selector):
    """Score-based simultaneous discovery of parents, children and spouses of the class.

    For each feature X in turn, the neighbours found become the neighbours of the class in the *optimal* network over
    the class, X and those found before; then spouses likewise.

    Parameters
    ----------
    network_score : score, optional
        BDeu(1.0) by default; anything that `Exact` maximises.
    spouses : bool, default=True
        Whether to return the Markov blanket, or parents and children only.
    random_state : int, RandomState or Generator, optional

    References
    ----------
    T. Gao and Q. Ji. Efficient score-based Markov blanket discovery. International Journal of Approximate
    Reasoning 80, 2017.

    Examples
    --------
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 20, [0, 0, 1, 1] * 20
    >>> S2TMB().fit(X, y).support_
    array([ True, False])
    """

    settings = declared(**Selector.settings, network_score=if_given(check_exact_score), spouses=flag)

    def __init__(
        self,
        network_score: ExactScore | None = None,
        spouses: bool = True,
        *,
        random_state: Seed = None,
    ) -> None:
        super().__init__(random_state=random_state)
        self.network_score = network_score
        self.spouses = spouses

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features found, ascending."""
        self.check_params()
        target = required_target(table, FEATURE_SELECTOR)
        found = potential_neighbours(self, table)
        if not self.spouses:
            return found
        score = BDeu() if self.network_score is None else self.network_score
        spouses: list[int] = []
        for x in table.features:
            if x not in found:
                _, new = blanket(self, table, target, sorted({*found, *spouses, x}), score)
                spouses = [y for y in new if y not in found]
        return sorted({*found, *spouses})


def blanket(
    owner: object, table: Table, target: int, features: list[int], score: ExactScore
) -> tuple[list[int], list[int]]:
    """Return neighbours and spouses of a variable in the optimal network over it and some others."""
    if len(features) + 1 > LARGEST_NETWORK:
        raise ValueError(
            f"{type(owner).__name__} would need optimal networks over {len(features) + 1} variables; it stops at "
            f"{LARGEST_NETWORK}. Use BayesFactorSelector or MMPC for classes with this many neighbours."
        )
    columns = [*features, target]
    parents = optimal_parents(table.select(columns), score)
    last = len(features)
    children = [x for x in range(last) if last in parents[x]]
    neighbours = sorted({*parents[last], *children})
    spouses = sorted({y for child in children for y in parents[child]} - {last, *neighbours})
    return [columns[x] for x in neighbours], [columns[x] for x in spouses]


class SLL(Selector):
    """Score-based local learning of the parents and children of the class.

    1. For each feature X in turn, the neighbours found become the neighbours of the class in the *optimal* network
       over the class, X and those found before.
    2. A neighbour stays only if the same search from it finds the class.

    Parameters
    ----------
    network_score : score, optional
        BDeu(1.0) by default; anything that `Exact` maximises.
    random_state : int, RandomState or Generator, optional

    References
    ----------
    T. Niinimaki and P. Parviainen. Local structure discovery in Bayesian networks. Uncertainty in Artificial
    Intelligence, 2012.

    Examples
    --------
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 20, [0, 0, 1, 1] * 20
    >>> SLL().fit(X, y).support_
    array([ True, False])
    """

    settings = declared(**Selector.settings, network_score=if_given(check_exact_score))

    def __init__(self, network_score: ExactScore | None = None, *, random_state: Seed = None) -> None:
        super().__init__(random_state=random_state)
        self.network_score = network_score

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features found, ascending."""
        self.check_params()
        target = required_target(table, FEATURE_SELECTOR)
        found = potential_neighbours(self, table)
        return [x for x in found if target in potential_neighbours(self, replace(table, target=x))]


def potential_neighbours(selector: S2TMB | SLL, table: Table) -> list[int]:
    """Return the neighbours of a table's target by the first step of both, from its own side."""
    target = required_target(table, FEATURE_SELECTOR)
    score = BDeu() if selector.network_score is None else selector.network_score
    found: list[int] = []
    for x in table.features:
        found, _ = blanket(selector, table, target, sorted({*found, x}), score)
    return found
