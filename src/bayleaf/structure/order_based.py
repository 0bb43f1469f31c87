"""Order-based discriminative structure learning: OMI-CR and its relatives."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf._util.progress import track
from bayleaf.graph import DAG, Search, SearchDiary
from bayleaf.scores import ClassFocusedScore, Evaluator
from bayleaf.table import Table

from .augmented import check_number, check_tree_score, first_best, naive_bayes, require_target, tree_score
from .orders import ORDERS, explicit


class OrderBased(BaseEstimator):  # type: ignore[misc]
    """Order the features, then give each the best parents among the earlier ones (OMI-CR).

    1. Order the features by what they tell about the class (or at random, or as given).
    2. Start from naive Bayes, with an arc from the first feature to the second.
    3. For each later feature in turn, find the best set of at most ``k`` earlier features as its parents, all
       features after it still without feature parents. Keep it if the score is better than before.
    4. With ``refine``, repeat step 3 in the same order from the graph at hand, "no parents" among the candidates,
       until a pass changes nothing.

    Parameters
    ----------
    order : {"omi", "omisp", "ocr", "random"} or list of feature names, default="omi"
        "omi": the pair with the largest I(C; X, X'), then argmax I(C; X | all chosen). "omisp": argmax I(C; X | Y)
        over chosen Y. "ocr": argmax training accuracy of the saturated model. Of equals the feature with the larger
        I(C; X) comes first.
    k : int, default=1
        Feature parents per feature at most. With fewer features than that, all are allowed.
    score : class-focused score, optional
        `ClassificationRate` for k = 1; `CrossValidatedRisk` with five folds for k >= 2, where training accuracy
        over-fits.
    refine : bool, default=False
        The extended heuristic ("Ext").
    first_arc : {"always", "tested"}, default="always"
        The published algorithm adds the arc between the first two features unconditionally and takes the best
        parents of the third whatever their score; "tested" asks for an improvement from the start.

    References
    ----------
    F. Pernkopf and J. A. Bilmes. Efficient heuristics for discriminative structure learning of Bayesian network
    classifiers. Journal of Machine Learning Research 11, 2010. Algorithm 1; section 6.5.4 for the refinement.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, target=2)
    >>> OrderBased().learn(xor, np.random.default_rng(0)).parents("b")
    ('a', 'class')
    """

    def __init__(
        self,
        order: str | Sequence[str] = "omi",
        k: int = 1,
        score: ClassFocusedScore | None = None,
        refine: bool = False,
        first_arc: str = "always",
    ) -> None:
        self.order = order
        self.k = k
        self.score = score
        self.refine = refine
        self.first_arc = first_arc

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "k", self.k, int, low=1)
        check_param(self, "refine", self.refine, bool)
        check_param(self, "first_arc", self.first_arc, str, options=("always", "tested"))
        if isinstance(self.order, str):
            check_param(self, "order", self.order, str, options=tuple(ORDERS))
        check_tree_score(self)

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the graph for a table that has a class."""
        return self.search(table, rng).dag

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        target = require_target(table)
        score = tree_score(self.score, self.k, table)
        order = self._order(table, rng)
        network = score.evaluator(table, naive_bayes(table), rng)
        diary = SearchDiary(table.names, score, network.parents, network.value)
        self._choose_parents(network, order, target, diary)
        if self.refine:
            self._refine(network, order, target, diary)
        return diary.search()

    def _order(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Columns in the order of the search."""
        order = self.order
        chosen = ORDERS[order](table, rng) if isinstance(order, str) else explicit(table, order)
        return [table.features[feature] for feature in chosen]

    def _choose_parents(self, network: Evaluator, order: list[int], target: int, diary: SearchDiary) -> None:
        best = network.value if self.first_arc == "tested" else -np.inf
        for j in track(range(1, len(order)), "Choosing parents"):
            node, earlier = order[j], order[:j]
            if j == 1 and self.first_arc == "always":
                network.commit({node: (order[0], target)})
                diary.now(network.parents, network.value, note="the first two features")
                continue
            candidates = _ParentSets(earlier, 1, self.k, target)
            found = candidates.best(network, node, above=best)
            if found is not None:
                parents, best = found
                network.commit({node: parents})
                diary.now(network.parents, network.value, candidates.number)

    def _refine(self, network: Evaluator, order: list[int], target: int, diary: SearchDiary) -> None:
        changed = True
        while changed:
            changed = False
            for j in track(range(1, len(order)), "Refining parents"):
                candidates = _ParentSets(order[:j], 0, self.k, target)
                found = candidates.best(network, order[j], above=network.value)
                if found is not None:
                    network.commit({order[j]: found[0]})
                    diary.now(network.parents, network.value, candidates.number, note="refined")
                    changed = True


class _ParentSets:
    """All sets of parents between two sizes, small ones first, each with the class."""

    def __init__(self, items: list[int], smallest: int, largest: int, target: int) -> None:
        self._items = items
        self._sizes = range(smallest, min(largest, len(items)) + 1)
        self._target = target
        self.number = check_number(
            sum(comb(len(items), size) for size in self._sizes),
            f"sets of at most {largest} parents among {len(items)} features",
        )

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for size in self._sizes:
            for parents in combinations(self._items, size):
                yield (*parents, self._target)

    def best(self, network: Evaluator, node: int, above: float) -> tuple[tuple[int, ...], float] | None:
        """Return the first best parents of a node and their score, or None if none scores above a threshold."""
        return first_best(self, lambda some, least: network.best(node, some, least), above)
