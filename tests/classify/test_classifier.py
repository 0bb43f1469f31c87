"""The estimator as a scikit-learn citizen, and against enumeration."""

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import bayleaf as bl
from reference.counted import counted
from reference.learner_checks import check_learners

STRUCTURES = [bl.NaiveBayes(), bl.TAN(), bl.FAN(), bl.FixedStructure()]
PARAMETERS = [bl.MaximumLikelihood(), bl.Laplace(), bl.Dirichlet()]


def random_frame(rng, rows=60, missing=0.0):
    frame = pd.DataFrame(
        {
            "word": rng.choice(["x", "y", "z"], rows),
            "flag": rng.choice([True, False], rows),
            "number": rng.normal(size=rows),
            "count": rng.integers(0, 4, rows),
        }
    )
    y = np.where(frame["number"] + frame["flag"] + rng.normal(size=rows) > 0.5, "yes", "no")
    y[:2] = ["no", "yes"]
    if missing:
        frame = frame.astype(object).where(rng.random(frame.shape) >= missing, None)
        frame = frame.astype({"number": float, "count": float})
    return frame, y


@pytest.mark.parametrize(
    "classifier",
    [
        bl.BayesNetClassifier(),
        counted(),
        bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), missing="impute"),
        bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), missing="drop"),
    ],
    ids=["the default", "counted tables", "gaps filled", "rows with gaps left out"],
)
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.SkipTestWarning"
)  # the array API check wants a variable set
def test_check_estimator(classifier):
    expected = get_tags(classifier).expected_failed_checks if classifier.parameters is None else {}
    results = check_estimator(classifier, on_fail="raise", expected_failed_checks=expected)
    assert sum(result["status"] == "passed" for result in results) > 50
    failed = {result["check_name"] for result in results if result["status"] == "xfail"}
    assert failed == set(expected)


CONFIGURATIONS = [
    *(
        bl.BayesNetClassifier(structure, bl.Dirichlet(), bl.MDLP())
        for structure in (STRUCTURES[0], STRUCTURES[2])
    ),
    *(bl.BayesNetClassifier(parameters=parameters) for parameters in PARAMETERS[:2]),
    bl.BayesNetClassifier(parameters=bl.Dirichlet(), discretizer=bl.Quantiles(5)),
]


@pytest.mark.parametrize("classifier", CONFIGURATIONS, ids=repr)
def test_checks_of_other_learners(classifier):
    # Classes far apart fall into cells of their own, which outweigh any weight of a class: that is no mistake.
    apart = isinstance(classifier.discretizer, bl.Quantiles)
    check_learners(classifier, failing=frozenset({"check_class_weight_classifiers"} if apart else ()))


def enumerate_posterior(clf, row):
    """P(C | observed) by adding up the joint over every completion of the row."""
    net = clf.network_
    options = [
        range(variable.arity) if code == 255 else [code]
        for variable, code in zip(net.variables, [*row, 255], strict=True)
    ]
    posterior = np.zeros(len(clf.classes_))
    for states in itertools.product(*options):
        joint = 1.0
        for node, parents in enumerate(net.dag.parent_indices):
            joint *= net.tables[node][(*(states[p] for p in parents), states[node])]
        posterior[states[-1]] += joint
    return posterior / posterior.sum()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(STRUCTURES), st.sampled_from(PARAMETERS))
def test_probabilities_equal_enumeration(seed, structure, parameters):
    rng = np.random.default_rng(seed)
    frame, y = random_frame(rng, missing=0.2)
    clf = bl.BayesNetClassifier(structure, parameters).fit(frame, y)
    probabilities = clf.predict_proba(frame)
    codes = clf.encode(frame).codes
    for row in range(0, len(frame), 7):
        np.testing.assert_allclose(probabilities[row], enumerate_posterior(clf, codes[row]), rtol=1e-9)
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(frame)), probabilities, rtol=1e-9)


def test_naive_bayes_equals_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (200, 6)), rng.integers(0, 3, 200)
    ours = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), categorical_features=np.ones(6, bool)).fit(
        X, y
    )
    theirs = CategoricalNB(alpha=1.0).fit(X, y)
    # scikit-learn does not smooth the class prior: its log-prior is exchanged for ours.
    prior = np.log(ours.network_.cpt("class")) - theirs.class_log_prior_
    expected = theirs.predict_joint_log_proba(X) + prior
    expected -= np.logaddexp.reduce(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_log_proba(X), expected, rtol=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(STRUCTURES), st.sampled_from(["available", "drop", "impute"]))
