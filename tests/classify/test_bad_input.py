"""Each mistake gets one clear sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import bayleaf as bl
from bayleaf.page.assemble import page_data
from reference.counted import counted


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.integers(0, 5, 40), "b": rng.choice(["u", "v"], 40), "c": rng.random(40)})


@pytest.fixture
def y():
    return np.tile(["no", "yes"], 20)


def fitted(frame, y, **settings):
    return counted(**settings).fit(frame, y)


@pytest.mark.parametrize(
    "empty", [np.empty((0, 3)), pd.DataFrame({"a": [], "b": []}), pl.DataFrame({"a": []})]
)
def test_empty_table(empty):
    with pytest.raises(ValueError, match=r"0 sample\(s\) .* minimum of 1 is required"):
        fitted(empty, [])


def test_no_columns():
    with pytest.raises(
        ValueError, match=r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"
    ):
        fitted(np.empty((3, 0)), [0, 1, 0])


def test_one_row():
    with pytest.raises(ValueError, match=r"y has only one class \('a' in the only row\): a classifier needs"):
        fitted([[1.0, 2.0]], ["a"])


def test_one_class(frame):
    with pytest.raises(ValueError, match=r"y has only one class \(.*3.* in all 40 rows\)"):
        fitted(frame, np.full(40, 3))


@pytest.mark.parametrize(
    "name", ["NB-CL", "TAN-OMI-CR-CL", "TAN-CR-ML", "TAN-SuperParent-ML", "2-tree-OMI-CR-ML"]
)
def test_discriminative_classifiers_need_two_classes(frame, name):
    with pytest.raises(
        ValueError, match=r"y has only one class \('a' in all 40 rows\): a classifier needs at least two"
    ):
        bl.classifier(name).fit(frame, ["a"] * 40)


@pytest.mark.parametrize(
    "name", ["TAN-OMI-CR-CL", "9-tree-OMI-CR-ML", "9-tree-CR-ML", "9-tree-SuperParent-CL"]
)
@pytest.mark.filterwarnings("ignore:.*fewer than the", "ignore:.*not seen in fit", "ignore:Column")
def test_discriminative_classifiers_take_one_row_per_class_and_few_features(frame, name):
    model = bl.classifier(name, random_state=0).fit(frame[:2], ["no", "yes"])
    assert set(model.predict(frame)) <= {"no", "yes"}


def same_model(one, other, rows):
    assert one.schema_.features == other.schema_.features
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))
    return True


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_rows_without_a_class_are_left_out(frame, y, nothing):
    labels = y.astype(object)
    labels[[3, 7]] = nothing
    known = np.setdiff1d(np.arange(40), [3, 7])
    with pytest.warns(
        UserWarning, match=r"^2 of 40 rows have no class \(None or NaN in y\) and are left out\.$"
    ):
        model = fitted(frame, labels)
    assert same_model(model, fitted(frame.iloc[known], y[known]), frame)
    assert model.training_.rows == 38


@pytest.mark.parametrize(
    "as_given", [list, np.array, pd.Series, pl.Series, pl.DataFrame], ids=lambda each: each.__name__
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_numbers_as_classes_and_rows_without_one(as_given):
    rows = np.arange(20).reshape(10, 2) % 3
    labels, weights = [0.0, 1.0, float("nan"), 1.0, 0.0] * 2, np.arange(1.0, 11.0)
    known = np.flatnonzero(~np.isnan(labels))
    with pytest.warns(UserWarning, match="2 of 10 rows have no class"):
        model = counted().fit(rows, as_given(labels), weights)
    expected = counted().fit(rows[known], np.array(labels)[known], weights[known])
    assert same_model(model, expected, rows)


def test_target_series_with_missing_values(frame, y):
    for series in (pd.Series(y).where(np.arange(40) > 4), pl.Series([None] * 5 + list(y[5:]))):
        with pytest.warns(UserWarning, match="5 of 40 rows have no class"):
            assert same_model(fitted(frame, series), fitted(frame[5:], y[5:]), frame)


@pytest.mark.parametrize(
    "learner", [bl.MMPC(), bl.BaggedClassifier(n_estimators=2, random_state=0)], ids=repr
)
def test_selectors_and_ensembles_leave_out_rows_without_a_class(learner, frame, y):
    labels = [None, *y[1:].tolist()]
    with pytest.warns(
        UserWarning, match=r"^1 of 40 rows has no class \(None or NaN in y\) and is left out\.$"
    ):
        learner.fit(frame, labels)


def test_no_row_has_a_class(frame):
    with pytest.raises(ValueError, match="none of the 40 rows has a class"):
        fitted(frame, [None] * 40)
    with (
        pytest.raises(ValueError, match="sample_weight is zero in every row that has a class"),
        pytest.warns(UserWarning, match="39 of 40 rows have no class"),
    ):
        bl.BayesNetClassifier().fit(frame, ["a"] + [None] * 39, [0] + [1] * 39)


@pytest.mark.filterwarnings("ignore:2 of 40 rows have no class")
def test_quality_without_rows_that_have_no_class(frame, y, tmp_path):
    labels = y.astype(object)
    labels[[0, 39]] = None
    model = fitted(frame, labels)
    quality = model.cross_validate(frame, labels, cv=3)
    known = fitted(frame[1:39], y[1:39])
    assert quality == known.cross_validate(frame[1:39], y[1:39], cv=3)
    data = page_data(model, frame, labels)
    assert data["examples"]["rows"] == list(range(2, 40))
    assert data["quality"]["notes"] == ["2 rows without a class left out."]


def test_target_none(frame):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        fitted(frame, None)


def test_target_continuous(frame):
    with pytest.raises(ValueError, match="continuous"):
        fitted(frame, np.random.default_rng(0).random(40))


def test_target_of_other_length(frame):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted(frame, [0, 1])


@pytest.mark.parametrize("empty", [np.nan, None])
def test_column_all_missing_is_ignored_with_a_warning(frame, y, empty):
    frame = frame.assign(nothing=empty)
    with pytest.warns(UserWarning, match=r"Column 'nothing' has no values at all \(40 rows, all missing\)"):
        clf = fitted(frame, y)
    without = fitted(frame[["a", "b", "c"]], y)
    np.testing.assert_allclose(clf.predict_proba(frame), without.predict_proba(frame[["a", "b", "c"]]))


def test_constant_column_changes_nothing(frame, y):
    clf = fitted(frame.assign(same="x"), y, structure=bl.NaiveBayes())
    without = fitted(frame, y, structure=bl.NaiveBayes())
    np.testing.assert_allclose(clf.predict_proba(frame.assign(same="x")), without.predict_proba(frame))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values(frame, y, value):
    broken = frame.assign(c=frame["c"].where(frame.index > 1, value))
    with pytest.raises(ValueError, match=r"Column 'c' has 2 infinite values \(inf\): replace them"):
        fitted(broken, y)
    with pytest.raises(ValueError, match=r"Column 'c' has 2 infinite values"):
        fitted(frame, y).predict(broken)


def test_duplicate_column_names(frame, y):
    frame.columns = ["a", "b", "a"]
    with pytest.raises(ValueError, match=r"X has columns of the same name: \['a'\]. Give each"):
        fitted(frame, y)


def test_column_names_that_are_numbers_are_positions(frame, y):
    numbered = frame.set_axis([0, 1, 2], axis=1)
    assert fitted(numbered, y).network_.nodes == ("x0", "x1", "x2", "class")


def test_column_names_of_mixed_type(frame, y):
    with pytest.raises(TypeError, match=r"string names|strings"):
        fitted(frame.set_axis(["a", 1, "c"], axis=1), y)


def test_too_many_categories():
    names = [f"id{k}" for k in range(65536)]
    with pytest.raises(ValueError, match="Column 'id' has 65536 categories, more than 65535: an identifier"):
        fitted(pl.DataFrame({"id": names}), np.arange(65536) % 2, identifiers="keep")


def test_many_categories_work():
    names = [f"id{k}" for k in range(60000)]
    frame = pl.DataFrame({"id": names, "x": [0.0, 1.0] * 30000})
    clf = fitted(frame, np.arange(60000) % 2, identifiers="keep")
    assert clf.predict_proba(pl.DataFrame({"id": names[:2], "x": [0.0, 1.0]})).shape == (2, 2)


class TestOtherColumnsAtPredict:
    def test_missing_column(self, frame, y):
        model = fitted(frame, y)
        with pytest.raises(
            ValueError, match=r"^X lacks 1 column of fit: 'c'\. absent_columns='missing' takes"
        ):
            model.predict(frame[["a", "b"]])
        for renamed in ("C", "cc"):
            other = frame.rename(columns={"c": renamed, "a": "x"})
            with pytest.raises(ValueError, match=r"^X lacks 2 columns of fit: 'a', 'c'\."):
                model.predict(other)
        with pytest.raises(ValueError, match=r"^X lacks 1 column of fit: 'c'\. Did you mean 'C'\?$"):
            model.predict(frame.rename(columns={"c": "C"}))
        with pytest.raises(
            ValueError, match=r"^X lacks 3 columns of fit: 'a', 'b', 'c'\. It has 'x', 'y', 'z'\.$"
        ):
            model.predict(frame.set_axis(["x", "y", "z"], axis=1))

    @pytest.mark.parametrize("rows", [slice(None), slice(3)])
    def test_columns_are_found_by_name(self, frame, y, rows):
        model, some = fitted(frame, y), frame[rows]
        expected = model.predict_proba(some)
        np.testing.assert_array_equal(model.predict_proba(some[["c", "b", "a"]]), expected)
        with pytest.warns(
            UserWarning, match=r"^Ignored 2 columns that fit has not seen: 'd', 'e'\.$"
        ) as caught:
            found = model.predict_proba(some[["c", "a", "b"]].assign(d=1, e="x"))
        np.testing.assert_array_equal(found, expected)
        assert caught[0].filename == __file__
        assert model.score(some[["b", "c", "a"]], y[rows]) == model.score(some, y[rows])

    def test_other_number_of_columns(self):
        X = np.random.default_rng(0).random((20, 3))
        with pytest.raises(ValueError, match="X has 2 features, but BayesNetClassifier is expecting 3"):
            fitted(X, np.arange(20) % 2).predict(X[:, :2])

    def test_numbers_became_strings(self, frame, y):
        with pytest.raises(TypeError, match="Column 'a' held numbers in fit and holds string values now"):
            fitted(frame, y).predict(frame.assign(a="x"))

    def test_strings_became_numbers(self, frame, y):
        with pytest.raises(
            TypeError, match="Column 'b' held string values in fit and holds integer values now"
        ):
            fitted(frame, y).predict(frame.assign(b=1))


def test_unknown_categories_are_missing_with_a_warning(frame, y):
    clf = fitted(frame, y)
    with pytest.warns(
        UserWarning, match=r"Column 'b' has 1 value that was not seen in fit \('w'\); treated as missing"
    ):
        strange = clf.predict_proba(frame.assign(b="w"))
    np.testing.assert_array_equal(strange, clf.predict_proba(frame.assign(b=None)))


def test_unknown_categories_refused(frame, y):
    with pytest.raises(ValueError, match=r"not seen in fit \('w'\); the setting unknown=missing treats"):
        fitted(frame, y, unknown="error").predict(frame.assign(b="w"))


def test_sparse_matrix(y):
    with pytest.raises(TypeError, match=r"[Ss]parse.*toarray"):
        fitted(sparse.csr_matrix(np.eye(40)), y)


def test_column_of_mixed_types(frame, y):
    mixed = frame.assign(b=frame["b"].astype(object).where(frame.index > 0, 3))
    with pytest.raises(
        TypeError, match=r"Column 'b' mixes int \(3\) and str \('[uv]'\) values: convert it to one type"
    ):
        fitted(mixed, y)


def test_column_of_lists(frame, y):
    with pytest.raises(TypeError, match="Column 'b' holds values of type list: each value"):
        fitted(frame.assign(b=[[1]] * 40), y)


def test_lazy_frame(frame, y):
    with pytest.raises(TypeError, match=r"X is a lazy LazyFrame: call .collect\(\)"):
        fitted(pl.from_pandas(frame).lazy(), y)


def test_negative_weights(frame, y):
    weights = np.ones(40)
    weights[:3] = -2
    with pytest.raises(
        ValueError, match=r"3 negative values \(the smallest is -2\): weights must be zero or more"
    ):
        bl.BayesNetClassifier().fit(frame, y, sample_weight=weights)


def test_weights_that_sum_to_zero(frame, y):
    with pytest.raises(ValueError, match="sample_weight sums to zero"):
        bl.BayesNetClassifier().fit(frame, y, sample_weight=np.zeros(40))


def test_weights_with_nan(frame, y):
    with pytest.raises(ValueError, match="NaN"):
        bl.BayesNetClassifier().fit(frame, y, sample_weight=np.full(40, np.nan))


def test_drop_that_leaves_nothing(frame, y):
    half = np.arange(40) < 20
    gaps = frame.assign(b=frame["b"].where(half, None), c=frame["c"].where(~half))
    with pytest.raises(
        ValueError, match="missing='drop' leaves no rows: each of the 40 rows has a missing value"
    ):
        fitted(gaps, y, missing="drop")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"missing": "ignore"},
            "The 'missing' parameter of BayesNetClassifier must be .* Got 'ignore' instead",
        ),
        ({"unknown": "skip"}, "The 'unknown' parameter of BayesNetClassifier must be .* Got 'skip' instead"),
        (
            {"parameters": bl.Dirichlet(ess=0)},
            "The 'ess' parameter of Dirichlet must be a float in the range",
        ),
        ({"parameters": bl.MaximumLikelihood(epsilon=-1)}, "The 'epsilon' parameter of MaximumLikelihood"),
        ({"structure": bl.FAN(threshold=-1)}, "The 'threshold' parameter of FAN"),
        ({"structure": bl.TAN(root="z")}, "root 'z' is not a feature; the features are 'a', 'b', 'c'"),
        ({"categorical_features": ["z"]}, r"names columns that the data lacks: \['z'\]"),
        ({"categorical_features": [7]}, r"positions outside 0 to 2: \[7\]"),
        ({"categorical_features": [True, False]}, r"mask of shape \(2,\); the data has 3 columns"),
        ({"categorical_features": "all"}, "must be 'auto', 'from_dtype', a mask, or a list"),
        ({"structure": bl.FixedStructure([("z", "a")])}, r"nodes that the data lacks: \['z'\]"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_bad_settings(frame, y, settings, message):
    with pytest.raises(ValueError, match=message):
        fitted(frame, y, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"structure": bl.TAN}, r"'structure' .* with a method 'learn'"),
        ({"parameters": 3}, r"'parameters' .* with a method 'fit', such as bayleaf.Laplace\(\)"),
        ({"discretizer": 4}, r"'discretizer' .* with a method 'cut_points', such as bayleaf.MDLP\(\)"),
    ],
)
def test_learners_that_are_none(frame, y, settings, message):
    with pytest.raises(TypeError, match=message):
        fitted(frame, y, **settings)


def test_cuts_for_a_column_that_there_is_not(frame, y):
    with pytest.raises(
        ValueError,
        match=r"'agee', but X has no such numeric column; it has columns 'a', 'c'",
    ):
        fitted(frame, y, discretizer=bl.Cuts({"agee": [1.0]}, others=bl.MDLP()))


def test_cuts_by_position(frame, y):
    numbers = frame[["a", "c"]].to_numpy()
    clf = fitted(numbers, y, discretizer=bl.Cuts({0: [1.5], 1: [0.25, 0.5]}))
    assert [variable.arity for variable in clf.schema_.features] == [2, 3]


def test_not_fitted(frame):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="not fitted yet"):
        bl.BayesNetClassifier().predict(frame)


@pytest.mark.parametrize("given", [{"smoker"}, slice(0, 1), 0, {"smoker": True}, len], ids=repr)
def test_categorical_features_that_are_no_list(frame, y, given):
    with pytest.raises(
        TypeError, match=r"must be 'auto', 'from_dtype', a mask, or a list of names or positions\. Got"
    ):
        bl.BayesNetClassifier(categorical_features=given).fit(frame, y)


DATES = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")


@pytest.mark.parametrize(
    "labels",
    [DATES, DATES - DATES[0], pd.Series(DATES), pl.Series(DATES), DATES.astype("datetime64[s]").tolist()],
    ids=lambda labels: type(labels).__name__,
)
def test_dates_are_no_classes(labels):
    y = pd.concat([labels] * 5) if isinstance(labels, pd.Series) else labels
    y = labels.sample(10, with_replacement=True, seed=0) if isinstance(labels, pl.Series) else y
    y = np.tile(labels, 5) if isinstance(labels, np.ndarray) else y
    y = labels * 5 if isinstance(labels, list) else y
    with pytest.raises(TypeError, match=r"y holds|has type Datetime|holds values of type"):
        bl.BayesNetClassifier().fit(np.arange(20).reshape(10, 2), y)


@pytest.mark.parametrize(
    "as_given", [list, tuple, lambda y: np.array(y, dtype=object)], ids=["list", "tuple", "array"]
)
def test_labels_of_mixed_types(as_given):
    with pytest.raises(
        TypeError, match=r"y mixes int \(1\) and str \('a'\) labels: class labels must all be"
    ):
        bl.BayesNetClassifier().fit([[0], [1]] * 3, as_given(["a", 1] * 3))


def test_missing_labels_in_a_list_of_strings():
    with pytest.warns(UserWarning, match="3 of 9 rows have no class"):
        model = counted().fit([[0], [1], [2]] * 3, ["a", np.nan, "b"] * 3)
    assert model.classes_.tolist() == ["a", "b"]


def test_labels_of_numpy_types_in_a_list():
    clf = bl.BayesNetClassifier().fit([["a"], ["b"]] * 3, [np.int64(3), np.int64(5)] * 3)
    assert clf.predict([["b"]]).tolist() == [5]
    assert clf.classes_.dtype.kind == "i"


@pytest.mark.parametrize("value", ["2", 1.5], ids=repr)
def test_n_jobs_of_the_wrong_type(frame, y, value):
    with pytest.raises(TypeError, match="'n_jobs' parameter of BayesNetClassifier must be an int or None"):
        bl.BayesNetClassifier(n_jobs=value).fit(frame, y)


def test_n_jobs_of_zero_and_of_far_too_many(frame, y):
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        bl.BayesNetClassifier(n_jobs=0).fit(frame, y)
    many = counted(n_jobs=10**10).fit(frame, y)
    assert (many.predict_proba(frame) == fitted(frame, y).predict_proba(frame)).all()


EMPTY = [
    lambda values: pl.DataFrame({"f": ["a", "b"] * 5, "empty": values}),
    lambda values: pd.DataFrame({"f": ["a", "b"] * 5, "empty": np.array(values, dtype=object)}),
    lambda values: np.array([["a", "b"] * 5, values], dtype=object).T,
]


@pytest.mark.parametrize("make", EMPTY, ids=["polars", "pandas", "array"])
@pytest.mark.parametrize("later", [["x"] * 10, [True] * 10, [2] * 10, [1.5] * 10], ids=lambda v: repr(v[0]))
def test_a_column_without_type_in_fit_may_have_any_type_later(make, later, tmp_path):
    labels = ["no", "yes"] * 5
    with pytest.warns(UserWarning, match="has no values at all"):
        clf = counted().fit(make([None] * 10), labels)
    clf.save(tmp_path / "m.json")
    for model in (clf, bl.load(tmp_path / "m.json")):
        assert (model.predict_proba(make(later)) == clf.predict_proba(make([None] * 10))).all()


def test_constant_features_are_reported(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"noise": rng.random(40), "one": ["a"] * 40, "good": np.arange(40.0), "word": ["a", "b"] * 20}
    )
    clf = bl.BayesNetClassifier(discretizer=bl.MDLP()).fit(X, np.arange(40) < 20)
    assert clf.constant_features_ == ["noise", "one"]
    clf.save(tmp_path / "m.json")
    assert bl.load(tmp_path / "m.json").constant_features_ == ["noise", "one"]
    assert not hasattr(bl.BayesNetClassifier(), "constant_features_")
