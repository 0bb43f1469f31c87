"""How questions to a network are answered that a junction tree alone does not answer: see the methods of `BayesNet`.

References
----------
E. Castillo, J. M. Gutierrez and A. S. Hadi. Sensitivity analysis in discrete Bayesian networks. IEEE Transactions on
Systems, Man and Cybernetics A 27, 1997.
V. M. H. Coupe and L. C. van der Gaag. Properties of sensitivity analysis of Bayesian belief networks. Annals of
Mathematics and Artificial Intelligence 36, 2002.
R. Fung and K.-C. Chang. Weighing and integrating evidence for stochastic simulation in Bayesian networks. UAI, 1989.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import make_frame
from bayleaf._util.words import warn
from bayleaf.data import Variable
from bayleaf.graph import DAG

from .inference import UNKNOWN, Evidence, JunctionTree, draw_codes

# Fewer rows than this count as no estimate.
FEW_ROWS = 100


class MostProbable(NamedTuple):
    """States that are most probable together, and how probable they are given the evidence."""

    states: dict[str, Any]
    probability: float


def information_with(tree: JunctionTree, known: Evidence, node: int, other: int) -> float:
    """Return the mutual information of two nodes given the evidence, in nats."""
    own = tree.joint(known, [node])
    states = np.flatnonzero(own > 0).tolist()
    joint = tree.joint(known, [node, other])
    return _information(own[states], joint[states] / own[states, None])


def information_with_all(tree: JunctionTree, known: Evidence, node: int) -> dict[int, float]:
    """Return the mutual information of a node with each other that the evidence leaves open, the largest first."""
    own = tree.joint(known, [node])
    states = np.flatnonzero(own > 0).tolist()
    given = [tree.posteriors(known.with_state(node, state)) for state in states]
    found = {
        other: _information(own[states], np.array([each[other] for each in given]))
        for other in np.flatnonzero(known.codes == UNKNOWN).tolist()
        if other != node
    }
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _information(own: NDArray[np.float64], given: NDArray[np.float64]) -> float:
    """Return I(A; B) from P(A) and P(B | A), one row per state of A that is possible."""
    mixed = own @ given
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(given > 0, given * np.log(given / mixed), 0.0)
    return max(0.0, float(own @ terms.sum(axis=1)))


def sensitivity_frame(
    tree: JunctionTree,
    known: Evidence,
    variables: Sequence[Variable],
    table: NDArray[np.float64],
    family: Sequence[int],
    asked: int,
    code: int,
    backend: str | None,
) -> Any:
    """Return the frame of `BayesNet.sensitivity`, for the table of a family of nodes."""
    targets = [*family, *([] if asked in family else [asked])]
    rest = tree.without_table(known.softened(family, tree.arities), targets, family[-1])
    if asked in family:
        hit = np.zeros(rest.shape[family.index(asked)])
        hit[code] = 1.0
        with_state = rest * hit.reshape([-1 if member == asked else 1 for member in family])
    else:
        with_state, rest = rest[..., code], rest.sum(axis=-1)
    now = (table * rest).sum()
    if not now > 0:
        if np.isneginf(tree.log_evidence(known)):
            raise known.impossible()
        raise ValueError(
            f"The evidence is so improbable that the table of '{variables[family[-1]].name}' cannot be varied within "
            "the range of a float."
        )
    alpha, beta = linear_in_entries(table, with_state / now)
    gamma, delta = linear_in_entries(table, rest / now)
    below = gamma * table + delta
    members = [variables[node] for node in family]
    rows = list(product(*(variable.states for variable in members)))
    columns: dict[str, list[Any]] = {
        variable.name: [row[k] for row in rows] for k, variable in enumerate(members)
    }
    figures = {
        "probability": table,
        "posterior": (alpha * table + beta) / below,
        "derivative": (alpha * delta - beta * gamma) / below**2,
        "alpha": alpha,
        "beta": beta,
        "gamma": gamma,
        "delta": delta,
    }
    for name, values in figures.items():
        while name in columns:  # a variable may have this very name
            name += "_"
        columns[name] = values.ravel().tolist()
    return make_frame(columns, backend)


def linear_in_entries(
    table: NDArray[np.float64], rest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and intercept of sum(table * rest) in each entry of the table, the rest of its row co-varying."""
    arity = table.shape[-1]
    products = table * rest
    others = products.sum(axis=-1, keepdims=True) - products
    # What the other entries of the row contribute when they sum to one together.
    left = 1.0 - table
    evenly = (rest.sum(axis=-1, keepdims=True) - rest) / max(1, arity - 1)
    certain = left <= 0
    shared = np.where(certain, evenly, others / np.where(certain, 1.0, left))
    constant = products.sum() - products.sum(axis=-1, keepdims=True)
    return rest - shared, shared + constant


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
