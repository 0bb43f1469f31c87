"""The one way from a table to codes: its columns are learned once, from training rows, and then read in the same way.

Classifiers, selectors and networks without a class all read by a `TableReader`. Its `RowReader` reads arrays of
numbers, single rows and small DataFrames by compiled rules; whatever needs more, or deserves a message, goes the
general way.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from bayleaf._native import _core
from bayleaf._util.params import check_param
from bayleaf._util.words import counted, guesses, listing, warn

from .categories import (
    Identifiers,
    IdentifierWarning,
    KnownValues,
    RareValues,
    Unknown,
    check_rare_values,
    encode_column,
    identifier_warning,
    nearly_all,
)
from .columns import (
    AbsentColumns,
    Columns,
    as_frame,
    check_rows,
    complete_rows,
    given_marks,
    resolve_column_types,
    take_rows,
    with_absent,
)
from .dates import MOMENTS, part_of
from .discretize import MDLP, Quantiles
from .encoding import SEE_GROUPS, encode, learn_schema, marks_of
from .numbers import MissingMarkWarning, encode_part, taken_out, without_marks
from .raw_columns import EXACT, Column, is_missing, object_column
from .schema import SAYS_THE_GROUPS, Schema, is_text
from .table import Codes, OwnCodes, Table, missing_code
from .target import (
    absent_labels,
    categorical_mask,
    check_labels,
    read_groups,
    read_known_target,
    read_target,
    read_weights,
    reads_values,
    refuse_wide_weights,
    target_name,
)
from .text_words import says_nothing, word_codes, words_of
from .variable import PRESENCE, WORD, State, Variable

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
    missing_values
        See `bayleaf.BayesNetClassifier`.
    many_classes : bool, default=False
        Whether a class may have any number of labels; else what does not look like a class is refused.

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
    missing_values: Any = None
    many_classes: bool = False
    schema: Schema = field(init=False, repr=False)
    classes: NDArray[Any] = field(init=False, repr=False)
    named: bool = field(init=False, repr=False)
    rows: "RowReader" = field(init=False, repr=False)

    @classmethod
    def of(cls, owner: Any, **changed: Any) -> Self:
        """Return a reader with the settings of an estimator, apart from those that are given."""
        settings = {
            each.name: getattr(owner, each.name)
            for each in fields(cls)
            if each.init and each.name not in (*changed, "many_classes")
        }
        settings["many_classes"] = owner.classes == "many"
        return cls(**settings, **changed)

    @property
    def used_discretizer(self) -> Any:
        """What cuts numbers where there is a class."""
        return MDLP() if self.discretizer is None else self.discretizer

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
        groups: Any = None,
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
        groups : array-like of shape (n_samples,), optional
            Rows of one group stay together wherever learners deal rows out to folds.
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
        names, drops = _names(keys, named), self.missing == "drop"
        # Which rows take part decides which groups do.
        numbers = None if groups is None else read_groups(groups, X)
        X, y, weights, kept = training_rows(
            X,
            y,
            sample_weight,
            drop_incomplete=drops,
            complete_of=lambda rows: self._complete(rows, names, named),
        )
        name = target_name(y, names)
        if classless:
            target, labels, codes = Variable("class", ("any",)), np.array(["any"]), y
        elif classes is not None:
            target, labels, codes = read_known_target(y, classes, name=name)
        else:
            recurring = not self.many_classes
            target, labels, codes = read_target(y, name=name, n_jobs=self.n_jobs, recurring=recurring)
        if self.class_weight is not None and not classless:
            weights = balanced(weights, self.class_weight, labels, codes)
        table = self._learn_columns(X, codes, target, keys, weights, named)
        if numbers is None:
            together = [variable.name for variable in table.variables if SEE_GROUPS in variable.note]
            if together:
                warn(groups_warning(together, in_batches=classes is not None))
        else:
            of_rows = numbers if kept is None else numbers[kept]
            noted = with_groups_noted(table, of_rows)
            table = replace(table, variables=noted, groups=of_rows, own=OwnCodes(table.has_missing))
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
        frame = as_frame(X)
        named = frame is not None
        keys: list[Any] = list(range(np.shape(X)[1])) if frame is None else list(frame.columns)
        if self.missing == "drop":
            complete = self._complete(X, _names(keys, named), named)
            if not complete.any():
                raise ValueError("Every row has a missing value: missing='drop' leaves none.")
            X = take_rows(X, np.flatnonzero(complete))
            weights = None if weights is None else weights[complete]
        no_class = Variable("".join(_names(keys, named)) + "?", ("",))  # a name that no column has
        codes = np.zeros(np.shape(X)[0], dtype=np.int64)
        cut = self if self.discretizer is not None else replace(self, discretizer=Quantiles())
        table = cut._learn_columns(X, codes, no_class, keys, weights, named)
        return table.select([j for j in range(len(keys)) if table.variables[j].dtype != "identifier"])

    def _complete(self, X: Any, names: list[str], named: bool) -> NDArray[np.bool_]:
        """Return a mask of the rows that have every value: marks of missing values are none."""
        types = resolve_column_types(self.column_types, names, has_names=named)
        is_read = ~categorical_mask(self.categorical_features, names, has_names=named)
        is_read &= reads_values(self.categorical_features)
        given = None if self.missing_values is None else given_marks(self.missing_values)

        def without_gaps(j: int, column: Column) -> Column:
            return taken_out(column, marks_of(column, types[j], bool(is_read[j]), given))[0]

        return complete_rows(X, without_gaps)

    def _learn_columns(
        self, X: Any, codes: Any, target: Variable, keys: list[Any], weights: Weights, named: bool
    ) -> Table:
        names = _names(keys, named)
        types = resolve_column_types(self.column_types, names, has_names=named)
        categorical = categorical_mask(self.categorical_features, names, has_names=named)
        table = self.learn_columns(X, codes, target, names, types, categorical, weights, keys)
        found = [
            variable
            for variable, said in zip(table.variables, types, strict=False)
            if variable.dtype == "identifier" and said is None
        ]
        if found:
            texts = [variable.name for variable in found if is_text(variable)]
            warn(identifier_warning([each.name for each in found if not is_text(each)], texts))
        return table

    def learn_columns(
        self,
        X: Any,
        codes: Any,
        target: Variable,
        names: Sequence[str],
        types: Sequence[Any],
        categorical: NDArray[np.bool_],
        weights: Weights,
        keys: Sequence[str | int] | None = None,
    ) -> Table:
        """Learn columns of which it is settled what they are said to hold; see `learn_schema`."""
        return learn_schema(
            X,
            codes,
            target,
            discretizer=self.used_discretizer,
            categorical=categorical,
            names=names,
            keys=keys,
            types=types,
            weights=weights,
            identifiers=self.identifiers,
            missing="available" if self.missing == "drop" else self.missing,
            missing_values=self.missing_values,
            rare=RareValues(self.min_frequency, self.max_categories),
            auto=reads_values(self.categorical_features),
            n_jobs=self.n_jobs,
        )

    def inspect(self, owner: Any, X: Any, y: Any = None) -> Schema:
        """Return what `learn` would make of the columns; without ``y``, as if all rows were of one class."""
        with warnings.catch_warnings():
            for named in (
                IdentifierWarning,
                MissingMarkWarning,
                GroupsWarning,
            ):  # the schema says what they say
                warnings.simplefilter("ignore", named)
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
        """Check rows as scikit-learn does, once their columns are those of the schema; say which others there are."""
        X = check_rows(self._chosen(X, absent_columns, says_others=True))
        validate_data(owner, X, reset=False, skip_check_array=True)
        return X

    def _chosen(self, X: Any, absent_columns: AbsentColumns, *, says_others: bool = False) -> Any:
        """Return the columns of the schema from a DataFrame, by name where fit knew names, in the order of fit."""
        frame = as_frame(X) if self.named else None
        names = self.rows.name_list
        if frame is None or list(frame.columns) == names:
            return X if frame is None else frame.to_native()
        if not all(
            isinstance(name, str) for name in frame.columns
        ):  # positions, or what scikit-learn refuses
            return frame.to_native()
        others = [name for name in frame.columns if name not in set(names)]
        filled = with_absent(frame.to_native(), names, self.schema.may_lack(absent_columns))
        frame = nw.from_native(filled, eager_only=True)
        lacking = [name for name in names if name not in frame.columns]
        if lacking:
            raise ValueError(_lacking_text(lacking, others, given=len(names) - len(lacking)))
        if others and says_others:
            warn(f"Ignored {counted(len(others), 'column')} that fit has not seen: {_listed(others)}.")
        return frame.select(names).to_native()

    def encode_row(self, row: "Row", unknown: Unknown = "missing") -> tuple[Codes, bool]:
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

    def _read_again(self, row: "Row", codes: Codes, met: int, unknown: Unknown) -> tuple[Codes, int]:
        """Look closer at a row in which more than missing values was met; it may be refused."""
        if met & NO_COLUMN:
            shown = ", ".join(repr(name) for name in self.rows.names[:10])
            raise ValueError(f"No key of the row is a column of the model; the columns are {shown}.")
        if met & OTHER:
            codes, met = self.rows.codes_of(_plain(row))
        if met & (OTHER | INFINITE) or (met & UNKNOWN and unknown == "error"):
            return self._read_slowly(row, unknown)
        return codes, met

    def _read_slowly(self, row: "Row", unknown: Unknown) -> tuple[Codes, int]:
        """Read a row as a column of one value each, as tables are read: the way to all error messages."""
        values = [row.get(name) for name in self.rows.names] if isinstance(row, dict) else row
        # Identifiers are not even read.
        columns = {
            variable.name: (variable, without_marks(variable, object_column(variable.name, [value])))
            for variable, value in zip(self.rows.columns, values, strict=True)
            if variable.dtype != "identifier" or variable.name in self.rows.texts
        }
        read = []
        for variable in self.schema.features:
            if variable.dtype == "identifier":
                read.append(0)
            elif variable.source is None:
                read.append(int(encode_column(*columns[variable.name], unknown)[0]))
            elif variable.part == WORD:
                has_word = next(word_codes([variable], columns[str(variable.source)][1]))
                read.append(int(has_word[0]))
            else:
                read.append(int(encode_part(variable, *columns[variable.source])[0]))
        codes: Codes = np.array(read).astype(self.rows.dtype)  # -1 becomes the missing code
        return codes, MISSING if min(read) < 0 else 0


class GroupsWarning(UserWarning):
    """Rows seem to belong together by ``columns``, and nothing says that folds must not part them."""

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


def groups_warning(found: Sequence[str], *, in_batches: bool = False) -> GroupsWarning:
    """Say which columns look as if rows belonged together, and what to do; rows ``in_batches`` have no groups."""
    column, values, first = (
        ("Column", "has its", "it") if len(found) == 1 else ("Columns", "have their", "one")
    )
    what = (
        f"leave {first} out: partial_fit takes no groups, and a new block has values that the model has not seen."
        if in_batches
        else f"pass {first} as groups= instead of a feature, to fit and cross_validate: figures on held-out rows are "
        "too good otherwise."
    )
    return GroupsWarning(
        f"{column} {listing([repr(name) for name in found], most=5)} {values} values in blocks of rows. If the rows "
        f"of a block belong together (a patient, a machine), {what}",
        found,
    )


def with_groups_noted(table: Table, groups: NDArray[np.int64]) -> tuple[Variable, ...]:
    """Return the variables; categories that are one in each group, and nearly as many as the groups, have a note."""
    variables, n_groups = list(table.variables), len(np.unique(groups))
    for j in table.features:
        variable = variables[j]
        if variable.cuts is not None or variable.source is not None or variable.dtype == "identifier":
            continue
        known = table.codes[:, j] < len(variable.value_states)
        codes, of_rows = table.codes[known, j].astype(np.int64), groups[known]
        values, with_value = len(np.unique(codes)), len(np.unique(of_rows))
        pairs = len(np.unique(of_rows * variable.arity + codes))
        if pairs == with_value and nearly_all(values, n_groups):
            note = (
                f"{SAYS_THE_GROUPS} ({values:,} values for {n_groups:,} groups): new groups have other values"
            )
            variables[j] = replace(variable, note="; ".join(filter(None, (variable.note, note))))
    return tuple(variables)


def _listed(names: Sequence[str]) -> str:
    return listing([f"'{name}'" for name in names])


def _lacking_text(lacking: Sequence[str], others: Sequence[str], *, given: int) -> str:
    """Say which columns are not there, and what may be meant by the others."""
    near = guesses(lacking[0], others) if others else []
    hint = "absent_columns='missing' takes what is absent as missing in every row."
    if near:
        hint = f"Did you mean {' or '.join(map(repr, near))}?"
    elif not given:
        hint = f"It has {_listed(others)}."
    return f"X lacks {counted(len(lacking), 'column')} of fit: {_listed(lacking)}. {hint}"


def _names(keys: list[Any], named: bool) -> list[str]:
    return [str(key) if named else f"x{key}" for key in keys]


def _plain(row: "Row") -> "Row":
    """Return the row with Python's own numbers instead of numpy's, and None for every spelling of missing."""
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
    """Return what a row of each class weighs."""
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
        if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
            raise ValueError(f"class_weight must give {label!r} a positive weight. Got {weight!r}.")
        weights[places[label]] = float(weight)
    refuse_wide_weights("class_weight", float(weights.min()), float(weights.max()))
    return weights


def training_rows(
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    drop_incomplete: bool,
    complete_of: Callable[[Any], NDArray[np.bool_]] = complete_rows,
) -> tuple[Any, Any, Weights, NDArray[np.int64] | None]:
    """Return the rows that take part in fit, their labels, their weights, and their numbers where some do not.

    Rows without a class, rows of weight zero and dropped rows do not count: their categories and values must not
    enter the schema.
    """
    weights = read_weights(sample_weight, X)
    known = labelled_rows(y)
    numbers = known
    if known is not None:
        warn_of_left_out(len(y) - len(known), len(y))
        X, y = take_rows(X, known), take_rows(y, known)
        weights = None if weights is None else weights[known]
        if weights is not None and not weights.any():
            raise ValueError("sample_weight is zero in every row that has a class.")
    if weights is not None and (weights == 0).any():
        kept = np.flatnonzero(weights)
        X, y, weights = take_rows(X, kept), take_rows(y, kept), weights[kept]
        numbers = kept if numbers is None else numbers[kept]
    if drop_incomplete:
        complete = complete_of(X)
        if not complete.any():
            raise ValueError(
                f"missing='drop' leaves no rows: each of the {len(complete)} rows has a missing value. Use "
                "missing='available' or 'impute'."
            )
        kept = np.flatnonzero(complete)
        X, y = take_rows(X, kept), take_rows(y, kept)
        weights = None if weights is None else weights[kept]
        numbers = kept if numbers is None else numbers[kept]
    return X, y, weights, numbers


def labelled_rows(y: Any) -> NDArray[np.int64] | None:
    """Return the numbers of the rows that have a class; None where all have one."""
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


# What the native reader came across, see cpp/network/value_reader.hpp.
MISSING, UNKNOWN, INFINITE, OTHER, NO_COLUMN = 1, 2, 4, 8, 16
CUTS, NUMBERS, STRINGS, BOOLEANS, NOTHING = range(5)
_READABLE = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32, np.uint8)))
_LABELS = {"integer": NUMBERS, "float": NUMBERS, "string": STRINGS, "boolean": BOOLEANS}
# Up to so many rows, a DataFrame is read value by value: asking for its columns would take longer. Both ways take as
# long at the limit, see benchmarks/few_rows.py.
FEW_ROWS = {"pandas": 900, "polars": 400}
# Stands for a number where a date should be: its unit is unknown.
NO_DATE = object()
Row = dict[str, Any] | tuple[Any, ...]


class Spellings:
    """Answers which code a value has that is not among the states of a column; see `bayleaf.data.categories`."""

    def __init__(self, features: tuple[Variable, ...]) -> None:
        self._known = [KnownValues(variable) for variable in features]

    @property
    def states(self) -> tuple[dict[State, int], ...]:
        """Codes of the states, by label, of each column."""
        return tuple(known.states for known in self._known)

    def __call__(self, column: int, value: State) -> int:
        """Return the code of a value, or what `KnownValues` says of it."""
        return self._known[column].codes((value,))[0]


class RowReader:
    """Turns rows of values into codes by the features of a schema; it can be pickled and shared by threads."""

    def __init__(self, features: tuple[Variable, ...]) -> None:
        self.features = features
        self.columns = tuple(variable for variable in features if variable.source is None)
        self.names = tuple(variable.name for variable in self.columns)
        self._dates = [
            (j, variable, [(k, part) for k, part in enumerate(features) if part.source == variable.name])
            for j, variable in enumerate(self.columns)
            if variable.dtype in MOMENTS
        ]
        self.texts: dict[str, list[tuple[int, Variable]]] = {}
        for k, variable in enumerate(features):
            if variable.part == WORD:
                self.texts.setdefault(str(variable.source), []).append((k, variable))
        self._marks = [
            (j, variable.name, frozenset(variable.marks))
            for j, variable in enumerate(self.columns)
            if variable.marks
        ]
        self.name_list = list(self.names)
        self.wide = any(variable.arity > np.iinfo(np.uint8).max for variable in features)
        self.dtype: np.dtype[Any] = np.dtype(np.uint16 if self.wide else np.uint8)
        self.reads_arrays = all(map(_reads_numbers, features))
        self._native: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def native(self) -> Any:
        """The compiled rules, made when they are first needed."""
        if self._native is None:
            spellings = Spellings(self.features)
            names = tuple(variable.name for variable in self.features)
            native = _core.ValueReader(names, spellings.states, np.generic, spellings)
            for variable in self.features:
                native.add_column(*_rule(variable))
            self._native = native
        return self._native

    def takes(self, X: Any) -> bool:
        """Tell whether X is an array of numbers that the compiled rules can read."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in _READABLE
            and X.shape[1] == len(self.columns)
            and X.shape[0] > 0
            and self.reads_arrays
            and X.flags.aligned
            and X.strides[0] % X.itemsize == 0
            and X.strides[1] % X.itemsize == 0
        )

    def read_array(self, X: NDArray[Any], n_jobs: int | None) -> Table | None:
        """Encode an array that `takes` accepts; None where the general way has something to say."""
        codes: Codes = np.empty(X.shape, dtype=self.dtype, order="F")
        missing = np.zeros(X.shape[1], dtype=np.uint8)
        met = self.native.read_numbers(X, codes, missing, n_jobs)
        if met & ~MISSING:
            return None
        return Table(self.features, codes, n_jobs=n_jobs, own=OwnCodes(missing.view(bool)))

    def read_few(self, X: Any, n_jobs: int | None) -> Table | None:
        """Encode a few rows of a DataFrame that has the features as its columns; None for anything else."""
        rows = _few_rows(X, self.name_list)
        if rows is None:
            return None
        codes = np.empty((len(rows), len(self.features)), dtype=self.dtype)
        read, overall = self.native.read_values, 0
        for row, out in zip(rows, codes, strict=True):
            overall |= read(self._with_dates(self._without_marks(row)), out)
        if overall & ~MISSING:
            return None
        missing = np.any(codes == missing_code(self.dtype), axis=0)
        return Table(self.features, np.asfortranarray(codes), n_jobs=n_jobs, own=OwnCodes(missing))

    def codes_of(self, row: "Row") -> tuple[Codes, int]:
        """Return the codes of one row, and what was met."""
        codes: Codes = np.empty(len(self.features), dtype=self.dtype)
        read = self.native.read_mapping if type(row) is dict else self.native.read_values
        return codes, read(self._with_dates(self._without_marks(row)), codes)

    def _without_marks(self, row: "Row") -> "Row":
        """Put None in place of what marks a missing value; most schemas have no marks."""
        if not self._marks:
            return row
        by_name = isinstance(row, dict)
        values: Any = dict(row) if by_name else list(row)
        for j, name, marks in self._marks:
            place: Any = name if by_name else j
            value = values.get(place) if by_name else values[place]
            if isinstance(value, str | Real) and value in marks:
                values[place] = None
        return values if by_name else tuple(values)

    def _with_dates(self, row: "Row") -> Row:
        """Replace dates and times by numbers, and add their parts; anything else is left to the general way.

        Words of texts are added as well.
        """
        if not self._dates and not self.texts:
            return row
        by_name = isinstance(row, dict)
        values: Any = dict(row) if by_name else [*row, *[None] * (len(self.features) - len(row))]
        for j, variable, parts in self._dates:
            place: Any = variable.name if by_name else j
            value = values.get(place) if by_name else values[place]
            number = variable.date_number(value)
            if number is None:
                if isinstance(value, int | float | np.number) and value == value:
                    values[place] = NO_DATE
                continue
            values[place] = number
            for k, part in parts:
                values[part.name if by_name else k] = part.states[part_of(part.part, number, variable.dtype)]
        for name, words in self.texts.items():
            text = values.get(name) if by_name else values[self.names.index(name)]
            if not is_missing(text) and not says_nothing(str(text)):
                found = words_of(str(text))
                for k, part in words:
                    values[part.name if by_name else k] = PRESENCE[part.spelling in found]
        return values if by_name else tuple(values)


