"""What is known of a network's nodes, and exact answers from that.

The junction tree of the kernel answers; where its floats are too small, elimination on logarithms does.
Elimination also gives what needs a way back through it: the best states, and rows drawn given evidence.

References
----------
R. Dechter. Bucket elimination: a unifying framework for reasoning. Artificial Intelligence 113, 1999.
S. L. Lauritzen and D. J. Spiegelhalter. Local computations with probabilities on graphical structures and their
application to expert systems. Journal of the Royal Statistical Society B 50, 1988.
F. V. Jensen, S. L. Lauritzen and K. G. Olesen. Bayesian updating in causal probabilistic networks by local
computations. Computational Statistics Quarterly 4, 1990.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import check_param
from bayleaf._util.words import listing
from bayleaf.data import Variable
from bayleaf.data.raw_columns import is_missing
from bayleaf.data.table import Codes
from bayleaf.graph import DAG, min_fill_order

from .compiled import CompiledNetwork

# Entries of all tables that one answer may need: 1 GiB of numbers. More is refused beforehand.
MOST_ENTRIES = 2**27
# What the kernel says of an answer.
EXACT, TOO_SMALL, TOO_LARGE = 0, 1, 2
Tables = Sequence[NDArray[np.float64]]


UNKNOWN = -1
# What users say is known: states by the names of nodes, or weights of the states.
KnownStates = Mapping[str, object] | None
StateWeights = Mapping[str, Any] | None


class ImpossibleEvidenceError(ValueError):
    """The evidence has probability zero."""


@dataclass(frozen=True)
class Evidence:
    """States of some nodes by number, and likelihoods of the states of others."""

    codes: NDArray[np.int64]  # the state of each node, or UNKNOWN
    likelihoods: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)  # a weight per state
    shown: tuple[str, ...] = ()  # each piece of evidence in words, for messages

    def with_state(self, node: int, code: int) -> "Evidence":
        """Return the evidence with one more node known."""
        codes = self.codes.copy()
        codes[node] = code
        return Evidence(codes, self.likelihoods, self.shown)

    def softened(self, nodes: Sequence[int], arities: NDArray[np.int64]) -> "Evidence":
        """Return the same evidence with the states of some nodes as likelihoods, which leave them as variables."""
        codes, likelihoods = self.codes.copy(), dict(self.likelihoods)
        for node in nodes:
            if codes[node] != UNKNOWN:
                weights = np.zeros(arities[node])
                weights[codes[node]] = likelihoods.get(node, np.ones(arities[node]))[codes[node]]
                likelihoods[node], codes[node] = weights, UNKNOWN
        return Evidence(codes, likelihoods, self.shown)

    @property
    def nodes(self) -> list[int]:
        """The nodes of which something is known."""
        return sorted({*np.flatnonzero(self.codes != UNKNOWN).tolist(), *self.likelihoods})

    def impossible(self) -> "ImpossibleEvidenceError":
        """Return the error for evidence that cannot be."""
        return ImpossibleEvidenceError(
            f"The evidence has probability zero under this network: {listing(self.shown, most=12)}."
        )


def read_evidence(
    caller: str,
    variables: Sequence[Variable],
    dag: DAG,
    evidence: KnownStates,
    soft: StateWeights = None,
    asked: Sequence[str] = (),
) -> Evidence:
    """Check evidence that a user gives, and turn names and states into numbers; see `BayesNet`.

    ``caller`` is what the user called, and ``asked`` are nodes that are asked for, which cannot be known.
    """
    check_param(caller, "evidence", evidence, Mapping, allow_none=True)
    check_param(caller, "soft", soft, Mapping, allow_none=True)
    codes = np.full(len(variables), UNKNOWN, dtype=np.int64)
    shown = []
    for name, state in (evidence or {}).items():
        node = dag.index(name)
        if is_missing(state):
            continue
        if name in asked:
            raise ValueError(f"'{name}' is both the query and evidence: remove it from one of the two.")
        codes[node] = variables[node].code(state)
        shown.append(f"{name} = {state!r}")
    likelihoods = {}
    for name, weights in (soft or {}).items():
        node = dag.index(name)
        likelihoods[node] = _weights(variables[node], weights)
        shown.append(f"{name} with weights {likelihoods[node].tolist()}")
    return Evidence(codes, likelihoods, tuple(shown))


def _weights(variable: Variable, given: Any) -> NDArray[np.float64]:
    """Return one weight per state, checked."""
    of = f"The soft evidence on '{variable.name}'"
    if isinstance(given, Mapping):
        by_code = {variable.code(state): weight for state, weight in given.items()}
        absent = [state for code, state in enumerate(variable.states) if code not in by_code]
        if absent:
            raise ValueError(f"{of} has no weight for {listing(map(repr, absent))}: give one to every state.")
        given = [by_code[code] for code in range(variable.arity)]
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (variable.arity,):
        raise ValueError(
            f"{of} must be {variable.arity} weights, one per state, or a mapping from states to weights. "
            f"Got {given!r} instead."
        )
    if not (weights.min() >= 0 and 0 < weights.max() < np.inf):
        raise ValueError(
            f"{of} must be weights, zero or more, not all of them 0. Got {weights.tolist()} instead."
        )
    return weights


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
        """Refuse what is beyond the limit."""
        if not self.exact:
            raise ValueError(
                f"The exact answer needs tables of {self.total:.2g} entries in all (the limit is "
                f"{MOST_ENTRIES:.2g}): the network is too densely connected for this question. Give more evidence, "
                "ask for fewer nodes at once, or pass approximate=10_000 where a method has it, for an estimate by "
                "likelihood weighting."
            )


@dataclass(frozen=True)
class Factor:
    """Logarithms over the states of some variables, one axis per variable."""

    scope: tuple[int, ...]
    logs: NDArray[np.float64]

    def over(self, scope: Sequence[int]) -> NDArray[np.float64]:
        """Return the logarithms with one axis per variable of a larger scope, of length one for the others'."""
        order = [self.scope.index(variable) for variable in scope if variable in self.scope]
        moved = iter(self.logs.transpose(order).shape)
        return self.logs.transpose(order).reshape(
            [next(moved) if variable in self.scope else 1 for variable in scope]
        )


