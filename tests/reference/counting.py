"""Counting by dictionary, and information measures straight from their definitions."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from math import log

import numpy as np
from hypothesis import strategies as st

from bayleaf.data import Table, Variable

MISSING = -1


def make_variables(arities: Sequence[int]) -> tuple[Variable, ...]:
    """Variables v0, v1, ... with states 0, 1, ..."""
    return tuple(Variable(f"v{j}", tuple(range(arity)), None, "integer") for j, arity in enumerate(arities))


def make_table(
    codes, arities: Sequence[int], weights=None, target: int | None = None, n_jobs: int | None = None
) -> Table:
    """A table of codes in which -1 is missing."""
    return Table.from_codes(make_variables(arities), codes, weights, target, n_jobs)


def random_codes(
    rng: np.random.Generator, rows: int, arities: Sequence[int], missing: float = 0.0
) -> np.ndarray:
    """Codes for every column, a share of them missing (-1)."""
    codes = np.column_stack([rng.integers(0, arity, rows) for arity in arities])
    codes[rng.random(codes.shape) < missing] = MISSING
    return codes


@st.composite
def small_tables(draw, max_columns: int = 4, max_rows: int = 12) -> tuple[np.ndarray, list[int]]:
    """Draw codes (with -1 for missing) and the arities of their columns."""
    arities = draw(st.lists(st.integers(1, 4), min_size=2, max_size=max_columns))
    row = st.tuples(*(st.integers(MISSING, arity - 1) for arity in arities))
    rows = draw(st.lists(row, max_size=max_rows))
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(arities)), arities


def slow_count(codes: np.ndarray, arities: Sequence[int], columns: Sequence[int], weights=None) -> np.ndarray:
    """Contingency table of a set of columns; rows with a missing value in the set are left out."""
    cells: dict[tuple[int, ...], float] = defaultdict(float)
    for number, row in enumerate(codes.tolist()):
        values = tuple(row[column] for column in columns)
        if MISSING not in values:
            cells[values] += 1 if weights is None else weights[number]
    table = np.zeros([arities[column] for column in columns])
    for values, total in cells.items():
        table[values] = total
    return table


class SlowPairs:
    """P(c, x, y) of two features and the class as a dictionary, and the measures as sums over it."""

    def __init__(self, codes, arities, i, j, target, weights=None, smoothing: float = 0.0) -> None:
        counts: Counter = Counter()
        for number, row in enumerate(codes.tolist()):
            cell = (row[target], row[i], row[j])
            if MISSING not in cell:
                counts[cell] += 1 if weights is None else weights[number]
        cells = list(product(range(arities[target]), range(arities[i]), range(arities[j])))
        total = sum(counts.values()) + smoothing
        self.p = {cell: (counts[cell] + smoothing / len(cells)) / total for cell in cells} if total else {}

    def marginal(self, keep: tuple[int, ...]) -> dict:
        p: dict = defaultdict(float)
        for cell, probability in self.p.items():
            p[tuple(cell[axis] for axis in keep)] += probability
        return p

    def information(self, a: tuple[int, ...], b: tuple[int, ...], given: tuple[int, ...] = ()) -> float:
        """I(A; B | Z) = sum p(a,b,z) log [p(a,b,z) p(z) / (p(a,z) p(b,z))]; axes are 0 = C, 1 = X_i, 2 = X_j."""
        joint, left = self.marginal(a + b + given), self.marginal(a + given)
        right, rest = self.marginal(b + given), self.marginal(given)
        total = 0.0
        for cell, p in joint.items():
            x, y, z = cell[: len(a)], cell[len(a) : len(a) + len(b)], cell[len(a) + len(b) :]
            if p > 0:
                total += p * log(p * rest[z] / (left[x + z] * right[y + z]))
        return total


def slow_chance(codes, i: int, j: int | None, target: int, weights=None) -> float:
    """Free cells by 2N: of a column and the class, or of two columns given the class."""
    columns = [i, target] if j is None else [i, j, target]
    weights = [1.0] * len(codes) if weights is None else weights
    known = [all(row[k] != MISSING for k in columns) for row in codes]
    total = max(sum(w for w, is_known in zip(weights, known, strict=True) if is_known), 1.0)

    def free(column: int, chosen) -> float:
        """States beyond the first; one that weighs less than a row is a part of one."""
        weight: dict[int, float] = defaultdict(float)
        for row, w in chosen:
            if row[column] != MISSING:
                weight[row[column]] += w
        return max(sum(min(w, 1.0) for w in weight.values()) - 1, 0)

    rows = [(row, w) for row, w in zip(codes, weights, strict=True) if row[target] != MISSING]
    if j is None:
        whole = [(row, w) for row, w in rows if row[i] != MISSING]
        return free(i, whole) * free(target, whole) / (2 * total)
    of_class = [
        [(row, w) for row, w in rows if row[target] == label] for label in {row[target] for row, _ in rows}
    ]
    return sum(free(i, chosen) * free(j, chosen) for chosen in of_class) / (2 * total)
