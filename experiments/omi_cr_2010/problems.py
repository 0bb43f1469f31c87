"""The synthetic problems of Pernkopf & Bilmes (2010), sections 3, 6.3 and 6.4."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


def section_3(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Three binary features; only the dependence X1 - X3 tells the two classes apart."""
    c = rng.integers(0, 2, rows)
    x1 = rng.integers(0, 2, rows)
    x2 = np.where(rng.random(rows) < 0.5, x1, rng.integers(0, 2, rows))
    u = rng.random(rows)
    x3 = np.where(u < 0.3, np.where(c == 0, x1, 1 - x1), np.where(u < 0.8, x2, rng.integers(0, 2, rows)))
    return np.column_stack([x1, x2, x3]), c


def section_6_3(variables: int, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw from a random joint distribution over binary variables; the last one is the class."""
    cells = rng.choice(2**variables, size=rows, p=rng.dirichlet(np.ones(2**variables)))
    bits = (cells[:, None] >> np.arange(variables)) & 1
    return bits[:, :-1], bits[:, -1]


@dataclass(frozen=True)
class Tree:
    """A distribution over features of which each has one parent at most."""

    parents: list[int | None]
    order: list[int]  # parents before children
    tables: list[np.ndarray]

    @classmethod
    def random(cls, features: int, states: int, rng: np.random.Generator) -> "Tree":
        """Attach each feature, in random order, to one of those before it."""
        order = [int(j) for j in rng.permutation(features)]
        parents: list[int | None] = [None] * features
        for k in range(1, features):
            parents[order[k]] = order[int(rng.integers(k))]
        return cls(parents, order, []).with_random_tables(states, rng)

    def with_random_tables(self, states: int, rng: np.random.Generator) -> "Tree":
        """Return the same structure with tables of uniform random numbers, normalised."""
        shapes = [(states,) if parent is None else (states, states) for parent in self.parents]
        tables = [rng.random(shape) for shape in shapes]
        return Tree(self.parents, self.order, [each / each.sum(axis=-1, keepdims=True) for each in tables])

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows."""
        codes = np.zeros((rows, len(self.parents)), dtype=np.int64)
        for j in self.order:
            heights = self._probabilities(j, codes).cumsum(axis=-1)
            codes[:, j] = (rng.random((rows, 1)) > heights).sum(axis=1).clip(max=heights.shape[-1] - 1)
        return codes

    def log_likelihood(self, codes: np.ndarray) -> np.ndarray:
        """Log-probability of each row."""
        every = np.arange(len(codes))
        chances = [
            np.broadcast_to(self._probabilities(j, codes), (len(codes), self.tables[j].shape[-1]))
            for j in self.order
        ]
        return sum(np.log(each[every, codes[:, j]]) for j, each in zip(self.order, chances, strict=True))

    def _probabilities(self, j: int, codes: np.ndarray) -> np.ndarray:
        parent = self.parents[j]
        return self.tables[j][None] if parent is None else self.tables[j][codes[:, parent]]


@dataclass(frozen=True)
class ConfusedTrees:
    """Section 6.4: each class has its own random tree; half of every class but the first follows the first's.

    "From the same structure for confusion" can mean the first class's distribution, so that nothing tells these rows
    from the first class, or its structure with other tables. What the paper reports holds for the former.
    """

    own: list[Tree]
    confusing: list[Tree]  # what the other half of each class but the first follows

    ROWS: ClassVar[int] = 25_000  # of the first class; the others have half of it each

    @classmethod
    def random(
        cls,
        features: int,
        rng: np.random.Generator,
        *,
        same_tables: bool = True,
        classes: int = 5,
        states: int = 10,
    ) -> "ConfusedTrees":
        """Draw structures and tables."""
        own = [Tree.random(features, states, rng) for _ in range(classes)]
        first = own[0]
        others = range(1, classes)
        return cls(own, [first if same_tables else first.with_random_tables(states, rng) for _ in others])

    def sample(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows and classes."""
        parts, labels = [self.own[0].sample(self.ROWS, rng)], [0] * self.ROWS
        for c, (own, confusing) in enumerate(zip(self.own[1:], self.confusing, strict=True), start=1):
            parts += [confusing.sample(self.ROWS // 4, rng), own.sample(self.ROWS // 4, rng)]
            labels += [c] * (self.ROWS // 2)
        return np.concatenate(parts), np.array(labels)

    def best_class(self, codes: np.ndarray) -> np.ndarray:
        """Return the most probable class of each row under the distribution that the rows came from."""
        first = np.log(2) + self.own[0].log_likelihood(codes)
        others = [
            np.logaddexp(own.log_likelihood(codes), confusing.log_likelihood(codes)) - np.log(2)
            for own, confusing in zip(self.own[1:], self.confusing, strict=True)
        ]
        return np.argmax([first, *others], axis=0)
