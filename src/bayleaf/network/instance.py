"""A network whose parents depend on the row: parents that carry nothing there give way to others.

A parent whose value is determined by the value of another parent adds nothing to what is known. In the rows where
that happens it is left out, and the next-best candidate takes its place:

    log P(c, x) = log P(c) + sum_i log P(x_i | c, pa_i(x)),

where pa_i(x) are the k best candidates of node i, none of them determined by another one in row x.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf.counts import Dependency, FunctionalDependencies, Partition, count
from bayleaf.counts.contingency import Counts
from bayleaf.data import Table
from bayleaf.data.table import Codes
from bayleaf.graph import DAG, Family

from .bayesnet import BayesNet
from .compiled import CompiledNetwork, rows_of_nodes
from .predictors import register_predictor

Parents = tuple[int, ...]
FamilyTable = NDArray[np.float64]
FREE = -1
# Networks that are kept, one per choice of families: rows with gaps that come one by one often choose alike.
KEPT_NETWORKS = 16
# More than this would make a model file of some hundred megabytes.
MAX_FAMILIES = 100_000
MAX_FAMILY_CELLS = 10_000_000


class CountedFamilies:
    """Tables of families, counted from the training rows when they are first asked for.

    Parameters
    ----------
    table : Table
        The training rows.
    estimate : callable
        Turns the counts of a family (parents first, the node last) into its table.
    """

    def __init__(self, table: Table, estimate: Callable[[Counts], FamilyTable]) -> None:
        self._table = table
        self._estimate = estimate
        self._known: dict[Family, FamilyTable] = {}

    def __call__(self, family: Family) -> FamilyTable:
        """Return the table of a family: one axis per parent, then the node's own."""
        if family not in self._known:
            node, parents = family
            self._known[family] = self._estimate(count(self._table, [[*parents, node]])[0])
        return self._known[family]


class StoredFamilies:
    """Tables of families that were all counted before, as a model file holds them."""

    def __init__(self, known: dict[Family, FamilyTable]) -> None:
        self._known = known

    def __call__(self, family: Family) -> FamilyTable:
        """Return the table of a family."""
        return self._known[family]


