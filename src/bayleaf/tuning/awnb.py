"""Feature weights by decision trees: what is asked near the root counts most."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters import ParameterLearner, Tables

from .folds import FloatArray
from .weighted import check_start, start_tables, weighted_tables


class AWNB(BaseEstimator):  # type: ignore[misc]
    """Weigh every feature by how near to the root decision trees ask for it (Hall).

        P(c | x) is proportional to P(c) prod_i P(x_i | c, pa_i)^{w_i},   w_i = mean over trees of 1 / sqrt(d_i)

    where d_i is the depth at which a tree first tests feature i, 1 at the root; a tree that never does so contributes
    0. The trees are not pruned, and each is grown from a sample of the rows. The result is an ordinary network of the
    same graph: tables are normalised, and the class absorbs what is left over.

    Parameters
    ----------
    start : parameter learner, optional
        The tables that are weighed; `Laplace` by default. It must leave no zero.
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
    of the categories. bnclassify, whose defaults these are, also normalises each weighed table, but leaves the class
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

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_start(self, self.start)
        check_param(self, "trees", self.trees, int, low=1)
        check_param(self, "share", self.share, float, low=0, low_open=True, high=1, allow_none=True)
        check_param(self, "random_state", self.random_state, int, low=0)

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        tables = start_tables(self, self.start, table, dag)
        return weighted_tables(dag, tables, self._node_weights(table))

    def weights(self, table: Table, dag: DAG) -> dict[str, float]:
        """Return the weight of every feature, by name; the graph does not matter."""
        self.check_params()
        found = self._node_weights(table)
        return {name: float(found[k]) for k, name in enumerate(dag.nodes) if k != table.target}

    def _node_weights(self, table: Table) -> FloatArray:
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

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = Variable.numeric("age", [18, 65]), Variable("sex", ("f", "m")), Variable("c", ("0", "1"))
    >>> questions, asked = tree_columns(Table.from_codes(variables, [[2, 0, 0], [-1, 1, 1]], target=2))
    >>> questions.tolist(), asked.tolist()
    ([[2.0, 1.0, 0.0], [nan, 0.0, 1.0]], [0, 1, 1])
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
    """Return the depth at which a tree first asks for each column, 1 at the root; 0 for those it never asks for."""
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
