"""Classifiers of others with their defaults, on the columns as protocol.py reads them: numbers and categories.

Every peer gets the columns in the way that suits it: trees that know categories and gaps get them as they are,
others get a column of zeros and ones for each category and the mean in place of a missing number.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

NUMBERS = make_column_selector(dtype_include=np.number)
CATEGORIES = make_column_selector(dtype_exclude=np.number)
# Categories that HistGradientBoosting takes as such; rarer ones are one of them.
MOST_CATEGORIES = 250


def _text(X: pd.DataFrame) -> pd.DataFrame:
    return X.astype(object).where(X.notna(), "(missing)").astype(str)


def text_columns() -> FunctionTransformer:
    """Gaps of categories become a category."""
    return FunctionTransformer(_text)


def indicators(estimator: Any, *, scaled: bool = False) -> Pipeline:
    """Categories as zeros and ones, numbers as they are or standardised, the mean where one is missing."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else SimpleImputer()
    categories = make_pipeline(text_columns(), OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    return make_pipeline(
        ColumnTransformer([("n", numbers, NUMBERS), ("c", categories, CATEGORIES)]), estimator
    )


class CategoricalBayes:
    """CategoricalNB on categories and ten quantiles of each number; a category that is new has a code of its own."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "CategoricalBayes":
        """Prepare the columns, then fit."""
        bins = KBinsDiscretizer(
            10, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"
        )
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        self.columns = ColumnTransformer(
            [
                ("n", make_pipeline(SimpleImputer(), bins), NUMBERS),
                ("c", make_pipeline(text_columns(), codes), CATEGORIES),
            ]
        )
        encoded = self.columns.fit_transform(X).astype(int) + 1
        self.model = CategoricalNB(min_categories=encoded.max(axis=0) + 1).fit(encoded, y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of each class."""
        return self.model.predict_proba(self.columns.transform(X).astype(int) + 1)


class HistGradientBoosting:
    """HistGradientBoosting with categories as such; it takes no more than 255 of a column."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "HistGradientBoosting":
        """Prepare the columns, then fit."""
        categories = CATEGORIES(X)
        self.columns = ColumnTransformer(
            [
                ("n", "passthrough", NUMBERS),
                (
                    "c",
                    OrdinalEncoder(
                        handle_unknown="use_encoded_value",
                        unknown_value=np.nan,
                        encoded_missing_value=np.nan,
                        max_categories=MOST_CATEGORIES,
                    ),
                    CATEGORIES,
                ),
            ]
        )
        numbers = X.shape[1] - len(categories)
        mask = [False] * numbers + [True] * len(categories)
        self.model = HistGradientBoostingClassifier(random_state=0, categorical_features=mask)
        self.model.fit(self.columns.fit_transform(X), y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of each class."""
        return self.model.predict_proba(self.columns.transform(X))


class LightGBM:
    """LightGBM with categories as such."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "LightGBM":
        """Prepare the columns, then fit."""
        from lightgbm import LGBMClassifier

        self.kept = {name: pd.CategoricalDtype(sorted(X[name].dropna().unique())) for name in CATEGORIES(X)}
        self.model = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0).fit(self._columns(X), y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of each class."""
        return self.model.predict_proba(self._columns(X), num_threads=1)

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        X = X.astype(self.kept)
        return X.set_axis([f"c{k}" for k in range(X.shape[1])], axis=1)  # some names are not allowed


class XGBoost:
    """XGBoost with categories as such; it wants classes that are numbers from zero on, all of them present."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "XGBoost":
        """Prepare the columns, then fit."""
        from xgboost import XGBClassifier

        self.empty = [name for name in X.columns if X[name].isna().all()]  # it fails on these
        categories = [name for name in CATEGORIES(X) if name not in self.empty]
        self.kept = {name: pd.CategoricalDtype(sorted(X[name].dropna().unique())) for name in categories}
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model = XGBClassifier(n_jobs=1, enable_categorical=True, random_state=0)
        self.model.fit(self._columns(X), codes)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of each class."""
        return self.model.predict_proba(self._columns(X))

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        X = X.drop(columns=self.empty).astype(self.kept)
        return X.set_axis([f"c{k}" for k in range(X.shape[1])], axis=1)  # some names are not allowed


class CatBoost:
    """CatBoost with categories as such, gaps of theirs as one of them."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "CatBoost":
        """Prepare the columns, then fit."""
        from catboost import CatBoostClassifier

        self.categories = CATEGORIES(X)
        self.model = CatBoostClassifier(
            thread_count=1, verbose=0, random_seed=0, allow_writing_files=False, cat_features=self.categories
        )
        self.model.fit(self._columns(X), y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of each class."""
        return self.model.predict_proba(self._columns(X), thread_count=1)

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: _text(X[[name]])[name] for name in self.categories})


class ExplainableBoosting:
    """InterpretML's explainable boosting machine with categories as such, and 14 bags by default."""

    def __init__(self, **settings: int) -> None:
        self.settings = settings

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "ExplainableBoosting":
        """Prepare the columns, then fit."""
        from interpret.glassbox import ExplainableBoostingClassifier

        kinds = ["nominal" if name in set(CATEGORIES(X)) else "continuous" for name in X.columns]
        model = ExplainableBoostingClassifier(n_jobs=1, random_state=0, feature_types=kinds, **self.settings)
        self.model = model.fit(X, y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of each class."""
        return self.model.predict_proba(X)


PEERS: dict[str, Callable[[], Any]] = {
    "RandomForest": lambda: indicators(RandomForestClassifier(random_state=0)),
    "ExtraTrees": lambda: indicators(ExtraTreesClassifier(random_state=0)),
    "HistGradientBoosting": HistGradientBoosting,
    "LogisticRegression": lambda: indicators(LogisticRegression(max_iter=2000), scaled=True),
    "GaussianNB": lambda: indicators(GaussianNB()),
    "CategoricalNB": CategoricalBayes,
}
if find_spec("lightgbm") is not None:
    PEERS["LightGBM"] = LightGBM
if find_spec("xgboost") is not None:
    PEERS["XGBoost"] = XGBoost
# Up to minutes a fold: these run on the named sets only.
SLOW_PEERS: dict[str, Callable[[], Any]] = {
    name: make
    for name, library, make in (
        ("CatBoost", "catboost", CatBoost),
        ("EBM", "interpret", ExplainableBoosting),
        # Not its default, and less accurate, but it can be run on all named sets.
        ("EBM of one bag", "interpret", lambda: ExplainableBoosting(outer_bags=1)),
    )
    if find_spec(library) is not None
}
