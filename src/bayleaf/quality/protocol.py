"""How the rows of a data set are split into training and test rows.

A protocol only ever sees the target, never a method, so all methods get exactly the same splits.
Everything that learns from data (discretisation, imputation, selection) belongs inside the estimator and
therefore happens inside the training rows. `GroupedFolds` keep rows together that belong together, and `TimedFolds`
predict later rows from earlier ones.
"""

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

from bayleaf.data.columns import Columns
from bayleaf.data.dates import MOMENTS
from bayleaf.data.numbers import dates_of_texts
from bayleaf.data.raw_columns import LabelColumn, NumberColumn, object_column
from bayleaf.data.target import read_groups
from bayleaf.data.text_values import find_numbers

Cell = tuple[int, int]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of one fold.

    Examples
    --------
    >>> split = TrainTest(train_rows=3).split(np.arange(5), 0, 0)
    >>> split.train, split.test
    (array([0, 1, 2]), array([3, 4]))

    Attributes
    ----------
    train, test : ndarray
        Numbers of rows.
    groups : ndarray, optional
        Of the training rows, for classifiers whose ``fit`` takes groups: tuning then keeps them together as well.
    """

    train: Rows
    test: Rows
    groups: Rows | None = None


class SplitProtocol(Protocol):
    """What `evaluate` needs to know about a way of splitting data.

    ``cells`` lists the (repeat, fold) pairs before any data is loaded, ``split`` makes one of them, and
    ``signature`` is a string that determines every split: two protocols with the same signature make the same
    split for the same cell and data.

    Examples
    --------
    >>> protocol: SplitProtocol = CrossValidation(folds=2)
    >>> protocol.cells
    ((0, 0), (0, 1))
    """

    @property
    def cells(self) -> tuple[Cell, ...]: ...  # noqa: D102

    @property
    def signature(self) -> str: ...  # noqa: D102

    def split(self, target: NDArray[Any], repeat: int, fold: int) -> Split: ...  # noqa: D102


def check_protocol(protocol: Any) -> None:
    """Refuse what is not a way of splitting data."""
    if not all(hasattr(protocol, name) for name in ("cells", "signature", "split")):
        given = repr(protocol) if isinstance(protocol, int | str) else f"a {type(protocol).__name__}"
        raise TypeError(
            "The protocol must be a CrossValidation, GroupedFolds, TimedFolds, TrainTest or FixedSplits, such as "
            "CrossValidation(folds=5). "
            f"Got {given}."
        )


@dataclass(frozen=True)
class CrossValidation:
    """Repeated k-fold cross-validation on randomly permuted rows.

    Parameters
    ----------
    folds : int
        Number of folds, at least 2.
    repeats : int
        Number of permutations; every one has its own seed, so more repeats can be added to a run later.
    stratified : bool
        Whether every fold keeps the class proportions.
    seed : int
        Seed of the random numbers.
    train_rows : int or None
        Use only this many random rows of every training part (for learning curves; a smaller training set
        is always a subset of a larger one).

    Examples
    --------
    >>> protocol = CrossValidation(folds=5, repeats=10)
    >>> len(protocol.cells)
    50
    >>> split = protocol.split(np.zeros(20), repeat=3, fold=1)
    >>> split.train.size, split.test.size
    (16, 4)
    """

    folds: int = 10
    repeats: int = 1
    stratified: bool = False
    seed: int = 0
    train_rows: int | None = None

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"CrossValidation needs at least 2 folds. Got folds={self.folds}.")
        if self.repeats < 1:
            raise ValueError(f"CrossValidation needs at least 1 repeat. Got repeats={self.repeats}.")
        if self.seed < 0:
            raise ValueError(f"The seed must not be negative. Got seed={self.seed}.")
        if self.train_rows is not None and self.train_rows < 1:
            raise ValueError(f"train_rows must be at least 1. Got train_rows={self.train_rows}.")

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every (repeat, fold)."""
        return tuple((repeat, fold) for repeat in range(self.repeats) for fold in range(self.folds))

    @property
    def signature(self) -> str:
        """Everything that determines a split; the number of repeats does not."""
        kind = "stratified " if self.stratified else ""
        limit = "" if self.train_rows is None else f", {self.train_rows} training rows"
        return f"{kind}{self.folds}-fold, seed {self.seed}{limit}"

    def split(self, target: NDArray[Any], repeat: int, fold: int) -> Split:
        """Rows of one fold."""
        if len(target) < self.folds:
            raise ValueError(
                f"{self.folds}-fold cross-validation needs at least {self.folds} rows. Got {len(target)}."
            )
        splitter = StratifiedKFold if self.stratified else KFold
        folds = splitter(self.folds, shuffle=True, random_state=_seed_of(self.seed, repeat))
        with warnings.catch_warnings():
            # A class with fewer rows than folds is missing from some folds; the measures cope with that.
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            train, test = next(islice(folds.split(np.empty((len(target), 0)), target), fold, None))
        if self.train_rows is not None:
            if self.train_rows > train.size:
                raise ValueError(
                    f"Cannot take {self.train_rows} training rows: fold {fold} has only {train.size}."
                )
            rng = np.random.default_rng(np.random.SeedSequence((self.seed, repeat, fold)))
            train = np.sort(rng.permutation(train)[: self.train_rows])
        return Split(train, test)


