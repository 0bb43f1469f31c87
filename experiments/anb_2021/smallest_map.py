"""The smallest augmented naive Bayes graph that a true graph allows: what exact search should find with many rows."""

from collections.abc import Sequence
from math import inf, prod

from bayleaf import DAG

LARGEST = 14


def smallest_augmented_map(dag: DAG, target: str, arities: Sequence[int]) -> DAG:
    """Return the augmented naive Bayes graph with the fewest parameters that implies no false independence.

    Among all orders of the features, each feature takes the smallest set of earlier features that, with the class,
    separates it from the rest of them in ``dag``; dynamic programming over sets of features finds the best order. Of
    equals, the one whose last features come first in node order wins.

    Parameters
    ----------
    dag : DAG
        The true graph.
    target : str
        The class.
    arities : sequence of int
        The number of states of each node.

    References
    ----------
    S. Sugahara and M. Ueno. Exact learning augmented naive Bayes classifier. Entropy 23, 2021.

    Examples
    --------
    >>> smallest_augmented_map(DAG(["a", "b", "c"], [("a", "c"), ("b", "c")]), "c", [2, 2, 2]).parents("a")
    ('b', 'c')
    """
    features = [name for name in dag.nodes if name != target]
    if len(features) > LARGEST:
        raise ValueError(
            f"The smallest augmented map is searched over all sets of features; {len(features)} are more than "
            f"{LARGEST}."
        )
    states = dict(zip(dag.nodes, arities, strict=True))
    best: dict[int, tuple[float, tuple[tuple[str, str], ...]]] = {0: (0.0, ())}
    for mask in range(1, 1 << len(features)):
        best[mask] = (inf, ())
        for position, feature in enumerate(features):
            if not mask >> position & 1:
                continue
            before = mask ^ 1 << position
            earlier = [name for k, name in enumerate(features) if before >> k & 1]
            family = [*_boundary(dag, feature, earlier, target), target]
            size = (states[feature] - 1) * prod(states[name] for name in family)
            total = best[before][0] + size
            if total < best[mask][0]:
                best[mask] = (total, (*best[before][1], *((name, feature) for name in family)))
    return DAG(dag.nodes, best[(1 << len(features)) - 1][1])


def _boundary(dag: DAG, feature: str, earlier: list[str], target: str) -> list[str]:
    """Return the smallest subset of the earlier features that with the class separates a feature from the others."""
    kept = list(earlier)
    for name in earlier:
        others = [other for other in kept if other != name]
        if dag.d_separated(feature, name, given=[*others, target]):
            kept = others
    return kept
