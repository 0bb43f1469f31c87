"""Forest-augmented naive Bayes: only the edges that pay."""

import numpy as np

from bayleaf._util.params import check_param
from bayleaf.counts import PairInformation, class_information
from bayleaf.data import Table
from bayleaf.graph import maximum_spanning_forest
from bayleaf.search import Search

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

    def __init__(self, threshold: float | None = None, root: str | None = None) -> None:
        self.threshold = threshold
        self.root = root

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "threshold", self.threshold, float, low=0, allow_none=True)

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target = require_target(table)
        self.check_params()
        root = None if self.root is None else feature_number(table, self.root, "root")
        pairs = PairInformation.of(table)
        weights = pairs.given_class()
        if self.threshold is None:
            free = table.arities[table.features] - 1
            rows = np.maximum(pairs.rows(), 1.0)
            threshold = 0.5 * np.log(rows) / rows * table.arities[target] * np.multiply.outer(free, free)
        else:
            threshold = np.full(weights.shape, float(self.threshold))
        parents = maximum_spanning_forest(weights, root, threshold, class_information(table, pairs))
        return augment_by_tree(table, parents, weights, "sum of I(X;Y|C) in nats")
