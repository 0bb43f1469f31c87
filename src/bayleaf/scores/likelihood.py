"""Scores from the likelihood, with and without a penalty for parameters: LL, AIC, BIC and MDL."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.base import BaseEstimator

from bayleaf.data import Table
from bayleaf.graph import DAG

from .score import Family, FamilyCounts, SetForm, SetTerm, graph_families, score_families


class LogLikelihood(BaseEstimator):  # type: ignore[misc]
    """Log-likelihood of the data under maximum-likelihood parameters.

    LL = sum_ijk N_ijk log(N_ijk / N_ij). It never falls when an arc is added: useful with a limit on parents.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(LogLikelihood().family(table, 0, ()), 4)
    -1.9095
    """

    def family(self, table: Table, node: int, parents: Sequence[int]) -> float:
        """Return the gain of one family, larger is better."""
        return float(self.families(table, [(node, parents)])[0])

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family, larger is better."""
        return score_families(table, families, log_likelihood)

    def score(self, table: Table, dag: DAG) -> float:
        """Return the log-likelihood of a graph."""
        return float(self.families(table, graph_families(table, dag)).sum())

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        return penalised_form(0.0)


class AIC(BaseEstimator):  # type: ignore[misc]
    """Akaike's criterion in its likelihood form: LL - dim, larger is better.

    dim = sum_i q_i (r_i - 1) free parameters.

    References
    ----------
    H. Akaike. A new look at the statistical model identification. IEEE Transactions on Automatic Control, 1974.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(AIC().family(table, 0, ()), 4)
    -2.9095
    """

    def family(self, table: Table, node: int, parents: Sequence[int]) -> float:
        """Return the gain of one family, larger is better."""
        return float(self.families(table, [(node, parents)])[0])

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family, larger is better."""
        return score_families(table, families, lambda f: log_likelihood(f) - free_parameters(f))

    def score(self, table: Table, dag: DAG) -> float:
        """Return the criterion of a graph, larger is better."""
        return float(self.families(table, graph_families(table, dag)).sum())

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        return penalised_form(1.0)


class BIC(BaseEstimator):  # type: ignore[misc]
    """Bayesian information criterion: LL - 0.5 dim log N, larger is better; the negative of `MDL`.

    References
    ----------
    G. Schwarz. Estimating the dimension of a model. Annals of Statistics, 1978.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(BIC().family(table, 0, ()), 4)
    -2.4588
    """

    def family(self, table: Table, node: int, parents: Sequence[int]) -> float:
        """Return the gain of one family, larger is better."""
        return float(self.families(table, [(node, parents)])[0])

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family, larger is better."""
        price = parameter_price(table)
        return score_families(table, families, lambda f: log_likelihood(f) - price * free_parameters(f))

    def score(self, table: Table, dag: DAG) -> float:
        """Return the criterion of a graph, larger is better."""
        return float(self.families(table, graph_families(table, dag)).sum())

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        return penalised_form(parameter_price(table))


class MDL(BaseEstimator):  # type: ignore[misc]
    """Minimum description length of a graph with its data: 0.5 dim log N - LL, *smaller is better*.

    ``family`` and ``families`` return gains (the negative), so that searches treat every score alike.

    References
    ----------
    W. Lam and F. Bacchus. Learning Bayesian belief networks. Computational Intelligence 10, 1994.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(MDL().score(table, DAG(["x"])), 4)
    2.4588
    """

    def family(self, table: Table, node: int, parents: Sequence[int]) -> float:
        """Return the gain of one family, larger is better."""
        return BIC().family(table, node, parents)

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family, larger is better."""
        return BIC().families(table, families)

    def score(self, table: Table, dag: DAG) -> float:
        """Return the description length of a graph, smaller is better."""
        return -BIC().score(table, dag)

    def set_form(self, table: Table) -> SetForm:
        """Return the gain as a difference of sums over sets."""
        return BIC().set_form(table)


def log_likelihood(family: FamilyCounts) -> float:
    """Return the log-likelihood of one family; configurations that never occur add nothing.

    Examples
    --------
    >>> log_likelihood(FamilyCounts(np.array([[1, 1], [0, 0]]), 2)).__round__(4)
    -1.3863
    """
    return float(xlogy(family.counts, family.counts).sum() - xlogy(family.totals, family.totals).sum())


def free_parameters(family: FamilyCounts) -> float:
    """Return the number of free parameters of one family: every configuration counts, seen or not.

    Examples
    --------
    >>> free_parameters(FamilyCounts(np.array([[1, 1, 0]]), 4.0))
    8.0
    """
    return float(family.configurations * (family.counts.shape[1] - 1))


def parameter_price(table: Table) -> float:
    """Return what one parameter costs in BIC, MDL and CMDL: 0.5 log N, and nothing where rows weigh less than one.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> parameter_price(Table.from_codes((Variable("x", ("a",)),), [[0]]))
    0.0
    """
    return 0.5 * math.log(max(table.total_weight, 1.0))


def penalised_form(price: float) -> SetForm:
    """Likelihood minus ``price`` per free parameter: q_P (r_X - 1) is the difference of configurations.

    Examples
    --------
    >>> penalised_form(1.0).joint.penalty
    1.0
    """
    return SetForm(SetTerm("entropy", penalty=price))
