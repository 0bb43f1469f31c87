"""The one way from training data to a table: the classifier, the ensembles and the selectors all take it."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from bayleaf._util.warning import warn

from .column_types import resolve_column_types
from .columns import check_rows, complete_rows, take_rows
from .discretize import MDLP
from .encoding import learn_schema
from .gaps import Gaps
from .table import Table
from .target import categorical_mask, check_labels, read_target, read_weights, target_name

Weights = NDArray[np.float64] | None
Missing = Gaps | Literal["drop"]
# A column of labels with more values than these, one for nearly every row, looks like an identifier.
FEW_VALUES = 100
OWN_VALUE = 0.9
MOST_NAMES = 5


class IdentifierWarning(UserWarning):
    """Columns of the training data look like identifiers: those in ``columns``.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", IdentifierWarning)
    ...     # fit here
    """

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = list(columns)


def read_training(
    owner: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    discretizer: Any = None,
    categorical_features: Any = "from_dtype",
    column_types: Any = None,
    missing: Missing = "available",
    class_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[Table, NDArray[Any]]:
    """Check training data, learn their schema and encode them by it.

    Parameters
    ----------
    owner : estimator
        Whose fit this is: it is given ``n_features_in_`` and ``feature_names_in_``.
    X : DataFrame or array of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.
    sample_weight : array-like of shape (n_samples,), optional
    discretizer : discretiser, optional
        Cuts numeric columns; `MDLP` by default.
    categorical_features : "from_dtype", mask, positions or names, default="from_dtype"
        Numeric columns to take as categories.
    column_types : dict, optional
        What columns are, by name or position, whatever they look like (see `COLUMN_TYPES`).
    missing : {"auto", "available", "state", "drop", "impute"}, default="available"
        Missing values are kept, or have a state of their own (with "auto" where they tell about the class), or their
        rows are dropped, or others take their place.
    class_weight : dict or "balanced", optional
        What the rows of each class weigh, beside ``sample_weight``.
    n_jobs : int, optional

    Returns
    -------
    table : Table
        The rows that count, the class as the last column.
    classes : ndarray
        The class labels, sorted.

    Examples
    --------
    >>> from bayleaf import BayesNetClassifier
    >>> table, classes = read_training(BayesNetClassifier(), [["a"], ["b"], ["a"]], ["no", "yes", "no"])
    >>> table.names, table.codes.tolist(), classes.tolist()
    (('x0', 'class'), [[0, 0], [1, 1], [0, 0]], ['no', 'yes'])
    """
    X = check_rows(X)
    validate_data(owner, X, skip_check_array=True)
    check_labels(X, y, owner)
    has_names = hasattr(owner, "feature_names_in_")
    # An array's columns are known to a discretiser by their position.
    keys = list(owner.feature_names_in_) if has_names else list(range(owner.n_features_in_))
    names = [str(key) if has_names else f"x{key}" for key in keys]
    X, y, weights = training_rows(X, y, sample_weight, drop_incomplete=missing == "drop")
    target, classes, codes = read_target(y, name=target_name(y, names), n_jobs=n_jobs)
    if class_weight is not None:
        rows = np.ones(len(codes)) if weights is None else weights
        weights = rows * class_weights(class_weight, classes, codes)[codes]
        # Only the balance of the classes changes: smoothing sees as many rows as there are.
        weights *= rows.sum() / weights.sum()
    table = learn_schema(
        X,
        codes,
        target,
        discretizer=MDLP() if discretizer is None else discretizer,
        categorical=categorical_mask(categorical_features, names, has_names=has_names),
        names=names,
        keys=keys,
        types=resolve_column_types(column_types, names, has_names=has_names),
        weights=weights,
        missing="available" if missing == "drop" else missing,
        n_jobs=n_jobs,
    )
    found = identifiers(table)
    if found:
        warn(IdentifierWarning(_identifier_text(found), found))
    return table, classes


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

    Rows of weight zero and dropped rows do not count: their categories and values must not enter the
    schema.

    Examples
    --------
    >>> training_rows(np.array([["a"], ["b"]]), ["no", "yes"], [0, 2], drop_incomplete=False)
    (array([['b']], dtype='<U1'), ['yes'], array([2.]))
    """
    weights = read_weights(sample_weight, X)
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


def identifiers(table: Table) -> list[str]:
    """Return the features whose values look like names of the rows, which say nothing about new rows.

    Examples
    --------
    >>> from bayleaf.data import categorical_table
    >>> import polars as pl
    >>> rows = pl.DataFrame({"patient": [f"patient {k}" for k in range(150)], "sex": ["f", "m", "m"] * 50})
    >>> identifiers(categorical_table(rows))
    ['patient']
    """
    return [table.names[j] for j in table.features if _is_identifier(table, j)]


def _is_identifier(table: Table, column: int) -> bool:
    variable = table.variables[column]
    if variable.kind != "categorical" or variable.arity <= FEW_VALUES:
        return False
    codes = table.codes[:, column]
    counts = np.bincount(codes[codes != table.missing_code])
    values = int(np.count_nonzero(counts))
    return values > FEW_VALUES and values >= OWN_VALUE * float(counts.sum())


def _identifier_text(found: list[str]) -> str:
    names = ", ".join(f"'{name}'" for name in found[:MOST_NAMES])
    if len(found) > MOST_NAMES:
        names += f" and {len(found) - MOST_NAMES} more"
    words = ("Column", "looks like an identifier", "a different value", "it", "it says")
    if len(found) > 1:
        words = ("Columns", "look like identifiers", "different values", "them", "they say")
    what, looks, values, it, it_says = words
    return (
        f"{what} {names} {looks}, with {values} in nearly every row: drop {it}, since {it_says} nothing "
        "about new rows."
    )
