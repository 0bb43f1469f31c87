"""Learners of several graphs, whose networks answer together: the contract, and graphs with super-parents."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.machine import available_memory, format_bytes
from bayleaf._util.params import WithSettings
from bayleaf.counts import count, required_target
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network.council import Vote

from .structure_learner import augment


@dataclass(frozen=True)
class MemberGraph:
    """One graph of several, and when and how much its network counts.

    Attributes
    ----------
    dag : DAG
        Over the names of the table.
    weight : float
        Above zero.
    level : int
        Members of level 1 answer where all of level 0 call a row impossible, and so on.
    superparents : tuple of int
        Columns of which only some states are possible to this member.
    seen : array of bool or None
        Which states these are, one axis per super-parent; None for all.
    """

    dag: DAG
    weight: float = 1.0
    level: int = 0
    superparents: tuple[int, ...] = ()
    seen: NDArray[np.bool_] | None = None


class SeveralLearner(WithSettings, ABC):
    """A learner of several graphs. ``vote`` says how their networks answer together.

    "joint": their joint probabilities are averaged; "average": their class probabilities are.
    """

    vote: Vote = "joint"
    draws = False  # whether random numbers decide on the graphs

    @abstractmethod
    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return the graphs for a table that has a class; one at least."""


def superparent_graph(table: Table, superparents: Sequence[int]) -> DAG:
    """Return the graph in which the class and some features are parents of all other features.

    Parameters
    ----------
    table : Table
    superparents : sequence of int
        Numbers of features, ascending; each of them has those before it as parents.
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
    """Return a member for each set of super-parents that has been seen often enough in some state.

    Parameters
    ----------
    table : Table
    sets : sequence of tuples of int
        Numbers of features, ascending.
    weights : sequence of float
        Sets of weight zero are left out.
    min_count : float
        Rows that a combination of states of the super-parents needs; in others the member does not speak.
    level : int
        Of all these members.
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
