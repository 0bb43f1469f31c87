"""Everything that a pool has learned, added up: one table per distinct family, and a form per Gaussian network."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .additive import AdditiveScore, Form, Reading, Term
from .class_tables import ClassTables
from .flat_start import FlatStart
from .gaussians import GaussianNetwork
from .grids import FloatArray, Grid, GridCodes, PoolRows
from .members import Network
from .refining import Branch

# Numbers of tables are kept with so many decimals: a score is a sum of some hundred.
DECIMALS = 5


class Collapse:
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
