"""Naive Bayes: features independent given the class."""

import numpy as np

from bayleaf.data import Table
from bayleaf.search import Search

from .structure_learner import SearchingLearner, naive_bayes


class NaiveBayes(SearchingLearner):
    """Every feature has the class as its only parent.

    References
    ----------
    R. O. Duda and P. E. Hart. Pattern Classification and Scene Analysis. Wiley, 1973.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 1]], target=2)
    >>> NaiveBayes().learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('class', 'b'))
    """

    learned_at_once = True

    @property
    def learns_from_counts(self) -> bool:
        """Whether counts are all that it asks for."""
        return True

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph for a table that has a class."""
        return Search(naive_bayes(table))
