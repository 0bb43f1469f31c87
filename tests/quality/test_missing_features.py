import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.quality import accuracy_with_missing_features


def test_no_missing_feature_is_plain_accuracy_and_all_missing_is_the_prior():
    X, y = load_iris(return_X_y=True)
    models = {name: bl.classifier(name).fit(X[:120], y[:120]) for name in ("NB-ML", "TAN-OMI-CR-ML")}
    frame = accuracy_with_missing_features(models, X, y, [0, 2, 4], repeats=2)
    assert frame.height == 3 * 2 * 2
    for name, model in models.items():
        own = frame.filter(method=name)
        assert own.filter(missing=0)["accuracy"].to_list() == [model.score(X, y)] * 2
        assert own.filter(missing=4)["accuracy"].to_list() == pytest.approx([1 / 3] * 2)
        assert (own.filter(missing=2)["accuracy"] > 0.5).all()


def test_the_same_cells_are_missing_for_every_classifier():
    X, y = load_iris(return_X_y=True)
    model = bl.classifier("TAN").fit(X, y)
    frame = accuracy_with_missing_features({"one": model, "same": model}, X, y, [1, 3], repeats=3)
    one, same = (frame.filter(method=name)["accuracy"].to_list() for name in ("one", "same"))
    assert one == same


def test_prediction_with_missing_cells_equals_prediction_of_nan():
    X, y = load_iris(return_X_y=True)
    model = bl.classifier("NB").fit(X, y)
    frame = accuracy_with_missing_features({"NB": model}, X, y, [2], repeats=1, seed=5)
    removed = np.random.default_rng([5, 2, 0]).random(X.shape).argsort(axis=1) < 2
    assert frame["accuracy"].to_list() == [model.score(np.where(removed, np.nan, X), y)]


def test_each_classifier_decides_as_its_predict_does():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (800, 4))
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 800)) % 3
    X = np.column_stack([X, X[:, :2] // 2]).astype(str)
    models = {
        "costs": bl.classifier("NB", loss=[[0, 1, 1], [1, 0, 1], [9, 9, 0]]).fit(X, y),
        "functional dependencies": bl.classifier("KDB-FD", k=3).fit(X, y),
        "selected features": bl.classifier("NB", selector=bl.BayesFactorSelector()).fit(X, y),
    }
    assert len(models["selected features"].network_.nodes) < 7
    frame = accuracy_with_missing_features(models, X, y, [0, 2], repeats=1, seed=5)
    removed = np.random.default_rng([5, 2, 0]).random(X.shape).argsort(axis=1) < 2
    holes = X.astype(object)
    holes[removed] = None
    for name, model in models.items():
        assert frame.filter(method=name)["accuracy"].to_list() == [model.score(X, y), model.score(holes, y)]
    column = accuracy_with_missing_features(models, X, y.reshape(-1, 1), [0, 2], repeats=1, seed=5)
    assert column.equals(frame)


def test_columns_that_may_be_absent_are_missing():
    X, y = load_iris(return_X_y=True, as_frame=True)
    settings = {"selector": bl.BayesFactorSelector(), "absent_columns": "missing"}
    model = bl.classifier("NB", **settings).fit(X.assign(idle=np.arange(150) % 2), y)
    assert "idle" not in model.network_.nodes
    frame = accuracy_with_missing_features({"NB": model}, X, y, [0], repeats=1)
    assert frame["accuracy"].to_list() == [model.score(X, y)]


def test_bad_input_gets_a_sentence():
    X, y = load_iris(return_X_y=True)
    models = {"NB": bl.classifier("NB").fit(X, y)}
    with pytest.raises(ValueError, match=r"have 4 features: \[5\] of them cannot be missing"):
        accuracy_with_missing_features(models, X, y, [5])
    with pytest.raises(ValueError, match="There is no classifier to evaluate"):
        accuracy_with_missing_features({}, X, y, [1])
    with pytest.raises(ValueError, match="The 'repeats' parameter of accuracy_with_missing_features"):
        accuracy_with_missing_features(models, X, y, [1], repeats=0)
    with pytest.raises(TypeError, match="The 'repeats' parameter of accuracy_with_missing_features"):
        accuracy_with_missing_features(models, X, y, [1], repeats=1.5)
    with pytest.raises(ValueError, match="The 'seed' parameter of accuracy_with_missing_features"):
        accuracy_with_missing_features(models, X, y, [1], seed=-1)
    with pytest.raises(TypeError, match="models must be a dict from names to fitted classifiers"):
        accuracy_with_missing_features(list(models.values()), X, y, [1])
    for labels in (y.astype(str), np.full(len(y), None)):
        with pytest.raises(
            ValueError, match=r"y has none of the classes of 'NB': .* the model's are 0, 1, 2"
        ):
            accuracy_with_missing_features(models, X, labels, [1])
    assert accuracy_with_missing_features(models, X, y, []).schema["accuracy"] == pl.Float64
    with pytest.raises(ValueError, match=r"have 4 features: \[1.5\] of them cannot be missing"):
        accuracy_with_missing_features(models, X, y, [0, 1.5])
    for missing in (3, "3", iter([1, 2])):
        with pytest.raises(TypeError, match="missing must be a list of numbers of features"):
            accuracy_with_missing_features(models, X, y, missing)
    with pytest.raises(ValueError, match="X has 150 rows and y 10: every row needs its class"):
        accuracy_with_missing_features(models, X, y[:10], [1])
    with pytest.raises(TypeError, match=r"'bag' is a BaggedClassifier: .* for a BayesNetClassifier only"):
        accuracy_with_missing_features({"bag": bl.classifier("RTAN").fit(X, y)}, X, y, [1])
    models["two"] = bl.classifier("NB").fit(X[:, :2], y)
    with pytest.raises(ValueError, match=r"different numbers of features|expecting 2 features"):
        accuracy_with_missing_features(models, X, y, [1])
