"""Scores from the likelihood: penalised for parameters (AIC, BIC, MDL), and marginal likelihoods (K2, BDeu, BDe)."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bayleaf._util.params import declared, instance, number
from bayleaf.data import Table
from bayleaf.data.table import empty_codes
from bayleaf.graph import DAG
from bayleaf.network import BayesNet

from .decomposable import DecomposableScore, FamilyCounts, SetForm, SetTerm


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
    """Return what one parameter costs in BIC, MDL and CMDL: 0.5 log N, and 0 where the total weight is below one."""
    return 0.5 * math.log(max(table.total_weight, 1.0))


def _penalised(price: float) -> SetForm:
    """Likelihood minus a price per free parameter: q_P (r_X - 1) is the difference of configurations."""
    return SetForm(SetTerm("entropy", penalty=price))


class K2(DecomposableScore):
    """Marginal likelihood under uniform priors on every table.

    K2 = sum_ij [lnG(r_i) - lnG(N_ij + r_i) + sum_k lnG(N_ijk + 1)]; configurations that never occur add zero.

    References
    ----------
    G. F. Cooper and E. Herskovits. A Bayesian method for the induction of probabilistic networks from data.
    Machine Learning 9, 1992.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(K2().family(table, 0, ()), 4)
    -2.4849
    """

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets; the second depends on the child's arity."""
        return SetForm(SetTerm("gamma", 1.0), lambda arity: SetTerm("gamma", float(arity)))


class BDeu(DecomposableScore):
    """Bayesian Dirichlet score, likelihood-equivalent and uniform.

    BDeu = sum_ij [lnG(s/q_i) - lnG(s/q_i + N_ij) + sum_k (lnG(s/(r_i q_i) + N_ijk) - lnG(s/(r_i q_i)))] with
    equivalent sample size s. Configurations that never occur add exactly zero, but q_i counts them.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size s. It is a setting of the structure; parameters have their own.

    References
    ----------
    D. Heckerman, D. Geiger and D. M. Chickering. Learning Bayesian networks: the combination of knowledge and
    statistical data. Machine Learning 20, 1995.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> round(BDeu(ess=1.0).family(table, 0, ()), 4)
    -2.7726
    """

    settings = declared(ess=number(above=0, below=math.inf))

    def __init__(self, ess: float = 1.0) -> None:
        self.ess = ess

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets."""
        self.check_params()
        return SetForm(SetTerm("gamma_per_set", float(self.ess)))


class BDe(DecomposableScore):
    """Bayesian Dirichlet score with a prior network, and a prior on graphs that favours the prior network's arcs.

    Imaginary counts are N'_ijk = s P(X_i = k, Pa_i = j) under the prior network. Each arc that is in one of graph and
    prior network but not in the other multiplies the graph's prior probability by ``kappa``.

    Parameters
    ----------
    prior : BayesNet or DAG, optional
        The network expected before the data, over the table's variables in the same order, with probabilities above
        zero. A DAG means its arcs with a uniform distribution; None means no arcs and a uniform distribution.
    ess : float, default=1.0
        Equivalent sample size s: how many rows the prior network is worth.
    kappa : float, default=1.0
        In (0, 1]; 1 makes all graphs equally probable.

    References
    ----------
    D. Heckerman, D. Geiger and D. M. Chickering. Learning Bayesian networks: the combination of knowledge and
    statistical data. Machine Learning 20, 1995.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x = Variable("x", ("a", "b"))
    >>> table = Table.from_codes((x,), [[0], [0], [1]])
    >>> round(BDe(BayesNet([x], DAG(["x"]), [[0.5, 0.5]])).family(table, 0, ()), 4)
    -2.7726
    """

    settings = declared(
        ess=number(above=0, below=math.inf),
        kappa=number(above=0, high=1),
        prior=instance(BayesNet, DAG, or_none=True),
    )

    def __init__(self, prior: BayesNet | DAG | None = None, ess: float = 1.0, kappa: float = 1.0) -> None:
        self.prior = prior
        self.ess = ess
        self.kappa = kappa

    def set_form(self, table: Table) -> SetForm | None:
        """Return the score as a difference of sums over sets; None for a prior network with tables of its own."""
        self._check(table)
        if isinstance(self.prior, BayesNet):
            return None
        price = math.log(self.kappa)
        arcs = np.full((table.n_variables, table.n_variables), price)
        alone = np.zeros(table.n_variables)
        if self.prior is not None:
            for child, parents in enumerate(self.prior.parent_indices):
                arcs[list(parents), child] = -price
                alone[child] = price * len(parents)
        return SetForm(SetTerm("gamma_per_set", float(self.ess)), arcs=arcs, alone=alone)

    def _check(self, table: Table) -> None:
        self.check_params()
        if self.prior is not None and self.prior.nodes != table.names:
            raise ValueError(
                f"The prior network's nodes {list(self.prior.nodes)} are not the table's variables "
                f"{list(table.names)}."
            )
        if isinstance(self.prior, BayesNet):
            _check_states(self.prior, table)

    def gain(self, family: FamilyCounts) -> float:
        """Return the gain of one family under a prior network with tables of its own."""
        assert isinstance(self.prior, BayesNet)
        counts, total = family.counts, family.totals
        imaginary = self._imaginary(family, self.prior)
        prior = imaginary.sum(axis=1)
        seen, known = counts > 0, total > 0
        if (imaginary[seen] <= 0).any():
            return -math.inf  # the prior network says this cannot happen
        cells = gammaln(imaginary[seen] + counts[seen]) - gammaln(imaginary[seen])
        configurations = gammaln(prior[known] + total[known]) - gammaln(prior[known])
        unexpected = set(family.parents) ^ set(self.prior.dag.parent_indices[family.node])
        return float(cells.sum() - configurations.sum()) + math.log(self.kappa) * len(unexpected)

    def _imaginary(self, family: FamilyCounts, prior: BayesNet) -> NDArray[np.float64]:
        """Imaginary counts of a family, of the shape of its counts."""
        parents, configurations = list(family.parents), family.occurring
        if configurations is None:
            shape = [prior.variables[j].arity for j in parents]
            configurations = np.indices(shape).reshape(len(parents), len(family.counts)).T
        codes = empty_codes(len(family.counts), prior.variables)
        codes.fill(np.iinfo(codes.dtype).max)
        codes[:, parents] = configurations
        imaginary: NDArray[np.float64] = self.ess * np.exp(prior.log_joint(codes, family.node))
        return imaginary


def _check_states(prior: BayesNet, table: Table) -> None:
    """Refuse a prior network that numbers other states: its imaginary counts would be those of something else."""
    for expected, seen in zip(prior.variables, table.variables, strict=True):
        if expected.states != seen.states:
            raise ValueError(
                f"'{seen.name}' has the states {list(expected.states)} in the prior network of BDe, and "
                f"{list(seen.states)} in the data: give it those of the data, in their order."
            )
