"""Selective k-dependence by brute force: every row is really left out, and everything is counted again."""

from collections.abc import Sequence

Family = tuple[int, Sequence[int]]  # a feature and its parents, the strongest first


def estimate(rows, column: int, state: int, given: dict[int, int], states: int, smoothing: float) -> float:
    """(N + m / r) / (N. + m), from the rows that have all these columns."""
    known = [row for row in rows if all(row[j] >= 0 for j in (column, *given))]
    same = [row for row in known if all(row[j] == value for j, value in given.items())]
    return (sum(row[column] == state for row in same) + smoothing / states) / (len(same) + smoothing)


def posterior(rows, row, families: Sequence[Family], k: int, arities, target: int, smoothing: float):
    """P(c | row) by families with their first k parents, from other rows; a family with a gap says nothing."""
    joint = []
    for c in range(arities[target]):
        p = estimate(rows, target, c, {}, arities[target], smoothing)
        for feature, parents in families:
            used = list(parents)[:k]
            if all(row[j] >= 0 for j in (feature, *used)):
                given = {target: c, **{j: row[j] for j in used}}
                p *= estimate(rows, feature, row[feature], given, arities[feature], smoothing)
        joint.append(p)
    return [p / sum(joint) for p in joint]


def losses(rows, families: Sequence[Family], most: int, arities, target: int, smoothing: float):
    """The mean of (1 - P(own class))^2 of left-out rows, [k][number of first features]."""
    result = [[0.0] * (len(families) + 1) for _ in range(most + 1)]
    for number, row in enumerate(rows):
        others = [*rows[:number], *rows[number + 1 :]]
        for k in range(most + 1):
            for first in range(len(families) + 1):
                p = posterior(others, row, families[:first], k, arities, target, smoothing)
                result[k][first] += (1 - p[row[target]]) ** 2 / len(rows)
    return result
