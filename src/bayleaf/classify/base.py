"""What all classifiers share: one network, an ensemble of several, and a pool."""

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import Label, TableLike
from bayleaf._util.params import (
    WithSettings,
    declared,
    if_given,
    one_of,
    rows_or_share,
    unchanged_on_failure,
    whole,
)
from bayleaf._util.words import warn
from bayleaf.counts import family_counts
from bayleaf.counts.row_samples import SAMPLE_ROWS
from bayleaf.data import Schema, Table, TableReader
from bayleaf.data.columns import check_column_types, check_missing_values
from bayleaf.data.raw_rows import seen_rows
from bayleaf.data.schema import Meaning
from bayleaf.explain.evidence import Explanation, Weighing, explain_rows
from bayleaf.explain.known import Known
from bayleaf.learn.register import KINDS, learner_or_text
from bayleaf.learn.tuning.held_out import OutOfSample
from bayleaf.network import BayesNet
from bayleaf.network.decisions import best_class, class_costs, log_posteriors

from .record import (
    NothingLearnedWarning,
    PublishedMethod,
    Quality,
    RowCounts,
    TrainingRecord,
    method_learners,
    nothing_learned,
)
from .scorer import Answering, Scorer

if TYPE_CHECKING:
    from bayleaf.quality.drift import Drift


def _tells(network: BayesNet) -> bool:
    assert network.target is not None
    return any(network.variable(name).arity > 1 for name in network.markov_blanket(network.target))


class OfSingleNetworks:
    """What one network has and several do not: asking for it says where to turn instead.

    Parameters
    ----------
    instead : str
        What the classifier is, and what to ask instead; ``{name}`` is what was asked for.
    """

    def __init__(self, instead: str) -> None:
        self.instead = instead

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__} has no '{self.name}': {self.instead.format(name=self.name)}.")


def as_used(learner: Any) -> Any:
    """Return a copy of a learner as it was used, which settings that are changed later leave alone."""
    return clone(learner, safe=False)


# Of scikit-learn's checks of estimators, those that need not pass, and why.
WEIGHTS_ARE_NOT_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "Tuned tables and pools deal rows out to folds, and bagging draws rows: a row of weight two stays in one "
        "fold or sample, and two equal rows need not. Where all rows are counted, as with parameters=Shrinkage(), "
        "they are the same."
    )
}


@dataclass(slots=True)
class ClassifierTags(Tags):  # type: ignore[misc]
    """The tags of scikit-learn, and which of its checks may fail for which reason.

    Attributes
    ----------
    expected_failed_checks : dict
        As `sklearn.utils.estimator_checks.check_estimator` takes it.
    """

    expected_failed_checks: dict[str, str] = field(default_factory=dict)


WAYS_WITH_GAPS = ("auto", "available", "state", "drop", "impute")
# Of how a classifier reads rows, what counts after fit; and all of it.
AFTER_FIT = {"unknown": ("missing", "error"), "absent_columns": ("error", "missing")}
READING = declared(
    column_types=if_given(check_column_types),
    identifiers=one_of("drop", "keep"),
    missing=one_of(*WAYS_WITH_GAPS),
    missing_values=if_given(check_missing_values),
    **{name: one_of(*options) for name, options in AFTER_FIT.items()},
    min_frequency=rows_or_share,
    max_categories=whole(low=2, or_none=True),
    classes=one_of("auto", "many"),
    n_jobs=whole(or_none=True),
)


