"""What a search asks of a class-focused score."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf.graph import DAG
from bayleaf.table import Table

# New parents of some nodes; the other nodes keep theirs.
Change = Mapping[int, Sequence[int]]


class Evaluator(Protocol):
    """A network in the course of a search: it knows its score, and what any change of families would make of it.

    Scores are larger for better networks. Nodes and parents are column numbers of the table.
    """

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every node now."""
        ...

    @property
    def value(self) -> float:
        """The score now."""
        ...

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        ...

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        ...

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        ...

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        ...

    def commit(self, change: Change) -> None:
        """Make a change."""
        ...


class ClassFocusedScore(Protocol):
    """A score of the classifier that a graph makes of a table."""

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        ...
