"""What fills the tables of a graph: the contract, and estimates in closed form (ML, Laplace, Dirichlet)."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import Needs, WithSettings, declared, number
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


class ClosedForm(WithSettings, ABC):
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

    @property
    def needs(self) -> Needs:
        """Counts, unless a derived learner has a ``fit`` of its own."""
        return "counts" if type(self).fit is ClosedForm.fit else "rows"

    @abstractmethod
    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        return self.from_counts(family_counts(table, dag))

    def from_counts(self, families: Sequence[Counts]) -> Tables:
        """Estimate the table of every node from the counts of its family."""
        self.check_params()
        return tuple(self.estimate(counts) for counts in families)

    def left_out(
        self, dag: DAG, families: Sequence[Counts], target: int | None
    ) -> tuple[Tables, Tables, Tables]:
        """Return the tables for the counts of the families, and what they say of a row that is left out itself.

        The second tables are for the row's own class; the third are for the other classes, whose counts do not hold
        the row.
        """
        tables = self.from_counts(families)
        own = tuple(self._without_own_row(counts) for counts in families)
        others = tuple(
            tables[node] if node == target or target in parents else own[node]
            for node, parents in enumerate(dag.parent_indices)
        )
        return tables, own, others

    def _without_own_row(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate each cell from the counts without one of its rows; 1 for cells without rows."""
        found = np.ones(counts.shape)
        for state in range(counts.shape[-1]):
            fewer = np.array(counts, dtype=np.float64)
            fewer[..., state] = np.maximum(fewer[..., state] - 1.0, 0.0)
            found[..., state] = np.where(counts[..., state] > 0, self.estimate(fewer)[..., state], 1.0)
        return found


def fill_tables(learner: ParameterLearner, table: Table, dag: DAG, families: Sequence[Counts]) -> Tables:
    """Return one table per node; a learner that needs only the counts of the families gets them, counted already."""
    # A learner derived from one of bayleaf's may have a ``fit`` of its own, which then is what counts.
    if isinstance(learner, ClosedForm) and type(learner).fit is ClosedForm.fit:
        return learner.from_counts(families)
    return learner.fit(table, dag)


def check_start(owner: object, name: str, start: object) -> None:
    """Refuse anything but a parameter learner to start from; None is the default."""
    if start is not None and not is_parameter_learner(start):
        raise TypeError(
            f"The '{name}' parameter of {type(owner).__name__} must be a parameter learner, such as Laplace(), or "
            f"None. Got {start!r} instead."
        )


def is_parameter_learner(learner: object) -> bool:
    """Return whether something can fill tables: an object with ``fit``, not the class of one."""
    return not isinstance(learner, type) and callable(getattr(learner, "fit", None))


class MaximumLikelihood(ClosedForm):
    """Relative frequencies, kept away from zero.

    theta_ijk = N_ijk / N_ij. A parent configuration that was never seen gets the uniform distribution. Then every
    zero becomes ``epsilon`` and the row is normalised again, so that one unseen value does not veto a class.

    Parameters
    ----------
    epsilon : float, default=1e-5
        What replaces a zero; 0 keeps zeros.

    References
    ----------
    F. Pernkopf and J. A. Bilmes. Efficient heuristics for discriminative structure learning of Bayesian network
    classifiers. Journal of Machine Learning Research 11, 2010.

    Examples
    --------
    >>> MaximumLikelihood().estimate(np.array([2, 1])).round(3)
    array([0.667, 0.333])
    """

    settings = declared(epsilon=number(low=0, below=1))

    def __init__(self, epsilon: float = 1e-5) -> None:
        self.epsilon = epsilon

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        totals = counts.sum(axis=-1, keepdims=True)
        seen = totals > 0
        table = np.where(seen, counts / np.where(seen, totals, 1), 1.0 / counts.shape[-1])
        table = np.where(table == 0, self.epsilon, table)
        result: NDArray[np.float64] = table / table.sum(axis=-1, keepdims=True)
        return result


def _smoothed(counts: Counts, in_cell: float, in_row: float) -> NDArray[np.float64]:
    """Relative frequencies with imaginary rows: a number in every cell, and a number in every configuration."""
    estimate: NDArray[np.float64] = (counts + in_cell) / (counts.sum(axis=-1, keepdims=True) + in_row)
    return estimate


class Laplace(ClosedForm):
    """One imaginary row in every cell.

    theta_ijk = (N_ijk + 1) / (N_ij + r_i), where r_i is the number of states of node i.

    References
    ----------
    L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint
    probability distribution. Entropy 17, 2015.

    Examples
    --------
    >>> Laplace().estimate(np.array([2, 1]))
    array([0.6, 0.4])
    """

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        return _smoothed(counts, 1.0, counts.shape[-1])


class MEstimate(ClosedForm):
    """A number of imaginary rows for every configuration of the parents, spread evenly over the states.

    theta_ijk = (N_ijk + m / r_i) / (N_ij + m), where r_i is the number of states of node i.

    Parameters
    ----------
    m : float, default=1.0
        Imaginary rows; r_i of them would be `Laplace`.

    References
    ----------
    B. Cestnik. Estimating probabilities: a crucial task in machine learning. European Conference on Artificial
    Intelligence, 1990.

    Examples
    --------
    >>> MEstimate(m=1.0).estimate(np.array([2, 1]))
    array([0.625, 0.375])
    """

    settings = declared(m=number(above=0, below=math.inf))

    def __init__(self, m: float = 1.0) -> None:
        self.m = m

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        return _smoothed(counts, self.m / counts.shape[-1], self.m)


class Dirichlet(ClosedForm):
    """Expected parameters given the data, with an equivalent sample size spread over each table.

    theta_ijk = (N_ijk + s / (r_i q_i)) / (N_ij + s / q_i), with r_i states, q_i parent configurations and
    equivalent sample size s: the estimate that belongs to the BDeu score.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size s.

    References
    ----------
    W. L. Buntine. Theory refinement on Bayesian networks. Uncertainty in Artificial Intelligence, 1991.

    Examples
    --------
    >>> Dirichlet(ess=1.0).estimate(np.array([2, 1]))
    array([0.625, 0.375])
    """

    settings = declared(ess=number(above=0, below=math.inf))

    def __init__(self, ess: float = 1.0) -> None:
        self.ess = ess

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        return _smoothed(counts, self.ess / counts.size, self.ess * counts.shape[-1] / counts.size)
