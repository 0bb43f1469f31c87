"""Exact distributions by a junction tree, made for each question from the nodes and states that matter to it.

References
----------
S. L. Lauritzen and D. J. Spiegelhalter. Local computations with probabilities on graphical structures and their
application to expert systems. Journal of the Royal Statistical Society B 50, 1988.
F. V. Jensen, S. L. Lauritzen and K. G. Olesen. Bayesian updating in causal probabilistic networks by local
computations. Computational Statistics Quarterly 4, 1990.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core

from .compiled import CompiledNetwork
from .evidence import Evidence

# Entries of all tables that one answer may need: 1 GiB of numbers. More is refused beforehand.
MOST_ENTRIES = 2**27
EXACT, TOO_SMALL, TOO_LARGE = 0, 1, 2


@dataclass(frozen=True)
class QueryCost:
    """What an exact answer needs: entries of the largest table, and of all tables together.

    Examples
    --------
    >>> QueryCost(8, 20).exact
    True
    """

    largest: float
    total: float

    @property
    def exact(self) -> bool:
        """Whether an exact answer is within the limit."""
        return self.total <= MOST_ENTRIES

    def check(self) -> None:
        """Refuse what is beyond the limit.

        Examples
        --------
        >>> QueryCost(1e12, 3e12).check()
        Traceback (most recent call last):
            ...
        ValueError: The exact answer needs tables of 3e+12 entries in all (the limit is 1.3e+08): the network is too
        densely connected for this question. Give more evidence, ask for fewer nodes at once, or pass
        approximate=10_000 where a method has it, for an estimate by likelihood weighting.
        """
        if not self.exact:
            raise ValueError(
                f"The exact answer needs tables of {self.total:.2g} entries in all (the limit is "
                f"{MOST_ENTRIES:.2g}): the network is too densely connected for this question. Give more evidence, "
                "ask for fewer nodes at once, or pass approximate=10_000 where a method has it, for an estimate by "
                "likelihood weighting."
            )


class JunctionTree:
    """Asks the kernel; where numbers leave the range of a float, asks the slower one that works on logarithms.

    Parameters
    ----------
    compiled : CompiledNetwork
        The network laid out without a query.
    """

    def __init__(self, compiled: CompiledNetwork) -> None:
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
        return log_evidence if table is not None else float(self._log_joint(evidence, ())[()])

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
        if table is not None:
            return table
        logs = self._log_joint(evidence, targets)
        if np.isneginf(logs).all():
            raise evidence.impossible()
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def without_table(
        self, evidence: Evidence, targets: Sequence[int], node: int
    ) -> tuple[NDArray[np.float64], float]:
        """Return the product of all tables but one target's, summed to one over targets, and the log of its sum."""
        compiled = self._compiled
        tables = compiled.tables.copy()
        start = compiled.table_offsets[node]
        family = compiled.variables[compiled.offsets[node] : compiled.offsets[node + 1]]
        tables[start : start + compiled.arities[family].prod()] = 1.0
        table, log_sum = self._table(evidence, targets, tables)
        if table is None:
            raise evidence.impossible()
        return table, log_sum

    def _table(
        self, evidence: Evidence, targets: Sequence[int], tables: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.float64] | None, float]:
        """Return the joint distribution of targets and log P(evidence); None where the numbers are too small."""
        order = sorted(targets)
        shape = self.arities[order]
        entries = shape.prod(dtype=np.float64)  # too many are refused before anything is written
        out = np.empty(int(entries) if entries <= MOST_ENTRIES else 0)
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
            MOST_ENTRIES if limit is None else limit,
            out,
        )

    def _log_joint(self, evidence: Evidence, targets: Sequence[int]) -> NDArray[np.float64]:
        """Log P(targets, evidence) on logarithms throughout; soft evidence by adding up over the states it weighs."""
        soft = [node for node in evidence.likelihoods if evidence.codes[node] < 0]
        looped = sorted({*soft, *targets})
        codes = np.array([evidence.codes] * int(self.arities[looped].prod()))
        codes[:, looped] = list(product(*(range(arity) for arity in self.arities[looped].tolist())))
        rows = np.where(codes < 0, np.iinfo(np.uint16).max, codes).astype(np.uint16)
        logs = np.array(
            [self._compiled.log_joint_of_row(row[None], complete=False)[0, 0] for row in rows]  # both orders
        )
        with np.errstate(divide="ignore"):
            for node, likelihood in evidence.likelihoods.items():
                logs += np.log(likelihood)[codes[:, node]]
        cells = logs.reshape(self.arities[looped])
        rest = tuple(axis for axis, node in enumerate(looped) if node not in targets)
        summed = np.logaddexp.reduce(cells, axis=rest) if rest else cells
        left = sorted(targets)
        return np.asarray(summed).transpose([left.index(node) for node in targets])
