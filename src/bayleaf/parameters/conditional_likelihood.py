"""Parameters that maximise the conditional likelihood of the class (CL, also called ELR)."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from threadpoolctl import ThreadpoolController

from bayleaf._native import _core
from bayleaf._util.params import check_param, thread_count
from bayleaf._util.progress import Steps
from bayleaf.counts import family_counts
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network.compiled import CompiledNetwork

from .closed_form import MaximumLikelihood, ParameterLearner, Tables, is_parameter_learner

Vector = NDArray[np.float64]


class ConditionalLikelihood(BaseEstimator):  # type: ignore[misc]
    """Maximise the conditional log-likelihood CLL = sum over rows of log P(c | x), by L-BFGS from the ML estimate.

    theta_ijk = exp(b_ijk) / sum_l exp(b_ijl). With W_mc = P(C = c | x_m), u_ijk(m) = 1 when row m has X_i = k and
    configuration j, and v_ijk(m) = 1 when it has them apart from its class h,

        dCLL/db_ijk = g_ijk - theta_ijk sum_l g_ijl,   g_ijk = sum_m [ u_ijk(m) - W_mh v_ijk(m) ].

    The class may have parents. Families without the class do not change the posterior: they keep their ML tables.

    Parameters
    ----------
    max_iter : int, default=200
        Iterations at most.
    stopping : {"cross_tuning", "penalty", "converged"}, default="cross_tuning"
        "cross_tuning": as many iterations as give the best held-out CLL in two-fold cross-validation on the
        training rows. "penalty": until convergence, of CLL - (l2 / 2) |b - b_ML|^2. "converged": until convergence
        of the CLL itself, which over-fits small data.
    l2 : float, default=1.0
        Weight of the penalty; only used with ``stopping="penalty"``.
    start : parameter learner, optional
        Where the search begins; `MaximumLikelihood` by default. It must leave no zero.
    tol : float, default=1e-6
        Converged when no component of the gradient per row exceeds it.

    Notes
    -----
    Differs from the papers in the optimiser (L-BFGS, not Polak-Ribiere conjugate gradients). The result never has a
    lower training CLL than the start. In a row with missing values, families that miss one are left out.

    References
    ----------
    R. Greiner and W. Zhou. Structural extension to logistic regression: discriminative parameter learning of belief
    net classifiers. AAAI 2002. F. Pernkopf and J. A. Bilmes. Efficient heuristics for discriminative structure
    learning of Bayesian network classifiers. Journal of Machine Learning Research 11, 2010.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 0], [0, 1], [1, 1]] * 5, target=1)
    >>> tables = ConditionalLikelihood(stopping="penalty").fit(table, DAG(table.names, [("class", "x")]))
    >>> [part.shape for part in tables]
    [(2, 2), (2,)]
    """

    def __init__(
        self,
        max_iter: int = 200,
        stopping: Literal["cross_tuning", "penalty", "converged"] = "cross_tuning",
        l2: float = 1.0,
        start: ParameterLearner | None = None,
        tol: float = 1e-6,
    ) -> None:
        self.max_iter = max_iter
        self.stopping = stopping
        self.l2 = l2
        self.start = start
        self.tol = tol

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "max_iter", self.max_iter, int, low=0)
        check_param(self, "stopping", self.stopping, str, options=("cross_tuning", "penalty", "converged"))
        check_param(self, "l2", self.l2, float, low=0, high=math.inf, high_open=True)
        check_param(self, "tol", self.tol, float, low=0)
        if self.start is not None and not is_parameter_learner(self.start):
            raise TypeError(
                "The 'start' parameter of ConditionalLikelihood must be a parameter learner, such as "
                f"MaximumLikelihood(), or None. Got {self.start!r} instead."
            )

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        return self.climb(table, dag, self.beginning(table, dag))

    def climb(self, table: Table, dag: DAG, beginning: Tables) -> Tables:
        """Climb the conditional likelihood of rows from known tables; when to stop is tuned on these rows alone."""
        # L-BFGS works on short vectors, where threads of the linear algebra library cost more than they bring.
        with _linear_algebra().limit(limits=1, user_api="blas"):
            iterations = self.max_iter
            if self.stopping == "cross_tuning":
                iterations = self._tuned_iterations(table, dag)
            objective = Objective.of(table, dag, beginning)
            return objective.tables(self._maximise(objective, iterations))

    def beginning(self, table: Table, dag: DAG) -> Tables:
        """Return the tables from which the climb starts, for rows whose class is known."""
        if table.target is None:
            raise ValueError("ConditionalLikelihood needs a class: the table has no target column.")
        if table.n_rows and table.has_missing[table.target]:
            raise ValueError(
                "ConditionalLikelihood needs the class of every row: the target has missing values. Leave such rows "
                "out."
            )
        tables = (self.start or MaximumLikelihood()).fit(table, dag)
        if any((part == 0).any() for part in tables):
            raise ValueError(
                "The start of ConditionalLikelihood has zeros: use an estimate that leaves none."
            )
        return tables

    def _maximise(
        self, objective: "Objective", iterations: int, after_each: Callable[[Vector], None] | None = None
    ) -> Vector:
        """Return the best parameters met, which are never worse than the start."""
        start = objective.start
        if iterations == 0 or objective.rows == 0:
            return start
        l2 = self.l2 if self.stopping == "penalty" else 0.0

        def loss(b: Vector) -> tuple[float, Vector]:
            value, gradient = objective(b)
            away = b - start
            return (-value + 0.5 * l2 * float(away @ away)) / objective.rows, (
                l2 * away - gradient
            ) / objective.rows

        options = {"maxiter": iterations, "maxfun": 20 * iterations + 20, "gtol": self.tol}
        options |= {"ftol": 1e-13, "maxcor": 20}
        with Steps("Maximising conditional likelihood", iterations, patience=1.0) as steps:

            def after_step(b: Vector) -> None:
                steps.advance()
                if after_each is not None:
                    after_each(b)

            found = minimize(loss, start, jac=True, method="L-BFGS-B", callback=after_step, options=options)
        return np.asarray(found.x) if found.fun <= loss(start)[0] else start

    def _tuned_iterations(self, table: Table, dag: DAG) -> int:
        """Return the number of iterations with the best held-out CLL, over two halves of the rows."""
        halves = _halves(table)
        if halves is None:
            return 0
        paths: list[list[float]] = []
        for training, validation in (halves, halves[::-1]):
            part = table.take(training)
            objective = Objective.of(part, dag, self.beginning(part, dag))
            held_out = Objective.of(table.take(validation), dag, self.beginning(part, dag))
            path = [held_out.value(objective.start)]

            def after_step(b: Vector, path: list[float] = path, held_out: Objective = held_out) -> None:
                path.append(held_out.value(b))

            self._maximise(objective, self.max_iter, after_step)
            paths.append(path[: self.max_iter + 1])
        # A climb that ended early stays where it ended.
        length = max(map(len, paths))
        values = np.sum([path + path[-1:] * (length - len(path)) for path in paths], axis=0)
        return int(values.argmax())


class Subsampled(BaseEstimator):  # type: ignore[misc]
    """Start from the maximum likelihood of all rows, then climb the conditional likelihood of a sample of them.

    The time of a fit does not depend on the number of rows then: the first of two accelerations that make a search
    affordable which optimises the parameters of every candidate (the other is a limit on iterations).

    Parameters
    ----------
    learner : ConditionalLikelihood, optional
        Its start is estimated from all rows; where it tunes the number of its steps, it does so on the sample alone.
    rows : int, default=200
        Size of the sample, the same for every graph.
    seed : int, default=0
        Of the sample.

    References
    ----------
    D. Grossman and P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood.
    ICML 2004.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 0], [0, 1], [1, 1]] * 100, target=1)
    >>> tables = Subsampled(rows=50).fit(table, DAG(table.names, [("class", "x")]))
    >>> [part.shape for part in tables]
    [(2, 2), (2,)]
    """

    def __init__(self, learner: ConditionalLikelihood | None = None, rows: int = 200, seed: int = 0) -> None:
        self.learner = learner
        self.rows = rows
        self.seed = seed

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "learner", self.learner, ConditionalLikelihood, allow_none=True)
        check_param(self, "rows", self.rows, int, low=1)
        check_param(self, "seed", self.seed, int, low=0)

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        learner = ConditionalLikelihood() if self.learner is None else self.learner
        learner.check_params()
        beginning, sample = learner.beginning(table, dag), table
        rows = table.counting_rows
        if len(rows) > self.rows:
            chosen = np.random.default_rng(self.seed).choice(rows, self.rows, replace=False)
            sample = table.take(np.sort(chosen))
        return learner.climb(sample, dag, beginning)


@dataclass(frozen=True)
class Objective:
    """CLL and its gradient as functions of all parameters b, laid end to end in the order of the kernel."""

    table: Table
    network: CompiledNetwork
    counts: Vector
    start: Vector
    shapes: tuple[tuple[tuple[int, ...], int], ...]
    distributions: "Distributions"

    @classmethod
    def of(cls, table: Table, dag: DAG, tables: Tables) -> "Objective":
        """Arrange the tables of a network with the class innermost."""
        assert table.target is not None
        arities = [int(arity) for arity in table.arities]
        network = CompiledNetwork.compile(dag, tables, arities, table.target)
        shapes, counts = [], []
        for node, parents in enumerate(dag.parent_indices):
            family = [*parents, node]
            # The kernel's tables have the class as their last axis; `axis` is where the node's own went.
            arranged = [j for j in family if j != table.target] + [j for j in family if j == table.target]
            shapes.append((tuple(arities[j] for j in arranged), arranged.index(node)))
        for node, part in enumerate(family_counts(table, dag)):
            family = [*dag.parent_indices[node], node]
            inside = table.target in family
            moved = np.moveaxis(part, family.index(table.target), -1) if inside else np.zeros_like(part)
            counts.append(moved.ravel().astype(np.float64))
        start = network.log_tables
        distributions = Distributions.of(shapes)
        return cls(table, network, np.concatenate(counts), start, tuple(shapes), distributions)

    @property
    def rows(self) -> float:
        """The sum of the weights."""
        return self.table.total_weight

    def __call__(self, b: Vector) -> tuple[float, Vector]:
        """Return the CLL and its gradient."""
        logarithms = self.distributions.normalised(b)
        value, gradient = self.by_cell(logarithms)
        return value, gradient - np.exp(logarithms) * self.distributions.sums(gradient)

    def by_cell(self, logarithms: Vector) -> tuple[float, Vector]:
        """Return the CLL for logarithms that need not be those of distributions, and its gradient by each of them."""
        expected = np.zeros_like(logarithms)
        value = self._kernel(logarithms, expected)
        return value, self.counts - expected

    def value(self, b: Vector) -> float:
        """Return the CLL alone."""
        return self._kernel(self.distributions.normalised(b), None)

    def tables(self, b: Vector) -> Tables:
        """Return the network's tables for parameters b: one axis per parent, then the node's own."""
        logarithms = self.distributions.normalised(b)
        ends = [*self.network.table_offsets.tolist(), len(self.start)]
        parts = [slice(first, last) for first, last in itertools.pairwise(ends)]
        result = []
        for node, ((shape, _), part) in enumerate(zip(self.shapes, parts, strict=True)):
            arranged = np.exp(logarithms[part]).reshape(shape)
            family = [*self.network.dag.parent_indices[node], node]
            if self.table.target in family:
                arranged = np.moveaxis(arranged, -1, family.index(self.table.target))
            result.append(arranged / arranged.sum(axis=-1, keepdims=True))
        return tuple(result)

    def _kernel(self, logarithms: Vector, expected: Vector | None) -> float:
        network = self.network
        assert network.query is not None
        value: float = _core.conditional_likelihood(
            self.table.codes,
            network.variables,
            network.strides,
            network.offsets,
            network.table_offsets,
            network.has_query,
            network.query,
            network.query_states,
            logarithms,
            self.table.weights,
            expected,
            thread_count(self.table.n_jobs),
        )
        return value


@dataclass(frozen=True)
class Distributions:
    """Which parameters share a parent configuration, so that all tables are normalised in one go."""

    order: NDArray[np.intp]  # positions of the parameters, those of a configuration side by side
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, shapes: Sequence[tuple[tuple[int, ...], int]]) -> "Distributions":
        """Take tables laid end to end, each with its shape and the axis that sums to 1."""
        order, sizes, offset = [], [], 0
        for shape, axis in shapes:
            size = math.prod(shape)
            positions = np.arange(offset, offset + size).reshape(shape)
            order.append(np.moveaxis(positions, axis, -1).ravel())
            sizes.append(np.full(size // shape[axis], shape[axis]))
            offset += size
        lengths = np.concatenate(sizes)
        return cls(np.concatenate(order), np.cumsum(lengths) - lengths, lengths)

    def normalised(self, b: Vector) -> Vector:
        """Return log softmax of each configuration."""
        ordered = b[self.order]
        ordered -= np.maximum.reduceat(ordered, self.starts).repeat(self.sizes)
        ordered -= np.log(np.add.reduceat(np.exp(ordered), self.starts)).repeat(self.sizes)
        return self._back(ordered)

    def sums(self, values: Vector) -> Vector:
        """Return, for each parameter, the sum over its configuration."""
        return self._back(np.add.reduceat(values[self.order], self.starts).repeat(self.sizes))

    def _back(self, ordered: Vector) -> Vector:
        result = np.empty_like(ordered)
        result[self.order] = ordered
        return result


@cache
def _linear_algebra() -> ThreadpoolController:
    """Look for the libraries once: that takes longer than training on a few rows."""
    return ThreadpoolController()


def _halves(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Divide the rows in two, each class alike; None when a half would be empty.

    The halves must not depend on the order of the rows alone (files are often sorted), nor change from run to run.
    """
    rows = table.counting_rows
    if len(rows) < 2:
        return None
    shuffled = rows[np.random.default_rng(0).permutation(len(rows))]
    by_class = shuffled[np.argsort(table.codes[shuffled, table.target], kind="stable")]
    return np.sort(by_class[::2]), np.sort(by_class[1::2])
