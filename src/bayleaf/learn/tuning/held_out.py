"""What networks say of rows that they have not seen, and how good it is.

Rows in an order that depends on their content alone; the loss of held-out rows; the cells of a graph's tables, from
which scores out of sample are made; networks that are learned without one of several folds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, logsumexp

from bayleaf._native import _core
from bayleaf.counts import count
from bayleaf.counts.contingency import MAX_CELLS, Countable
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.parameters.shrinkage import STRENGTHS, levels_of_families, parent_order
from bayleaf.network.compiled import CompiledNetwork
from bayleaf.network.decisions import cheapest

FloatArray = NDArray[np.float64]
Target = NDArray[np.int32]
Cells = NDArray[np.int32]


def class_codes(table: Table) -> Target:
    """Return the class of every row, for kernels."""
    return np.ascontiguousarray(table.codes[:, table.target], dtype=np.int32)


def order_of_content(table: Table, seed: int = 0) -> NDArray[np.int64]:
    """Return the rows of a table in an order that depends on their values, not on where they stand.

    Classes come one after the other, and within them rows as if shuffled, equal ones together. Another order of the
    table's rows or columns gives the same sequence of rows.
    """
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in table.features:
        variable = table.variables[column]
        if variable.arity == 1:  # carries no information, and must not matter
            continue
        numbers = np.random.default_rng([seed, *variable.name.encode()]).integers(
            2**64, size=variable.arity + 1, dtype=np.uint64
        )
        key += numbers[np.minimum(table.codes[:, column], variable.arity)]
    weights = np.zeros(table.n_rows) if table.weights is None else table.weights
    return np.lexsort((weights, key, table.codes[:, table.target]))


def log_softmax(scores: FloatArray) -> FloatArray:
    """Return the logarithms of the probabilities of the classes for scores [row, class]."""
    normalised: FloatArray = scores - logsumexp(scores, axis=-1, keepdims=True)
    return normalised


def held_out_loss(
    scores: FloatArray, target: Target, weights: FloatArray | None = None, doubt: FloatArray | None = None
) -> float:
    """Return the mean log-loss of scores [row, class].

    With ``doubt``, a row counts for each class as much as this says, and with the rest for its own: see
    `doubt_about`.
    """
    logarithms = log_softmax(scores)
    said = logarithms[np.arange(len(target)), target]
    if doubt is not None:
        said = (1 - doubt.sum()) * said + logarithms @ doubt
    return -float(np.average(said, weights=weights))


def doubt_about(target: Target, classes: int, weights: FloatArray | None = None) -> FloatArray:
    """Return how much of a row's label is doubted, by class: as if one row more had come whose class nobody knows.

    Rows that are separated without an error would make scores as large as penalties allow, and a new row that is
    an error after all would then cost as much. With this doubt no probability is surer than the rows can show.
    """
    counts = np.bincount(target, weights, minlength=classes)
    total = float(counts.sum())
    doubt: FloatArray = (counts + 1) / (total + classes) / (total + 1)
    return doubt


@dataclass(frozen=True)
class FamilyCells:
    """The families that are informative about the class, and the numbers of the cells of their tables.

    A family is a node and its parents but the class, in the order in which they are taken up by `Shrinkage`. Its
    cells are those of all levels, without a parent, with the first, with the first two, ..., so that a row with a
    missing parent finds one on the level below. Cells are numbered through all families.
    """

    families: tuple[tuple[int, ...], ...]  # columns of the table, the node first
    arities: tuple[int, ...]  # states of all columns of the table
    target: int  # the column of the class

    @classmethod
    def of(cls, table: Countable, dag: DAG) -> "FamilyCells":
        """Return the families of the children of a table's class, each with its parents in order."""
        assert table.target is not None
        parents_of = dag.parent_indices
        children = [node for node, parents in enumerate(parents_of) if table.target in parents]
        families = []
        for node in children:
            parents = [table.target, *(parent for parent in parents_of[node] if parent != table.target)]
            if len(parents) > 2:
                counts = count(table, [[*parents, node]])[0]
                order = parent_order(counts, [parent == table.target for parent in parents])
                parents = [parents[axis] for axis in order]
            families.append((node, *parents[1:]))
        return cls(tuple(families), tuple(int(arity) for arity in table.arities), table.target)

    @cached_property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """The number of cells on each level of each family."""
        return tuple(
            tuple(accumulate((self.arities[column] for column in family), lambda size, arity: size * arity))
            for family in self.families
        )

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The number of each family's first cell, and of all cells."""
        first = np.array([0, *accumulate(sum(levels) for levels in self.sizes)], dtype=np.int64)
        if first[-1] >= MAX_CELLS:
            raise ValueError(
                f"The tables of this graph have {first[-1]:,} cells in all, more than {MAX_CELLS:,}: use fewer "
                "parents or fewer states."
            )
        return first

    @cached_property
    def n_cells(self) -> int:
        """The number of cells of all families and levels."""
        return int(self.first[-1])

    @cached_property
    def slices(self) -> tuple[tuple[slice, ...], ...]:
        """Where the cells of each family are that know none of its parents, the first, the first two, ..."""
        found = []
        for sizes, first in zip(self.sizes, self.first.tolist(), strict=False):
            starts = accumulate(sizes, initial=first)
            found.append(
                tuple(slice(start, start + size) for size, start in zip(sizes, starts, strict=False))
            )
        return tuple(found)

    @cached_property
    def depth(self) -> int:
        """The most parents of a node, the class left aside."""
        return max((len(family) - 1 for family in self.families), default=0)

    def cells(self, table: Table, most_parents: int | None = None) -> Cells:
        """Return the cell of each row, [family, row]; -1 where the node is missing.

        It is one of the deepest level of which the row has all parents, and that has no more parents than said.
        """
        most = self.depth if most_parents is None else most_parents
        out = np.empty((len(self.families), table.n_rows), dtype=np.int32)
        columns = np.array([column for family in self.families for column in family], dtype=np.int64)
        offsets = np.array([0, *accumulate(map(len, self.families))], dtype=np.int64)
        arities = np.array(self.arities, dtype=np.int64)
        _core.family_cells(table.codes, columns, offsets, self.first[:-1], arities, most, out, table.n_jobs)
        return out

    def log_tables(self, table: Countable, strengths: Sequence[float] = STRENGTHS) -> FloatArray:
        """Return the logarithm of the shrunk estimate of every cell and class, from the counts of a table's rows.

        A state that no row has carries no evidence: all classes get zero.
        """
        tables, unseen = self.estimates(table, strengths)
        tables[unseen] = 0.0
        return tables

    def estimates(
        self, table: Countable, strengths: Sequence[float] = STRENGTHS
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return the same, of states that no row has too, and which cells are of such states."""
        classes = self.arities[self.target]
        tables, silent = np.empty((self.n_cells, classes)), np.zeros(self.n_cells, dtype=bool)
        counted = count(table, [[self.target, *family[1:], family[0]] for family in self.families])
        estimates = levels_of_families(counted, strengths)
        for counts, levels, start in zip(counted, estimates, self.first.tolist(), strict=False):
            unseen = counts.sum(axis=tuple(range(counts.ndim - 1))) == 0
            some_unseen, stop = unseen.any(), start
            for level in levels[1:]:  # all that know the class
                axes = range(level.ndim - 2, 0, -1)  # cells of the first parent lie nearest to each other
                arranged = np.log(np.transpose(level, [*axes, level.ndim - 1, 0]).reshape(-1, classes))
                start, stop = stop, stop + len(arranged)
                tables[start:stop] = arranged
                if some_unseen:
                    silent[start:stop] = np.tile(unseen, len(arranged) // len(unseen))
        return tables, silent

    def of_nodes(self, tables: FloatArray, dag: DAG) -> dict[int, FloatArray]:
        """Return what `log_tables` says of the states of each family given all parents, as a network has it."""
        found = {}
        for number, family in enumerate(self.families):
            shape = [self.arities[column] for column in (*family[:0:-1], family[0])]
            last = tables[self.slices[number][len(family) - 1]].reshape(*shape, -1)
            axes = [*family[:0:-1], family[0], self.target]
            wanted = [*dag.parent_indices[family[0]], family[0]]
            found[family[0]] = np.transpose(last, [axes.index(column) for column in wanted])
        return found


def log_prior(table: Table) -> FloatArray:
    """Return log (N_c + 1) / (N + classes) for each class."""
    assert table.target is not None
    counts = count(table, [[table.target]])[0]
    prior: FloatArray = np.log((counts + 1.0) / (counts.sum() + len(counts)))
    return prior


Learn = Callable[[Table], DAG]
# Of states that the rows of a fold's network do not have.
IMPROBABLE = 1e-6


@dataclass(frozen=True)
class FoldModel:
    """A graph with shrunk tables, learned without one of the folds."""

    rows: NDArray[np.int64]  # of the fold, which it has not seen
    dag: DAG
    families: FamilyCells
    tables: FloatArray  # [cell, class]: logarithms of the estimates
    prior: FloatArray  # logarithms of the class probabilities

    def network(self) -> CompiledNetwork:
        """Return it as a network that answers for the class. States that no row had are no evidence."""
        families = self.families
        tables = {families.target: np.exp(self.prior)}
        for node, logs in families.of_nodes(self.tables, self.dag).items():
            table = np.where(logs == 0.0, IMPROBABLE, np.exp(logs))
            tables[node] = table / table.sum(axis=-1, keepdims=True)
        for node, parents in enumerate(self.dag.parent_indices):
            if (
                node not in tables
            ):  # it does not depend on the class: as if all its states were equally probable
                shape = [families.arities[column] for column in (*parents, node)]
                tables[node] = np.full(shape, 1.0 / shape[-1])
        in_order = [tables[node] for node in range(len(tables))]
        return CompiledNetwork.compile(self.dag, in_order, families.arities, families.target)


def fold_models(
    table: Table, learn: Learn, fold: NDArray[np.uint8], strengths: Sequence[float] = STRENGTHS
) -> list[FoldModel]:
    """Learn a network without each of the folds.

    ``learn`` returns the graph for a table of some of the rows; the tables are shrunk as by `Shrinkage`.
    """
    models = []
    for k in np.unique(fold):
        others = table.take(fold != k)
        dag = learn(others)
        families = FamilyCells.of(others, dag)
        tables = families.log_tables(others, strengths)
        models.append(FoldModel(np.flatnonzero(fold == k), dag, families, tables, log_prior(others)))
    return models


def log_joints(table: Table, models: Sequence[FoldModel]) -> FloatArray:
    """Return log P(class, known values) of each row, by the network that was learned without it."""
    assert table.target is not None
    found = np.empty((table.n_rows, int(table.arities[table.target])))
    for model in models:
        found[model.rows] = model.network().log_joint(table.take(model.rows), table.n_jobs)
    return found


def score_members(
    table: Table, models: Sequence[FoldModel], levels: Sequence[int | None] = (None,)
) -> NDArray[np.float32]:
    """Score every row of a table by the network that was learned from the others: [member, row, class].

    Members are log P(c), then log P(x | parents, c) of every feature in the order of the columns, one level after the
    other; ``levels`` are the most parents that are looked at, None for all. A missing value adds nothing, and neither
    does a feature that is not a child of the class; a missing parent is left out with those after it.
    """
    assert table.target is not None
    features, classes = table.features, int(table.arities[table.target])
    place = {column: number for number, column in enumerate(features, start=1)}
    scores = np.zeros((1 + len(levels) * len(features), table.n_rows, classes), dtype=np.float32)
    for model in models:
        held_out = table.take(model.rows)
        scores[0, model.rows] = model.prior
        own = np.array([place[family[0]] for family in model.families.families], dtype=np.int64)
        for number, level in enumerate(levels):
            cells, members = model.families.cells(held_out, level), own + number * len(features)
            _core.scores_of_cells(cells, members, model.rows, model.tables, scores, table.n_jobs)
    return scores


# Shares of the values that are hidden, row by row in turn.
HIDDEN_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
# Rows with hidden values: each row is taken several times up to the first number, and some of them above the second.
FEWEST_HIDDEN, MOST_HIDDEN = 600, 2000
# So large a share of the rows has no more gaps than a usual row.
USUAL_ROWS = 0.9


def rows_to_hide_from(n_rows: int, seed: int = 0) -> tuple[NDArray[np.int64], FloatArray]:
    """Return row numbers, evenly from all rows, and how large a share of the values to hide in each.

    Examples
    --------
    >>> rows, shares = rows_to_hide_from(150)
    >>> len(rows), int(np.bincount(rows).min()), np.unique(shares).tolist()
    (600, 4, [0.1, 0.3, 0.5, 0.7, 0.9])
    """
    total = min(max(n_rows, FEWEST_HIDDEN), MOST_HIDDEN)
    rows = (
        np.linspace(0, n_rows - 1, total).astype(np.int64) if total <= n_rows else np.arange(total) % n_rows
    )
    # In any order: the same share must not always meet the same rows.
    return rows, np.random.default_rng(seed).permutation(np.resize(HIDDEN_SHARES, total))


def usual_gaps(gaps: NDArray[np.int64], weights: FloatArray | None = None) -> int:
    """Return the number of gaps that nine of ten rows do not exceed."""
    rows_by_gaps = np.bincount(gaps, weights).cumsum()
    # Rounding must not decide where it is exactly nine of ten.
    return int(np.searchsorted(rows_by_gaps, USUAL_ROWS * rows_by_gaps[-1] * (1.0 - 1e-9)))


# One log-loss is clearly lower than another if they are this many standard errors apart.
CLEARLY = 2.0
# A class with less probability than this is surprising.
SURPRISING, NOT_FAR_ABOVE = 0.02, 1.25


@dataclass(frozen=True)
class OutOfSample:
    """How good probabilities are that training rows get from what was learned without them, and class frequencies.

    Attributes
    ----------
    rows : int
        How many training rows were judged.
    log_loss, accuracy, brier : float
    frequencies_log_loss, frequencies_accuracy, frequencies_brier : float
        What the class frequencies alone reach.
    gain_error : float
        Standard error of the difference of both log-losses.
    costs : tuple of tuples, optional
        What decisions cost, [true class, decision]. Accuracies are those of the decisions of smallest expected cost;
        without costs, of the most probable class.
    cost, frequencies_cost : float, optional
        The mean cost of these decisions, and of the decision that is cheapest by the class frequencies.
    expected_log_loss : float or None
        The log-loss that the probabilities themselves expect, the mean of their entropies: above it, they are too
        sure. None where a model file does not say.
    loss_shape, surprise_shape, entropy_shape : tuple of float or None
        Standard deviation and skewness of a row's log-loss, of what it is above its entropy, and of its entropy.
    chances : tuple of tuples or None
        Mean, standard deviation and skewness of the probabilities of each class.
    surprising : float or None
        The share of rows whose class was nearly impossible: its probability is below ``SURPRISING``, or not far
        above: it does not matter then that many rows may have about the same probability.

    Examples
    --------
    >>> probabilities, classes, prior = np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([0, 1]), np.array([0.5, 0.5])
    >>> print(OutOfSample.of(probabilities, classes, prior))
    log-loss 0.367, accuracy 1.000, Brier score 0.200 (class frequencies 0.693, 0.500, 0.500)
    >>> careful = OutOfSample.of(probabilities, classes, prior, costs=np.array([[0, 1], [5, 0]]))
    >>> careful.cost, careful.accuracy
    (0.5, 0.5)
    """

    rows: int
    log_loss: float
    accuracy: float
    brier: float
    frequencies_log_loss: float
    frequencies_accuracy: float
    frequencies_brier: float
    gain_error: float = 0.0
    costs: tuple[tuple[float, ...], ...] | None = None
    cost: float | None = None
    frequencies_cost: float | None = None
    expected_log_loss: float | None = None
    loss_shape: tuple[float, float] | None = None
    surprise_shape: tuple[float, float] | None = None
    entropy_shape: tuple[float, float] | None = None
    chances: tuple[tuple[float, float, float], ...] | None = None
    surprising: float | None = None

    @classmethod
    def of(
        cls,
        probabilities: NDArray[np.float64],
        target: NDArray[Any],
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        costs: NDArray[np.float64] | None = None,
    ) -> "OutOfSample":
        """Judge probabilities [row, class] of rows with these classes, and those of the class frequencies.

        ``costs`` [true class, decision] are what decisions cost; by default the most probable class is chosen.
        """
        usual = np.tile(prior, (len(target), 1))
        decided = [decisions(each, prior, costs) for each in (probabilities, usual)]
        found = cls(
            len(target),
            *_judge(probabilities, target, decided[0], weights),
            *_judge(usual, target, decided[1], weights),
            gain_error=_gain_error(probabilities, usual, target, weights),
            **_surprise(probabilities, target, weights),
        )
        if costs is None:
            return found
        cost, usual_cost = (float(np.average(costs[target, each], weights=weights)) for each in decided)
        return replace(found, costs=_as_tuples(costs), cost=cost, frequencies_cost=usual_cost)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "OutOfSample":
        """Rebuild it from plain data; what is absent there has its default."""
        pairs = ("loss_shape", "surprise_shape", "entropy_shape")
        known = {name: tuple(data[name]) for name in pairs if data.get(name) is not None}
        tables = {name: _as_tuples(data[name]) for name in ("costs", "chances") if data.get(name) is not None}
        return cls(**{**data, **known, **tables})

    def for_costs(self, costs: NDArray[np.float64] | None) -> "OutOfSample":
        """Return what is known where decisions have these costs by now; see `without_decisions`.

        Examples
        --------
        >>> found = OutOfSample.of(np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([0, 1]), np.array([0.5, 0.5]))
        >>> print(found.for_costs(np.array([[0, 1], [5, 0]])))
        log-loss 0.367, Brier score 0.200 (class frequencies 0.693, 0.500); loss was changed after fit, and its ...
        """
        return (
            self if self.costs == (None if costs is None else _as_tuples(costs)) else self.without_decisions()
        )

    def without_decisions(self) -> "OutOfSample":
        """Return what does not depend on decisions: accuracies are NaN, and no mean cost is known.

        Examples
        --------
        >>> OutOfSample(9, 0.5, 0.75, 0.25, 0.7, 0.5, 0.5).without_decisions().figures()
        [('log-loss', 0.5, 0.7), ('Brier score', 0.25, 0.5)]
        """
        return replace(
            self, accuracy=nan, frequencies_accuracy=nan, costs=None, cost=None, frequencies_cost=None
        )

    def figures(self) -> list[tuple[str, float, float]]:
        """Return each figure that is known: its name, its value, and that of the class frequencies.

        Examples
        --------
        >>> OutOfSample(9, 0.5, 0.75, 0.25, 0.7, 0.5, 0.5).figures()[1]
        ('accuracy', 0.75, 0.5)
        """
        found = [("log-loss", self.log_loss, self.frequencies_log_loss)]
        if self.cost is not None and self.frequencies_cost is not None:
            found.append(("mean cost", self.cost, self.frequencies_cost))
        if not isnan(self.accuracy):
            found.append(("accuracy", self.accuracy, self.frequencies_accuracy))
        return [*found, ("Brier score", self.brier, self.frequencies_brier)]

    def shortfall(self) -> str | None:
        """Say that the model is not clearly better than the class frequencies, if that is so; None if it is.

        It is where its log-loss is lower by two standard errors: as far as that, noise is fitted now and then.
        """
        if self.frequencies_log_loss - self.log_loss > CLEARLY * self.gain_error:
            return None
        told = [f"{name} {own:.3f} (theirs {theirs:.3f})" for name, own, theirs in self.figures()[:-1]]
        return f"not clearly better than the class frequencies: {', '.join(told)}"

    def __str__(self) -> str:
        names, own, theirs = zip(*self.figures(), strict=True)
        told = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, own, strict=True))
        unknown = (
            "; loss was changed after fit, and its decisions were not measured"
            if isnan(self.accuracy)
            else ""
        )
        return f"{told} (class frequencies {', '.join(f'{value:.3f}' for value in theirs)}){unknown}"


def _as_tuples(costs: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in costs)


def decisions(
    probabilities: NDArray[np.float64], prior: NDArray[np.float64], costs: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """Return the most probable class of each row, or the decision of smallest expected cost."""
    chosen: NDArray[np.int64] = (
        probabilities.argmax(axis=1) if costs is None else cheapest(probabilities, costs, prior)
    )
    return chosen


def _surprise(
    probabilities: NDArray[np.float64], target: NDArray[Any], weights: NDArray[np.float64] | None
) -> dict[str, Any]:
    """Return the log-loss that probabilities expect of themselves, and how their losses are spread."""
    own = probabilities[np.arange(len(target)), target]
    losses, entropies = -np.log(np.maximum(own, np.finfo(float).tiny)), entr(probabilities).sum(axis=1)
    _, *loss = _shape(losses, weights)
    _, *surprise = _shape(losses - entropies, weights)
    expected, *entropy = _shape(entropies, weights)
    return {
        "expected_log_loss": expected,
        "loss_shape": tuple(loss),
        "surprise_shape": tuple(surprise),
        "entropy_shape": tuple(entropy),
        "chances": tuple(_shape(column, weights) for column in probabilities.T),
        "surprising": float(np.average(own < NOT_FAR_ABOVE * SURPRISING, weights=weights)),
    }


def _shape(values: FloatArray, weights: FloatArray | None) -> tuple[float, float, float]:
    """Return mean, standard deviation and skewness."""
    mean = float(np.average(values, weights=weights))
    apart = values - mean
    squares = apart * apart
    second, third = (float(np.average(each, weights=weights)) for each in (squares, squares * apart))
    return mean, second**0.5, third / second**1.5 if second > 1e-24 else 0.0


def _gain_error(
    probabilities: NDArray[np.float64],
    usual: NDArray[np.float64],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
) -> float:
    rows, least = np.arange(len(target)), np.finfo(float).tiny
    gains = np.log(np.maximum(probabilities[rows, target], least) / np.maximum(usual[rows, target], least))
    each = np.ones(len(target)) if weights is None else weights
    spread = each * (gains - np.average(gains, weights=each))
    return float(np.sqrt((spread**2).sum()) / each.sum())


def _judge(
    probabilities: NDArray[np.float64],
    target: NDArray[Any],
    decided: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
) -> tuple[float, float, float]:
    """Return log-loss, accuracy and Brier score."""
    figures = row_figures(probabilities, target, decided)
    return tuple(float(np.average(each, weights=weights)) for each in figures)  # type: ignore[return-value]


def row_figures(
    probabilities: FloatArray, target: NDArray[Any], decided: NDArray[np.int64]
) -> list[NDArray[Any]]:
    """Return log-loss, whether the decision is right, and Brier score of each row."""
    own = probabilities[np.arange(len(target)), target]
    losses = -np.log(np.maximum(own, np.finfo(float).tiny))
    return [losses, decided == target, (probabilities**2).sum(axis=1) - 2 * own + 1]
