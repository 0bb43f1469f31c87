"""From the raw rows of a batch to codes, by a schema that was learned before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.counts import ChangedDataError
from bayleaf.data import Schema, Table, encode
from bayleaf.data.known_values import UnknownValueError
from bayleaf.data.table import OwnCodes, empty_codes, missing_code

from .class_labels import ClassLabels
from .row_rules import RowRules, Weights


@dataclass(frozen=True)
class ClassCodes:
    """The code of each class, and what a row of it weighs.

    Parameters
    ----------
    order : ndarray of int
        The code of each number that `ClassLabels` has given.
    factors : ndarray, optional
        What the weight of a row is multiplied by, for each code.

    Examples
    --------
    >>> ClassCodes(np.array([1, 0]), np.array([3.0, 1.0])).of(np.array([0, 1]), None)
    (array([1, 0]), array([1., 3.]))
    """

    order: NDArray[np.int64]
    factors: Weights

    def of(self, target: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Weights]:
        """Return the codes of classes in the order of the labels, and the weights with those of the classes."""
        codes = self.order[target]
        if self.factors is None:
            return codes, weights
        return codes, self.factors[codes] if weights is None else self.factors[codes] * weights


@dataclass(frozen=True)
class RowEncoder:
    """Encodes batches, here or wherever it is sent to.

    Parameters
    ----------
    rules : RowRules
    labels : ClassLabels
        All that there are.
    classes : ClassCodes
    schema : Schema
    n_jobs : int, optional
    """

    rules: RowRules
    labels: ClassLabels
    classes: ClassCodes
    schema: Schema
    n_jobs: int | None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.rules.weight is not None or self.classes.factors is not None

    def table(self, frame: pl.DataFrame) -> Table | None:
        """Return the rows of a batch that count, encoded; None where none does."""
        batch = self.rules.labelled(frame, self.labels)
        if not batch.frame.height:
            return None
        variables = self.schema.variables
        try:
            table = encode(
                self.schema, batch.frame.select(self.rules.features), unknown="error", n_jobs=self.n_jobs
            )
        except UnknownValueError as error:
            raise ChangedDataError(f"The data changed while they were read: {error}") from None
        target, weights = self.classes.of(batch.target, batch.weights)
        codes = empty_codes(table.n_rows, variables)
        codes[:, :-1] = table.codes
        if codes.dtype != table.codes.dtype:
            codes[:, :-1][table.codes == table.missing_code] = missing_code(codes.dtype)
        codes[:, -1] = target
        missing = np.append(table.has_missing, False)
        return Table(variables, codes, weights, len(variables) - 1, self.n_jobs, own=OwnCodes(missing))
