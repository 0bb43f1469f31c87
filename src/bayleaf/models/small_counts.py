"""Models without small counts, for files meant for sharing."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf._util.words import counted, short, warn
from bayleaf.classify.one_network import MOST_SUPPORT, BayesNetClassifier
from bayleaf.classify.record import TrainingRecord
from bayleaf.data import Schema, Variable
from bayleaf.data.text_values import is_mark
from bayleaf.explain.reasons import check_single_network
from bayleaf.network import BayesNet

FloatTable = NDArray[np.float64]
Support = NDArray[np.uint8]


def without_small_counts(model: Any, min_count: int) -> BayesNetClassifier:
    """Return a copy of a fitted classifier from which no count of 1 to ``min_count - 1`` rows can be read.

    Probabilities that rest on so few rows are pooled with the next smallest of their distribution until they rest on
    ``min_count`` rows together, and each of them gets the same share. Where the parents' values together have fewer
    rows, the distribution becomes the average over those with enough of them, of the same class where there are any.
    The record keeps neither the digest of rows, nor their counts, ranges of numbers or a cross-validation; and
    `partial_fit` has nothing to go on from.
    """
    check_param("save", "min_count", min_count, int, low=1, high=MOST_SUPPORT)
    _check_kind(model)
    network: BayesNet = model.network_
    *_, class_rows = model._support
    for label, rows in zip(model.classes_.tolist(), class_rows.tolist(), strict=True):
        if rows < min_count:
            raise ValueError(
                f"The class '{short(label)}' has {counted(rows, 'row')}, fewer than min_count={min_count}: leave it "
                "out, or choose a smaller min_count."
            )
    _warn_of_rare_names(model, min_count)
    tables = []
    for node, (table, support) in enumerate(zip(network.tables, model._support, strict=True)):
        parents = network.dag.parent_indices[node]
        axis = parents.index(len(network.nodes) - 1) if len(network.nodes) - 1 in parents else None
        tables.append(_pooled(_backed_off(np.array(table), support, min_count, axis), support, min_count))
    guarded: BayesNetClassifier = copy(model)
    guarded.__dict__.pop("_online", None)  # counts of single rows, which partial_fit would go on from
    guarded.schema_ = _guarded_schema(model.schema_, min_count)
    variables = {variable.name: variable for variable in guarded.schema_.variables}
    used = [variables[name] for name in network.nodes]
    guarded._set_network(BayesNet(used, network.dag, tables, network.target))
    guarded.training_ = _guarded_record(model.training_, min_count)
    return guarded


def _check_kind(model: Any) -> None:
    if not isinstance(model, BayesNetClassifier):
        raise ValueError(
            f"min_count is for models of one network, not for {type(model).__name__}: save it without, or fit one."
        )
    if not hasattr(model, "_support"):
        raise ValueError(
            "min_count needs the counts of fit, which a loaded model does not have: save it where it was fitted."
        )
    check_single_network(model.network_, model._predictor, "min_count")


def _warn_of_rare_names(model: BayesNetClassifier, min_count: int) -> None:
    """Names of categories stay in the file, also of those that few rows have."""
    for name, support in zip(model.network_.nodes[:-1], model._support, strict=False):
        variable = model.network_.variable(name)
        rows = support.reshape(-1, variable.arity).sum(axis=0, dtype=np.int64)
        rare = int(((rows > 0) & (rows < min_count)).sum()) if variable.cuts is None else 0
        if rare:
            warn(
                f"Column '{short(name)}' has {counted(rare, 'category')} of fewer than {min_count} rows, whose names "
                f"stay in the file; fit with min_frequency={min_count} pools them."
            )


def _backed_off(table: FloatTable, support: Support, min_count: int, class_axis: int | None) -> FloatTable:
    """Replace the distributions of configurations with too few rows by the average of those with enough."""
    rows = support.sum(axis=-1, dtype=np.int64)
    few = (rows > 0) & (rows < min_count)
    if not few.any():
        return table
    weights = np.where(few, 0, rows)[..., None].astype(np.float64)
    others = tuple(axis for axis in range(rows.ndim) if axis != class_axis)
    in_class = (weights * table).sum(axis=others, keepdims=True)
    all_rows = (weights * table).sum(axis=tuple(range(rows.ndim)))
    average = np.where(
        in_class.sum(axis=-1, keepdims=True) > 0, in_class, all_rows if all_rows.any() else 1.0
    )
    average = average / average.sum(axis=-1, keepdims=True)
    return np.where(few[..., None], average, table)


def _pooled(table: FloatTable, support: Support, min_count: int) -> FloatTable:
    """Give the smallest cells of each distribution the same share, as many as have ``min_count`` rows together."""
    states = table.shape[-1]
    rows = support.reshape(-1, states).astype(np.int64)
    enough = rows.sum(axis=1) >= min_count
    small = np.where(enough, ((rows > 0) & (rows < min_count)).sum(axis=1), 0)
    rows_or_last = np.where(rows > 0, rows, MOST_SUPPORT + 1)
    order = np.argsort(rows_or_last, axis=1, kind="stable")
    reached = (np.cumsum(np.take_along_axis(rows, order, 1), axis=1) >= min_count).argmax(axis=1) + 1
    group = np.where(small > 0, np.maximum(small, reached), 0)
    inside = np.arange(states) < group[:, None]
    shares = np.take_along_axis(table.reshape(-1, states), order, 1)
    mean = (shares * inside).sum(axis=1) / np.maximum(group, 1)
    found = np.empty_like(shares)
    np.put_along_axis(found, order, np.where(inside, mean[:, None], shares), 1)
    return found.reshape(table.shape)


def _guarded_schema(schema: Schema, min_count: int) -> Schema:
    def guarded(variable: Variable) -> Variable:
        # Words that are not usual marks of missing values may be in a single row.
        marks = tuple(mark for mark in variable.marks if not isinstance(mark, str) or is_mark(mark))
        variable = replace(variable, marks=marks)
        few = variable.n_missing is not None and 0 < variable.n_missing < min_count
        return replace(variable, n_missing=None) if few else variable

    return replace(schema, features=tuple(map(guarded, schema.features)))


def _guarded_record(record: TrainingRecord, min_count: int) -> TrainingRecord:
    missing = {
        name: share if share * record.rows >= min_count else 0.0 for name, share in record.missing.items()
    }
    nothing: dict[str, Any] = dict.fromkeys(("cross_validated", "digest", "ranges", "counts", "misfit"))
    return replace(record, **nothing, missing=missing, min_count=min_count)