@register_predictor
class InstanceNetwork:
    """A Bayesian network for classification whose families are chosen row by row.

    Rows in which no dependency holds are treated exactly as the network itself treats them. A missing value
    determines nothing and is determined by nothing; missing values are summed out exactly, in the network that the
    observed values of the row choose.

    Parameters
    ----------
    network : BayesNet
        What applies where no dependency holds: each node's parents are the class and its first k candidates.
    dependencies : FunctionalDependencies
        Which values determine which.
    candidates : sequence of sequences of int
        For each node its possible parents besides the class, best first.
    k : int
        The most parents, besides the class.
    families : callable
        Gives the table of a family (node, parents in node order).
    """

    how = "chooses the parents of features row by row (functional dependencies)"
    caution = (
        "Parents depend on the row through functional dependencies: the network shown is what predicts where no "
        "dependency holds."
    )

    def __init__(
        self,
        network: BayesNet,
        dependencies: FunctionalDependencies,
        candidates: Sequence[Sequence[int]],
        k: int,
        families: Callable[[Family], FamilyTable],
    ) -> None:
        if network.target is None:
            raise ValueError("Parents that depend on the row need a class: this network has no target.")
        self.network = network
        self.dependencies = dependencies
        self.candidates = tuple(tuple(ranked) for ranked in candidates)
        self.k = k
        self.families = families
        self._target = network.dag.index(network.target)
        # Only nodes two of whose usual parents are linked by some dependency are ever treated row by row.
        self._flexible = [
            node
            for node, ranked in enumerate(self.candidates)
            if dependencies.between[np.ix_(ranked[:k], ranked[:k])].any()
        ]
        self._forget()

    def _forget(self) -> None:
        """Start without the forms that are made when they are needed."""
        self._inflexible: CompiledNetwork | None = None
        self._implied: dict[tuple[int, int], dict[int, int]] | None = None
        self._log_tables: dict[Family, FamilyTable] = {}
        self._networks: dict[tuple[Family, ...], CompiledNetwork] = {}

    def __getstate__(self) -> dict[str, object]:
        made = ("_inflexible", "_implied", "_log_tables", "_networks")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names."""
        return self.network.nodes

    @property
    def dag(self) -> DAG:
        """The graph that applies where no dependency holds."""
        return self.network.dag

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log P(class, observed values) per row and class; ``query`` is the class. See `BayesNet.log_joint`."""
        if query != self._target:
            raise ValueError(f"This network answers for its class '{self.network.target}' only.")
        table = rows_of_nodes(rows, self.network.variables, query, n_jobs)
        if not self._flexible or table.n_rows == 0:
            return self.network.log_joint(table, query, n_jobs)
        affected = [j for j in np.flatnonzero(table.has_missing).tolist() if j != query]
        incomplete = (table.codes[:, affected] == table.missing_code).any(axis=1)
        if not incomplete.any():
            return self._complete(table, n_jobs)
        out = np.empty((table.n_rows, self.network.variables[query].arity))
        out[~incomplete] = self._complete(table.take(~incomplete), n_jobs)
        out[incomplete] = self._incomplete(table.take(incomplete), n_jobs)
        return out

    def log_joint_of_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Log-joint of one row of codes that are known to be states or, unless it is complete, missing."""
        row = codes[0].tolist()
        families = tuple(self._family(node, self._parents_in_row(node, row)) for node in self._flexible)
        if not complete:
            return self._kept_network(families).log_joint_of_row(codes, complete=False)
        out = self._compiled_inflexible().log_joint_of_row(codes, complete=True)
        for family in families:
            node, parents = family
            values = tuple(row[j] for j in (*parents, node) if j != self._target)
            out[0] += self._log_table(family)[values]
        return out

    def _parents_in_row(self, node: int, row: list[int]) -> list[int]:
        """Parents of a node in one row: what `parents_of_rows` finds for many."""
        ranked = self.candidates[node]
        usual = list(ranked[: self.k])
        if not any(self._holds(row, x, y) for x in usual for y in usual):
            return usual
        chosen: list[int] = []
        for candidate in ranked:
            if any(self._holds(row, x, candidate) for x in chosen):
                continue
            chosen = [x for x in chosen if not self._holds(row, candidate, x)]
            chosen.append(candidate)
            if len(chosen) == self.k:
                break
        return chosen

    def _holds(self, row: list[int], x: int, y: int) -> bool:
        """Whether the value of column x determines the one that the row has in column y."""
        if self._implied is None:
            found: dict[tuple[int, int], dict[int, int]] = {}
            each = self.dependencies
            lists = (each.columns, each.codes, each.implied_columns, each.implied_codes)
            for column, code, other, implied in zip(*(array.tolist() for array in lists), strict=True):
                found.setdefault((column, code), {})[other] = implied
            self._implied = found
        return self._implied.get((x, row[x]), {}).get(y) == row[y]

    def _kept_network(self, families: tuple[Family, ...]) -> CompiledNetwork:
        compiled = self._networks.pop(families, None)
        if compiled is None:
            compiled = self._with(families).compiled(self._target)
        self._networks[families] = compiled  # at the end: the first one is the one longest unused
        for unused in list(self._networks)[:-KEPT_NETWORKS]:
            self._networks.pop(unused, None)
        return compiled

    def parents_of_rows(self, node: int, codes: Codes) -> NDArray[np.int64]:
        """Parents of a node besides the class, row by row: columns in ascending order, filled up with -1."""
        ranked = self.candidates[node]
        usual = ranked[: self.k]
        chosen = np.full((len(codes), self.k), FREE, dtype=np.int64)
        chosen[:, : len(usual)] = usual
        changed = np.zeros(len(codes), dtype=bool)
        for x in usual:
            for y in usual:
                if self.dependencies.between[x, y]:
                    changed |= self.dependencies.hold(codes, x, y)
        if changed.any():
            chosen[changed] = self._choose(ranked, codes[changed])
        chosen.sort(axis=1)
        return chosen

    def _choose(self, ranked: Parents, codes: Codes) -> NDArray[np.int64]:
        """Go through the candidates; take each unless a chosen one determines it, and drop those it determines.

        A row is done when it has k parents. Of two values that determine each other the better candidate stays.
        """
        chosen = np.full((len(codes), self.k), FREE, dtype=np.int64)
        open_rows = np.arange(len(codes))
        for candidate in ranked:
            rows = codes[open_rows]
            determined = np.zeros(len(open_rows), dtype=bool)
            for slot in range(self.k):
                determined |= self._hold_if_chosen(rows, chosen[open_rows, slot], candidate, by_chosen=True)
            takers, rows = open_rows[~determined], rows[~determined]
            for slot in range(self.k):
                driven_out = self._hold_if_chosen(rows, chosen[takers, slot], candidate, by_chosen=False)
                chosen[takers[driven_out], slot] = FREE
            free_slot = (chosen[takers] == FREE).argmax(axis=1)
            chosen[takers, free_slot] = candidate
            open_rows = open_rows[(chosen[open_rows] == FREE).any(axis=1)]
            if len(open_rows) == 0:
                break
        return chosen

    def _hold_if_chosen(
        self, codes: Codes, chosen: NDArray[np.int64], candidate: int, *, by_chosen: bool
    ) -> NDArray[np.bool_]:
        """Whether the chosen column determines the candidate (or the reverse); False where none is chosen."""
        result: NDArray[np.bool_] = chosen != FREE
        pair = (chosen[result], candidate) if by_chosen else (candidate, chosen[result])
        result[result] = self.dependencies.hold(codes[result], *pair)
        return result

    def _family(self, node: int, feature_parents: Sequence[int]) -> Family:
        present = [parent for parent in feature_parents if parent != FREE]
        return node, tuple(sorted([*present, self._target]))

    def _complete(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Rows without missing values: the inflexible nodes at once, then each flexible one by groups of rows."""
        out = self._compiled_inflexible().log_joint(table, n_jobs)
        for node in self._flexible:
            chosen = self.parents_of_rows(node, table.codes)
            for rows in _equal_rows(chosen, len(self.nodes)):
                family = self._family(node, chosen[rows[0]].tolist())
                members = (j for j in (*family[1], node) if j != self._target)
                values = tuple(table.codes[rows, j].astype(np.int64) for j in members)
                out[rows] += self._log_table(family)[values]
        return out

    def _compiled_inflexible(self) -> CompiledNetwork:
        """Compile the network with tables of ones, without parents, for the flexible nodes."""
        if self._inflexible is not None:
            return self._inflexible
        parents = list(self.dag.parent_indices)
        tables = list(self.network.tables)
        for node in self._flexible:
            parents[node] = ()
            tables[node] = np.ones(self.network.variables[node].arity)
        arities = [variable.arity for variable in self.network.variables]
        dag = DAG.from_parents(self.nodes, parents)
        self._inflexible = CompiledNetwork.compile(dag, tables, arities, self._target)
        return self._inflexible

    def _log_table(self, family: Family) -> FamilyTable:
        """Logarithms of a family's table, the class as the last axis."""
        if family not in self._log_tables:
            with np.errstate(divide="ignore"):
                logarithms = np.log(self.families(family))
            self._log_tables[family] = np.moveaxis(logarithms, family[1].index(self._target), -1)
        return self._log_tables[family]

    def _incomplete(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Rows with missing values: each combination of families is a network of its own."""
        out = np.empty((table.n_rows, self.network.variables[self._target].arity))
        chosen = np.hstack([self.parents_of_rows(node, table.codes) for node in self._flexible])
        for rows in _equal_rows(chosen, len(self.nodes)):
            parts = chosen[rows[0]].reshape(len(self._flexible), self.k).tolist()
            families = [self._family(node, part) for node, part in zip(self._flexible, parts, strict=True)]
            out[rows] = self._with(families).log_joint(table.take(rows), self._target, n_jobs)
        return out

    def _with(self, families: Sequence[Family]) -> BayesNet:
        """Return the network with other families for some of the nodes."""
        parents = list(self.dag.parent_indices)
        tables = list(self.network.tables)
        for node, family_parents in families:
            parents[node] = family_parents
            tables[node] = self.families((node, family_parents))
        dag = DAG.from_parents(self.nodes, parents)
        return BayesNet(self.network.variables, dag, tables, self.network.target)

    def possible_families(self, limit: int) -> list[Family] | None:
        """Every family that some row might use; None if there are more than ``limit``."""
        found: set[Family] = set()
        for node in self._flexible:
            for feature_parents in self._possible_sets(self.candidates[node]):
                found.add(self._family(node, sorted(feature_parents)))
                if len(found) > limit:
                    return None
        return sorted(found)

    def to_dict(self) -> dict[str, Any]:
        """Return what it adds to its network as plain data, the table of every possible family."""
        nodes, families = self.nodes, self.possible_families(MAX_FAMILIES)
        arities = [variable.arity for variable in self.network.variables]
        cells = sum(prod(arities[j] for j in (*parents, node)) for node, parents in families or ())
        if families is None or cells > MAX_FAMILY_CELLS:
            raise ValueError(
                "This model is too large for a model file: its functional dependencies allow more than "
                f"{MAX_FAMILIES:,} families or {MAX_FAMILY_CELLS:,} table cells. Pickle it instead, fit with a "
                "larger min_count, or with functional_dependencies=False."
            )
        return {
            "k": self.k,
            "candidates": {nodes[i]: [nodes[j] for j in ranked] for i, ranked in enumerate(self.candidates)},
            "min_count": self.dependencies.min_count,
            "dependencies": [list(each) for each in self.dependencies],
            "families": [
                {
                    "node": nodes[node],
                    "parents": [nodes[j] for j in parents],
                    "table": self.families((node, parents)).tolist(),
                }
                for node, parents in families
            ],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], network: BayesNet) -> Self:
        """Rebuild it from its network and plain data."""
        index = network.dag.index
        families = {
            (index(item["node"]), tuple(map(index, item["parents"]))): np.array(
                item["table"], dtype=np.float64
            )
            for item in data["families"]
        }
        dependencies = FunctionalDependencies.from_list(
            network.variables, [Dependency(*item) for item in data["dependencies"]], data["min_count"]
        )
        candidates = [[index(name) for name in data["candidates"][node]] for node in network.nodes]
        return cls(network, dependencies, candidates, data["k"], StoredFamilies(families))

    def _possible_sets(self, ranked: Parents) -> Iterator[frozenset[int]]:
        """Every outcome of `_choose`, whatever dependencies hold in a row."""
        between = self.dependencies.between
        seen: set[tuple[int, frozenset[int]]] = set()
        waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        while waiting:
            position, chosen = waiting.pop()
            if (position, chosen) in seen:
                continue
            seen.add((position, chosen))
            if len(chosen) == self.k or position == len(ranked):
                yield chosen
                continue
            candidate = ranked[position]
            if any(between[x, candidate] for x in chosen):
                waiting.append((position + 1, chosen))
            outcomes = [chosen | {candidate}]
            for x in chosen:
                if between[candidate, x]:
                    outcomes += [outcome - {x} for outcome in outcomes]
            waiting += [(position + 1, outcome) for outcome in outcomes]


def _equal_rows(chosen: NDArray[np.int64], n_nodes: int) -> Iterator[NDArray[np.int64]]:
    """Row numbers of each group of equal rows of node numbers (or -1)."""
    partition = Partition.whole(len(chosen))
    for column in chosen.T:
        partition = partition.refine(column + 1, n_nodes + 1)
    by_cell = np.argsort(partition.cells, kind="stable")
    bounds = np.searchsorted(partition.cells[by_cell], np.arange(partition.n_cells + 1))
    return (by_cell[start:stop] for start, stop in pairwise(bounds))
