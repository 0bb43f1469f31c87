"""The encoded data: one small integer per value."""

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count

from .variable import Variable

Codes = NDArray[np.uint8] | NDArray[np.uint16]
# Rows are repeated instead of weighted while the table grows by no more than this factor.
MOST_COPIES = 8


@dataclass(frozen=True)
class OwnCodes:
    """Says that codes belong to the table they are given to, so that they need not be copied.

    Parameters
    ----------
    missing : ndarray of bool, optional
        Per column, whether any value is missing, for codes that come from another table or are right by the way they
        were made: these are not checked again.
    """

    missing: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of codes for a list of variables; what every learner and score works on. It never changes.

    The codes are checked once, when a table is made: code that is given a table need not check them again.

    Parameters
    ----------
    variables : tuple of Variable
        One per column.
    codes : ndarray of shape (rows, variables), column-major
        uint8, or uint16 when a variable has more than 255 states. The largest value of the type means missing.
    weights : ndarray of shape (rows,), optional
        Sample weights; ``None`` when every row counts once.
    target : int, optional
        Column of the class; by convention the last one.
    n_jobs : int, optional
        Threads that kernels may use on this table; ``None`` for all cores.
    groups : ndarray of shape (rows,), optional
        Numbers from 0: rows of one group stay together wherever rows are dealt out to folds.
    own : OwnCodes, optional
        Given by bayleaf's own rooms where nobody else has the codes; without it they are copied and checked.

    Attributes
    ----------
    names : tuple of str
        The variables' names, in column order.
    features : tuple of int
        Columns other than the class.
    n_rows, n_variables : int
        The numbers of rows and of columns, the class included.
    arities : ndarray of int
        The number of states of each variable.
    has_missing : ndarray of bool
        Per column, whether any value is missing.

    Examples
    --------
    >>> variables = (Variable("x", ("a", "b")), Variable("class", ("no", "yes")))
    >>> table = Table.from_codes(variables, [[0, 1], [1, 1], [-1, 0]], target=1)
    >>> table.n_rows, table.arities.tolist(), table.has_missing.tolist()
    (3, [2, 2], [True, False])
    """

    variables: tuple[Variable, ...]
    codes: Codes
    weights: NDArray[np.float64] | None = None
    target: int | None = None
    n_jobs: int | None = None
    groups: NDArray[np.int64] | None = None
    own: InitVar[OwnCodes | None] = None
    names: tuple[str, ...] = field(init=False, repr=False)
    features: tuple[int, ...] = field(init=False, repr=False)
    n_rows: int = field(init=False, repr=False)
    n_variables: int = field(init=False, repr=False)
    arities: NDArray[np.int64] = field(init=False, repr=False)
    has_missing: NDArray[np.bool_] = field(init=False, repr=False)

    def __post_init__(self, own: OwnCodes | None) -> None:
        # Kernels trust these arrays: a wrong shape or code would read foreign memory.
        check_codes_array(self.codes)
        if self.codes.shape[1] != len(self.variables):
            raise ValueError(
                f"The codes have shape {self.codes.shape}; the table has {len(self.variables)} variables."
            )
        if self.target is not None and not 0 <= self.target < len(self.variables):
            raise ValueError(
                f"target must be a column in the range [0, {len(self.variables) - 1}]. Got {self.target} instead."
            )
        if self.weights is not None:
            if not (isinstance(self.weights, np.ndarray) and self.weights.dtype == np.float64):
                raise TypeError("The weights of a table must be a numpy array of float64.")
            if self.weights.shape != (len(self.codes),) or not self.weights.flags.c_contiguous:
                raise ValueError(
                    f"The weights have shape {self.weights.shape}; the table has {len(self.codes)} rows."
                )
        if self.n_jobs is not None:
            thread_count(self.n_jobs)  # refuses wrong values; kernels resolve it at each call
        if own is None:  # whoever has these arrays may still write to them
            self._store(codes=self.codes.copy(order="F"))
            if self.weights is not None:
                self._store(weights=self.weights.copy())
        missing = None if own is None else own.missing
        if missing is None:
            missing = check_code_range(self.codes, self.variables, self.n_jobs)
        width = len(self.variables)
        self._store(
            names=tuple([variable.name for variable in self.variables]),
            features=tuple([j for j in range(width) if j != self.target]),
            n_rows=len(self.codes),
            n_variables=width,
            arities=np.array([variable.arity for variable in self.variables], dtype=np.int64),
            has_missing=missing,
        )
        self._freeze()

    def _store(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def _with_rows(
        self, codes: Codes, weights: NDArray[np.float64] | None, missing: NDArray[np.bool_]
    ) -> "Table":
        """Return other rows over the same variables, which were made from these and need no checks."""
        table = object.__new__(Table)
        table._store(
            **{
                **self.__dict__,
                "codes": codes,
                "weights": weights,
                "has_missing": missing,
                "n_rows": len(codes),
            }
        )
        table._freeze()
        return table

    def _freeze(self) -> None:
        """Make the arrays read-only, for good: only views of them are handed out."""
        for name in ("codes", "weights", "arities", "has_missing"):
            array = owner = getattr(self, name)
            if array is None:
                continue
            # Memory that is not writable cannot be made so by a view.
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            owner.setflags(write=False)
            array.setflags(write=False)
            self._store(**{name: array.view()})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._store(**state)  # arrays come out of a pickle writable
        self._freeze()

    @classmethod
    def from_codes(
        cls,
        variables: tuple[Variable, ...],
        codes: object,
        weights: NDArray[np.float64] | None = None,
        target: int | None = None,
        n_jobs: int | None = None,
    ) -> "Table":
        """Make a table from any integer array in which negative codes mean missing."""
        given = np.asarray(codes)
        if given.size and given.dtype.kind not in "iub":
            raise TypeError(f"Codes must be whole numbers. Got {given.dtype} instead.")
        given = given.reshape(len(given), len(variables))
        _refuse_codes(variables, given.max(axis=0, initial=-1))
        packed = empty_codes(len(given), variables)
        missing: NDArray[np.bool_] = given < 0
        packed[...] = np.where(missing, missing_code(packed.dtype), given)
        return cls(
            variables,
            packed,
            weights.copy() if isinstance(weights, np.ndarray) else weights,
            target,
            n_jobs,
            own=OwnCodes(np.any(missing, axis=0)),
        )

    @property
    def missing_code(self) -> int:
        """The code of a missing value."""
        return missing_code(self.codes.dtype)

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of rows."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def counting_rows(self) -> NDArray[np.int64]:
        """Numbers of the rows whose weight is not zero: those that are dealt out to folds and samples."""
        return np.flatnonzero(np.ones(self.n_rows) if self.weights is None else self.weights)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Table":
        """Return some of the rows (by index or mask) as a new table."""
        codes = _by_column(self.codes[rows])
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[rows])
        missing, gaps = self.has_missing.copy(), np.flatnonzero(self.has_missing)
        missing[gaps] = (codes[:, gaps] == self.missing_code).any(axis=0)
        taken = self._with_rows(codes, weights, missing)
        if self.groups is not None:
            taken._store(groups=self.groups[rows])
        return taken

    def without_weights(self) -> "Table":
        """Return the same rows, each of which counts once."""
        return self._with_rows(self.codes, None, self.has_missing)

    def without_whole_weights(self) -> "Table":
        """Return the table with each row repeated as often as its weight says, where that is a number of times.

        Rows are counted faster than weights are added, and a bootstrap sample has whole weights.

        Examples
        --------
        >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [1]], weights=np.array([2.0, 1.0]))
        >>> table.without_whole_weights().codes[:, 0].tolist()
        [0, 0, 1]
        """
        if self.weights is None or self.weights.sum() > MOST_COPIES * self.n_rows:
            return self
        times = self.weights.astype(np.int64)
        if (times != self.weights).any():
            return self
        return self.take(np.repeat(np.arange(self.n_rows), times)).without_weights()

    def select(self, columns: Sequence[int]) -> "Table":
        """Return some of the columns as a new table; the class stays the class if it is among them."""
        columns = list(columns)
        target = columns.index(self.target) if self.target is not None and self.target in columns else None
        # Columns side by side stay where they are.
        together = bool(columns) and columns == list(range(columns[0], columns[-1] + 1))
        chosen = self.codes[:, columns[0] : columns[-1] + 1] if together else self.codes[:, columns]
        return replace(
            self,
            variables=tuple(self.variables[j] for j in columns),
            codes=_by_column(chosen),
            target=target,
            own=OwnCodes(self.has_missing[columns]),
        )

    def hide(self, columns: list[int]) -> "Table":
        """Return the table with no value known in some of the columns.

        Examples
        --------
        >>> table = Table.from_codes((Variable("x", ("a", "b")), Variable("y", ("a", "b"))), [[0, 1], [1, 1]])
        >>> table.hide([0]).codes.tolist()
        [[255, 1], [255, 1]]
        """
        codes, missing = self.codes.copy(order="F"), self.has_missing.copy()
        codes[:, columns] = self.missing_code
        missing[columns] = self.n_rows > 0
        return self._with_rows(codes, self.weights, missing)

    def gaps(self, column: int) -> NDArray[np.bool_]:
        """Tell which values of a column are missing: summed out, or with a state of their own.

        Examples
        --------
        >>> Table.from_codes((Variable("x", ("a", "b")).with_gap(),), [[0], [2], [-1]]).gaps(0)
        array([False,  True,  True])
        """
        codes, variable = self.codes[:, column], self.variables[column]
        absent: NDArray[np.bool_] = codes == self.missing_code
        return absent | (codes == variable.fill) if variable.gap else absent

    def missing_shares(self) -> list[float]:
        """Share of missing values in each column, those with a state of their own too.

        Examples
        --------
        >>> Table.from_codes((Variable("x", ("a", "b")),), [[0], [-1]]).missing_shares()
        [0.5]
        """
        return [
            float(self.gaps(j).mean()) if incomplete or variable.gap else 0.0
            for j, (variable, incomplete) in enumerate(zip(self.variables, self.has_missing, strict=True))
        ]

    def complete_rows(self) -> NDArray[np.bool_]:
        """Return a mask of the rows without a missing value."""
        affected = np.flatnonzero(self.has_missing)
        mask: NDArray[np.bool_] = (self.codes[:, affected] != self.missing_code).all(axis=1)
        return mask


def check_codes_array(codes: Any) -> None:
    """Refuse anything but a column-major matrix of uint8 or uint16."""
    if not (isinstance(codes, np.ndarray) and codes.ndim == 2 and codes.dtype in (np.uint8, np.uint16)):
        raise TypeError(
            "Codes must be a two-dimensional numpy array of uint8 or uint16; see Table.from_codes."
        )
    if not codes.flags.f_contiguous:
        raise ValueError("Codes must be in column-major order (numpy.asfortranarray); see Table.from_codes.")


def check_code_range(
    codes: Codes, variables: Sequence[Variable], n_jobs: int | None = None
) -> NDArray[np.bool_]:
    """Refuse codes that are not states of their variable; return per column whether a value is missing."""
    largest = np.empty(codes.shape[1], dtype=np.int64)
    missing = np.zeros(codes.shape[1], dtype=np.uint8)
    _core.column_range(codes, largest, missing, n_jobs)
    _refuse_codes(variables, largest)
    return missing.astype(bool)


def _refuse_codes(variables: Sequence[Variable], largest: NDArray[np.int64]) -> None:
    """Raise if the largest code of a column is not a state of its variable."""
    for variable, top in zip(variables, largest.tolist(), strict=True):
        if top >= variable.arity:
            raise ValueError(
                f"'{variable.name}' has {variable.arity} states, hence codes up to {variable.arity - 1}; got {top}."
            )


def missing_code(dtype: np.dtype[np.uint8] | np.dtype[np.uint16]) -> int:
    """Return the code that means missing in codes of this type."""
    return int(np.iinfo(dtype).max)


def empty_codes(rows: int, variables: tuple[Variable, ...]) -> Codes:
    """Allocate codes of the narrowest type that holds every variable's states and the missing code."""
    widest = max((variable.arity for variable in variables), default=0)
    if widest > np.iinfo(np.uint16).max:
        name = next(variable.name for variable in variables if variable.arity == widest)
        raise ValueError(f"'{name}' has {widest} states, more than {np.iinfo(np.uint16).max}: group them.")
    dtype: Any = np.uint8 if widest <= np.iinfo(np.uint8).max else np.uint16
    return np.empty((rows, len(variables)), dtype=dtype, order="F")