def _seed_of(seed: int, repeat: int) -> int:
    return int(np.random.SeedSequence((seed, repeat)).generate_state(1)[0])


@dataclass(frozen=True, eq=False)
class GroupedFolds:
    """Repeated cross-validation in which the rows of a group are all in one fold (`StratifiedGroupKFold`).

    Where several rows are about one patient, machine or customer, rows of the same one in training and test tell how
    well a model knows them again; new ones are predicted worse. Classifiers of bayleaf get the groups of the training
    rows in ``fit``.

    Parameters
    ----------
    groups : array-like of shape (rows,)
        The group of each row; a row without one (None, NaN) is a group of its own.
    folds : int
        Number of folds, at least 2.
    repeats : int
        Number of permutations.
    seed : int
        Seed of the random numbers.

    Examples
    --------
    >>> protocol = GroupedFolds(["a", "a", "b", "b"], folds=2)
    >>> [protocol.split(np.array([0, 1, 0, 1]), 0, fold).test.tolist() for fold in (0, 1)]
    [[2, 3], [0, 1]]
    """

    groups: ArrayLike
    folds: int = 10
    repeats: int = 1
    seed: int = 0
    _numbers: Rows = field(init=False, repr=False)

    def __post_init__(self) -> None:
        CrossValidation(self.folds, self.repeats, seed=self.seed)  # refuses wrong numbers
        numbers = read_groups(self.groups, self.groups)
        assert numbers is not None
        object.__setattr__(self, "_numbers", numbers)
        if self.n_groups < self.folds:
            raise ValueError(
                f"There are too few groups for {self.folds} folds: {self.n_groups}. Use fewer folds."
            )

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return int(self._numbers.max()) + 1

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every (repeat, fold)."""
        return tuple((repeat, fold) for repeat in range(self.repeats) for fold in range(self.folds))

    @property
    def signature(self) -> str:
        """Everything that determines a split, the groups by a digest; the number of repeats does not."""
        return f"grouped {self.folds}-fold, seed {self.seed}, {_digest(self._numbers)}"

    def split(self, target: NDArray[Any], repeat: int, fold: int) -> Split:
        """Rows of one fold."""
        _check_rows("groups", self._numbers, target)
        folds = StratifiedGroupKFold(self.folds, shuffle=True, random_state=_seed_of(self.seed, repeat))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            pairs = folds.split(np.empty((len(target), 0)), target, self._numbers)
            train, test = next(islice(pairs, fold, None))
        return Split(train, test, self._numbers[train])


@dataclass(frozen=True, eq=False)
class TimedFolds:
    """Folds in the order of time: each is predicted from the rows before it (`TimeSeriesSplit`).

    The earliest rows are not predicted. Rows of the same time are never in training and test both.

    Parameters
    ----------
    time : array-like of shape (rows,)
        When each row was: numbers, dates, times, or texts that are dates or times.
    folds : int
        Number of folds, at least 2.

    Examples
    --------
    >>> protocol = TimedFolds(["2024-03-01", "2024-01-01", "2024-02-01"], folds=2)
    >>> split = protocol.split(np.array([0, 1, 1]), 0, 1)
    >>> split.train.tolist(), split.test.tolist()
    ([1, 2], [0])
    """

    time: ArrayLike
    folds: int = 5
    _times: NDArray[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        CrossValidation(self.folds)  # refuses wrong numbers
        object.__setattr__(self, "_times", time_numbers(self.time))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every (repeat, fold); there is one repeat."""
        return tuple((0, fold) for fold in range(self.folds))

    @property
    def signature(self) -> str:
        """Everything that determines a split, the order of the rows by a digest."""
        return f"{self.folds} folds in the order of time {_digest(np.unique(self._times, return_inverse=True)[1])}"

    def split(self, target: NDArray[Any], repeat: int, fold: int) -> Split:
        """Rows of one fold; ``repeat`` is 0."""
        _check_rows("time", self._times, target)
        if len(target) <= self.folds:
            raise ValueError(
                f"{self.folds} folds in the order of time need more than {self.folds} rows. Got {len(target)}."
            )
        order = np.argsort(self._times, kind="stable")
        _, test = next(islice(TimeSeriesSplit(self.folds).split(order), fold, None))
        train = np.flatnonzero(self._times < self._times[order[test[0]]])
        if not train.size:
            raise ValueError(
                f"No row is earlier than those of fold {fold}: too many rows have the same time. Use fewer folds."
            )
        return Split(train, np.sort(order[test]))


