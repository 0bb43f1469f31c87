"""Naive Bayes: features independent given the class."""

import numpy as np
from sklearn.base import BaseEstimator

from bayleaf.data import Table
from bayleaf.graph import DAG

from .augmented import augment


class NaiveBayes(BaseEstimator):  # type: ignore[misc]
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

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the graph for a table that has a class."""
        return augment(table, [()] * len(table.features))
