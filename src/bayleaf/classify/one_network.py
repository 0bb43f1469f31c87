"""The estimator: a structure learner times a parameter learner, as a scikit-learn classifier."""

import warnings
from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from bayleaf._util.kinds import ClassWeight, Label, Loss, Seed, TableLike
from bayleaf._util.params import LEARNER_METHODS, check_classifier, generator, written
from bayleaf._util.progress import unchanged_on_failure
from bayleaf.counts import CountSource, FunctionalDependencies, family_counts
from bayleaf.data import Discretizer, IdentifierWarning, Schema, Table, encode, read_training
from bayleaf.data.categories import check_rare_values, without_identifiers
from bayleaf.data.columns import check_column_types, check_rows, with_absent
from bayleaf.data.discretize.bins import default_discretizer
from bayleaf.data.raw_rows import seen_rows
from bayleaf.data.row_reader import RowReader
from bayleaf.explain.evidence import Explanation, explain_rows
from bayleaf.explain.questions import JointModel, JointQuestions
from bayleaf.explain.reasons import SufficientReason, check_single_network, sufficient_reason
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Dirichlet, ParameterLearner, Shrinkage
from bayleaf.learn.parameters.closed_form import fill_tables
from bayleaf.learn.register import learner_or_text, learner_with, named_learner
from bayleaf.learn.selection.selector import Selector, keep_selected
from bayleaf.learn.structure.structure_learner import (
    PredictingLearner,
    StructureLearner,
    graph_learner,
    search_graph,
)
from bayleaf.learn.structure.tan import default_structure
from bayleaf.learn.tuning.tuned_tables import TunedTables, TuningLearner, can_tune
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.network.council import Member
from bayleaf.network.decisions import Predictor, best_class, class_costs, log_posteriors

from .base import NetworkClassifier
from .from_streams import RowNeeds, StreamLearner
from .online import OnlineLearner
from .record import TrainingRecord, missing_shares
from .scorer import Scorer

MOST_SUPPORT = 255


