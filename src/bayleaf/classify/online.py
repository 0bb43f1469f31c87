"""Learning from rows as they come: ``partial_fit`` keeps counts, never rows, and tables follow every batch."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import update_wrapper
from types import MethodType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import LEARNER_METHODS, needs_of
from bayleaf.counts.growing import GrowingCounts, GrowingSource
from bayleaf.data import Schema, Table, TableReader, Variable, encode
from bayleaf.data.categories import with_new_categories
from bayleaf.data.columns import complete_rows
from bayleaf.data.encoding import gap_counts_tell
from bayleaf.data.reader import training_rows
from bayleaf.data.target import read_known_target
from bayleaf.learn.register import learner_or_text

# Settings that need all rows together, and why.
_NEED_ALL_ROWS = {
    "min_frequency": "which categories are rare is known at the end only",
    "max_categories": "which categories are rare is known at the end only",
    "class_weight": "how frequent the classes are is known at the end only; use sample_weight",
}


class StartsAnewWarning(UserWarning):
    """A model that was fitted otherwise is forgotten, since partial_fit has no counts of its rows.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", StartsAnewWarning)  # makes an error of it
    """


class AvailableIfCountsSuffice:
    """Makes a method that is there only where counts are all that is needed; otherwise an error says why not.

    That is how scikit-learn asks what an estimator can do: ``hasattr(estimator, "partial_fit")``.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self._method
        refusal = model._why_not_online()
        if refusal is not None:
            raise AttributeError(refusal)
        return MethodType(self._method, model)


@dataclass(frozen=True)
class OnlineCounts:
    """What is kept between two batches: the counts of all rows so far, and how their columns are read.

    Attributes
    ----------
    features : tuple of Variable
        How columns are read, gaps not being states.
    counts : GrowingCounts
        Of all rows so far; gaps are states of these where they may become so.
    missing : {"auto", "available", "state", "drop"}
        What becomes of missing values, as in `BayesNetClassifier`.
    rows_of_graph : int
        How many rows the graph was learned from.
    """

    features: tuple[Variable, ...]
    counts: GrowingCounts
    missing: str
    rows_of_graph: int = 0

    @classmethod
    def of(cls, batch: Table, missing: str, half_life: float | None) -> Self:
        """Count the first batch, encoded with the class last; its gaps are not states."""
        # How many values are missing is known by the counts.
        features = tuple(replace(variable, n_missing=None) for variable in batch.variables[:-1])
        stored = (*_stored(features, missing), batch.variables[-1])
        counts = GrowingCounts(stored, half_life)
        counts.add(_as_stored(batch, stored))
        return cls(features, counts, missing)

    def with_batch(
        self, owner: Any, reader: TableReader, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> Self | None:
        """Return the counts with one more batch; None where each of its rows has a gap, and these are dropped.

        These counts stay as they are: a batch that fails must not count.
        """
        target = self.counts.variables[-1]
        if classes is not None and sorted(np.unique(classes).tolist()) != list(target.states):
            raise ValueError(
                f"classes is not the same as on the first call to partial_fit: {list(target.states)} then, "
                f"{np.unique(classes).tolist()} now."
            )
        X = reader.checked(X, owner, owner.absent_columns)
        drops = self.missing == "drop"
        if drops and not complete_rows(X).any():
            return None
        X, y, weights, _ = training_rows(X, y, sample_weight, drop_incomplete=drops)
        _, _, codes = read_known_target(y, target.states, name=target.name)
        features = with_new_categories(self.features, X)
        rows = encode(Schema(features), X, n_jobs=owner.n_jobs)
        counts = self.counts.copy()
        if features != self.features:  # only now: the rows may have been refused
            counts = counts.on((*_stored(features, self.missing), target))
        whole = np.column_stack([_signed(rows), codes])
        table = Table.from_codes((*features, target), whole, weights, len(features), owner.n_jobs)
        counts.add(_as_stored(table, counts.variables))
        return replace(self, features=features, counts=counts)

    def schema(self, source: GrowingSource) -> Schema:
        """Return how columns are read so far, from the `source` of these counts."""
        features = [
            replace(variable, n_missing=int(gaps))
            for variable, gaps in zip(source.variables[:-1], self.counts.gaps, strict=False)
        ]
        return Schema(tuple(features), source.variables[-1], self.counts.rows)

    def source(self, n_jobs: int | None) -> GrowingSource:
        """Return the counts with a state for the gaps of those columns that have one so far."""
        variables = list(self.counts.variables)
        for j, variable in enumerate(self.features):
            if variables[j].gap and not self._gap_is_state(j):
                variables[j] = variable
        same = variables == list(self.counts.variables)
        return (self.counts if same else self.counts.on(variables)).source(n_jobs)

    def _gap_is_state(self, j: int) -> bool:
        if not self.counts.gaps[j]:
            return False
        return self.missing == "state" or gap_counts_tell(self.counts.by_class[j][:, -1], self.counts.classes)


def why_not_online(classifier: Any) -> str | None:
    """Say why counts of what has come so far are not enough for the settings and learners; None if they are."""
    for name, reason in _NEED_ALL_ROWS.items():
        if getattr(classifier, name) is not None:
            return f"partial_fit cannot follow {name}={getattr(classifier, name)!r}: {reason}."
    if classifier.missing == "impute":
        return (
            "partial_fit cannot impute: the mean of a column is known at the end only. Use missing='auto', "
            "'state' or 'available'."
        )
    for kind in ("structure", "parameters", "selector"):
        learner = learner_or_text(kind, getattr(classifier, kind))
        # What is not a learner, such as a misspelt name, is refused by the call, as by fit.
        if not hasattr(learner, LEARNER_METHODS[kind]) or needs_of(learner) == "pairs":
            continue
        if not hasattr(learner, "needs"):
            return (
                f"{learner!r} does not say what it needs, and partial_fit keeps only counts: a learner for which "
                "counts of the class with pairs of features are enough has an attribute needs = 'pairs'."
            )
        if needs_of(learner) != "counts":
            return (
                f"{learner!r} needs the rows themselves, and partial_fit keeps only counts: use TAN, NaiveBayes "
                "or FAN with Shrinkage or Dirichlet, or fit all rows at once."
            )
        if kind != "parameters":  # whose counts are those of the graph's families
            return (
                f"{learner!r} needs counts of more than two features together, and partial_fit keeps counts of "
                "pairs: use NaiveBayes, TAN, FAN, ETAN, TANaCLL or KDB(k=1), or fit all rows at once."
            )
    return None


def _stored(features: tuple[Variable, ...], missing: str) -> tuple[Variable, ...]:
    """Return the features as they are counted: with a state for gaps where these may get one."""
    if missing not in ("auto", "state"):
        return features
    return tuple(variable.with_gap() if _may_have_gap(variable) else variable for variable in features)


def _may_have_gap(variable: Variable) -> bool:
    return variable.source is None and variable.dtype not in ("identifier", "untyped")


def _signed(table: Table) -> NDArray[np.int64]:
    codes = table.codes.astype(np.int64)
    return np.where(codes == table.missing_code, -1, codes)


def _as_stored(table: Table, stored: tuple[Variable, ...]) -> Table:
    """Return the rows of a table with gaps as states where the stored variables have these."""
    if table.variables == stored:
        return table
    codes = _signed(table)
    for j, variable in enumerate(stored):
        if variable.gap:
            codes[codes[:, j] < 0, j] = variable.arity - 1
    return Table.from_codes(stored, codes, table.weights, table.target, table.n_jobs)
