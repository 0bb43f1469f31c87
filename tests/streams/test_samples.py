"""Pools and ensembles learn from a uniform sample of a stream, and say so."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.streams import open_stream

ENSEMBLES = [
    bl.AveragedClassifier(bl.AODE(), bl.BayesNetClassifier(parameters=bl.Laplace())),
    bl.BaggedClassifier(bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()), n_estimators=2, random_state=0),
    bl.NetworkPool(cycles=0, seeds=1),
]


def frame(rows=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    noisy = [np.where(rng.random(rows) < 0.8, y, 1 - y) for _ in range(2)]
    return pl.DataFrame(
        {
            "a": noisy[0].astype(str),
            "n": noisy[1] + rng.normal(size=rows),
            "w": rng.integers(0, 3, rows),
            "y": np.array(["no", "yes"])[y],
        }
    )


@pytest.mark.parametrize("model", ENSEMBLES, ids=lambda each: type(each).__name__)
def test_the_model_of_the_sample(model, tmp_path):
    rows = frame()
    rows[:150].write_parquet(tmp_path / "a.parquet")
    rows[150:].write_parquet(tmp_path / "b.parquet")
    model.fit_from(tmp_path, "y", weight="w", sample_rows=100)
    counted = rows.filter(pl.col("w") > 0)
    assert model.training_.sampled == {"rows read": counted.height, "networks": 100}
    reader = bl.BayesNetClassifier()._new_reader()
    chosen = open_stream(reader, rows, "y", weight="w", sample_rows=100, whole_rows=True).whole()
    assert len(chosen[0]) == 100
    expected = type(model)(**model.get_params(deep=False)).fit(*chosen)
    X = rows.select("a", "n")
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    model.save(tmp_path / "m.bayleaf.json")
    assert bl.load(tmp_path / "m.bayleaf.json").training_.sampled == model.training_.sampled


def test_few_rows_are_all_rows():
    model = ENSEMBLES[0].fit_from(frame(), "y", drop=["w"])
    assert model.training_.sampled is None
    assert model.training_.rows == 300


def test_what_is_wrong_is_said_and_the_model_stays_what_it_was():
    model = ENSEMBLES[0].fit(frame().select("a", "n"), frame()["y"])
    before = model.estimators_
    with pytest.raises(ValueError, match=r"no column 'Y' \(the class\). Did you mean 'y'"):
        model.fit_from(frame(), "Y")
    with pytest.raises(ValueError, match="no column besides those of the class and the weights"):
        model.fit_from(frame(), "y", drop=["a", "n", "w"])
    with pytest.raises(ValueError, match="has no rows that count"):
        model.fit_from(frame().with_columns(w=0), "y", weight="w")
    with pytest.raises(ValueError, match="'sample_rows' parameter"):
        model.fit_from(frame(), "y", sample_rows=0)
    assert model.estimators_ is before
    gone = frame().with_columns(y=pl.when(pl.int_range(300) > 9).then("y"))
    with pytest.warns(UserWarning, match="10 of 300 rows have no class"):
        model.fit_from(gone, "y", sample_rows=100)
    assert model.training_.sampled == {"rows read": 290, "networks": 100}
