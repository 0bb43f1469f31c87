"""Bagging: networks of samples of the rows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from bayleaf._util.kinds import TableLike
from bayleaf._util.params import check_param
from bayleaf._util.warning import warn
from bayleaf._util.words import counted
from bayleaf.classifier_base import OfSingleNetworks
from bayleaf.data import Table
from bayleaf.data.table import OwnCodes
from bayleaf.estimator import BayesNetClassifier
from bayleaf.record import TrainingRecord
from bayleaf.tuning.tuned_tables import TuningLearner

from .ensemble_base import SEVERAL, EnsembleClassifier, class_shares

# Seeds are drawn below this number, as scikit-learn's ensembles draw theirs.
MOST_SEEDS = np.iinfo(np.int32).max
# A member that learns from fewer rows is hardly meant.
FEW_ROWS = 5


class BaggedClassifier(EnsembleClassifier):
    """Several networks, each learned from its own random sample of the rows, that decide together.

    Rows are drawn as scikit-learn's ``BaggingClassifier`` draws them. The columns are encoded first, once and from
    all training rows: so DataFrames with strings and missing values work, all members know the same categories and
    intervals, and only codes are resampled.

    Parameters
    ----------
    estimator : BayesNetClassifier, optional
        What the members are; ``BayesNetClassifier()`` by default.
    n_estimators : int, default=10
        How many members.
    vote : {"average", "majority"}, default="average"
        The members' probabilities are averaged; or each member has one vote, and probabilities are shares of votes.
    max_samples : int or float, optional
        Rows of each sample, as a number or as a share of the rows (of their weight, where they have weights); as many
        as there are rows by default.
    bootstrap : bool, default=True
        Whether a row may be in one sample several times.
    random_state : int or RandomState, optional

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    estimators_ : list of BayesNetClassifier
        The fitted members.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    n_parameters_ : int
        Free parameters of all members together.
    training_ : TrainingRecord
        What fit saw: rows, classes, missing values.

    References
    ----------
    S. Ma and H. Shi. Tree-augmented naive Bayes ensembles. Machine Learning and Cybernetics, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> rtan = BaggedClassifier(random_state=0).fit(X, y)
    >>> round(rtan.score(X, y), 2), len(rtan.estimators_)
    (0.97, 10)
    """

    explain = OfSingleNetworks(SEVERAL)

    def __init__(
        self,
        estimator: BayesNetClassifier | None = None,
        n_estimators: int = 10,
        vote: Literal["majority", "average"] = "average",
        *,
        max_samples: float | None = None,
        bootstrap: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.random_state = random_state

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "n_estimators", self.n_estimators, int, low=1)
        check_param(self, "vote", self.vote, str, options=("majority", "average"))
        share = isinstance(self.max_samples, float | np.floating)
        if share:
            check_param(self, "max_samples", self.max_samples, float, low=0, high=1, low_open=True)
        else:
            check_param(self, "max_samples", self.max_samples, int, low=1, allow_none=True)
        check_param(self, "bootstrap", self.bootstrap, bool)
        check_param(
            self, "random_state", self.random_state, (int, np.random.RandomState), low=0, allow_none=True
        )
        self.check_estimator()

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "BaggedClassifier":
        """Encode the rows, then learn each member from a sample of them.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Rows are drawn in proportion to it.
        """
        self.check_params()
        encoder = self._new_encoder()
        table = encoder.learn_table(X, y, sample_weight)
        rows_alone = table.without_weights()
        members = [
            _member(encoder, seed).fit_table(_sampled(rows_alone, rows, encoder.parameters))
            for seed, rows in self._samples(table)
        ]
        self._set_members(encoder, members, class_shares(table, len(encoder.classes_)))
        stood_in = members[0].training_.defaults
        self.training_ = TrainingRecord.of_ensemble(table, self.published_method, stood_in)
        self._keep_seen(encoder)
        self._warn_if_nothing_learned()
        return self

    def _samples(self, table: Table) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield a seed for each member, and the rows it learns from, ascending."""
        size = self._sample_size(table)
        seeds = check_random_state(self.random_state).randint(MOST_SEEDS, size=self.n_estimators)
        for seed in seeds.tolist():
            rng = np.random.RandomState(seed)
            if table.weights is not None:
                share = table.weights / table.weights.sum()
                rows = rng.choice(table.n_rows, size, replace=self.bootstrap, p=share)
            elif self.bootstrap:
                rows = rng.randint(0, table.n_rows, size)
            else:
                rows = sample_without_replacement(table.n_rows, size, random_state=rng)
            yield seed, np.sort(rows)

    def _sample_size(self, table: Table) -> int:
        if self.max_samples is None:
            return table.n_rows
        share = isinstance(self.max_samples, float | np.floating)
        size = max(int(self.max_samples * table.total_weight), 1) if share else int(self.max_samples)
        if size > table.n_rows and not self.bootstrap:
            raise ValueError(
                f"Samples of {size:,} rows cannot be drawn from {table.n_rows:,} rows without drawing a row twice: "
                "use a smaller max_samples, or bootstrap=True."
            )
        if size < FEW_ROWS <= table.n_rows:
            warn(
                f"Each member learns from {counted(size, 'row')} of {table.n_rows:,}: max_samples is a share of the "
                "sum of the weights. Use a larger max_samples, or weights with a larger sum."
            )
        if table.weights is not None and not self.bootstrap:
            warn(
                "Rows are drawn by their weights without drawing a row twice: bootstrap=True suits weights better."
            )
        return size


def _sampled(table: Table, rows: NDArray[np.int64], parameters: Any) -> Table:
    """Return a sample, with copies of a row as its weight where they must not be divided.

    Tables that are tuned hold out rows: of two copies of a row one would say what the other is.
    """
    if parameters is None or isinstance(parameters, TuningLearner):
        distinct, times = np.unique(rows, return_counts=True)
        if len(distinct) < len(rows):
            part = table.take(distinct)
            return replace(part, weights=times.astype(np.float64), own=OwnCodes(part.has_missing))
    return table.take(rows)


def _member(encoder: BayesNetClassifier, seed: int) -> BayesNetClassifier:
    """Return a classifier with the encoder's settings and schema, and random states of its own."""
    member: BayesNetClassifier = clone(encoder)
    names = [name for name in sorted(member.get_params()) if name.split("__")[-1] == "random_state"]
    rng = np.random.RandomState(seed)
    member.set_params(**{name: rng.randint(MOST_SEEDS) for name in names})
    member._set_schema(encoder.schema_, encoder.classes_, named=hasattr(encoder, "feature_names_in_"))
    return member
