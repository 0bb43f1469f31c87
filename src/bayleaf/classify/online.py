"""Learning from rows as they come: ``partial_fit`` keeps counts, never rows, and tables follow every batch."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import update_wrapper
from types import MethodType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from bayleaf._util.kinds import TableLike
from bayleaf._util.params import check_param, written
from bayleaf._util.progress import unchanged_on_failure
from bayleaf._util.words import warn
from bayleaf.counts.growing import GrowingCounts, GrowingSource
from bayleaf.data import Schema, Table, Variable, encode
from bayleaf.data.categories import with_new_categories
from bayleaf.data.columns import check_rows, complete_rows, with_absent
from bayleaf.data.discretize.bins import default_discretizer
from bayleaf.data.encoding import gap_counts_tell
from bayleaf.data.reader import read_training, training_rows
from bayleaf.data.target import read_known_target
from bayleaf.learn.parameters import Shrinkage
from bayleaf.learn.structure import ETAN, FAN, FKDB, KDB, TAN, FixedStructure, NaiveBayes
from bayleaf.learn.structure.tan import default_structure

# Of these a batch cannot say what all rows would: the reason.
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


@dataclass
class Kept:
    """What is kept between two batches.

    Attributes
    ----------
    features : tuple of Variable
        How columns are read, gaps not being states.
    counts : GrowingCounts
        Of all rows so far; gaps are states of these where they may become so.
    rows_of_graph : int
        How many rows the graph was learned from.
    """

    features: tuple[Variable, ...]
    counts: GrowingCounts
    rows_of_graph: int = 0


class WhereCountsDo:
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


class OnlineLearner:
    """What `BayesNetClassifier` does with rows that come in batches."""

    schema_: Schema
    classes_: NDArray[Any]

    @WhereCountsDo
    def partial_fit(
        self: Any,
        X: TableLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        """Learn from one more batch of rows: counts are added up, and graph and tables follow at once.

        In whatever batches rows come, the model is the same as of one `fit` to all of them (up to rounding with
        weights or a half-life), given how columns are read. That is settled by the first batch: the types of columns,
        the cut points of numbers (or give them: ``discretizer=Cuts(...)``), and which columns are identifiers. New
        categories become states when they first occur.

        Only counts are kept, of the class with every pair of features: 8 bytes times the classes times the sum of
        r_i r_j over all pairs of features with r_i and r_j states, whatever the number of rows; twice that while a
        batch is learned, as one that fails leaves the model as it was. ``online_bytes_`` says how much they take now,
        and more than 2 GiB are refused. So learners must need nothing but these counts:
        `NaiveBayes`, `TAN`, `FAN`, `ETAN`, ``KDB(k=1)``, `FixedStructure` with at most one parent beside the class;
        and `Shrinkage`, `Dirichlet`, `Laplace`, ... for the tables. The default for the graph is that of fit, for the
        tables `Shrinkage`, whatever that of fit: tuning tables takes rows.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like
            All class labels; required in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Notes
        -----
        After `fit` there are no counts to add to: a warning says that learning starts anew. Model files keep the
        counts of `partial_fit`, up to 4,000,000 of them, and so do pickled models: a loaded model goes on as if it
        had never been saved. A file that was saved with ``min_count`` has none.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = bl.BayesNetClassifier()
        >>> for start in (0, 1, 2):
        ...     clf = clf.partial_fit(X[start::3], y[start::3], classes=[0, 1, 2])
        >>> clf.training_.rows, round(clf.score(X, y), 2), clf.online_bytes_
        (150, 0.98, 10608)
        """
        with unchanged_on_failure(self):
            check_param(self, "half_life", self.half_life, float, low=0, low_open=True, allow_none=True)
            check_param(self, "relearn_every", self.relearn_every, int, low=1, allow_none=True)
            before = self.__dict__.get("_kept")
            batch: Table | None
            if before is None:
                kept, batch = self._first_batch(X, y, classes, sample_weight)
            else:
                kept = replace(before, counts=before.counts.copy())  # a batch that fails must not count
                batch = self._next_batch(kept, X, y, classes, sample_weight)
            if batch is None:  # each of its rows has a gap, and these are dropped
                return self
            kept.counts.add(batch)
            self._kept = kept
            new_rows = kept.counts.rows - kept.rows_of_graph
            self._learn_kept(kept, graph=not kept.rows_of_graph or self._is_due(new_rows))
        return self

    def relearn(self) -> Self:
        """Learn the graph again, from all rows that `partial_fit` was given so far.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier(relearn_every=1000)
        >>> clf = clf.partial_fit([["a"], ["b"]], [0, 1], classes=[0, 1])
        >>> clf.relearn().training_.rows
        2
        """
        kept = self.__dict__.get("_kept")
        if kept is None:
            raise ValueError("There is nothing to learn from again: call partial_fit first.")
        with unchanged_on_failure(self):
            self._kept = replace(kept)
            self._learn_kept(self._kept, graph=True)
        return self

    @property
    def online_bytes_(self) -> int:
        """The memory that the counts of `partial_fit` take."""
        if "_kept" not in self.__dict__:
            raise AttributeError("online_bytes_ is there after partial_fit only.")
        size: int = self._kept.counts.n_bytes
        return size

    def _is_due(self, new_rows: int) -> bool:
        every = self.relearn_every  # type: ignore[attr-defined]
        return every is not None and new_rows >= every

    def _first_batch(self: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[Kept, Table]:
        self.check_params()
        if hasattr(self, "network_"):
            warn(
                "The model was fitted by fit, or read from a file without the counts of its rows: partial_fit starts "
                "anew.",
                StartsAnewWarning,
            )
            classes = self.classes_ if classes is None else classes
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        table, self.classes_ = read_training(
            self,
            X,
            y,
            sample_weight,
            discretizer=default_discretizer() if self.discretizer is None else self.discretizer,
            categorical_features=self.categorical_features,
            column_types=self.column_types,
            identifiers=self.identifiers,
            missing="drop" if self.missing == "drop" else "available",
            classes=classes,
            n_jobs=self.n_jobs,
        )
        # How many values are missing is known by the counts.
        features = tuple(replace(variable, n_missing=None) for variable in table.variables[:-1])
        stored = (*self._stored(features), table.variables[-1])
        return Kept(features, GrowingCounts(stored, self.half_life)), _as_stored(table, stored)

    def _next_batch(self: Any, kept: Kept, X: Any, y: Any, classes: Any, sample_weight: Any) -> Table | None:
        target = kept.counts.variables[-1]
        if classes is not None and sorted(np.unique(classes).tolist()) != list(target.states):
            raise ValueError(
                f"classes is not the same as on the first call to partial_fit: {list(target.states)} then, "
                f"{np.unique(classes).tolist()} now."
            )
        if hasattr(self, "feature_names_in_"):
            X = with_absent(X, self._reader.names, self.schema_.may_lack(self.absent_columns))
        X = check_rows(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        drops = self.missing == "drop"
        if drops and not complete_rows(X).any():
            return None
        X, y, weights = training_rows(X, y, sample_weight, drop_incomplete=drops)
        _, _, codes = read_known_target(y, target.states, name=target.name)
        features = with_new_categories(kept.features, X)
        rows = encode(Schema(features), X, n_jobs=self.n_jobs)
        if features != kept.features:  # only now: the rows may have been refused
            kept.counts = kept.counts.on((*self._stored(features), target))
            kept.features = features
        whole = np.column_stack([_signed(rows), codes])
        table = Table.from_codes((*features, target), whole, weights, len(features), self.n_jobs)
        return _as_stored(table, kept.counts.variables)

    def _why_not_online(self: Any) -> str | None:
        """Say why counts of what has come so far are not enough for the settings and learners; None if they are."""
        for name, reason in _NEED_ALL_ROWS.items():
            if getattr(self, name) is not None:
                return f"partial_fit cannot follow {name}={getattr(self, name)!r}: {reason}."
        if self.missing == "impute":
            return (
                "partial_fit cannot impute: the mean of a column is known at the end only. Use missing='auto', "
                "'state' or 'available'."
            )
        for learner in (self.structure, self.parameters, self.selector):
            if learner is not None and not getattr(learner, "learns_from_counts", False):
                return (
                    f"{learner!r} needs the rows themselves, and partial_fit keeps only counts: use TAN, NaiveBayes "
                    "or FAN with Shrinkage or Dirichlet, or fit all rows at once."
                )
        if self.structure is not None and not _takes_pairs(self.structure):
            return (
                f"{self.structure!r} needs counts of more than two features together, and partial_fit keeps those of "
                "pairs: use NaiveBayes, TAN, FAN, ETAN or KDB(k=1), or fit all rows at once."
            )
        return None

    def _stored(self: Any, features: tuple[Variable, ...]) -> tuple[Variable, ...]:
        """Return the features as they are counted: with a state for gaps where these may get one."""
        if self.missing not in ("auto", "state"):
            return features
        return tuple(variable.with_gap() if _may_have_gap(variable) else variable for variable in features)

    def _learn_kept(self: Any, kept: Kept, *, graph: bool) -> None:
        """Learn from the counts so far: the graph too, or the tables alone."""
        source = self._source(kept)
        features = [
            replace(variable, n_missing=int(gaps))
            for variable, gaps in zip(source.variables[:-1], kept.counts.gaps, strict=False)
        ]
        schema = Schema(tuple(features), source.variables[-1], kept.counts.rows)
        # Tuning takes rows, so the default is another than in fit.
        usual = {
            "structure": default_structure(),
            "parameters": Shrinkage(),
            "discretizer": default_discretizer(),
        }
        stand_ins = {part: own for part, own in usual.items() if getattr(self, part) is None}
        learner = clone(self).set_params(**stand_ins)
        said: dict[str, Any] = {"defaults": {part: written(own) for part, own in stand_ins.items()}}
        if not graph:
            nodes, said["search"] = list(self.network_.nodes), self.training_.search
            learner.set_params(structure=FixedStructure(self.network_.arcs), selector=None)
            source = source.select([source.names.index(name) for name in nodes])
        named = hasattr(self, "feature_names_in_")
        learner._set_schema(schema, self.classes_, named=named)
        learner.fit_table(source)
        self._set_schema(schema, self.classes_, named=named)
        self._set_network(learner.network_)
        self._support = learner._support
        self.training_ = replace(learner.training_, **said)
        if graph:
            kept.rows_of_graph = kept.counts.rows

    def _source(self: Any, kept: Kept) -> GrowingSource:
        """Return the counts with a state for the gaps of those columns that have it by now."""
        counts = kept.counts
        variables = list(counts.variables)
        for j, variable in enumerate(kept.features):
            if variables[j].gap and not self._gap_is_state(counts, j):
                variables[j] = variable
        found = counts if variables == list(counts.variables) else counts.on(variables)
        return found.source(self.n_jobs)

    def _gap_is_state(self: Any, counts: GrowingCounts, j: int) -> bool:
        if not counts.gaps[j]:
            return False
        return self.missing == "state" or gap_counts_tell(counts.by_class[j][:, -1], counts.classes)


def _takes_pairs(structure: object) -> bool:
    """Tell whether counts of pairs of features are enough for a structure learner."""
    one = isinstance(structure, KDB | FKDB) and structure.k <= 1
    return one or isinstance(structure, NaiveBayes | TAN | FAN | ETAN | FixedStructure)


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
