"""Greedy discriminative trees: from naive Bayes on, the arcs that help the classifier most (Keogh and Pazzani).

`GreedyTree` adds the best arc at each step. `SuperParent` first looks for the best parent of all features at once,
and then keeps its best arcs: fewer networks are scored.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from math import comb
from typing import Self

import numpy as np

from bayleaf._util.machine import available_memory
from bayleaf._util.progress import track
from bayleaf.data import Table
from bayleaf.graph.parents import children_of, closure
from bayleaf.learn.search import Evaluator, Search
from bayleaf.learn.search.log_joint import LogJointEvaluator

from .structure_learner import ArcConstraints, DiscriminativeLearner, check_number, checked_class, first_best

Step = tuple[int, tuple[int, ...], float]


class GreedyTree(DiscriminativeLearner):
    """Start from naive Bayes; add the best arc between features as long as one improves the score (TAN-CR).

    Each feature gets at most ``k`` feature parents; the graph stays acyclic. Of equally good arcs the first in
    (child, parent) order is taken.

    Parameters
    ----------
    k : int, default=1
        Feature parents per feature at most.
    score : class-focused score, optional
        `ClassificationRate` for k = 1, `CrossValidatedRisk` with five folds for k >= 2.
    required, forbidden : list of (parent, child), optional
        Arcs between features that the graph must or must not have.

    References
    ----------
    E. J. Keogh and M. J. Pazzani. Learning augmented Bayesian classifiers. AISTATS 1999. D. Grossman and
    P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood. ICML 2004.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, target=2)
    >>> GreedyTree().learn(xor, np.random.default_rng(0)).parents("a")
    ('b', 'class')
    """

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        checked_class(self, table)
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k).by_column(table)
        network, diary = self.begin(table, rng, constraints.required)
        most = len(table.features) * min(self.k, len(table.features))
        for _ in track(range(most), "Adding arcs"):
            step, considered = self._best_arc(network, table.features, constraints)
            if step is None:
                break
            child, parents, _ = step
            network.commit({child: parents})
            diary.now(network.parents, network.value, considered)
        return diary.search()

    def _best_arc(
        self, network: Evaluator, features: Sequence[int], constraints: ArcConstraints
    ) -> tuple[Step | None, int]:
        """Return the best arc, if one improves the score, and how many were tried."""
        best: Step | None = None
        considered = 0
        for child in features:
            own = network.parents[child]
            if len(own) > self.k:  # the class is one of them
                continue
            below = closure(children_of(network.parents), [child])
            candidates = [
                tuple(sorted((*own, parent)))
                for parent in features
                if parent not in own and parent not in below and constraints.allows(parent, child)
            ]
            considered += len(candidates)
            found = network.best(child, candidates, above=network.value if best is None else best[2])
            if found is not None:
                best = (child, candidates[found[0]], found[1])
        return best, considered


# New parents of the children of one feature.
Adoption = dict[int, tuple[int, ...]]
# Bytes that the networks of `_AdoptedByEach` may take: at most this many, and half of what is free.
LARGEST_COPIES = 2**31


class SuperParent(DiscriminativeLearner):
    """Find the feature that serves best as a parent of all open features, keep its best arcs, repeat.

    A feature is open while it has fewer than ``k`` feature parents.

    1. Superparent: the feature that scores best as an additional parent of every open feature (acyclicity kept).
    2. Of the arcs from it, keep the ``k`` that score best together (the single best child for k = 1), if they
       improve the score; otherwise stop.

    Parameters
    ----------
    k, score, required, forbidden
        As in `GreedyTree`.

    Notes
    -----
    The network of every superparent is kept from step to step: rows x classes x 8 bytes for each feature. Where that
    is more than 2 GiB or half of the free memory, every step computes them anew, with the same result.

    References
    ----------
    E. J. Keogh and M. J. Pazzani. Learning augmented Bayesian classifiers. AISTATS 1999; for k >= 2 F. Pernkopf and
    J. A. Bilmes. Efficient heuristics for discriminative structure learning of Bayesian network classifiers.
    Journal of Machine Learning Research 11, 2010, section 4.4.2.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, target=2)
    >>> SuperParent().learn(xor, np.random.default_rng(0)).parents("b")
    ('a', 'class')
    """

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        checked_class(self, table)
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k).by_column(table)
        network, diary = self.begin(table, rng, constraints.required)
        features = table.features
        adopted = _AdoptedByEach.of(network, table)
        most = len(features) * min(self.k, len(features))
        for _ in track(range(most), "Adopting children"):
            superparent = self._superparent(network, features, adopted, constraints)
            if superparent is None:
                break
            adoption, tried = self._best_adoption(network, superparent, features, constraints)
            if adoption is None:
                break
            network.commit(adoption)
            diary.now(network.parents, network.value, len(features) + tried)
        return diary.search()

    def _best_adoption(
        self, network: Evaluator, superparent: int, features: Sequence[int], constraints: ArcConstraints
    ) -> tuple[Adoption | None, int]:
        """Return the best arcs from a superparent, if they improve the score, and how many sets of them there are."""
        children = self._open(network, superparent, features, constraints)
        # As many arcs as a feature may have parents; fewer when fewer children are left.
        size = min(self.k, len(children))
        tried = check_number(
            comb(len(children), size), f"sets of {size} children among {len(children)} features"
        )
        adoptions = (_adopt(network, superparent, some) for some in combinations(children, size))
        best_of = network.best_change if self.k > 1 else partial(_best_child, network)
        found = first_best(adoptions, best_of, network.value)
        return None if found is None else found[0], tried

    def _superparent(
        self,
        network: Evaluator,
        features: Sequence[int],
        adopted: "_AdoptedByEach | None",
        constraints: ArcConstraints,
    ) -> int | None:
        able = [(node, self._open(network, node, features, constraints)) for node in features]
        able = [(node, children) for node, children in able if children]
        changes = {node: _adopt(network, node, children) for node, children in able}
        if adopted is not None:
            return adopted.best(network.parents, changes)
        found = network.best_change(list(changes.values()), above=-np.inf)
        return None if found is None else able[found[0]][0]

    def _open(
        self, network: Evaluator, superparent: int, features: Sequence[int], constraints: ArcConstraints
    ) -> list[int]:
        above = closure(network.parents, [superparent])
        return [
            child
            for child in features
            if child not in above
            and superparent not in network.parents[child]
            and len(network.parents[child]) - 1 < self.k
            and constraints.allows(superparent, child)
        ]


class _AdoptedByEach:
    """For every feature the network in which it is the superparent, kept from one step to the next.

    A step changes few families of each of these networks: with n features it costs about n exchanges of a family,
    where scoring every superparent afresh costs n^2. The price is a log-joint per feature.
    """

    def __init__(self, network: LogJointEvaluator) -> None:
        self._start = network.copy()
        self._networks: dict[int, LogJointEvaluator] = {}

    @classmethod
    def of(cls, network: Evaluator, table: Table) -> Self | None:
        """Start at a network, where it can be copied and there is room for the copies."""
        copies = len(table.features) * table.n_rows * int(table.arities[table.target]) * 8
        room = min(LARGEST_COPIES, available_memory() // 2)
        if isinstance(network, LogJointEvaluator) and network.fixed and copies <= room:
            return cls(network)
        return None

    def best(self, parents: Sequence[tuple[int, ...]], changes: dict[int, Adoption]) -> int | None:
        """Return the superparent whose change scores best; ties go to the first."""
        self._networks = {node: self._networks.get(node) or self._start.copy() for node in changes}
        for node, change in changes.items():
            self._networks[node].commit({child: change.get(child, now) for child, now in enumerate(parents)})
        return max(changes, key=lambda node: self._networks[node].value, default=None)


def _adopt(network: Evaluator, parent: int, children: list[int] | tuple[int, ...]) -> Adoption:
    return {child: tuple(sorted((*network.parents[child], parent))) for child in children}


def _best_child(network: Evaluator, adoptions: list[Adoption], above: float) -> tuple[int, float] | None:
    """Return the first best of changes of one family each, or None if none scores above a threshold."""
    best: tuple[int, float] | None = None
    for k, adoption in enumerate(adoptions):
        ((child, parents),) = adoption.items()
        found = network.best(child, [parents], above)
        if found is not None:
            above = found[1]
            best = k, above
    return best
