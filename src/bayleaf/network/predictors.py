"""Predictors of a structure learner's own: what they must have, and which of them a model file can hold.

A method that is not a graph times tables has a structure learner with ``predictor(table, network, parameters)``. What
that returns predicts instead of the network. To predict, to score single rows and to explain, it needs

- ``nodes``, ``dag`` and ``log_joint`` (see `Predictor`), missing values summed out;
- ``log_joint_of_row(codes, complete=...)``, the same for one row of codes.

The rest is optional. What a predictor lacks is refused; the network never answers for it:

- `save` needs ``to_dict()`` and the class method ``from_dict(data, network)``, and a class that is registered by
  `register_predictor`;
- `report` needs ``caution``: a sentence that says when the network shown is not what predicts;
- messages use ``how``: what the model does, as in "this model chooses the parents of features row by row".

Only one network for all rows answers `sufficient_reason`, `importance`, `typicality`, `value_of_information` and
`log_evidence`, and only such a network becomes SQL or ONNX, or a file without small counts.
"""

from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.data.table import Codes
from bayleaf.graph import DAG

from .bayesnet import BayesNet


class Predictor(Protocol):
    """What decisions and explanations ask of a model: a `BayesNet`, or the predictor of a structure learner."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names, the class last."""

    @property
    def dag(self) -> DAG:
        """The graph."""

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log P(query, observed values) for rows of a table, or of codes, which are checked first."""


class SavedPredictor(Predictor, Protocol):
    """A predictor that a model file can hold."""

    def to_dict(self) -> dict[str, Any]:
        """Return what it adds to its network as plain data."""

    @classmethod
    def from_dict(cls, data: dict[str, Any], network: BayesNet) -> Self:
        """Rebuild it; raise ValueError, KeyError or TypeError where the data are not its own."""


_registered: dict[str, type[SavedPredictor]] = {}
Kind = TypeVar("Kind", bound=type)


def register_predictor(kind: Kind) -> Kind:
    """Let model files hold the predictors of a class, which are found by the name of the class; a decorator.

    Examples
    --------
    >>> from bayleaf.network import InstanceNetwork
    >>> register_predictor(InstanceNetwork).__name__  # it is registered already
    'InstanceNetwork'
    """
    for method in ("to_dict", "from_dict"):
        if not callable(getattr(kind, method, None)):
            raise TypeError(f"{kind.__name__} cannot be registered: it has no method '{method}'.")
    _registered[kind.__name__] = kind
    return kind


def registered_predictor(name: object) -> type[SavedPredictor] | None:
    """Return the class of a predictor by its name; None where none is registered."""
    return _registered.get(name) if isinstance(name, str) else None


def predictor_to_dict(predictor: Any) -> dict[str, Any]:
    """Return a predictor as plain data; refuse one whose class is not registered."""
    kind = type(predictor)
    if registered_predictor(kind.__name__) is not kind:
        raise TypeError(
            f"A model file cannot hold this model, which predicts by {kind.__name__}, not by its network: register "
            "that class with bayleaf.network.register_predictor, or pickle the model."
        )
    return {"kind": kind.__name__, **predictor.to_dict()}


def caution_about(model: Any) -> str | None:
    """Return what to know of the network of a fitted model where it is not what predicts; None where it is."""
    if model._predictor is model.network_:
        return None
    how = how_it_predicts(model._predictor)
    caution: str | None = getattr(
        model._predictor, "caution", f"This model {how}: the network shown is another."
    )
    return caution


def how_it_predicts(predictor: object) -> str:
    """Say what a predictor does, after "this model"."""
    found: str = getattr(predictor, "how", f"predicts by {type(predictor).__name__}, not by its network")
    return found
