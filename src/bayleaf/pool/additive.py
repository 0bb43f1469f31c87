"""The score by which a pool predicts, and how all that the pool has learned is added up to it.

The score is one number for each cell of its tables, and a few quadratic forms, added up: one table per distinct
family, and a form per Gaussian network.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .class_tables import ClassTables
from .grids import FloatArray, Grid, GridCodes, IntArray, PoolRows, offsets_of
from .linear_members import FlatStart, GaussianNetwork
from .members import Network
from .refining import Branch


@dataclass(frozen=True)
class Reading:
    """A column on a grid: the state of each of its codes; the last is that of a missing value."""

    column: int
    states: GridCodes

    @property
    def arity(self) -> int:
        """The number of states."""
        return int(self.states.max()) + 1

    def of(self, codes: NDArray[Any]) -> GridCodes:
        """Return the states of codes of the column, the largest of which means missing."""
        return np.take(self.states, codes, mode="clip")


@dataclass(frozen=True)
class Term:
    """A table over some readings.

    Attributes
    ----------
    readings : tuple of int
        Positions in the list of the score; the last changes fastest.
    table : float32 array of shape (cells, scores)
    """

    readings: tuple[int, ...]
    table: NDArray[np.float32]


@dataclass(frozen=True)
class Form:
    """Quadratic forms - x' M x / 2 in numbers that the codes of some columns stand for.

    Attributes
    ----------
    columns : tuple of int
    values : tuple of ndarray
        The number of each code of a column; the last is that of a missing value, 0.
    matrices : ndarray of shape (scores, columns, columns)
    """

    columns: tuple[int, ...]
    values: tuple[FloatArray, ...]
    matrices: FloatArray

    def numbers(self, codes: NDArray[Any]) -> FloatArray:
        """Return the numbers of rows of codes, [row, column]."""
        return np.column_stack(
            [np.take(own, codes[:, j], mode="clip") for j, own in zip(self.columns, self.values, strict=True)]
        )


@dataclass(frozen=True)
class AdditiveScore:
    """Scores of all classes but the first, against the first: bias + entries of tables + quadratic forms.

    Attributes
    ----------
    bias : ndarray of shape (scores,)
    readings : tuple of Reading
    terms : tuple of Term
    forms : tuple of Form
    """

    bias: FloatArray
    readings: tuple[Reading, ...]
    terms: tuple[Term, ...]
    forms: tuple[Form, ...]

    @property
    def n_numbers(self) -> int:
        """How many numbers the tables and forms have."""
        forms = sum(form.matrices.size for form in self.forms)
        return int(self.bias.size + sum(term.table.size for term in self.terms) + forms)

    def has_evidence(self) -> bool:
        """Whether any column tells the classes apart."""
        return bool(self.forms) or any(term.table.any() for term in self.terms)

    def contributions(self, codes: NDArray[Any]) -> FloatArray:
        """Return what each column adds to the scores of rows, [row, column, score]; they and the bias are the scores.

        The entry of a table over several columns is divided equally among those whose value is known. Of a product in
        a quadratic form each factor gets half.
        """
        rows, columns = codes.shape
        added = np.zeros((rows, columns, len(self.bias)))
        for term in self.terms:
            entries = term.table[self.cells(term, codes)].astype(np.float64)
            own = [self.readings[k].column for k in term.readings]
            known = np.stack(
                [
                    codes[:, j] < len(self.readings[k].states) - 1
                    for j, k in zip(own, term.readings, strict=True)
                ]
            )
            share = 1.0 / np.maximum(known.sum(axis=0), 1)  # without any value there is nothing to share
            for j, is_known in zip(own, known, strict=True):
                added[:, j] += np.where(is_known, share, 0.0)[:, None] * entries
        for form in self.forms:
            numbers = form.numbers(codes)
            for k, matrix in enumerate(form.matrices):
                added[:, form.columns, k] -= 0.5 * numbers * (numbers @ matrix)
        return added

    def cells(self, term: Term, codes: NDArray[Any]) -> IntArray:
        """Return the cell of each row in a table."""
        cells = np.zeros(len(codes), dtype=np.int64)
        for k in term.readings:
            reading = self.readings[k]
            cells = cells * reading.arity + reading.of(codes[:, reading.column])
        return cells

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the score as the kernel takes it: see cpp/pool/additive.hpp."""
        arities = [reading.arity for reading in self.readings]
        strides = [_strides([arities[k] for k in term.readings]) for term in self.terms]
        return (
            np.array([reading.column for reading in self.readings], dtype=np.int64),
            offsets_of([len(reading.states) for reading in self.readings]),
            _joined([reading.states for reading in self.readings], np.uint16),
            offsets_of([len(term.readings) for term in self.terms]),
            np.array([k for term in self.terms for k in term.readings], dtype=np.int64),
            np.array([stride for own in strides for stride in own], dtype=np.int64),
            offsets_of([term.table.size for term in self.terms]),
            _joined([term.table.ravel() for term in self.terms], np.float32),
            offsets_of([len(form.columns) for form in self.forms]),
            np.array([j for form in self.forms for j in form.columns], dtype=np.int64),
            offsets_of([len(own) for form in self.forms for own in form.values]),
            _joined([own for form in self.forms for own in form.values], np.float64),
            offsets_of([form.matrices.size for form in self.forms]),
            _joined([form.matrices.ravel() for form in self.forms], np.float64),
            np.ascontiguousarray(self.bias),
        )


