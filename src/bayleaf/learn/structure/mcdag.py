"""Greedy search over minimal class-focused graphs: graph by graph, or equivalence class by equivalence class.

In such a graph the class has no parents, and every arc between features ends in a child of the class; features that
are not children of the class may still be parents of its children. Any graph can be rewritten so without changing the
class posterior.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import prod

import numpy as np

from bayleaf._util.params import declared, number, whole
from bayleaf.counts import required_target
from bayleaf.data import Table
from bayleaf.graph import DAG, Family
from bayleaf.graph.equivalence import Pattern
from bayleaf.graph.parents import ParentSets, closure
from bayleaf.learn.parameters import MaximumLikelihood
from bayleaf.learn.scores import ConditionalLogLikelihood
from bayleaf.learn.search import Evaluator, Search, SearchDiary, evaluator_at

from .structure_learner import SearchingLearner, checked_class

# What counts as a higher likelihood: sums over rows are exact to a fraction of this.
GAIN = 1e-9
# Larger tables than this are not tried; they would hold many more cells than a table has rows.
MOST_CELLS = 2**22


class MinimalLearner(SearchingLearner):
    """What `MCDAG` and `MCGES` share: their settings, and where they start."""

    settings = declared(
        max_parents=whole(low=1, or_none=True),
        price=number(low=0),
        epsilon=number(low=1e-20, below=1),
    )

    def __init__(self, max_parents: int | None = None, price: float = 0.0, epsilon: float = 1e-5) -> None:
        self.max_parents = max_parents
        self.price = price
        self.epsilon = epsilon

    def begin(self, table: Table, rng: np.random.Generator) -> tuple["ClassFocusedState", SearchDiary, int]:
        """Return the graph without arcs, a diary of the search, and the most parents of a feature."""
        checked_class(self, table)
        complete = table.complete_rows()
        if table.n_rows and not complete.any():
            raise ValueError(
                f"{type(self).__name__} leaves out rows with missing values, and every row has one: impute them, or "
                "leave out the columns with most missing values."
            )
        rows = table if complete.all() else table.take(complete)
        score = ConditionalLogLikelihood(MaximumLikelihood(self.epsilon))
        state = ClassFocusedState(rows, evaluator_at(score, rows, DAG(rows.names), rng), self.price)
        most = table.n_variables if self.max_parents is None else self.max_parents
        return state, SearchDiary(table.names, state.measure, state.evaluator.parents, state.value), most


class MCDAG(MinimalLearner):
    """Greedy search over minimal class-focused graphs for the conditional log-likelihood.

    In such a graph the class has no parents, and every arc between features ends in a child of the class. Starting
    from no arcs:

    1. Forward: of all single additions (class -> X; X -> Y with Y a child of the class, without a cycle), make the
       one with the highest conditional log-likelihood, while it rises.
    2. Backward: of all single deletions (an arc between features; class -> X together with all arcs into X),
       likewise, while it does not fall.

    Parameters
    ----------
    max_parents : int, optional
        Most parents of a feature, the class included.
    price : float, default=0.0
        What a free parameter of a child of the class costs. At 0 the search continues until no arc raises the
        likelihood of the training rows, which overfits where rows are few; 1 is Akaike's price.
    epsilon : float, default=1e-5
        What replaces a zero in the maximum-likelihood tables while the search compares graphs.

    Notes
    -----
    Differs from the paper: the search is over graphs, not over equivalence classes; that is `MCGES`. Rows with
    missing values are left out. Families whose table would have more than 2^22 cells are not tried.

    References
    ----------
    B. Mihaljevic, C. Bielza and P. Larranaga. Learning Bayesian network classifiers with completed partially directed
    acyclic graphs. Probabilistic Graphical Models, 2018.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]] * 10, target=2)
    >>> MCDAG().learn(table, np.random.default_rng(0)).arcs
    (('class', 'b'),)
    """

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        state, diary, most = self.begin(table, rng)
        while state.improve(moves := list(_additions(state, most)), at_least=GAIN):
            diary.now(state.evaluator.parents, state.value, len(moves))
        while state.improve(moves := list(_deletions(state)), at_least=0.0):
            diary.now(state.evaluator.parents, state.value, len(moves))
        return diary.search()


class ClassFocusedState:
    """The current graph: its conditional log-likelihood, less the price of its parameters."""

    def __init__(self, table: Table, evaluator: Evaluator, price: float) -> None:
        self.table = table
        self.target = required_target(table, "MCDAG")
        self.evaluator = evaluator
        self.price = price

    @property
    def measure(self) -> str:
        """What `value` is, in words."""
        return "conditional log-likelihood" + (f" - {self.price:g} per parameter" if self.price else "")

    @property
    def value(self) -> float:
        """What the search raises: the likelihood less the price of all parameters."""
        return self.evaluator.value - sum(map(self.cost, enumerate(self.evaluator.parents)))

    def cost(self, family: Family) -> float:
        """Return the price of a family's parameters; nodes that are not children of the class cost nothing."""
        node, parents = family
        if self.price == 0 or not parents:
            return 0.0
        return self.price * self.cells(parents) * (int(self.table.arities[node]) - 1)

    def cells(self, columns: Sequence[int]) -> int:
        """Return the number of joint states of some columns."""
        return prod(int(self.table.arities[column]) for column in columns)

    def improve(self, moves: Iterable[Family], at_least: float) -> bool:
        """Make the best move if it gains at least so much."""
        best, best_gain = None, -np.inf
        by_node: dict[int, list[tuple[int, ...]]] = {}
        for node, parents in moves:
            by_node.setdefault(node, []).append(parents)
        for node, sets in by_node.items():
            now = self.cost((node, self.evaluator.parents[node]))
            prices = np.array([self.cost((node, parents)) - now for parents in sets])
            gains = self.evaluator.scores(node, sets) - self.evaluator.value - prices
            first = int(gains.argmax())
            if gains[first] > best_gain:
                best, best_gain = (node, sets[first]), float(gains[first])
        if best is None or best_gain < at_least:
            return False
        self.evaluator.commit(dict([best]))
        return True

    def improve_by(self, graphs: Sequence[Sequence[tuple[int, ...]]], at_least: float) -> bool:
        """Make the graph at hand the best of some graphs, if it gains at least so much; ties go to the first."""
        if not graphs:
            return False
        known = self.evaluator.parents
        changes = [
            {node: family for node, family in enumerate(graph) if family != known[node]} for graph in graphs
        ]
        costs = [
            sum(self.cost((node, family)) - self.cost((node, known[node])) for node, family in change.items())
            for change in changes
        ]
        gains = self.evaluator.change_scores(changes) - self.evaluator.value - np.array(costs)
        best = int(gains.argmax())
        if gains[best] < at_least:
            return False
        self.evaluator.commit(changes[best])
        return True


