"""What finds a graph: anything with ``learn(table, rng)``, and the base of bayleaf's own learners."""

from typing import Protocol, runtime_checkable

import numpy as np
from sklearn.base import BaseEstimator

from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.search import Search


class StructureLearner(Protocol):
    """What a classifier asks of a structure learner, bayleaf's own or anyone's."""

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return a graph over the table's variables."""
        ...


@runtime_checkable
class PredictingLearner(Protocol):
    """A structure learner for which the network alone does not say how to predict."""

    def predictor(self, table: Table, network: BayesNet, parameters: object) -> InstanceNetwork | None:
        """Return what predicts in place of the network, or None if the network does."""
        ...


class SearchingLearner(BaseEstimator):  # type: ignore[misc]
    """A structure learner that says how it came to its graph: ``search`` finds it, ``learn`` is the graph alone."""

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return a graph over the table's variables, and the steps that led to it, where there are any."""
        raise NotImplementedError(f"{type(self).__name__} needs a method 'search'.")

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the graph for a table."""
        return self.search(table, rng).dag


def search_graph(learner: StructureLearner, table: Table, rng: np.random.Generator) -> Search:
    """Learn a graph, with the trace of the search where the learner keeps one.

    A learner derived from one of bayleaf's may have a ``learn`` of its own, which then is what counts.

    Examples
    --------
    >>> from bayleaf.structure import NaiveBayes, TAN
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], target=2)
    >>> found = search_graph(TAN(), table, np.random.default_rng(0))
    >>> [str(step) for step in found.trace.steps]
    ['add a -> b']
    >>> search_graph(NaiveBayes(), table, np.random.default_rng(0)).trace is None
    True
    """
    own_learn = isinstance(learner, SearchingLearner) and type(learner).learn is not SearchingLearner.learn
    if own_learn or not hasattr(learner, "search"):
        return Search(learner.learn(table, rng))
    found: Search = learner.search(table, rng)
    return found