def test_weights_equal_repeated_rows(seed, structure, missing):
    rng = np.random.default_rng(seed)
    frame, y = random_frame(rng, missing=0.1)
    weights = rng.integers(0, 4, len(y))
    weights[:2] = 1
    weighted = bl.BayesNetClassifier(structure, bl.Dirichlet(), missing=missing).fit(
        frame, y, sample_weight=weights
    )
    repeated = bl.BayesNetClassifier(structure, bl.Dirichlet(), missing=missing).fit(
        frame.loc[frame.index.repeat(weights)], y.repeat(weights)
    )
    assert weighted.network_.arcs == repeated.network_.arcs
    seen = frame[weights > 0]
    np.testing.assert_allclose(weighted.predict_proba(seen), repeated.predict_proba(seen), rtol=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(STRUCTURES))
def test_row_and_column_order_change_nothing(seed, structure):
    rng = np.random.default_rng(seed)
    frame, y = random_frame(rng)
    # Equal bins: a column that MDLP leaves uncut would tie with others, and ties go by column order.
    clf = bl.BayesNetClassifier(structure, bl.Dirichlet(), bl.Quantiles(3)).fit(frame, y)
    rows, columns = rng.permutation(len(frame)), rng.permutation(frame.columns)
    other = clone(clf).fit(frame.iloc[rows][columns], y[rows])
    assert {frozenset(arc) for arc in other.network_.arcs} == {frozenset(arc) for arc in clf.network_.arcs}
    np.testing.assert_allclose(other.predict_proba(frame[columns]), clf.predict_proba(frame), rtol=1e-9)


def test_rows_in_another_order_are_tuned_to_the_same_tables():
    frame, y = random_frame(np.random.default_rng(0), rows=200)
    clf = bl.BayesNetClassifier().fit(frame, y)
    rows = np.random.default_rng(1).permutation(len(frame))
    other = clone(clf).fit(frame.iloc[rows], y[rows])
    np.testing.assert_array_equal(other.predict_proba(frame), clf.predict_proba(frame))


def test_refitting_and_threads_change_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    first = bl.BayesNetClassifier(n_jobs=1).fit(X, y)
    again = bl.BayesNetClassifier(n_jobs=3).fit(X, y)
    assert first.network_.dag == again.network_.dag
    assert (first.predict_proba(X) == again.predict_proba(X)).all()
    assert (first.fit(X, y).predict_proba(X) == again.predict_proba(X)).all()


def test_every_library_gives_the_same_model():
    frame, y = random_frame(np.random.default_rng(1))
    polars = pl.from_pandas(frame)
    by_pandas = counted().fit(frame, y)
    by_polars = counted().fit(polars, pl.Series(y))
    by_arrow = counted().fit(polars.to_arrow(), y)
    expected = by_pandas.predict_proba(frame)
    assert (by_polars.predict_proba(polars) == expected).all()
    assert (by_arrow.predict_proba(polars.to_arrow()) == expected).all()
    assert by_polars.feature_names_in_.tolist() == list(frame.columns)


@pytest.mark.parametrize(
    "labels", [["b", "a"], [3, 1], [True, False], [2.0, 1.0], np.array(["b", "a"], dtype=object)], ids=str
)
def test_class_labels_keep_their_type(labels):
    X = np.random.default_rng(0).random((40, 2))
    y = np.asarray(labels)[np.arange(40) % 2]
    clf = bl.BayesNetClassifier().fit(X, y)
    assert clf.classes_.tolist() == sorted(labels)
    assert set(clf.predict(X)) <= set(labels)
    assert clf.classes_.dtype.kind == np.asarray(list(labels)).dtype.kind


def test_the_class_node_carries_the_targets_name():
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert counted().fit(X, y.rename("species")).network_.target == "species"
    assert counted().fit(X, y.to_numpy()).network_.target == "class"
    clash = X.assign(**{"class": 1.0})
    assert counted().fit(clash, y.to_numpy()).network_.target == "class_"


