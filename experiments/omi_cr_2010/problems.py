"""The synthetic problems of Pernkopf & Bilmes (2010), sections 3, 6.3 and 6.4."""

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


def random_tree(features: int, rng: np.random.Generator) -> list[int | None]:
    order = rng.permutation(features)
    parents: list[int | None] = [None] * features
    for k in range(1, features):
        parents[order[k]] = int(order[rng.integers(k)])
    return parents


def random_tables(parents: list[int | None], states: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Tables of uniform random numbers, normalised."""
    shapes = [(states,) if parent is None else (states, states) for parent in parents]
    tables = [rng.random(shape) for shape in shapes]
    return [table / table.sum(axis=-1, keepdims=True) for table in tables]


def tree_rows(
    parents: list[int | None], tables: list[np.ndarray], rows: int, rng: np.random.Generator
) -> np.ndarray:
    codes = np.full((rows, len(parents)), -1)
    left = list(range(len(parents)))
    while left:
        for j in list(left):
            parent = parents[j]
            if parent is None or parent not in left:
                chances = np.tile(tables[j], (rows, 1)) if parent is None else tables[j][codes[:, parent]]
                codes[:, j] = (
                    (rng.random(rows)[:, None] > chances.cumsum(axis=1))
                    .sum(axis=1)
                    .clip(max=chances.shape[1] - 1)
                )
                left.remove(j)
    return codes


def section_6_4(
    features: int, rng: np.random.Generator, classes: int = 5, states: int = 10
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows: each class has its own random tree; half of every other class follows class 1's."""
    trees = [random_tree(features, rng) for _ in range(classes)]
    tables = [random_tables(tree, states, rng) for tree in trees]
    confusing = [random_tables(trees[0], states, rng) for _ in range(classes)]

    def draw() -> tuple[np.ndarray, np.ndarray]:
        parts = [tree_rows(trees[0], tables[0], 25_000, rng)]
        labels = [np.zeros(25_000, dtype=int)]
        for c in range(1, classes):
            parts += [tree_rows(trees[0], confusing[c], 6250, rng), tree_rows(trees[c], tables[c], 6250, rng)]
            labels.append(np.full(12_500, c))
        return np.concatenate(parts), np.concatenate(labels)

    return [draw(), draw()]