@dataclass(frozen=True)
class Bucket:
    """The product of all tables that hold a variable when its turn comes; its axis is the last."""

    scope: tuple[int, ...]
    logs: NDArray[np.float64]

    @property
    def variable(self) -> int:
        """The variable that is eliminated here."""
        return self.scope[-1]


def with_ancestors(dag: DAG, nodes: Sequence[int]) -> list[int]:
    """Return nodes and all their ancestors, in node order: no other table matters to them."""
    found: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += dag.parent_indices[node]
    return sorted(found)


def network_factors(dag: DAG, tables: Tables, nodes: Sequence[int], evidence: Evidence) -> list[Factor]:
    """Return the tables of some nodes as logarithms, with the evidence put in."""
    factors = []
    with np.errstate(divide="ignore"):
        for node in nodes:
            family = (*dag.parent_indices[node], node)
            known = [evidence.codes[member] for member in family]
            cut = tables[node][tuple(slice(None) if code == UNKNOWN else code for code in known)]
            scope = tuple(member for member, code in zip(family, known, strict=True) if code == UNKNOWN)
            factors.append(Factor(scope, np.log(cut)))
            if node in evidence.likelihoods:
                weights = np.log(evidence.likelihoods[node])
                code = evidence.codes[node]
                factors.append(Factor((node,), weights) if code == UNKNOWN else Factor((), weights[code]))
    return factors


@dataclass(frozen=True)
class EliminationOrder:
    """Variables in the order of their elimination, each with the variables that its bucket joins it to."""

    scopes: tuple[tuple[int, ...], ...]
    cost: QueryCost


def elimination_order(
    factors: Sequence[Factor], arities: NDArray[np.int64], stages: Sequence[Sequence[int]]
) -> EliminationOrder:
    """Order variables by min-fill, those of one stage before those of the next, and say what it costs."""
    joined = np.zeros((len(arities), len(arities)), dtype=bool)
    for factor in factors:
        joined[np.ix_(factor.scope, factor.scope)] = True
    np.fill_diagonal(joined, False)
    scopes = []
    for stage in stages:
        for variable in min_fill_order(joined, stage):
            others = np.flatnonzero(joined[variable])
            joined[np.ix_(others, others)] = True
            joined[others, others] = False
            joined[variable, :] = joined[:, variable] = False
            scopes.append((*others.tolist(), variable))
    sizes = [float(arities[list(scope)].prod(dtype=np.float64)) for scope in scopes]
    return EliminationOrder(tuple(scopes), QueryCost(max(sizes, default=1.0), sum(sizes)))


def eliminate(
    factors: Sequence[Factor],
    order: EliminationOrder,
    arities: NDArray[np.int64],
    maximized: frozenset[int] = frozenset(),
) -> tuple[list[Bucket], list[Factor]]:
    """Eliminate variables in order: by the maximum those that are maximised, the others by sums.

    Return the buckets in this order, and what is left over the variables that were not eliminated.
    """
    order.cost.check()
    waiting = list(factors)
    buckets = []
    for scope in order.scopes:
        mine = [factor for factor in waiting if scope[-1] in factor.scope]
        waiting = [factor for factor in waiting if scope[-1] not in factor.scope]
        logs = np.zeros(arities[list(scope)])
        for factor in mine:
            logs += factor.over(scope)
        buckets.append(Bucket(scope, logs))
        reduced = logs.max(axis=-1) if scope[-1] in maximized else log_sum(logs)
        waiting.append(Factor(scope[:-1], reduced))
    return buckets, waiting


