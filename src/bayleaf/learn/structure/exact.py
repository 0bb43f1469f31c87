"""Exact structure learning: the best graph of all, or the best augmented naive Bayes."""

from collections.abc import Iterable
from math import comb
from typing import Any

import numpy as np

from bayleaf._util.params import Needs, declared, flag, if_given, number, whole
from bayleaf._util.words import warn
from bayleaf.data import Table
from bayleaf.graph import DAG, Arc
from bayleaf.graph.parents import listed_arcs
from bayleaf.learn.scores import BDeu
from bayleaf.learn.search import (
    ExactLimits,
    Search,
    SearchDiary,
    check_exact_score,
    optimal_parents,
    rows_searched,
)

from .structure_learner import SearchingLearner, naive_bayes


class Exact(SearchingLearner):
    """The graph of the highest score among all graphs (GBN), or among all augmented naive Bayes graphs (ANB).

    Dynamic programming over sets of variables:

    1. For every set S of variables, sum a term over the cells of S; a family score is J(P + X) - K(P).
    2. For every variable X and set P, the best parents of X inside P.
    3. The best last variable of every set, hence the best order, hence the best graph.

    The time doubles with each variable. An augmented search leaves the class out of the sets (it belongs to all of
    them), which halves the work. The learner says what it needs before it starts (logger ``bayleaf``, as a warning if
    that is more than ten seconds), refuses what does not fit into memory, shows progress on a terminal and stops on
    Ctrl-C.

    Parameters
    ----------
    score : score, optional
        BDeu(1.0) by default; also BIC, MDL, AIC, K2, LogLikelihood.
    augmented : bool, default=False
        Whether the class is a parent of every feature and has no parents.
    max_parents : int, optional
        Most parents of a node, the class included.
    required, forbidden : list of (parent, child), optional
        Arcs that the graph must or must not have.
    memory_limit : float, optional
        Bytes that the search may use; by default 90 % of what is free. A search that fits only in single precision is
        made so: the graph found is then the best up to rounding, about seven digits of the gain over no arcs.

    Notes
    -----
    Rows with a missing value in a column of several states are left out of the search, with a warning that says how
    many; ``missing="impute"`` of the classifier keeps them. Among parents of equal score
    the fewest win, then those that come first. Differs from the paper: one sum per set instead of one per family;
    parents are not stored but found again once the order is known.

    References
    ----------
    T. Silander and P. Myllymaki. A simple approach for finding the globally optimal Bayesian network structure.
    Uncertainty in Artificial Intelligence, 2006.
    S. Sugahara and M. Ueno. Exact learning augmented naive Bayes classifier. Entropy 23, 2021.
    C. P. de Campos and Q. Ji. Efficient structure learning of Bayesian networks using constraints. Journal of Machine
    Learning Research 12, 2011 (the bound on parent sets for scores with a price per parameter).

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]] * 5, target=2)
    >>> Exact(augmented=True).learn(table, np.random.default_rng(0)).parents("a")
    ('b', 'class')
    """

    needs: Needs = "distinct rows"  # none are dealt out to folds
    settings = declared(
        score=if_given(check_exact_score),
        augmented=flag,
        max_parents=whole(low=0, or_none=True),
        memory_limit=number(above=0, or_none=True),
    )

    def __init__(
        self,
        score: Any = None,
        augmented: bool = False,
        max_parents: int | None = None,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
        memory_limit: float | None = None,
    ) -> None:
        self.score = score
        self.augmented = augmented
        self.max_parents = max_parents
        self.required = required
        self.forbidden = forbidden
        self.memory_limit = memory_limit

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the best graph, built up in the order of its nodes, each with the best parents before it."""
        self.check_params()
        score = BDeu() if self.score is None else self.score
        limits = ExactLimits(
            self.augmented,
            self.max_parents,
            tuple(listed_arcs(() if self.required is None else self.required, "The required arcs")),
            tuple(listed_arcs(() if self.forbidden is None else self.forbidden, "The forbidden arcs")),
        )
        seen = rows_searched(table, limits)
        if left_out := table.n_rows - seen.n_rows:
            warn(
                f"Exact search leaves out {left_out} of {table.n_rows} rows, those with missing values; "
                "missing='impute' keeps all of them.",
            )
        parents = optimal_parents(table, score, limits, self.memory_limit)
        best = DAG.from_parents(table.names, parents)
        return _built_up(seen, score, best, limits) if hasattr(score, "families") else Search(best)


def _built_up(table: Table, score: Any, best: DAG, limits: ExactLimits) -> Search:
    """Go through the nodes in an order of the best graph, and give each its parents."""
    start: DAG = naive_bayes(table) if limits.augmented else DAG(table.names)
    most = table.n_variables if limits.max_parents is None else limits.max_parents - limits.augmented
    before, after = (score.families(table, list(enumerate(graph.parent_indices))) for graph in (start, best))
    total = float(before.sum())
    diary = SearchDiary(table.names, score, start.parent_indices, total)
    earlier = 0
    for node in best.topological_indices:
        if limits.augmented and node == table.target:
            continue
        added = [
            (parent, node) for parent in best.parent_indices[node] if parent not in start.parent_indices[node]
        ]
        total += float(after[node] - before[node])
        sets = sum(comb(earlier, size) for size in range(min(most, earlier) + 1))
        if added:
            diary.change(added, [], total, sets)
        earlier += 1
    return diary.search()
