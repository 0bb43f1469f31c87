"""Counts that grow: rows are added as they come, old ones may be forgotten, and variables may get more states."""

from collections.abc import Iterator, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import listing
from bayleaf.data import Table, Variable

from .contingency import Counts, CountSource, PairCounts, Size, count


class GrowingCounts:
    """The counts of the class with every feature and with every pair of features, of all rows so far.

    Their memory is 8 bytes for each cell, whatever the number of rows: the number of classes times the sum of
    r_i r_j over all pairs of features. More than 2 GiB are refused before they are taken.

    Parameters
    ----------
    variables : sequence of Variable
        The class is the last.
    half_life : float, optional
        Rows after which a row counts half; None where all count the same.
    """

    def __init__(self, variables: Sequence[Variable], half_life: float | None = None) -> None:
        self.variables = tuple(variables)
        self.half_life = half_life
        self.target = len(self.variables) - 1
        self.weighted = half_life is not None
        self.pairs = PairCounts(self.variables, self.target, weighted=self.weighted)
        kind = np.float64 if self.weighted else np.int64
        classes = self.variables[-1].arity
        self.by_class: list[Counts] = [
            np.zeros((classes, variable.arity), dtype=kind) for variable in self.variables[:-1]
        ]
        self.classes: Counts = np.zeros(classes, dtype=kind)
        self.rows = 0
        self.gaps = np.zeros(len(self.variables), dtype=np.int64)  # rows without a value, whatever that means

    @property
    def n_bytes(self) -> int:
        """The memory that the counts take."""
        return self.pairs.cells.nbytes + sum(counts.nbytes for counts in self.by_class) + self.classes.nbytes

    def copy(self) -> "GrowingCounts":
        """Return counts that can grow without these."""
        copied = copy(self)
        copied.pairs = self.pairs.copy()
        return copied  # whatever else there is, is replaced where it grows

    def add(self, table: Table) -> None:
        """Count the rows of a table over the variables."""
        weights = table.weights
        if weights is not None and not self.weighted:
            self.take_weights()
        if self.half_life is not None:
            self._fade(2.0 ** (-table.n_rows / self.half_life))
            ages = np.arange(table.n_rows - 1, -1, -1)
            fading = 2.0 ** (-ages / self.half_life)
            weights = fading if weights is None else weights * fading
        if weights is not table.weights:
            table = Table(table.variables, table.codes, weights, table.target, table.n_jobs)
        if len(self.by_class) > 1:
            self.pairs.add(table)
        features = range(self.target)
        *by_class, classes = count(table, [*([self.target, j] for j in features), [self.target]])
        self.by_class = [np.asarray(old + new) for old, new in zip(self.by_class, by_class, strict=True)]
        self.classes = np.asarray(self.classes + classes)
        self.rows += table.n_rows
        self.gaps = self.gaps + Size.of(table).gaps

    def take_weights(self) -> None:
        """Make sums of weights of numbers of rows."""
        self.weighted = self.pairs.weighted = True
        self.pairs.cells = self.pairs.cells.astype(np.float64)
        self._fade(1.0)  # makes floats of what else there is

    def _fade(self, share: float) -> None:
        self.pairs.cells *= share
        self.by_class = [np.asarray(counts * share) for counts in self.by_class]
        self.classes = np.asarray(self.classes * share)

    def on(self, variables: Sequence[Variable]) -> "GrowingCounts":
        """Return the same counts for variables with more states, or with some left out, wherever these stand."""
        moved = GrowingCounts(variables, self.half_life)
        if self.weighted and not moved.weighted:
            moved.take_weights()
        places = [
            _places(old, new) for old, new in zip(self.variables[:-1], moved.variables[:-1], strict=True)
        ]
        for j, (old, new) in enumerate(places):
            moved.by_class[j][:, new] = self.by_class[j][:, old]
        old_cells = _cells_by_feature(self.pairs, [old for old, _ in places])
        new_cells = _cells_by_feature(moved.pairs, [new for _, new in places])
        for from_cells, to_cells in zip(old_cells, new_cells, strict=True):
            moved.pairs.cells[to_cells] = self.pairs.cells[from_cells]
        moved.classes, moved.rows, moved.gaps = self.classes.copy(), self.rows, self.gaps.copy()
        return moved

    def source(self, n_jobs: int | None = None) -> "GrowingSource":
        """Return the counts as learners take them."""
        return GrowingSource(self, n_jobs)


