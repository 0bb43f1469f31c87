"""Reading the class column, the sample weights, and which columns are categorical."""

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from bayleaf._util.words import short, warn

from .columns import WIDE_MISSING, pack_labels, read_columns
from .dates import MOMENTS
from .raw_columns import (
    ABSENT,
    Column,
    LabelColumn,
    SignedCodes,
    array_column,
    is_missing,
    refuse_mixture,
    text_objects,
    translate,
)
from .text_values import TextNumbers, find_dates, find_numbers
from .variable import DType, Variable

# More classes than this are none where more than a tenth of the rows have one of their own; or, of very many, where
# there are few rows for each on average; or where they are texts that are numbers.
MANY_CLASSES, OWN_CLASS = 50, 0.1
VERY_MANY_CLASSES, FEWEST_ROWS = 1000, 5
MANY_NUMBERS = 20
NEARLY_ALL = 0.9  # of the rows have a value of their own: an identifier
_RIGHT_LABELS = "class labels must all be strings, all be numbers or all be booleans. Convert them."


def read_target(
    y: Any, *, name: str = "class", n_jobs: int | None = None, recurring: bool = False
) -> tuple[Variable, NDArray[Any], NDArray[np.int64]]:
    """Read class labels: the class variable, the sorted labels as an array, and the code of each row.

    With ``recurring``, a column that does not look like a class is refused.
    """
    if y is None:
        raise ValueError("y is None: a classifier requires y to be passed, but the target y is None.")
    labels = _read_labels(y)
    if isinstance(labels, LabelColumn):
        recurring &= not labels.by_type

    def check(classes: Sequence[Any]) -> None:
        if recurring:
            refuse_wrong_target(classes, len(labels), name)

    if isinstance(labels, LabelColumn):
        check(labels.levels)
    numbered = _numbered_classes(labels) if isinstance(labels, LabelColumn) else None
    if numbered is None:
        per_row = _label_per_row(labels) if isinstance(labels, LabelColumn) else labels
        numbered = _classes(per_row, n_jobs, check)
    classes, codes = numbered
    if isinstance(y, np.ndarray) and y.dtype.kind == "U":
        classes = classes.astype(y.dtype, copy=False)
    if len(classes) < 2:
        only = classes.tolist()[0]
        only = short(only) if isinstance(only, str) else only
        where = "the only row" if len(labels) == 1 else f"all {len(labels)} rows"
        raise ValueError(f"y has only one class ({only!r} in {where}): a classifier needs at least two.")
    if len(classes) > WIDE_MISSING:  # the codes of two bytes would begin again
        raise ValueError(
            f"y has {len(classes):,} classes, more than {WIDE_MISSING:,}: is it a number to predict, or an "
            "identifier? A classifier needs classes that recur."
        )
    dtypes: dict[str, DType] = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}
    dtype = dtypes.get(classes.dtype.kind, "string")
    return Variable(name, tuple(classes.tolist()), None, dtype), classes, codes.astype(np.int64, copy=False)


def refuse_wrong_target(classes: Sequence[Any], rows: int, name: str) -> None:
    """Raise for a column that is no class: an identifier, numbers to predict, or texts.

    Examples
    --------
    >>> refuse_wrong_target(["no", "yes"], 40, "ill")
    >>> refuse_wrong_target([f"A{k}" for k in range(90)], 100, "loan_id")
    Traceback (most recent call last):
    ValueError: 'loan_id' has 90 different values in 100 rows and looks like an identifier, not like a class: ...
    """
    number = len(classes)
    texts = list(classes) if number > MANY_NUMBERS and all(isinstance(each, str) for each in classes) else []
    found = find_numbers(texts) if texts else TextNumbers()
    written = found.values is not None and not (found.reading is None and (found.values % 1 == 0).all())
    own = number > MANY_CLASSES and number > OWN_CLASS * rows
    if not (own or written or (number > VERY_MANY_CLASSES and rows < FEWEST_ROWS * number)):
        return
    example = texts[0] if texts else f"{classes[0]:.10g}"
    if found.values is not None:
        what = f"numbers, such as '{example}'"
    elif texts and find_dates(texts) is not None:
        what = f"dates, such as '{example}'"
    elif sum(" " in text for text in texts) > number / 2:
        what = f"names or remarks, such as '{short(example)}'"
    elif number >= NEARLY_ALL * rows:
        what = "an identifier"
    else:
        what = "names" if texts else f"numbers, such as {example}"
    cut = "cut it with --bins 4" if not texts or found.values is not None else "group its values"
    raise ValueError(
        f"'{name}' has {number:,} different values in {rows:,} rows and looks like {what}, not like a class: name "
        f"another column as the target, {cut} into a few classes, or insist with classes='many' (--set classes=many)."
    )


