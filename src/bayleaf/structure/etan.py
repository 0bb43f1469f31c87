"""Extended tree-augmented naive Bayes: a forest in which features may do without the class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.counts.contingency import DECIMALS
from bayleaf.data import Table
from bayleaf.graph import maximum_arborescence
from bayleaf.scores import BDeu, DecomposableScore
from bayleaf.search import Search, SearchDiary

from .structure_learner import SearchingLearner, require_target


class ETAN(SearchingLearner):
    """Extended tree-augmented naive Bayes (de Campos, Corani, Scanagatta, Cuccu and Zaffalon).

    The graph of the highest score in which the class has no parent and each feature has one of four sets of parents:
    none, the class, another feature, or both. `TAN` and `NaiveBayes` are among these graphs, and so are graphs in
    which a feature is not connected with the class at all.

    1. Weigh each arc X_j -> X_i by the better of score(X_i | X_j) and score(X_i | X_j, C), and X_i without a feature
       parent by the better of score(X_i) and score(X_i | C).
    2. Find the maximum directed spanning tree (Chu-Liu / Edmonds) from a root beside the features, whose arcs stand
       for "no feature parent".

    Of equal scores the set without the class wins.

    Parameters
    ----------
    score : decomposable score, optional
        `BDeu` by default.

    Notes
    -----
    A set of parents is worth what it adds to the score of the feature alone, on the rows that have all values of the
    family: without missing values that is the score itself, up to a constant.

    References
    ----------
    C. P. de Campos, G. Corani, M. Scanagatta, M. Cuccu and M. Zaffalon. Learning extended tree augmented naive
    structures. International Journal of Approximate Reasoning 68, 2016.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "noise", "class"))
    >>> rows = [[b, b, noise, c] for c in (0, 1) for b in (c, c, c, 1 - c) for noise in (0, 1)]
    >>> table = Table.from_codes(variables, rows * 5, target=3)
    >>> ETAN().learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('a', 'b'))
    """

    def __init__(self, score: DecomposableScore | None = None) -> None:
        self.score = score

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        if self.score is not None and not isinstance(self.score, DecomposableScore):
            raise TypeError(
                "The 'score' parameter of ETAN must be a decomposable score, such as bayleaf.BDeu(). Got "
                f"{self.score!r} instead."
            )

    @property
    def learns_from_counts(self) -> bool:
        """Whether counts are all that it asks for."""
        return True

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        target, features = require_target(table), table.features
        score: Any = BDeu() if self.score is None else self.score
        gains, with_class = _best_gains(table, score, target)
        n = len(features)
        diary = SearchDiary(table.names, f"gain in {score} over no arcs", [()] * table.n_variables, 0.0)
        if n == 0:
            return diary.search()
        allowed = ~np.eye(n + 1, dtype=bool)
        allowed[:, n] = False  # nothing leads to the root
        parents = maximum_arborescence(gains, allowed, n)[:n]
        total = 0.0
        chosen = [(n if parent is None else parent, child) for child, parent in enumerate(parents)]
        for parent, child in sorted(chosen, key=lambda arc: -gains[arc]):
            arcs = [(features[parent], features[child])] if parent < n else []
            arcs += [(target, features[child])] if with_class[parent, child] else []
            total += float(gains[parent, child])
            if arcs:
                diary.change(arcs, [], total)
        return diary.search()


def _best_gains(
    table: Table, score: DecomposableScore, target: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what each feature gains from each other as a parent, and whether the class is a parent beside it.

    The last row is for features without a feature parent.
    """
    features = table.features
    n = len(features)
    pairs = [(parent, child) for parent in range(n) for child in range(n) if parent != child]
    families = [(features[child], (features[parent],)) for parent, child in pairs]
    both = [(node, (*parents, target)) for node, parents in families]
    alone = [(node, (target,)) for node in features]
    found = score.gains_over_none(table, [*families, *both, *alone]).round(DECIMALS)
    gains, with_class = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1), dtype=bool)
    for k, pair in enumerate(pairs):
        gains[pair] = max(found[k], found[len(pairs) + k])
        with_class[pair] = found[len(pairs) + k] > found[k]
    gains[n, :n] = np.maximum(found[2 * len(pairs) :], 0.0)
    with_class[n, :n] = found[2 * len(pairs) :] > 0
    return gains, with_class
