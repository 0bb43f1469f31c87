"""Parameters that maximise the conditional likelihood of the class (CL, also called ELR)."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bayleaf._util.params import Needs, WithSettings, declared, instance, number, one_of, one_thread, whole
from bayleaf._util.progress import Steps
from bayleaf.counts import required_classes
from bayleaf.data import Table
from bayleaf.data.table import stratified_folds
from bayleaf.graph import DAG

from .closed_form import MaximumLikelihood, ParameterLearner, Tables, check_start
from .conditional_objective import Objective, Vector, check_room

# Ways to stop that two-fold cross-validation decides on.
TUNED = ("cross_tuning", "error_tuning")


class ConditionalLikelihood(WithSettings):
    """Maximise the conditional log-likelihood CLL = sum over rows of log P(c | x), from the ML estimate.

    theta_ijk = exp(b_ijk) / sum_l exp(b_ijl). With W_mc = P(C = c | x_m), u_ijk(m) = 1 when row m has X_i = k and
    configuration j, and v_ijk(m) = 1 when it has them apart from its class h,

        dCLL/db_ijk = g_ijk - theta_ijk sum_l g_ijl,   g_ijk = sum_m [ u_ijk(m) - W_mh v_ijk(m) ].

    The class may have parents. Families without the class do not change the posterior: they keep their ML tables.

    Parameters
    ----------
    max_iter : int, default=200
        Iterations at most.
    stopping : {"cross_tuning", "error_tuning", "penalty", "converged"}, default="cross_tuning"
        "cross_tuning": as many iterations as give the best held-out CLL in two-fold cross-validation on the
        training rows. "error_tuning": as many as give the fewest held-out errors; ties go to the fewest iterations.
        "penalty": until convergence, of CLL - (l2 / 2) |b - b_ML|^2. "converged": until convergence of the CLL
        itself, which over-fits small data.
    l2 : float, default=1.0
        Weight of the penalty; only used with ``stopping="penalty"``.
    start : parameter learner, optional
        Where the search begins; `MaximumLikelihood` by default. It must leave no zero.
    tol : float, default=1e-6
        Converged when no component of the gradient per row exceeds it.
    optimizer : {"l-bfgs", "conjugate-gradient"}, default="l-bfgs"
        What climbs: L-BFGS, or the papers' conjugate gradients (Polak-Ribiere, with a line search in each iteration).

    Notes
    -----
    ``ConditionalLikelihood(stopping="error_tuning", optimizer="conjugate-gradient")`` is the training of Pernkopf and
    Bilmes; `experiments/omi_cr_2010` compares the two. The result never has a lower training CLL than the start. In a
    row with missing values, families that miss one are left out. Where the tables have more than a million cells,
    those that occur in no training row, whatever its class, are not tuned: they keep their odds to each other. More
    cells than the memory has room for are refused before any work.

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

    needs: Needs = "rows"
    settings = declared(
        max_iter=whole(low=0),
        stopping=one_of(*TUNED, "penalty", "converged"),
        l2=number(low=0, below=math.inf),
        start=check_start,
        tol=number(low=0),
        optimizer=one_of("l-bfgs", "conjugate-gradient"),
    )

    def __init__(
        self,
        max_iter: int = 200,
        stopping: Literal["cross_tuning", "error_tuning", "penalty", "converged"] = "cross_tuning",
        l2: float = 1.0,
        start: ParameterLearner | None = None,
        tol: float = 1e-6,
        optimizer: Literal["l-bfgs", "conjugate-gradient"] = "l-bfgs",
    ) -> None:
        self.max_iter = max_iter
        self.stopping = stopping
        self.l2 = l2
        self.start = start
        self.tol = tol
        self.optimizer = optimizer

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        check_room(table, dag)
        return self.climb(table, dag, self.beginning(table, dag))

    def climb(self, table: Table, dag: DAG, beginning: Tables) -> Tables:
        """Climb the conditional likelihood of rows from known tables; when to stop is tuned on these rows alone."""
        # The optimisers work on short vectors, where threads of the linear algebra library cost more than they bring.
        with one_thread():
            iterations = self.max_iter
            if self.stopping in TUNED:
                iterations = self._tuned_iterations(table, dag)
            objective = Objective.of(table, dag, beginning)
            return objective.tables(self._maximise(objective, iterations))

    def beginning(self, table: Table, dag: DAG) -> Tables:
        """Return the tables from which the climb starts, for rows whose class is known."""
        required_classes(table, "ConditionalLikelihood")
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

        method, options = "CG", {"maxiter": iterations, "gtol": self.tol}
        if self.optimizer == "l-bfgs":
            method = "L-BFGS-B"
            options |= {"maxfun": 20 * iterations + 20, "ftol": 1e-13, "maxcor": 20}
        with Steps("Maximising conditional likelihood", iterations, patience=1.0) as steps:

            def after_step(b: Vector) -> None:
                steps.advance()
                if after_each is not None:
                    after_each(b)

            found = minimize(loss, start, jac=True, method=method, callback=after_step, options=options)
        return np.asarray(found.x) if found.fun <= loss(start)[0] else start

    def _tuned_iterations(self, table: Table, dag: DAG) -> int:
        """Return the number of iterations with the best held-out CLL, or errors, over two halves of the rows."""
        halves = _halves(table)
        if halves is None:
            return 0
        paths: list[list[float]] = []
        for training, validation in (halves, halves[::-1]):
            part = table.take(training)
            # Both look at the same parameters: those of cells that occur in either half.
            beginning = self.beginning(part, dag)
            objective = Objective.of(part, dag, beginning, seen=table)
            held_out = Objective.of(table.take(validation), dag, beginning, seen=table)
            judge = held_out.right if self.stopping == "error_tuning" else held_out.value
            path = [judge(objective.start)]

            def after_step(
                b: Vector, path: list[float] = path, judge: Callable[[Vector], float] = judge
            ) -> None:
                path.append(judge(b))

            self._maximise(objective, self.max_iter, after_step)
            paths.append(path[: self.max_iter + 1])
        # A climb that ended early stays where it ended.
        length = max(map(len, paths))
        values = np.sum([path + path[-1:] * (length - len(path)) for path in paths], axis=0)
        return int(values.argmax())


class Subsampled(WithSettings):
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

    needs: Needs = "rows"
    settings = declared(
        learner=instance(ConditionalLikelihood, or_none=True),
        rows=whole(low=1),
        seed=whole(low=0),
    )

    def __init__(self, learner: ConditionalLikelihood | None = None, rows: int = 200, seed: int = 0) -> None:
        self.learner = learner
        self.rows = rows
        self.seed = seed

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        learner = ConditionalLikelihood() if self.learner is None else self.learner
        learner.check_params()
        check_room(table, dag)
        beginning, sample = learner.beginning(table, dag), table
        rows = table.counting_rows
        if len(rows) > self.rows:
            chosen = np.random.default_rng(self.seed).choice(rows, self.rows, replace=False)
            sample = table.take(np.sort(chosen))
        return learner.climb(sample, dag, beginning)


def _halves(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Divide the rows in two, each class alike; None when a half would be empty.

    The halves must not depend on the order of the rows alone (files are often sorted), nor change from run to run.
    """
    rows = table.counting_rows
    if len(rows) < 2:
        return None
    half = stratified_folds(table.codes[rows, table.target], 2)
    return rows[half == 0], rows[half == 1]
