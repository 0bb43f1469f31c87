"""Tables tuned by what they predict: a parameter learner for graphs whose tuned scores are a network again.

Scores over the families of a graph become the tables of a network with the same graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf._util.progress import one_thread
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Shrinkage, Tables

from .crossfit import Learn
from .held_out import FloatArray, OutOfSample, class_codes, order_of_content, stratified_folds
from .problem import TuningProblem


def unconnected_parents(dag: DAG) -> tuple[str, str, str] | None:
    """Return a node of which two parents are not connected, and these two; None where there is none.

    Examples
    --------
    >>> unconnected_parents(DAG(["a", "b", "c"], [("a", "c"), ("b", "c")]))
    ('c', 'a', 'b')
    >>> unconnected_parents(DAG(["a", "b", "c"], [("a", "c"), ("b", "c"), ("a", "b")])) is None
    True
    """
    parents_of = dag.parent_indices
    for node, parents in enumerate(parents_of):
        for place, one in enumerate(parents):
            for other in parents[place + 1 :]:
                if one not in parents_of[other] and other not in parents_of[one]:
                    return dag.nodes[node], dag.nodes[one], dag.nodes[other]
    return None


def normalised(dag: DAG, scores: Sequence[FloatArray]) -> Tables:
    """Return the tables of the network whose distribution is proportional to exp(sum of the families' scores).

    From the leaves upwards each family is divided by its sum over the node's own states, and the sums are handed to
    the family of the last of its parents, which holds the others too: so every pair of parents must be connected.

    Parameters
    ----------
    dag : DAG
        See `unconnected_parents`.
    scores : sequence of arrays
        For each node one axis per parent, then its own; finite.

    References
    ----------
    T. Roos, H. Wettig, P. Grünwald, P. Myllymäki and H. Tirri. On discriminative Bayesian network classifiers and
    logistic regression. Machine Learning 59, 2005.

    Examples
    --------
    >>> dag = DAG(["x", "class"], [("class", "x")])
    >>> x, c = normalised(dag, [np.log([[4.0, 1.0], [2.0, 3.0]]), np.log([1.0, 3.0])])
    >>> c.round(6)  # both lines of x sum to 5, which leaves the class as it is
    array([0.25, 0.75])
    >>> x.round(6)
    array([[0.8, 0.2],
           [0.4, 0.6]])
    """
    parents_of = dag.parent_indices
    place = {node: number for number, node in enumerate(dag.topological_indices)}
    left = [np.array(part, dtype=np.float64) for part in scores]
    tables: list[FloatArray] = [np.empty(0)] * len(left)
    for node in reversed(dag.topological_indices):
        sums = logsumexp(left[node], axis=-1, keepdims=True)
        table = np.exp(left[node] - sums)
        tables[node] = table / table.sum(axis=-1, keepdims=True)
        parents = parents_of[node]
        if parents:
            last = max(parents, key=place.__getitem__)
            family = [*parents_of[last], last]
            # The axes of the sums in the order of that family; its other axes do not matter to them.
            shape = [sums.shape[parents.index(other)] if other in parents else 1 for other in family]
            order = sorted(range(len(parents)), key=lambda axis: family.index(parents[axis]))
            left[last] += np.transpose(sums[..., 0], order).reshape(shape)
    return tuple(tables)


# Into how many parts rows are divided to choose penalties.
PARTS = 3
# More scores of members, rows and classes are not held.
MOST_SCORES = 2**28


@dataclass(frozen=True)
class Tuned:
    """What tuning gives.

    Attributes
    ----------
    tables : tuple of arrays
        One per node: an axis for each parent in node order, then the node's own.
    held_out : ndarray of shape (rows, classes) or None
        Logarithms of the class probabilities of training rows, by what was learned without them; None where there are
        too few rows.
    rows : ndarray of int
        The numbers of these rows.
    """

    tables: Tables
    held_out: FloatArray | None
    rows: NDArray[np.int64]

    def out_of_sample(self, table: Table) -> OutOfSample | None:
        """Measure what was said of rows of the table that was tuned by; None where there were too few."""
        if self.held_out is None:
            return None
        weights = None if table.weights is None else table.weights[self.rows]
        target = class_codes(table)[self.rows]
        totals = np.bincount(target, weights, minlength=self.held_out.shape[1])
        return OutOfSample.of(np.exp(self.held_out), target, totals / totals.sum(), weights)


@runtime_checkable
class TuningLearner(Protocol):
    """A parameter learner that learns the graph again from some of the rows, to see what it says of the others."""

    def tune(self, table: Table, dag: DAG, learn: Learn | None = None) -> Tuned:
        """Return the tables of a graph that ``learn`` found in this table."""
        ...


class TunedTables(BaseEstimator):  # type: ignore[misc]
    """Tables that predict the class well: shrunk estimates, weighed and corrected by rows they have not seen.

    1. The rows are dealt out to folds. log P(x | c), log P(x | parent, c) and so on of a row's features come from a
       graph and `Shrinkage` tables that were learned without its fold.
    2. These scores are weighed: softmax(b + w log P(c) + sum of w_l u_i log P_l(x_i | ...)) with one weight w_l for
       each number l of parents and one weight u_i for each feature.
    3. The entries of the tables get corrections D, first those of P(x | c), then those with a parent, and so on. They
       maximise the conditional likelihood of the classes less lambda / 2 |D|^2.
    4. Penalties are chosen by cross-validation, from strong to weak; a step that does not lower the log-loss of rows
       that were held out is left out.
    5. What has been learned is a network of the same graph again, once each family is divided by its sums, from the
       leaves upwards.

    For the last step the parents of each node must be connected, and the class must have none: so it is in naive
    Bayes, in trees and forests (`TAN`, `FAN`, ``KDB(k=1)``), and in some others.

    Parameters
    ----------
    folds : int, default=5
        Into how many parts the rows are dealt out for the scores.
    sample : int, default=20000
        Weights and penalties are chosen on so many rows at most; corrections are learned from all.
    max_iter : int, default=20
        Iterations of L-BFGS for each penalty, at most.
    seed : int, default=0
        How the rows are dealt out. That depends on what they say, not on their order.

    References
    ----------
    T. Roos, H. Wettig, P. Grünwald, P. Myllymäki and H. Tirri. On discriminative Bayesian network classifiers and
    logistic regression. Machine Learning 59, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayleaf as bl
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = bl.BayesNetClassifier(bl.TAN(), bl.TunedTables()).fit(X, y)
    >>> round(clf.score(X, y), 2)
    0.97
    """

    def __init__(self, folds: int = 5, sample: int = 20_000, max_iter: int = 20, seed: int = 0) -> None:
        self.folds = folds
        self.sample = sample
        self.max_iter = max_iter
        self.seed = seed

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "folds", self.folds, int, low=2, high=255)
        check_param(self, "sample", self.sample, int, low=PARTS)
        check_param(self, "max_iter", self.max_iter, int, low=1)
        check_param(self, "seed", self.seed, int, low=0)

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node, of a graph that is known: one axis per parent, then the node's own."""
        return self.tune(table, dag).tables

    def tune(self, table: Table, dag: DAG, learn: Learn | None = None) -> Tuned:
        """Estimate the tables of a graph.

        Parameters
        ----------
        table : Table
            With a class that every row has.
        dag : DAG
        learn : callable, optional
            How the graph was learned from this table: returns the graph for a table of some of its rows. Without it
            the graph counts as known, and held-out rows as better predicted than new ones if it is not.
        """
        self.check_params()
        check_graph(table, dag)
        rows = order_of_content(table, self.seed)
        if table.weights is not None:
            rows = rows[table.weights[rows] > 0]
        table = table.take(rows)
        if table.n_rows < 2 * PARTS or table.arities[table.target] < 2 or not table.features:
            return Tuned(Shrinkage().fit(table, dag), None, rows)
        folds = stratified_folds(class_codes(table), min(self.folds, table.n_rows), self.seed + 1)
        with one_thread():
            problem = TuningProblem.of(table, dag, learn or (lambda _: dag), folds)
            sample = self._sample(problem)
            parts = stratified_folds(problem.target[sample], PARTS, self.seed)
            recipe = problem.choose(sample, parts, self.max_iter)
            correction = problem.corrected(recipe, self.max_iter)
            scores = problem.family_scores(recipe, correction)
        return Tuned(normalised(dag, scores), recipe.held_out, rows[sample])

    def _sample(self, problem: TuningProblem) -> NDArray[np.int64]:
        """Return the rows on which weights and penalties are chosen: all of them, or some of each class."""
        most = min(self.sample, max(MOST_SCORES // problem.scores_per_row, 2 * PARTS))
        rows = len(problem.target)
        if rows <= most:
            return np.arange(rows)
        # So many rows of each class in turn are passed over for one that is taken.
        return np.flatnonzero(stratified_folds(problem.target, -(-rows // most), self.seed) == 0)


def check_graph(table: Table, dag: DAG) -> None:
    """Refuse a table without classes, and a graph whose tuned scores would be no network of the same graph.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0]], target=1)
    >>> check_graph(table, DAG(["x", "class"], [("x", "class")]))
    Traceback (most recent call last):
    ValueError: TunedTables needs a class without parents; 'x' is a parent of 'class' here: use Shrinkage().
    """
    if table.target is None:
        raise ValueError("TunedTables needs a class: the table has no target column.")
    if table.n_rows and table.has_missing[table.target]:
        raise ValueError(
            "TunedTables needs the class of every row: the target has missing values. Leave such rows out."
        )
    if parents := dag.parent_indices[table.target]:
        raise ValueError(
            f"TunedTables needs a class without parents; '{dag.nodes[parents[0]]}' is a parent of "
            f"'{dag.nodes[table.target]}' here: use Shrinkage()."
        )
    if found := unconnected_parents(dag):
        node, one, other = found
        raise ValueError(
            f"TunedTables needs a graph in which the parents of each node are connected; '{one}' and '{other}', "
            f"parents of '{node}', are not: use Shrinkage(), or a structure such as TAN()."
        )


def can_tune(dag: DAG, target: int) -> bool:
    """Return whether the tuned scores of a graph are a network of the same graph.

    Examples
    --------
    >>> can_tune(DAG(["x", "class"], [("class", "x")]), 1), can_tune(DAG(["x", "class"], [("x", "class")]), 1)
    (True, False)
    """
    return not dag.parent_indices[target] and unconnected_parents(dag) is None
