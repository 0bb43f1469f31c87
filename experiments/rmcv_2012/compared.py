"""The classifiers of the paper under the names of its tables."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
import datafolder

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
ONE_HOT = tuple(f"{name}, one-hot" for name in ("CT", "NN", "SVM (linear)", "SVM (Gaussian)"))


class Cells(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The values as bayleaf's classifiers see them: categories and intervals, as numbers."""

    def fit(self, X: Any, y: Any) -> "Cells":
        """Learn categories and cut points from the training rows."""
        self.encoder_ = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet(), **datafolder.BY_MDLP).fit(X, y)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows."""
        return np.asarray(self.encoder_.encode(X).codes)


def networks(names: tuple[str, ...]) -> dict[str, Any]:
    """Bayesian network classifiers; all have maximum-likelihood parameters."""
    built = {}
    for name in names:
        clf = bl.classifier(name.replace(" (", "("))
        built[name] = clf.set_params(parameters=bl.MaximumLikelihood(), n_jobs=1, **datafolder.AS_PUBLISHED)
    return built


def with_zeros() -> dict[str, Any]:
    """Networks in which a zero stays nearly one (1e-20), in the scores of risk minimisation and in the tables.

    A value that was not seen then rules a class out, while classes that are all ruled out can still be compared.
    """
    zeros = bl.MaximumLikelihood(1e-20)
    built = networks(("RMCV (NBC)", "RMHO-f (NBC)", "K2 (NBC)", "BNC-2P", "TAN", "NBC"))
    for name, clf in built.items():
        clf.set_params(parameters=zeros)
        if name.startswith("RM"):
            clf.set_params(structure__score__parameters=zeros)
    return built


def others() -> dict[str, Any]:
    """Scikit-learn's classifiers on the same intervals and categories.

    Under the names of the paper they see every feature as one number, its state scaled to [0, 1], and SVMs have
    LIBSVM's settings: with these the SVMs and the tree come near the paper's figures (checks.py). A category is not
    a number, so that most also run on one-hot features.
    """

    def models() -> dict[str, Any]:
        return {
            "CT": GridSearchCV(
                DecisionTreeClassifier(random_state=0), {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03]}, cv=3
            ),
            "NN": MLPClassifier((20,), solver="lbfgs", max_iter=500, random_state=0),
            "SVM (linear)": SVC(kernel="linear"),
            "SVM (polynomial)": SVC(kernel="poly", gamma="auto"),
            "SVM (Gaussian)": SVC(kernel="rbf", gamma="auto"),
        }

    numbers = {name: make_pipeline(Cells(), MinMaxScaler(), model) for name, model in models().items()}
    indicators = {
        f"{name}, one-hot": make_pipeline(Cells(), OneHotEncoder(handle_unknown="ignore"), model)
        for name, model in models().items()
    }
    return numbers | {name: indicators[name] for name in ONE_HOT}
