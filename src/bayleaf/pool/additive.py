"""The score by which a pool predicts: one number for each cell of its tables, and a few quadratic forms, added up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grids import FloatArray, GridCodes, IntArray, offsets_of


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

    Examples
    --------
    >>> reading = Reading(0, np.array([0, 1, 2], dtype=np.uint16))
    >>> term = Term((0,), np.array([[1.0], [2.0], [0.0]], dtype=np.float32))
    >>> score = AdditiveScore(np.array([0.5]), (reading,), (term,), ())
    >>> score.contributions(np.array([[1], [255]], dtype=np.uint8)).tolist()
    [[[2.0]], [[0.0]]]
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
        """Return the score as the kernel has it: see cpp/pool/additive.hpp."""
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
