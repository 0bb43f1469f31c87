"""Columns that a table at prediction does not have."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayleaf as bl
from reference.counted import counted


def rows(count=60):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, count)
    return {
        "a": (y + rng.normal(0, 0.5, count)).tolist(),
        "b": np.where(rng.random(count) < 0.8, y, 1 - y).astype(str).tolist(),
        "c": rng.integers(0, 3, count).tolist(),
    }, y


FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
MODELS = [
    counted(absent_columns="missing"),
    bl.BaggedClassifier(counted(absent_columns="missing"), 2, random_state=0),
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("model", MODELS, ids=["single", "ensemble"])
@pytest.mark.parametrize("count", [1, 60])
def test_an_absent_column_is_missing_in_every_row(frame, model, count):
    data, y = rows()
    model.fit(frame(data), y)
    some = {name: values[:count] for name, values in data.items()}
    unknown = {**some, "b": [None] * count}
    del some["b"]
    expected = model.predict_proba(frame(unknown))
    np.testing.assert_array_equal(model.predict_proba(frame(some)), expected)
    np.testing.assert_array_equal(model.predict_proba(frame(dict(reversed(some.items())))), expected)
    np.testing.assert_array_equal(model.scorer()(frame(some)), expected)
    with pytest.raises(ValueError, match="X has none of the columns that fit has seen; it has 'z'"):
        model.predict(frame({"z": [1, 2]}))
    with pytest.warns(UserWarning, match=r"^Ignored 1 column that fit has not seen: 'z'\.$"):
        np.testing.assert_array_equal(model.predict_proba(frame({**some, "z": [1] * count})), expected)


def test_streams_without_a_column():
    data, y = rows()
    model = bl.BayesNetClassifier(absent_columns="missing").fit(pl.DataFrame(data), y)
    table = pa.table(data).drop_columns(["b"])
    expected = model.predict_proba(table)
    for score in (model.predict_proba, model.scorer()):
        stream = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
        np.testing.assert_array_equal(score(stream), expected)


@pytest.mark.parametrize("frame", FRAMES)
def test_an_absent_column_is_an_error_by_default(frame):
    data, y = rows()
    model = bl.BayesNetClassifier().fit(frame(data), y)
    del data["b"]
    message = r"^X lacks 1 column of fit: 'b'\. absent_columns='missing' takes what is absent as missing"
    for predict in (model.predict, model.scorer()):
        with pytest.raises(ValueError, match=message):
            predict(frame(data))
    with pytest.raises(ValueError, match=r"'absent_columns' parameter of BayesNetClassifier must be"):
        bl.BayesNetClassifier(absent_columns="ignore").fit(frame(data), y)


@pytest.mark.filterwarnings("ignore::bayleaf.data.IdentifierWarning")
@pytest.mark.parametrize("frame", FRAMES)
def test_identifiers_may_be_absent(frame):
    data, y = rows()
    model = bl.BayesNetClassifier().fit(frame({**data, "id": [f"n{k}" for k in range(60)]}), y)
    np.testing.assert_array_equal(
        model.predict_proba(frame(data)),
        bl.BayesNetClassifier().fit(frame(data), y).predict_proba(frame(data)),
    )
    assert model.scorer()(frame(data)).shape == (60, 2)


def test_arrays_have_no_names_to_know_columns_by():
    data, y = rows()
    X = np.column_stack([data["a"], data["c"]])
    model = bl.BayesNetClassifier(absent_columns="missing").fit(X, y)
    with pytest.raises(ValueError, match="X has 1 features, but BayesNetClassifier is expecting 2"):
        model.predict(X[:, :1])


def test_a_loaded_model_keeps_the_setting(tmp_path):
    data, y = rows()
    model = bl.BayesNetClassifier(absent_columns="missing").fit(pl.DataFrame(data), y)
    model.save(tmp_path / "m.json")
    some = pl.DataFrame(data).drop("c")
    np.testing.assert_array_equal(bl.load(tmp_path / "m.json").predict_proba(some), model.predict_proba(some))
