"""Greedy equivalence search over minimal class-focused graphs."""

from collections.abc import Iterator

import numpy as np

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.graph.equivalence import Parents, Pattern
from bayleaf.parameters import MaximumLikelihood
from bayleaf.scores import ConditionalLogLikelihood
from bayleaf.search import Search, SearchDiary, evaluator_at

from .mcdag import GAIN, MOST_CELLS, ClassFocusedState, complete_rows
from .structure_learner import SearchingLearner, require_target


class MCGES(SearchingLearner):
    """Greedy equivalence search (GES) over minimal class-focused graphs for the conditional log-likelihood.

    In a minimal class-focused graph (MC-DAG) the class has no parents, and every arc between features ends in a child
    of the class. The search moves over classes of Markov equivalent graphs, which describe the same distributions, so
    that no direction of an arc is chosen before the data ask for it. Starting from no arcs:

    1. Forward: of all classes with one edge more that have an MC-DAG among their graphs (operator Insert), take the
       one with the highest conditional log-likelihood, while it rises.
    2. Backward: of all such classes with one edge less (operator Delete), likewise, while it does not fall.

    Parameters
    ----------
    max_parents : int, optional
        Most parents of a feature, the class included, in the MC-DAG that stands for a class of graphs.
    price : float, default=0.0
        What a free parameter of a child of the class costs, as in `MCDAG`.
    epsilon : float, default=1e-5
        What replaces a zero in the maximum-likelihood tables while the search compares graphs.

    Notes
    -----
    Differs from the paper: every neighbouring class is written down and asked whether it has an MC-DAG, in place of
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

    def __init__(self, max_parents: int | None = None, price: float = 0.0, epsilon: float = 1e-5) -> None:
        self.max_parents = max_parents
        self.price = price
        self.epsilon = epsilon

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "max_parents", self.max_parents, int, low=1, allow_none=True)
        check_param(self, "price", self.price, float, low=0)
        check_param(self, "epsilon", self.epsilon, float, low=1e-20, high=1, high_open=True)

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        target = require_target(table)
        rows = complete_rows(self, table)
        score = ConditionalLogLikelihood(MaximumLikelihood(self.epsilon))
        state = ClassFocusedState(rows, evaluator_at(score, rows, DAG(rows.names), rng), self.price)
        most = table.n_variables if self.max_parents is None else self.max_parents
        diary = SearchDiary(table.names, state.measure, state.evaluator.parents, state.value)
        for neighbours, at_least in ((with_an_edge_more, GAIN), (with_an_edge_less, 0.0)):
            while True:
                known = state.evaluator.parents
                found = [
                    other
                    for other in neighbours(known, target)
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


def with_an_edge_more(parents: Parents, target: int) -> Iterator[Parents]:
    """Yield the MC-DAG of each class of MC-DAGs that has an edge more than the class of a given one.

    Examples
    --------
    The class is 2: it may get a child, and a feature that is not yet joined to the class may be a parent of one.

    >>> list(with_an_edge_more(((2,), (), ()), 2))
    [((1, 2), (), ()), ((2,), (2,), ())]
    """
    pattern = Pattern(parents)
    children = pattern.around(target)
    pairs = [(x, y) for x in range(len(parents)) for y in range(len(parents)) if y in children or x == target]
    yield from _distinct(target, (dag for x, y in pairs if y != target for dag in pattern.inserted(x, y)))


def with_an_edge_less(parents: Parents, target: int) -> Iterator[Parents]:
    """Yield the MC-DAG of each class of MC-DAGs that has an edge less than the class of a given one.

    Examples
    --------
    >>> list(with_an_edge_less(((1, 2), (), ()), 2))
    [((2,), (), ())]
    """
    pattern = Pattern(parents)
    # An edge may be deleted either way with the same result: what is beside one end and joined to the other is beside
    # both.
    pairs = [
        (x, y)
        for y in range(len(parents))
        for x in sorted(pattern.into[y] | {other for other in pattern.beside[y] if other > y})
    ]
    yield from _distinct(target, (dag for x, y in pairs for dag in pattern.deleted(x, y, root=target)))


def _distinct(target: int, dags: Iterator[Parents]) -> Iterator[Parents]:
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
