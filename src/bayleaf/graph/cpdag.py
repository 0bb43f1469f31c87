"""The completed partially directed graph that stands for a whole class of equivalent DAGs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bayleaf.graph.equivalence import hamming_distance
from bayleaf.graph.names import Arc, check_comparable, check_names, index_arcs


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