def _by_column(codes: NDArray[Any]) -> Codes:
    return np.asfortranarray(codes)


def stratified_folds(
    target: NDArray[np.integer[Any]],
    folds: int,
    seed: int | np.random.Generator = 0,
    groups: NDArray[np.int64] | None = None,
) -> NDArray[np.uint8]:
    """Deal the rows of each class out to folds, one after the other, and return the fold of every row.

    Folds differ by at most one row, and so do the rows that they have of a class. With ``groups`` whole groups are
    dealt out instead, so that folds are as alike as groups allow.
    """
    if groups is not None:
        return grouped_folds(target, groups, folds, seed)
    shuffled = np.random.default_rng(seed).permutation(len(target))
    by_class = shuffled[np.argsort(target[shuffled], kind="stable")]
    fold: Any = np.empty(len(target), dtype=np.uint8 if folds <= 256 else np.int64)
    fold[by_class] = np.arange(len(target)) % folds
    return fold  # type: ignore[no-any-return]


def grouped_folds(
    target: NDArray[np.integer[Any]],
    groups: NDArray[np.int64],
    folds: int,
    seed: int | np.random.Generator = 0,
) -> NDArray[np.uint8]:
    """Deal groups of rows out to folds with equal shares of every class, as far as that goes; return each row's fold.

    One group after the other, the largest first, goes to the fold that has the smallest share of its classes so far.
    Fewer groups than folds make as many folds as there are groups.

    Examples
    --------
    >>> grouped_folds(np.array([0, 1, 0, 1, 0, 1]), np.array([7, 7, 7, 3, 3, 4]), folds=2).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    _, numbers = np.unique(groups, return_inverse=True)
    n_groups, n_classes = int(numbers.max(initial=-1)) + 1, int(target.max(initial=0)) + 1
    sizes = np.bincount(numbers * n_classes + target, minlength=n_groups * n_classes).reshape(n_groups, -1)
    shares = sizes / np.maximum(sizes.sum(axis=0), 1)
    shuffled = np.random.default_rng(seed).permutation(n_groups)
    largest_first = shuffled[np.argsort(-sizes[shuffled].sum(axis=1), kind="stable")]
    dealt = np.zeros((max(min(folds, n_groups), 1), n_classes))
    fold: Any = np.empty(n_groups, dtype=np.uint8 if folds <= 256 else np.int64)
    for group in largest_first.tolist():
        # The sum decides between folds that have nothing of these classes.
        chosen = int((dealt @ (shares[group] + 1e-9)).argmin())
        fold[group] = chosen
        dealt[chosen] += shares[group]
    return fold[numbers]  # type: ignore[no-any-return]
