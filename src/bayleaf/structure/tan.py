"""Tree-augmented naive Bayes: the best tree over the features, given the class."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf.counts import ChanceInformation, PairInformation, class_information
from bayleaf.counts.contingency import DECIMALS
from bayleaf.data import Table
from bayleaf.graph import Arc, maximum_arborescence, maximum_spanning_tree
from bayleaf.search import Search

from .constraints import feature_arcs
from .structure_learner import SearchingLearner, augment_by_tree, feature_number, require_target


class TAN(SearchingLearner):
    """Tree-augmented naive Bayes (Chow-Liu trees, Friedman et al.).

    1. Weigh each pair of features by I(X_i; X_j | C).
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
        Whether pairs are weighed by what an arc is worth on new rows, `shrunken_information`, instead of by
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

    learned_at_once = True

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

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "shrunk", self.shrunk, bool)

    @property
    def learns_from_counts(self) -> bool:
        """Whether counts are all that it asks for."""
        return True

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        require_target(table)
        self.check_params()
        root = None if self.root is None else feature_number(table, self.root, "root")
        constraints = TreeConstraints.read(table, self.required, self.forbidden)
        pairs = PairInformation.of(table)
        chance = ChanceInformation.of(table, pairs) if self.shrunk else None
        information = weights = pairs.given_class()
        if chance is not None:
            weights = constants_last(shrunken_information(information, chance.given_class), chance)
        if len(weights) == 0:
            parents: list[int | None] = []
        elif constraints is not None:
            parents = constraints.heaviest_tree(weights, root)
        else:
            best_root = best_feature(class_information(table, pairs), chance) if root is None else root
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

    Examples
    --------
    >>> shrunken_information(np.array([0.4, 0.2, 0.1]), np.array([0.0, 0.1, 0.2])).round(3)
    array([ 0.4 ,  0.05, -0.1 ])
    """
    true = information - chance
    worth = np.divide(true * true, information, out=true.copy(), where=true > 0)
    return worth.round(DECIMALS)  # so that pairs that are worth the same tie


def constants_last(weights: NDArray[np.float64], chance: ChanceInformation) -> NDArray[np.float64]:
    """Put pairs below all others in which a feature has one value only, or one in each class.

    Chance takes nothing from them, and other weights may be negative; with or without such features the tree over the
    others is to be the same.

    Examples
    --------
    >>> chance = ChanceInformation(np.zeros(3), np.array([[0.0, 0.1, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> constants_last(np.array([[0.0, -0.1, 0.0], [-0.1, 0.0, 0.0], [0.0, 0.0, 0.0]]), chance)[0].round(3)
    array([ 0. , -0.1, -0.1])
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
        relevance = np.where(chance.with_class > 0, worth, -np.inf)  # a constant tells nothing
    return int(relevance.argmax())


def default_structure() -> TAN:
    """Return what finds the graph of a classifier that names no structure learner.

    Examples
    --------
    >>> default_structure()
    TAN(shrunk=True)
    """
    return TAN(shrunk=True)


@dataclass(frozen=True)
class TreeConstraints:
    """Arcs between features that a tree must or must not have, by feature number."""

    names: tuple[str, ...]
    required: tuple[tuple[int, int], ...]
    forbidden: tuple[tuple[int, int], ...]

    @classmethod
    def read(
        cls, table: Table, required: Iterable[Arc] | None, forbidden: Iterable[Arc] | None
    ) -> "TreeConstraints | None":
        """Check constraints given by name; None when there are none."""
        wanted = feature_arcs(table, () if required is None else required, "required")
        unwanted = feature_arcs(table, () if forbidden is None else forbidden, "forbidden")
        if not wanted and not unwanted:
            return None
        names = tuple(table.names[j] for j in table.features)
        for parent, child in wanted:
            if (parent, child) in unwanted:
                raise ValueError(
                    f"The arc '{names[parent]}' -> '{names[child]}' is both required and forbidden."
                )
        parent_of: dict[int, int] = {}
        for parent, child in wanted:
            if parent_of.setdefault(child, parent) != parent:
                raise ValueError(
                    f"'{names[child]}' has two required parents, '{names[parent_of[child]]}' and "
                    f"'{names[parent]}'; in a tree it can have one."
                )
        return cls(names, tuple(wanted), tuple(unwanted))

    def heaviest_tree(self, weights: NDArray[np.float64], root: int | None) -> list[int | None]:
        """Return the parents of the heaviest directed tree that obeys the constraints."""
        allowed = ~np.eye(len(weights), dtype=bool)
        for parent, child in self.forbidden:
            allowed[parent, child] = False
        # A premium above the weight of any tree: a required arc is left out only if no tree can have them all.
        premium = 1.0 + 2.0 * len(weights) * float(np.abs(weights).max(initial=0.0))
        favoured = weights.copy()
        for parent, child in self.required:
            favoured[parent, child] += premium
        try:
            parents = maximum_arborescence(favoured, allowed, root, names=self.names)
        except ValueError as error:
            raise ValueError(f"{NO_TREE}: {error} Drop one, choose another root, or use FAN.") from error
        for parent, child in self.required:
            if parents[child] != parent:
                raise ValueError(
                    f"{NO_TREE}: '{self.names[parent]}' -> '{self.names[child]}' cannot be kept with the others. "
                    "Drop one, or choose another root."
                )
        return parents


NO_TREE = "No tree over the features obeys the required and forbidden arcs"