def target_name(y: Any, feature_names: Sequence[str]) -> str:
    """Return the target's own name, or "class" where it has none or (with a warning) one that a feature has."""
    name = getattr(y, "name", None)
    if name is None and hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    if isinstance(name, str) and name in feature_names:
        warn(
            f"X has a column '{name}', the name of y: if it is the class, or y was made from it, the classifier "
            "learns from the answer. Leave it out of X."
        )
    chosen = name if isinstance(name, str) and name and name not in feature_names else "class"
    while chosen in feature_names:
        chosen += "_"
    return chosen


def check_labels(X: Any, y: Any, owner: object) -> None:
    """Refuse what cannot be the labels: None, the name of a column, or more or fewer labels than rows."""
    if y is None:
        name = owner if isinstance(owner, str) else type(owner).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    if isinstance(y, str):
        raise TypeError(
            f"y is the text {y!r}: pass the column itself, such as df[{y!r}], and the other columns as X."
        )
    check_consistent_length(X, y)


def absent_labels(y: Any) -> NDArray[np.bool_] | None:
    """Tell which labels are missing (None, NaN, NaT, pandas.NA); None where all are known."""
    series: Any = nw.from_native(y, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(series, nw.DataFrame) and series.shape[1] == 1:
        series = series[:, 0]
    if isinstance(series, nw.Series):
        gone = series.is_null()
        absent = np.asarray((gone | series.is_nan()) if series.dtype.is_float() else gone, dtype=bool)
    else:
        labels = np.array(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
        if labels.size != len(labels):  # no labels: refused where they are read
            return None
        absent = _absent_values(labels.reshape(-1))
    return absent if absent.any() else None


def _absent_values(labels: NDArray[Any]) -> NDArray[np.bool_]:
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=bool)
    texts = text_objects("y", labels)
    return np.array(list(map(is_missing, labels.tolist())), dtype=bool) if texts is None else texts.missing


# Of the sixteen digits that a double keeps of a sum, this leaves four to what the smallest weight says.
WIDEST_RATIO = 1e12
# More rows than this are not told apart by a double that counts them.
MOST_COUNTED = 2.0**53


def read_weights(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Check sample weights: finite, not negative, not all zero, and such that doubles can add them up."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        raise TypeError(
            f"sample_weight is the text {sample_weight!r}: pass one weight per row; "
            "sklearn.utils.compute_sample_weight('balanced', y) makes those that give each class the same weight."
        )
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(len(X), weights)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1-dimensional. Got {weights.ndim} dimensions instead.")
    check_consistent_length(X, weights)
    odd = int((~np.isfinite(weights)).sum())
    if odd:
        raise ValueError(f"sample_weight has {odd} of {len(weights)} values that are NaN or infinite.")
    negative = int((weights < 0).sum())
    if negative:
        raise ValueError(
            f"sample_weight has {negative} negative value{'s' * (negative > 1)} (the smallest is "
            f"{weights.min():g}): weights must be zero or more."
        )
    if not weights.any():
        raise ValueError("sample_weight sums to zero: at least one row needs a positive weight.")
    positive = weights[weights > 0]
    refuse_wide_weights("sample_weight", float(positive.min()), float(positive.max()))
    with np.errstate(over="ignore"):
        total = float(positive.sum())
    refuse_uncountable("sample_weight", total)
    warn_of_few(total, len(positive))
    return weights


def read_groups(groups: Any, X: Any) -> NDArray[np.int64] | None:
    """Return the groups of rows as numbers from 0; a row without a group (None, NaN) is one of its own.

    Examples
    --------
    >>> read_groups(["anna", "ben", None, "anna"], [[1], [2], [3], [4]]).tolist()
    [0, 1, 2, 0]
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        raise TypeError(f"groups is the text {groups!r}: pass the group of each row, such as X[{groups!r}].")
    values = np.asarray(groups, dtype=object)
    if values.ndim != 1:
        raise ValueError(f"groups must be 1-dimensional. Got {values.ndim} dimensions instead.")
    check_consistent_length(X, values)
    numbers: dict[Any, int] = {}
    found = []
    for row, value in enumerate(values.tolist()):
        try:
            found.append(numbers.setdefault((row,) if is_missing(value) else value, len(numbers)))
        except TypeError:  # not hashable
            raise TypeError(
                "groups must have one value per row, such as a text or a number. Got a "
                f"{type(value).__name__} in row {row}."
            ) from None
    if len(numbers) < 2:
        raise ValueError(
            f"groups has the same value in all {len(values)} rows: rows cannot be held out group by group."
        )
    return np.array(found, dtype=np.int64)


def refuse_wide_weights(name: str, smallest: float, largest: float) -> None:
    """Raise if the smallest positive weight would be lost in a sum with the largest."""
    if smallest < largest / WIDEST_RATIO:
        raise ValueError(
            f"{name} has weights from {smallest:g} to {largest:g}, a ratio of more than {WIDEST_RATIO:g}: doubles "
            f"lose the smallest in sums. Set weights below {largest / WIDEST_RATIO:g} to zero: their rows are left "
            "out."
        )


def refuse_uncountable(name: str, total: float) -> None:
    """Raise if weights, which count as rows, add up to more rows than doubles can count, or to nearly none."""
    if not 1 / MOST_COUNTED <= total <= MOST_COUNTED:
        raise ValueError(
            f"{name} adds up to {total:g} rows, and doubles count up to 2^53: a row of weight two counts as two "
            "equal rows. Divide all weights by their mean."
        )


def warn_of_few(total: float, rows: int) -> None:
    """Warn if weights, which count as rows, leave little of many rows: they may have been made to add up to one."""
    if total * 50 < rows:
        warn(
            f"sample_weight makes {rows} rows count as {total:.3g}, so little more than the class frequencies is "
            "learned: a row of weight two counts as two equal rows. Divide the weights by their mean if only their "
            "ratios matter."
        )


def categorical_mask(
    categorical_features: Any, names: Sequence[str], *, has_names: bool
) -> NDArray[np.bool_]:
    """Resolve ``categorical_features`` as scikit-learn's HistGradientBoosting does.

    "auto", "from_dtype" and None declare nothing beyond the columns' own types; otherwise a mask, column numbers, or
    names.
    """
    mask = np.zeros(len(names), dtype=bool)
    if categorical_features is None:
        return mask
    given = np.asarray(categorical_features)
    if given.ndim == 0:  # a text, a set, a slice, a number, a function ...
        if isinstance(categorical_features, str) and categorical_features in ("auto", "from_dtype"):
            return mask
        error = ValueError if isinstance(categorical_features, str) else TypeError
        raise error(
            f"categorical_features must be 'auto', 'from_dtype', a mask, or a list of names or positions. Got "
            f"{categorical_features!r} instead."
        )
    if given.size == 0:
        return mask
    if given.dtype.kind == "b":
        if given.shape != mask.shape:
            raise ValueError(
                f"categorical_features is a mask of shape {given.shape}; the data has {len(names)} columns."
            )
        return given
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= len(names):
            raise ValueError(
                f"categorical_features has positions outside 0 to {len(names) - 1}: {given.tolist()}."
            )
        mask[given] = True
        return mask
    if not has_names:
        raise ValueError("categorical_features has names, but the data has no column names: use positions.")
    unknown = [name for name in given.tolist() if name not in names]
    if unknown:
        raise ValueError(f"categorical_features names columns that the data lacks: {unknown}.")
    return np.isin(np.array(names, dtype=object), given.astype(object))


def reads_values(categorical_features: Any) -> bool:
    """Tell whether the values of columns may decide how they are read, or only their types."""
    by_type = isinstance(categorical_features, str) and categorical_features == "from_dtype"
    return categorical_features is not None and not by_type


def unknown_labels(
    labels: Sequence[Any], classes: Sequence[Any], model: str = "the model"
) -> NDArray[np.bool_]:
    """Tell which labels are not among the classes of a model; refuse them where none is."""
    known = set(classes)
    unknown = np.array([label not in known for label in labels], dtype=bool)
    if len(labels) and unknown.all():
        shown = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
        raise ValueError(
            f"y has none of the classes of {model}: the first row's is {labels[0]!r}, the model's are {shown}."
        )
    return unknown


def read_known_target(
    y: Any, classes: Any, *, name: str = "class"
) -> tuple[Variable, NDArray[Any], NDArray[np.int64]]:
    """Read class labels as `read_target` does, where the classes are known and need not all occur."""
    variable, known, _ = read_target(classes, name=name)
    read = _read_labels(y)
    labels = _label_per_row(read) if isinstance(read, LabelColumn) else read
    _refuse_missing(labels)
    places = {label: code for code, label in enumerate(known.tolist())}
    given = labels.tolist()
    strangers = [label for label in dict.fromkeys(given) if label not in places]
    if strangers:
        raise ValueError(
            f"y has the label {strangers[0]!r}, which is not one of the classes {known.tolist()} that the first call "
            "of partial_fit was given."
        )
    return variable, known, np.array([places[label] for label in given], dtype=np.int64)


def _read_labels(y: Any) -> LabelColumn | NDArray[Any]:
    """Return labels: numbered already where that is quick, else an array of int, bool, float or str."""
    if isinstance(y, np.ndarray) and y.ndim == 1:
        if y.dtype.kind in "iubf":
            return y
        if y.dtype.kind == "U":
            return _labels_or_values(array_column("y", y))
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _labels_or_values(read_columns(series.to_frame().to_native())[0])
    if isinstance(y, list | tuple):  # numpy would spell the 1 of ["a", 1] as a string, without a word
        y = np.array(y, dtype=object)
    flat: NDArray[Any] = column_or_1d(y, warn=True)
    if flat.dtype.kind != "O":
        return flat
    texts = text_objects("y", flat)
    return texts if texts is not None else _natural(flat)


def _labels_or_values(column: Column) -> LabelColumn | NDArray[Any]:
    if column.dtype in MOMENTS:
        raise TypeError(f"y holds dates or times ({column.dtype}): {_RIGHT_LABELS}")
    refuse_mixture(column)
    return column if isinstance(column, LabelColumn) else column.values


def _numbered_classes(column: LabelColumn) -> tuple[NDArray[Any], SignedCodes] | None:
    """Sort the classes of numbered labels; None if anything about them may be wrong."""
    # scikit-learn warns where nearly every row has a class of its own.
    if not column.levels or 2 * len(column.levels) > len(column) or (column.codes == ABSENT).any():
        return None
    used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.levels)))  # others are only declared
    levels = _natural(np.array(column.levels, dtype=object)[used])
    if levels.dtype.kind not in "Uiub":
        return None
    classes, positions = np.unique(levels, return_inverse=True)
    order = np.full(len(column.levels), ABSENT, dtype=np.int64)
    order[used] = positions
    return classes, translate(column.codes, order)


def _classes(
    labels: NDArray[Any], n_jobs: int | None, check: Callable[[Sequence[Any]], None]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes and the code of each row; ``check`` looks at the classes before scikit-learn does."""
    _refuse_missing(labels)
    _refuse_odd_types(labels)
    packed = pack_labels(labels, n_jobs)
    if packed is not None:
        check(packed[0].tolist())
        return packed
    if labels.dtype.kind not in "iuU":  # floats that are no whole numbers are no labels
        check_classification_targets(labels)
    found = np.unique(labels, return_inverse=True)
    check(found[0].tolist())
    check_classification_targets(labels)
    return found


def _label_per_row(column: LabelColumn) -> NDArray[Any]:
    return _natural(np.array([*column.levels, None], dtype=object)[column.codes])


def _natural(labels: NDArray[Any]) -> NDArray[Any]:
    """Give an object array of strings or of numbers that type; mixed or missing labels stay objects."""
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
    kinds = {type(label) for label in plain}
    if kinds and (kinds <= {int, bool, float} or all(issubclass(kind, str) for kind in kinds)):
        array = np.array(plain)
        return labels if kinds == {int} and array.dtype.kind == "f" else array  # beyond 64 bits: not rounded
    return labels


def _refuse_odd_types(labels: NDArray[Any]) -> None:
    if labels.dtype.kind in "mM":
        raise TypeError(f"y holds dates or times ({labels.dtype}): {_RIGHT_LABELS}")
    if labels.dtype.kind != "O":
        return
    examples = {type(label).__name__: label for label in labels.tolist()}
    shown = " and ".join(f"{kind} ({examples[kind]!r})" for kind in sorted(examples)[:3])
    raise TypeError(f"y {'mixes' if len(examples) > 1 else 'holds'} {shown} labels: {_RIGHT_LABELS}")


def _refuse_missing(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError("Input y contains infinity (inf): class labels must be finite.")
    missing = int(_absent_values(labels).sum())
    if missing:
        raise ValueError(
            f"Input y contains NaN or None: {missing} of {len(labels)} rows have no class. Leave out those rows."
        )
