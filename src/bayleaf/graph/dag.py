"""The directed acyclic graph: structure of a Bayesian network, with names, without data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from . import elimination as treewidth
from . import parents as parent_sets
from .equivalence import CPDAG, are_equivalent, compelled_arcs, hamming_distance
from .parents import (
    Arc,
    Drawable,
    ParentSets,
    check_comparable,
    check_names,
    closure,
    index_arc,
    index_arcs,
    quoted,
)


@dataclass(frozen=True, init=False, repr=False)
class DAG(Drawable):
    """A directed acyclic graph with named nodes that never changes.

    Two DAGs are equal when they have the same nodes in the same order and the same arcs. Whatever lists nodes
    does so in node order.

    Parameters
    ----------
    nodes : sequence of str
        Distinct names.
    arcs : iterable of (parent, child)
        Pairs of names, in any order.

    Attributes
    ----------
    nodes : tuple of str
        The names, in the order given.
    parent_indices : tuple of tuple of int
        The indices of the parents of each node, ascending.
    topological_indices : tuple of int
        The nodes' indices, parents before children, otherwise ascending.

    Examples
    --------
    >>> dag = DAG(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> dag
    DAG(['rain', 'sprinkler', 'wet'], [('rain', 'wet'), ('sprinkler', 'wet')])
    >>> dag.parent_indices
    ((), (), (0, 1))
    >>> DAG(["a", "b"], [("a", "b"), ("b", "a")])
    Traceback (most recent call last):
        ...
    ValueError: The arcs form a cycle: a -> b -> a.
    """

    nodes: tuple[str, ...]
    parent_indices: ParentSets
    topological_indices: tuple[int, ...] = field(compare=False)

    def __init__(self, nodes: Sequence[str], arcs: Iterable[Arc] = ()) -> None:
        names = check_names(nodes)
        positions = {name: index for index, name in enumerate(names)}
        parents = parent_sets.parents_from_arcs(len(names), index_arcs(arcs, positions))
        self._store(names, parents, parent_sets.acyclic_order(names, parents))

    @classmethod
    def from_parents(cls, nodes: Sequence[str], parent_indices: Iterable[Iterable[int]]) -> "DAG":
        """Make a DAG from the parents of each node, given as indices.

        Examples
        --------
        >>> DAG.from_parents(["a", "b", "c"], [[], [0], [1, 0]]).arcs
        (('a', 'b'), ('a', 'c'), ('b', 'c'))
        """
        dag = cls.__new__(cls)
        dag._store(*parent_sets.checked_graph(nodes, parent_indices))
        return dag

    def _store(self, names: tuple[str, ...], parents: ParentSets, order: tuple[int, ...]) -> None:
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "parent_indices", parents)
        object.__setattr__(self, "topological_indices", order)

    def __reduce__(self) -> tuple[Any, ...]:
        # Leaves the cached views out of the pickle.
        return DAG.from_parents, (self.nodes, self.parent_indices)

    def __repr__(self) -> str:
        if len(self.nodes) + len(self.arcs) > 60:
            return f"<DAG nodes={len(self.nodes)} arcs={len(self.arcs)}>"
        return f"DAG({list(self.nodes)}, {list(self.arcs)})"

    @cached_property
    def arcs(self) -> tuple[Arc, ...]:
        """All arcs as (parent, child), sorted by child, then by parent, in node order.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("b", "c"), ("a", "c"), ("a", "b")]).arcs
        (('a', 'b'), ('a', 'c'), ('b', 'c'))
        """
        return tuple(
            (self.nodes[parent], child)
            for child, family in zip(self.nodes, self.parent_indices, strict=True)
            for parent in family
        )

    @cached_property
    def child_indices(self) -> ParentSets:
        """The indices of the children of each node, ascending.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("a", "c")]).child_indices
        ((1, 2), (), ())
        """
        return parent_sets.children_of(self.parent_indices)

    @cached_property
    def adjacency(self) -> npt.NDArray[np.bool_]:
        """The arcs as a read-only boolean matrix [parent, child].

        Examples
        --------
        >>> DAG(["a", "b"], [("a", "b")]).adjacency
        array([[False,  True],
               [False, False]])
        """
        return parent_sets.arc_matrix(self.parent_indices)

    @cached_property
    def moral_matrix(self) -> npt.NDArray[np.bool_]:
        """The moral graph as a read-only symmetric boolean matrix.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "c"), ("b", "c")]).moral_matrix.sum()
        np.int64(6)
        """
        return parent_sets.moral_matrix(self.parent_indices)

    def moral_graph(self) -> frozenset[frozenset[str]]:
        """Return the pairs of nodes that an arc or a common child joins.

        Examples
        --------
        >>> moral = DAG(["a", "b", "c"], [("a", "c"), ("b", "c")]).moral_graph()
        >>> sorted(sorted(pair) for pair in moral)
        [['a', 'b'], ['a', 'c'], ['b', 'c']]
        """
        pairs = np.argwhere(np.triu(self.moral_matrix))
        return frozenset(frozenset((self.nodes[first], self.nodes[second])) for first, second in pairs)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.nodes)}

    def _names(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.nodes[index] for index in sorted(indices))

    def index(self, v: str) -> int:
        """Return the index of a node.

        Examples
        --------
        >>> DAG(["a", "b"]).index("b")
        1
        """
        return parent_sets.position_of(v, self._positions)

    def parents(self, v: str) -> tuple[str, ...]:
        """Return the parents of a node.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("b", "c"), ("a", "c")]).parents("c")
        ('a', 'b')
        """
        return self._names(self.parent_indices[self.index(v)])

    def children(self, v: str) -> tuple[str, ...]:
        """Return the children of a node.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("a", "c")]).children("a")
        ('b', 'c')
        """
        return self._names(self.child_indices[self.index(v)])

    def ancestors(self, v: str) -> tuple[str, ...]:
        """Return the nodes with a directed path to v, without v.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("b", "c")]).ancestors("c")
        ('a', 'b')
        """
        node = self.index(v)
        return self._names(closure(self.parent_indices, [node]) - {node})

    def descendants(self, v: str) -> tuple[str, ...]:
        """Return the nodes with a directed path from v, without v.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("b", "c")]).descendants("a")
        ('b', 'c')
        """
        node = self.index(v)
        return self._names(closure(self.child_indices, [node]) - {node})

    def markov_blanket(self, v: str) -> tuple[str, ...]:
        """Return parents, children and the children's other parents: given these, no other node matters to v.

        Examples
        --------
        >>> DAG(["a", "b", "c", "d"], [("a", "c"), ("b", "c"), ("c", "d")]).markov_blanket("a")
        ('b', 'c')
        """
        return self._names(np.flatnonzero(self.moral_matrix[self.index(v)]).tolist())

    def topological_order(self) -> tuple[str, ...]:
        """Return all nodes, parents before children, otherwise in node order.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("c", "a")]).topological_order()
        ('b', 'c', 'a')
        """
        return tuple(self.nodes[index] for index in self.topological_indices)

    def add(self, arc: Arc) -> "DAG":
        """Return the DAG with one more arc.

        Examples
        --------
        >>> DAG(["a", "b"]).add(("a", "b"))
        DAG(['a', 'b'], [('a', 'b')])
        """
        parent, child = index_arc(arc, self._positions)
        if parent in self.parent_indices[child]:
            raise ValueError(f"The arc {arc[0]} -> {arc[1]} already exists; it cannot be added.")
        return DAG(self.nodes, [*self.arcs, arc])

    def remove(self, arc: Arc) -> "DAG":
        """Return the DAG without one of its arcs.

        Examples
        --------
        >>> DAG(["a", "b"], [("a", "b")]).remove(("a", "b"))
        DAG(['a', 'b'], [])
        """
        return DAG(self.nodes, self._arcs_without(arc, "removed"))

    def reverse(self, arc: Arc) -> "DAG":
        """Return the DAG with one of its arcs turned round.

        Examples
        --------
        >>> DAG(["a", "b"], [("a", "b")]).reverse(("a", "b"))
        DAG(['a', 'b'], [('b', 'a')])
        """
        return DAG(self.nodes, [*self._arcs_without(arc, "reversed"), (arc[1], arc[0])])

    def _arcs_without(self, arc: Arc, action: str) -> list[Arc]:
        parent, child = index_arc(arc, self._positions)
        if parent not in self.parent_indices[child]:
            raise ValueError(f"There is no arc {arc[0]} -> {arc[1]}; it cannot be {action}.")
        return [other for other in self.arcs if other != (self.nodes[parent], self.nodes[child])]

    def subgraph(self, nodes: Iterable[str]) -> "DAG":
        """Return the DAG of some nodes and the arcs between them; the nodes keep the order they have here.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("b", "c")]).subgraph(["c", "b"])
        DAG(['b', 'c'], [('b', 'c')])
        """
        kept = self._names(self._indices(nodes))
        return DAG(kept, [arc for arc in self.arcs if set(arc) <= set(kept)])

    def relabel(self, names: Mapping[str, str]) -> "DAG":
        """Return the same DAG with other names; nodes that are not in the mapping keep theirs.

        Examples
        --------
        >>> DAG(["a", "b"], [("a", "b")]).relabel({"b": "z"})
        DAG(['a', 'z'], [('a', 'z')])
        """
        unknown = [name for name in names if name not in self._positions]
        if unknown:
            raise ValueError(f"Unknown node {quoted(unknown)}; the nodes are {quoted(self.nodes)}.")
        return DAG.from_parents([names.get(name, name) for name in self.nodes], self.parent_indices)

    def _indices(self, names: str | Iterable[str]) -> set[int]:
        return {self.index(name) for name in ([names] if isinstance(names, str) else names)}

    def d_separated(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Tell whether the evidence blocks every trail between x and y, so that they must be independent.

        Each argument is a name or several names; the three sets must not overlap.

        Examples
        --------
        >>> dag = DAG(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
        >>> dag.d_separated("rain", "sprinkler"), dag.d_separated("rain", "sprinkler", given="wet")
        (True, False)
        """
        sets = {"x": self._indices(x), "y": self._indices(y), "given": self._indices(given)}
        for first, second in combinations(sets, 2):
            if shared := sets[first] & sets[second]:
                raise ValueError(
                    f"{first} and {second} must not overlap; both have {quoted(self._names(shared))}."
                )
        return parent_sets.d_connected(self.parent_indices, sets["x"], sets["given"]).isdisjoint(sets["y"])

    def is_equivalent(self, other: "DAG") -> bool:
        """Tell whether both DAGs imply the same independences (the order of the nodes does not matter).

        Examples
        --------
        >>> DAG(["a", "b"], [("a", "b")]).is_equivalent(DAG(["a", "b"], [("b", "a")]))
        True
        """
        check_comparable(self, other)
        aligned = parent_sets.parents_from_arcs(len(self.nodes), index_arcs(other.arcs, self._positions))
        return are_equivalent(self.parent_indices, aligned)

    def cpdag(self) -> CPDAG:
        """Return the graph of the class of DAGs equivalent to this one.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("b", "c")]).cpdag()
        CPDAG(['a', 'b', 'c'], directed=[], undirected=[('a', 'b'), ('b', 'c')])
        """
        compelled = {
            (self.nodes[parent], self.nodes[child]) for parent, child in compelled_arcs(self.parent_indices)
        }
        return CPDAG(self.nodes, compelled, [arc for arc in self.arcs if arc not in compelled])

    def shd(self, other: "DAG") -> int:
        """Return the structural Hamming distance: each missing, added or reversed arc counts one.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "b"), ("b", "c")]).shd(DAG(["a", "b", "c"], [("b", "a")]))
        2
        """
        check_comparable(self, other)
        marks, others = ({frozenset(arc): arc for arc in dag.arcs} for dag in (self, other))
        return hamming_distance(marks, others)

    def treewidth_bound(self) -> int:
        """Return an upper bound on the tree-width of the moral graph, by min-fill elimination.

        Examples
        --------
        >>> DAG(["a", "b", "c"], [("a", "c"), ("b", "c")]).treewidth_bound()
        2
        """
        return treewidth.treewidth_bound(self.moral_matrix)

    def has_treewidth_at_most(self, k: int) -> bool:
        """Tell, exactly, whether the tree-width of the moral graph is at most k.

        See `bayleaf.graph.has_treewidth_at_most` for the method and its cost.

        Examples
        --------
        >>> dag = DAG(["a", "b", "c"], [("a", "c"), ("b", "c")])
        >>> dag.has_treewidth_at_most(1), dag.has_treewidth_at_most(2)
        (False, True)
        """
        return treewidth.has_treewidth_at_most(self.moral_matrix, k)
