"""Exact distributions by a junction tree, made for each question from the nodes and states that matter to it.

References
----------
S. L. Lauritzen and D. J. Spiegelhalter. Local computations with probabilities on graphical structures and their
application to expert systems. Journal of the Royal Statistical Society B 50, 1988.
F. V. Jensen, S. L. Lauritzen and K. G. Olesen. Bayesian updating in causal probabilistic networks by local
computations. Computational Statistics Quarterly 4, 1990.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.graph import DAG

from . import query_cost
from .compiled import CompiledNetwork
from .evidence import UNKNOWN, Evidence, ImpossibleEvidenceError
from .factors import eliminate, elimination_order, network_factors, with_ancestors
from .query_cost import QueryCost

EXACT, TOO_SMALL, TOO_LARGE = 0, 1, 2


class JunctionTree:
    """Asks the kernel; where numbers leave the range of a float, the slower elimination on logarithms.

    Parameters
    ----------
    dag : DAG
    tables : sequence of ndarray
        One per node.
    compiled : CompiledNetwork
        The same, laid out without a query.
    """

    def __init__(self, dag: DAG, tables: Sequence[NDArray[np.float64]], compiled: CompiledNetwork) -> None:
        self._dag = dag
        self._tables = tables
        self._compiled = compiled

    @property
    def arities(self) -> NDArray[np.int64]:
        """The number of states of each node."""
        return self._compiled.arities

    def cost(self, evidence: Evidence, targets: Sequence[int] | None) -> QueryCost:
        """Return what an answer needs, without working it out; no targets (None) means all nodes one by one."""
        _, _, largest, total = self._propagate(evidence, targets, np.empty(0), limit=-1.0)
        return QueryCost(largest, total)

    def log_evidence(self, evidence: Evidence) -> float:
        """Return log P(evidence), -inf where it is impossible."""
        table, log_evidence = self._table(evidence, ())
        if table is not None:
            return log_evidence
        try:
            return self._by_logarithms(evidence, (), self._tables)[1]
        except ImpossibleEvidenceError:
            return -np.inf

    def posteriors(self, evidence: Evidence) -> list[NDArray[np.float64]]:
        """Return the distribution of every node given the evidence."""
        out = np.empty(self.arities.sum())
        answer, _, *cost = self._propagate(evidence, None, out)
        if answer == TOO_LARGE:
            QueryCost(*cost).check()
        if answer == EXACT:
            return np.split(out, np.cumsum(self.arities)[:-1])
        found = []
        for node, arity in enumerate(self.arities.tolist()):
            known = evidence.codes[node]
            found.append(self.joint(evidence, [node]) if known < 0 else np.eye(arity)[known])
        return found

    def joint(self, evidence: Evidence, targets: Sequence[int]) -> NDArray[np.float64]:
        """Return the joint distribution of nodes given the evidence, one axis per target."""
        table, _ = self._table(evidence, targets)
        return self._by_logarithms(evidence, targets, self._tables)[0] if table is None else table

    def without_table(self, evidence: Evidence, targets: Sequence[int], node: int) -> NDArray[np.float64]:
        """Return the product of all tables but that of one of the targets, over the targets, scaled to sum to one."""
        compiled = self._compiled
        flat = compiled.tables.copy()
        start = compiled.table_offsets[node]
        flat[start : start + self._tables[node].size] = 1.0
        table, _ = self._table(evidence, targets, flat)
        if table is not None:
            return table
        others = [np.ones_like(each) if k == node else each for k, each in enumerate(self._tables)]
        return self._by_logarithms(evidence, targets, others)[0]

    def _table(
        self, evidence: Evidence, targets: Sequence[int], tables: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.float64] | None, float]:
        """Return the joint distribution of targets and log P(evidence); None where the numbers are too small."""
        order = sorted(targets)
        shape = self.arities[order]
        entries = shape.prod(dtype=np.float64)  # too many are refused before anything is written
        out = np.empty(int(entries) if entries <= query_cost.MOST_ENTRIES else 0)
        answer, log_evidence, *cost = self._propagate(evidence, order, out, tables=tables)
        if answer == TOO_LARGE:
            QueryCost(*cost).check()
        if answer == TOO_SMALL:
            return None, log_evidence
        return out.reshape(shape).transpose([order.index(node) for node in targets]), log_evidence

    def _propagate(
        self,
        evidence: Evidence,
        targets: Sequence[int] | None,
        out: NDArray[np.float64],
        *,
        limit: float | None = None,
        tables: NDArray[np.float64] | None = None,
    ) -> tuple[int, float, float, float]:
        compiled = self._compiled
        offsets = np.full(len(compiled.arities), -1, dtype=np.int64)
        weights: list[NDArray[np.float64]] = []
        position = 0
        for node, likelihood in evidence.likelihoods.items():
            offsets[node] = position
            weights.append(likelihood)
            position += len(likelihood)
        return _core.propagate(
            compiled.arities,
            compiled.variables,
            compiled.strides,
            compiled.offsets,
            compiled.table_offsets,
            compiled.tables if tables is None else tables,
            evidence.codes,
            np.concatenate(weights) if weights else np.empty(0),
            offsets,
            np.array(targets or (), dtype=np.int64),
            targets is None,
            query_cost.MOST_ENTRIES if limit is None else limit,
            out,
        )

    def _by_logarithms(
        self, evidence: Evidence, targets: Sequence[int], tables: Sequence[NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], float]:
        """Return the joint distribution of targets and the logarithm of what it was before it summed to one."""
        nodes = with_ancestors(self._dag, [*targets, *evidence.nodes])
        factors = network_factors(self._dag, tables, nodes, evidence)
        summed = [node for node in nodes if evidence.codes[node] == UNKNOWN and node not in targets]
        _, left = eliminate(factors, elimination_order(factors, self.arities, [summed]), self.arities)
        logs = np.zeros(self.arities[list(targets)])
        for factor in left:
            logs = logs + factor.over(targets)
        top = logs.max()
        if np.isneginf(top):
            raise evidence.impossible()
        weights = np.exp(logs - top)
        return weights / weights.sum(), float(top + np.log(weights.sum()))
