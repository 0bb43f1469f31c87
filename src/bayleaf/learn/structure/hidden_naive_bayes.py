"""Hidden naive Bayes: each feature has all others as parents, as one hidden parent that is their weighted average."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import Needs
from bayleaf.counts import PairInformation
from bayleaf.data import Table
from bayleaf.data.table import Codes, missing_code
from bayleaf.graph import DAG
from bayleaf.learn.parameters import ParameterLearner
from bayleaf.learn.search import Search
from bayleaf.network import BayesNet
from bayleaf.network.compiled import rows_of_nodes
from bayleaf.network.predictors import register_predictor

from .aode import check_cells, superparent_graph
from .structure_learner import SearchingLearner, checked_class, naive_bayes

# P(x_i | x_j, c) as [x_j, c, x_i], for each feature i and each other feature j.
PairTables = dict[tuple[int, int], NDArray[np.float64]]


@register_predictor
class HiddenParents:
    """The predictor of hidden naive Bayes: a network, and a hidden parent for each of its features.

    Parameters
    ----------
    network : BayesNet
        Naive Bayes, the class as the last node: P(c), and P(x_i | c) where no other feature is known.
    weights : ndarray of shape (features, features)
        W_ij, how much feature j counts as a parent of feature i. Each row sums to one or to zero.
    tables : dict
        P(x_i | x_j, c) as [x_j, c, x_i] for every (i, j) with W_ij > 0.
    """

    how = "gives each feature a hidden parent, a weighted average of all other features"
    caution = (
        "Each feature has a hidden parent, a weighted average of all other features: the network shown is naive "
        "Bayes, which is not what predicts."
    )

    def __init__(self, network: BayesNet, weights: NDArray[np.float64], tables: PairTables) -> None:
        self.network = network
        self.weights = weights
        self.tables = tables

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names, the class last."""
        return self.network.nodes

    @property
    def dag(self) -> DAG:
        """The graph of naive Bayes."""
        return self.network.dag

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log P(class, observed values) per row and class; ``query`` is the class."""
        if query != len(self.nodes) - 1:
            raise ValueError(f"Hidden naive Bayes answers for its class '{self.nodes[-1]}' only.")
        return self._log_joint(rows_of_nodes(rows, self.network.variables, query, n_jobs).codes)

    def log_joint_of_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Log-joint of one row of codes that are known to be states or missing."""
        return self._log_joint(codes)

    def _log_joint(self, codes: Codes) -> NDArray[np.float64]:
        features = range(len(self.nodes) - 1)
        known = codes != missing_code(codes.dtype)
        with np.errstate(divide="ignore"):
            out = np.tile(np.log(self.network.tables[-1]), (len(codes), 1))
            for i in features:
                rows = np.flatnonzero(known[:, i])  # a missing value is summed out: its factor is one
                own = codes[rows, i]
                alone = self.network.tables[i].T[own]  # P(x_i | c), [row, class]
                parents = np.zeros_like(alone)
                for j in features:
                    if self.weights[i, j] > 0:
                        # Of an unknown x_j, P(x_i | x_j, c) is summed out as well.
                        there = known[rows, j]
                        given = alone.copy()
                        given[there] = self.tables[i, j][codes[rows[there], j], :, own[there]]
                        parents += self.weights[i, j] * given
                out[rows] += np.log(parents if self.weights[i].any() else alone)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return what it adds to its network as plain data."""
        tables = [
            {"node": self.nodes[i], "parent": self.nodes[j], "table": table.tolist()}
            for (i, j), table in self.tables.items()
        ]
        return {"weights": self.weights.tolist(), "tables": tables}

    @classmethod
    def from_dict(cls, data: dict[str, Any], network: BayesNet) -> Self:
        """Rebuild it from its network and plain data."""
        index, arities = network.dag.index, [variable.arity for variable in network.variables]
        n, classes = len(arities) - 1, arities[-1]
        weights = np.array(data["weights"], dtype=np.float64).reshape(n, n)
        tables = {
            (index(item["node"]), index(item["parent"])): np.array(item["table"], dtype=np.float64)
            for item in data["tables"]
        }
        wanted = {(i, j): (arities[j], classes, arities[i]) for i, j in np.argwhere(weights > 0).tolist()}
        if {pair: table.shape for pair, table in tables.items()} != wanted:
            raise ValueError("the weights and the tables of hidden naive Bayes do not fit together")
        return cls(network, weights, tables)


class HiddenNaiveBayes(SearchingLearner):
    """Naive Bayes in which each feature also has a hidden parent, made of all other features (Jiang, Zhang and Cai).

        P(c, x) = P(c) prod_i P(x_i | hp_i, c),    P(x_i | hp_i, c) = sum_{j != i} W_ij P(x_i | x_j, c),
        W_ij = I(X_i; X_j | C) / sum_{j != i} I(X_i; X_j | C).

    Nothing is searched, and no dependence is left out: weak ones count little. Where a feature depends on no other
    given the class, it has P(x_i | c), as in naive Bayes.

    Notes
    -----
    The network of the classifier is naive Bayes, whose tables serve where other features are unknown. All tables are
    those of the parameter learner; the paper has `MEstimate`, as in ``bl.classifier("HNB")``.

    Differs from the paper in missing values, which it replaces by modes and means: here a missing x_i has no factor,
    and where x_j is missing, P(x_i | c) takes the place of P(x_i | x_j, c), which is its average over x_j.

    References
    ----------
    L. Jiang, H. Zhang and Z. Cai. A novel Bayes model: hidden naive Bayes. IEEE Transactions on Knowledge and Data
    Engineering 21, 2009.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [[a, b, noise] for a in "xy" for b in "xy" for noise in "xyz"] * 5
    >>> y = [a == b for a, b, _ in X]  # which naive Bayes cannot tell
    >>> naive = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, y)
    >>> hidden = bl.BayesNetClassifier(bl.HiddenNaiveBayes()).fit(X, y)
    >>> naive.score(X, y), hidden.score(X, y)
    (0.5, 1.0)
    """

    needs: Needs = "pairs"

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph of naive Bayes."""
        checked_class(self, table)
        return Search(naive_bayes(table))

    def predictor(self, table: Table, network: BayesNet, parameters: ParameterLearner) -> HiddenParents:
        """Return what predicts instead of naive Bayes."""
        n = len(table.features)
        check_cells(self, table, [(j,) for j in range(n)], "KDB(k=1)")
        information = np.maximum(PairInformation.of(table).given_class(), 0.0)
        np.fill_diagonal(information, 0.0)
        sums = information.sum(axis=1, keepdims=True)
        weights = np.divide(information, sums, out=np.zeros((n, n)), where=sums > 0)
        tables: PairTables = {}
        for j in range(n):
            # The class and x_j are parents of all others: the graph has P(x_i | x_j, c) for each x_i.
            fitted: Sequence[NDArray[np.float64]] = parameters.fit(table, superparent_graph(table, [j]))
            tables |= {(i, j): fitted[i] for i in range(n) if weights[i, j] > 0}
        return HiddenParents(network, weights, tables)
