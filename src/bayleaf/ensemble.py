"""Ensembles of Bayesian network classifiers, by scikit-learn's bagging."""

import os
from copy import copy
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._upward import with_cross_validation, write_report
from ._util.params import check_param
from .data import Table
from .data.table import empty_codes
from .estimator import BayesNetClassifier
from .modelfile.persistence import (
    predictor_from_dict,
    predictor_to_dict,
    read_model,
    schema_from_dict,
    schema_to_dict,
    settings_from_dict,
    settings_to_dict,
    write_model,
)
from .modelfile.record import Quality, TrainingRecord
from .network import BayesNet, InstanceNetwork
from .network.decision import best_class


class _OfSingleNetworks:
    """What one network has and several do not: asking for it says where to turn instead."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise AttributeError(
            f"{owner.__name__} has no '{self.name}': it is several networks, and this is for a single one. Ask a "
            f"member, as in estimators_[0].{self.name}; the page that report() writes shows all of them together."
        )


class BaggedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Several networks, each learned from its own random sample of the rows, that decide together.

    The resampling and the vote are those of scikit-learn's ``BaggingClassifier``. The columns are encoded first, once
    and from all training rows: so DataFrames with strings and missing values work, all members know the same
    categories and intervals, and only codes are resampled.

    Parameters
    ----------
    estimator : BayesNetClassifier, optional
        What the members are; TAN by default.
    n_estimators : int, default=10
        How many members.
    vote : {"majority", "average"}, default="majority"
        Each member has one vote, and probabilities are shares of votes; or the members' probabilities are averaged.
    max_samples : int or float, optional
        Rows of each sample, as a number or a share; as many as there are rows by default.
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

    network_ = _OfSingleNetworks()
    explain = _OfSingleNetworks()
    sufficient_reason = _OfSingleNetworks()

    def __init__(
        self,
        estimator: BayesNetClassifier | None = None,
        n_estimators: int = 10,
        vote: Literal["majority", "average"] = "majority",
        *,
        max_samples: float | None = None,
        bootstrap: bool = True,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = BayesNetClassifier().__sklearn_tags__().input_tags
        return tags

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "vote", self.vote, str, options=("majority", "average"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "BaggedClassifier":
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
        encoder = BayesNetClassifier() if self.estimator is None else clone(self.estimator)
        table = encoder.learn_table(X, y, sample_weight)
        self._bagging = self._new_bagging(encoder)
        labels = table.codes[:, -1].astype(np.int64)
        self._bagging.fit(table.codes[:, :-1], labels, sample_weight=table.weights)
        prior = np.bincount(labels, table.weights, minlength=len(encoder.classes_)) / table.total_weight
        encoder.training_ = TrainingRecord.of_ensemble(table)
        self._set_members(encoder, prior)
        return self

    def _new_bagging(self, encoder: BayesNetClassifier) -> BaggingClassifier:
        return BaggingClassifier(
            _Member(encoder, self.vote),
            n_estimators=self.n_estimators,
            max_samples=self.max_samples,
            bootstrap=self.bootstrap,
            random_state=self.random_state,
        )

    def _set_members(self, encoder: BayesNetClassifier, prior: NDArray[np.float64]) -> None:
        self._encoder = encoder
        self._prior = encoder._prior = prior
        self.schema_ = encoder.schema_
        self.classes_ = encoder.classes_
        self.n_features_in_ = encoder.n_features_in_
        if hasattr(encoder, "feature_names_in_"):
            self.feature_names_in_ = encoder.feature_names_in_
        self.estimators_ = [member.model_ for member in self._bagging.estimators_]
        self.n_parameters_ = sum(model.n_parameters_ for model in self.estimators_)
        if hasattr(encoder, "training_"):
            self.training_ = encoder.training_

    def encode(self, X: Any) -> Table:
        """Encode new rows by the schema that all members share: all features, without the class."""
        check_is_fitted(self)
        return self._encoder.encode(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of votes, or mean of the members' probabilities, of each class for each row."""
        codes = self.encode(X).codes
        probabilities: NDArray[np.float64] = self._bagging.predict_proba(codes)
        return probabilities

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes; of equals, the one more frequent in fit, then the first."""
        return self.decide(self.predict_proba(X))

    def decide(self, posterior: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class that `predict` chooses for each row of probabilities from `predict_proba`.

        A ``loss`` of the members is theirs to reckon with before they vote; averaged probabilities are decided upon
        by it.
        """
        check_is_fitted(self)
        if self.vote == "average":
            return self._encoder.decide(posterior)
        chosen: NDArray[Any] = self.classes_[best_class(posterior, self._prior)]
        return chosen

    def cross_validate(self, X: Any, y: Any, cv: int = 10, *, n_jobs: int | None = None) -> Quality:
        """Judge the ensemble by cross-validation on its training rows, and keep the result with it.

        As `BayesNetClassifier.cross_validate`.
        """
        self.training_ = with_cross_validation(self, X, y, cv, n_jobs)
        assert self.training_.cross_validated is not None
        return self.training_.cross_validated

    def report(
        self, X: Any = None, y: Any = None, path: Any = "report.html", *, cv: int | None = None
    ) -> None:
        """Write the model page, as `BayesNetClassifier.report`: every member, and what they say together."""
        write_report(self, path, X, y, cv)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted ensemble to a model file: JSON, readable, safe to load (see `bayleaf.load`).

        A name that ends in ``.gz`` packs it.
        """
        check_is_fitted(self)
        members = [predictor_to_dict(model.network_, model._predictor) for model in self.estimators_]
        settings = {name: value for name, value in settings_to_dict(self).items() if name != "estimator"}
        ensemble = {"settings": settings, "prior": self._prior.tolist(), "members": members}
        record = self.training_.to_dict() if hasattr(self, "training_") else None
        write_model({**schema_to_dict(self._encoder), "training": record, "ensemble": ensemble}, path)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "BaggedClassifier":
        """Rebuild a fitted ensemble from plain data."""
        part = data["ensemble"]
        encoder = schema_from_dict(data, BayesNetClassifier)
        encoder._columns = list(range(encoder.n_features_in_))
        record = encoder.__dict__.pop("training_", None)  # of the ensemble, not of its members
        ensemble = cls(estimator=clone(encoder), **settings_from_dict(part["settings"], cls))
        members = [_Member(encoder, ensemble.vote) for _ in part["members"]]
        for member, item in zip(members, part["members"], strict=True):
            member.set_model(copy(encoder), *predictor_from_dict(item, encoder))
        # What scikit-learn's bagging would know after fit.
        bagging = ensemble._bagging = ensemble._new_bagging(encoder)
        bagging.estimators_ = members
        bagging.estimators_features_ = [np.arange(encoder.n_features_in_)] * len(members)
        bagging.n_features_in_ = encoder.n_features_in_
        bagging.classes_ = np.arange(len(encoder.classes_))
        bagging.n_classes_ = len(encoder.classes_)
        if record is not None:
            encoder.training_ = record
        ensemble._set_members(encoder, np.array(part["prior"]))
        return ensemble


def load(path: str | os.PathLike[str]) -> BayesNetClassifier | BaggedClassifier:
    """Read a model file: a fitted classifier again, with identical probabilities on raw data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = BayesNetClassifier().fit(X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.bayleaf.json"
    >>> clf.save(path)
    >>> bool((load(path).predict_proba(X) == clf.predict_proba(X)).all())
    True
    """

    def rebuild(data: dict[str, Any]) -> BayesNetClassifier | BaggedClassifier:
        return (BaggedClassifier if "ensemble" in data else BayesNetClassifier).from_dict(data)

    return read_model(path, rebuild)


class _Member(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One network of the ensemble, for rows that the ensemble has encoded."""

    def __init__(self, encoder: BayesNetClassifier, vote: str) -> None:
        self.encoder = encoder
        self.vote = vote

    def __sklearn_clone__(self) -> "_Member":
        # A plain clone would forget the schema.
        return _Member(copy(self.encoder), self.vote)

    def fit(self, codes: Any, y: NDArray[np.int64], sample_weight: NDArray[np.int64]) -> "_Member":
        """Learn from a sample: ``sample_weight`` says how often each row was drawn."""
        rows = np.repeat(np.arange(len(y)), sample_weight)
        variables = self.encoder.schema_.variables
        packed = empty_codes(len(rows), variables)
        packed[:, :-1] = codes[rows]
        packed[:, -1] = y[rows]
        table = Table(variables, packed, None, len(variables) - 1, self.encoder.n_jobs)
        self.model_ = copy(self.encoder).fit_table(table)
        self.classes_ = np.arange(len(self.model_.classes_))
        return self

    def set_model(
        self, model: BayesNetClassifier, network: BayesNet, predictor: InstanceNetwork | None
    ) -> None:
        """Take a network that was learned before."""
        model._set_network(network, predictor)
        self.model_ = model
        self.classes_ = np.arange(len(model.classes_))

    def predict(self, codes: Any) -> NDArray[np.int64]:
        """Return the code of the class that this member votes for."""
        chosen: NDArray[np.int64] = np.searchsorted(
            self.model_.classes_, self.model_.predict(self._table(codes))
        )
        return chosen

    @available_if(lambda member: member.vote == "average")  # type: ignore[untyped-decorator]
    def predict_proba(self, codes: Any) -> NDArray[np.float64]:
        """Posterior of each class; members that only vote do not have it, which is what makes bagging count votes."""
        return self.model_.predict_proba(self._table(codes))

    def _table(self, codes: Any) -> Table:
        return Table(self.encoder.schema_.features, np.asfortranarray(codes), n_jobs=self.encoder.n_jobs)
