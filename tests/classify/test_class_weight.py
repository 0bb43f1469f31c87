import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.utils.class_weight import compute_sample_weight

import bayleaf as bl
from reference.counted import counted

X, y = load_breast_cancer(return_X_y=True)
LABELS = np.where(y == 1, "benign", "malignant")
WEIGHTS = ["balanced", {"malignant": 7}, {"benign": 0.5, "malignant": 3.0}]


@pytest.mark.parametrize("class_weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_class_weights_are_weights_of_rows(class_weight, weighted):
    """What scikit-learn makes of them, but for their sum; balance is counted over the rows that take part."""
    sample_weight = np.random.default_rng(0).integers(0, 3, len(y)) if weighted else None
    rows = np.ones(len(y)) if sample_weight is None else sample_weight
    kept = rows > 0
    by_class = np.zeros(len(y))
    by_class[kept] = compute_sample_weight(class_weight, LABELS[kept])
    one = counted(class_weight=class_weight).fit(X, LABELS, sample_weight)
    weights = rows * by_class
    other = counted().fit(X, LABELS, weights * (rows.sum() / weights.sum()))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12)


def test_balanced_classes_have_equal_prior_probabilities():
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet(), class_weight="balanced").fit(X, LABELS)
    np.testing.assert_allclose(model.network_.cpt("class"), [0.5, 0.5], rtol=1e-9)


def test_it_is_kept_in_clones_and_model_files(tmp_path):
    model = counted(class_weight={"malignant": 7}).fit(X, LABELS)
    assert clone(model).class_weight == {"malignant": 7}
    model.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.class_weight == {"malignant": 7}
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("balance", r"^class_weight must be 'balanced' or a dict .* Got 'balance' instead\.$"),
        ({"bad": 2}, r"^class_weight names 'bad', but the classes are \['benign', 'malignant'\]\.$"),
        ({"benign": -1}, r"^class_weight must give 'benign' a positive weight\. Got -1\.$"),
    ],
)
def test_wrong_class_weights(class_weight, message):
    with pytest.raises(ValueError, match=message):
        counted(class_weight=class_weight).fit(X, LABELS)


def test_costs_by_name_are_those_of_the_matrix():
    by_name = counted(loss={"malignant": {"benign": 20}}).fit(X, LABELS)
    by_matrix = counted(loss=[[0, 1], [20, 0]]).fit(X, LABELS)
    by_frame = counted(loss=pl.DataFrame({"benign": [0, 20], "malignant": [1, 0]})).fit(X, LABELS)
    assert (by_name.predict(X) == by_matrix.predict(X)).all()
    assert (by_name.predict(X) == by_frame.predict(X)).all()
    assert (by_name.predict(X) != counted().fit(X, LABELS).predict(X)).any()


def test_costs_by_name_are_kept_in_model_files(tmp_path):
    model = counted(loss={"malignant": {"benign": 20}}).fit(X, LABELS)
    model.save(tmp_path / "m.json")
    assert (bl.load(tmp_path / "m.json").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ({"ill": {"benign": 2}}, r"names 'ill', but the classes are \['benign', 'malignant'\]"),
        ({"malignant": 5}, r"must give, for each true class, what decisions cost, .* Got 5 for 'malignant'"),
        ({"malignant": {"benign": "much"}}, r"could not convert string to float|must be"),
    ],
)
def test_wrong_costs_by_name(loss, message):
    with pytest.raises(ValueError, match=message):
        counted(loss=loss).fit(X, LABELS)
