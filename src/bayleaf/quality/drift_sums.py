"""What is kept of new rows in order to compare them with the training rows: sums and counts, batch by batch."""

import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, logsumexp
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.words import counted
from bayleaf.classify.record import RowCounts, row_scores
from bayleaf.counts import count
from bayleaf.data import Table, Variable
from bayleaf.data.categories import as_labels
from bayleaf.data.columns import Columns, check_rows, complete_rows, take_rows
from bayleaf.data.numbers import without_marks
from bayleaf.data.raw_columns import ABSENT
from bayleaf.data.raw_rows import RowDigest, class_hashes, columns_in_order, row_hashes
from bayleaf.data.target import absent_labels
from bayleaf.learn.tuning.held_out import SURPRISING, OutOfSample
from bayleaf.network import BayesNet

from .measures import EPSILON
from .outcome import target_array

NEW: Any = ("a value that fit has not seen",)  # no state of any variable
# Rows that are read at a time: of more, only sums are in memory. Fewer where each has very many classes.
AT_A_TIME, MOST_PROBABILITIES = 50_000, 5_000_000
MOST_TRIED = 50  # classes, to find rows whose class is not known among the training rows
FloatArray = NDArray[np.float64]


def training_counts(model: Any) -> RowCounts:
    """Return what a model has kept of its training rows, or say why it has nothing to compare new rows with."""
    check_is_fitted(model)
    record = getattr(model, "training_", None)
    kept: RowCounts | None = getattr(record, "counts", None)
    if kept is not None:
        return kept
    if getattr(record, "min_count", None) is not None:
        raise ValueError(
            "The model file was saved with min_count, without the counts that new rows are compared with: use the "
            "model as it was before."
        )
    if model._settings().class_weight is not None:
        raise ValueError(
            "The model was fitted with class_weight, to rows that were weighted besides or read in batches, so how "
            "frequent values were in these rows is not known: compare new rows with a model without class_weight."
        )
    raise ValueError("The model has no counts of its training rows to compare new rows with: fit it again.")


