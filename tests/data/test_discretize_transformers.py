"""What every discretiser does as a scikit-learn transformer."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from bayleaf.data.discretize import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles, apply_cuts
from reference.discretize import slow_codes

# The checks use tables of many widths, so no fixed set of keys would fit: here the points of Cuts come from
# another discretiser; test_discretize_cuts.py gives it points of its own.
CHECKED = [
    MDLP(),
    MDLP(max_bins=3),
    MedianSplit(),
    Quantiles(),
    EqualWidth(),
    Cuts({}, others=Quantiles(bins=3)),
    Cuts({}, others=MDLP()),
]

IRIS_CUTS = {name: [2.0, 4.0] for name in ["sepal_length", "sepal_width", "petal_length", "petal_width"]}
DISCRETIZERS = [MDLP(), MedianSplit(), Quantiles(bins=3), EqualWidth(bins=3), Cuts(IRIS_CUTS)]
each_discretizer = pytest.mark.parametrize("discretizer", DISCRETIZERS, ids=lambda d: type(d).__name__)


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    X[::7, 1] = np.nan
    return pd.DataFrame(X, columns=list(IRIS_CUTS)), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("discretizer", CHECKED, ids=repr)
def test_check_estimator(discretizer):
    results = check_estimator(discretizer, on_fail="raise")
    assert sum(result["status"] == "passed" for result in results) > 40


@each_discretizer
def test_transform_gives_codes_and_keeps_missing_values(discretizer, iris):
    X, y = iris
    fitted = clone(discretizer).fit(X, y)
    codes = fitted.transform(X)
    assert codes.dtype == np.float64
    assert fitted.n_features_in_ == 4
    assert fitted.feature_names_in_.tolist() == list(X.columns)
    assert fitted.get_feature_names_out().tolist() == list(X.columns)
    for values, cuts, column in zip(X.to_numpy().T, fitted.cuts_, codes.T, strict=True):
        known = ~np.isnan(values)
        assert np.isnan(column[~known]).all()
        assert column[known].tolist() == slow_codes(values[known], cuts)


@each_discretizer
def test_missing_rows_and_rows_of_weight_zero_do_not_count(discretizer, iris):
    X, y = iris
    weights = np.arange(len(X)) % 3
    weighted = clone(discretizer).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(X)), weights)
    repeated = clone(discretizer).fit(X.iloc[rows], y[rows])
    known = X["sepal_width"].notna().to_numpy() & (weights > 0)
    alone = clone(discretizer).cut_points(
        X.loc[known, "sepal_width"].to_numpy(),
        np.unique(y[known], return_inverse=True)[1],
        weights[known].astype(float),
        "sepal_width",
    )
    for left, right in zip(weighted.cuts_, repeated.cuts_, strict=True):
        np.testing.assert_array_equal(left, right, strict=True)
    np.testing.assert_array_equal(weighted.cuts_[1], alone, strict=True)


@each_discretizer
def test_pandas_polars_and_arrays_agree(discretizer, iris):
    X, y = iris
    by_position = dict(enumerate(IRIS_CUTS.values()))
    for_arrays = Cuts(by_position) if isinstance(discretizer, Cuts) else clone(discretizer)
    from_pandas = clone(discretizer).fit_transform(X, y)
    from_polars = clone(discretizer).fit_transform(pl.from_pandas(X), pl.Series(y))
    from_array = for_arrays.fit_transform(X.to_numpy(), y)
    np.testing.assert_array_equal(from_pandas, from_polars)
    np.testing.assert_array_equal(from_pandas, from_array)


@each_discretizer
@pytest.mark.parametrize(("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(discretizer, container, kind, iris):
    X, y = iris
    codes = clone(discretizer).set_output(transform=container).fit_transform(X, y)
    assert isinstance(codes, kind)
    assert list(codes.columns) == list(X.columns)
    np.testing.assert_array_equal(codes.to_numpy(), clone(discretizer).fit_transform(X, y))


@each_discretizer
def test_clone_and_pickle(discretizer, iris):
    X, y = iris
    fitted = clone(discretizer).fit(X, y)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(fitted.transform(X), restored.transform(X))
    with pytest.raises(NotFittedError, match="not fitted yet"):
        clone(fitted).transform(X)


@each_discretizer
def test_column_without_any_value_is_constant(discretizer):
    X, y = pd.DataFrame({"empty": [np.nan] * 6, "full": np.arange(6.0)}), [0, 0, 0, 1, 1, 1]
    if isinstance(discretizer, Cuts):
        discretizer = Cuts({"full": [2.5]}, others=MDLP())
    fitted = clone(discretizer).fit(X, y)
    assert fitted.cuts_[0].size == 0
    assert fitted.cuts_[1].size >= 1
    assert np.isnan(fitted.transform(X)[:, 0]).all()


@each_discretizer
def test_infinite_values_are_refused_with_the_column_and_the_count(discretizer, iris):
    X, y = iris
    fitted = clone(discretizer).fit(X, y)
    broken = X.copy()
    broken.loc[[3, 5], "petal_length"] = [np.inf, -np.inf]
    message = r"Column 'petal_length' has 2 infinite values \(inf or -inf\); replace them"
    with pytest.raises(ValueError, match=message):
        clone(discretizer).fit(broken, y)
    with pytest.raises(ValueError, match=message):
        fitted.transform(broken)


def test_infinite_values_of_arrays_are_refused_by_position():
    with pytest.raises(ValueError, match=r"Column 1 has 1 infinite value \(inf or -inf\)"):
        MedianSplit().fit([[1.0, 2.0], [3.0, np.inf]])


@each_discretizer
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(150), "150 negative values .the smallest is -1.: weights must be zero or more"),
        (np.r_[np.nan, np.ones(149)], "sample_weight has 1 of 150 values that are NaN or infinite"),
        (np.zeros(150), "sample_weight sums to zero"),
        (np.ones(3), "inconsistent numbers of samples"),
        (np.ones((150, 1)), "sample_weight must be 1-dimensional. Got 2 dimensions instead"),
    ],
)
def test_weights_are_checked(discretizer, weights, message, iris):
    with pytest.raises(ValueError, match=message):
        clone(discretizer).fit(*iris, sample_weight=weights)


@each_discretizer
def test_sparse_and_text_are_refused(discretizer, iris):
    _, y = iris
    with pytest.raises(TypeError, match="Sparse data was passed"):
        clone(discretizer).fit(csr_array(np.eye(150)), y)
    with pytest.raises(ValueError, match="could not convert string to float: 'setosa'"):
        clone(discretizer).fit(pd.DataFrame({"sepal_length": y}), y)


@each_discretizer
def test_the_caller_keeps_his_data(discretizer, iris):
    X, y = iris
    before, labels = X.copy(), y.copy()
    clone(discretizer).fit(X, y, sample_weight=np.ones(len(X))).transform(X)
    pd.testing.assert_frame_equal(X, before)
    np.testing.assert_array_equal(y, labels)


def test_pipeline_and_grid_search():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(Quantiles(), CategoricalNB(min_categories=9))
    search = GridSearchCV(pipeline, {"quantiles__bins": [2, 3, 9]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    assert make_pipeline(MDLP(), CategoricalNB()).fit(X, y).score(X, y) > 0.9


def test_column_transformer(iris):
    X, y = iris
    transformer = ColumnTransformer(
        [("sepal", Cuts({"sepal_length": [5, 6]}), ["sepal_length"]), ("petal", MDLP(), ["petal_width"])]
    )
    codes = transformer.set_output(transform="pandas").fit_transform(X, y)
    assert list(codes.columns) == ["sepal__sepal_length", "petal__petal_width"]
    assert codes["petal__petal_width"].tolist() == slow_codes(X["petal_width"], [0.8, 1.75])


@settings(deadline=None)
@given(
    st.lists(st.integers(-20, 20).map(float), max_size=30),
    st.sets(st.integers(-20, 20).map(float), max_size=30),
)
def test_apply_cuts(values, cuts):
    codes = apply_cuts(np.array(values, dtype=float), np.array(sorted(cuts)))
    assert codes.tolist() == slow_codes(values, cuts)


@pytest.mark.parametrize(
    ("n_cuts", "dtype"),
    [
        (0, np.uint8),
        (64, np.uint8),
        (65, np.uint8),
        (254, np.uint8),
        (255, np.uint16),
        (65534, np.uint16),
        (65535, np.uint32),
    ],
)
def test_apply_cuts_uses_the_smallest_type_and_one_rule(n_cuts, dtype):
    cuts = np.arange(n_cuts, dtype=float)
    values = np.array([-1.0, 0.0, 0.5, n_cuts - 1.0, n_cuts - 0.5, np.inf, -np.inf])
    codes = apply_cuts(values, cuts)
    assert codes.dtype == dtype
    np.testing.assert_array_equal(codes, np.searchsorted(cuts, values, side="left"))
    np.testing.assert_array_equal(apply_cuts(values[:, None], cuts), codes[:, None])
