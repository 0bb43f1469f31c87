"""Training rows are recognised by their digest, whatever library they come in, and others are not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Schema, Variable, raw_rows
from bayleaf.data.raw_rows import RowDigest, digest_of, number_ranges, row_hashes
from reference.counted import counted


def rows(seed, n):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.normal(50, 15, n), "sex": rng.choice(["f", "m"], n), "dose": rng.random(n)})
    X.loc[rng.random(n) < 0.1, "sex"] = None
    X.loc[rng.random(n) < 0.1, "dose"] = np.nan
    return X, np.where(X["age"] + rng.normal(0, 9, n) > 50, "yes", "no")


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 30))
def test_the_share_is_that_of_the_rows_that_were_in_training(seed, old):
    X, y = rows(seed, 60)
    clf = counted().fit(X[:40], y[:40])
    mixed = pd.concat([X[:old], X[40:]])
    found = clf.training_.digest.seen(row_hashes(clf.schema_, mixed, [*y[:old], *y[40:]]))
    assert found == (old, pytest.approx(old / (old + 20)))
    assert clf.training_.digest.is_exact


def test_rows_are_the_same_in_every_library_and_precision(tmp_path):
    X, y = rows(1, 50)
    clf = bl.BayesNetClassifier().fit(X, y)
    single = X.assign(age=X["age"].astype(np.float32))
    X.to_csv(tmp_path / "rows.csv", index=False)
    for table in (pl.from_pandas(X), single, pl.read_csv(tmp_path / "rows.csv"), X[["sex", "dose", "age"]]):
        assert clf.training_.digest.seen(row_hashes(clf.schema_, table, y)) == (50, 1.0)
    other = np.where(y == "yes", "no", "yes")
    assert clf.training_.digest.seen(row_hashes(clf.schema_, X, other)) == (0, 0.0)
    assert clf.training_.digest.seen(row_hashes(clf.schema_, X.drop(columns="age"), y)) == (0, 0.0)


def test_a_value_that_moves_within_its_interval_is_another_row():
    X, y = rows(2, 50)
    clf = bl.BayesNetClassifier().fit(X, y)
    assert clf.training_.digest.seen(row_hashes(clf.schema_, X.assign(age=X["age"] + 1e-4), y)) == (0, 0.0)


def test_equal_rows_by_chance_are_not_called_training_rows():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.choice(["a", "b"], (400, 4)), columns=list("wxyz"))
    y = rng.choice(["no", "yes"], 400)
    clf = bl.BayesNetClassifier().fit(X[:200], y[:200])
    equal, share = clf.training_.digest.seen(row_hashes(clf.schema_, X[200:], y[200:]))
    assert equal > 190  # there are 32 different rows
    assert share == 0.0


def test_of_many_rows_some_are_kept_and_the_share_is_estimated(monkeypatch):
    monkeypatch.setattr(raw_rows, "MOST_KEPT", 300)
    X, y = rows(4, 1500)
    schema = bl.BayesNetClassifier().fit(X, y).schema_
    digest = digest_of(schema, X[:1000], y[:1000])
    assert len(digest.kept()) == 300
    assert not digest.is_exact
    equal, share = digest.seen(row_hashes(schema, X[500:], y[500:]))
    assert equal == pytest.approx(150, abs=40)
    assert share == pytest.approx(0.5, abs=0.14)
    assert digest.seen(row_hashes(schema, X[1000:], y[1000:])) == (0, 0.0)


def test_rows_of_weight_zero_were_not_used(tmp_path):
    X, y = rows(5, 40)
    weights = np.r_[np.ones(30), np.zeros(10)]
    for model in (bl.BayesNetClassifier(), bl.BaggedClassifier(n_estimators=2, random_state=0)):
        fitted = model.fit(X, y, sample_weight=weights)
        fitted.save(tmp_path / "m.json")
        kept = bl.load(tmp_path / "m.json").training_
        assert kept.digest == fitted.training_.digest
        assert kept.digest.seen(row_hashes(fitted.schema_, X, y)) == (30, pytest.approx(0.75))
        assert kept.ranges["age"] == [X["age"][:30].min(), X["age"][:30].max()]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("n", [7, 5000])
def test_ranges_of_arrays_are_those_of_their_columns(dtype, n):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 200, (n, 4)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        X[rng.random((n, 4)) < 0.3] = np.nan
        X[:, 3] = np.nan
    variables = tuple(Variable.numeric(f"x{j}", [10.0]) for j in range(4))
    expected = {
        f"x{j}": [np.nanmin(X[:, j]), np.nanmax(X[:, j])] for j in range(4) if not np.isnan(X[:, j]).all()
    }
    assert number_ranges(Schema(variables), X) == expected
    named = pl.DataFrame(X, schema=[f"x{j}" for j in range(4)])
    assert number_ranges(Schema(variables), named) == expected


def test_a_digest_without_rows_has_seen_nothing():
    assert RowDigest(0, "", 0.0).seen(np.array([1], dtype=np.uint64)) == (0, 0.0)
