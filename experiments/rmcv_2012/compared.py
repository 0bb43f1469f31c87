"""The classifiers of the paper under the names of its tables."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl

STARTS = ("NBC", "empty")
VARIANTS = tuple(f"{name} ({start})" for start in STARTS for name in ("RMCV", "RMHO", "RMHO-f", "RMHO-ar"))
NETWORKS = (
    "RMCV (NBC)",
    "MDL (NBC)",
    "MDL (empty)",
    "K2 (NBC)",
    "K2 (empty)",
    "BNC-MDL",
    "BNC-2P",
    "TAN",
    "NBC",
)
OTHERS = ("CT", "NN", "SVM (linear)", "SVM (polynomial)", "SVM (Gaussian)")


class Cells(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The values as bayleaf's classifiers see them: categories and intervals, as numbers."""

    def fit(self, X: Any, y: Any) -> "Cells":
        """Learn categories and cut points from the training rows."""
        self.encoder_ = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, y)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows."""
        return np.asarray(self.encoder_.encode(X).codes)


def networks(names: tuple[str, ...]) -> dict[str, Any]:
    """Bayesian network classifiers; all have maximum-likelihood parameters."""
    built = {}
    for name in names:
        clf = bl.classifier(name.replace(" (", "("))
        built[name] = clf.set_params(parameters=bl.MaximumLikelihood(), n_jobs=1)
    return built


def others() -> dict[str, Any]:
    """Scikit-learn's classifiers on the same intervals and categories, one-hot."""

    def on_cells(model: Any) -> Any:
        return make_pipeline(Cells(), OneHotEncoder(handle_unknown="ignore"), model)

    pruned = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03]}, cv=3
    )
    return {
        "CT": on_cells(pruned),
        "NN": on_cells(MLPClassifier((20,), max_iter=500, early_stopping=False, random_state=0)),
        "SVM (linear)": on_cells(SVC(kernel="linear")),
        "SVM (polynomial)": on_cells(SVC(kernel="poly")),
        "SVM (Gaussian)": on_cells(SVC(kernel="rbf")),
    }
