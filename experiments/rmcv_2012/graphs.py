"""All 29,281 graphs over five variables, as rows of family numbers; what they share is computed once.

A family is a node with its parents: there are 80 of them, and a graph is a choice of five. Decomposable scores of a
graph are sums over its families. The class posterior depends only on the families that contain the class, and only
3,567 choices of these occur.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from all_dags import all_dags

NODES = 5
CLASS = NODES - 1
NEUTRAL = -1  # a family without the class: it cancels in the posterior


@dataclass(frozen=True)
class Graphs:
    """Every directed acyclic graph over five variables, the last of which is the class."""

    families: tuple[tuple[int, tuple[int, ...]], ...]
    choices: np.ndarray  # [graph, node] -> family number

    @classmethod
    def all(cls) -> "Graphs":
        """List them."""
        numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        rows = [
            [numbers.setdefault((node, parents), len(numbers)) for node, parents in enumerate(graph)]
            for graph in all_dags(NODES)
        ]
        return cls(tuple(numbers), np.array(rows))

    def __len__(self) -> int:
        return len(self.choices)

    @cached_property
    def class_choices(self) -> np.ndarray:
        """Like ``choices``, with NEUTRAL for families without the class."""
        neutral = np.array([CLASS not in (node, *parents) for node, parents in self.families])
        return np.where(neutral[self.choices], NEUTRAL, self.choices)

    @cached_property
    def _posteriors(self) -> tuple[np.ndarray, np.ndarray]:
        return np.unique(self.class_choices, axis=0, return_inverse=True)

    @property
    def posteriors(self) -> np.ndarray:
        """The distinct choices of class families."""
        return self._posteriors[0]

    def by_graph(self, values: np.ndarray) -> np.ndarray:
        """Spread values of the distinct posteriors over the graphs that have them."""
        return values[self._posteriors[1].ravel()]

    def number_of(self, parents: list[tuple[int, ...]]) -> int:
        """Return the number of the graph with these parents."""
        wanted = [self.families.index((node, family)) for node, family in enumerate(parents)]
        return int(np.flatnonzero((self.choices == wanted).all(axis=1))[0])
