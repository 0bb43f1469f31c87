"""Averaged dependence estimators by their formula: rows counted one by one, gaps filled in with every state."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, product

Row = Sequence[int]  # features, then the class; -1 where missing


def matching(rows: Sequence[Row], weights: Sequence[float], wanted: dict[int, int]) -> float:
    """Weight of the rows that have these states."""
    return sum(
        weight
        for row, weight in zip(rows, weights, strict=True)
        if all(row[column] == state for column, state in wanted.items())
    )


def laplace(
    rows: Sequence[Row], weights: Sequence[float], column: int, state: int, given: dict[int, int], arity: int
) -> float:
    """P(column = state | given), from the rows that have all these columns."""
    known = [k for k, row in enumerate(rows) if all(row[j] >= 0 for j in (column, *given))]
    rows, weights = [rows[k] for k in known], [weights[k] for k in known]
    both = matching(rows, weights, {**given, column: state})
    return (both + 1) / (matching(rows, weights, given) + arity)


def completions(x: Row, arities: Sequence[int]) -> Iterator[Row]:
    """Every way to fill the gaps of a row."""
    yield from product(
        *([state] if state >= 0 else range(arity) for state, arity in zip(x, arities, strict=False))
    )


def member_joint(rows, weights, arities, superparents, min_count, x) -> list[float]:
    """P(c, x) of every class in one network, gaps summed out; 0 where the super-parents were not seen enough."""
    target = len(arities) - 1
    first = [target, *superparents]
    known = [k for k, row in enumerate(rows) if all(row[j] >= 0 for j in first)]
    complete, their_weights = [rows[k] for k in known], [weights[k] for k in known]
    cells = math.prod(arities[j] for j in first)
    result = [0.0] * arities[target]
    for full in completions(x, arities):
        if superparents and matching(rows, weights, {j: full[j] for j in superparents}) < min_count:
            continue
        for c in range(arities[target]):
            seen = matching(complete, their_weights, {target: c, **{j: full[j] for j in superparents}})
            joint = (seen + 1) / (sum(their_weights) + cells)
            for j, state in enumerate(full):
                if j not in superparents:
                    given = {target: c, **{p: full[p] for p in superparents}}
                    joint *= laplace(rows, weights, j, state, given, arities[j])
            result[c] += joint
    return result


def averaged(rows, weights, arities, members, min_count, x) -> list[float]:
    """P(c | x) from (weight, super-parents) of each network; where none was seen enough, None."""
    total = [0.0] * arities[-1]
    for weight, superparents in members:
        joint = member_joint(rows, weights, arities, superparents, min_count, x)
        total = [one + weight * other for one, other in zip(total, joint, strict=True)]
    return [value / sum(total) for value in total] if sum(total) else None


def ande(rows, weights, arities, n, min_count, x, importance=lambda superparents: 1.0) -> list[float]:
    """P(c | x) of averaged n-dependence estimators; of fewer dependences where no combination was seen enough."""
    for size in range(min(n, len(arities) - 1), -1, -1):
        sets = list(combinations(range(len(arities) - 1), size))
        given = [importance(chosen) if size == n else 1.0 for chosen in sets]
        if sum(given) == 0:
            given = [1.0] * len(sets)
        found = averaged(rows, weights, arities, list(zip(given, sets, strict=True)), min_count, x)
        if found is not None:
            return found
    raise AssertionError("naive Bayes always answers")


def information(rows, weights, columns, target) -> float:
    """I(columns; class) in nats, from rows that have all of them."""
    known = [
        (tuple(row[j] for j in columns), row[target], weight)
        for row, weight in zip(rows, weights, strict=True)
        if all(row[j] >= 0 for j in (*columns, target))
    ]
    total = sum(weight for *_, weight in known)
    result = 0.0
    for x in {each[0] for each in known}:
        for c in {each[1] for each in known}:
            joint = sum(w for a, b, w in known if (a, b) == (x, c)) / total
            one = sum(w for a, _, w in known if a == x) / total
            other = sum(w for _, b, w in known if b == c) / total
            if joint > 0:
                result += joint * math.log(joint / (one * other))
    return round(result, 12)
