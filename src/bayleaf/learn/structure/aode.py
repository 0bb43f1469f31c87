"""Averaged estimators: networks of several graphs that answer together.

In `AODE` every feature in turn is a parent of all others, a super-parent. `WAODE` gives informative super-parents
more weight, and `A2DE` takes every pair of features. `ATAN` averages the trees of `TAN`, one from every root.
"""

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np

from bayleaf._util.machine import available_memory, format_bytes
from bayleaf._util.params import declared, flag, number
from bayleaf.counts import PairInformation, class_information, count, required_target
from bayleaf.data import Table
from bayleaf.graph import DAG, maximum_spanning_tree
from bayleaf.network.council import Vote

from .structure_learner import MemberGraph, SeveralLearner, augment, checked_class, naive_bayes


class AODE(SeveralLearner):
    """Averaged one-dependence estimators (Webb, Boughton and Wang).

    P(c, x) is proportional to the sum, over the features i whose value x_i was seen in at least ``min_count``
    training rows, of

        P(c, x_i) prod_{j != i} P(x_j | c, x_i).

    Where no value was seen so often, naive Bayes answers.

    Parameters
    ----------
    min_count : float, default=1
        Rows with the value of a super-parent that are needed for its network to count. The paper has 30; later work
        of its authors, and Weka, 1.

    Notes
    -----
    P(c, x_i) is one table, smoothed as one, where tables are estimated in closed form (`Laplace`, as in the paper,
    `MEstimate`, ...); other parameter learners, as `Shrinkage`, have P(c) P(x_i | c).

    Differs from the paper in missing values: they are summed out exactly in every network, that of the feature
    itself included; the paper leaves that network out.

    References
    ----------
    G. I. Webb, J. R. Boughton and Z. Wang. Not so naive Bayes: aggregating one-dependence estimators. Machine
    Learning 58, 2005.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> aode = bl.AveragedClassifier(bl.AODE()).fit(X, y)
    >>> len(aode.estimators_), aode.estimators_[2].network_.children("petal length (cm)")
    (4, ('sepal length (cm)', 'sepal width (cm)', 'petal width (cm)'))
    """

    settings = declared(min_count=number(above=0))

    def __init__(self, min_count: float = 1) -> None:
        self.min_count = min_count

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every feature as the super-parent."""
        checked_class(self, table)
        sets = [(feature,) for feature in range(len(table.features))]
        check_cells(self, table, sets, "KDB(k=1)")
        members = superparent_members(table, sets, [1.0] * len(sets), min_count=self.min_count)
        return members + last_resort(table, members)


class WAODE(SeveralLearner):
    """Weighted average of one-dependence estimators (Jiang and Zhang).

    As `AODE`, with the network of each super-parent weighted by the information of the feature about the class:

        P(c, x) = sum_i I(X_i; C) P(c, x_i) prod_{j != i} P(x_j | c, x_i) / sum_i I(X_i; C).

    Where no feature has any information, all count alike.

    Notes
    -----
    Tables and missing values are as in `AODE`; the paper has `MEstimate`. Every network counts in every row, whether
    the value of its super-parent was seen or not.

    References
    ----------
    L. Jiang and H. Zhang. Weightily averaged one-dependence estimators. PRICAI 2006.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "x"]]
    >>> model = bl.AveragedClassifier(bl.WAODE()).fit(X, ["no", "no", "yes", "yes", "yes"])
    >>> model.weights_.round(2)
    array([0.98, 0.02])
    """

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every feature as the super-parent."""
        checked_class(self, table)
        sets = [(feature,) for feature in range(len(table.features))]
        check_cells(self, table, sets, "KDB(k=1)")
        members = superparent_members(table, sets, or_equal(class_information(table)), min_count=0.0)
        return members + last_resort(table, members)


def or_equal(weights: np.ndarray) -> list[float]:
    """Return the weights, or ones where all are zero."""
    given: list[float] = weights.tolist() if (weights > 0).any() else np.ones(len(weights)).tolist()
    return given


