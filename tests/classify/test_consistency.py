"""What must hold when a fit fails, rows are dropped, values are imputed, or files are tampered with."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bayleaf as bl
from reference.counted import counted


def gaps(seed, rows=101):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.choice(["u", "v", None], rows)})
    X.loc[rng.random(rows) < 0.3, "a"] = np.nan
    y = np.where(X["a"].fillna(0) + rng.normal(size=rows) > 0, "yes", "no")
    y[:2] = ["no", "yes"]
    return X, y


def test_a_failed_refit_leaves_the_estimator_as_it_was():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (50, 3)), rng.integers(0, 2, 50)
    clf = bl.BayesNetClassifier(categorical_features=[0, 1, 2]).fit(X, y)
    before = clf.predict_proba(X)
    clf.set_params(structure=bl.TAN(root="nope"))
    with pytest.raises(ValueError, match="root 'nope' is not a feature"):
        clf.fit(rng.integers(0, 200, (600, 4)), rng.integers(0, 3, 600))
    assert clf.n_features_in_ == 3
    assert (clf.predict_proba(X) == before).all()


@pytest.mark.parametrize(
    "discretizer", [bl.MDLP(), bl.MedianSplit(), bl.Quantiles(3), bl.EqualWidth(3)], ids=repr
)
def test_dropped_rows_are_not_seen_at_all(discretizer):
    X, y = gaps(0)
    complete = X.notna().all(axis=1).to_numpy()
    clf = counted(missing="drop", discretizer=discretizer).fit(X, y)
    fewer = clone(clf).fit(X[complete], y[complete])
    assert clf.schema_ == fewer.schema_
    assert (clf.predict_proba(X) == fewer.predict_proba(X)).all()


def test_dropping_may_leave_one_class():
    X, _ = gaps(1)
    one_class = X.notna().all(axis=1).to_numpy()
    with pytest.raises(ValueError, match="y has only one class"):
        bl.BayesNetClassifier(missing="drop").fit(X, np.where(one_class, "yes", "no"))


@pytest.mark.parametrize(
    "discretizer", [bl.MDLP(), bl.MedianSplit(), bl.Quantiles(3), bl.EqualWidth(3)], ids=repr
)
@pytest.mark.parametrize("seed", range(3))
def test_imputed_values_get_the_same_code_in_fit_and_in_prediction(discretizer, seed):
    X, y = gaps(seed)
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet(), discretizer, missing="impute")
    trained = clf.learn_table(X, y).codes[:, 0]
    clf.fit(X, y)
    assert (trained == clf.encode(X).codes[:, 0]).all()
    order = np.random.default_rng(seed).permutation(len(X))
    assert clone(clf).fit(X.iloc[order], y[order]).schema_ == clf.schema_
    weights = np.random.default_rng(seed).integers(1, 4, len(X))
    weighted = clone(clf).fit(X, y, sample_weight=weights)
    repeated = clone(clf).fit(X.loc[X.index.repeat(weights)], y.repeat(weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


TABLE = (bl.data.Variable("a", ("x", "y")), bl.data.Variable("class", ("no", "yes")))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: bl.data.Table(TABLE, np.full((9, 2), 254, np.uint8, order="F")),
            ValueError,
            "codes up to 1; got 254",
        ),
        (lambda: bl.data.Table(TABLE, np.zeros((9, 2), np.uint8)), ValueError, "column-major order"),
        (lambda: bl.data.Table(TABLE, np.zeros((9, 2), order="F")), TypeError, "uint8 or uint16"),
        (
            lambda: bl.data.Table.from_codes(TABLE, [[0, 0]], target=7),
            ValueError,
            r"target must be .* \[0, 1\]. Got 7",
        ),
        (lambda: bl.data.Table.from_codes(TABLE, [[0, 0]], target=-1), ValueError, "Got -1 instead"),
        (lambda: bl.data.Table.from_codes(TABLE, [[0.7, 0]]), TypeError, "whole numbers. Got float64"),
        (lambda: bl.data.Table.from_codes(TABLE, [[0, 0]], weights=[1.0]), TypeError, "array of float64"),
        (lambda: bl.data.Table.from_codes(TABLE, [[0, 0]], np.ones(2)), ValueError, "the table has 1 rows"),
    ],
)
def test_tables_that_kernels_must_not_meet(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_networks_refuse_foreign_codes():
    net = bl.BayesNet(
        TABLE, bl.DAG(["a", "class"], [("class", "a")]), [np.full((2, 2), 0.5), [0.5, 0.5]], "class"
    )
    codes = np.array([[200, 0]], dtype=np.uint8, order="F")
    with pytest.raises(ValueError, match="'a' has 2 states, hence codes up to 1; got 200"):
        net.log_joint(codes, 1)
    with pytest.raises(ValueError, match=r"query must be a node in the range \[0, 1\]. Got -1"):
        net.log_joint(codes, -1)
    with pytest.raises(TypeError, match="uint8 or uint16"):
        net.log_joint(np.zeros((1, 2)), 1)


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (
            lambda d: d["features"][0].update(cuts=[1.0, 2.0, 3.0]),
            "table of 'a' has shape",
        ),
        (
            lambda d: d["features"][0].update(fill=200),
            "code 200 that replaces missing values of 'a' is not one of its states",
        ),
        (
            lambda d: d["features"][0].update(cuts=[3.0, 1.0]),
            "cut points of 'a' are not increasing finite numbers",
        ),
        (lambda d: d["classes"].update(labels=["no"]), "class labels are not the states of the class"),
        (
            lambda d: d["network"]["parents"].update(b=d["network"]["parents"].pop("b")),
            "the network and the schema disagree about 'class'",
        ),
        (
            lambda d: d["network"].update(parents={"z": ["class"], **d["network"]["parents"]}),
            "the network and the schema disagree about 'z'",
        ),
        (
            lambda d: d["network"]["tables"][0][0].__setitem__(0, 7.0),
            "table of 'a' has rows that do not sum to one",
        ),
    ],
)
def test_model_files_whose_parts_disagree(tamper, message, tmp_path):
    X, y = gaps(0)
    bl.BayesNetClassifier(bl.NaiveBayes(), discretizer=bl.MedianSplit()).fit(X, y).save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    tamper(document)
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=rf"m.json' is damaged: .*{message}"):
        bl.load(tmp_path / "m.json")
