"""What ensembles of networks share: one schema, members that answer together, and decisions."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import TableLike
from bayleaf.classifier_base import NetworkClassifier, OfSingleNetworks
from bayleaf.data import Schema, Table
from bayleaf.estimator import BayesNetClassifier
from bayleaf.network.council import Council, Vote
from bayleaf.network.decision import best_class
from bayleaf.network.member import Member
from bayleaf.scorer import Scorer
from bayleaf.streams import SampleLearner

# Where to turn instead.
SEVERAL = (
    "it is several networks, and this is for a single one. Ask a member, as in estimators_[0].{name}; the page that "
    "report() writes shows all of them together"
)


class EnsembleClassifier(NetworkClassifier, SampleLearner):
    """Several networks over one schema that decide together, as ``vote`` says."""

    estimator: BayesNetClassifier | None
    vote: Vote
    network_ = OfSingleNetworks(SEVERAL)
    sufficient_reason = OfSingleNetworks(SEVERAL)

    def check_estimator(self) -> None:
        """Refuse anything but a classifier of one network as the model of the members."""
        if not (self.estimator is None or isinstance(self.estimator, BayesNetClassifier)):
            raise TypeError(
                f"The 'estimator' parameter of {type(self).__name__} must be a BayesNetClassifier, such as "
                f"bayleaf.BayesNetClassifier(bayleaf.TAN()). Got {self.estimator!r} instead."
            )

    @abstractmethod
    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "EnsembleClassifier":
        """Encode the rows, then learn the members."""

    def _new_encoder(self) -> BayesNetClassifier:
        """Return the classifier that reads the rows and has the settings of the members."""
        encoder: BayesNetClassifier = (
            BayesNetClassifier() if self.estimator is None else clone(self.estimator)
        )
        return encoder

    def _set_members(
        self,
        encoder: BayesNetClassifier,
        members: list[BayesNetClassifier],
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        levels: Sequence[int] | None = None,
    ) -> None:
        self._encoder = encoder
        self._prior = encoder._prior = prior
        self._set_schema(encoder.schema_, encoder.classes_, named=hasattr(encoder, "feature_names_in_"))
        self.estimators_ = members
        self.n_parameters_ = sum(model.n_parameters_ for model in members)
        self.council_ = Council(
            [Member(each._predictor, each._columns, each._prior, each._costs()) for each in members],
            self.vote,
            prior,
            weights,
            levels,
            [variable.name for variable in encoder.schema_.variables],
        )

    def inspect(self, X: TableLike, y: ArrayLike | None = None) -> Schema:
        """Return what fit would make of the columns: a schema, which prints as a table. Nothing is fitted."""
        return self._new_encoder().inspect(X, y)

    def encode(self, X: TableLike) -> Table:
        """Encode new rows by the schema that all members share: all features, without the class."""
        check_is_fitted(self)
        return self._encoder.encode(X)

    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Probability of each class for each row, as the members have it together."""
        table = self.encode(X)
        return self.council_.score_table(table, self._encoder.n_jobs)

    def scorer(self) -> Scorer:
        """Return a light callable that gives class probabilities of single rows and tables, for services."""
        check_is_fitted(self)
        return Scorer(
            self.schema_,
            self.classes_,
            self.council_,
            unknown=self._encoder.unknown,
            absent_columns=self._encoder.absent_columns,
            named=hasattr(self, "feature_names_in_"),
            n_jobs=self._encoder.n_jobs,
        )

    def decide(self, posterior: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class that `predict` chooses for each row of probabilities from `predict_proba`.

        Of equals it is the one more frequent in fit, then the first. Members take a ``loss`` into account before they
        vote; averaged probabilities are decided upon by it here.
        """
        check_is_fitted(self)
        if self.vote != "majority":
            return self._encoder.decide(posterior)
        chosen: NDArray[Any] = self.classes_[best_class(posterior, self._prior)]
        return chosen


def class_shares(table: Table, classes: int) -> NDArray[np.float64]:
    """Return the share of each class in the weight of the training rows."""
    weights = np.bincount(table.codes[:, -1], table.weights, minlength=classes)
    shares: NDArray[np.float64] = weights / table.total_weight
    return shares
