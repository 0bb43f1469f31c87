"""Ensembles of Bayesian network classifiers, by scikit-learn's bagging."""

from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._util.params import check_param
from .classifier import BayesNetClassifier
from .network.decision import most_probable
from .table import Table
from .table.table import empty_codes


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
        check_param(self, "vote", self.vote, str, options=("majority", "average"))
        encoder = BayesNetClassifier() if self.estimator is None else clone(self.estimator)
        table = encoder.learn_table(X, y, sample_weight)
        self._encoder = encoder
        self.classes_ = encoder.classes_
        self.n_features_in_ = encoder.n_features_in_
        if hasattr(encoder, "feature_names_in_"):
            self.feature_names_in_ = encoder.feature_names_in_
        self._bagging = BaggingClassifier(
            _Member(encoder, self.vote),
            n_estimators=self.n_estimators,
            max_samples=self.max_samples,
            bootstrap=self.bootstrap,
            random_state=self.random_state,
        )
        labels = table.codes[:, -1].astype(np.int64)
        self._bagging.fit(table.codes[:, :-1], labels, sample_weight=table.weights)
        self.estimators_ = [member.model_ for member in self._bagging.estimators_]
        self.n_parameters_ = sum(model.n_parameters_ for model in self.estimators_)
        self._prior = np.bincount(labels, table.weights, minlength=len(self.classes_)) / table.total_weight
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of votes, or mean of the members' probabilities, of each class for each row."""
        check_is_fitted(self)
        probabilities: NDArray[np.float64] = self._bagging.predict_proba(self._encoder.encode(X).codes)
        return probabilities

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes; of equals, the one more frequent in fit, then the first."""
        votes = self.predict_proba(X)
        chosen: NDArray[Any] = self.classes_[most_probable(votes, self._prior)]
        return chosen


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

    def predict(self, codes: Any) -> NDArray[np.int64]:
        """Return the code of the most probable class."""
        return most_probable(self.model_.predict_proba(self._table(codes)), self.model_._prior)

    @available_if(lambda member: member.vote == "average")  # type: ignore[untyped-decorator]
    def predict_proba(self, codes: Any) -> NDArray[np.float64]:
        """Posterior of each class; members that only vote do not have it, which is what makes bagging count votes."""
        return self.model_.predict_proba(self._table(codes))

    def _table(self, codes: Any) -> Table:
        return Table(self.encoder.schema_.features, np.asfortranarray(codes), n_jobs=self.encoder.n_jobs)


__all__ = ["BaggedClassifier"]