def time_numbers(time: Any) -> NDArray[Any]:
    """Return when each row was as numbers; raise where that is not known.

    Examples
    --------
    >>> time_numbers(["1.2.2024", "31.1.2024"]).argsort().tolist()
    [1, 0]
    """
    array = np.asarray(time)
    if array.ndim != 1:
        raise ValueError(f"time must be 1-dimensional. Got {array.ndim} dimensions instead.")
    if array.dtype.kind == "M":
        array = array.astype("datetime64[us]")
    if array.dtype.kind in "OUSTM":
        column = object_column("time", array.astype(object).tolist())
    else:
        column = Columns(array[:, None])[0]
    if isinstance(column, LabelColumn):
        numbers = find_numbers([str(level) for level in column.levels]).values if column.is_text else None
        if numbers is None:
            column, _ = dates_of_texts(column)
        else:
            column = NumberColumn(
                "time", np.append(numbers, np.nan)[column.codes], "float"
            )  # code -1: missing
    if isinstance(column, LabelColumn) or column.dtype not in ("integer", "float", *MOMENTS):
        example = (
            ""
            if not isinstance(column, LabelColumn) or not column.levels
            else f" such as {column.levels[0]!r}"
        )
        raise ValueError(f"time must be numbers, dates or times, one per row. Got values{example}.")
    absent = int(column.missing.sum())
    if absent:
        raise ValueError(f"time is missing in {absent:,} of {len(array):,} rows: leave those rows out.")
    return np.asarray(column.values)


def _digest(numbers: NDArray[Any]) -> str:
    return hashlib.sha256(np.asarray(numbers).astype("<i8").tobytes()).hexdigest()[:12]


def _check_rows(name: str, values: NDArray[Any], target: NDArray[Any]) -> None:
    if len(values) != len(target):
        raise ValueError(f"{name} has {len(values):,} values, but the data has {len(target):,} rows.")


