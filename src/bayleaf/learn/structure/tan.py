"""Trees and forests over the features: TAN and its relatives, found by their weights.

`TAN` is the best tree given the class; `FAN` keeps only the edges that pay; in `ETAN` features may do without the
class; `TANaCLL` is the tree for the approximate conditional log-likelihood.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import Needs, declared, flag, if_given, number
from bayleaf.counts import ChanceInformation, PairInformation, class_information
from bayleaf.counts.contingency import DECIMALS, Countable
from bayleaf.counts.information import TreeInformation
from bayleaf.data import Table
from bayleaf.graph import Arc, maximum_arborescence, maximum_spanning_forest, maximum_spanning_tree
from bayleaf.learn.scores import ApproximateCLL, BDeu, DecomposableScore
from bayleaf.learn.search import Search, SearchDiary

from .structure_learner import (
    ArcConstraints,
    SearchingLearner,
    augment_by_tree,
    checked_class,
    feature_number,
)


class TAN(SearchingLearner):
    """Tree-augmented naive Bayes (Chow-Liu trees, Friedman et al.).

    1. Weight each pair of features by I(X_i; X_j | C).
    2. Find the maximum spanning tree.
    3. Direct it away from a root.
    4. Make the class a parent of every feature.

    Among trees of equal weight the one whose edges come first in feature order wins.

    Parameters
    ----------
    root : str, optional
        The feature without a feature parent; by default the one with the largest I(X; C).
    required, forbidden : list of (parent, child), optional
        Arcs between features that the tree must or must not have. Then the heaviest *directed* tree that obeys
        them is found (Chu-Liu / Edmonds), from the best root if none is given.
    shrunk : bool, default=False
        Whether pairs are weighted by what an arc is worth on new rows, `shrunken_information`, instead of by
        I(X_i; X_j | C) itself, and the root is chosen likewise. As published, a column of many states seems to depend
        on every other by chance, and a column of noise becomes the centre of the tree. The default of
        `BayesNetClassifier` is ``TAN(shrunk=True)``. The steps of the search show I(X_i; X_j | C) in either case.

    References
    ----------
    N. Friedman, D. Geiger and M. Goldszmidt. Bayesian network classifiers. Machine Learning 29, 1997.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], target=2)
    >>> TAN().learn(table, np.random.default_rng(0)).parents("b")
    ('a', 'class')
    """

    needs: Needs = "pairs"
    learned_at_once = True
    settings = declared(shrunk=flag)

    def __init__(
        self,
        root: str | None = None,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
        shrunk: bool = False,
    ) -> None:
        self.root = root
        self.required = required
        self.forbidden = forbidden
        self.shrunk = shrunk

    def search(self, table: Countable, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        root = None if self.root is None else feature_number(table, self.root, "root")
        constraints = None
        if self.required is not None or self.forbidden is not None:
            constraints = ArcConstraints.read(table, self.required, self.forbidden, most=1)
        found = TreeInformation.of(table, chance=self.shrunk)
        information = weights = found.given_class
        chance = found.chance
        if chance is not None:
            weights = constants_last(shrunken_information(information, chance.given_class), chance)
        if len(weights) == 0:
            parents: list[int | None] = []
        elif constraints is not None and (constraints.required or constraints.forbidden):
            parents = heaviest_tree(weights, root, constraints)
        else:
            best_root = best_feature(found.with_class, chance) if root is None else root
            parents = maximum_spanning_tree(weights, best_root)
        return augment_by_tree(table, parents, information, "sum of I(X;Y|C) in nats")


def shrunken_information(
    information: NDArray[np.float64], chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a dependence is worth on new rows, if its table is shrunk towards independence as well as can be.

    Of an information I that was measured, E is there by chance, and S = I - E is true. A table that goes the share f
    of the way from independence to what was counted gains 2 f S - f^2 I on new rows, to second order: counted tables
    (f = 1) gain I - 2 E, which is Akaike's criterion, and the best f = S / I gains

        S^2 / I

    Where I is below E, I - E is returned: it is worth nothing, and the less the lower.

    References
    ----------
    H. Akaike. A new look at the statistical model identification. IEEE Transactions on Automatic Control 19, 1974.
    W. James and C. Stein. Estimation with quadratic loss. Fourth Berkeley Symposium, 1961.
    """
    true = information - chance
    worth = np.divide(true * true, information, out=true.copy(), where=true > 0)
    return worth.round(DECIMALS)  # so that pairs that are worth the same tie