def _reads_numbers(variable: Variable) -> bool:
    if variable.dtype in MOMENTS or variable.marks:
        return False
    if variable.cuts is not None or variable.dtype in ("untyped", "identifier"):
        return True
    return variable.dtype in ("integer", "float") and all(
        -EXACT < state < EXACT  # type: ignore[operator]
        for state in variable.value_states
    )


def _rule(variable: Variable) -> tuple[int, NDArray[np.float64], NDArray[np.uint16], int, int, bool]:
    """Return the reading, increasing numbers, their codes, and the codes of missing and of unknown values (-1: none).

    Where missing values have a state of their own, a category that fit has not seen is summed out nonetheless, unless
    there is a state for those: this is said last.
    """
    points: Sequence[Any] = ()
    if variable.dtype == "identifier":  # its only state, whatever comes
        return NOTHING, np.empty(0), np.empty(0, dtype=np.uint16), 0, 0, False
    if variable.dtype == "untyped":
        reading = NOTHING
    elif variable.cuts is not None:
        reading, points = CUTS, variable.cuts
    else:
        reading = _LABELS[variable.dtype]
        if reading == NUMBERS:
            points = variable.value_states
    values = np.array(points, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    fill = -1 if variable.fill is None else variable.fill
    unknown, pools = -1 if variable.gap else fill, variable.other is not None
    if variable.other is not None:
        unknown = variable.other
    return reading, values[order], order.astype(np.uint16), fill, unknown, pools


def _few_rows(X: Any, names: list[str]) -> list[tuple[Any, ...]] | None:
    """Return the rows of a small DataFrame as tuples; None where X is anything else, or has other columns."""
    library = type(X).__module__.partition(".")[0]
    if type(X).__name__ != "DataFrame" or not 0 < len(X) <= FEW_ROWS.get(library, 0):
        return None
    if library == "polars":
        return X.rows() if X.columns == names else None
    if X.columns.tolist() != names:
        return None
    if len(X) == 1:
        value = X.iat
        return [tuple([value[0, j] for j in range(len(names))])]
    return list(map(tuple, X.to_numpy(dtype=object).tolist()))
