"""Markov equivalence: the graph of a whole class of DAGs, and steps to classes with one edge more or less."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from .parents import Arc, Drawable, ParentSets, check_comparable, check_names, index_arcs, topological_order

Pair = TypeVar("Pair")


def skeleton(parents: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    """Return the pairs of nodes joined by an arc, whatever its direction."""
    return {frozenset((parent, child)) for child, family in enumerate(parents) for parent in family}


def v_structures(parents: Sequence[Sequence[int]]) -> set[tuple[int, int, int]]:
    """Return the triples (a, collider, b), a < b, where a -> collider <- b and no arc joins a and b."""
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
    """
    return sum(marks.get(pair) != others.get(pair) for pair in marks.keys() | others.keys())


@dataclass(frozen=True, init=False, repr=False)
class CPDAG(Drawable):
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


class Pattern:
    """A partially directed graph by node numbers: arcs whose direction is settled, and edges that may have either.

    The constructor completes a DAG, so that the pattern is that of its whole equivalence class.

    Parameters
    ----------
    parents : sequence of sequences of int
        Of each node of a DAG.

    Attributes
    ----------
    into, out : list of set of int
        Of each node, those that settled arcs come from and lead to.
    beside : list of set of int
        Of each node, those joined to it by an edge without a settled direction.

    Examples
    --------
    >>> chain = Pattern([(), (0,), (1,)])
    >>> chain.edges, chain.arcs
    ({(0, 1), (1, 2)}, set())
    >>> list(chain.inserted(0, 2))
    [((), (0,), (0, 1))]
    """

    def __init__(self, parents: Sequence[Sequence[int]]) -> None:
        self.into: list[set[int]] = [set() for _ in parents]
        self.out: list[set[int]] = [set() for _ in parents]
        self.beside: list[set[int]] = [set() for _ in parents]
        settled = compelled_arcs(parents)
        for child, family in enumerate(parents):
            for parent in family:
                if (parent, child) in settled:
                    self.add_arc(parent, child)
                else:
                    self.beside[parent].add(child)
                    self.beside[child].add(parent)

    @property
    def arcs(self) -> set[tuple[int, int]]:
        """The arcs (parent, child) with a settled direction."""
        return {(parent, child) for child, some in enumerate(self.into) for parent in some}

    @property
    def edges(self) -> set[tuple[int, int]]:
        """The edges without one, the smaller number first."""
        return {(min(a, b), max(a, b)) for a, some in enumerate(self.beside) for b in some}

    def add_arc(self, parent: int, child: int) -> None:
        """Settle the direction of an edge, or add an arc."""
        self.beside[parent].discard(child)
        self.beside[child].discard(parent)
        self.into[child].add(parent)
        self.out[parent].add(child)

    def around(self, node: int) -> set[int]:
        """Return the nodes that a node is joined to."""
        return self.into[node] | self.out[node] | self.beside[node]

    def copy(self) -> "Pattern":
        """Return a copy that can be changed."""
        other = object.__new__(Pattern)
        other.into, other.out, other.beside = (
            [set(some) for some in sets] for sets in (self.into, self.out, self.beside)
        )
        return other

    def inserted(self, x: int, y: int) -> Iterator[ParentSets]:
        """Yield a DAG of each class that is this one with an arc x -> y more (Chickering's operator Insert).

        References
        ----------
        D. M. Chickering. Optimal structure identification with greedy search. Journal of Machine Learning Research 3,
        2002. Theorem 15.
        """
        around_x = self.around(x)
        if y in around_x or x == y:
            return
        common = self.beside[y] & around_x
        for turned in self._cliques(common, sorted(self.beside[y] - around_x)):
            blocked = common | turned
            if not self._reaches(y, x, blocked):
                other = self.copy()
                other.add_arc(x, y)
                for node in turned:
                    other.add_arc(node, y)
                found = other.extension()
                if found is not None:
                    yield found

    def deleted(self, x: int, y: int, root: int | None = None) -> Iterator[ParentSets]:
        """Yield a DAG of each class that is this one without the edge x - y or the arc x -> y (operator Delete).

        Where a root is named, which no arc enters, classes in which x and y would become its parents are left out: in
        all others it is among the common neighbours that stay as they are.

        References
        ----------
        As `inserted`. Theorem 17.
        """
        if y not in self.beside[x] and y not in self.out[x]:
            return
        common = self.beside[y] & self.around(x)
        always = {root} & common if root is not None else set()
        for further in self._cliques(always, sorted(common - always)):
            kept = always | further
            other = self.copy()
            for sets, a, b in (
                (other.beside, x, y),
                (other.beside, y, x),
                (other.out, x, y),
                (other.into, y, x),
            ):
                sets[a].discard(b)
            for node in common - kept:
                other.add_arc(y, node)
                if node in other.beside[x]:
                    other.add_arc(x, node)
            found = other.extension()
            if found is not None:
                yield found

    def _cliques(self, base: Set[int], items: list[int]) -> Iterator[set[int]]:
        """Yield each set of items, the empty one too, whose members and the base are all joined with each other."""
        if not self._joined(base):
            return
        waiting: list[tuple[set[int], int]] = [(set(), 0)]
        while waiting:
            chosen, start = waiting.pop()
            yield chosen
            waiting.extend(
                (chosen | {item}, position + 1)
                for position, item in enumerate(items[start:], start)
                if (base | chosen) <= self.around(item)
            )

    def _joined(self, nodes: Set[int]) -> bool:
        return all(b in self.around(a) for a, b in combinations(nodes, 2))

    def _reaches(self, start: int, end: int, blocked: Set[int]) -> bool:
        """Whether a path leads from start to end, along no arc backwards and through no blocked node."""
        seen, waiting = {start}, [start]
        while waiting:
            node = waiting.pop()
            if node == end:
                return True
            further = (self.out[node] | self.beside[node]) - blocked - seen
            seen |= further
            waiting.extend(further)
        return False

    def extension(self) -> ParentSets | None:
        """Return the parents of a DAG with these arcs, edges and colliders; None if there is no such DAG.

        References
        ----------
        D. Dor and M. Tarsi. A simple algorithm to construct a consistent extension of a partially oriented graph.
        Technical report R-185, UCLA, 1992.
        """
        left = self.copy()
        parents: list[tuple[int, ...]] = [()] * len(self.into)
        nodes = set(range(len(self.into)))
        while nodes:
            sink = next((node for node in sorted(nodes, reverse=True) if left._may_be_last(node)), None)
            if sink is None:
                return None
            parents[sink] = tuple(sorted(left.into[sink] | left.beside[sink]))
            for other in parents[sink]:
                left.out[other].discard(sink)
                left.beside[other].discard(sink)
            nodes.remove(sink)
            left.into[sink], left.beside[sink] = set(), set()
        return tuple(parents)

    def _may_be_last(self, node: int) -> bool:
        """Whether all edges of a node can point to it without a new collider."""
        return not self.out[node] and all(
            (self.into[node] | self.beside[node]) - {other} <= self.around(other)
            for other in self.beside[node]
        )

    def rooted(self, root: int) -> ParentSets:
        """Return the DAG of the class in which edges lead away from a root; ties go to the smaller number.

        Within each part that edges connect, nodes come in the order of maximum cardinality search, which leaves no
        collider behind; only a completed pattern has that property.
        """
        rank: dict[int, int] = {}
        near = [0] * len(self.beside)
        for first in (root, *range(len(self.beside))):
            waiting = set() if first in rank else {first}
            while waiting:
                node = min(waiting, key=lambda each: (-near[each], each))
                waiting.remove(node)
                rank[node] = len(rank)
                for other in self.beside[node]:
                    near[other] += 1
                    if other not in rank:
                        waiting.add(other)
        return tuple(
            tuple(sorted(self.into[node] | {b for b in self.beside[node] if rank[b] < rank[node]}))
            for node in range(len(self.beside))
        )
