"""A table without a class from data of any kind."""

from typing import Any

import numpy as np

from bayleaf._util.params import check_param
from bayleaf._util.warning import warn

from .column_types import resolve_column_types
from .columns import as_frame, check_rows, complete_rows, take_rows
from .discretize import MDLP, Quantiles
from .encoding import learn_schema
from .identifier_columns import Identifiers, identifier_warning
from .table import Table
from .target import categorical_mask, read_weights, reads_values
from .variable import Variable


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
