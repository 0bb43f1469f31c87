"""What fills the tables of a graph: anything with ``fit(table, dag)``, and the base of estimates in closed form."""

from collections.abc import Sequence
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
        return self.from_counts(family_counts(table, dag))

    def from_counts(self, families: Sequence[Counts]) -> Tables:
        """Estimate the table of every node from the counts of its family."""
        self.check_params()
        return tuple(self.estimate(counts) for counts in families)


def fill_tables(learner: ParameterLearner, table: Table, dag: DAG, families: Sequence[Counts]) -> Tables:
    """Return one table per node; a learner that needs only the counts of the families gets them, counted already.

    Examples
    --------
    >>> from bayleaf import Laplace
    >>> from bayleaf.data import Variable
    >>> table, dag = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]]), DAG(["x"])
    >>> fill_tables(Laplace(), table, dag, family_counts(table, dag))
    (array([0.6, 0.4]),)
    """
    # A learner derived from one of bayleaf's may have a ``fit`` of its own, which then is what counts.
    if isinstance(learner, ClosedForm) and type(learner).fit is ClosedForm.fit:
        return learner.from_counts(families)
    return learner.fit(table, dag)


def is_parameter_learner(learner: object) -> bool:
    """Return whether something can fill tables: an object with ``fit``, not the class of one.

    Examples
    --------
    >>> from bayleaf import Laplace
    >>> is_parameter_learner(Laplace()), is_parameter_learner(Laplace), is_parameter_learner("laplace")
    (True, False, False)
    """
    return not isinstance(learner, type) and callable(getattr(learner, "fit", None))