class NetworkClassifier(ClassifierMixin, WithSettings, ABC):  # type: ignore[misc]
    """The interface shared by all classifiers: they read tables, predict, decide, and write their page and file.

    A classifier says by whose settings it reads and decides (`_settings`), and what answers for its rows
    (`_answering`). The settings ``unknown``, ``absent_columns``, ``loss`` and ``n_jobs`` count when rows are
    predicted, so they may be set after fit; all others count in fit.
    """

    training_: TrainingRecord
    schema_: Schema
    classes_: NDArray[Any]
    _reader: TableReader
    meaning_ = Meaning()  # of the columns; empty until `describe` is called

    def __sklearn_tags__(self) -> ClassifierTags:
        plain = super().__sklearn_tags__()
        tags = ClassifierTags(**{each.name: getattr(plain, each.name) for each in fields(plain)})
        tags.expected_failed_checks = dict(WEIGHTS_ARE_NOT_ROWS)
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __sklearn_clone__(self) -> Any:
        named = copy(self)  # constructors make learners of texts, which clone takes for a change of settings
        for setting, value in vars(self).items():
            if setting in KINDS and isinstance(value, str):
                setattr(named, setting, learner_or_text(setting, value))
        copied = BaseEstimator.__sklearn_clone__(named)
        if hasattr(self, "_named"):
            copied._named = self._named
        return copied

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        # scikit-learn breaks the lines of classes that have its own way to print themselves.
        plain = type(type(self).__name__, (type(self),), {"__repr__": BaseEstimator.__repr__})
        copied: Any = object.__new__(plain)
        copied.__dict__.update(self.__dict__)
        text = BaseEstimator.__repr__(copied, N_CHAR_MAX)
        return text if (found := self._held_out_line()) is None else f"{text}  # {found}"

    def _repr_html_inner(self) -> str:
        return self._shown(str(super()._repr_html_inner()))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        # scikit-learn leaves HTML out where its ``display`` is set to text.
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._shown(bundle["text/html"])
        return bundle

    def _shown(self, settings: str) -> str:
        """Return what notebooks show: the settings alone before fit, the model with them folded away after it."""
        if not hasattr(self, "schema_"):
            return settings
        from bayleaf.page.notebook import classifier_html

        try:
            return classifier_html(self, settings)
        except (LookupError, TypeError, ValueError):  # costs that were set after fit, and are nonsense
            return settings

    def _held_out_line(self) -> str | None:
        found = self.out_of_sample_ if hasattr(self, "training_") else None
        if found is None:
            return None
        return f"held out in fit: {', '.join(f'{name} {own:.3f}' for name, own, _ in found.figures()[:-1])}"

    @property
    def out_of_sample_(self) -> OutOfSample | None:
        """Quality on held-out training rows; None if its learners hold out none.

        With ``loss``, accuracy and mean cost (``cost``) are those of the decisions of smallest expected cost. They
        are not known for a ``loss`` that is set after fit.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> found = bl.BayesNetClassifier().fit(X, y).out_of_sample_
        >>> round(found.accuracy, 2), round(found.frequencies_accuracy, 2)
        (0.95, 0.33)
        >>> bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(X, y).out_of_sample_ is None
        True
        """
        check_is_fitted(self)
        found: OutOfSample | None = getattr(getattr(self, "training_", None), "out_of_sample", None)
        if found is None:
            return None
        try:
            return found.for_costs(self._costs())
        except (LookupError, TypeError, ValueError):  # nonsense that was set after fit; decisions will say so
            return found.without_decisions()

    def has_evidence(self) -> bool:
        """Whether any feature is informative about the class."""
        check_is_fitted(self)
        return any(_tells(member.network_) for member in getattr(self, "estimators_", [self]))

    @property
    def discretizer_(self) -> Any:
        """The discretiser that was used."""
        return self._fitted_reader().discretizer

    def name_method(self, method: PublishedMethod) -> None:
        """Record that this classifier, as it is now, is a published method."""
        self._named = (method, method_learners(self))

    @property
    def published_method(self) -> PublishedMethod | None:
        """The published method by whose name this classifier was built; None once its learners are others.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.classifier("KDB", k=3)
        >>> print(clf.published_method)
        KDB(k=3)
        >>> clf.set_params(parameters=bl.Dirichlet()).published_method is None
        True
        """
        method, learners = getattr(self, "_named", (None, None))
        return method if learners == method_learners(self) else None

    # scikit-learn's metadata routing hands the groups of the rows to fit as well as to what splits them.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    @abstractmethod
    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn from a table in memory."""

    @abstractmethod
    def _settings(self) -> Any:
        """Return the estimator whose settings say how rows are read and what decisions cost."""

    def _reading_settings(self) -> Any:
        """Return the same estimator; what counts after fit may have been changed then, and must not be nonsense."""
        settings = self._settings()
        for name, options in AFTER_FIT.items():
            if (value := getattr(settings, name)) not in options:
                READING[name](settings, name, value)
        return settings

    @abstractmethod
    def _answering(self) -> Answering:
        """Return what gives the probabilities of encoded rows."""

    @abstractmethod
    def _weighing(self, table: Table) -> Weighing:
        """Return the posteriors of encoded rows, and what weighs their evidence between two classes."""

    def _told_by_features(self) -> NDArray[np.float64] | None:
        """Return how much each feature of encoded rows tells about the class; None where that is not known."""
        return None

    def _intervals(self, table: Table) -> NDArray[np.float64] | None:
        """Return the 90 % interval of each probability of encoded rows; None where there are none."""
        return None

    def _new_reader(self) -> TableReader:
        """Return what reads training rows by the settings."""
        return TableReader.of(self._settings())

    def _use(self, reader: TableReader) -> None:
        """Read new rows as a reader does that knows the columns and the classes."""
        self._reader, self.schema_, self.classes_ = reader, reader.schema, reader.classes
        self.n_features_in_ = len(reader.schema.columns)
        if reader.named:
            self.feature_names_in_ = np.array([each.name for each in reader.schema.columns], dtype=object)
        elif hasattr(self, "feature_names_in_"):  # of a fit before
            del self.feature_names_in_

    def _fitted_reader(self) -> TableReader:
        reader: TableReader | None = self.__dict__.get("_reader")
        if reader is None:
            check_is_fitted(self)  # says that it is not
        assert reader is not None
        return reader

    @property
    def _prior(self) -> NDArray[np.float64]:
        """The probability of each class before anything is known."""
        return self._answering().prior

    def _costs(self) -> NDArray[np.float64] | None:
        """Return what decisions cost, [true class, decision]; None where the most probable class is chosen."""
        settings = self._settings()
        if settings.loss is None:
            return None
        return class_costs(settings.loss, self.classes_.tolist(), type(settings).__name__)

    def inspect(self, X: TableLike, y: ArrayLike | None = None) -> Schema:
        """Return what fit would make of the columns: a schema, which prints as a table. Nothing is fitted.

        Without class labels, a discretiser that needs the class leaves numbers uncut.

        Examples
        --------
        >>> import bayleaf as bl
        >>> import polars as pl
        >>> clf = bl.BayesNetClassifier(column_types={"zip": "category"})
        >>> print(clf.inspect(pl.DataFrame({"zip": [1, 2, None]})))
        column   read as    states                  gaps   note
        ───────────────────────────────────────────────────────
        zip      category   2 categories: 1, 2   1 (33%)
        """
        self.check_params()
        return self._new_reader().inspect(clone(self), X, y)

    def encode(self, X: TableLike) -> Table:
        """Encode new rows by the schema learned in fit: all its features, without the class.

        A Table over all features of the schema counts as encoded already.
        """
        reader = self._fitted_reader()
        if isinstance(X, Table):
            if X.variables != self.schema_.features:
                raise ValueError(
                    "The table's variables are not the features that this classifier was fitted with."
                )
            return X
        settings = self._reading_settings()
        return reader.encode(
            X,
            owner=self,
            unknown=settings.unknown,
            absent_columns=settings.absent_columns,
            n_jobs=settings.n_jobs,
        )

    def _used_rows(self, X: TableLike) -> Table:
        """Encode new rows: the features that probabilities depend on, which may be fewer for a single network."""
        return self.encode(X)

    def _scored(self, X: TableLike, *, normalised: bool) -> NDArray[np.float64]:
        """Return posteriors of each row, or log-joints, which need not be normalised."""
        reader, answering = self._fitted_reader(), self._answering()
        scores, n_jobs = None, self._reading_settings().n_jobs
        if not reader.named and reader.rows.takes(X):
            scores = answering.score_array(reader.rows, X, n_jobs, normalised=normalised)
        if scores is None:
            scores = answering.score_table(self.encode(X), n_jobs, normalised=normalised)
        return scores

    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Posterior probability of each class for each row; missing values are summed out exactly."""
        return self._scored(X, normalised=True)

    def predict_log_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Natural logarithm of `predict_proba`, exact where probabilities underflow."""
        return log_posteriors(self._scored(X, normalised=False), self._prior)

    def decide(self, posterior: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class that `predict` chooses for each row of probabilities from `predict_proba`.

        Ties go to the class more frequent in training, then to the first. A ``loss`` is taken into account here, but
        by members that vote before they do.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
        >>> clf.decide(np.array([[0.5, 0.5], [0.9, 0.1]])).tolist()
        ['yes', 'no']
        """
        self._fitted_reader()
        answering = self._answering()
        costs = None if answering.weighs_costs else self._costs()
        chosen: NDArray[Any] = self.classes_[best_class(posterior, answering.prior, costs)]
        return chosen

    def explain(
        self, X: TableLike, *, target: Label | None = None, against: Label | None = None
    ) -> Explanation:
        """Evidence of each feature for one class against another, in log-odds, row by row.

        It adds up to the log-odds of the prediction. Averaged networks are shown the features one by one, in the
        order of the columns, and all others are summed out: the evidence of a feature is what it adds to the
        log-odds. What a table of a pool over several features says is divided equally among those whose value is
        known.

        Parameters
        ----------
        X : DataFrame or array
            Rows to explain.
        target, against : class labels, optional
            By default the predicted class against the most probable of the others, for each row.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> for model in (bl.BayesNetClassifier(), bl.AveragedClassifier(), bl.NetworkPool()):
        ...     explanation = model.fit(X, y).explain(X.iloc[[100]])
        ...     assert np.isclose(explanation.total[0], explanation.log_odds[0])
        """
        table = self._used_rows(X)
        posterior, weigh_pair = self._weighing(table)
        costs, prior = self._costs(), self._prior
        how_much = Known.of(table, self._told_by_features)
        return explain_rows(
            posterior,
            table,
            self.classes_,
            prior,
            weigh_pair,
            how_much,
            self._intervals(table),
            costs=costs,
            target=target,
            against=against,
        )

    def scorer(self) -> Scorer:
        """Return a light callable that gives class probabilities of single rows and tables, for services.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> score = bl.BayesNetClassifier().fit(X, y).scorer()
        >>> score({"petal width (cm)": 1.5}).round(3)
        array([0.014, 0.708, 0.279])
        """
        settings = self._reading_settings()
        return Scorer(
            self._fitted_reader(),
            self._answering(),
            unknown=settings.unknown,
            absent_columns=settings.absent_columns,
            n_jobs=settings.n_jobs,
        )

    def predict(self, X: TableLike) -> NDArray[Any]:
        """Return the most probable class of each row, or with ``loss`` the one of smallest expected cost.

        Ties go to the class more frequent in training, then to the first.
        """
        return self.decide(self.predict_proba(X))

    def fit_from(
        self,
        source: Any,
        target: str,
        *,
        weight: str | None = None,
        drop: Sequence[str] = (),
        sample_rows: int = SAMPLE_ROWS,
        delimiter: str | None = None,
        decimal: str | None = None,
        missing_values: Collection[str] | None = None,
        encoding: str | None = None,
        header: bool = True,
    ) -> Self:
        """Learn from rows that need not fit into memory.

        The rows are read in batches, once for the columns and once or more for the counts. Learners that need only
        counts use all rows; others, ensembles and pools get a uniform sample. All categories are kept, however rare;
        cut points of numbers come from the sample. If the sample can hold all rows, the model is the same as that of
        `fit`.

        Parameters
        ----------
        source : path, glob, paths, DataFrame, LazyFrame, dataset, DuckDB relation, ibis table or Spark DataFrame
            Files are Parquet, Arrow or text (CSV, TSV). The rows must not change until the fit is done. Those of a
            Spark DataFrame are counted by its executors.
        target : str
            The column of the class. Rows without one are left out, and a warning counts them.
        weight : str, optional
            A column of sample weights.
        drop : sequence of str
            Columns to leave out.
        sample_rows : int, default=200_000
            Largest number of rows in the sample; ``training_.sampled`` says what was learned from it.
        delimiter, decimal, missing_values, encoding, header
            How text files are read, as in `bayleaf.tables.read_data`.

        Examples
        --------
        >>> import bayleaf as bl
        >>> import polars as pl
        >>> rows = pl.LazyFrame({"rain": ["no", "yes"] * 50, "wet": ["no", "yes"] * 50})
        >>> clf = bl.BayesNetClassifier().fit_from(rows, target="wet")
        >>> clf.predict(pl.DataFrame({"rain": ["yes"]})).tolist()
        ['yes']
        >>> bl.NetworkPool(cycles=0).fit_from(rows, target="wet", sample_rows=40).training_.sampled
        {'rows read': 100, 'networks': 40}
        """
        from bayleaf.streams import open_stream  # only here: a fit in memory needs no streams

        self.check_params()
        whole(low=1)(self, "sample_rows", sample_rows)
        with unchanged_on_failure(self):
            stream = open_stream(
                self._new_reader(),
                source,
                target,
                weight=weight,
                drop=drop,
                sample_rows=sample_rows,
                whole_rows=not self._learns_from_sources,
                delimiter=delimiter,
                decimal=decimal,
                missing_values=missing_values,
                encoding=encoding,
                header=header,
            )
            if stream.is_whole:
                return self.fit(*stream.whole())
            sampled = self._fit_stream(stream, sample_rows)
            self.training_ = replace(self.training_, sampled={"rows read": stream.n_rows, **sampled})
        self._warn_if_nothing_learned()
        return self

    # Whether counts of all rows are used, besides the rows of a sample.
    _learns_from_sources = False

    def _fit_stream(self, stream: Any, sample_rows: int) -> dict[str, int]:
        """Learn from more rows than the sample has; say what was learned from the sample."""
        self.fit(*stream.whole())
        return {"networks": sample_rows}

    def cross_validate(
        self,
        X: TableLike,
        y: ArrayLike,
        cv: int = 10,
        *,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> Quality:
        """Assess the model by cross-validation on its training rows, and keep the result with it.

        ``X`` and ``y`` are the rows of fit. For each of ``cv`` stratified folds (``n_jobs`` at the same time; None
        means 1, -1 all cores), a copy of this classifier is fitted to the other rows and predicts those of the
        fold. With ``groups`` the rows of a group stay in one fold. With ``time`` each fold is predicted from the rows
        before it; the earliest rows are not predicted. The summary, ``training_.cross_validated``, is saved with the
        model, and shown on the model page where no other rows are given. The fitted model does not change; fitting
        again discards the summary.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = bl.BayesNetClassifier().fit(X, y)
        >>> round(clf.cross_validate(X, y, cv=5).value("Accuracy"), 2)
        0.94
        """
        from bayleaf.quality.cross_validation import cross_validate_fitted

        quality = cross_validate_fitted(self, X, y, cv, groups=groups, time=time, n_jobs=n_jobs)
        self.training_ = replace(self.training_, cross_validated=quality)
        self._warn_if_nothing_learned()
        return quality

    def drift(self, X: TableLike, y: ArrayLike | None = None, *, level: float = 0.05) -> "Drift":
        """Say whether new rows still look like the training rows, and what has changed.

        The new rows are compared with the counts of the training rows that the model keeps: how typical they are,
        column by column, each column given its parents in the network, new categories and gaps; and its answers with
        those for held-out training rows: without labels how probable each class is and how sure the model is, with
        labels classes, accuracy, log-loss and calibration. The p-values are corrected for their number by Holm's
        method. Models of several networks have no families to compare.

        Parameters
        ----------
        X : DataFrame or array
            New rows, not those of fit.
        y : array-like, optional
            Their classes; None or NaN where one is not known.
        level : float, default=0.05
            How probable a false alarm may be, over all comparisons together.

        Returns
        -------
        Drift
            It prints as a table; ``alarm`` says whether anything has changed, and ``changed`` what.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(X[::2], y[::2])
        >>> clf.drift(X[1::2], y[1::2]).alarm
        False
        >>> clf.drift(X[1::2] * 2.54).alarm  # in another unit
        True
        """
        from bayleaf.quality.drift import compare_rows

        return compare_rows(self, X, y, level=level)

    def _remember(self, table: Table, X: Any, y: Any, sample_weight: Any) -> None:
        """Record what recognises the rows of fit, which are in the table as they were encoded."""
        self.__dict__.pop("meaning_", None)  # of the columns of a fit before
        self.training_ = replace(self.training_, **seen_rows(self.schema_, table, X, y, sample_weight))
        if self._settings().class_weight is not None:
            self.training_ = replace(self.training_, counts=self._unbalanced_counts(table, sample_weight))

    def _unbalanced_counts(self, table: Table, sample_weight: Any) -> RowCounts | None:
        """Count the rows of fit as they come, not as they are weighed by class; None where that is not known."""
        if sample_weight is not None:
            return None
        network: BayesNet | None = getattr(self, "network_", None)
        rows = table.without_weights()
        if network is None:
            return RowCounts.of(rows)
        rows = rows.select([rows.names.index(name) for name in network.nodes])
        return RowCounts.of(rows, family_counts(rows, network.dag))

    def _warn_if_nothing_learned(self) -> None:
        found = nothing_learned(self)
        if found is not None:
            warn(found, NothingLearnedWarning)

    def describe(
        self,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        descriptions: Mapping[str, str] | None = None,
        states: Mapping[str, Mapping[Any, str]] | None = None,
    ) -> Self:
        """Say what columns mean: the page shows it, and model files keep it.

        Parameters
        ----------
        title : str, optional
            Heading of the page; by default what is predicted.
        labels : dict, optional
            Shown names, by column.
        units : dict, optional
            Units of numbers, by column.
        descriptions : dict, optional
            A sentence or two about a column, by column.
        states : dict, optional
            Shown names of states, by column and state: ``{"sex": {0: "female", 1: "male"}}``.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a"], ["b"]], ["no", "yes"])
        >>> clf.describe(labels={"x0": "Blood group"}).meaning_.labels
        {'x0': 'Blood group'}
        """
        check_is_fitted(self)
        said = Meaning.of(title=title, labels=labels, units=units, descriptions=descriptions, states=states)
        said.check(self.schema_.variables)
        self.meaning_ = self.meaning_.joined(said)
        return self

    def report(
        self,
        X: TableLike | None = None,
        y: ArrayLike | None = None,
        path: str | os.PathLike[str] = "report.html",
        *,
        cv: int | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        descriptions: Mapping[str, str] | None = None,
        states: Mapping[str, Mapping[Any, str]] | None = None,
    ) -> None:
        """Write the model page: one HTML file that shows it and its quality, and answers "what if" and "why".

        ``X`` and ``y`` are rows to assess it on, preferably ones that fit has not seen; with ``cv`` they are the
        training rows, predicted by cross-validation with this many folds. Without rows the page shows what
        `cross_validate` found, if it was called. See `bayleaf.page.write_report`. What columns mean is kept with
        the model (see `describe`).
        """
        from bayleaf.page import write_report

        self.describe(title=title, labels=labels, units=units, descriptions=descriptions, states=states)
        write_report(self, path, X, y, cv=cv)

    def card(
        self,
        path: str | os.PathLike[str] = "card.md",
        X: TableLike | None = None,
        y: ArrayLike | None = None,
        *,
        by: Sequence[str] = (),
        title: str | None = None,
    ) -> None:
        """Write a model card: Markdown with the front matter that model hubs read.

        It says what the model was learned from and for what, how good it is, its limits, and how it was learned, all
        from what the model knows: a model from a file says the same. With rows that fit has not seen (``X``, ``y``)
        it is measured on these too, and for each value of the columns ``by``, such as sex or region. Names and
        meanings are those of `describe`.

        Examples
        --------
        >>> import bayleaf as bl, tempfile
        >>> from pathlib import Path
        >>> model = bl.BayesNetClassifier().fit([["a"], ["b"], ["b"]] * 9, ["no", "yes", "yes"] * 9)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.card(f"{folder}/card.md", title="Yes or no?")
        ...     print(Path(folder, "card.md").read_text().splitlines()[1])
        library_name: "bayleaf"
        """
        from bayleaf.page import write_card

        check_is_fitted(self)
        write_card(self, path, X, y, by=by, title=title)

    def save(self, path: str | os.PathLike[str], *, min_count: int | None = None) -> None:
        """Write the fitted model to a model file: JSON, readable, safe to load (see `bayleaf.load`).

        Parameters
        ----------
        path : path
            The file is compressed if its name ends in ``.gz``.
        min_count : int, optional
            For files meant for sharing: probabilities based on fewer rows are pooled with others, and what the
            record says about single rows, and the counts of `partial_fit`, are left out. The model itself does not
            change. For models of one network.
        """
        from bayleaf.models import save

        check_is_fitted(self)
        save(self, path, min_count=min_count)

    def to_sql(
        self,
        table: str | Sequence[str],
        dialect: Literal["duckdb", "sqlite", "postgres"] = "duckdb",
        keep: Sequence[str] = (),
        *,
        absent: Sequence[str] = (),
    ) -> str:
        """Return one query that scores the rows of a table in its database: the predicted class, and probabilities.

        Probabilities are those of `predict_proba`, and where nothing is known the class frequencies. Gaps (NULL, NaN,
        infinite numbers) are handled as there where each feature has one parent among the features at most, as by
        default, and in pools. In networks with more parents, a row gets NULL where a gap that another feature depends
        on would have to be summed out. The columns of the table must have the types seen in fit.

        Parameters
        ----------
        table : str or sequence of str
            The table, or its schema and name: ``("sales", "customers")``.
        dialect : {"duckdb", "sqlite", "postgres"}
        keep : sequence of str
            Columns of the table to keep in the result, such as a key.
        absent : sequence of str
            Columns of the model that the table lacks, for a model with ``absent_columns="missing"``.

        Examples
        --------
        >>> import bayleaf as bl
        >>> model = bl.BayesNetClassifier().fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
        >>> print(model.to_sql("people", keep=["id"])[:87])
        WITH bayleaf_0 AS NOT MATERIALIZED (SELECT
          src."id" AS k0,
          CASE WHEN src."x0" = 'a'
        """
        from bayleaf.models import to_sql

        check_is_fitted(self)
        return to_sql(self, table, dialect, keep, absent)

    def to_onnx(self) -> Any:
        """Return the model as an ONNX graph, for services without Python; needs the extra ``onnx``.

        The graph has one input per column, of shape (rows, 1): doubles for numbers and truth values, NaN where one is
        missing, and texts, the empty text where one is missing; and two outputs, ``label`` and ``probabilities``.
        Probabilities are those of `predict_proba`, and where nothing is known the class frequencies. Gaps are handled
        as there where each feature has one parent among the features at most, as by default, and in pools. In
        networks with more parents, a gap that another feature depends on gives NaN where it would have to be summed
        out.

        Examples
        --------
        >>> import bayleaf as bl
        >>> model = bl.BayesNetClassifier().fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
        >>> [output.name for output in model.to_onnx().graph.output]  # doctest: +SKIP
        ['label', 'probabilities']
        """
        from bayleaf.models import to_onnx

        check_is_fitted(self)
        return to_onnx(self)
