"""What a classifier asks of its learners: objects with one method each, bayleaf's own or anyone's."""

from typing import Any, Protocol, runtime_checkable

import numpy as np

from ._util.params import check_param
from .data import Table
from .graph import DAG
from .graph.checks import Arc, listed_arcs
from .network import BayesNet, InstanceNetwork
from .parameters import Tables
from .search import Search

LEARNER_METHODS = {
    "structure": "learn",
    "parameters": "fit",
    "discretizer": "cut_points",
    "selector": "select",
}
EXAMPLES = {
    "structure": "bayleaf.TAN()",
    "parameters": "bayleaf.Laplace()",
    "discretizer": "bayleaf.MDLP()",
    "selector": "bayleaf.MMPC()",
}


class StructureLearner(Protocol):
    """What the classifier asks of a structure learner."""

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return a graph over the table's variables."""
        ...


@runtime_checkable
class SearchingLearner(Protocol):
    """A structure learner that can say how it came to its graph; ``learn`` is ``search(...).dag``."""

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return a graph over the table's variables, and the steps that led to it."""
        ...


@runtime_checkable
class PredictingLearner(Protocol):
    """A structure learner for which the network alone does not say how to predict."""

    def predictor(self, table: Table, network: BayesNet, parameters: object) -> InstanceNetwork | None:
        """Return what predicts in place of the network, or None if the network does."""
        ...


class ParameterLearner(Protocol):
    """What the classifier asks of a parameter learner."""

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Return one table per node."""
        ...


def check_classifier(owner: Any) -> None:
    """Check the parameters of a classifier that need no data, those of its learners left aside."""
    check_param(owner, "missing", owner.missing, str, options=("available", "drop", "impute"))
    check_param(owner, "unknown", owner.unknown, str, options=("missing", "error"))
    check_param(owner, "n_jobs", owner.n_jobs, int, allow_none=True)
    check_learners(owner)


def check_learners(owner: Any) -> None:
    """Each learner is an object with the method that is asked of it, not a name or a class."""
    for name, method in LEARNER_METHODS.items():
        learner = getattr(owner, name)
        if learner is not None and (isinstance(learner, type) or not hasattr(learner, method)):
            foreign = name == "selector" and hasattr(learner, "get_support") and not isinstance(learner, type)
            pipeline = (
                " Selectors of scikit-learn go before the classifier, in a Pipeline." if foreign else ""
            )
            raise TypeError(
                f"The '{name}' parameter of {type(owner).__name__} must be an object with a method '{method}', "
                f"such as {EXAMPLES[name]}. Got {learner!r} instead.{pipeline}"
            )


def keep_selected(selector: Any, structure: Any, table: Table, rng: np.random.Generator) -> Table:
    """Return the table with the features that a selector keeps; refuse arcs that name one of the others.

    Examples
    --------
    >>> from bayleaf import BayesFactorSelector, HillClimbing
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "noise", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 20, target=2)
    >>> selector, rng = BayesFactorSelector(ess=1.0, delta=3.0), np.random.default_rng(0)
    >>> keep_selected(selector, HillClimbing(), table, rng).names
    ('a', 'class')
    """
    kept = table.select([*selector.select(table, rng), table.n_variables - 1])
    removed = set(table.names) - set(kept.names)
    for what in ("required", "forbidden"):
        for arc in _arcs(structure, what):
            for name in removed.intersection(arc):
                raise ValueError(
                    f"The {what} arc '{arc[0]}' -> '{arc[1]}' names '{name}', which {selector!r} has left out: drop "
                    "the arc, or learn without this selector."
                )
    return kept


def _arcs(structure: Any, what: str) -> list[Arc]:
    """Return the required or forbidden arcs of a structure learner, if that is what it has."""
    try:
        return listed_arcs(getattr(structure, what, ()), "The arcs")
    except (TypeError, ValueError):  # None, or something to which the learner itself will say a word
        return []


def search_graph(learner: StructureLearner, table: Table, rng: np.random.Generator) -> Search:
    """Learn a graph, with the trace of the search where the learner keeps one.

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
    if isinstance(learner, SearchingLearner) and _search_is_as_new(type(learner)):
        return learner.search(table, rng)
    return Search(learner.learn(table, rng))


def _search_is_as_new(kind: type) -> bool:
    """Whether no class below the one with ``search`` has a ``learn`` of its own, which then is what counts."""
    for each in kind.__mro__:
        if "search" in vars(each):
            return True
        if "learn" in vars(each):
            return False
    return True
