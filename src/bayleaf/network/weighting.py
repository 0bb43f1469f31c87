"""Likelihood weighting: estimates where exact answers cost too much.

References
----------
R. Fung and K.-C. Chang. Weighing and integrating evidence for stochastic simulation in Bayesian networks. UAI, 1989.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import warn
from bayleaf.data import Variable
from bayleaf.graph import DAG

from .factors import draw_codes
from .known_states import UNKNOWN, Evidence

# Fewer rows than this count as no estimate.
FEW_ROWS = 100


@dataclass(frozen=True)
class WeightedRows:
    """Rows drawn by likelihood weighting, with the logarithms of their weights.

    Parameters
    ----------
    variables : tuple of Variable
    codes : ndarray of int64
        One row per draw, one column per node.
    log_weights : ndarray
    """

    variables: tuple[Variable, ...]
    codes: NDArray[np.int64]
    log_weights: NDArray[np.float64]

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weights, which sum to one."""
        raw = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(raw / raw.sum())

    @property
    def effective_sample_size(self) -> float:
        """How many rows of equal weight these are worth: 1 / sum of the squared weights."""
        return float(1.0 / (self.weights**2).sum())

    @property
    def log_evidence(self) -> float:
        """An estimate of log P(evidence)."""
        top = self.log_weights.max()
        return float(top + np.log(np.exp(self.log_weights - top).mean()))

    def joint(self, nodes: Sequence[int]) -> NDArray[np.float64]:
        """Estimate the joint distribution of nodes, by number; warns where few rows count."""
        if self.effective_sample_size < FEW_ROWS:
            warn(
                f"Of {len(self.codes):,} weighted rows only about {self.effective_sample_size:.0f} count: the "
                "estimate is poor. Draw more rows."
            )
        shape = [self.variables[node].arity for node in nodes]
        cells = np.ravel_multi_index(tuple(self.codes[:, node] for node in nodes), shape)
        sums = np.asarray(np.bincount(cells, self.weights, int(np.prod(shape))), dtype=np.float64)
        return sums.reshape(shape)

    def posterior(self, v: str) -> dict[Any, float]:
        """Estimate the distribution of one variable: state to probability."""
        names = [variable.name for variable in self.variables]
        if v not in names:
            raise ValueError(f"There is no node '{v}' among the rows.")
        node = names.index(v)
        return dict(zip(self.variables[node].states, self.joint([node]).tolist(), strict=True))


def weighted_rows(
    variables: tuple[Variable, ...],
    dag: DAG,
    tables: Sequence[NDArray[np.float64]],
    evidence: Evidence,
    n: int,
    rng: np.random.Generator,
) -> WeightedRows:
    """Draw rows that agree with the evidence, each with its weight."""
    codes = np.empty((n, len(variables)), dtype=np.int64)
    log_weights = np.zeros(n)
    with np.errstate(divide="ignore"):
        for node in dag.topological_indices:
            table = tables[node].reshape(-1, tables[node].shape[-1])
            configuration = np.zeros(n, dtype=np.int64)
            for parent in dag.parent_indices[node]:
                configuration = configuration * variables[parent].arity + codes[:, parent]
            likelihood = evidence.likelihoods.get(node)
            code = evidence.codes[node]
            if code == UNKNOWN:
                codes[:, node] = draw_codes(table, configuration, rng)
            else:
                codes[:, node] = code
                log_weights += np.log(table[:, code])[configuration]
            if likelihood is not None:
                log_weights += np.log(likelihood)[codes[:, node]]
    if np.isneginf(log_weights).all():
        raise ValueError(
            f"None of {n:,} weighted rows agrees with the evidence, which is improbable or impossible: draw more, or "
            "ask for the exact answer."
        )
    return WeightedRows(variables, codes, log_weights)