class BayesNetClassifier(NetworkClassifier, StreamLearner, OnlineLearner, JointQuestions):
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
        Columns to take as categories, beside strings, booleans and categorical types. Of the others, "auto" (and with
        it any list) lets the values decide: at most 10 different whole numbers, each in 30 rows on average, keep one
        state each instead of being cut. With "from_dtype" only types count.
    column_types : dict, optional
        What columns are, by name or position, where that is not what they look like: "category", "number", "date"
        (or time) or "identifier" (left out), as in ``{"zip": "category"}``. It counts more than
        ``categorical_features``.
    identifiers : {"drop", "keep"}, default="drop"
        Columns that look like identifiers (nearly every value its own, or row numbers) are left out, and a warning
        names them; or they are kept.
    missing : {"auto", "available", "state", "drop", "impute"}, default="auto"
        Missing values in fit. "available": each table is counted from the rows that have all its values, and
        prediction sums over missing values exactly. "state": missing values are a state of their own in every column
        that has some in fit; "auto": only in columns where it tells about the class that a value is missing, by BIC,
        and as "available" in all others. "drop": rows with any missing value are left out. "impute": the mean
        (numbers) or the most frequent category takes their place, in prediction too.
    unknown : {"missing", "error"}, default="missing"
        Categories at prediction that were not seen in fit, where no state is there for them (see ``min_frequency``).
    absent_columns : {"error", "missing"}, default="error"
        A column of fit that a table at prediction does not have: an error, or as if each of its values were missing.
        Columns are known by name for this. Columns that fit has left out may be absent in any case.
    min_frequency : int or float, optional
        Categories in fewer rows (or in a smaller share of them) are pooled into one state, ``(other)``, which also
        receives categories that fit has not seen.
    max_categories : int, optional
        The most states of a column of categories, the pooled one among them; the rarest are pooled.
    class_weight : dict or "balanced", optional
        What a row of each class weighs against the others, by label, beside ``sample_weight``; "balanced" gives every
        class the same total weight. Probabilities then are those of a population in which the classes are so
        frequent. The sum of all weights stays what it was.
    loss : matrix, DataFrame, dict or function, optional
        What decisions cost: a matrix [true class, decision] over the sorted labels, a DataFrame whose rows and
        columns bear them, a dict ``{true class: {decision: cost}}`` in which mistakes that are not named cost one, or
        a function of the two labels. `predict` then chooses the class of smallest expected cost; probabilities are
        the same as without. No mistake may cost less than the right decision. A structure can be learned for the
        same costs: ``HillClimbing(CrossValidatedRisk(loss=...), "naive")``.
    relearn_every : int, optional, default=1
        `partial_fit` learns the graph again when so many rows have come since it was learned; with 1 after every
        batch, with None never by itself (see `relearn`). Tables follow every batch.
    half_life : float, optional
        `partial_fit` forgets: after so many more rows, a row counts half as much. By default all count the same.
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
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    constant_features_ : list of str
        Features with one state only: one value in fit, or numbers of which the discretiser cut none. They carry no
        evidence.
    n_parameters_ : int
        Free parameters of the network.
    training_ : TrainingRecord
        What fit saw: rows, classes, missing values, cells without data, and the steps of the search (``search``).
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
        unknown: Literal["missing", "error"] = "missing",
        absent_columns: Literal["error", "missing"] = "error",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        class_weight: ClassWeight | None = None,
        loss: Loss | None = None,
        relearn_every: int | None = 1,
        half_life: float | None = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.structure = learner_or_text("structure", structure)
        self.parameters = learner_or_text("parameters", parameters)
        self.discretizer = learner_or_text("discretizer", discretizer)
        self.selector = learner_or_text("selector", selector)
        self.categorical_features = categorical_features
        self.column_types = column_types
        self.identifiers = identifiers
        self.missing = missing
        self.unknown = unknown
        self.absent_columns = absent_columns
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.class_weight = class_weight
        self.loss = loss
        self.relearn_every = relearn_every
        self.half_life = half_life
        self.random_state = random_state
        self.n_jobs = n_jobs

    def set_params(self, **params: Any) -> "BayesNetClassifier":
        """Set parameters, those of learners too (``structure__k=3``); where none is named, of the default learner.

        A setting that the default learner does not have names another: ``structure__k`` makes the structure `KDB`,
        ``parameters__ess`` the parameters `Dirichlet`.

        Examples
        --------
        >>> BayesNetClassifier("naive-bayes").set_params(parameters__ess=5)
        BayesNetClassifier(parameters=Dirichlet(ess=5), structure=NaiveBayes())
        """
        defaults: dict[str, Any] = {
            "structure": default_structure(),
            "parameters": TunedTables(),
            "discretizer": default_discretizer(),
        }
        for kind in LEARNER_METHODS:
            if kind in params:
                params[kind] = learner_or_text(kind, params[kind])
            inner = [key.removeprefix(f"{kind}__") for key in params if key.startswith(f"{kind}__")]
            learner = params.get(kind, getattr(self, kind))
            if inner and (learner is None or isinstance(learner, str)):
                params[kind] = named_learner(kind, learner) or learner_with(kind, inner, defaults.get(kind))
        super().set_params(**params)
        return self

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        for kind in LEARNER_METHODS:
            named_learner(kind, getattr(self, kind))  # says what is wrong with a text that names none
        check_classifier(self)
        check_column_types(self.column_types)
        check_rare_values(self, self.min_frequency, self.max_categories)

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "BayesNetClassifier":
        """Learn the graph and its tables.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            The features; `inspect` says how each column would be read.
        y : array-like of shape (n_samples,)
            Class labels. Rows without one (None, NaN) are left out, and a warning counts them.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two counts like two equal rows, a weight of zero like no row. Where a learner divides the rows
            (into folds, hold-outs or halves), a row of weight two stays in one part.
        """
        with unchanged_on_failure(self):
            self.fit_table(self.learn_table(X, y, sample_weight))
            self._keep_seen(self)
        self._warn_if_nothing_learned()
        return self

    def fit_table(self, table: Table | CountSource, needs: RowNeeds | None = None) -> "BayesNetClassifier":
        """Learn from rows that `learn_table` has encoded, all of them or any sample.

        Learners that say ``learns_from_counts`` take another source of counts in place of the table; ``needs`` says
        where the others get rows from then.
        """
        self.__dict__.pop("_kept", None)  # counts of partial_fit, of other rows
        needs = RowNeeds() if needs is None else needs
        table = cast(Table, table)  # a source has what is asked of it here
        shares = dict(zip(table.names[:-1], missing_shares(table)[:-1], strict=True))
        rng = generator(self.random_state)
        self._costs()  # says what is wrong with the loss before any time is spent
        structure = default_structure() if self.structure is None else self.structure
        table = needs.rows_for("graph", without_identifiers(table), structure, self.selector)
        if self.selector is not None:
            table = keep_selected(self.selector, structure, table, rng)
        found = search_graph(structure, table, rng)
        dag = found.dag
        parameters = default_parameters(structure, dag) if self.parameters is None else self.parameters
        families, held_out = family_counts(table, dag), None
        rows = needs.rows_for("tables", table, parameters)
        if isinstance(parameters, TuningLearner):
            tuned = parameters.tune(rows, dag, graph_learner(structure, rng))
            tables, held_out = tuned.tables, tuned.out_of_sample(rows)
        else:
            tables = fill_tables(parameters, rows, dag, families)
        network = BayesNet(table.variables, dag, tables, table.names[-1])
        predictor = None
        if isinstance(structure, PredictingLearner):
            predictor = structure.predictor(table, network, parameters)
        self._set_network(network, predictor)
        # How many rows each probability rests on, as far as `save(min_count=...)` asks: in a byte, not more.
        self._support = [np.minimum(np.ceil(counts), MOST_SUPPORT).astype(np.uint8) for counts in families]
        self.training_ = TrainingRecord.of(
            table,
            network,
            families,
            shares,
            found.trace,
            self.published_method,
            stand_ins(
                self,
                {"structure": structure, "parameters": parameters, "discretizer": default_discretizer()},
            ),
            held_out,
        )
        return self

    def inspect(self, X: TableLike, y: ArrayLike | None = None) -> Schema:
        """Return what fit would make of the columns: a schema, which prints as a table. Nothing is fitted.

        Without class labels, numbers are not cut where the discretiser goes by the class.

        Examples
        --------
        >>> import polars as pl
        >>> clf = BayesNetClassifier(column_types={"zip": "category"})
        >>> print(clf.inspect(pl.DataFrame({"zip": [1, 2, None]})))
        column   read as    states                  gaps   note
        ───────────────────────────────────────────────────────
        zip      category   2 categories: 1, 2   1 (33%)
        """
        self.check_params()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentifierWarning)  # the table names them
            table, _ = clone(self)._read(X, y, classless=y is None)
        return Schema(table.variables[:-1], None if y is None else table.variables[-1], table.n_rows)

    def _read(
        self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, classless: bool = False
    ) -> tuple[Table, NDArray[Any]]:
        return read_training(
            self,
            X,
            y,
            sample_weight,
            discretizer=default_discretizer() if self.discretizer is None else self.discretizer,
            categorical_features=self.categorical_features,
            column_types=self.column_types,
            identifiers=self.identifiers,
            missing=self.missing,
            min_frequency=self.min_frequency,
            max_categories=self.max_categories,
            class_weight=self.class_weight,
            classless=classless,
            n_jobs=self.n_jobs,
        )

    def learn_table(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Table:
        """Learn the schema and return the training rows encoded by it, the class as the last column."""
        self.check_params()
        X = check_rows(X)  # some tables can be read only once
        table, self.classes_ = self._read(X, y, sample_weight)
        self.schema_ = Schema(table.variables[:-1], table.variables[-1], table.n_rows)
        self._seen = seen_rows(self.schema_, table, X, y, sample_weight)
        self._columns = list(range(len(self.schema_.features)))
        self._reader = RowReader(self.schema_.features)
        return table

    def _set_schema(self, schema: Schema, classes: NDArray[Any], *, named: bool) -> None:
        super()._set_schema(schema, classes, named=named)
        self._columns = list(range(len(schema.features)))
        self._reader = RowReader(schema.features)

    def _set_network(self, network: BayesNet, predictor: InstanceNetwork | None = None) -> None:
        self.network_ = network
        self._predictor: Predictor = network if predictor is None else predictor
        self.n_parameters_ = network.n_parameters
        names = [variable.name for variable in self.schema_.features]
        self._columns = [names.index(node) for node in network.nodes[:-1]]
        self._prior = class_prior(network)
        self._member = Member(self._predictor, self._columns, self._prior)

    @property
    def constant_features_(self) -> list[str]:
        """Features with one state only, which carry no evidence.

        Examples
        --------
        >>> clf = BayesNetClassifier().fit([["a", "x"], ["b", "x"]], [0, 1])
        >>> clf.constant_features_
        ['x1']
        """
        features = self.schema_.features
        return [features[j].name for j in self.schema_.used if features[j].arity == 1]

    @property
    def functional_dependencies_(self) -> FunctionalDependencies:
        """Which value determines which; only where the structure learner asks for functional dependencies."""
        if not isinstance(self._predictor, InstanceNetwork):
            raise AttributeError(
                f"{self.structure!r} does not look for functional dependencies; KDB and FKDB with "
                "functional_dependencies=True do."
            )
        return self._predictor.dependencies

    def encode(self, X: TableLike) -> Table:
        """Encode new rows by the schema learned in fit: the features that the network uses, without the class.

        A Table over all features of the schema counts as encoded already.
        """
        table = self._encode_all(X)
        return table if len(self._columns) == table.n_variables else table.select(self._columns)

    def _encode_all(self, X: TableLike) -> Table:
        """Encode all features of the schema."""
        if isinstance(X, Table):
            check_is_fitted(self)
            if X.variables != self.schema_.features:
                raise ValueError(
                    "The table's variables are not the features that this classifier was fitted with."
                )
            return X
        table = None
        if not self._takes_numbers(X):
            if hasattr(self, "_reader") and hasattr(self, "feature_names_in_"):
                table = self._reader.read_few(X, self.n_jobs)
            if table is None:
                check_is_fitted(self)
                if hasattr(self, "feature_names_in_"):
                    names, may_lack = self._reader.names, self.schema_.may_lack(self.absent_columns)
                    X = with_absent(X, names, may_lack) if may_lack else X
                X = check_rows(X)
                validate_data(self, X, reset=False, skip_check_array=True)
        if table is None and self._reader.takes(X):
            table = self._reader.read_array(X, self.n_jobs)
        if table is None:
            table = encode(self.schema_, X, unknown=self.unknown, n_jobs=self.n_jobs)
        return table

    def _takes_numbers(self, X: TableLike) -> bool:
        """Whether X is an array that compiled rules read: then there is nothing else to check, or to warn of."""
        reader = getattr(self, "_reader", None)
        return reader is not None and not hasattr(self, "feature_names_in_") and reader.takes(X)

    def _score(self, X: Any, *, normalised: bool) -> NDArray[np.float64]:
        """Posteriors, or log-joints, of each row and class."""
        scores = None
        if self._takes_numbers(X):
            scores = self._member.score_array(self._reader, X, self.n_jobs, normalised=normalised)
        if scores is None:
            table = self._encode_all(X)
            scores = self._member.score_table(table, self.n_jobs, normalised=normalised)
        return scores

    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Posterior probability of each class for each row; missing values are summed out exactly."""
        return self._score(X, normalised=True)

    def predict_log_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Natural logarithm of `predict_proba`, exact where probabilities underflow."""
        return log_posteriors(self._score(X, normalised=False), self._prior)

    def scorer(self) -> Scorer:
        """Return a light callable that gives class probabilities of single rows and tables, for services.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> score = BayesNetClassifier().fit(X, y).scorer()
        >>> score({"petal length (cm)": 1.4, "petal width (cm)": 0.2}).round(3)
        array([0.998, 0.001, 0.001])
        """
        check_is_fitted(self)
        return Scorer(
            self.schema_,
            self.classes_,
            self._member,
            unknown=self.unknown,
            absent_columns=self.absent_columns,
            named=hasattr(self, "feature_names_in_"),
            n_jobs=self.n_jobs,
        )

    def decide(self, posterior: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class that `predict` chooses for each row of probabilities from `predict_proba`.

        Examples
        --------
        >>> clf = BayesNetClassifier().fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
        >>> clf.decide(np.array([[0.5, 0.5], [0.9, 0.1]])).tolist()
        ['yes', 'no']
        """
        check_is_fitted(self)
        chosen: NDArray[Any] = self.classes_[best_class(posterior, self._prior, self._costs())]
        return chosen

    def _costs(self) -> NDArray[np.float64] | None:
        if self.loss is None:
            return None
        return class_costs(self.loss, self.classes_.tolist(), type(self).__name__)

    def explain(
        self, X: TableLike, *, target: Label | None = None, against: Label | None = None
    ) -> Explanation:
        """Evidence of each feature for one class against another, in log-odds, row by row.

        Parameters
        ----------
        X : DataFrame or array
            Rows to explain.
        target, against : class labels, optional
            By default the predicted class against the most probable of the others, for each row.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> explanation = BayesNetClassifier().fit(X, y).explain(X.iloc[[100]])
        >>> bool(np.isclose(explanation.total[0], explanation.log_odds[0]))
        True
        """
        table = self.encode(X)
        return explain_rows(
            self._predictor,
            table,
            self.classes_,
            self._prior,
            costs=self._costs(),
            target=target,
            against=against,
        )

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
        check_single_network(self._predictor, "A sufficient reason")
        table, predicted = self.encode(x), self.predict(x)
        return sufficient_reason(self.network_, table, predicted, self.classes_, self._prior, self._costs())

    def _joint_model(self) -> JointModel:
        check_is_fitted(self)
        check_single_network(self._predictor, "This")
        return JointModel(self.network_, self._draw, self.classes_, self._prior, self._costs())

    def _draw(self, n: int, rng: np.random.Generator) -> Table:
        """Draw rows of the features from the network."""
        drawn = self.network_.sample_table(n, rng)
        return drawn.select(list(range(drawn.n_variables - 1)))


def default_parameters(structure: StructureLearner, dag: DAG) -> ParameterLearner:
    """Return what fills the tables of a graph for a classifier that names no parameter learner.

    Parameters
    ----------
    structure : structure learner
        That found the graph.
    dag : DAG
        The class is its last node.

    Examples
    --------
    >>> from bayleaf.learn.structure import KDB, NaiveBayes
    >>> naive = DAG(["a", "b", "class"], [("class", "a"), ("class", "b")])
    >>> default_parameters(NaiveBayes(), naive)
    TunedTables()
    >>> default_parameters(NaiveBayes(), DAG(["a", "b", "class"], [("a", "class")]))
    Shrinkage()
    """
    if getattr(structure, "functional_dependencies", False):
        return Dirichlet()  # whose tables can be made one by one, as a row's dependencies ask for them
    if getattr(structure, "learned_at_once", False) and can_tune(dag, len(dag.nodes) - 1):
        return TunedTables()
    return Shrinkage()


def stand_ins(classifier: BayesNetClassifier, used: Mapping[str, object]) -> dict[str, str]:
    """Return the learners that stood in for settings of None, as they are written.

    Examples
    --------
    >>> used = {"structure": default_structure(), "discretizer": default_discretizer()}
    >>> stand_ins(BayesNetClassifier(), used)
    {'structure': 'TAN(shrunk=True)', 'discretizer': 'AdaptiveQuantiles()'}
    >>> stand_ins(BayesNetClassifier("kdb"), used)
    {'discretizer': 'AdaptiveQuantiles()'}
    """
    return {part: written(own) for part, own in used.items() if getattr(classifier, part, None) is None}


def class_prior(network: BayesNet) -> NDArray[np.float64]:
    """Return the probability of each class before anything is known, which is also that of impossible rows.

    Examples
    --------
    >>> from bayleaf.learn.parameters import MaximumLikelihood
    >>> clf = BayesNetClassifier(parameters=MaximumLikelihood(0)).fit([["a"], ["b"], ["b"], ["b"]], [0, 1, 1, 1])
    >>> class_prior(clf.network_)
    array([0.25, 0.75])
    """
    assert network.target is not None
    if network.parents(network.target):
        return np.array(list(network.posterior(network.target).values()))
    return np.array(network.cpt(network.target))