def constants_last(weights: NDArray[np.float64], chance: ChanceInformation) -> NDArray[np.float64]:
    """Put pairs below all others in which a feature has one value only, or one in each class.

    Chance takes nothing from them, and other weights may be negative; with or without such features the tree over the
    others is to be the same.
    """
    if not chance.given_class.any():
        return weights  # none is negative
    constant: NDArray[np.bool_] = (chance.given_class == 0).all(axis=1)
    below = float(weights.min(initial=0.0)) - 10 * 10.0**-DECIMALS
    return np.where(np.logical_or.outer(constant, constant), below, weights)


def best_feature(relevance: NDArray[np.float64], chance: ChanceInformation | None) -> int:
    """Return the feature that tells most about the class, of several the first."""
    if chance is not None and chance.with_class.any():
        worth = shrunken_information(relevance, chance.with_class)
        relevance = np.where(chance.with_class > 0, worth, -np.inf)  # a constant carries no information
    return int(relevance.argmax())


def default_structure() -> TAN:
    """Return what finds the graph of a classifier that names no structure learner."""
    return TAN(shrunk=True)


NO_TREE = "No tree over the features obeys the required and forbidden arcs"


def heaviest_tree(
    weights: NDArray[np.float64], root: int | None, constraints: ArcConstraints
) -> list[int | None]:
    """Return the parents of the heaviest directed tree that obeys constraints."""
    names = constraints.names
    allowed = ~np.eye(len(weights), dtype=bool)
    for parent, child in constraints.forbidden:
        allowed[parent, child] = False
    # A premium above the weight of any tree: a required arc is left out only if no tree can have them all.
    premium = 1.0 + 2.0 * len(weights) * float(np.abs(weights).max(initial=0.0))
    favoured = weights.copy()
    for parent, child in constraints.required:
        favoured[parent, child] += premium
    try:
        parents = maximum_arborescence(favoured, allowed, root, names=names)
    except ValueError as error:
        raise ValueError(f"{NO_TREE}: {error} Drop one, choose another root, or use FAN.") from error
    for parent, child in constraints.required:
        if parents[child] != parent:
            raise ValueError(
                f"{NO_TREE}: '{names[parent]}' -> '{names[child]}' cannot be kept with the others. Drop one, or "
                "choose another root."
            )
    return parents


def check_decomposable(score: object) -> None:
    """Refuse anything but a decomposable score."""
    if not isinstance(score, DecomposableScore):
        raise TypeError(
            "The 'score' parameter of ETAN must be a decomposable score, such as bayleaf.BDeu(). Got "
            f"{score!r} instead."
        )


class ETAN(SearchingLearner):
    """Extended tree-augmented naive Bayes (de Campos, Corani, Scanagatta, Cuccu and Zaffalon).

    The graph of the highest score in which the class has no parent and each feature has one of four sets of parents:
    none, the class, another feature, or both. `TAN` and `NaiveBayes` are among these graphs, and so are graphs in
    which a feature is not connected with the class at all.

    1. Weight each arc X_j -> X_i by the better of score(X_i | X_j) and score(X_i | X_j, C), and X_i without a feature
       parent by the better of score(X_i) and score(X_i | C).
    2. Find the maximum directed spanning tree (Chu-Liu / Edmonds) from a root outside the features, whose arcs stand
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

    needs: Needs = "pairs"
    settings = declared(score=if_given(check_decomposable))

    def __init__(self, score: DecomposableScore | None = None) -> None:
        self.score = score

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target, features = checked_class(self, table), table.features
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
    """Return what each feature gains from each other as a parent, and whether the class is a parent as well.

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


GAIN = "gain in approximate conditional log-likelihood over naive Bayes"


