"""Markov equivalence, and the completed partially directed graph that stands for a whole class of DAGs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

from .checks import Arc, check_comparable, check_names, index_arcs
from .order import topological_order

Pair = TypeVar("Pair")


def skeleton(parents: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    """Return the pairs of nodes joined by an arc, whatever its direction.

    Examples
    --------
    >>> skeleton([(1,), ()])
    {frozenset({0, 1})}
    """
    return {frozenset((parent, child)) for child, family in enumerate(parents) for parent in family}


def v_structures(parents: Sequence[Sequence[int]]) -> set[tuple[int, int, int]]:
    """Return the triples (a, collider, b), a < b, where a -> collider <- b and no arc joins a and b.

    Examples
    --------
    >>> v_structures([(), (), (0, 1)])
    {(0, 2, 1)}
    """
    joined = skeleton(parents)
    return {
        (a, collider, b)
        for collider, family in enumerate(parents)
        for a, b in combinations(sorted(family), 2)
        if frozenset((a, b)) not in joined
    }


def are_equivalent(parents: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    """Tell whether two DAGs imply the same independences: same skeleton, same v-structures.

    References
    ----------
    Verma and Pearl. Equivalence and synthesis of causal models. UAI, 1990.

    Examples
    --------
    >>> are_equivalent([(), (0,)], [(1,), ()])
    True
    """
    return skeleton(parents) == skeleton(others) and v_structures(parents) == v_structures(others)


def compelled_arcs(parents: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Return the arcs (parent, child) that have this direction in every equivalent DAG.

    References
    ----------
    Chickering. A transformational characterization of equivalent Bayesian network structures. UAI, 1995
    (algorithm Label-Edges).

    Notes
    -----
    In the original a loop looks for the lowest arc without a label: of the first child that has such an arc,
    the arc from its latest parent. One round labels all arcs into that child, so the loop runs over children.

    Examples
    --------
    The collider 0 -> 2 <- 1 compels its arcs, and then 2 -> 3: turned round it would make new colliders.

    >>> sorted(compelled_arcs([(), (), (0, 1), (2,)]))
    [(0, 2), (1, 2), (2, 3)]
    """
    order = topological_order(parents)
    rank = {node: position for position, node in enumerate(order)}
    compelled_parents: dict[int, set[int]] = {node: set() for node in order}
    for child in order:
        family = set(parents[child])
        if not family:
            continue
        latest = max(family, key=rank.__getitem__)
        inherited = compelled_parents[latest]
        new_collider = not family <= {latest, *parents[latest]}
        if new_collider or not inherited <= family:
            compelled_parents[child] = family
        else:
            compelled_parents[child] = set(inherited)
    return {(parent, child) for child in order for parent in compelled_parents[child]}


def hamming_distance(marks: Mapping[Pair, object], others: Mapping[Pair, object]) -> int:
    """Count the pairs of nodes that two graphs do not join in the same way.

    Each graph maps the pairs it joins to how it joins them. So a missing, an added, and a differently
    directed arc count one each.

    References
    ----------
    Tsamardinos, Brown and Aliferis. The max-min hill-climbing Bayesian network structure learning algorithm.
    Machine Learning, 2006.

    Examples
    --------
    >>> hamming_distance({"ab": "->", "bc": "->"}, {"ab": "<-", "cd": "->"})
    3
    """
    return sum(marks.get(pair) != others.get(pair) for pair in marks.keys() | others.keys())


@dataclass(frozen=True, init=False, repr=False)
class CPDAG:
    """A completed partially directed acyclic graph: what all Markov equivalent DAGs have in common.

    ``DAG.cpdag()`` makes it. An arc is directed where all DAGs of the class agree on its direction, and
    undirected where they do not. The constructor checks names and pairs; whether some DAG has this pattern it
    does not check.

    Parameters
    ----------
    nodes : sequence of str
        Distinct names.
    directed : iterable of (parent, child)
        The arcs with one direction.
    undirected : iterable of (name, name)
        The edges with two possible directions.

    Attributes
    ----------
    nodes : tuple of str
        The names, in the order given.
    directed : tuple of (str, str)
        The arcs, sorted by (child, parent) in node order.
    undirected : tuple of (str, str)
        The edges, each pair in node order, sorted.

    Examples
    --------
    >>> CPDAG(["a", "b", "c"], undirected=[("c", "b")])
    CPDAG(['a', 'b', 'c'], directed=[], undirected=[('b', 'c')])
    """

    nodes: tuple[str, ...]
    directed: tuple[Arc, ...]
    undirected: tuple[Arc, ...]

    def __init__(
        self, nodes: Sequence[str], directed: Iterable[Arc] = (), undirected: Iterable[Arc] = ()
    ) -> None:
        names = check_names(nodes)
        positions = {name: index for index, name in enumerate(names)}
        arcs = sorted(set(index_arcs(directed, positions)), key=lambda arc: arc[::-1])
        edges = sorted({(min(edge), max(edge)) for edge in index_arcs(undirected, positions)})
        seen: set[tuple[int, int]] = set()
        for first, second in [*((min(arc), max(arc)) for arc in arcs), *edges]:
            if (first, second) in seen:
                raise ValueError(f"The nodes '{names[first]}' and '{names[second]}' are joined in two ways.")
            seen.add((first, second))
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "directed", tuple((names[parent], names[child]) for parent, child in arcs))
        object.__setattr__(
            self, "undirected", tuple((names[first], names[second]) for first, second in edges)
        )

    def __repr__(self) -> str:
        directed, undirected = list(self.directed), list(self.undirected)
        return f"CPDAG({list(self.nodes)}, directed={directed}, undirected={undirected})"

    def plot(self, strengths: Any = None) -> Any:
        """Draw the graph, parents before children; needs igraph (the extra ``report``).

        Parameters
        ----------
        strengths : mapping from (parent, child) to number, or DataFrame, optional
            How thick the arcs are, from 0 to 1; `bayleaf.arc_strengths` returns such a DataFrame.

        Returns
        -------
        Picture
            Shown by notebooks; ``.save("graph.svg")`` writes it.
        """
        from bayleaf.report.picture import draw

        return draw(self, strengths)

    def _repr_html_(self) -> str:
        from bayleaf.report.picture import html

        return html(self)

    def shd(self, other: "CPDAG") -> int:
        """Return the structural Hamming distance: the pairs of nodes that the two graphs join differently.

        Examples
        --------
        >>> chain = CPDAG(["a", "b", "c"], undirected=[("a", "b"), ("b", "c")])
        >>> chain.shd(CPDAG(["a", "b", "c"], directed=[("a", "b")]))
        2
        """
        check_comparable(self, other)
        return hamming_distance(self._marks(), other._marks())

    def _marks(self) -> dict[frozenset[str], Arc | str]:
        """Map each joined pair of nodes to its arc, or to the word undirected."""
        marks: dict[frozenset[str], Arc | str] = {frozenset(arc): arc for arc in self.directed}
        return marks | {frozenset(edge): "undirected" for edge in self.undirected}