def test_grid_search_reaches_the_learners():
    X, y = load_iris(return_X_y=True)
    grid = {
        "structure": [bl.TAN(), bl.FAN()],
        "parameters": [bl.Dirichlet()],
        "parameters__ess": [0.5, 5.0],
        "discretizer": [bl.MDLP(), bl.Quantiles(3)],
    }
    search = GridSearchCV(counted(), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    assert search.best_estimator_.parameters.ess in (0.5, 5.0)


def test_calibration_and_pipelines():
    X, y = load_iris(return_X_y=True, as_frame=True)
    calibrated = CalibratedClassifierCV(counted(), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.9
    cut = make_column_transformer((bl.EqualWidth(4), make_column_selector())).set_output(transform="pandas")
    pipeline = make_pipeline(cut, counted(categorical_features=[0, 1, 2, 3]))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    assert pipeline.fit(X, y)[-1].schema_.features[0].kind == "categorical"


def test_clone_and_pickle():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = clone(bl.BayesNetClassifier(bl.TAN(root="petal width (cm)"), bl.Laplace())).fit(X, y)
    copy = pickle.loads(pickle.dumps(clf))
    assert (copy.predict_proba(X) == clf.predict_proba(X)).all()
    assert copy.network_.parents("petal width (cm)") == ("target",)


def test_integer_columns_declared_categorical():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"code": rng.integers(0, 3, 200) * 10 - 10, "x": rng.random(200)})
    y = (X["code"] == 0).astype(int).rename("y")
    cut = bl.BayesNetClassifier(
        bl.NaiveBayes(), discretizer=bl.MedianSplit(), categorical_features="from_dtype"
    ).fit(X, y)
    whole = bl.BayesNetClassifier(
        bl.NaiveBayes(), discretizer=bl.MedianSplit(), categorical_features=["code"]
    ).fit(X, y)
    assert whole.schema_.features[0].states == (-10, 0, 10)
    assert whole.score(X, y) == 1.0 > cut.score(X, y)
    # A missing value turns integers into floats: the categories stay the same.
    with_gap = X.astype({"code": float})
    with_gap.loc[0, "code"] = np.nan
    assert (whole.predict_proba(with_gap)[1:] == whole.predict_proba(X)[1:]).all()


def test_missing_values_are_imputed_at_prediction_too():
    X = pd.DataFrame({"a": ["u", "u", "v", None] * 10, "b": [1.0, 2.0, 3.0, np.nan] * 10})
    y = np.tile([0, 1, 1, 0], 10)
    clf = counted(missing="impute").fit(X, y)
    filled = X.assign(a=X["a"].fillna("u"), b=X["b"].fillna(2.0))
    np.testing.assert_array_equal(clf.predict_proba(X), clf.predict_proba(filled))


def test_drop_equals_fitting_on_complete_rows():
    frame, y = random_frame(np.random.default_rng(3), rows=200, missing=0.1)
    complete = frame.notna().all(axis=1).to_numpy()
    dropped = bl.BayesNetClassifier(missing="drop", discretizer=bl.Cuts({"number": [0.0], "count": [1.5]}))
    fewer = clone(dropped)
    np.testing.assert_allclose(
        dropped.fit(frame, y).predict_proba(frame),
        fewer.fit(frame[complete], y[complete]).predict_proba(frame),
    )


def test_ties_go_to_the_more_frequent_class_then_to_the_first():
    X = np.array([["u"], ["v"], ["u"], ["v"], ["w"], ["w"]])
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(epsilon=0)).fit(
        X, ["b", "b", "b", "b", "a", "a"]
    )
    network = clf.network_
    even = bl.BayesNet(network.variables, network.dag, [np.full((2, 3), 1 / 3), [0.5, 0.5]], "class")
    clf._set_network(even)
    assert clf.predict([["u"]])[0] == "a"
    clf._member.prior = np.array([0.4, 0.6])
    assert clf.predict([["u"]])[0] == "b"


def test_impossible_rows_fall_back_to_the_prior():
    X = np.array([["u", "p"], ["u", "p"], ["v", "q"], ["v", "q"], ["v", "q"]])
    y = ["a", "a", "b", "b", "b"]
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(epsilon=0)).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba([["u", "q"]]), [[0.4, 0.6]])
    np.testing.assert_allclose(np.exp(clf.predict_log_proba([["u", "q"]])), [[0.4, 0.6]])
    assert clf.predict([["u", "q"]])[0] == "b"


def test_a_long_row_does_not_underflow():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (30, 4000)), np.arange(30) % 2
    categories = np.ones(4000, bool)
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), categorical_features=categories).fit(X, y)
    assert np.isfinite(clf.predict_log_proba(X)).all()
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0)