def _additions(state: ClassFocusedState, most: int) -> Iterator[Family]:
    above = {node: closure(state.evaluator.parents, [node]) for node in state.table.features}
    for node in state.table.features:
        parents = state.evaluator.parents[node]
        if not parents:
            yield node, (state.target,)
        elif len(parents) < most:
            for parent in state.table.features:
                larger = tuple(sorted((*parents, parent)))
                known = parent in parents or node in above[parent]
                if not known and state.cells((node, *larger)) <= MOST_CELLS:
                    yield node, larger


def _deletions(state: ClassFocusedState) -> Iterator[Family]:
    for node in state.table.features:
        parents = state.evaluator.parents[node]
        if parents:
            yield node, ()
        for parent in parents:
            if parent != state.target:
                yield node, tuple(other for other in parents if other != parent)


class MCGES(MinimalLearner):
    """Greedy equivalence search (GES) over minimal class-focused graphs for the conditional log-likelihood.

    In a minimal class-focused graph (MC-DAG) the class has no parents, and every arc between features ends in a child
    of the class. The search moves over classes of Markov equivalent graphs, which describe the same distributions, so
    that no direction of an arc is chosen before the data require it. Starting from no arcs:

    1. Forward: of all classes with one edge more that have an MC-DAG among their graphs (operator Insert), take the
       one with the highest conditional log-likelihood, while it rises.
    2. Backward: of all such classes with one edge less (operator Delete), likewise, while it does not fall.

    Parameters
    ----------
    max_parents : int, optional
        Most parents of a feature, the class included, in the MC-DAG that represents a class of graphs.
    price, epsilon
        As in `MCDAG`.

    Notes
    -----
    Differs from the paper: every neighbouring class is constructed and checked for an MC-DAG, instead of by
    conditions on the operators, which we have not read. Equivalent graphs have the same likelihood but for what
    replaces zeros: a class is scored by the MC-DAG whose edges lead away from the class. Rows with missing values are
    left out. Families whose table would have more than 2^22 cells are not tried. `MCDAG` is the same search over
    single graphs.

    References
    ----------
    B. Mihaljevic, C. Bielza and P. Larranaga. Learning Bayesian network classifiers with completed partially directed
    acyclic graphs. Probabilistic Graphical Models, 2018.

    D. M. Chickering. Optimal structure identification with greedy search. Journal of Machine Learning Research 3,
    2002.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]] * 10, target=2)
    >>> MCGES().learn(table, np.random.default_rng(0)).arcs
    (('class', 'b'),)
    """

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        state, diary, most = self.begin(table, rng)
        for neighbours, at_least in ((with_an_edge_more, GAIN), (with_an_edge_less, 0.0)):
            while True:
                known = state.evaluator.parents
                found = [
                    other
                    for other in neighbours(known, state.target)
                    if all(
                        len(family) <= most and state.cells((node, *family)) <= MOST_CELLS
                        for node, family in enumerate(other)
                        if family != known[node]
                    )
                ]
                if not state.improve_by(found, at_least):
                    break
                diary.now(state.evaluator.parents, state.value, len(found))
        return diary.search()


def with_an_edge_more(parents: ParentSets, target: int) -> Iterator[ParentSets]:
    """Yield the MC-DAG of each class of MC-DAGs that has an edge more than the class of a given one."""
    pattern = Pattern(parents)
    children = pattern.around(target)
    pairs = [(x, y) for x in range(len(parents)) for y in range(len(parents)) if y in children or x == target]
    yield from _distinct(target, (dag for x, y in pairs if y != target for dag in pattern.inserted(x, y)))


def with_an_edge_less(parents: ParentSets, target: int) -> Iterator[ParentSets]:
    """Yield the MC-DAG of each class of MC-DAGs that has an edge less than the class of a given one."""
    pattern = Pattern(parents)
    # An edge may be deleted either way with the same result: what is beside one end and joined to the other is beside
    # both.
    pairs = [
        (x, y)
        for y in range(len(parents))
        for x in sorted(pattern.into[y] | {other for other in pattern.beside[y] if other > y})
    ]
    yield from _distinct(target, (dag for x, y in pairs for dag in pattern.deleted(x, y, root=target)))


def _distinct(target: int, dags: Iterator[ParentSets]) -> Iterator[ParentSets]:
    """Yield, once each, the MC-DAGs of those classes that have one."""
    seen = set()
    for dag in dags:
        pattern = Pattern(dag)
        if not pattern.into[target]:
            rooted = pattern.rooted(target)
            focused = all(target in family or not family for family in rooted)
            if focused and rooted not in seen:
                seen.add(rooted)
                yield rooted
