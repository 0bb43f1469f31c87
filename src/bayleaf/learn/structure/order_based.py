"""Order-based discriminative structure learning: OMI-CR and its relatives, and the orders they use."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import declared, flag, one_of
from bayleaf._util.progress import track
from bayleaf.counts import ClassPartition, PairInformation, class_information
from bayleaf.data import Table
from bayleaf.graph import Arc
from bayleaf.learn.scores import ClassFocusedScore
from bayleaf.learn.scores.class_focused import check_classes
from bayleaf.learn.search import Evaluator, Search, SearchDiary

from .structure_learner import ArcConstraints, DiscriminativeLearner, check_number, checked_class, first_best

# Positions among the features of the table.
Order = list[int]


def omi(table: Table, rng: np.random.Generator) -> Order:
    """Order by mutual information: the best pair by I(C; X, X'), then argmax I(C; X | all chosen)."""
    return _one_by_one(table, _first_pair(table), ClassPartition.information)


def least(table: Table, rng: np.random.Generator) -> Order:
    """Order by least mutual information, to compare with: argmin I(C; X | all chosen), from the first feature on."""
    return _one_by_one(table, [], ClassPartition.information, sign=-1)


def omisp(table: Table, rng: np.random.Generator) -> Order:
    """Order by mutual information given a single parent: argmax over X of max over chosen Y of I(C; X | Y)."""
    given = PairInformation.of(table).class_given_other()
    alone = class_information(table)
    order = _first_pair(table)
    while len(order) < len(alone):
        left = [feature for feature in range(len(alone)) if feature not in order]
        order.append(_first_best(left, given[np.ix_(left, order)].max(axis=1), alone))
    return order


def ocr(table: Table, rng: np.random.Generator) -> Order:
    """Order by classification rate: argmax of the training accuracy of the saturated model P(C, X, chosen)."""
    return _one_by_one(table, [], ClassPartition.accuracy)


def random_order(table: Table, rng: np.random.Generator) -> Order:
    """Shuffle the features."""
    return [int(feature) for feature in rng.permutation(len(table.features))]


def explicit(table: Table, names: Sequence[str]) -> Order:
    """Take the order that the user gives, by names."""
    # A set has no order, and an iterator is used up by the first fit.
    if not isinstance(names, Iterable) or isinstance(names, Set | Iterator):
        raise TypeError(
            f"The 'order' parameter of OrderBased must be one of {', '.join(map(repr, ORDERS))}, or a list of "
            f"feature names. Got {names!r} instead."
        )
    names, features = list(names), [table.names[j] for j in table.features]
    lacking = [name for name in features if name not in names]
    if lacking or len(names) != len(features):
        foreign = [name for name in names if name not in features]
        twice = [name for name in features if names.count(name) > 1]
        found = [
            f"{what} {some[:10]}"
            for what, some in (("missing", lacking), ("unknown", foreign), ("repeated", twice))
            if some
        ]
        raise ValueError(
            f"The 'order' parameter of OrderBased must name each feature once: {'; '.join(found)}."
        )
    return [features.index(name) for name in names]


ORDERS: dict[str, Callable[[Table, np.random.Generator], Order]] = {
    "omi": omi,
    "omisp": omisp,
    "ocr": ocr,
    "least": least,
    "random": random_order,
}


def _first_pair(table: Table) -> Order:
    """Find the pair that tells most about the class; of the two, the one that tells more alone goes first."""
    alone = class_information(table)
    if len(alone) < 2:
        return list(range(len(alone)))
    together = np.triu(PairInformation.of(table).joint_with_class(), 1)
    one, other = (int(k) for k in np.unravel_index(int(together.argmax()), together.shape))
    if one == other:  # no pair tells anything
        one, other = 0, 1
    return [other, one] if alone[one] < alone[other] else [one, other]


def _one_by_one(
    table: Table,
    order: Order,
    measure: Callable[[ClassPartition, list[int]], NDArray[np.float64]],
    sign: int = 1,
) -> Order:
    """Add the feature with the largest measure (sign 1) or the smallest (sign -1) until all are in the order."""
    alone = sign * class_information(table)
    partition = ClassPartition(table)
    for feature in order:
        partition.divide(table.features[feature])
    for _ in track(range(len(alone) - len(order)), "Ordering features"):
        left = [feature for feature in range(len(alone)) if feature not in order]
        values = sign * measure(partition, [table.features[feature] for feature in left])
        order.append(_first_best(left, values, alone))
        partition.divide(table.features[order[-1]])
    return order


def _first_best(left: list[int], values: NDArray[np.float64], alone: NDArray[np.float64]) -> int:
    """Argmax; ties go to the feature that is more informative about the class alone, then to the first."""
    best = max(range(len(left)), key=lambda k: (values[k], alone[left[k]], -left[k]))
    return left[best]


class OrderBased(DiscriminativeLearner):
    """Order the features, then give each the best parents among the earlier ones (OMI-CR).

    1. Order the features by their information about the class (or at random, or as given).
    2. Start from naive Bayes, with an arc from the first feature to the second.
    3. For each later feature in turn, find the best set of at most ``k`` earlier features as its parents, all
       features after it still without feature parents. Keep it if the score is better than before.
    4. With ``refine``, repeat step 3 in the same order from the graph at hand, "no parents" among the candidates,
       until a pass changes nothing.

    Parameters
    ----------
    order : {"omi", "omisp", "ocr", "least", "random"} or list of feature names, default="omi"
        "omi": the pair with the largest I(C; X, X'), then argmax I(C; X | all chosen). "omisp": argmax I(C; X | Y)
        over chosen Y. "ocr": argmax training accuracy of the saturated model. Ties go to the feature with the larger
        I(C; X). "least" is what the paper compares "omi" with: argmin I(C; X | all chosen) at each step.
    k : int, default=1
        Feature parents per feature at most. With fewer features than that, all are allowed.
    score : class-focused score, optional
        `ClassificationRate` for k = 1; `CrossValidatedRisk` with five folds for k >= 2, where training accuracy
        over-fits.
    refine : bool, default=False
        The extended heuristic ("Ext").
    first_arc : {"always", "tested"}, default="always"
        The published algorithm adds the arc between the first two features unconditionally and takes the best
        parents of the third whatever their score; "tested" requires an improvement from the start.
    required, forbidden : list of (parent, child), optional
        Arcs between features that the graph must or must not have; the order of the features is changed for them as
        little as possible.

    References
    ----------
    F. Pernkopf and J. A. Bilmes. Efficient heuristics for discriminative structure learning of Bayesian network
    classifiers. Journal of Machine Learning Research 11, 2010. Algorithm 1; section 6.5.4 for the refinement.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, target=2)
    >>> OrderBased().learn(xor, np.random.default_rng(0)).parents("b")
    ('a', 'class')
    """

    settings = declared(**DiscriminativeLearner.settings, refine=flag, first_arc=one_of("always", "tested"))

    def __init__(
        self,
        order: str | Sequence[str] = "omi",
        k: int = 1,
        score: ClassFocusedScore | None = None,
        refine: bool = False,
        first_arc: str = "always",
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
    ) -> None:
        super().__init__(k, score, required, forbidden)
        self.order = order
        self.refine = refine
        self.first_arc = first_arc

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        super().check_params()
        if isinstance(self.order, str):
            one_of(*ORDERS)(self, "order", self.order)

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target = checked_class(self, table)
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k).by_column(table)
        if not constraints.required and not constraints.forbidden:
            others = table.features[1:]
            _ParentSets(others, 1, self.k, target)  # the last feature's: too many are refused before any work
        order = constraints.arranged(self._order(check_classes(table), rng))
        network, diary = self.begin(table, rng, constraints.required)
        self._choose_parents(network, order, target, diary, constraints)
        if self.refine:
            self._refine(network, order, target, diary, constraints)
        return diary.search()

    def _order(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Columns in the order of the search."""
        order = self.order
        chosen = ORDERS[order](table, rng) if isinstance(order, str) else explicit(table, order)
        return [table.features[feature] for feature in chosen]

    def _choose_parents(
        self,
        network: Evaluator,
        order: list[int],
        target: int,
        diary: SearchDiary,
        constraints: ArcConstraints,
    ) -> None:
        best = network.value if self.first_arc == "tested" else -np.inf
        for j in track(range(1, len(order)), "Choosing parents"):
            node, earlier = order[j], order[:j]
            if j == 1 and self.first_arc == "always" and constraints.allows(order[0], node):
                network.commit({node: (order[0], target)})
                diary.now(network.parents, network.value, note="the first two features")
                continue
            candidates = _ParentSets.of(node, earlier, 1, self.k, target, constraints)
            found = candidates.best(network, node, above=best)
            if found is not None:
                parents, best = found
                network.commit({node: parents})
                diary.now(network.parents, network.value, candidates.number)

    def _refine(
        self,
        network: Evaluator,
        order: list[int],
        target: int,
        diary: SearchDiary,
        constraints: ArcConstraints,
    ) -> None:
        changed = True
        while changed:
            changed = False
            for j in track(range(1, len(order)), "Refining parents"):
                candidates = _ParentSets.of(order[j], order[:j], 0, self.k, target, constraints)
                found = candidates.best(network, order[j], above=network.value)
                if found is not None:
                    network.commit({order[j]: found[0]})
                    diary.now(network.parents, network.value, candidates.number, note="refined")
                    changed = True


class _ParentSets:
    """All sets of parents between two sizes, small ones first, each with the class and those that are in any case."""

    def __init__(
        self, items: Sequence[int], smallest: int, largest: int, target: int, fixed: list[int] | None = None
    ) -> None:
        self._items = items
        self._sizes = range(smallest, min(largest, len(items)) + 1)
        self._always = (*(fixed or ()), target)
        self.number = check_number(
            sum(comb(len(items), size) for size in self._sizes),
            f"sets of at most {largest} parents among {len(items)} features",
        )

    @classmethod
    def of(
        cls,
        node: int,
        earlier: list[int],
        smallest: int,
        largest: int,
        target: int,
        constraints: ArcConstraints,
    ) -> "_ParentSets":
        """Return the sets of earlier features that a node may have as parents: those required and some others."""
        required = constraints.required_parents(node)
        items = [each for each in earlier if each not in required and constraints.allows(each, node)]
        return cls(items, 0 if required else smallest, largest - len(required), target, required)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for size in self._sizes:
            for parents in combinations(self._items, size):
                yield (*parents, *self._always)

    def best(self, network: Evaluator, node: int, above: float) -> tuple[tuple[int, ...], float] | None:
        """Return the first best parents of a node and their score, or None if none scores above a threshold."""
        return first_best(self, lambda some, least: network.best(node, some, least), above)
