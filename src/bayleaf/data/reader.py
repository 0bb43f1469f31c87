"""The one way from a table to codes: its columns are learned once, from training rows, and then read in the same way.

Classifiers, selectors and networks without a class all read by a `TableReader`.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from bayleaf._util.params import check_param
from bayleaf._util.warning import warn

from .categories import RareValues, Unknown, check_rare_values, encode_column
from .columns import (
    AbsentColumns,
    Columns,
    as_frame,
    check_rows,
    complete_rows,
    resolve_column_types,
    take_rows,
    with_absent,
)
from .date_columns import encode_part
from .discretize import MDLP, Quantiles
from .encoding import encode, learn_schema
from .identifiers import Identifiers, IdentifierWarning, identifier_warning
from .raw_columns import is_missing, object_column
from .row_reader import INFINITE, MISSING, NO_COLUMN, OTHER, UNKNOWN, Row, RowReader
from .schema import Schema
from .table import Codes, Table
from .target import (
    absent_labels,
    categorical_mask,
    check_labels,
    read_known_target,
    read_target,
    read_weights,
    reads_values,
    target_name,
)
from .variable import Variable

Weights = NDArray[np.float64] | None
# Without a class, nothing can tell about it.
WAYS_WITHOUT_CLASS = ("available", "state", "drop", "impute")


@dataclass
class TableReader:
    """Reads tables: `learn` learns the columns from training rows, `encode` reads others in the same way.

    Parameters
    ----------
    discretizer : discretiser, optional
        Cuts numeric columns; `MDLP` by default.
    categorical_features, column_types, identifiers, missing, min_frequency, max_categories, class_weight, n_jobs
        See `bayleaf.BayesNetClassifier`.

    Attributes
    ----------
    schema : Schema
        The columns as they were learned, and the class.
    classes : ndarray
        The class labels, sorted.
    named : bool
        Whether the columns had names in fit.
    rows : RowReader
        The compiled rules for arrays of numbers and single rows.

    Examples
    --------
    >>> from bayleaf import BayesNetClassifier
    >>> reader = TableReader()
    >>> table = reader.learn(BayesNetClassifier(), [["a"], ["b"], ["a"]], ["no", "yes", "no"])
    >>> table.names, table.codes.tolist(), reader.classes.tolist()
    (('x0', 'class'), [[0, 0], [1, 1], [0, 0]], ['no', 'yes'])
    >>> reader.encode([["b"], ["a"]]).codes.tolist()
    [[1], [0]]
    """

    discretizer: Any = None
    categorical_features: Any = "auto"
    column_types: Mapping[str | int, Any] | None = None
    identifiers: Identifiers = "drop"
    missing: Literal["auto", "available", "state", "drop", "impute"] = "auto"
    min_frequency: float | None = None
    max_categories: int | None = None
    class_weight: Any = None
    n_jobs: int | None = None
    schema: Schema = field(init=False, repr=False)
    classes: NDArray[Any] = field(init=False, repr=False)
    named: bool = field(init=False, repr=False)
    rows: RowReader = field(init=False, repr=False)

    @classmethod
    def of(cls, owner: Any, **changed: Any) -> Self:
        """Return a reader with the settings of an estimator, apart from those that are given."""
        settings = {
            each.name: getattr(owner, each.name)
            for each in fields(cls)
            if each.init and each.name not in changed
        }
        return cls(**settings, **changed)

    def take(self, schema: Schema, classes: NDArray[Any], *, named: bool) -> Self:
        """Read by a schema that was learned elsewhere, such as that of a model file."""
        self.schema, self.classes, self.named = schema, classes, named
        self.rows = RowReader(schema.features)
        return self

    def learn(
        self,
        owner: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        classes: ArrayLike | None = None,
        classless: bool = False,
    ) -> Table:
        """Check training data, learn their schema and encode them by it: the rows that count, the class last.

        Parameters
        ----------
        owner : estimator
            Whose fit this is: it is given ``n_features_in_`` and ``feature_names_in_``.
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels. Rows without one (None, NaN) are left out, with a warning.
        sample_weight : array-like of shape (n_samples,), optional
        classes : array-like, optional
            All class labels, where some may not be among these rows.
        classless : bool, default=False
            Look at the columns alone, as if all rows were of one class; ``y`` is not looked at.
        """
        check_rare_values(owner, self.min_frequency, self.max_categories)
        X = check_rows(X)  # some tables can be read only once
        validate_data(owner, X, skip_check_array=True)
        if classless:
            y = np.zeros(Columns(X).n_rows, dtype=np.int64)
        check_labels(X, y, owner)
        named = hasattr(owner, "feature_names_in_")
        # An array's columns are known to a discretiser by their position.
        keys = list(owner.feature_names_in_) if named else list(range(owner.n_features_in_))
        X, y, weights = training_rows(X, y, sample_weight, drop_incomplete=self.missing == "drop")
        name = target_name(y, _names(keys, named))
        if classless:
            target, labels, codes = Variable("class", ("any",)), np.array(["any"]), y
        elif classes is not None:
            target, labels, codes = read_known_target(y, classes, name=name)
        else:
            target, labels, codes = read_target(y, name=name, n_jobs=self.n_jobs)
        if self.class_weight is not None and not classless:
            weights = balanced(weights, self.class_weight, labels, codes)
        table = self._learn_columns(X, codes, target, keys, weights, named)
        self.take(Schema(table.variables[:-1], table.variables[-1], table.n_rows), labels, named=named)
        return table

    def learn_without_class(self, X: Any, sample_weight: Any = None) -> Table:
        """Learn the variables of data that have no class, and encode them; identifiers are left out.

        There is no class to cut numbers by: they are cut by `Quantiles` if nothing else is given.

        Examples
        --------
        >>> reader = TableReader(Quantiles(2), missing="available")
        >>> table = reader.learn_without_class([["a", 0.5], ["b", 1.5], ["a", 2.5]])
        >>> table.names, table.codes.tolist(), table.target
        (('x0', 'x1'), [[0, 0], [1, 0], [0, 1]], None)
        """
        check_param("learn_network", "missing", self.missing, str, options=WAYS_WITHOUT_CLASS)
        if isinstance(self.discretizer, MDLP):
            raise ValueError(
                "MDLP cuts numbers by a class, and there is none: use Quantiles, EqualWidth or Cuts."
            )
        X = check_rows(X)
        weights = read_weights(sample_weight, X)
        if self.missing == "drop":
            complete = complete_rows(X)
            if not complete.any():
                raise ValueError("Every row has a missing value: missing='drop' leaves none.")
            X, weights = (
                take_rows(X, np.flatnonzero(complete)),
                None if weights is None else weights[complete],
            )
        frame = as_frame(X)
        named = frame is not None
        keys: list[Any] = list(range(np.shape(X)[1])) if frame is None else list(frame.columns)
        no_class = Variable("".join(_names(keys, named)) + "?", ("",))  # a name that no column has
        codes = np.zeros(np.shape(X)[0], dtype=np.int64)
        cut = self if self.discretizer is not None else replace(self, discretizer=Quantiles())
        table = cut._learn_columns(X, codes, no_class, keys, weights, named)
        return table.select([j for j in range(len(keys)) if table.variables[j].dtype != "identifier"])

    def _learn_columns(
        self, X: Any, codes: Any, target: Variable, keys: list[Any], weights: Weights, named: bool
    ) -> Table:
        names = _names(keys, named)
        types = resolve_column_types(self.column_types, names, has_names=named)
        table = learn_schema(
            X,
            codes,
            target,
            discretizer=MDLP() if self.discretizer is None else self.discretizer,
            categorical=categorical_mask(self.categorical_features, names, has_names=named),
            names=names,
            keys=keys,
            types=types,
            weights=weights,
            identifiers=self.identifiers,
            missing="available" if self.missing == "drop" else self.missing,
            rare=RareValues(self.min_frequency, self.max_categories),
            auto=reads_values(self.categorical_features),
            n_jobs=self.n_jobs,
        )
        found = [
            variable.name
            for variable, said in zip(table.variables, types, strict=False)
            if variable.dtype == "identifier" and said is None
        ]
        if found:
            warn(identifier_warning(found))
        return table

    def inspect(self, owner: Any, X: Any, y: Any = None) -> Schema:
        """Return what `learn` would make of the columns; without ``y``, as if all rows were of one class."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentifierWarning)  # the schema names them
            table = replace(self).learn(owner, X, y, classless=y is None)
        return Schema(table.variables[:-1], None if y is None else table.variables[-1], table.n_rows)

    def encode(
        self,
        X: Any,
        *,
        owner: Any = None,
        unknown: Unknown = "missing",
        absent_columns: AbsentColumns = "error",
        n_jobs: int | None = None,
    ) -> Table:
        """Encode rows: all features of the schema.

        Parameters
        ----------
        X : DataFrame or array
        owner : estimator, optional
            Fitted to the columns: then the rows are checked as scikit-learn checks them. Otherwise columns are
            chosen by name.
        unknown, absent_columns, n_jobs
            See `bayleaf.BayesNetClassifier`.
        """
        quick = not self.named and self.rows.takes(X)  # then there is nothing to check, or to warn of
        if not quick:
            table = self.rows.read_few(X, n_jobs) if self.named or owner is None else None
            if table is not None:
                return table
            X = self._chosen(X, absent_columns) if owner is None else self.checked(X, owner, absent_columns)
        table = self.rows.read_array(X, n_jobs) if quick or self.rows.takes(X) else None
        return encode(self.schema, X, unknown=unknown, n_jobs=n_jobs) if table is None else table

    def checked(self, X: Any, owner: Any, absent_columns: AbsentColumns) -> Any:
        """Check rows as scikit-learn does, with a column of gaps for each column that may be absent and is."""
        if self.named:
            may_lack = self.schema.may_lack(absent_columns)
            X = with_absent(X, self.rows.names, may_lack) if may_lack else X
        X = check_rows(X)
        validate_data(owner, X, reset=False, skip_check_array=True)
        return X

    def _chosen(self, X: Any, absent_columns: AbsentColumns) -> Any:
        """Return the columns of the schema from a DataFrame, by name where fit knew names."""
        frame = as_frame(X) if self.named else None
        if frame is None:
            return X
        names = self.rows.name_list
        if list(frame.columns) != names:
            filled = with_absent(frame.to_native(), self.rows.names, self.schema.may_lack(absent_columns))
            frame = nw.from_native(filled, eager_only=True)
            lacking = [name for name in names if name not in frame.columns]
            if lacking:
                raise ValueError(f"The table has no column {lacking[0]!r}, which the model needs.")
            frame = frame.select(names)
        return frame.to_native()

    def encode_row(self, row: Row, unknown: Unknown = "missing") -> tuple[Codes, bool]:
        """Return the codes of one row, given as a dict or a tuple, and whether all its values are known.

        Examples
        --------
        >>> from bayleaf.data import Schema
        >>> schema = Schema((Variable.numeric("age", [18, 65]), Variable("smoker", ("no", "yes"))))
        >>> reader = TableReader().take(schema, np.array([]), named=True)
        >>> codes, complete = reader.encode_row({"age": 40})
        >>> codes.tolist(), complete
        ([1, 255], False)
        """
        if type(row) is tuple and len(row) != len(self.rows.names):
            raise ValueError(f"The row has {len(row)} values; the model has {len(self.rows.names)} features.")
        codes, met = self.rows.codes_of(row)
        if met > MISSING:
            codes, met = self._read_again(row, codes, met, unknown)
        return codes, not met & MISSING

    def _read_again(self, row: Row, codes: Codes, met: int, unknown: Unknown) -> tuple[Codes, int]:
        """Look closer at a row in which more than missing values was met; it may be refused."""
        if met & NO_COLUMN:
            shown = ", ".join(repr(name) for name in self.rows.names[:10])
            raise ValueError(f"No key of the row is a column of the model; the columns are {shown}.")
        if met & OTHER:
            codes, met = self.rows.codes_of(_plain(row))
        if met & (OTHER | INFINITE) or (met & UNKNOWN and unknown == "error"):
            return self._read_slowly(row, unknown)
        return codes, met

    def _read_slowly(self, row: Row, unknown: Unknown) -> tuple[Codes, int]:
        """Read a row as a column of one value each, as tables are read: the way to all error messages."""
        values = [row.get(name) for name in self.rows.names] if isinstance(row, dict) else row
        # Identifiers are not even read.
        columns = {
            variable.name: (variable, object_column(variable.name, [value]))
            for variable, value in zip(self.rows.columns, values, strict=True)
            if variable.dtype != "identifier"
        }
        read = []
        for variable in self.schema.features:
            if variable.dtype == "identifier":
                read.append(0)
            elif variable.source is None:
                read.append(int(encode_column(*columns[variable.name], unknown)[0]))
            else:
                read.append(int(encode_part(variable, *columns[variable.source])[0]))
        codes: Codes = np.array(read).astype(self.rows.dtype)  # -1 becomes the missing code
        return codes, MISSING if min(read) < 0 else 0


