"""Weights of features: WANBIA by conditional likelihood, AWNB by decision trees.

Both raise the tables of a network to the power of a weight per feature, and make them tables of a network again.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.tree import DecisionTreeClassifier

from bayleaf._util.params import Needs, WithSettings, declared, number, whole
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Laplace, ParameterLearner, Tables
from bayleaf.learn.parameters.closed_form import check_start
from bayleaf.learn.parameters.conditional_objective import Objective

from .held_out import FloatArray
from .tuned_tables import check_graph, normalised


def start_tables(owner: object, start: ParameterLearner | None, table: Table, dag: DAG) -> Tables:
    """Return the tables that get weights; refuse rows and graphs for which there are none."""
    check_graph(owner, table, dag, "", "NaiveBayes(), TAN() or KDB(k=1)")
    tables = (start or Laplace()).fit(table, dag)
    if any((part == 0).any() for part in tables):
        raise ValueError(
            f"The tables that {type(owner).__name__} starts from have zeros: start from an estimate that leaves none."
        )
    return tables


def tables_to_powers(dag: DAG, tables: Tables, weights: Sequence[float] | FloatArray) -> Tables:
    """Return the network whose distribution is proportional to the product of theta^w over all families.

    The families are normalised from the leaves upwards; what is left over goes to the parents, and at last to the
    class. So the network gives exactly the class probabilities of the weighted product. The parents of each node must
    be connected, and no table may have a zero.
    """
    return normalised(dag, [weight * np.log(part) for weight, part in zip(weights, tables, strict=True)])


class FeatureWeights(WithSettings, ABC):
    """What learners of feature weights share: tables that another learner estimates become powers of themselves."""

    needs: Needs = "rows"
    start: ParameterLearner | None

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        tables = start_tables(self, self.start, table, dag)
        return tables_to_powers(dag, tables, self._node_weights(table, dag, tables))

    def weights(self, table: Table, dag: DAG) -> dict[str, float]:
        """Return the weight of every feature of a graph, by name."""
        self.check_params()
        found = self._node_weights(table, dag, start_tables(self, self.start, table, dag))
        return {name: float(found[k]) for k, name in enumerate(dag.nodes) if k != table.target}

    @abstractmethod
    def _node_weights(self, table: Table, dag: DAG, tables: Tables) -> FloatArray:
        """Return the weight of every node, 1 for the class."""


class WANBIA(FeatureWeights):
    """Weight every feature by what that does to the conditional likelihood of the classes (Zaidi et al.).

        P(c | x) is proportional to P(c) prod_i P(x_i | c, pa_i)^{w_i}

    with tables P that stay as they are estimated, and weights w_i that maximise

        sum over rows of log P(c | x) - penalty / 2 |w - 1|^2,   0 <= w_i <= bound,

    by L-BFGS-B from w = 1. With `NaiveBayes` this is WANBIA, with `TAN` a weighted TAN. The result is an ordinary
    network of the same graph: tables are normalised, and the class absorbs what is left over.

    Parameters
    ----------
    start : parameter learner, optional
        The tables that get weights; `Laplace` by default. It must leave no zero.
    bound : float or None, default=1.0
        The largest weight; None for no bound.
    penalty : float, default=0.0
        How strongly weights are drawn to 1.
    max_iter : int, default=200
        Iterations at most.

    Notes
    -----
    Differs from the paper, which has naive Bayes only, in that any graph is possible in which the parents of each
    node are connected. The class has weight 1. In a row with missing values, families that miss one are left out of
    the likelihood.

    References
    ----------
    N. A. Zaidi, J. Cerquides, M. J. Carman and G. I. Webb. Alleviating naive Bayes attribute independence assumption
    by attribute weighting. Journal of Machine Learning Research 14, 2013.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [["a", "a"], ["a", "a"], ["b", "b"], ["a", "a"], ["b", "b"], ["b", "b"]] * 5  # the same thing twice
    >>> y = [0, 0, 1, 1, 1, 0] * 5
    >>> naive = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, y)
    >>> weighted = bl.BayesNetClassifier(bl.NaiveBayes(), bl.WANBIA()).fit(X, y)
    >>> naive.predict_proba([["a", "a"]]).round(2), weighted.predict_proba([["a", "a"]]).round(2)
    (array([[0.77, 0.23]]), array([[0.67, 0.33]]))
    """

    settings = declared(
        start=check_start,
        bound=number(above=0, or_none=True),
        penalty=number(low=0, below=math.inf),
        max_iter=whole(low=0),
    )

    def __init__(
        self,
        start: ParameterLearner | None = None,
        bound: float | None = 1.0,
        penalty: float = 0.0,
        max_iter: int = 200,
    ) -> None:
        self.start = start
        self.bound = bound
        self.penalty = penalty
        self.max_iter = max_iter

    def _node_weights(self, table: Table, dag: DAG, tables: Tables) -> FloatArray:
        """Return the weight of every node, 1 for the class."""
        objective = Objective.of(table, dag, tables, every_cell=True)
        sizes = [part.size for part in tables]
        owner = np.repeat(np.arange(len(tables)), sizes)
        logarithms, rows = objective.start, max(objective.rows, 1.0)
        fixed = np.arange(len(tables)) == table.target

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            value, by_cell = objective.by_cell(weights[owner] * logarithms)
            gradient = np.bincount(owner, by_cell * logarithms, minlength=len(tables))
            away = weights - 1.0
            return (-value + 0.5 * self.penalty * float(away @ away)) / rows, np.where(
                fixed, 0.0, (self.penalty * away - gradient) / rows
            )

        ones = np.ones(len(tables))
        if self.max_iter == 0 or objective.rows == 0:
            return ones
        found = minimize(
            loss,
            np.minimum(ones, np.where(fixed, 1.0, self.bound or math.inf)),
            jac=True,
            method="L-BFGS-B",
            bounds=[(1.0, 1.0) if own else (0.0, self.bound) for own in fixed],
            options={"maxiter": self.max_iter, "ftol": 1e-12, "gtol": 1e-7},
        )
        return np.asarray(found.x)


class AWNB(FeatureWeights):
    """Weight every feature by how near to the root decision trees test it (Hall).

        P(c | x) is proportional to P(c) prod_i P(x_i | c, pa_i)^{w_i},   w_i = mean over trees of 1 / sqrt(d_i)

    where d_i is the depth at which a tree first tests feature i, 1 at the root; a tree that never does so contributes
    0. The trees are not pruned, and each is grown from a sample of the rows. The result is an ordinary network of the
    same graph: tables are normalised, and the class absorbs what is left over.

    Parameters
    ----------
    start : parameter learner, optional
        The tables that get weights; `Laplace` by default. It must leave no zero.
    trees : int, default=10
        How many trees.
    share : float or None, default=0.5
        Rows of each sample, as a share of all; drawn with replacement, in proportion to their weights. None grows
        every tree from all rows.
    random_state : int, default=0
        Of the samples.

    Notes
    -----
    Differs from the paper in the trees: they are scikit-learn's, by entropy, with two branches at each node.
    Intervals are asked for in their order, categories one by one; a missing value goes its own way, or counts as none
    of the categories. bnclassify, whose defaults these are, also normalises each weighted table, but leaves the class
    as it is, which gives other probabilities.

    References
    ----------
    M. Hall. A decision tree-based attribute weighting filter for naive Bayes. Knowledge-Based Systems 20, 2007.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.AWNB()).fit(X, y)
    >>> table = clf.learn_table(X, y)
    >>> weights = bl.AWNB().weights(table, clf.network_.dag)
    >>> {name: round(weight, 1) for name, weight in weights.items()}
    {'sepal length (cm)': 0.5, 'sepal width (cm)': 0.5, 'petal length (cm)': 0.8, 'petal width (cm)': 0.8}
    """

    settings = declared(
        start=check_start,
        trees=whole(low=1),
        share=number(above=0, high=1, or_none=True),
        random_state=whole(low=0),
    )

    def __init__(
        self,
        start: ParameterLearner | None = None,
        trees: int = 10,
        share: float | None = 0.5,
        random_state: int = 0,
    ) -> None:
        self.start = start
        self.trees = trees
        self.share = share
        self.random_state = random_state

    def _node_weights(self, table: Table, dag: DAG, tables: Tables) -> FloatArray:
        """Return the weight of every column, 1 for the class."""
        rng = np.random.default_rng(self.random_state)
        questions, asked = tree_columns(table)
        rows = table.counting_rows
        chances = np.ones(len(rows)) if table.weights is None else table.weights[rows]
        depths = np.zeros(table.n_variables)
        for _ in range(self.trees if questions.shape[1] and len(rows) else 0):
            tree = DecisionTreeClassifier(criterion="entropy", random_state=int(rng.integers(2**31)))
            sample, weights = rows, table.weights
            if self.share is not None:
                size = max(1, round(self.share * float(chances.sum())))
                sample, weights = rng.choice(rows, size, p=chances / chances.sum()), None
            tree.fit(
                questions[sample],
                table.codes[sample, table.target],
                None if weights is None else weights[sample],
            )
            first = first_depths(tree, asked, table.n_variables)
            depths += np.where(first > 0, 1.0 / np.sqrt(np.maximum(first, 1)), 0.0)
        depths /= self.trees
        depths[table.target] = 1.0
        return depths


def tree_columns(table: Table) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what a tree may ask of each row, and which column each question is about.

    Intervals are one column of numbers, categories a column for each; missing numbers are NaN.
    """
    columns: list[NDArray[np.float64]] = []
    asked: list[int] = []
    for column in table.features:
        codes = table.codes[:, column]
        if table.variables[column].cuts is not None:
            columns.append(np.where(codes == table.missing_code, np.nan, codes.astype(np.float64)))
            asked.append(column)
        else:
            states = range(int(table.arities[column]))
            columns += [(codes == state).astype(np.float64) for state in states]
            asked += [column for _ in states]
    questions = np.column_stack(columns) if columns else np.empty((table.n_rows, 0))
    return questions, np.array(asked, dtype=np.int64)


def first_depths(tree: DecisionTreeClassifier, asked: NDArray[np.int64], columns: int) -> NDArray[np.int64]:
    """Return the depth at which a tree first tests each column, 1 at the root; 0 for those it never tests."""
    inner = tree.tree_
    found = np.zeros(columns, dtype=np.int64)
    level, depth = [0], 1
    while level:
        splits = [node for node in level if inner.children_left[node] >= 0]
        for node in splits:
            column = asked[inner.feature[node]]
            found[column] = found[column] or depth
        level = [
            child for node in splits for child in (inner.children_left[node], inner.children_right[node])
        ]
        depth += 1
    return found
