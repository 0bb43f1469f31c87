"""The pool as a classifier: many networks, added up by what they predict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import ClassWeight, Loss, Seed, TableLike
from bayleaf._util.params import declared, generator, one_thread, seeding, unchanged_on_failure, whole
from bayleaf._util.progress import Steps
from bayleaf.data import Table, TableReader
from bayleaf.data.columns import check_rows
from bayleaf.explain.evidence import Weighing
from bayleaf.learn.tuning.held_out import OutOfSample
from bayleaf.pool.grids import FineGrid, FloatArray, PoolReader, PoolRows
from bayleaf.pool.mixture import FEWEST_ROWS, ScoreMixture, cross_validated, mixture_of
from bayleaf.pool.pool_learning import MOST_TUNED, learn, learn_naive, n_steps

from .base import READING, NetworkClassifier, OfSingleNetworks
from .record import TrainingRecord

# Seeds on few rows: this number of rows divided by those there are, up to a maximum.
SEED_ROWS = 4000
MOST_SEEDS = 5
# Up to this number of rows the figures of `out_of_sample_` come from cross-validation, if there are at least as many
# seeds as folds: then it takes no more than twice the time.
CROSS_VALIDATED_ROWS = 400
CROSS_VALIDATION_FOLDS = 5
# Rows on which the mean evidence of each feature is measured, and most numbers of them all.
WEIGHED_ROWS = 500
MOST_WEIGHED = 5_000_000
# What it has instead of a network.
NO_INTERVALS = (
    "it is many networks in one score, which keeps no counts of rows. For intervals fit a single network, "
    "BayesNetClassifier()"
)
ONE_SCORE = "it is many networks in one score; explain shows what each feature adds to it"


def _spread_out(table: Table) -> Table:
    """Return some training rows without their class, from the whole table."""
    rows = min(WEIGHED_ROWS, MOST_WEIGHED // (table.n_variables * int(table.arities[-1])) + 1)
    chosen = np.unique(np.linspace(0, table.n_rows - 1, rows).astype(np.int64))
    return table.take(chosen).select(table.features)


class NetworkPool(NetworkClassifier):
    """Many Bayesian networks in one score: the most accurate probabilities that bayleaf has.

    1. Members: naive Bayes; networks of one, two and three parents on several grids of intervals, with tables that
       back off (`Shrinkage`); Gaussian networks of the numbers; naive Bayes tuned from a flat start, which is
       penalised logistic regression; and tables of the class over a few features each, picked at random, as in
       extremely randomised trees (with more than 1,000 rows these come last, and only if they improve held-out
       rows). Members are scored on rows of other folds.
    2. Their log-probabilities are added up, with a weight for each member and one for each feature, fitted to
       out-of-sample predictions.
    3. Then tables of corrections are added: of single features, of pairs and of triples, chosen by what held-out
       rows still get wrong; each only as far as it improves held-out rows.
    4. All of it is one sum: a number from a table for each feature and for some sets of features, and quadratic forms
       of the numbers, so `explain` can report each feature's contribution.

    On few rows the probabilities of several seeds are averaged. A little of the class frequencies is mixed in;
    held-out rows decide how much. If a row has gaps in columns that had hardly any in training, or more gaps than
    any training row, only its networks score it.

    Parameters
    ----------
    cycles : int, default=3
        How often networks of one, two and three parents are learned; from the second time on with shifted intervals
        and some parents withheld at random.
    seeds : int, optional
        How many times everything is learned, with different folds and seeds. By default 4,000 divided by the
        number of rows, between 1 and 5.
    categorical_features, column_types, identifiers, missing, missing_values, unknown, absent_columns, min_frequency
    max_categories
        How columns are read, as in `BayesNetClassifier`. Missing values without a state of their own are no
        evidence; a row that has some may be scored by the networks only. Where many values of a column occur in one
        row only and neither ``min_frequency`` nor ``max_categories`` is given, such a row is learned as one with a
        value that fit has not seen: both have the state ``(other)``.
    classes, class_weight, loss
        As in `BayesNetClassifier`.
    random_state : int, RandomState or Generator, default=0
    n_jobs : int, optional
        Threads; all cores by default. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    schema_ : Schema
        The variables: names, categories, fine cut points.
    mixture_ : ScoreMixture
        The scores, and what they are mixed with.
    n_parameters_ : int
        Numbers in all tables and forms together.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    mean_evidence_ : ndarray of shape (n_features,)
        How large the evidence of each feature of the schema for or against the predicted class is (`explain`): the
        mean over at most 500 training rows, in log-odds.
    training_ : TrainingRecord
        Record of the training data: rows, classes, missing values; and the quality of the pool on held-out training
        rows (``training_.out_of_sample``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> pool = NetworkPool().fit(X, y)
    >>> bool(pool.score(X, y) > 0.97)
    True
    """

    network_ = OfSingleNetworks(ONE_SCORE)
    sufficient_reason = OfSingleNetworks(ONE_SCORE)
    predict_interval = OfSingleNetworks(NO_INTERVALS)
    settings = declared(
        cycles=whole(low=0), seeds=whole(low=1, or_none=True), random_state=seeding, **READING
    )

    def __init__(
        self,
        cycles: int = 3,
        seeds: int | None = None,
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
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.cycles = cycles
        self.seeds = seeds
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
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _settings(self) -> "NetworkPool":
        return self

    def _new_reader(self) -> TableReader:
        return PoolReader.of(self, discretizer=FineGrid())

    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> "NetworkPool":
        """Learn the pool.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels. Rows without one (None, NaN) are left out, and a warning counts them.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two counts like two equal rows in tables and sums, a weight of zero like no row. Where rows
            are dealt out to folds, a row of weight two stays in one fold, and two equal rows need not.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together: visits of one patient, say. Rows that tuning holds out are then of groups that
            it has not learned from, as new rows will be.
        """
        self.check_params()
        with unchanged_on_failure(self):
            reader = self._new_reader()
            X = check_rows(X)  # some tables can be read only once
            table = reader.learn(self, X, y, sample_weight, groups=groups)
            self._use(reader)
            self._costs()  # says what is wrong with the loss before any time is spent
            keys = self.feature_names_in_.tolist() if reader.named else range(self.n_features_in_)
            found = reader.discretizer.centres
            rows = PoolRows.of(table, {j: found[key] for j, key in enumerate(keys) if key in found})
            mixture, held_out = self._learn(rows)
            self._set_mixture(mixture, mixture.mean_evidence(_spread_out(table)))
            record = TrainingRecord.of_ensemble(table, self.published_method)
            self.training_ = replace(record, out_of_sample=held_out)
            self._remember(table, X, y, sample_weight)
        self._warn_if_nothing_learned()
        return self

    def _learn(self, rows: PoolRows) -> tuple[ScoreMixture, OutOfSample | None]:
        weights = rows.class_weights
        prior = weights / weights.sum()
        if rows.n_rows < FEWEST_ROWS or rows.classes < 2 or rows.n_columns == 0:
            told = rows.n_columns > 0  # without a column only the class frequencies are known
            caution = 1.0 / (weights.sum() + 2.0) if told else 1.0
            return ScoreMixture([learn_naive(rows)], caution, prior), None
        count, folds = self._n_seeds(rows.n_rows), self.judging_folds(rows.n_rows)
        first = int(generator(self.random_state).integers(2**31))
        if rows.n_rows > MOST_TUNED:  # files are often sorted
            rows = rows.take(np.random.default_rng(first).permutation(rows.n_rows))
        runs = (count + folds) * n_steps(self.cycles)
        with one_thread(), Steps("Learning a pool", runs, patience=1.0) as steps:
            learned = [
                learn(rows, self.cycles, first + seed, steps.advance, with_networks=seed == 0)
                for seed in range(count)
            ]
            mixture = mixture_of(learned, rows, prior)
            if folds:
                chances = cross_validated(rows, prior, folds, self.cycles, first, steps.advance)
            else:
                chances = mixture.mixed([np.exp(each.unseen) for each in learned])
        judged = rows.take(slice(len(chances)))
        return mixture, OutOfSample.of(chances, judged.target, prior, judged.weights, self._costs())

    def _n_seeds(self, rows: int) -> int:
        return min(max(round(SEED_ROWS / rows), 1), MOST_SEEDS) if self.seeds is None else self.seeds

    def judging_folds(self, rows: int) -> int:
        """Return in how many folds `out_of_sample_` is cross-validated; 0 where the fit's own held-out rows judge.

        Examples
        --------
        >>> NetworkPool().judging_folds(150), NetworkPool(seeds=1).judging_folds(150)
        (5, 0)
        """
        return (
            CROSS_VALIDATION_FOLDS
            if rows <= CROSS_VALIDATED_ROWS and self._n_seeds(rows) >= CROSS_VALIDATION_FOLDS
            else 0
        )

    def _set_mixture(self, mixture: ScoreMixture, evidence: FloatArray) -> None:
        self.mixture_ = mixture
        self.mean_evidence_ = evidence
        self.n_parameters_ = mixture.n_numbers

    def _answering(self) -> ScoreMixture:
        check_is_fitted(self, "mixture_")
        return self.mixture_

    @property
    def out_of_sample_(self) -> OutOfSample | None:
        """How good the pool is on training rows, each judged by what was learned without it; None below 10 rows.

        Up to 400 rows, with at least five seeds (the default there), by five-fold cross-validation of one seed.
        Otherwise steps and strengths are chosen by the rows that judge them: the figures may be slightly optimistic.
        """
        return super().out_of_sample_

    def has_evidence(self) -> bool:
        """Whether any feature is informative about the class."""
        check_is_fitted(self)
        return any(score.has_evidence() for score in self.mixture_.scores)

    def _weighing(self, table: Table) -> Weighing:
        return self.mixture_.score_table(table, self.n_jobs), lambda pair: self.mixture_.weigh(table, pair)

    def _told_by_features(self) -> NDArray[np.float64]:
        """Return how large the evidence of each feature is on average."""
        return self.mean_evidence_
