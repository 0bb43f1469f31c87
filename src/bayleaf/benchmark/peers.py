"""Classifiers of scikit-learn that see what a Bayesian network classifier sees, to compare with."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.params import check_param
from bayleaf.classify import NetworkPool
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import Table
from bayleaf.data.categories import without_identifiers
from bayleaf.data.columns import read_columns
from bayleaf.data.raw_columns import NumberColumn
from bayleaf.learn.parameters import Laplace
from bayleaf.learn.structure import NaiveBayes


class Peer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of scikit-learn on the columns as bayleaf reads them: categories, intervals, missing values.

    Every category becomes a column of zeros and ones; a missing value has zeros in all of its own. So methods can be
    compared that differ in how they learn and not in how the table was prepared.

    Parameters
    ----------
    estimator : classifier
        Takes sparse matrices.
    numbers : {"intervals", "values"}, default="intervals"
        Numbers as the intervals that the discretiser finds, each a category; or as they are, standardised, their
        missing values as the mean.
    discretizer, missing, column_types
        As for `BayesNetClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> round(Peer(LogisticRegression()).fit(X, y).score(X, y), 2)
    0.98
    """

    def __init__(
        self,
        estimator: Any,
        *,
        numbers: Literal["intervals", "values"] = "intervals",
        discretizer: Any = None,
        missing: Any = "auto",
        column_types: Any = None,
    ) -> None:
        self.estimator = estimator
        self.numbers = numbers
        self.discretizer = discretizer
        self.missing = missing
        self.column_types = column_types

    def fit(self, X: Any, y: Any) -> Self:
        """Read the table, then fit the estimator."""
        check_param("Peer", "numbers", self.numbers, str, options=("intervals", "values"))
        reader = BayesNetClassifier(
            NaiveBayes(),
            Laplace(),
            discretizer=self.discretizer,
            missing=self.missing,
            column_types=self.column_types,
        )
        self.reader_ = reader.fit(X, y)
        numeric = [variable.name for variable in reader.encode(X).variables if variable.kind == "numeric"]
        self._scales: dict[str, tuple[float, float]] = {}
        if self.numbers == "values":
            self._scales = {name: _scale(values) for name, values in self._values(X, set(numeric)).items()}
        self.estimator_ = clone(self.estimator).fit(self._matrix(X), y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class."""
        check_is_fitted(self)
        chances: NDArray[np.float64] = self.estimator_.predict_proba(self._matrix(X))
        return chances

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        decided: NDArray[Any] = self.estimator_.predict(self._matrix(X))
        return decided

    def _values(self, X: Any, names: set[str]) -> dict[str, NDArray[np.float64]]:
        return {
            column.name: column.values.astype(np.float64)
            for column in read_columns(X)
            if column.name in names and isinstance(column, NumberColumn)
        }

    def _matrix(self, X: Any) -> csr_matrix:
        table = without_identifiers(self.reader_.encode(X))
        categories = [j for j, name in enumerate(table.names) if name not in self._scales]
        parts = [_indicators(table.select(categories))] if categories else []
        if self._scales:
            values = self._values(X, set(self._scales))
            columns = [(values[name] - mean) / scale for name, (mean, scale) in self._scales.items()]
            parts.append(csr_matrix(np.nan_to_num(np.column_stack(columns))))
        return hstack(parts).tocsr()


def _scale(values: NDArray[np.float64]) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    return float(known.mean()), float(known.std()) or 1.0


def _indicators(table: Table) -> csr_matrix:
    """Return a column of zeros and ones for every state of every variable."""
    codes = table.codes.astype(np.int64)
    starts = np.concatenate([[0], np.cumsum([variable.arity for variable in table.variables])])
    rows, columns = np.nonzero(table.codes != table.missing_code)
    places = starts[columns] + codes[rows, columns]
    return csr_matrix((np.ones(len(rows)), (rows, places)), shape=(table.n_rows, int(starts[-1])))


def peer(name: str, **settings: Any) -> Peer | NetworkPool:
    """Build a peer by its name: "logistic" (regression), "forest" (random forest of 300 trees) or "pool".

    The pool (`bayleaf.NetworkPool`) reads columns itself: of the settings it takes ``missing``.

    Examples
    --------
    >>> peer("forest", numbers="values").numbers
    'values'
    >>> peer("pool", missing="available")
    NetworkPool(missing='available')
    """
    if name not in PEERS:
        raise ValueError(f"There is no peer '{name}'; there are {', '.join(PEERS)}.")
    estimator = clone(PEERS[name])
    if isinstance(estimator, NetworkPool):
        estimator.set_params(missing=settings.get("missing", "auto"))
        return estimator
    return Peer(estimator, **settings)


PEERS: dict[str, Any] = {
    "logistic": LogisticRegression(max_iter=2000),
    "forest": RandomForestClassifier(n_estimators=300),
    "pool": NetworkPool(),
}
"""Classifiers by the names that `peer` knows."""