@dataclass(frozen=True)
class TrainTest:
    """One hold-out split by position: the first rows train, the rest test.

    Parameters
    ----------
    train_rows : int
        Number of leading rows to train on.
    test_rows : int or None
        Number of rows after them to test on; None means all that remain.

    Examples
    --------
    >>> TrainTest(train_rows=2, test_rows=1).split(np.zeros(9), 0, 0).test
    array([2])
    """

    train_rows: int
    test_rows: int | None = None

    def __post_init__(self) -> None:
        if self.train_rows < 1 or (self.test_rows is not None and self.test_rows < 1):
            raise ValueError(
                "TrainTest needs at least 1 training row and 1 test row. "
                f"Got train_rows={self.train_rows}, test_rows={self.test_rows}."
            )

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The only (repeat, fold)."""
        return ((0, 0),)

    @property
    def signature(self) -> str:
        """Everything that determines the split."""
        return f"first {self.train_rows} rows train, {self.test_rows or 'the rest'} test"

    def split(self, target: NDArray[Any], repeat: int, fold: int) -> Split:
        """Rows of the split; ``repeat`` and ``fold`` are both 0."""
        wanted = self.train_rows + (self.test_rows or 1)
        if len(target) < wanted:
            raise ValueError(f"The split '{self.signature}' needs {wanted} rows. Got {len(target)}.")
        stop = len(target) if self.test_rows is None else wanted
        return Split(np.arange(self.train_rows), np.arange(self.train_rows, stop))


@dataclass(frozen=True, eq=False)
class FixedSplits:
    """Splits given as row numbers, for example those published with a data set.

    Parameters
    ----------
    splits : sequence of (train rows, test rows)
        Row numbers from 0; training and test rows of a split must not overlap.

    Examples
    --------
    >>> protocol = FixedSplits([([0, 1, 2], [3]), ([1, 2, 3], [0])])
    >>> protocol.cells
    ((0, 0), (0, 1))
    >>> protocol.split(np.zeros(4), 0, 1).test
    array([0])
    """

    splits: Sequence[tuple[ArrayLike, ArrayLike]]
    _checked: tuple[Split, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.splits) == 0:
            raise ValueError("FixedSplits needs at least one pair of training and test rows. Got none.")
        checked = tuple(_checked_split(number, *pair) for number, pair in enumerate(self.splits))
        object.__setattr__(self, "_checked", checked)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every (repeat, fold); all splits count as folds of repeat 0."""
        return tuple((0, fold) for fold in range(len(self._checked)))

    @property
    def signature(self) -> str:
        """Number of splits and a digest of all row numbers."""
        digest = hashlib.sha256()
        for split in self._checked:
            train, test = (rows.astype("<i8").tobytes() for rows in (split.train, split.test))
            digest.update(train + b"|" + test + b";")
        return f"{len(self._checked)} fixed splits {digest.hexdigest()[:12]}"

    def split(self, target: NDArray[Any], repeat: int, fold: int) -> Split:
        """Rows of one split; ``repeat`` is 0."""
        split = self._checked[fold]
        largest = max(split.train.max(), split.test.max())
        if largest >= len(target):
            raise ValueError(f"Split {fold} names row {largest}, but the data has {len(target)} rows.")
        return split


def _checked_split(number: int, train: ArrayLike, test: ArrayLike) -> Split:
    parts: list[Rows] = []
    for name, rows in (("training", np.asarray(train)), ("test", np.asarray(test))):
        if rows.ndim != 1 or rows.size == 0 or not np.issubdtype(rows.dtype, np.integer) or rows.min() < 0:
            raise ValueError(
                f"The {name} rows of split {number} must be a non-empty list of row numbers from 0."
            )
        parts.append(rows.astype(np.intp))
    shared = np.intersect1d(parts[0], parts[1])
    if shared.size:
        raise ValueError(f"Split {number} has {shared.size} rows in both parts, row {shared[0]} among them.")
    return Split(*parts)