def _strides(arities: Sequence[int]) -> list[int]:
    strides = [1]
    for arity in reversed(arities[1:]):
        strides.append(strides[-1] * arity)
    return strides[::-1]


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype, copy=False)


# Decimals of the numbers in tables: a score is a sum of some hundred.
DECIMALS = 5


class ScoreSum:
    """Collects what adds up to the score of a pool, and joins what lies on the same readings.

    Whatever depends on one column alone becomes one table over the codes of this column. Scores are taken against the
    first class, and what all classes share is dropped.
    """

    def __init__(self, rows: PoolRows) -> None:
        self._rows = rows
        self._bias = np.zeros(rows.classes)
        self._single: dict[int, FloatArray] = {}
        self._tables: dict[tuple[tuple[int, bytes], ...], FloatArray] = {}
        self._states: dict[tuple[int, bytes], GridCodes] = {}
        self._forms: list[Form] = []

    def add_bias(self, bias: FloatArray) -> None:
        """Add a number to the score of each class."""
        self._bias += bias

    def scale(self, weight: float) -> None:
        """Multiply all that has been added."""
        self._bias *= weight
        self._single = {column: weight * table for column, table in self._single.items()}
        self._tables = {key: weight * table for key, table in self._tables.items()}
        self._forms = [replace(form, matrices=weight * form.matrices) for form in self._forms]

    def add_column(self, column: int, table: FloatArray) -> None:
        """Add a table over the codes of a column, a missing value last, [code, class]."""
        self._single[column] = self._single.get(column, 0.0) + table

    def add_table(self, grid: Grid, columns: tuple[int, ...], table: FloatArray) -> None:
        """Add a table over some columns on a grid, [cell, class], the last column changing fastest."""
        if len(columns) == 1:
            self.add_column(columns[0], table[grid.states[columns[0]]])
            return
        order = np.argsort(columns)
        shape = [int(grid.arities[j]) for j in columns]
        arranged = np.transpose(table.reshape(*shape, -1), [*order, len(columns)]).reshape(table.shape)
        key = tuple((columns[k], grid.states[columns[k]].tobytes()) for k in order)
        self._states.update({part: grid.states[part[0]] for part in key})
        self._tables[key] = self._tables.get(key, 0.0) + arranged

    def add_networks(self, networks: Sequence[Network], weights: FloatArray, features: FloatArray) -> None:
        """Add the networks that have a weight."""
        for network, weight in zip(networks, weights.tolist(), strict=True):
            if weight > 0:
                self.add_network(network, weight, features)

    def add_network(self, network: Network, weight: float, features: FloatArray) -> None:
        """Add the tables of a network, with a weight for all and one for each column."""
        for column, table in enumerate(network.tables(self._rows)):
            columns = (*network.parents[column], column)
            self.add_table(network.grid, columns, weight * features[column] * table)

    def add_gaussian(self, network: GaussianNetwork, weight: float) -> None:
        """Add the densities of a Gaussian network."""
        density, columns = network.density, tuple(network.values)
        self.add_bias(weight * density.constant)
        values = {column: self._of_codes(column, own) for column, own in network.values.items()}
        for k, (column, own) in enumerate(values.items()):
            self.add_column(column, weight * np.outer(own, density.linear[:, k]))
        if density.quadratic is not None:
            against = weight * (density.quadratic[1:] - density.quadratic[0])
            self._forms.append(Form(columns, tuple(values.values()), against))

    def add_flat_start(self, learned: FlatStart, weight: float) -> None:
        """Add linear scores."""
        self.add_bias(weight * learned.bias)
        for column, table in learned.states.items():
            self.add_column(column, weight * table)
        for column, (values, coefficients) in learned.numbers.items():
            self.add_column(column, weight * np.outer(self._of_codes(column, values), coefficients))

    def add_class_tables(self, learned: ClassTables, weight: float) -> None:
        """Add the mean of what tables of the class say.

        The last cell, in which all is missing, has the frequencies of the classes: no column has a part in these.
        """
        share = weight / len(learned.tables)
        for each in learned.tables:
            frequencies = each.table[-1]
            self.add_bias(share * frequencies)
            self.add_table(each.grid, each.columns, share * (each.table - frequencies))

    def add_corrections(self, branch: Branch) -> None:
        """Add the corrections of tables."""
        for family, table in branch.tables():
            self.add_table(family.grid, family.columns, table)

    def _of_codes(self, column: int, values: FloatArray) -> FloatArray:
        """Return the number of every code of a column: those of its intervals, zero for a gap or a missing value."""
        codes = len(self._rows.columns.counts[column]) + 1
        return np.concatenate([values, np.zeros(codes - len(values))])

    def score(self) -> AdditiveScore:
        """Return the sum, for the columns of the table that the rows came from."""
        places = self._rows.places
        keys = {key: number for number, key in enumerate(self._states)}
        readings = [Reading(places[column], self._states[column, states]) for column, states in keys]
        terms = [
            Term(tuple(keys[part] for part in key), _against_first(table))
            for key, table in self._tables.items()
        ]
        for column, table in sorted(self._single.items()):
            terms.append(Term((len(readings),), _against_first(table)))
            readings.append(Reading(places[column], np.arange(len(table), dtype=np.uint16)))
        forms = [
            Form(tuple(places[j] for j in form.columns), form.values, form.matrices) for form in self._forms
        ]
        return AdditiveScore(self._bias[1:] - self._bias[0], tuple(readings), tuple(terms), tuple(forms))


def _against_first(table: FloatArray) -> NDArray[np.float32]:
    return (table[:, 1:] - table[:, :1]).round(DECIMALS).astype(np.float32)