class Moments:
    """Number, mean, standard deviation and skewness of what was seen, from sums of powers.

    Examples
    --------
    >>> seen = Moments()
    >>> seen.add(np.array([0.0, 0.0, 3.0]))
    >>> seen.n, [round(float(each[0]), 4) for each in seen.shape]
    (3, [1.0, 1.4142, 0.7071])
    """

    def __init__(self, width: int = 1) -> None:
        self.n = 0
        self._sums = np.zeros((3, width))
        self._origin: FloatArray | None = None  # sums of powers around about the mean do not cancel

    def add(self, values: FloatArray) -> None:
        """Add one value, or one line of values, for each row."""
        table = values.reshape(len(values), -1)
        if not len(table):
            return
        if self._origin is None:
            self._origin = table.mean(axis=0)
        self.n += len(table)
        self._sums += [((table - self._origin) ** k).sum(axis=0) for k in (1, 2, 3)]

    @property
    def shape(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means, standard deviations and skewnesses."""
        first, second, third = self._sums / max(self.n, 1)
        variance = np.maximum(second - first**2, 0.0)
        third = third - 3 * first * second + 2 * first**3
        skewness = np.divide(third, variance**1.5, out=np.zeros_like(third), where=variance > 1e-24)
        return first + (0.0 if self._origin is None else self._origin), np.sqrt(variance), skewness


class DriftSums:
    """What is counted of new rows for a fitted model.

    Attributes
    ----------
    with_labels : bool or None
        Whether rows come with labels; None before the first. What the first rows have counts.
    rows, labelled, left_out : int
        New rows; those of them with a class; rows with gaps that fit would have dropped.
    features : list of Variable
        The features that are compared: those of the network, or of all networks.
    columns, missing : list
        Rows by state, and rows without a value, of each feature.
    new_values : list of Counter
        Rows by value that fit has not seen, of each feature.
    families : list of ndarray
        Rows by cell of each node's table; without labels the class is not an axis.
    evidence : Moments
        Of log P(known values) by the network.
    unusual : int
        Rows that are less typical than nearly all training rows.
    labels : Counter
        Rows by class.
    chances, certainty : Moments
        Of the probabilities of the classes, and of their entropy.
    loss, surprise : Moments
        Of the log-loss, and of what it is above the entropy of the probabilities.
    right, surprises : int
        Rows whose decided class is the true one, and rows whose true class was called nearly impossible.
    equal : int
        Rows that equal one of the training rows that the model can recognise.
    """

    def __init__(self, model: Any) -> None:
        self.model, self.kept = model, training_counts(model)
        network: BayesNet | None = getattr(model, "network_", None)
        self.network = network if self.kept.families else None
        position = {each.name: j for j, each in enumerate(model.schema_.features)}
        names = list(self.kept.columns) if self.network is None else self.network.nodes[:-1]
        self.places = [position[name] for name in names if name in position and name in self.kept.columns]
        self.features: list[Variable] = [model.schema_.features[j] for j in self.places]
        self._check_counts()
        self.rows = self.labelled = self.left_out = self.unusual = self.right = 0
        self.columns = [np.zeros(variable.arity) for variable in self.features]
        self.missing = [0 for _ in self.features]
        self.new_values: list[Counter[Any]] = [Counter() for _ in self.features]
        self.families: list[Any] = []
        self.evidence = Moments()
        self.labels: Counter[Any] = Counter()
        self.chances, self.certainty = Moments(len(model.classes_)), Moments()
        self.loss, self.surprise = Moments(), Moments()
        self.surprises = self.equal = self._hashed = 0
        self.with_labels: bool | None = None
        self._digest: RowDigest | None = model.training_.digest

    @property
    def held_out(self) -> OutOfSample | None:
        """How good the model is on held-out training rows, where that can be compared with new rows."""
        if self.model._settings().class_weight is not None:
            return None
        found: OutOfSample | None = self.model.out_of_sample_
        return found

    @property
    def training_rows(self) -> float:
        """The share of the rows that are training rows; zero where no more equal one than would by chance."""
        return 0.0 if self._digest is None else self._digest.share(self.equal, max(self._hashed, 1))

    @property
    def training_rows_said(self) -> str:
        """Say how many of the rows are training rows."""
        if self._digest is not None and self._digest.is_exact:
            are = "is a training row" if self.equal == 1 else "are training rows"
            return f"{self.equal:,} of {counted(self._hashed, 'row')} {are}"
        return f"About {self.training_rows:.0%} of the rows are training rows"

    def _check_counts(self) -> None:
        """Refuse counts of another model than this one, which a damaged file may hold."""
        kept, classes = self.kept, len(self.model.classes_)
        fits = all(len(kept.columns[each.name]) == each.arity for each in self.features)
        fits &= len(kept.classes) == classes and len(kept.columns) == len(self.features)
        if self.network is not None:
            fits &= [each.name for each in self.features] == list(self.network.nodes[:-1])
            fits &= len(kept.families) == len(self.network.nodes)
        if not fits:
            raise ValueError("The counts of the training rows are not those of this model: fit it again.")

    def add(self, X: Any, y: Any = None) -> None:
        """Count more rows, with labels or without: all batches have them, or none has."""
        if self.with_labels is None:
            absent = None if y is None else absent_labels(y)
            self.with_labels = y is not None and (absent is None or not absent.all())
        if not self.with_labels:
            y = None
        if not isinstance(X, Table):
            X = check_rows(X)
        if y is not None:
            check_consistent_length(X.codes if isinstance(X, Table) else X, y)
        n = X.n_rows if isinstance(X, Table) else Columns(X).n_rows
        step = max(1, min(AT_A_TIME, MOST_PROBABILITIES // len(self.model.classes_)))
        if n <= step:
            self._add(X, y)
            return
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            part = X.take(rows) if isinstance(X, Table) else take_rows(X, rows)
            self._add(part, None if y is None else take_rows(y, rows))

    def _add(self, X: Any, y: Any) -> None:
        settings = self.model._settings()
        if settings.missing == "drop" and not isinstance(X, Table):
            whole = complete_rows(X)
            self.left_out += int((~whole).sum())
            if not whole.all():
                chosen = np.flatnonzero(whole)
                X, y = take_rows(X, chosen), None if y is None else take_rows(y, chosen)
                if not len(chosen):
                    return
        table = self._encoded(X)
        self.rows += table.n_rows
        self._add_columns(table, X)
        self._add_equal(X, y)
        codes = None if y is None else self._class_codes(y)
        self._add_answers(table, codes)
        if self.network is not None:
            self._add_network(table, codes)

    def _encoded(self, X: Any) -> Table:
        if isinstance(X, Table):
            encoded: Table = self.model.encode(X)
            return encoded
        settings = self.model._reading_settings()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what is unknown is what this is about
            table: Table = self.model._fitted_reader().encode(
                X, owner=self.model, absent_columns=settings.absent_columns, n_jobs=settings.n_jobs
            )
        return table

    def _add_columns(self, table: Table, X: Any) -> None:
        """Count values, gaps and new values of each feature."""
        raw = None if isinstance(X, Table) else Columns(columns_in_order(self.model.schema_, X))
        self._strange = []  # the rows of this batch with a new value, by feature
        for k, (j, variable) in enumerate(zip(self.places, self.features, strict=True)):
            absent, strange = table.gaps(j), np.empty(0, dtype=np.int64)
            lost = table.codes[:, j] == table.missing_code
            imputed = variable.fill is not None and not variable.gap
            if raw is not None and variable.source is None and (imputed or lost.any()):
                column = without_marks(variable, raw[j])
                if variable.cuts is None and variable.dtype not in ("untyped", "identifier"):
                    strange = self._add_new_values(k, variable, column, lost)
                absent = column.missing
            self._strange.append(strange)
            self.missing[k] += int(absent.sum())
            self.columns[k] += count(table, [[j]])[0]

    def _add_new_values(
        self, k: int, variable: Variable, column: Any, lost: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Count values that fit has not seen, and return the rows that have one as far as their codes say so."""
        labels = as_labels(column)
        if variable.fill is not None and not variable.gap:  # imputed, as gaps are
            known = set(variable.states)
            strange = np.array([*(level not in known for level in labels.levels), False])[labels.codes]
        else:
            strange = lost & (labels.codes != ABSENT)
        found = np.bincount(labels.codes[strange], minlength=len(labels.levels))
        self.new_values[k].update({labels.levels[i]: int(found[i]) for i in np.flatnonzero(found)})
        return np.flatnonzero(strange & lost)

    def _class_codes(self, y: Any) -> NDArray[np.int64]:
        """Return the class of each row, -1 where it is not known or not one of the model's."""
        labels, absent = target_array(y).tolist(), absent_labels(y)
        known = np.ones(len(labels), dtype=bool) if absent is None else ~absent
        given = [label for label, there in zip(labels, known, strict=True) if there]
        classes = self.model.classes_.tolist()
        self.labelled += len(given)
        self.labels.update(given)
        places = {label: code for code, label in enumerate(classes)}
        return np.array(
            [places.get(label, -1) if there else -1 for label, there in zip(labels, known, strict=True)],
            dtype=np.int64,
        )

    def _add_equal(self, X: Any, y: Any) -> None:
        """Count the rows that equal a training row: of rows without a class, with any class."""
        classes = self.model.classes_.tolist()
        if self._digest is None or isinstance(X, Table) or (y is None and len(classes) > MOST_TRIED):
            return
        if y is None:
            hashes = class_hashes(self.model.schema_, X, classes)
        else:
            labels, absent = target_array(y), absent_labels(y)
            known = np.arange(len(labels)) if absent is None else np.flatnonzero(~absent)
            hashes = row_hashes(self.model.schema_, take_rows(X, known), labels[known])[None]
        self._hashed += hashes.shape[1]
        self.equal += int(np.isin(hashes, self._digest.kept()).any(axis=0).sum())

    def _add_answers(self, table: Table, codes: NDArray[np.int64] | None) -> None:
        """Predict the rows: those with a class, where some have one."""
        if codes is not None:
            table = table.take(np.flatnonzero(codes >= 0))
        if not table.n_rows or (codes is None and self.held_out is None):
            return
        probabilities = self.model.predict_proba(table)
        entropy = entr(probabilities).sum(axis=1)
        self.chances.add(probabilities)
        self.certainty.add(entropy)
        if codes is None:
            return
        target = codes[codes >= 0]
        loss = -np.log(np.maximum(probabilities[np.arange(len(target)), target], EPSILON))
        self.loss.add(loss)
        self.surprise.add(loss - entropy)
        decided = self.model.classes_[target] == self.model.decide(probabilities)
        self.right += int(decided.sum())
        self.surprises += int((loss > -np.log(SURPRISING)).sum())

    def _add_network(self, table: Table, codes: NDArray[np.int64] | None) -> None:
        network = self.network
        assert network is not None
        target = len(network.nodes) - 1
        signed = np.full((table.n_rows, target + 1), -1, dtype=np.int64)
        signed[:, :-1] = np.where(
            table.codes[:, self.places] == table.missing_code,
            -1,
            table.codes[:, self.places].astype(np.int64),
        )
        if codes is not None:
            signed[:, target] = codes
        rows = Table.from_codes(network.variables, signed, target=target)
        self._add_families(network, rows, table)
        if self.kept.typical is not None:
            self._add_typical(network, rows, self.kept.typical.unusual)

    def _add_families(self, network: BayesNet, rows: Table, table: Table) -> None:
        """Count the families: a value that fit has not seen counts as one more state of a node, not of a parent."""
        target, signed = (
            len(network.nodes) - 1,
            np.where(rows.codes == rows.missing_code, -1, rows.codes.astype(int)),
        )
        for k, strange in enumerate(self._strange):
            signed[strange, k] = self.features[k].arity
        variables = tuple(
            replace(
                variable,
                states=(*variable.states, NEW),
                cuts=None,
                other=None,
                gap=False,
                fill=None,
                part=None,
            )
            for variable in network.variables
        )
        extended = Table.from_codes(variables, signed)
        families = [(*parents, node) for node, parents in enumerate(network.dag.parent_indices)]
        if not self.with_labels:
            families = [tuple(j for j in family if j != target) for family in families[:-1]]
        counts = count(extended, [list(family) for family in families])
        # The last state of a parent is one that has no rows in training.
        found = [each[(slice(-1),) * (each.ndim - 1)].astype(np.float64) for each in counts]
        self.families = (
            found if not self.families else [a + b for a, b in zip(self.families, found, strict=True)]
        )

    def _add_typical(self, network: BayesNet, rows: Table, unusual: float) -> None:
        evidence: FloatArray = logsumexp(row_scores(network, rows), axis=1)
        self.unusual += int((evidence < unusual).sum())
        self.evidence.add(evidence[np.isfinite(evidence)])
