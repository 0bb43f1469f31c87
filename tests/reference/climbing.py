"""Slow and obvious counterparts of the hill-climbing search."""

from collections.abc import Callable, Iterator

from bayleaf.graph import DAG


def neighbours(dag: DAG, *, reversals: bool = True) -> Iterator[tuple[tuple[int, int, int], DAG]]:
    """All graphs one arc away, each with its move (kind, child, parent), in tie-breaking order."""
    names = dag.nodes
    arcs = set(dag.arcs)
    for kinds in ((0, 1), (2,)) if reversals else ((0, 1),):
        for c, child in enumerate(names):
            for kind in kinds:
                for p, parent in enumerate(names):
                    arc = (parent, child)
                    if kind == 0 and arc in arcs:
                        changed = arcs - {arc}
                    elif kind == 1 and p != c and arc not in arcs and arc[::-1] not in arcs:
                        changed = arcs | {arc}
                    elif kind == 2 and arc in arcs:
                        changed = (arcs - {arc}) | {arc[::-1]}
                    else:
                        continue
                    try:
                        yield (kind, c, p), DAG(names, changed)
                    except ValueError:
                        continue


def slow_climb(
    start: DAG,
    value: Callable[[DAG], float],
    *,
    max_parents: int | None = None,
    reversals: bool = True,
    tolerance: float = 0.0,
) -> DAG:
    """Hill-climbing that scores every neighbour from scratch; the first of the best wins."""
    limit = len(start.nodes) if max_parents is None else max_parents
    current, best = start, value(start)
    while True:
        options = [
            (value(dag), place, dag)
            for place, dag in neighbours(current, reversals=reversals)
            if max(map(len, dag.parent_indices)) <= limit
        ]
        top = max((option[0] for option in options), default=best)
        if top <= best + tolerance:
            return current
        best, _, current = next(option for option in options if option[0] >= top - tolerance)


def small_rows(rng, rows: int, arities: list[int]):
    """Codes with some dependence between columns."""
    import numpy as np

    codes = np.column_stack([rng.integers(arity, size=rows) for arity in arities])
    for j in range(1, len(arities)):
        source = int(rng.integers(j))
        copied = rng.random(rows) < 0.6
        codes[copied, j] = codes[copied, source] % arities[j]
    return codes
