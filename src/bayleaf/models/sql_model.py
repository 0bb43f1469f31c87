"""A fitted classifier as one query: for rows that should stay in their database."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.words import listing
from bayleaf.classify import NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import Schema
from bayleaf.network import BayesNet
from bayleaf.network.member import TwoReadings
from bayleaf.network.predictors import how_it_predicts

from .dialects import Dialect, dialect_named
from .sql_answers import NetworkAnswer, NetworkWriter, PoolAnswer, ReadingsAnswer
from .sql_query import write_query


def to_sql(
    model: Any,
    table: str | Sequence[str],
    dialect: str = "duckdb",
    keep: Sequence[str] = (),
    absent: Sequence[str] = (),
) -> str:
    """Return one query that gives the predicted class and the probability of each class for all rows of a table.

    See `BayesNetClassifier.to_sql`.
    """
    check_is_fitted(model)
    model._reading_settings()  # says what is wrong with settings that were set after fit
    sql = dialect_named(dialect)
    for name, value in (("keep", keep), ("absent", absent)):
        if isinstance(value, str):
            raise TypeError(f"{name} must be a list of column names. Got the text {value!r} instead.")
    _check_path(table)
    answer, prior, costs = _answer(model, sql)
    _check_unknown(model)
    _check_absent(model.schema_, absent, model.absent_columns)
    return write_query(
        model.schema_, model.classes_, answer, prior, costs, table, sql, list(keep), list(absent)
    )


def _answer(model: Any, dialect: Dialect) -> tuple[Any, NDArray[np.float64], NDArray[np.float64] | None]:
    """Return what leads to probabilities, the class frequencies by which ties are broken, and what mistakes cost."""
    if isinstance(model, NetworkPool):
        dialect.check_size(model.n_parameters_)
        return PoolAnswer(model.mixture_, model.schema_.features), model.mixture_.prior, model._costs()
    if not isinstance(model, BayesNetClassifier):
        raise TypeError(
            f"{type(model).__name__} cannot be written as a query: use a BayesNetClassifier or a NetworkPool, or "
            "predict_proba."
        )
    member = model._member
    if isinstance(member.predictor, TwoReadings):
        readings = ReadingsAnswer(member.predictor, member.columns, member.prior, dialect)
        dialect.check_size(readings.numbers)
        return readings, member.prior, model._costs()
    if not isinstance(member.predictor, BayesNet):
        raise TypeError(
            f"This model {how_it_predicts(member.predictor)}, which a query cannot express: use predict_proba."
        )
    dialect.check_size(sum(values.size for values in member.predictor.tables))
    writer = NetworkWriter(member.predictor, dialect)
    return NetworkAnswer(writer, member.columns, member.prior), member.prior, model._costs()


def _check_path(table: Any) -> None:
    path = [table] if isinstance(table, str) else table
    if (
        not isinstance(path, list | tuple)
        or not path
        or not all(isinstance(part, str) and part for part in path)
    ):
        raise TypeError(
            f"table must be the name of a table, or names such as ('schema', 'table'). Got {table!r} instead."
        )


def _check_unknown(model: Any) -> None:
    categories = any(
        variable.cuts is None and variable.part is None and variable.dtype not in ("untyped", "identifier")
        for variable in model.schema_.features
    )
    if model.unknown == "error" and categories:
        raise ValueError(
            "This model refuses rows with categories that fit has not seen (unknown='error'), which a query cannot: "
            "set unknown='missing'."
        )


def _check_absent(schema: Schema, absent: Sequence[str], absent_columns: str) -> None:
    known = [variable.name for variable in schema.columns]
    if strangers := [name for name in absent if name not in known]:
        raise ValueError(
            f"absent names {strangers[0]!r}, which is not a column of the model; there are {listing(known)}."
        )
    if absent and absent_columns != "missing":
        raise ValueError(
            f"The table has no column {absent[0]!r}, which the model needs; with absent_columns='missing' it would "
            "count as missing."
        )
