"""Ensemble of selective k-dependence Bayesian classifiers, each with a random order of the features."""

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf._util.progress import track
from bayleaf.data import Table
from bayleaf.network.council import Vote

from .kdb import measured
from .several import MemberGraph, SeveralLearner
from .skdb import selective_search
from .structure_learner import require_target


class ESKDB(SeveralLearner):
    """Ensemble of selective k-dependence Bayesian classifiers (Zhang, Petitjean and Buntine).

    Each network is that of `SKDB` for an order of the features that is drawn: the next feature is X_i with a
    probability proportional to I(X_i; C), of those that are left. The networks' class probabilities are averaged.

    Parameters
    ----------
    n_members : int, default=20
        How many networks.
    k : int, default=5
        The most feature parents that are tried.
    smoothing : float, default=1.0
        Imaginary rows per configuration of the parents while rows are left out.

    Notes
    -----
    Differs from the paper in the tables: there they are smoothed by hierarchical Dirichlet processes, whose
    parameters are sampled. `Shrinkage`, which backs off in the same way and finds its strengths from counts, takes
    their place in ``bl.classifier("ESKDB")``.

    References
    ----------
    H. Zhang, F. Petitjean and W. Buntine. Bayesian network classifiers using ensembles and smoothing. Knowledge and
    Information Systems 62, 2020.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = bl.classifier("ESKDB", n_members=5, random_state=0).fit(X, y)
    >>> len(model.estimators_), round(model.score(X, y), 2)
    (5, 0.95)
    """

    vote: Vote = "average"
    draws = True

    def __init__(self, n_members: int = 20, k: int = 5, smoothing: float = 1.0) -> None:
        self.n_members = n_members
        self.k = k
        self.smoothing = smoothing

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "n_members", self.n_members, int, low=1)
        check_param(self, "k", self.k, int, low=0)
        check_param(self, "smoothing", self.smoothing, float, low=0, low_open=True)

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every order drawn."""
        self.check_params()
        require_target(table)
        relevance, dependence = measured(table, 0.0)
        members = []
        for _ in track(range(self.n_members), "Learning networks"):
            order = drawn_order(relevance, rng)
            found = selective_search(table, order, dependence, self.k, self.smoothing)
            members.append(MemberGraph(found.dag))
        return members


def drawn_order(relevance: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    """Draw features one after the other, in proportion to their information; those without any come last.

    Examples
    --------
    >>> drawn_order(np.array([0.0, 0.4, 0.2]), np.random.default_rng(0))
    [2, 1, 0]
    """
    # The smallest of exponential waiting times is the next with a probability in proportion to its rate.
    waiting = rng.exponential(size=len(relevance))
    informative = relevance > 0
    waiting[informative] /= relevance[informative]
    order: list[int] = np.lexsort((waiting, ~informative)).tolist()
    return order
