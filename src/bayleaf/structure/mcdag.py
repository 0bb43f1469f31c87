"""Greedy search over minimal class-focused graphs."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.counts import count
from bayleaf.graph import DAG, Search, SearchDiary
from bayleaf.parameters.likelihood import frequencies
from bayleaf.table import Table

from .augmented import require_target

Families = dict[int, tuple[int, ...]]


class MCDAG(BaseEstimator):  # type: ignore[misc]
    """Greedy search over minimal class-focused graphs for the conditional log-likelihood.

    In such a graph the class has no parents, and every arc between features ends in a child of the class; features
    that are not children of the class may still be parents of its children. Any graph can be rewritten so without
    changing the class posterior. Starting from no arcs:

    1. Forward: of all single additions (class -> X; X -> Y with Y a child of the class, without a cycle), make the
       one with the highest conditional log-likelihood, while it rises.
    2. Backward: of all single deletions (an arc between features; class -> X together with all arcs into X),
       likewise, while it does not fall.

    Parameters
    ----------
    max_parents : int, optional
        Most parents of a feature, the class included.
    price : float, default=1.0
        What a free parameter costs, Akaike's price by default. At 0 the search goes on until no arc raises the
        likelihood of the training rows, which overfits where rows are few.
    epsilon : float, default=1e-5
        What replaces a zero in the maximum-likelihood tables.

    Notes
    -----
    Differs from the paper: parameters have a price; the search is over graphs, not over equivalence classes. The
    cost of a step grows with the square of the number of features times rows: meant for small data. Rows with
    missing values are left out.

    References
    ----------
    B. Mihaljevic, C. Bielza and P. Larranaga. Learning Bayesian network classifiers with completed partially directed
    acyclic graphs. Probabilistic Graphical Models, 2018.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]] * 10, target=2)
    >>> len(MCDAG().learn(table, np.random.default_rng(0)).arcs)
    0
    """

    def __init__(self, max_parents: int | None = None, price: float = 1.0, epsilon: float = 1e-5) -> None:
        self.max_parents = max_parents
        self.price = price
        self.epsilon = epsilon

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the graph for a table that has a class."""
        return self.search(table, rng).dag

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        check_param(self, "max_parents", self.max_parents, int, low=1, allow_none=True)
        check_param(self, "price", self.price, float, low=0)
        check_param(self, "epsilon", self.epsilon, float, low=0, high=1, high_open=True)
        require_target(table)
        complete = table.complete_rows()
        state = _State(table if complete.all() else table.take(complete), self.epsilon, self.price)
        most = table.n_variables if self.max_parents is None else self.max_parents
        measure = f"conditional log-likelihood - {self.price:g} per parameter"
        diary = SearchDiary(table.names, measure, state.parents, state.score)
        while state.improve(moves := list(_additions(state, most)), at_least=1e-9):
            diary.now(state.parents, state.score, len(moves))
        while state.improve(moves := list(_deletions(state)), at_least=0.0):
            diary.now(state.parents, state.score, len(moves))
        return diary.search()


class _State:
    """The current graph and the log-joint of every row and class under it."""

    def __init__(self, table: Table, epsilon: float, price: float) -> None:
        self.table = table
        self.price = price
        self.epsilon = epsilon
        self.target = require_target(table)
        self.rows = np.arange(table.n_rows)
        self.classes = table.codes[:, self.target].astype(np.int64)
        self.weights = np.ones(table.n_rows) if table.weights is None else table.weights
        # Families of the children of the class; features outside have none and do not matter to the posterior.
        self.families: Families = {}
        self.terms: dict[int, NDArray[np.float64]] = {}
        prior = np.log(np.maximum(frequencies(count(table, [[self.target]])[0], epsilon), 1e-300))
        self.joint = np.tile(prior, (table.n_rows, 1))
        self.score = self.conditional(self.joint)

    @property
    def parents(self) -> list[tuple[int, ...]]:
        """The parents of every node now."""
        return [self.families.get(node, ()) for node in range(self.table.n_variables)]

    def conditional(self, joint: NDArray[np.float64]) -> float:
        """Conditional log-likelihood of the rows, given their log-joints."""
        own = joint[self.rows, self.classes]
        return float(self.weights @ (own - logsumexp(joint, axis=1)))

    def cost(self, node: int, parents: tuple[int, ...]) -> float:
        """Return the price of a family's parameters; a node that is no child of the class has none that matter."""
        if not parents:
            return 0.0
        configurations = float(np.prod(self.table.arities[list(parents)].astype(float)))
        return self.price * configurations * float(self.table.arities[node] - 1)

    def term(self, node: int, parents: tuple[int, ...]) -> NDArray[np.float64]:
        """Log P(node | parents) of every row, for every class; zero for a node that is no child of the class."""
        if not parents:
            return np.zeros_like(self.joint)
        others = [parent for parent in parents if parent != self.target]
        counts = count(self.table, [[*others, self.target, node]])[0]
        with np.errstate(divide="ignore"):
            table = np.log(frequencies(counts, self.epsilon))
        cells = np.moveaxis(table, -2, -1)  # the class last
        index = tuple(self.table.codes[:, j].astype(np.int64) for j in (*others, node))
        return cells[index]

    def improve(self, moves: list[tuple[int, tuple[int, ...]]], at_least: float) -> bool:
        """Make the best move if it gains at least so much."""
        best, best_score = None, -np.inf
        rest = sum(self.cost(node, parents) for node, parents in self.families.items())
        for node, parents in moves:
            changed = self.joint - self.terms.get(node, 0.0) + self.term(node, parents)
            families_cost = rest - self.cost(node, self.families.get(node, ())) + self.cost(node, parents)
            score = self.conditional(changed) - families_cost
            if score > best_score:
                best, best_score = (node, parents), score
        if best is None or best_score < self.score + at_least:
            return False
        node, parents = best
        self.joint = self.joint - self.terms.get(node, 0.0) + self.term(node, parents)
        self.terms[node] = self.term(node, parents)
        self.families[node] = parents
        if not parents:
            del self.families[node], self.terms[node]
        self.score = best_score
        return True

    def ancestors(self, node: int) -> set[int]:
        """Return the node and all features with a directed path to it."""
        seen, waiting = {node}, [node]
        while waiting:
            for parent in self.families.get(waiting.pop(), ()):
                if parent != self.target and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return seen


def _additions(state: _State, most: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for node in state.table.features:
        if node not in state.families:
            yield node, (state.target,)
            continue
        parents = state.families[node]
        if len(parents) >= most:
            continue
        for parent in state.table.features:
            if parent not in parents and node not in state.ancestors(parent):
                yield node, (*parents, parent)


def _deletions(state: _State) -> Iterator[tuple[int, tuple[int, ...]]]:
    for node, parents in state.families.items():
        yield node, ()
        for parent in parents:
            if parent != state.target:
                yield node, tuple(other for other in parents if other != parent)
