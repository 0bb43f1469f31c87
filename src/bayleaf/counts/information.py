"""Entropy and mutual information, in nats: of tables of counts, of all pairs of features at once, of named columns.

A contingency table of many columns has a cell for every combination of their states, nearly all of them empty. A
partition of the rows has a cell for every combination that occurs: never more cells than rows.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from bayleaf._native import _core
from bayleaf._util.machine import refuse_without_room
from bayleaf._util.params import check_param
from bayleaf.data import Table, categorical_table
from bayleaf.data.table import Codes

from .contingency import DECIMALS, Countable, Counts, CountSource, count

# A list of flags over all possible keys beats sorting the rows while it is not much longer than they are.
FLAGS_PER_ROW = 32
# With more features, what pairs share takes gigabytes: nine sums a pair, and two matrices made of them.
MANY_FEATURES = 2000
BYTES_PER_PAIR = 9 * 8 // 2 + 2 * 8
# Rows of a matrix that are mirrored at once: fewer than a cache holds.
BLOCK = 128
Columns = str | Sequence[str]


def required_target(data: Countable, asker: str) -> int:
    """Return the class column of data, or say who needs one.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> required_target(Table.from_codes((Variable("x", ("a",)),), [[0]]), "TAN")
    Traceback (most recent call last):
    ValueError: TAN needs a class: the table has no target column.
    """
    if data.target is None:
        raise ValueError(f"{asker} needs a class: the table has no target column.")
    return data.target


def required_classes(table: Table, asker: str) -> int:
    """Return the class column of a table, or say who needs one with the class of every row."""
    target = required_target(table, asker)
    if table.n_rows and table.has_missing[target]:
        raise ValueError(
            f"{asker} needs the class of every row: the target has missing values. Leave such rows out."
        )
    return target


def entropy_of_counts(counts: Counts, axes: int | None = None) -> NDArray[np.float64]:
    """Entropy of the distribution that a table of counts describes.

    Parameters
    ----------
    counts : ndarray
    axes : int, optional
        How many of the last axes make up one table; the axes before them are separate tables. All by default.

    Examples
    --------
    >>> entropy_of_counts(np.array([2, 2])).round(4)
    np.float64(0.6931)
    """
    over = tuple(range(-(counts.ndim if axes is None else axes), 0))
    total = counts.sum(axis=over)
    sums = xlogy(counts, counts).sum(axis=over)
    known = total > 0
    safe = np.where(known, total, 1)
    result: NDArray[np.float64] = np.where(known, np.log(safe) - sums / safe, 0.0)
    return result[()]


def mutual_information_of_counts(counts: Counts) -> NDArray[np.float64]:
    """Mutual information I(A; B) of two-way tables; axes before the last two are separate tables.

    Examples
    --------
    >>> mutual_information_of_counts(np.array([[2, 0], [0, 2]])).round(4)
    np.float64(0.6931)
    """
    left = entropy_of_counts(counts.sum(axis=-1), axes=1)
    right = entropy_of_counts(counts.sum(axis=-2), axes=1)
    return np.maximum(0.0, (left + right - entropy_of_counts(counts, axes=2)).round(DECIMALS))


@dataclass(frozen=True)
class PairInformation:
    """All pairwise information measures between features, and with the class.

    Each method returns a matrix over the features of the table, in column order.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> a, b, c = (Variable(name, ("0", "1")) for name in "abc")
    >>> rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> PairInformation.of(Table.from_codes((a, b, c), rows, target=2)).given_class().round(4)
    array([[0.    , 0.6931], [0.6931, 0.    ]])
    """

    sums: NDArray[np.float64]
    n_features: int

    @classmethod
    def of(cls, table: Countable, *, smoothing: float = 0.0) -> "PairInformation":
        """Count all pairs of features of a table, or of another source of counts, that has a class.

        ``smoothing`` rows are spread evenly over the cells of each joint table (1 for Laplace smoothing).
        """
        target = required_target(table, "Pairwise information")
        if isinstance(table, CountSource):
            sums = table.pairs().sums(table.has_missing, smoothing, table.n_jobs)
            return cls(sums, len(table.features))
        assert isinstance(table, Table)
        rows = table.without_whole_weights()
        features = np.array(table.features, dtype=np.int64)
        n = len(features)
        if n > MANY_FEATURES:
            refuse_without_room(
                BYTES_PER_PAIR * n * n,
                f"What all pairs of {n:,} features share",
                "leave features out, or use naive Bayes",
            )
        sums = np.zeros((n * (n - 1) // 2, 9))
        _core.pair_sums(
            rows.codes, rows.arities, features, target, rows.weights, smoothing, sums, table.n_jobs
        )
        return cls(sums, n)

    def rows(self) -> NDArray[np.float64]:
        """Return the weight of the rows where both features and the class are known, zero on the diagonal."""
        return self._matrix(self.sums[:, 8])

    def given_class(self) -> NDArray[np.float64]:
        """I(X_i; X_j | C)."""
        cij, ci, cj, c, *_ = self.sums.T
        return self._symmetric(cij - ci - cj + c)

    def marginal(self) -> NDArray[np.float64]:
        """I(X_i; X_j)."""
        ij, i, j, none = self.sums.T[4:8]
        return self._symmetric(ij - i - j + none)

    def joint_with_class(self) -> NDArray[np.float64]:
        """I(C; X_i, X_j)."""
        cij, _, _, c, ij, _, _, none, _ = self.sums.T
        return self._symmetric(cij - ij - c + none)

    def class_given_other(self) -> NDArray[np.float64]:
        """I(C; X_i | X_j), row i, column j."""
        cij, ci, cj, _, ij, i, j, _, _ = self.sums.T
        matrix = self._symmetric(cij - ij - cj + j)
        lower = self._symmetric(cij - ij - ci + i)
        rows, columns = np.tril_indices(self.n_features, -1)
        matrix[rows, columns] = lower[rows, columns]
        return matrix

    def with_class(self) -> NDArray[np.float64]:
        """I(X_i; C), a vector, over the rows where the first other feature is known as well."""
        first = self.sums[: self.n_features - 1]  # the pairs (0, j)
        by_pair = np.vstack([first[:1, [1, 3, 5, 7, 8]], first[:, [2, 3, 6, 7, 8]]])
        ci, c, i, none, total = by_pair.T
        information: NDArray[np.float64] = (ci - c - i + none) / np.where(total > 0, total, 1.0)
        return np.maximum(information, 0.0).round(DECIMALS)

    def _symmetric(self, pair_values: NDArray[np.float64]) -> NDArray[np.float64]:
        total = self.sums[:, 8]
        per_row = np.divide(pair_values, total, out=np.zeros_like(pair_values), where=total > 0)
        return self._matrix(np.maximum(per_row, 0.0).round(DECIMALS))

    def _matrix(self, pair_values: NDArray[np.float64]) -> NDArray[np.float64]:
        n = self.n_features
        matrix: NDArray[np.float64] = np.zeros((n, n))
        first = 0
        for i in range(n - 1):  # row by row: lists of all places would be as large as the matrix
            matrix[i, i + 1 :] = pair_values[first : first + n - 1 - i]
            first += n - 1 - i
        for i in range(0, n, BLOCK):
            own = matrix[i : i + BLOCK, i : i + BLOCK]
            own += own.T.copy()
            matrix[i + BLOCK :, i : i + BLOCK] = matrix[i : i + BLOCK, i + BLOCK :].T
        return matrix


@dataclass(frozen=True)
class ChanceInformation:
    """Information expected by chance: what independent columns seem to share, since the rows are finitely many.

    To first order, which is too little or too much where rows are fewer than cells (Miller 1955):

        I(X; C): (r - 1) (r_C - 1) / 2N        I(X; Y | C): sum over the classes of (r - 1) (s - 1) / 2N

    Here r and s are the states that rows have, for two columns the rows of the class, and N is the weight of the rows
    in which both are known. States that weigh less than one row, as old ones do where counts fade, count as much as
    they weigh.

    Attributes
    ----------
    with_class : ndarray of shape (features,)
        I(X_i; C) expected by chance.
    given_class : ndarray of shape (features, features)
        I(X_i; X_j | C) expected by chance; zero on the diagonal.

    References
    ----------
    G. A. Miller. Note on the bias of information estimates. Information Theory in Psychology, 1955.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> a, b, c = (Variable(name, ("0", "1")) for name in "abc")
    >>> table = Table.from_codes((a, b, c), [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]], target=2)
    >>> ChanceInformation.of(table, PairInformation.of(table)).given_class
    array([[0.   , 0.125], [0.125, 0.   ]])
    """

    with_class: NDArray[np.float64]
    given_class: NDArray[np.float64]

    @classmethod
    def of(cls, table: Countable, pairs: PairInformation) -> "ChanceInformation":
        """Count the states of every feature in the rows of each class; the pairs are those of the same table."""
        tables = _class_tables(table)
        with_class = np.zeros(len(tables))
        free = np.zeros((len(tables), tables[0].shape[0] if tables else 0))
        for same, stacked in _by_shape(tables):
            free[same] = _beyond_one(stacked, axis=2)
            cells = _beyond_one(stacked.sum(axis=1), axis=1) * _beyond_one(stacked.sum(axis=2), axis=1)
            with_class[same] = cells / (2 * np.maximum(stacked.sum(axis=(1, 2)), 1.0))
        given_class = free @ free.T / (2 * np.maximum(pairs.rows(), 1.0))
        np.fill_diagonal(given_class, 0.0)
        return cls(with_class, given_class)


def class_information(
    table: Countable, pairs: PairInformation | None = None, *, smoothing: float = 0.0
) -> NDArray[np.float64]:
    """I(X_i; C) for every feature of a table, in column order.

    If the pairs were counted already (with the same smoothing), and no value is missing, it follows from their
    margins. ``smoothing`` rows are spread evenly over the cells of each joint table (1 for Laplace smoothing).

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> class_information(Table.from_codes((x, c), [[0, 0], [1, 1]], target=1)).round(4)
    array([0.6931])
    """
    if pairs is not None and pairs.n_features > 1 and not table.has_missing.any():
        return pairs.with_class()
    tables = _class_tables(table)
    information = np.zeros(len(tables))
    for same, stacked in _by_shape(tables):
        share = smoothing / max(stacked[0].size, 1)
        information[same] = mutual_information_of_counts(stacked + share if smoothing else stacked)
    return information


@dataclass(frozen=True)
class TreeInformation:
    """What a tree over the features is built from.

    Attributes
    ----------
    given_class : ndarray of shape (features, features)
        I(X; Y | C) of every pair.
    with_class : ndarray of shape (features,)
        I(X; C).
    chance : ChanceInformation or None
        What chance gives to both, where it was asked for.
    """

    given_class: NDArray[np.float64]
    with_class: NDArray[np.float64]
    chance: ChanceInformation | None

    @classmethod
    def of(cls, table: Countable, *, chance: bool) -> "TreeInformation":
        """Measure a table that has a class."""
        pairs = PairInformation.of(table)
        by_chance = ChanceInformation.of(table, pairs) if chance else None
        return cls(pairs.given_class(), class_information(table, pairs), by_chance)


def _beyond_one(weights: Counts, axis: int) -> NDArray[np.float64]:
    """How many states there are beyond the first; one that weighs less than a row is a part of one."""
    beyond: NDArray[np.float64] = np.maximum(np.minimum(weights, 1.0).sum(axis=axis) - 1.0, 0.0)
    return beyond


def _class_tables(table: Countable) -> list[Counts]:
    """Count every feature with the class: axes class, feature."""
    target = required_target(table, "Information about the class")
    return count(table, [[target, j] for j in table.features])


def _by_shape(tables: Sequence[Counts]) -> Iterator[tuple[NDArray[np.int64], Counts]]:
    """Return tables of one shape together: a loop over hundreds of small arrays would cost more than counting."""
    shapes = np.array([counts.shape[1] for counts in tables])
    for arity in np.unique(shapes):
        same = np.flatnonzero(shapes == arity)
        yield same, np.stack([tables[k] for k in same.tolist()])


@dataclass(frozen=True, eq=False)
class Partition:
    """Which cell each row lies in; cells are numbered from 0 in the order of their values.

    Examples
    --------
    >>> coarse = Partition.whole(4).refine(np.array([1, 0, 1, 0]), arity=2)
    >>> coarse.refine(np.array([2, 2, 0, 2]), arity=3).cells
    array([2, 0, 1, 0])
    """

    cells: NDArray[np.int64]
    n_cells: int

    @classmethod
    def whole(cls, n_rows: int) -> "Partition":
        """All rows in one cell."""
        return cls(np.zeros(n_rows, dtype=np.int64), min(n_rows, 1))

    def refine(self, codes: Codes | NDArray[np.int64], arity: int) -> "Partition":
        """Split every cell by the values of one more column."""
        keys = self.cells * arity + codes
        possible = self.n_cells * arity
        if possible > FLAGS_PER_ROW * len(keys):
            occurring, cells = np.unique(keys, return_inverse=True)
            return Partition(cells, len(occurring))
        occurs = np.zeros(possible, dtype=bool)
        occurs[keys] = True
        number = np.cumsum(occurs) - 1
        return Partition(number[keys], int(number[-1]) + 1 if possible else 0)

    def refine_by(self, table: Table, columns: Sequence[int]) -> "Partition":
        """Split every cell by the values of several columns, none of them missing."""
        partition = self
        for column in columns:
            partition = partition.refine(table.codes[:, column], int(table.arities[column]))
        return partition

    def totals(self, weights: NDArray[np.float64] | None) -> NDArray[np.int64 | np.float64]:
        """Rows, or sums of weights, per cell."""
        return np.bincount(self.cells, weights, minlength=self.n_cells)


class ClassPartition:
    """The rows of a table, divided by the values of chosen features (missing is a value of its own).

    A set of features divides the rows into groups of equal values, and one more feature divides the groups. Only
    groups that still hold several classes can gain, so the others are dropped: the cost falls as the set grows.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], target=2)
    >>> partition = ClassPartition(table)
    >>> partition.information([0, 1]).round(4)
    array([0., 0.])
    >>> partition.divide(0)
    >>> partition.information([1]).round(4)
    array([0.6931])
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._target = required_target(table, "Information about the class")
        self._truth = table.codes[:, self._target].astype(np.int64)
        self._settled = 0.0
        # Rows of weight zero do not count: a cell of such rows has no logarithm.
        rows = np.arange(table.n_rows) if table.weights is None else np.flatnonzero(table.weights)
        self._set_groups(rows, np.zeros(len(rows), dtype=np.int64))

    def divide(self, feature: int) -> None:
        """Divide the groups by one more feature."""
        values = self._table.codes[self._rows, feature].astype(np.int64)
        groups = np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        order = np.lexsort((values, groups))
        changed = (np.diff(groups[order]) != 0) | (np.diff(values[order]) != 0)
        self._set_groups(self._rows[order], np.concatenate([[0], np.cumsum(changed)])[: len(order)])

    def information(self, features: list[int]) -> NDArray[np.float64]:
        """I(C; X | chosen) for each of the features, in nats."""
        gained = self._gains(features)[:, 0] - self._without
        information: NDArray[np.float64] = np.maximum(0.0, gained / self._table.total_weight).round(DECIMALS)
        return information

    def accuracy(self, features: list[int]) -> NDArray[np.float64]:
        """Training accuracy of the saturated model P(C, X, chosen), for each of the features."""
        right: NDArray[np.float64] = (self._gains(features)[:, 1] + self._settled) / self._table.total_weight
        return right.round(DECIMALS)

    def _set_groups(self, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> None:
        """Keep the groups that hold several classes; rows of one group lie together."""
        weights = np.ones(len(rows)) if self._table.weights is None else self._table.weights[rows]
        n_groups = int(groups[-1]) + 1 if len(groups) else 0
        truth = self._truth[rows]
        first = np.zeros(n_groups, dtype=np.int64)
        first[groups[::-1]] = truth[::-1]
        mixed = np.zeros(n_groups, dtype=bool)
        mixed[groups[truth != first[groups]]] = True
        kept = mixed[groups] if n_groups else np.zeros(0, dtype=bool)
        self._settled += float(weights[~kept].sum())
        self._rows = np.ascontiguousarray(rows[kept])
        sizes = np.bincount(groups[kept], minlength=n_groups)[mixed]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # The gain of a feature that divides nothing: the class itself has one value in every row of a cell.
        self._without = self._undivided()

    def _undivided(self) -> float:
        groups = np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        weights = None if self._table.weights is None else self._table.weights[self._rows]
        order = np.lexsort((self._truth[self._rows], groups))
        truth, group = self._truth[self._rows][order], groups[order]
        cells = np.concatenate([[0], np.cumsum((np.diff(truth) != 0) | (np.diff(group) != 0))])[: len(order)]
        per_cell = np.bincount(cells, None if weights is None else weights[order])
        per_group = np.bincount(groups, weights)
        return float((per_cell * np.log(per_cell)).sum() - (per_group * np.log(per_group)).sum())

    def _gains(self, features: list[int]) -> NDArray[np.float64]:
        gains = np.zeros((len(features), 2))
        _core.partition_gains(
            self._table.codes,
            self._table.arities,
            self._target,
            self._table.weights,
            np.array(features, dtype=np.int64),
            self._rows,
            self._starts,
            gains,
            self._table.n_jobs,
        )
        return gains


def entropy(data: Any, x: Columns, given: Columns = (), *, smoothing: float = 0.0) -> float:
    """H(X) or H(X | Z): how much is unknown about a column or set of columns.

    Parameters
    ----------
    data : Table or DataFrame
        In a DataFrame every distinct value is a state, numbers too: cut numeric columns into intervals first.
    x, given : str or sequence of str
        Names of columns.
    smoothing : float, default=0.0
        Imaginary rows spread evenly over all combinations of values; 1 for the Laplace estimate.

    Examples
    --------
    >>> import polars as pl
    >>> data = pl.DataFrame({"rain": ["no", "no", "yes", "yes"], "wet": ["no", "no", "no", "yes"]})
    >>> round(entropy(data, "rain"), 4), round(entropy(data, "rain", given="wet"), 4)
    (0.6931, 0.4774)
    """
    measured = _Measured(data, (x, given), smoothing)
    of_x, of_given = measured.sets
    return measured.rounded(measured.entropy(of_x | of_given) - measured.entropy(of_given))


def mutual_information(data: Any, x: Columns, y: Columns, *, smoothing: float = 0.0) -> float:
    """I(X; Y): the information that one column or set of columns has about another.

    Parameters
    ----------
    data : Table or DataFrame
        In a DataFrame every distinct value is a state, numbers too: cut numeric columns into intervals first.
    x, y : str or sequence of str
        Names of columns.
    smoothing : float, default=0.0
        Imaginary rows spread evenly over all combinations of values; 1 for the Laplace estimate.

    Examples
    --------
    >>> import polars as pl
    >>> xor = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]})
    >>> mutual_information(xor, "c", "a"), round(mutual_information(xor, "c", ["a", "b"]), 4)
    (0.0, 0.6931)
    """
    return conditional_mutual_information(data, x, y, (), smoothing=smoothing)


def conditional_mutual_information(
    data: Any, x: Columns, y: Columns, given: Columns, *, smoothing: float = 0.0
) -> float:
    """I(X; Y | Z): the information that one column or set of columns has about another, given a third.

    Parameters
    ----------
    data : Table or DataFrame
        In a DataFrame every distinct value is a state, numbers too: cut numeric columns into intervals first.
    x, y, given : str or sequence of str
        Names of columns.
    smoothing : float, default=0.0
        Imaginary rows spread evenly over all combinations of values; 1 for the Laplace estimate.

    Examples
    --------
    >>> import polars as pl
    >>> xor = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]})
    >>> round(conditional_mutual_information(xor, "a", "c", given="b"), 4)
    0.6931
    """
    measured = _Measured(data, (x, y, given), smoothing)
    of_x, of_y, of_given = measured.sets
    return measured.rounded(
        measured.entropy(of_x | of_given)
        + measured.entropy(of_y | of_given)
        - measured.entropy(of_x | of_y | of_given)
        - measured.entropy(of_given)
    )


class _Measured:
    """The rows of a data set in which all the named columns are known, and entropies over them."""

    def __init__(self, data: Any, named: Iterable[Columns], smoothing: float) -> None:
        check_param("information measures", "smoothing", smoothing, float, low=0)
        names = [_names(columns) for columns in named]
        if not _in_order(names):
            raise ValueError("No column is named: give the name of at least one.")
        table = data if isinstance(data, Table) else categorical_table(data, _in_order(names))
        position = {name: j for j, name in enumerate(table.names)}
        for name in _in_order(names):
            if name not in position:
                raise ValueError(f"There is no column '{name}'; there are {_shown(table.names)}.")
        self.sets = [frozenset(position[name] for name in part) for part in names]
        used = sorted(frozenset().union(*self.sets))
        known = (table.codes[:, used] != table.missing_code).all(axis=1)
        self._table = table if known.all() else table.take(known)
        self._smoothing = float(smoothing)

    def entropy(self, columns: frozenset[int]) -> float:
        table, smoothing = self._table, self._smoothing
        total = table.total_weight + smoothing
        if not columns or total == 0:
            return 0.0
        partition = Partition.whole(table.n_rows).refine_by(table, sorted(columns))
        # The number of possible combinations may be larger than any float: only its logarithm is used.
        log_share = math.log(smoothing or 1.0) - float(np.log(table.arities[sorted(columns)]).sum())
        share = math.exp(log_share) if smoothing else 0.0
        rows = partition.totals(table.weights) + share
        never_seen = smoothing - partition.n_cells * share
        sums = float(xlogy(rows, rows).sum()) + never_seen * log_share
        return math.log(total) - sums / total

    @staticmethod
    def rounded(value: float) -> float:
        return max(0.0, round(value, DECIMALS))


def _names(columns: Columns) -> list[str]:
    return [columns] if isinstance(columns, str) else list(columns)


def _in_order(names: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for part in names for name in part))


def _shown(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (", ..." if len(names) > 10 else "")
