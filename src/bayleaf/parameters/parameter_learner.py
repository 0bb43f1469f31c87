"""What fills the tables of a graph: anything with ``fit(table, dag)``, and the base of estimates in closed form."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf.counts import Counts, family_counts
from bayleaf.data import Table
from bayleaf.graph import DAG

# One per node: an axis for each parent in node order, then the node's own.
Tables = tuple[NDArray[np.float64], ...]


class ParameterLearner(Protocol):
    """What a classifier asks of a parameter learner, bayleaf's own or anyone's."""

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Return one table per node: one axis per parent, then the node's own."""
        ...


class ClosedForm(BaseEstimator):  # type: ignore[misc]
    """A parameter learner that estimates each table from the counts of its own family.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> class Uniform(ClosedForm):
    ...     def estimate(self, counts):
    ...         return np.full(counts.shape, 1 / counts.shape[-1])
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> Uniform().fit(table, DAG(["x"]))
    (array([0.5, 0.5]),)
    """

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        raise NotImplementedError(f"{type(self).__name__} needs a method 'estimate'.")

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        return tuple(self.estimate(counts) for counts in family_counts(table, dag))


def is_parameter_learner(learner: object) -> bool:
    """Return whether something can fill tables: an object with ``fit``, not the class of one.

    Examples
    --------
    >>> from bayleaf import Laplace
    >>> is_parameter_learner(Laplace()), is_parameter_learner(Laplace), is_parameter_learner("laplace")
    (True, False, False)
    """
    return not isinstance(learner, type) and callable(getattr(learner, "fit", None))
