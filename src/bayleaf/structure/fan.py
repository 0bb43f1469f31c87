"""Forest-augmented naive Bayes: only the edges that pay."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf.counts import PairInformation, class_information
from bayleaf.data import Table
from bayleaf.graph import Arc, maximum_arborescence, maximum_spanning_forest
from bayleaf.search import Search

from .constraints import ArcConstraints
from .structure_learner import SearchingLearner, augment_by_tree, feature_number, require_target


class FAN(SearchingLearner):
    """Like TAN, but an edge must weigh more than a threshold, so that the features form a forest.

    Parameters
    ----------
    threshold : float, optional
        Smallest I(X_i; X_j | C), in nats, that an edge must exceed. By default each edge must pay for its
        parameters by the MDL principle: N I(X_i; X_j | C) > 0.5 log(N) r_C (r_i - 1) (r_j - 1),
        where N is the weight of the rows in which the class and both features are known.
    root : str, optional
        Root of the tree that contains it; every other tree starts from its feature with the largest I(X; C).
    required, forbidden : list of (parent, child), optional
        Arcs between features that the forest must have, whatever they weigh, or must not have. Then the heaviest
        *directed* forest that obeys them is found (Chu-Liu / Edmonds).

    References
    ----------
    P. J. F. Lucas. Restricted Bayesian network structure learning. Advances in Bayesian Networks, 2004.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], target=2)
    >>> FAN().learn(table, np.random.default_rng(0)).parents("b")
    ('class',)
    """

    learned_at_once = True
    added_settings = ("required", "forbidden")

    def __init__(
        self,
        threshold: float | None = None,
        root: str | None = None,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
    ) -> None:
        self.threshold = threshold
        self.root = root
        self.required = required
        self.forbidden = forbidden

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "threshold", self.threshold, float, low=0, allow_none=True)

    @property
    def learns_from_counts(self) -> bool:
        """Whether counts are all that it asks for."""
        return True

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target = require_target(table)
        self.check_params()
        root = None if self.root is None else feature_number(table, self.root, "root")
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=1)
        pairs = PairInformation.of(table)
        weights = pairs.given_class()
        if self.threshold is None:
            free = table.arities[table.features] - 1
            rows = np.maximum(pairs.rows(), 1.0)
            threshold = 0.5 * np.log(rows) / rows * table.arities[target] * np.multiply.outer(free, free)
        else:
            threshold = np.full(weights.shape, float(self.threshold))
        relevance = class_information(table, pairs)
        if constraints.required or constraints.forbidden:
            parents = heaviest_forest(weights, threshold, relevance, root, constraints)
        else:
            parents = maximum_spanning_forest(weights, root, threshold, relevance)
        return augment_by_tree(table, parents, weights, "sum of I(X;Y|C) in nats")


def heaviest_forest(
    weights: NDArray[np.float64],
    threshold: NDArray[np.float64],
    relevance: NDArray[np.float64],
    root: int | None,
    constraints: ArcConstraints,
) -> list[int | None]:
    """Return the parents of the heaviest directed forest of arcs above the threshold that obeys the constraints.

    A node above all, whose arcs weigh nothing, turns the forest into a tree. Of trees that weigh the same in any
    direction, the one from the feature with the largest I(X; C) is preferred.
    """
    n = len(weights)
    if root is not None and constraints.required_parents(root):
        raise ValueError(f"'{constraints.names[root]}' is the root: it cannot have a required parent.")
    allowed = np.zeros((n + 1, n + 1), dtype=bool)
    allowed[:n, :n] = (weights > threshold) & ~np.eye(n, dtype=bool)
    allowed[n, :n] = True
    values = np.zeros((n + 1, n + 1))
    values[:n, :n] = weights
    values[n, :n] = 1e-9 * relevance / max(float(relevance.max(initial=0.0)), 1e-300)
    for parent, child in constraints.forbidden:
        allowed[parent, child] = False
    for parent, child in constraints.required:
        allowed[:, child] = False  # nothing else can be its parent
        allowed[parent, child] = True
    if root is not None:
        allowed[:n, root] = False
    parents = maximum_arborescence(values, allowed, n)
    return [None if parent == n else parent for parent in parents[:n]]
