"""Averaged tree-augmented naive Bayes: the best tree, directed away from every feature in turn."""

import numpy as np

from bayleaf._util.params import check_param
from bayleaf.counts import PairInformation, class_information
from bayleaf.data import Table
from bayleaf.graph import maximum_spanning_tree
from bayleaf.network.council import Vote

from .several import MemberGraph, SeveralLearner
from .structure_learner import augment, naive_bayes, require_target
from .waode import or_equal


class ATAN(SeveralLearner):
    """Averaged tree-augmented naive Bayes (Jiang, Cai, Wang and Zhang).

    As `TAN`, but every feature is the root once: n networks with the same tree, directed in n ways, whose class
    probabilities are averaged. With tables that are not smoothed all of them would be the same.

    Parameters
    ----------
    weighted : bool, default=False
        Weigh each network by what its root tells about the class, I(X; C): WATAN.

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

    def __init__(self, weighted: bool = False) -> None:
        self.weighted = weighted

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "weighted", self.weighted, bool)

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return the tree with every feature as its root."""
        self.check_params()
        require_target(table)
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