class A2DE(SeveralLearner):
    """Averaged two-dependence estimators (Webb et al.): AnDE with n = 2.

    P(c, x) is proportional to the sum, over the pairs of features i < j whose values were seen together in at least
    ``min_count`` training rows, of

        P(c, x_i, x_j) prod_{k not in {i, j}} P(x_k | c, x_i, x_j).

    Where no pair of values was seen so often, `AODE` answers, and then naive Bayes.

    Parameters
    ----------
    min_count : float, default=1
        Rows with the values of a pair of super-parents that are needed for its network to count.
    weighted : bool, default=False
        Weight each network by I(X_i, X_j; C), as `WAODE` does for single features.

    Notes
    -----
    n features make n (n - 1) / 2 networks, and prediction takes that many times as long. Tables and missing values
    are as in `AODE`; the weights are not in the paper.

    References
    ----------
    G. I. Webb, J. R. Boughton, F. Zheng, K. M. Ting and H. Salem. Learning by extrapolation from marginal to
    full-multivariate probability distributions: decreasingly naive Bayesian classification. Machine Learning 86,
    2012.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [["a", "a", "a"], ["a", "b", "b"], ["b", "a", "b"], ["b", "b", "a"]] * 10
    >>> y = [int(row[0] != row[1]) for row in X]
    >>> model = bl.AveragedClassifier(bl.A2DE()).fit(X, y)
    >>> model.score(X, y), len(model.estimators_)
    (1.0, 3)
    """

    settings = declared(min_count=number(above=0), weighted=flag)

    def __init__(self, min_count: float = 1, weighted: bool = False) -> None:
        self.min_count = min_count
        self.weighted = weighted

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every pair of features as the super-parents."""
        checked_class(self, table)
        features = range(len(table.features))
        pairs = list(combinations(features, 2))
        check_cells(self, table, pairs, "AODE()")
        weights = [1.0] * len(pairs)
        if self.weighted and pairs:
            information = PairInformation.of(table).joint_with_class()
            weights = or_equal(np.array([information[pair] for pair in pairs]))
        members = superparent_members(table, pairs, weights, min_count=self.min_count)
        if may_be_silent(members):
            single, level = [(feature,) for feature in features], int(bool(members))
            members += superparent_members(
                table, single, [1.0] * len(single), min_count=self.min_count, level=level
            )
        return members + last_resort(table, members)


class ATAN(SeveralLearner):
    """Averaged tree-augmented naive Bayes (Jiang, Cai, Wang and Zhang).

    As `TAN`, but every feature is the root once: n networks with the same tree, directed in n ways, whose class
    probabilities are averaged. With tables that are not smoothed all of them would be the same.

    Parameters
    ----------
    weighted : bool, default=False
        Weight each network by the information of its root about the class, I(X; C): WATAN.

    References
    ----------
    L. Jiang, Z. Cai, D. Wang and H. Zhang. Improving tree augmented naive Bayes for class probability estimation.
    Knowledge-Based Systems 26, 2012.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = bl.AveragedClassifier(bl.ATAN()).fit(X, y)
    >>> [member.network_.parents("petal length (cm)")[0] for member in model.estimators_]
    ['sepal length (cm)', 'sepal length (cm)', 'target', 'sepal length (cm)']
    """

    vote: Vote = "average"
    settings = declared(weighted=flag)

    def __init__(self, weighted: bool = False) -> None:
        self.weighted = weighted

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return the tree with every feature as its root."""
        checked_class(self, table)
        pairs = PairInformation.of(table)
        dependence = pairs.given_class()
        features = range(len(dependence))
        if not features:
            return [MemberGraph(naive_bayes(table))]
        weights = or_equal(class_information(table, pairs)) if self.weighted else [1.0 for _ in features]
        return [
            MemberGraph(
                augment(table, [[parent] for parent in maximum_spanning_tree(dependence, root)]), weight
            )
            for root, weight in zip(features, weights, strict=True)
            if weight > 0
        ]


def superparent_graph(table: Table, superparents: Sequence[int]) -> DAG:
    """Return the graph in which the class and some features are parents of all other features.

    The super-parents are numbers of features, ascending; each of them has those before it as parents.
    """
    parents = [
        [other for other in superparents if other < feature] if feature in superparents else superparents
        for feature in range(len(table.features))
    ]
    return augment(table, parents)


def superparent_members(
    table: Table,
    sets: Sequence[tuple[int, ...]],
    weights: Sequence[float],
    *,
    min_count: float,
    level: int = 0,
) -> list[MemberGraph]:
    """Return a member of a level for each set of super-parents that has been seen often enough in some state.

    Sets of weight zero are left out. A member does not count where fewer than ``min_count`` rows have the states of
    its super-parents.
    """
    features = table.features
    columns = [tuple(features[feature] for feature in chosen) for chosen in sets]
    members = []
    counted = count(table, columns)
    for chosen, where, counts, weight in zip(sets, columns, counted, weights, strict=True):
        seen = counts >= min_count
        if weight > 0 and seen.any():
            gate = None if seen.all() else seen
            members.append(MemberGraph(superparent_graph(table, chosen), weight, level, where, gate))
    return members


def may_be_silent(members: Sequence[MemberGraph]) -> bool:
    """Whether there may be rows of which no member knows enough."""
    return all(member.seen is not None for member in members)


def last_resort(table: Table, members: Sequence[MemberGraph]) -> list[MemberGraph]:
    """Return naive Bayes, for rows of which no member knows enough; nothing if there cannot be any."""
    if not may_be_silent(members):
        return []
    level = 1 + max((member.level for member in members), default=-1)
    return [MemberGraph(superparent_graph(table, ()), level=level)]


# Bytes of a cell in the tables, their logarithms, and what they are counted in.
BYTES_PER_CELL = 32


def check_cells(owner: object, table: Table, sets: Sequence[tuple[int, ...]], instead: str) -> None:
    """Refuse graphs whose tables would not fit in memory, before they are counted."""
    arities = [int(table.arities[feature]) for feature in table.features]
    classes = int(table.arities[required_target(table, type(owner).__name__)])
    all_states = sum(arities)
    cells = sum(
        classes
        * prod(arities[feature] for feature in chosen)
        * (all_states - sum(arities[f] for f in chosen))
        for chosen in sets
    )
    needed, free = cells * BYTES_PER_CELL, available_memory()
    if needed > free:
        raise ValueError(
            f"The {len(sets):,} networks of {type(owner).__name__} need about {format_bytes(needed)} for their "
            f"tables ({format_bytes(free)} free): use {instead}, a selector, or a discretiser with fewer intervals."
        )
