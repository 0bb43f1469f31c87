"""The classifier of one network: a structure learner times a parameter learner, for scikit-learn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import ClassWeight, Loss, Seed, TableLike
from bayleaf._util.params import (
    LEARNER_METHODS,
    check_learners,
    check_param,
    declared,
    generator,
    number,
    seeding,
    unchanged_on_failure,
    whole,
)
from bayleaf._util.words import warn
from bayleaf.counts.contingency import Countable
from bayleaf.counts.dependencies import FunctionalDependencies
from bayleaf.data import Discretizer, Table, TableReader
from bayleaf.data.columns import check_rows
from bayleaf.data.discretize.bins import default_discretizer
from bayleaf.explain.evidence import Weighing, weighing
from bayleaf.explain.known import beyond_chance, information_about_class
from bayleaf.explain.questions import JointModel, JointQuestions
from bayleaf.explain.reasons import SufficientReason, check_single_network, sufficient_reason
from bayleaf.graph import DAG
from bayleaf.learn.parameters import ParameterLearner, Shrinkage
from bayleaf.learn.register import learner_or_text, named_learner, with_learners
from bayleaf.learn.selection.selector import Selector
from bayleaf.learn.structure import FixedStructure
from bayleaf.learn.structure.structure_learner import StructureLearner
from bayleaf.learn.structure.tan import default_structure
from bayleaf.learn.tuning.tuned_tables import TunedTables
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.network.decisions import log_posteriors
from bayleaf.network.member import Member, TwoReadings
from bayleaf.network.predictors import Predictor

from .base import READING, NetworkClassifier, as_used
from .certainty import LEVEL, Misfit, Sureness, no_intervals
from .fitting import FittedNetwork, RowNeeds, fit_network, own_predictor
from .online import AvailableIfCountsSuffice, OnlineCounts, StartsAnewWarning, why_not_online
from .record import NothingLearnedWarning, nothing_learned

MOST_SUPPORT = 255
# With fewer rows `partial_fit` does not warn: with more to come, noise is soon told from what is learned.
ROWS_TO_WARN = 500


class BayesNetClassifier(NetworkClassifier, JointQuestions):
    """A Bayesian network classifier.

    Parameters
    ----------
    structure : structure learner or str, optional
        Finds the graph: `NaiveBayes`, `TAN`, `FAN`, `KDB`, `FKDB`, `FixedStructure`, ... A learner, or its name with
        settings if need be ("kdb", "KDB(k=3)"); so are the next three. By default ``TAN(shrunk=True)``.
    parameters : parameter learner, optional
        Fills the tables: `TunedTables`, `Shrinkage`, `Dirichlet`, `Laplace`, ... By default `TunedTables` where the
        graph allows it and can be learned several times without a search (naive Bayes, TAN, FAN, ``KDB(k=1)``), else
        `Shrinkage`. Published methods bring their own: ``bl.classifier("TAN")`` has `Laplace` tables.
    discretizer : discretiser, optional
        Cuts numeric columns into intervals: `AdaptiveQuantiles` (the default), `MDLP`, `MedianSplit`, `Quantiles`,
        `EqualWidth`, `Cuts`.
    selector : feature selector, optional
        Chooses the features that enter the network.
    categorical_features : {"auto", "from_dtype"}, mask, positions or names, default="auto"
        Columns taken as categories, besides strings, booleans and categorical types. For the others, "auto" (and any
        list) lets the values decide: a column of at most 10 different whole numbers, each in 30 rows on average, gets
        a state for each of them instead of intervals. With "from_dtype" only types count.
    column_types : dict, optional
        Types of columns, by name or position, that cannot be seen from their values: "category", "number", "date"
        (or time) or "identifier" (left out), as in ``{"zip": "category"}``. It takes precedence over
        ``categorical_features``.
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that look like identifiers (nearly all values different, or row numbers) are left out, with a
        warning that names them, or kept.
    missing : {"auto", "available", "state", "drop", "impute"}, default="auto"
        Missing values in fit. "available": each table is counted from the rows that have all its values, and
        prediction sums over missing values exactly. "state": missing values are a state of their own in every column
        that has some in fit; "auto": only in columns where missingness is informative about the class, by BIC, and
        as "available" in all others. "drop": rows with any missing value are left out. "impute": the mean
        (numbers) or the most frequent category takes their place, in prediction too.
    missing_values : list of str and float, optional
        What else marks a missing value in any column, such as ``["-", -99]``. By default such marks are found in
        columns of numbers, with a warning; a list says it instead, and an empty one that there are none.
    unknown : {"missing", "error"}, default="missing"
        Categories at prediction that were not seen in fit, if they have no state (see ``min_frequency``).
    absent_columns : {"error", "missing"}, default="error"
        What happens if a table at prediction lacks a column of fit: an error, or all its values count as missing.
        Columns need names for this. Columns that fit has left out may always be absent.
    min_frequency : int or float, optional
        Categories in fewer rows (or in a smaller share of them) are pooled into one state, ``(other)``, which also
        receives categories that fit has not seen.
    max_categories : int, optional
        Largest number of states of a categorical column, including the pooled one; the rarest are pooled.
    classes : {"auto", "many"}, default="auto"
        With "auto", a target that does not look like a class is refused at once: an identifier, numbers to predict,
        remarks. "many" takes any number of classes.
    class_weight : dict or "balanced", optional
        The weight of a row of each class, by label, multiplied by ``sample_weight``; "balanced" gives every class the
        same total weight. Probabilities are then those of a population with these class frequencies. The sum of all
        weights does not change.
    loss : matrix, DataFrame, dict or function, optional
        What decisions cost: a matrix [true class, decision] over the sorted labels, a DataFrame labelled by
        class, a dict ``{true class: {decision: cost}}`` in which mistakes that are not named cost one, or
        a function of the two labels. `predict` then chooses the class of smallest expected cost; probabilities do
        not change. No mistake may cost less than the right decision. A structure can be learned for the
        same costs: ``HillClimbing(CrossValidatedRisk(loss=...), "naive")``.
    relearn_every : int, optional, default=1
        `partial_fit` learns the graph again after this many new rows: with 1 after every batch, with None only when
        you call `relearn`. The tables are updated after every batch.
    half_life : float, optional
        `partial_fit` forgets: the weight of a row halves after this many rows. By default all rows count the same.
    random_state : int, RandomState or Generator, optional
        For learners that draw random numbers.
    n_jobs : int, optional
        Threads; all cores by default. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    network_ : BayesNet
        The fitted network. Its class node carries the target's name.
    schema_ : Schema
        How the columns were read: names, categories, cut points, gaps. It prints as a table.
    structure_, parameters_, discretizer_ : learners
        Those that were used: the ones given, or the defaults.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    constant_features_ : list of str
        Features with one state only: one value in fit, or numbers that the discretiser did not cut. They carry no
        evidence.
    n_parameters_ : int
        Free parameters of the network.
    training_ : TrainingRecord
        Record of the training data: rows, classes, missing values, cells without data, and the steps of the search
        (``search``).
    online_bytes_ : int
        The memory that the counts of `partial_fit` take.
    functional_dependencies_ : FunctionalDependencies
        Which value determines which, for structure learners that use this (``KDB(functional_dependencies=True)``).
        Then parents depend on the row, and ``network_`` is what applies where no dependency holds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = BayesNetClassifier().fit(X, y)
    >>> round(clf.score(X, y), 2)
    0.98
    >>> clf.network_
    <BayesNet nodes=5 arcs=7 parameters=551, target='target'>
    """

    settings = declared(
        **READING,
        relearn_every=whole(low=1, or_none=True),
        half_life=number(above=0, or_none=True),
        random_state=seeding,
    )

    def __init__(
        self,
        structure: StructureLearner | str | None = None,
        parameters: ParameterLearner | str | None = None,
        discretizer: Discretizer | str | None = None,
        selector: Selector | str | None = None,
        *,
        categorical_features: Literal["auto", "from_dtype"] | ArrayLike = "auto",
        column_types: Mapping[str | int, str] | None = None,
        identifiers: Literal["drop", "keep"] = "drop",
        missing: Literal["auto", "available", "state", "drop", "impute"] = "auto",
        missing_values: Sequence[str | float] | None = None,
        unknown: Literal["missing", "error"] = "missing",
        absent_columns: Literal["error", "missing"] = "error",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        classes: Literal["auto", "many"] = "auto",
        class_weight: ClassWeight | None = None,
        loss: Loss | None = None,
        relearn_every: int | None = 1,
        half_life: float | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.structure = _named("structure", structure)
        self.parameters = _named("parameters", parameters)
        self.discretizer = _named("discretizer", discretizer)
        self.selector = _named("selector", selector)
        self.categorical_features = categorical_features
        self.column_types = column_types
        self.identifiers = identifiers
        self.missing = missing
        self.missing_values = missing_values
        self.unknown = unknown
        self.absent_columns = absent_columns
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.classes = classes
        self.class_weight = class_weight
        self.loss = loss
        self.relearn_every = relearn_every
        self.half_life = half_life
        self.random_state = random_state
        self.n_jobs = n_jobs

    def set_params(self, **params: Any) -> "BayesNetClassifier":
        """Set parameters, those of learners too (``structure__k=3``); where none is named, of the default learner.

        Examples
        --------
        >>> BayesNetClassifier("naive-bayes").set_params(parameters="dirichlet", parameters__ess=5)
        BayesNetClassifier(parameters=Dirichlet(ess=5), structure=NaiveBayes())
        """
        defaults: dict[str, Any] = {
            "structure": default_structure(),
            "parameters": TunedTables(),
            "discretizer": default_discretizer(),
            "selector": None,
        }
        super().set_params(**with_learners(self, params, defaults))
        return self

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        super().check_params()
        check_learners(self, {kind: self._learner(kind) for kind in LEARNER_METHODS})

    def _settings(self) -> "BayesNetClassifier":
        return self

    def _learner(self, kind: str) -> Any:
        """Return the learner in a setting, which may be a text where the attribute was set to one."""
        given = getattr(self, kind)
        return named_learner(kind, given) if isinstance(given, str) else given

    def _structure(self) -> StructureLearner:
        structure: StructureLearner | None = self._learner("structure")
        return default_structure() if structure is None else structure

    def _new_reader(self) -> TableReader:
        given = self._learner("discretizer")
        return TableReader.of(self, discretizer=default_discretizer() if given is None else as_used(given))

    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> "BayesNetClassifier":
        """Learn the graph and its tables.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            The features; `inspect` says how each column would be read.
        y : array-like of shape (n_samples,)
            Class labels. Rows without one (None, NaN) are left out, and a warning counts them.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two counts like two equal rows, a weight of zero like no row. Where a learner divides the rows
            (into folds, hold-outs or halves), as the default `TunedTables` does, a row of weight two stays in one
            part, and two equal rows need not: the models can differ.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together: visits of one patient, say. Rows that tuning holds out are then of groups that
            it has not learned from, as new rows will be.
        """
        with unchanged_on_failure(self):
            X = check_rows(X)  # some tables can be read only once
            table = self.learn_table(X, y, sample_weight, groups=groups)
            self.fit_table(table)
            self._remember(table, X, y, sample_weight)
            self._rows_of_fit = table  # until `_measure_misfit` has seen them
        self._warn_if_nothing_learned()
        return self

    def learn_table(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Table:
        """Learn the schema and return the training rows encoded by it, the class as the last column."""
        self.check_params()
        reader = self._new_reader()
        table = reader.learn(self, X, y, sample_weight, groups=groups)
        self._use(reader)
        return table

    def fit_table(self, table: Countable, needs: RowNeeds | None = None) -> "BayesNetClassifier":
        """Learn from rows that `learn_table` has encoded, all of them or any sample.

        Learners that need only counts take another source of counts instead of the table; ``needs`` says where the
        others get rows from then.
        """
        self.__dict__.pop("_online", None)  # counts of partial_fit, of other rows
        costs = self._costs()  # says what is wrong with the loss before any time is spent
        parameters, selector = self._learner("parameters"), self._learner("selector")
        rng = generator(self.random_state)
        self._keep(fit_network(table, self._structure(), parameters, selector, rng, needs, costs))
        return self

    _learns_from_sources = True

    def _fit_stream(self, stream: Any, sample_rows: int) -> dict[str, int]:
        reader = self._new_reader()
        self._use(reader.take(stream.schema, stream.classes, named=True))
        needs = RowNeeds(sample_rows)
        self.fit_table(stream.source(), needs)
        if self.class_weight is not None:  # what was counted is another population than new rows
            self.training_ = replace(self.training_, counts=None)
        return {"cut points": sample_rows, **needs.sampled}

    def __getstate__(self) -> dict[str, Any]:
        if "_rows_of_fit" in self.__dict__:
            self._measure_misfit()  # the rows are not for others
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_made_sureness"}

    def _keep(self, fitted: FittedNetwork) -> None:
        self.__dict__.pop("_rows_of_fit", None)  # of a fit before
        self.structure_, self.parameters_ = as_used(fitted.structure), as_used(fitted.parameters)
        self._set_network(fitted.network, fitted.predictor)
        # How many rows each probability rests on, as far as `save(min_count=...)` asks: in a byte, not more.
        self._support = [
            np.minimum(np.ceil(counts), MOST_SUPPORT).astype(np.uint8) for counts in fitted.families
        ]
        self.training_ = fitted.record(self.published_method)

    def _set_network(self, network: BayesNet, predictor: Predictor | None = None) -> None:
        self.network_ = network
        self._predictor: Predictor = network if predictor is None else predictor
        self.n_parameters_ = network.n_parameters
        names = [variable.name for variable in self.schema_.features]
        columns = [names.index(node) for node in network.nodes[:-1]]
        self._member = Member(self._predictor, columns, class_prior(network))

    def _answering(self) -> Member:
        return self._member

    @AvailableIfCountsSuffice
    def partial_fit(
        self,
        X: TableLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "BayesNetClassifier":
        """Learn from one more batch of rows: its counts are added, and graph and tables are updated at once.

        However the rows are split into batches, graph and tables are the same as after one `fit` (up to rounding with
        weights or a half-life), given how columns are read. The first batch settles that: the types of columns, the
        cut points of numbers (or give them: ``discretizer=Cuts(...)``), and which columns are identifiers. New
        categories become states when they first occur.

        Counts alone are too sure of themselves where features repeat one another. So by default each batch is
        predicted before it is counted, and the model learns from it how much the evidence of each feature should
        count; a batch that is larger than all before it is divided into folds for this. ``out_of_sample_`` has the
        figures of these predictions, and after 500 rows a warning says once if they are not better than the class
        frequencies. With ``parameters=Shrinkage()``, or other tables that you name, the counts decide as they are.

        Only counts are kept, of the class with every pair of features: 8 bytes times the classes times the sum of
        r_i r_j over all pairs of features with r_i and r_j states, whatever the number of rows; twice that while a
        batch is learned, so that a batch that fails leaves the model as it was. ``online_bytes_`` says how much they
        take now; more than 2 GiB raise an error. Learners must need only these counts: `NaiveBayes`,
        `HiddenNaiveBayes`, `TAN`, `FAN`, `ETAN`, ``KDB(k=1)``, `FixedStructure` with at most one parent besides the
        class; and `Shrinkage`, `Dirichlet`, `Laplace`, ... for the tables. The default structure is that of fit; the
        default tables are weighed as above, for tuning needs the rows.

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
            self.check_params()
            before: OnlineCounts | None = self.__dict__.get("_online")
            if before is None:
                batch = self._first_batch(X, y, classes, sample_weight)
            else:
                later = before.read(self, self._reader, X, y, classes, sample_weight)
                if later is None:  # each of its rows has a gap, and these are dropped
                    return self
                batch = later
            online = self._judging(*batch).with_rows(batch[1])
            new_rows = online.counts.rows - online.rows_of_graph
            due = self.relearn_every is not None and new_rows >= self.relearn_every
            self._learn_counted(online, graph=not online.rows_of_graph or due)
        self._warn_once()
        return self

    def _judging(self, online: OnlineCounts, table: Table) -> OnlineCounts:
        """Learn caution from a batch before it is counted, for tables that are not named.

        Where rows were counted without, as in models of earlier files, the counts go on deciding as they are.
        """
        if self._learner("parameters") is not None or (online.caution is None and online.counts.rows):
            return replace(online, caution=None)

        def learn(source: Countable) -> DAG:
            rng = generator(self.random_state)
            return fit_network(
                source, self._structure(), Shrinkage(), self._learner("selector"), rng
            ).network.dag

        dag = self.network_.dag if online.rows_of_graph else None
        return online.judging(table, dag, learn, self._costs())

    def _warn_once(self) -> None:
        """Say that nothing was learned, as `fit` does, as soon as enough rows show it; not with every batch."""
        online: OnlineCounts = self.__dict__["_online"]
        if online.caution is None or online.warned or online.counts.rows < ROWS_TO_WARN:
            return
        found = nothing_learned(self)
        if found is not None:
            self._online = replace(online, warned=True)
            warn(found, NothingLearnedWarning)

    def _first_batch(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[OnlineCounts, Table]:
        if hasattr(self, "network_"):
            warn(
                "The model was fitted by fit, or read from a file without the counts of its rows: partial_fit starts "
                "anew.",
                StartsAnewWarning,
            )
            classes = self.classes_ if classes is None else classes
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        reader = replace(self._new_reader(), missing="drop" if self.missing == "drop" else "available")
        table = reader.learn(self, X, y, sample_weight, classes=classes)
        self._use(reader)
        return OnlineCounts.empty(table, self.missing, self.half_life), table

    def relearn(self) -> "BayesNetClassifier":
        """Learn the graph again, from all rows that `partial_fit` was given so far.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier(relearn_every=1000)
        >>> clf = clf.partial_fit([["a"], ["b"]], [0, 1], classes=[0, 1])
        >>> clf.relearn().training_.rows
        2
        """
        nothing = "There is nothing to learn from again: call partial_fit first."
        check_is_fitted(self, msg=nothing)
        online = self.__dict__.get("_online")
        if online is None:
            raise ValueError(nothing)
        with unchanged_on_failure(self):
            self._learn_counted(online, graph=True)
        return self

    def _learn_counted(self, online: OnlineCounts, *, graph: bool) -> None:
        """Learn from the counts so far: the graph too, or the tables alone."""
        source = online.source(self.n_jobs)
        reader = replace(self._reader).take(online.schema(source), self.classes_, named=self._reader.named)
        # Tuning takes rows, so the default is another than in fit.
        given = self._learner("parameters")
        parameters = Shrinkage() if given is None else given
        self._costs()
        rng = generator(self.random_state)
        if graph:
            fitted = fit_network(source, self._structure(), parameters, self._learner("selector"), rng)
            online = replace(online, rows_of_graph=online.counts.rows)
        else:
            same = FixedStructure(self.network_.arcs)
            part = source.select([source.names.index(name) for name in self.network_.nodes])
            fitted = fit_network(part, same, parameters, None, rng)
            fitted = replace(
                fitted,
                predictor=self._same_predictor(part, fitted.network, parameters),
                structure=self.structure_,
                search=self.training_.search,
            )
        self._use(reader)
        self._keep(online.cautious(fitted))
        self._online = online

    def _same_predictor(self, source: Countable, network: BayesNet, parameters: Any) -> Predictor | None:
        """Return what predicts instead of the network, for new tables of the same graph."""
        found = own_predictor(self.structure_, source, network, parameters)
        own = not isinstance(self._predictor, TwoReadings) and self._predictor is not self.network_
        if found is None and own:
            raise ValueError(
                "The model file could not store the structure learner that this model needs to predict: set "
                "relearn_every=1 and structure to it, and the graph is learned again."
            )
        return found

    @property
    def online_bytes_(self) -> int:
        """The memory that the counts of `partial_fit` take."""
        if "_online" not in self.__dict__:
            raise AttributeError("online_bytes_ exists only after partial_fit.")
        size: int = self._online.counts.n_bytes
        return size

    def _why_not_online(self) -> str | None:
        return why_not_online(self)

    @property
    def constant_features_(self) -> list[str]:
        """Features with one state only, which carry no evidence.

        Examples
        --------
        >>> clf = BayesNetClassifier().fit([["a", "x"], ["b", "x"]], [0, 1])
        >>> clf.constant_features_
        ['x1']
        """
        check_is_fitted(self)
        features = self.schema_.features
        return [features[j].name for j in self.schema_.used if features[j].arity == 1]

    @property
    def functional_dependencies_(self) -> FunctionalDependencies:
        """Which value determines which; only where the structure learner asks for functional dependencies."""
        check_is_fitted(self)
        if not isinstance(self._predictor, InstanceNetwork):
            raise AttributeError(
                f"{self.structure_!r} does not look for functional dependencies; KDB and FKDB with "
                "functional_dependencies=True do."
            )
        return self._predictor.dependencies

    def _used_rows(self, X: TableLike) -> Table:
        table = self.encode(X)
        return self._member.used(table)

    def _weighing(self, table: Table) -> Weighing:
        return weighing(self._predictor, table, self._prior)

    def _told_by_features(self) -> NDArray[np.float64] | None:
        """Return the information about the class that each feature has alone, where the network is what answers."""
        single = self._predictor is self.network_ or isinstance(self._predictor, TwoReadings)
        told = information_about_class(self.network_) if single else None
        if told is None:
            return None
        alone = np.array([told[name] for name in self.network_.nodes[:-1]])
        record = getattr(self, "training_", None)
        return alone if record is None else beyond_chance(alone, self.network_, record.weight)

    def predict_interval(self, X: TableLike, level: float = 0.9) -> NDArray[np.float64]:
        """Return how sure each probability is: an interval for each row and class.

        It is an interval of P(class | what is known of the row), which would be the answer of a model of very many
        rows. It is wide where few rows were counted, where the graph misses dependence, and where the evidence and
        the network disagree (see `bayleaf.classify.certainty` for the formula). Models that were not learned by `fit`
        from rows in memory do not know what their graph misses.

        Parameters
        ----------
        X : DataFrame or array
        level : float, default=0.9
            How probable it is that an interval has the true probability, above 0 and below 1.

        Returns
        -------
        ndarray of shape (rows, classes, 2)
            The low and the high end; the probability of `predict_proba` lies between them.

        Examples
        --------
        >>> import bayleaf as bl
        >>> model = bl.BayesNetClassifier().fit([["a"], ["b"], ["b"]] * 10, ["no", "yes", "no"] * 10)
        >>> model.predict_proba([["b"]]).round(2)
        array([[0.48, 0.52]])
        >>> model.predict_interval([["b"]]).round(2)
        array([[[0.25, 0.72],
                [0.28, 0.75]]])
        """
        check_is_fitted(self)
        check_param("predict_interval", "level", level, float, low=0, high=1, low_open=True, high_open=True)
        sureness = self._sureness()
        return self._limits(sureness, self._used_rows(X), level)

    def _limits(self, sureness: Sureness, table: Table, level: float) -> NDArray[np.float64]:
        answers = log_posteriors(
            self._predictor.log_joint(table, len(table.variables), table.n_jobs), self._prior
        )
        if isinstance(self._predictor, TwoReadings):
            table = self._predictor.as_read(table, *self._predictor.weights(table))
        return sureness.limits(answers, table, level)

    def _intervals(self, table: Table) -> NDArray[np.float64] | None:
        try:
            sureness = self._sureness()
        except ValueError:  # an answer without an interval is one all the same
            return None
        return self._limits(sureness, table, LEVEL)

    def _sureness(self) -> Sureness:
        """Return what intervals are made from, or say why there are none."""
        self._measure_misfit()
        why_not = no_intervals(self.network_, self._predictor, getattr(self, "training_", None))
        if why_not is not None:
            raise ValueError(why_not)
        made_of = (self.network_, self._predictor, self.training_)
        kept = self.__dict__.get("_made_sureness")
        if kept is None or any(old is not new for old, new in zip(kept[0], made_of, strict=True)):
            kept = self._made_sureness = (made_of, Sureness.of_model(*made_of))
        sureness: Sureness = kept[1]
        return sureness

    def _measure_misfit(self) -> None:
        """Measure on the rows of fit how far the network may be off, for `predict_interval`, and let go of the rows.

        Intervals, explanations, `save` and pickling call it when they need it.
        """
        rows: Table | None = self.__dict__.get("_rows_of_fit")
        if rows is None:
            return
        if no_intervals(self.network_, self._predictor, self.training_) is None:
            used = rows.select([rows.names.index(name) for name in self.network_.nodes])
            found = Misfit.of_model(used, self.network_, self._predictor, self.training_)
            self.training_ = replace(self.training_, misfit=asdict(found))
        self.__dict__.pop("_rows_of_fit", None)  # last, as another thread may ask at the same time

    def sufficient_reason(self, x: TableLike) -> SufficientReason:
        """Feature values of one row that alone guarantee its predicted class; none of them can be left out.

        Parameters
        ----------
        x : DataFrame or array with one row
            The row whose class is to be guaranteed.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> print(BayesNetClassifier().fit(X, y).sufficient_reason(X.iloc[[0]]))
        '0' because petal length (cm) = (-inf, 1.45] and petal width (cm) = (0.15, 0.25], whatever the other features.
        """
        check_is_fitted(self)
        check_single_network(self.network_, self._predictor, "A sufficient reason")
        table, predicted = self._used_rows(x), self.predict(x)
        deciding = self._member.deciding_network or self.network_
        return sufficient_reason(deciding, table, predicted, self.classes_, self._prior, self._costs())

    def _joint_model(self) -> JointModel:
        check_is_fitted(self)
        check_single_network(self.network_, self._predictor, "This")
        answer = self._member.answer if isinstance(self._predictor, TwoReadings) else None
        return JointModel(self.network_, self._draw, self.classes_, self._prior, self._costs(), answer)

    def _draw(self, n: int, rng: np.random.Generator) -> Table:
        """Draw rows of the features from the network."""
        drawn = self.network_.sample_table(n, rng)
        return drawn.select(list(range(drawn.n_variables - 1)))


def _named(kind: str, value: Any) -> Any:
    """Return the learner that a text names; anything else as it is."""
    return learner_or_text(kind, value) if isinstance(value, str) else value


def class_prior(network: BayesNet) -> NDArray[np.float64]:
    """Return the probability of each class before anything is known, which is also that of impossible rows."""
    target = len(network.dag.nodes) - 1
    if network.dag.parent_indices[target]:
        return np.array(list(network.posterior(network.dag.nodes[target]).values()))
    return np.array(network.tables[target])