class TANaCLL(SearchingLearner):
    """The tree of the highest approximate conditional log-likelihood.

    1. Weight each arc X_j -> X_i by the gain of X_j as a parent of X_i besides the class.
    2. Find the maximum directed spanning tree (Chu-Liu / Edmonds): the score differs between directions.
    3. Make the class a parent of every feature.

    Parameters
    ----------
    floor : float, default=5.0
        Smallest pseudo-count inside the logarithm of the score.

    References
    ----------
    A. M. Carvalho, P. Adao and P. Mateus. Efficient approximation of the conditional relative entropy with
    applications to discriminative learning of Bayesian network classifiers. Entropy 15, 2013.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]] * 10, target=2)
    >>> len(TANaCLL().learn(table, np.random.default_rng(0)).arcs)
    3
    """

    needs: Needs = "pairs"
    settings = declared(floor=number(above=0))

    def __init__(self, floor: float = 5.0) -> None:
        self.floor = floor

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target, features = checked_class(self, table), table.features
        n = len(features)
        if n == 0:
            return augment_by_tree(table, [], np.zeros((0, 0)), GAIN)
        score = ApproximateCLL(self.floor)
        alone = score.families(table, [(child, (target,)) for child in features])
        pairs = [(parent, child) for parent in range(n) for child in range(n) if parent != child]
        gains = score.families(
            table, [(features[child], (features[parent], target)) for parent, child in pairs]
        )
        weights = np.zeros((n, n))
        for (parent, child), gain in zip(pairs, gains, strict=True):
            weights[parent, child] = gain - alone[child]
        return augment_by_tree(table, maximum_arborescence(weights), weights, GAIN)


class FAN(SearchingLearner):
    """Like TAN, but the weight of an edge must exceed a threshold, so that the features form a forest.

    Parameters
    ----------
    threshold : float, optional
        Smallest I(X_i; X_j | C), in nats, that an edge must exceed. By default each edge must pay for its
        parameters by the MDL principle: N I(X_i; X_j | C) > 0.5 log(N) r_C (r_i - 1) (r_j - 1),
        where N is the weight of the rows in which the class and both features are known.
    root : str, optional
        Root of the tree that contains it; every other tree starts from its feature with the largest I(X; C).
    required, forbidden : list of (parent, child), optional
        Arcs between features that the forest must have, whatever their weight, or must not have. Then the heaviest
        *directed* forest that obeys them is found (Chu-Liu / Edmonds).

    References
    ----------
    P. J. F. Lucas. Restricted Bayesian network structure learning. Advances in Bayesian Networks, 2004.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], target=2)
    >>> FAN().learn(table, np.random.default_rng(0)).parents("b")
    ('class',)
    """

    needs: Needs = "pairs"
    learned_at_once = True
    settings = declared(threshold=number(low=0, or_none=True))

    def __init__(
        self,
        threshold: float | None = None,
        root: str | None = None,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
    ) -> None:
        self.threshold = threshold
        self.root = root
        self.required = required
        self.forbidden = forbidden

    def search(self, table: Countable, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target = checked_class(self, table)
        root = None if self.root is None else feature_number(table, self.root, "root")
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=1)
        pairs = PairInformation.of(table)
        weights = pairs.given_class()
        if self.threshold is None:
            free = table.arities[list(table.features)] - 1
            rows = np.maximum(pairs.rows(), 1.0)
            threshold = 0.5 * np.log(rows) / rows * table.arities[target] * np.multiply.outer(free, free)
        else:
            threshold = np.full(weights.shape, float(self.threshold))
        relevance = class_information(table, pairs)
        if constraints.required or constraints.forbidden:
            parents = heaviest_forest(weights, threshold, relevance, root, constraints)
        else:
            parents = maximum_spanning_forest(weights, root, threshold, relevance)
        return augment_by_tree(table, parents, weights, "sum of I(X;Y|C) in nats")


def heaviest_forest(
    weights: NDArray[np.float64],
    threshold: NDArray[np.float64],
    relevance: NDArray[np.float64],
    root: int | None,
    constraints: ArcConstraints,
) -> list[int | None]:
    """Return the parents of the heaviest directed forest of arcs above the threshold that obeys the constraints.

    A node above all others, whose arcs have weight zero, turns the forest into a tree. Of trees with the same weight
    in any direction, the one from the feature with the largest I(X; C) is preferred.
    """
    n = len(weights)
    if root is not None and constraints.required_parents(root):
        raise ValueError(f"'{constraints.names[root]}' is the root: it cannot have a required parent.")
    allowed = np.zeros((n + 1, n + 1), dtype=bool)
    allowed[:n, :n] = (weights > threshold) & ~np.eye(n, dtype=bool)
    allowed[n, :n] = True
    values = np.zeros((n + 1, n + 1))
    values[:n, :n] = weights
    values[n, :n] = 1e-9 * relevance / max(float(relevance.max(initial=0.0)), 1e-300)
    for parent, child in constraints.forbidden:
        allowed[parent, child] = False
    for parent, child in constraints.required:
        allowed[:, child] = False  # nothing else can be its parent
        allowed[parent, child] = True
    if root is not None:
        allowed[:n, root] = False
    parents = maximum_arborescence(values, allowed, n)
    return [None if parent == n else parent for parent in parents[:n]]
