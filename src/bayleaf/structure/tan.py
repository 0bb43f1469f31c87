"""Tree-augmented naive Bayes: the best tree over the features, given the class."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf.counts import ChanceInformation, PairInformation, class_information
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
    bias_corrected : bool, default=False
        Whether pairs are weighed by I(X_i; X_j | C) less what chance alone gives to it, and the root is chosen by
        I(X; C) less the same: see `bayleaf.counts.ChanceInformation`. As published, a column of many states seems to
        depend on every other, and a column of noise becomes the centre of the tree. By default `BayesNetClassifier()`
        has it, ``TAN()`` is as published.

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
        bias_corrected: bool = False,
    ) -> None:
        self.root = root
        self.required = required
        self.forbidden = forbidden
        self.bias_corrected = bias_corrected

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "bias_corrected", self.bias_corrected, bool)

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
        information, relevance = pairs.given_class(), class_information(table, pairs)
        weights = information
        if self.bias_corrected:
            weights, relevance = less_chance(information, relevance, ChanceInformation.of(table, pairs))
        if len(weights) == 0:
            parents: list[int | None] = []
        elif constraints is not None:
            parents = constraints.heaviest_tree(weights, root)
        else:
            parents = maximum_spanning_tree(weights, int(relevance.argmax()) if root is None else root)
        return augment_by_tree(table, parents, information, "sum of I(X;Y|C) in nats")


def less_chance(
    information: NDArray[np.float64], relevance: NDArray[np.float64], chance: ChanceInformation
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Take what chance gives from the information of pairs, and from that about the class.

    What is left may be negative. A constant column, to which chance gives nothing either, comes after all others:
    with or without it the tree over these is the same.

    Examples
    --------
    >>> chance = ChanceInformation(np.array([0.1, 0.0]), np.zeros((2, 2)))
    >>> less_chance(np.zeros((2, 2)), np.zeros(2), chance)[1]
    array([-0.1, -inf])
    """
    weights = information - chance.given_class
    of_constants = ~chance.given_class.any(axis=1)
    weights[of_constants] = weights[:, of_constants] = weights.min(initial=0.0) - 1e-9
    return weights, np.where(chance.with_class > 0, relevance - chance.with_class, -np.inf)


def default_structure() -> TAN:
    """Return what finds the graph of a classifier that names no structure learner.

    Examples
    --------
    >>> default_structure()
    TAN(bias_corrected=True)
    """
    return TAN(bias_corrected=True)


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