def _places(old: Variable, new: Variable) -> tuple[list[int], list[int]]:
    """Return the codes of the states that two forms of a variable share, by the one and by the other."""
    codes = {state: code for code, state in enumerate(new.value_states)}
    shared = [(code, codes[state]) for code, state in enumerate(old.value_states) if state in codes]
    if old.gap and new.gap:
        shared.append((old.arity - 1, new.arity - 1))
    return [code for code, _ in shared], [code for _, code in shared]


def _cells_by_feature(pairs: PairCounts, states: Sequence[Sequence[int]]) -> Iterator[NDArray[np.int64]]:
    """Yield by feature i where its counts with all later features stand, of the listed states of each feature.

    An array has the axes class, state of i, and the states of all later features one after the other. The tables of
    hundreds of features with one another are so moved in hundreds of steps, not in one for each pair.
    """
    *arities, classes = (variable.arity for variable in pairs.variables)
    widths = np.array(arities, dtype=np.int64)
    listed = np.array([len(each) for each in states])
    flat = np.array([state for each in states for state in each], dtype=np.int64)
    begin, done = 0, 0
    for i, arity in enumerate(arities):
        done += listed[i]
        later, many = widths[i + 1 :], listed[i + 1 :]
        tables = begin + classes * arity * (later.cumsum() - later)
        rows = np.arange(classes)[:, None] * arity + np.asarray(states[i], dtype=np.int64)
        yield rows[:, :, None] * np.repeat(later, many) + np.repeat(tables, many) + flat[done:]
        begin += classes * arity * int(later.sum())


class GrowingSource(CountSource):
    """What was counted so far as a source: for learners that ask for no more than two features with the class."""

    def __init__(self, counted: GrowingCounts, n_jobs: int | None = None) -> None:
        super().__init__(counted.variables, counted.target, n_jobs)
        self._counted = counted

    @property
    def size(self) -> Size:
        """How much data there is."""
        counted = self._counted
        has_state = np.array([variable.gap for variable in self.variables])
        missing = np.where(has_state, 0, counted.gaps)
        return Size(counted.rows, float(counted.classes.sum()), missing, counted.gaps)

    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Return the counts of sets of columns, each with two features at most."""
        return [self._counts(list(columns)) for columns in sets]

    def _counts(self, columns: list[int]) -> Counts:
        counted, target = self._counted, self._counted.target
        features = [j for j in columns if j != target]
        if len(features) > 2:
            raise ValueError(
                "Only the counts of pairs of features were kept, and a table over "
                f"{listing([self.names[j] for j in features])} needs more: use NaiveBayes, TAN, FAN, ETAN or "
                "KDB(k=1), or fit all rows at once; a learner of your own that asks for such tables has needs = "
                "'counts', not 'pairs'."
            )
        if len(features) == 2:
            counts = counted.pairs.table(features[0], features[1])
        else:
            counts = counted.by_class[features[0]] if features else counted.classes
        axes = [target, *features]
        if target not in columns:
            counts, axes = counts.sum(axis=0), features
        found: Counts = np.ascontiguousarray(counts.transpose([axes.index(column) for column in columns]))
        return found

    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""
        return self._counted.pairs

    def rows(self, most: int) -> Table:
        """Refuse to return rows."""
        raise ValueError("The rows themselves were not kept, only their counts.")

    def distinct_rows(self, most: int) -> Table | None:
        """Return None: the rows themselves were not kept."""
        return None
