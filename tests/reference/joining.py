"""Selecting and joining features, with every graph built and scored anew."""

from collections.abc import Callable, Sequence

Partition = list[list[int]]


def graph(groups: Partition, variables: int, target: int) -> list[tuple[int, ...]]:
    """Parents of every node: joined features are a clique below the class, others have no arcs."""
    parents: list[tuple[int, ...]] = [()] * variables
    for group in groups:
        for place, feature in enumerate(group):
            parents[feature] = tuple(sorted([target, *group[:place]]))
    return parents


def climb(
    groups: Partition,
    neighbours: Callable[[Partition], list[Partition]],
    score: Callable[[Sequence[Sequence[int]]], float],
    variables: int,
    target: int,
) -> list[tuple[int, ...]]:
    """Take the first best step while one improves the score."""
    value = score(graph(groups, variables, target))
    while steps := neighbours(groups):
        values = [score(graph(step, variables, target)) for step in steps]
        if max(values) <= value:
            break
        value = max(values)
        groups = steps[values.index(value)]
    return graph(groups, variables, target)


def fssj(features: Sequence[int], score, variables: int, target: int) -> list[tuple[int, ...]]:
    """Start with no feature; add one, or join one to a group."""

    def neighbours(groups):
        unused = [feature for feature in features if all(feature not in group for group in groups)]
        alone = [[*groups, [feature]] for feature in unused]
        joined = [
            [[*group, feature] if k == place else group for k, group in enumerate(groups)]
            for feature in unused
            for place in range(len(groups))
        ]
        return alone + joined

    return climb([], neighbours, score, variables, target)


def bsej(features: Sequence[int], score, variables: int, target: int) -> list[tuple[int, ...]]:
    """Start with naive Bayes; remove a feature, or join two groups."""

    def neighbours(groups):
        without = [
            [rest for group in groups if (rest := [other for other in group if other != feature])]
            for group in groups
            for feature in group
        ]
        joined = [
            [*(group for k, group in enumerate(groups) if k not in (a, b)), [*groups[a], *groups[b]]]
            for a in range(len(groups))
            for b in range(a + 1, len(groups))
        ]
        return without + joined

    return climb([[feature] for feature in features], neighbours, score, variables, target)
