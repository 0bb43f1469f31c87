"""Tables that back off, by brute force: every row is really left out, and everything is counted again."""

import math
from collections.abc import Sequence

Row = tuple[int, ...]  # states of the parents in the order of the levels, then of the node


def estimate(rows: Sequence[Row], row: Row, strengths: Sequence[float], states: int) -> float:
    """P(x | parents) of a cell, from rows, with one strength per level."""
    *parents, x = row
    value = (sum(other[-1] == x for other in rows) + 0.5) / (len(rows) + states / 2)
    for level, strength in enumerate(strengths, start=1):
        known = [other for other in rows if list(other[:level]) == parents[:level]]
        value = (sum(other[-1] == x for other in known) + strength * value) / (len(known) + strength)
    return value


def best_strengths(rows: Sequence[Row], grid: Sequence[float], states: int) -> list[float]:
    """Choose the strength of each level by the likelihood of rows that are left out one by one."""
    chosen: list[float] = []
    for _ in range(len(rows[0]) - 1):
        likelihoods = []
        for strength in grid:
            total = 0.0
            for number, row in enumerate(rows):
                others = [*rows[:number], *rows[number + 1 :]]
                total += math.log(estimate(others, row, [*chosen, strength], states))
            likelihoods.append(round(total, 9))
        chosen.append(grid[likelihoods.index(max(likelihoods))])
    return chosen
