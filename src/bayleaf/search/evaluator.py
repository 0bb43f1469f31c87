"""What a class-focused search asks of a network: its score, and what any change would make of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

# New parents of some nodes; the other nodes keep theirs.
Change = Mapping[int, Sequence[int]]


class Evaluator(ABC):
    """A network in the course of a search: it knows its score, and what any change of families would make of it.

    Scores are larger for better networks. Nodes and parents are column numbers of the table. ``fixed`` says whether
    the same rows count at every step, so that scores before and after a step can be compared.
    """

    fixed = True
    _parents: list[tuple[int, ...]]

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every node now."""
        return tuple(self._parents)

    @property
    @abstractmethod
    def value(self) -> float:
        """The score now."""

    @abstractmethod
    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""

    @abstractmethod
    def commit(self, change: Change) -> None:
        """Make a change."""

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        scores = self.change_scores(changes)
        if len(scores) == 0 or scores.max() <= above:
            return None
        return int(scores.argmax()), float(scores.max())

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        return self.change_scores([{node: parents} for parents in parent_sets])

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        return self.best_change([{node: parents} for parents in parent_sets], above)

    def parents_after(self, change: Change) -> list[Sequence[int]]:
        """Return the parents of every node after a change."""
        return [change.get(node, known) for node, known in enumerate(self._parents)]
