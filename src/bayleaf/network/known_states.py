"""What is known of a network's nodes: states, and weights of states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf._util.words import listing
from bayleaf.data import Variable
from bayleaf.data.raw_columns import is_missing
from bayleaf.graph import DAG

UNKNOWN = -1
# What users say is known: states by the names of nodes, or weights of the states.
KnownStates = Mapping[str, object] | None
StateWeights = Mapping[str, Any] | None


class ImpossibleEvidenceError(ValueError):
    """The evidence has probability zero."""


@dataclass(frozen=True)
class Evidence:
    """States of some nodes by number, and likelihoods of the states of others.

    Parameters
    ----------
    codes : ndarray of int64
        The state of each node, or ``UNKNOWN``.
    likelihoods : mapping from node to ndarray
        Soft evidence: a weight per state.
    shown : tuple of str
        Each piece of evidence in words, for messages.
    """

    codes: NDArray[np.int64]
    likelihoods: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    shown: tuple[str, ...] = ()

    def with_state(self, node: int, code: int) -> "Evidence":
        """Return the evidence with one more node known."""
        codes = self.codes.copy()
        codes[node] = code
        return Evidence(codes, self.likelihoods, self.shown)

    def softened(self, nodes: Sequence[int], arities: NDArray[np.int64]) -> "Evidence":
        """Return the same evidence with the states of some nodes as likelihoods, which leave them as variables."""
        codes, likelihoods = self.codes.copy(), dict(self.likelihoods)
        for node in nodes:
            if codes[node] != UNKNOWN:
                weights = np.zeros(arities[node])
                weights[codes[node]] = likelihoods.get(node, np.ones(arities[node]))[codes[node]]
                likelihoods[node], codes[node] = weights, UNKNOWN
        return Evidence(codes, likelihoods, self.shown)

    @property
    def nodes(self) -> list[int]:
        """The nodes of which something is known."""
        return sorted({*np.flatnonzero(self.codes != UNKNOWN).tolist(), *self.likelihoods})

    def impossible(self) -> "ImpossibleEvidenceError":
        """Return the error for evidence that cannot be."""
        return ImpossibleEvidenceError(
            f"The evidence has probability zero under this network: {listing(self.shown, most=12)}."
        )


def read_evidence(
    caller: str,
    variables: Sequence[Variable],
    dag: DAG,
    evidence: KnownStates,
    soft: StateWeights = None,
    asked: Sequence[str] = (),
) -> Evidence:
    """Check evidence that a user gives, and turn names and states into numbers.

    Parameters
    ----------
    caller : str
        What the user called; only for messages.
    variables, dag
        Those of the network.
    evidence : mapping from names to states, optional
        A numeric variable also takes a number. What is missing (None, NaN, pandas.NA) is unknown.
    soft : mapping from names to weights of states, optional
        Per node a mapping from every state to its weight, or the weights in the order of the states.
    asked : sequence of str
        Nodes that are asked for, which cannot be known.
    """
    check_param(caller, "evidence", evidence, Mapping, allow_none=True)
    check_param(caller, "soft", soft, Mapping, allow_none=True)
    codes = np.full(len(variables), UNKNOWN, dtype=np.int64)
    shown = []
    for name, state in (evidence or {}).items():
        node = dag.index(name)
        if is_missing(state):
            continue
        if name in asked:
            raise ValueError(f"'{name}' is both the query and evidence: remove it from one of the two.")
        codes[node] = variables[node].code(state)
        shown.append(f"{name} = {state!r}")
    likelihoods = {}
    for name, weights in (soft or {}).items():
        node = dag.index(name)
        likelihoods[node] = _weights(variables[node], weights)
        shown.append(f"{name} with weights {likelihoods[node].tolist()}")
    return Evidence(codes, likelihoods, tuple(shown))


def _weights(variable: Variable, given: Any) -> NDArray[np.float64]:
    """Return one weight per state, checked."""
    of = f"The soft evidence on '{variable.name}'"
    if isinstance(given, Mapping):
        by_code = {variable.code(state): weight for state, weight in given.items()}
        absent = [state for code, state in enumerate(variable.states) if code not in by_code]
        if absent:
            raise ValueError(f"{of} has no weight for {listing(map(repr, absent))}: give one to every state.")
        given = [by_code[code] for code in range(variable.arity)]
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (variable.arity,):
        raise ValueError(
            f"{of} must be {variable.arity} weights, one per state, or a mapping from states to weights. "
            f"Got {given!r} instead."
        )
    if not (weights.min() >= 0 and 0 < weights.max() < np.inf):
        raise ValueError(
            f"{of} must be weights from 0 on, not all of them 0. Got {weights.tolist()} instead."
        )
    return weights
