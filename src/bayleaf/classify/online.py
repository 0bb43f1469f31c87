"""Learning from rows as they come: ``partial_fit`` keeps counts, never rows, and tables follow every batch."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import update_wrapper
from types import MethodType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import LEARNER_METHODS, needs_of
from bayleaf.counts import count
from bayleaf.counts.contingency import CountSource
from bayleaf.counts.growing import GrowingCounts, GrowingSource
from bayleaf.data import Schema, Table, TableReader, Variable, encode
from bayleaf.data.categories import with_new_categories
from bayleaf.data.columns import complete_rows
from bayleaf.data.encoding import gap_counts_tell, without_counts
from bayleaf.data.reader import training_rows
from bayleaf.data.table import stratified_folds
from bayleaf.data.target import check_labels, read_known_target
from bayleaf.graph import DAG
from bayleaf.learn.register import learner_or_text
from bayleaf.learn.tuning.held_out import FloatArray, class_codes, order_of_content
from bayleaf.learn.tuning.online_weights import Judged, OnlineWeights, weighed_readings
from bayleaf.learn.tuning.tuned_tables import TunedTables, frequencies_of
from bayleaf.network import BayesNet
from bayleaf.network.member import Gaps

from .fitting import FittedNetwork, default_parameters

Learn = Callable[[GrowingSource], DAG]
# A batch that is larger than all before is dealt out to so many folds, and one of fewer rows than these never.
FOLDS, FEWEST_DEALT = 5, 10

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
    caution : OnlineWeights, optional
        How much evidence counts, learned from rows before they were counted; None where tables are taken as they are.
    warned : bool
        Whether it was said that the model is no better than the class frequencies.
    """

    features: tuple[Variable, ...]
    counts: GrowingCounts
    missing: str
    rows_of_graph: int = 0
    caution: OnlineWeights | None = None
    warned: bool = False

    @classmethod
    def empty(cls, batch: Table, missing: str, half_life: float | None) -> Self:
        """Return counts without a row for batches like the first, encoded with the class last; gaps are no states."""
        # How many values are missing is known by the counts; what the notes count ends with this batch.
        features = tuple(
            replace(variable, n_missing=None, note=without_counts(variable.note))
            for variable in batch.variables[:-1]
        )
        stored = (*_stored(features, missing), batch.variables[-1])
        return cls(features, GrowingCounts(stored, half_life), missing)

    def read(
        self, owner: Any, reader: TableReader, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> tuple[Self, Table] | None:
        """Return the rows of one more batch, and these counts with the states that it brings.

        None where each row has a gap, and these are dropped.
        """
        target = self.counts.variables[-1]
        if classes is not None and sorted(np.unique(classes).tolist()) != list(target.states):
            raise ValueError(
                f"classes is not the same as on the first call to partial_fit: {list(target.states)} then, "
                f"{np.unique(classes).tolist()} now."
            )
        X = reader.checked(X, owner, owner.absent_columns)
        check_labels(X, y, owner)
        drops = self.missing == "drop"
        if drops and not complete_rows(X).any():
            return None
        X, y, weights, _ = training_rows(X, y, sample_weight, drop_incomplete=drops)
        _, _, codes = read_known_target(y, target.states, name=target.name)
        features = with_new_categories(self.features, X)
        rows = encode(Schema(features), X, n_jobs=owner.n_jobs)
        counts = self.counts
        if features != self.features:  # only now: the rows may have been refused
            counts = counts.on((*_stored(features, self.missing), target))
        whole = np.column_stack([_signed(rows), codes])
        table = Table.from_codes((*features, target), whole, weights, len(features), owner.n_jobs)
        return replace(self, features=features, counts=counts), table

    def with_rows(self, table: Table) -> Self:
        """Return the counts with one more batch. These stay as they are: a batch that fails must not count."""
        counts = self.counts.copy()
        counts.add(_as_stored(table, counts.variables))
        return replace(self, counts=counts)

    def judging(self, table: Table, dag: DAG | None, learn: Learn, costs: FloatArray | None) -> Self:
        """Return the counts as they are, and caution that was learned from a batch that is not counted yet.

        Its rows are judged by these counts and the graph ``dag``. Where it has more rows than were counted, it is
        dealt out to folds instead, and each is judged by all others and these counts, with a graph of its own, which
        ``learn`` finds.
        """
        caution = OnlineWeights.begin(len(self.features)) if self.caution is None else self.caution
        weight = float(table.n_rows if table.weights is None else table.weights.sum())
        half_life = self.counts.half_life
        if half_life is not None:
            caution = caution.faded(2.0 ** (-table.n_rows / half_life))
        used = [j for j, variable in enumerate(self.features) if _is_used(variable)]
        gaps = Gaps([self.features[j] for j in used], states=False).count(table.codes[:, used])
        caution = caution.with_gaps(gaps, table.weights)
        if table.n_rows >= FEWEST_DEALT and weight > self.counts.classes.sum():
            # The folds depend on the content of rows, not on their order.
            order = order_of_content(table)
            fold = np.empty(table.n_rows, dtype=np.uint8)
            fold[order] = stratified_folds(class_codes(table)[order], FOLDS, 0)
            parts = [(self.with_rows(table.take(fold != k)), table.take(fold == k)) for k in range(FOLDS)]
            folds = []
            for others, rows in parts:
                source = others.source(table.n_jobs)
                folds.append(others._judged(rows, learn(source), source))
            return replace(self, caution=caution.crossed(folds, costs))
        if dag is not None:
            caution = caution.after(self._judged(table, dag, self.source(table.n_jobs)), costs)
        return replace(self, caution=caution)

    def _judged(self, table: Table, dag: DAG, source: GrowingSource) -> Judged:
        """Score rows that these counts, as the `source` they are for learners, do not have."""
        places = self.places(dag)
        rows = _as_stored(table, source.variables).select([*places, len(self.features)])
        return Judged.of(source.select([*places, len(self.features)]), dag, rows, places, len(self.features))

    def places(self, dag: DAG) -> list[int]:
        """Return the place of each feature of a graph among all features."""
        place = {variable.name: j for j, variable in enumerate(self.features)}
        return [place[name] for name in dag.nodes[:-1]]

    def cautious(self, fitted: FittedNetwork) -> FittedNetwork:
        """Return what was learned from the counts with its evidence weighed as caution says."""
        caution, network = self.caution, fitted.network
        tunes = fitted.predictor is None and isinstance(
            default_parameters(fitted.structure, network.dag), TunedTables
        )
        if caution is None or not tunes:
            return fitted
        source = fitted.table
        assert isinstance(source, CountSource)
        prior = frequencies_of(count(source, [[source.n_variables - 1]])[0])
        network = BayesNet(network.variables, network.dag, [*network.tables[:-1], prior], network.target)
        readings = weighed_readings(source, network, caution, self.places(network.dag))
        held_out = caution.judged.out_of_sample()
        return replace(fitted, network=network, predictor=readings, out_of_sample=held_out)

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
    return variable.source is None and _is_used(variable)


def _is_used(variable: Variable) -> bool:
    return variable.dtype not in ("identifier", "untyped")


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
