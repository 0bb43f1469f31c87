"""Tree-augmented naive Bayes for the approximate conditional log-likelihood."""

import numpy as np

from bayleaf.data import Table
from bayleaf.graph import maximum_arborescence
from bayleaf.scores import ApproximateCLL
from bayleaf.search import Search

from .structure_learner import SearchingLearner, augment_by_tree, require_target

GAIN = "gain in approximate conditional log-likelihood over naive Bayes"


class TANaCLL(SearchingLearner):
    """The tree of the highest approximate conditional log-likelihood.

    1. Weigh each arc X_j -> X_i by the gain of X_j as a parent of X_i besides the class.
    2. Find the maximum directed spanning tree (Chu-Liu / Edmonds): the score differs between directions.
    3. Make the class a parent of every feature.

    Parameters
    ----------
    floor : float, default=5.0
        Smallest pseudo-count inside the logarithm of the score.

    References
    ----------
    A. M. Carvalho, P. Adao and P. Mateus. Efficient approximation of the conditional relative entropy with
    applications to discriminative learning of Bayesian network classifiers. Entropy 15, 2013.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]] * 10, target=2)
    >>> len(TANaCLL().learn(table, np.random.default_rng(0)).arcs)
    3
    """

    def __init__(self, floor: float = 5.0) -> None:
        self.floor = floor

    @property
    def learns_from_counts(self) -> bool:
        """Whether counts are all that it asks for."""
        return True

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target = require_target(table)
        features = table.features
        n = len(features)
        if n == 0:
            return augment_by_tree(table, [], np.zeros((0, 0)), GAIN)
        score = ApproximateCLL(self.floor)
        alone = score.families(table, [(child, (target,)) for child in features])
        pairs = [(parent, child) for parent in range(n) for child in range(n) if parent != child]
        gains = score.families(
            table, [(features[child], (features[parent], target)) for parent, child in pairs]
        )
        weights = np.zeros((n, n))
        for (parent, child), gain in zip(pairs, gains, strict=True):
            weights[parent, child] = gain - alone[child]
        return augment_by_tree(table, maximum_arborescence(weights), weights, GAIN)
