"""Scores from the likelihood, with and without a penalty for parameters: LL, AIC, BIC and MDL."""

import math

from bayleaf.data import Table
from bayleaf.graph import DAG

from .decomposable import DecomposableScore, SetForm, SetTerm


class LogLikelihood(DecomposableScore):
    """Log-likelihood of the data under maximum-likelihood parameters.

    LL = sum_ijk N_ijk log(N_ijk / N_ij). It never falls when an arc is added: useful with a limit on parents.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(LogLikelihood().family(table, 0, ()), 4)
    -1.9095
    """

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        return _penalised(0.0)


class AIC(DecomposableScore):
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

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        return _penalised(1.0)


class BIC(DecomposableScore):
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

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        return _penalised(parameter_price(table))


class MDL(BIC):
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

    def score(self, table: Table, dag: DAG) -> float:
        """Return the description length of a graph, smaller is better."""
        return -super().score(table, dag)


def parameter_price(table: Table) -> float:
    """Return what one parameter costs in BIC, MDL and CMDL: 0.5 log N, and nothing where rows weigh less than one.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> parameter_price(Table.from_codes((Variable("x", ("a",)),), [[0]]))
    0.0
    """
    return 0.5 * math.log(max(table.total_weight, 1.0))


def _penalised(price: float) -> SetForm:
    """Likelihood minus a price per free parameter: q_P (r_X - 1) is the difference of configurations."""
    return SetForm(SetTerm("entropy", penalty=price))
