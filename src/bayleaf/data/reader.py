"""The one way from training data to a table: the classifier, the ensembles and the selectors all take it.

Networks without a class are learned from a table that is read in the same way.
"""

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from bayleaf._util.params import check_param
from bayleaf._util.words import warn

from .categories import Identifiers, RareValues, check_rare_values, identifier_warning
from .columns import Columns, as_frame, check_rows, complete_rows, resolve_column_types, take_rows
from .discretize import MDLP, Quantiles
from .encoding import Gaps, learn_schema
from .table import Table
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
Missing = Gaps | Literal["drop"]


def read_training(
    owner: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    discretizer: Any = None,
    categorical_features: Any = "auto",
    column_types: Any = None,
    identifiers: Identifiers = "drop",
    missing: Missing = "available",
    min_frequency: float | None = None,
    max_categories: int | None = None,
    class_weight: Any = None,
    classless: bool = False,
    classes: Any = None,
    n_jobs: int | None = None,
) -> tuple[Table, NDArray[Any]]:
    """Check training data, learn their schema and encode them by it.

    Parameters
    ----------
    owner : estimator
        Whose fit this is: it is given ``n_features_in_`` and ``feature_names_in_``.
    X : DataFrame or array of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels. Rows without one (None, NaN) are left out, with a warning.
    sample_weight : array-like of shape (n_samples,), optional
    discretizer : discretiser, optional
        Cuts numeric columns; `MDLP` by default.
    categorical_features : {"auto", "from_dtype"}, mask, positions or names, default="auto"
        Columns to take as categories. With "from_dtype" (or None) the types of the columns say all; otherwise the
        values of the others decide how they are read: see `learn_schema`.
    column_types : dict, optional
        What columns are, by name or position, whatever they look like (see `COLUMN_TYPES`).
    identifiers : {"drop", "keep"}, default="drop"
        What becomes of columns that look like identifiers. One that is left out stays in the table, with one state.
    missing : {"auto", "available", "state", "drop", "impute"}, default="available"
        Missing values are kept, or have a state of their own (with "auto" where they tell about the class), or their
        rows are dropped, or others take their place.
    min_frequency, max_categories : optional
        Which categories are pooled into one state: see `RareValues`.
    class_weight : dict or "balanced", optional
        What the rows of each class weigh, beside ``sample_weight``.
    classless : bool, default=False
        Look at the columns alone, as if all rows were of one class; ``y`` is not looked at.
    classes : array-like, optional
        All class labels, where some may not be among these rows.
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
    check_rare_values(owner, min_frequency, max_categories)
    X = check_rows(X)
    validate_data(owner, X, skip_check_array=True)
    if classless:
        y = np.zeros(Columns(X).n_rows, dtype=np.int64)
    check_labels(X, y, owner)
    has_names = hasattr(owner, "feature_names_in_")
    # An array's columns are known to a discretiser by their position.
    keys = list(owner.feature_names_in_) if has_names else list(range(owner.n_features_in_))
    names = [str(key) if has_names else f"x{key}" for key in keys]
    X, y, weights = training_rows(X, y, sample_weight, drop_incomplete=missing == "drop")
    name = target_name(y, names)
    if classless:
        target, labels, codes = Variable("class", ("any",)), np.array(["any"]), y
    elif classes is not None:
        target, labels, codes = read_known_target(y, classes, name=name)
    else:
        target, labels, codes = read_target(y, name=name, n_jobs=n_jobs)
    if class_weight is not None and not classless:
        rows = np.ones(len(codes)) if weights is None else weights
        weights = rows * class_weights(class_weight, labels, codes)[codes]
        # Only the balance of the classes changes: smoothing sees as many rows as there are.
        weights *= rows.sum() / weights.sum()
    types = resolve_column_types(column_types, names, has_names=has_names)
    table = learn_schema(
        X,
        codes,
        target,
        discretizer=MDLP() if discretizer is None else discretizer,
        categorical=categorical_mask(categorical_features, names, has_names=has_names),
        names=names,
        keys=keys,
        types=types,
        weights=weights,
        identifiers=identifiers,
        missing="available" if missing == "drop" else missing,
        rare=RareValues(min_frequency, max_categories),
        auto=reads_values(categorical_features),
        n_jobs=n_jobs,
    )
    found = [
        variable.name
        for variable, said in zip(table.variables, types, strict=False)
        if variable.dtype == "identifier" and said is None
    ]
    if found:
        warn(identifier_warning(found))
    return table, labels


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


def read_unlabelled(
    X: Any,
    sample_weight: Any = None,
    *,
    discretizer: Any = None,
    categorical_features: Any = "auto",
    column_types: Any = None,
    identifiers: Identifiers = "drop",
    missing: str = "available",
    n_jobs: int | None = None,
) -> Table:
    """Learn the variables of data that have no class, and encode them; identifiers are left out.

    The parameters are those of `read_training`, with two differences: numbers are cut by `Quantiles` if nothing else
    is given, since there is no class to cut by, and ``missing`` is one of "available", "state", "drop" and "impute".

    Examples
    --------
    >>> table = read_unlabelled([["a", 0.5], ["b", 1.5], ["a", 2.5]], discretizer=Quantiles(2))
    >>> table.names, table.codes.tolist(), table.target
    (('x0', 'x1'), [[0, 0], [1, 0], [0, 1]], None)
    """
    check_param("read_unlabelled", "missing", missing, str, options=("available", "state", "drop", "impute"))
    if isinstance(discretizer, MDLP):
        raise ValueError(
            "MDLP cuts numbers by a class, and there is none: use Quantiles, EqualWidth or Cuts."
        )
    X = check_rows(X)
    weights = read_weights(sample_weight, X)
    if missing == "drop":
        complete = complete_rows(X)
        if not complete.any():
            raise ValueError("Every row has a missing value: missing='drop' leaves none.")
        X, weights = take_rows(X, np.flatnonzero(complete)), None if weights is None else weights[complete]
    frame = as_frame(X)
    has_names = frame is not None
    keys: list[Any] = list(range(np.shape(X)[1])) if frame is None else list(frame.columns)
    names = [str(key) if has_names else f"x{key}" for key in keys]
    nothing = Variable(
        "".join(names) + "?", ("",)
    )  # in the place of the class, under a name that no column has
    table = learn_schema(
        X,
        np.zeros(np.shape(X)[0], dtype=np.int64),
        nothing,
        discretizer=Quantiles() if discretizer is None else discretizer,
        categorical=categorical_mask(categorical_features, names, has_names=has_names),
        names=names,
        keys=keys,
        types=resolve_column_types(column_types, names, has_names=has_names),
        weights=weights,
        identifiers=identifiers,
        missing="available" if missing == "drop" else missing,  # type: ignore[arg-type]
        auto=reads_values(categorical_features),
        n_jobs=n_jobs,
    )
    left_out = [variable.name for variable in table.variables if variable.dtype == "identifier"]
    if left_out:
        warn(identifier_warning(left_out))
    return table.select([j for j in range(len(names)) if table.variables[j].dtype != "identifier"])