def _names(keys: list[Any], named: bool) -> list[str]:
    return [str(key) if named else f"x{key}" for key in keys]


def _plain(row: Row) -> Row:
    """Put Python's own numbers in place of numpy's, and None for every spelling of missing."""
    if isinstance(row, dict):
        return {name: _plain_value(value) for name, value in row.items()}
    return tuple(map(_plain_value, row))


def _plain_value(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if is_missing(value) else value


def balanced(weights: Weights, class_weight: Any, labels: NDArray[Any], codes: NDArray[Any]) -> Weights:
    """Multiply the weights of rows by those of their classes; only the balance changes, not the sum.

    Smoothing then sees as many rows as there are.
    """
    rows = np.ones(len(codes)) if weights is None else weights
    changed = rows * class_weights(class_weight, labels, codes)[codes]
    changed *= rows.sum() / changed.sum()
    return np.asarray(changed)


def class_weights(class_weight: Any, classes: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what a row of each class weighs.

    Examples
    --------
    >>> class_weights("balanced", np.array(["no", "yes"]), np.array([0, 0, 0, 1]))
    array([0.66666667, 2.        ])
    >>> class_weights({"yes": 5}, np.array(["no", "yes"]), np.array([0, 1]))
    array([1., 5.])
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(len(codes) / (len(classes) * np.bincount(codes, minlength=len(classes))))
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight must be 'balanced' or a dict from class labels to weights. Got {class_weight!r} instead."
        )
    weights, places = np.ones(len(classes)), {label: place for place, label in enumerate(classes.tolist())}
    for label, weight in class_weight.items():
        if label not in places:
            raise ValueError(f"class_weight names {label!r}, but the classes are {classes.tolist()}.")
        if not (isinstance(weight, Real) and float(weight) > 0):
            raise ValueError(f"class_weight must give {label!r} a positive weight. Got {weight!r}.")
        weights[places[label]] = float(weight)
    return weights


def training_rows(X: Any, y: Any, sample_weight: Any, *, drop_incomplete: bool) -> tuple[Any, Any, Weights]:
    """Return the rows that take part in fit, their labels and their weights.

    Rows without a class, rows of weight zero and dropped rows do not count: their categories and values must not
    enter the schema.

    Examples
    --------
    >>> training_rows(np.array([["a"], ["b"]]), ["no", "yes"], [0, 2], drop_incomplete=False)
    (array([['b']], dtype='<U1'), ['yes'], array([2.]))
    """
    weights = read_weights(sample_weight, X)
    known = labelled_rows(y)
    if known is not None:
        warn_of_left_out(len(y) - len(known), len(y))
        X, y = take_rows(X, known), take_rows(y, known)
        weights = None if weights is None else weights[known]
        if weights is not None and not weights.any():
            raise ValueError("sample_weight is zero in every row that has a class.")
    if weights is not None and (weights == 0).any():
        kept = np.flatnonzero(weights)
        X, y, weights = take_rows(X, kept), take_rows(y, kept), weights[kept]
    if drop_incomplete:
        complete = complete_rows(X)
        if not complete.any():
            raise ValueError(
                f"missing='drop' leaves no rows: each of the {len(complete)} rows has a missing value. Use "
                "missing='available' or 'impute'."
            )
        kept = np.flatnonzero(complete)
        X, y = take_rows(X, kept), take_rows(y, kept)
        weights = None if weights is None else weights[kept]
    return X, y, weights


def labelled_rows(y: Any) -> NDArray[np.int64] | None:
    """Return the numbers of the rows that have a class; None where all have one.

    Examples
    --------
    >>> labelled_rows(["no", None, "yes"])
    array([0, 2])
    >>> labelled_rows([None, None])
    Traceback (most recent call last):
    ValueError: Input y contains NaN or None only: none of the 2 rows has a class.
    """
    absent = absent_labels(y)
    if absent is None:
        return None
    if absent.all():
        raise ValueError(f"Input y contains NaN or None only: none of the {len(absent)} rows has a class.")
    return np.flatnonzero(~absent)


def warn_of_left_out(rows: int, total: int) -> None:
    """Say how many rows have no class."""
    have, are = ("has", "is") if rows == 1 else ("have", "are")
    warn(f"{rows} of {total} rows {have} no class (None or NaN in y) and {are} left out.")
