"""A network from what a file says of it: states, parents and numbers of every node, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

from .bif import LAST_BITS, ROUNDING
from .whole_files import FilePath


@dataclass(frozen=True)
class FamilyPart:
    """Parents of a node as a file lists them, and its numbers: the node varies fastest, the first parent slowest."""

    parents: Sequence[str]
    numbers: Sequence[float] | NDArray[np.float64]


def network_of(
    path: FilePath, states: Mapping[str, Sequence[str]], families: Mapping[str, FamilyPart]
) -> BayesNet:
    """Put a network together, or say what is wrong in the file.

    Examples
    --------
    >>> network_of("coin.dsc", {"coin": ["heads", "tails"]}, {"coin": FamilyPart([], [0.25, 0.75])}).tables
    (array([0.25, 0.75]),)
    """
    if not states:
        raise ValueError(f"'{path}' declares no variables.")
    for name in families:
        _check_family(path, name, families[name].parents, states)
    lacking = [name for name in states if name not in families]
    if lacking:
        raise ValueError(f"'{path}': the variable '{lacking[0]}' has no probabilities.")
    arcs = [(parent, name) for name, family in families.items() for parent in family.parents]
    try:
        variables = [Variable(name, tuple(labels)) for name, labels in states.items()]
        dag = DAG(list(states), arcs)
    except ValueError as error:
        raise ValueError(f"'{path}' does not describe a Bayesian network: {error}") from None
    return BayesNet(variables, dag, [_table(path, name, families[name], states, dag) for name in states])


def _check_family(
    path: FilePath, name: str, parents: Sequence[str], states: Mapping[str, Sequence[str]]
) -> None:
    for member in (name, *parents):
        if member not in states:
            raise ValueError(f"'{path}': the variable '{member}' is not declared.")
    if len({name, *parents}) <= len(parents):
        raise ValueError(f"'{path}': the family of '{name}' names a variable twice.")


def _table(
    path: FilePath, name: str, family: FamilyPart, states: Mapping[str, Sequence[str]], dag: DAG
) -> NDArray[np.float64]:
    shape = [len(states[member]) for member in (*family.parents, name)]
    numbers = np.asarray(family.numbers, dtype=np.float64)
    if numbers.size != prod(shape):
        raise ValueError(f"'{path}': '{name}' needs {prod(shape)} probabilities; there are {numbers.size}.")
    table = numbers.reshape(shape)
    if not (np.isfinite(table).all() and table.min() >= 0):
        raise ValueError(f"'{path}': '{name}' has numbers that are not probabilities.")
    sums = table.sum(axis=-1, keepdims=True)
    if abs(sums - 1.0).max() > ROUNDING:
        worst = sums.ravel()[abs(sums - 1.0).argmax()]
        raise ValueError(f"'{path}': the probabilities of '{name}' sum to {worst:.6g}, not to one.")
    # What was written to the last bit stays as it is.
    table = np.where(abs(sums - 1.0) > LAST_BITS, table / sums, table)
    order = np.argsort([dag.index(parent) for parent in family.parents], kind="stable")
    return np.ascontiguousarray(table.transpose(*order, len(family.parents)))