def constant(factors: Sequence[Factor]) -> float:
    """Return the logarithm of the product of factors that have no variable left."""
    return float(sum(factor.logs.item() for factor in factors))


def log_sum(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the sum over the last axis."""
    top = logs.max(axis=-1, keepdims=True)
    top[np.isneginf(top)] = 0.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0])


def best_states(buckets: Sequence[Bucket], maximized: frozenset[int], codes: NDArray[np.int64]) -> None:
    """Write the best state of every maximised variable into codes, the last eliminated first."""
    for bucket in reversed(buckets):
        if bucket.variable in maximized:
            codes[bucket.variable] = bucket.logs[tuple(codes[list(bucket.scope[:-1])])].argmax()


def draw_states(buckets: Sequence[Bucket], codes: Codes, rng: np.random.Generator) -> None:
    """Draw the variables of all buckets for every row of codes, the last eliminated first."""
    for bucket in reversed(buckets):
        configuration = np.zeros(len(codes), dtype=np.int64)
        for variable, arity in zip(bucket.scope[:-1], bucket.logs.shape[:-1], strict=True):
            configuration = configuration * arity + codes[:, variable]
        met, position = np.unique(configuration, return_inverse=True)
        logs = bucket.logs.reshape(-1, bucket.logs.shape[-1])[met]
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))  # what rows have met is possible
        codes[:, bucket.variable] = draw_codes(weights, position, rng)


def draw_downwards(
    dag: DAG, tables: Tables, codes: Codes, rng: np.random.Generator, skip: frozenset[int] = frozenset()
) -> None:
    """Draw nodes from the top for every row of codes, except those that rows have already."""
    for node in dag.topological_indices:
        if node in skip:
            continue
        table = tables[node]
        configuration = np.zeros(len(codes), dtype=np.int64)
        for parent, arity in zip(dag.parent_indices[node], table.shape[:-1], strict=True):
            configuration = configuration * arity + codes[:, parent]
        codes[:, node] = draw_codes(table.reshape(-1, table.shape[-1]), configuration, rng)


def draw_codes(
    weights: NDArray[np.float64], configuration: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw one state per row: row i has the distribution ``weights[configuration[i]]``, which need not sum to one."""
    cumulative = np.cumsum(weights, axis=1)
    # Inverse transform, configuration by configuration: one sorted search in all of them at once.
    starts = np.arange(len(cumulative))
    staircase = (cumulative / cumulative[:, -1:] + starts[:, None]).ravel()
    # Adding may round up to the next configuration's first step, whose state could be an impossible one.
    uniform = np.minimum(
        rng.random(len(configuration)) + configuration, np.nextafter(configuration + 1.0, 0.0)
    )
    return np.asarray(np.searchsorted(staircase, uniform, side="right") - configuration * weights.shape[1])


def most_probable(
    dag: DAG, tables: Tables, known: Evidence, asked: Sequence[int]
) -> tuple[NDArray[np.int64], float]:
    """Return codes with the most probable states of some nodes together, and log P(those states, evidence).

    All other nodes are summed over.
    """
    arities = np.array([table.shape[-1] for table in tables])
    nodes = with_ancestors(dag, [*asked, *known.nodes])
    factors = network_factors(dag, tables, nodes, known)
    maximized = frozenset(asked)
    summed = [node for node in nodes if known.codes[node] == UNKNOWN and node not in maximized]
    order = elimination_order(factors, arities, [summed, asked])
    buckets, left = eliminate(factors, order, arities, maximized)
    log_best = constant(left)
    if np.isneginf(log_best):
        raise known.impossible()
    codes = known.codes.copy()
    best_states(buckets, maximized, codes)
    return codes, log_best


def draw_rows(dag: DAG, tables: Tables, known: Evidence, codes: Codes, rng: np.random.Generator) -> None:
    """Draw all rows of codes given the evidence.

    The nodes above the evidence are drawn backwards through the elimination, those below downwards.
    """
    arities = np.array([table.shape[-1] for table in tables])
    above = with_ancestors(dag, known.nodes)
    factors = network_factors(dag, tables, above, known)
    given = known.codes != UNKNOWN
    order = elimination_order(factors, arities, [[node for node in above if not given[node]]])
    buckets, left = eliminate(factors, order, arities)
    if np.isneginf(constant(left)):
        raise known.impossible()
    codes[:, given] = known.codes[given]
    draw_states(buckets, codes, rng)
    draw_downwards(dag, tables, codes, rng, skip=frozenset(above))


class JunctionTree:
    """Asks the kernel; where numbers leave the range of a float, the slower elimination on logarithms."""

    def __init__(self, dag: DAG, tables: Tables, compiled: CompiledNetwork) -> None:
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

    def _by_logarithms(
        self, evidence: Evidence, targets: Sequence[int], tables: Tables
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
