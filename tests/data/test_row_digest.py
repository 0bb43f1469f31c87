"""Training rows are recognised by their digest, whatever library they come in, and others are not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Schema, Variable, raw_rows
from bayleaf.data.columns import take_rows
from bayleaf.data.raw_rows import RowDigest, class_hashes, row_hashes, seen_rows
from reference.counted import counted


def rows(seed, n):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.normal(50, 15, n), "sex": rng.choice(["f", "m"], n), "dose": rng.random(n)})
    X.loc[rng.random(n) < 0.1, "sex"] = None
    X.loc[rng.random(n) < 0.1, "dose"] = np.nan
    return X, np.where(X["age"] + rng.normal(0, 9, n) > 50, "yes", "no")


def seen(digest, hashes):
    """Return how many rows are equal to a kept one, and the share of rows that were in training."""
    equal = digest.equal(hashes)
    return equal, digest.share(equal, len(hashes))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 30))
def test_the_share_is_that_of_the_rows_that_were_in_training(seed, old):
    X, y = rows(seed, 60)
    clf = counted().fit(X[:40], y[:40])
    mixed = pd.concat([X[:old], X[40:]])
    found = seen(clf.training_.digest, row_hashes(clf.schema_, mixed, [*y[:old], *y[40:]]))
    assert found == (old, pytest.approx(old / (old + 20)))
    assert clf.training_.digest.is_exact


def test_rows_are_the_same_in_every_library_and_precision(tmp_path):
    X, y = rows(1, 50)
    clf = bl.BayesNetClassifier().fit(X, y)
    single = X.assign(age=X["age"].astype(np.float32))
    X.to_csv(tmp_path / "rows.csv", index=False)
    for table in (pl.from_pandas(X), single, pl.read_csv(tmp_path / "rows.csv"), X[["sex", "dose", "age"]]):
        assert seen(clf.training_.digest, row_hashes(clf.schema_, table, y)) == (50, 1.0)
    other = np.where(y == "yes", "no", "yes")
    assert seen(clf.training_.digest, row_hashes(clf.schema_, X, other)) == (0, 0.0)
    assert seen(clf.training_.digest, row_hashes(clf.schema_, X.drop(columns="age"), y)) == (0, 0.0)


def test_a_value_that_moves_within_its_interval_is_another_row():
    X, y = rows(2, 50)
    clf = bl.BayesNetClassifier().fit(X, y)
    assert seen(clf.training_.digest, row_hashes(clf.schema_, X.assign(age=X["age"] + 1e-4), y)) == (0, 0.0)


def test_equal_rows_by_chance_are_not_called_training_rows():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.choice(["a", "b"], (400, 4)), columns=list("wxyz"))
    y = rng.choice(["no", "yes"], 400)
    clf = bl.BayesNetClassifier().fit(X[:200], y[:200])
    equal, share = seen(clf.training_.digest, row_hashes(clf.schema_, X[200:], y[200:]))
    assert equal > 190  # there are 32 different rows
    assert share == 0.0


def test_of_many_rows_some_are_kept_and_the_share_is_estimated(monkeypatch):
    monkeypatch.setattr(raw_rows, "MOST_KEPT", 300)
    X, y = rows(4, 1500)
    schema = bl.BayesNetClassifier().fit(X, y).schema_
    digest = seen_rows(schema, None, X[:1000], y[:1000])["digest"]
    assert len(digest.kept()) == 300
    assert not digest.is_exact
    equal, share = seen(digest, row_hashes(schema, X[500:], y[500:]))
    assert equal == pytest.approx(150, abs=40)
    assert share == pytest.approx(0.5, abs=0.14)
    assert seen(digest, row_hashes(schema, X[1000:], y[1000:])) == (0, 0.0)


def test_rows_of_weight_zero_were_not_used(tmp_path):
    X, y = rows(5, 40)
    weights = np.r_[np.ones(30), np.zeros(10)]
    for model in (bl.BayesNetClassifier(), bl.BaggedClassifier(n_estimators=2, random_state=0)):
        fitted = model.fit(X, y, sample_weight=weights)
        fitted.save(tmp_path / "m.json")
        kept = bl.load(tmp_path / "m.json").training_
        assert kept.digest == fitted.training_.digest
        assert seen(kept.digest, row_hashes(fitted.schema_, X, y)) == (30, pytest.approx(0.75))
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
    named = pl.DataFrame(X, schema=[f"x{j}" for j in range(4)])
    for rows in (X, named):
        assert seen_rows(Schema(variables), None, rows, ["yes"] * n)["ranges"] == expected


def test_a_digest_without_rows_has_seen_nothing():
    assert seen(RowDigest(0, "", 0.0), np.array([1], dtype=np.uint64)) == (0, 0.0)


def odd_rows(seed, n):
    """Columns that are read in many ways, each with gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(50, 15, n),
            "whole": pd.array(rng.integers(0, 6, n), dtype="Int64"),
            "price": [f"{euros:.2f} €".replace(".", ",") for euros in rng.lognormal(3, 1, n)],
            "text": rng.choice(["a", "b", "c", "1", "1.0"], n),
            "declared": pd.Categorical(rng.choice(["x", "y"], n), categories=["z", "y", "x"]),
            "truth": rng.choice(np.array([True, False, None], dtype=object), n),
            "numbered": pd.Categorical(rng.integers(1, 4, n)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
            "written": [f"{day}.{month}.2023" for day, month in rng.integers(1, 13, (n, 2))],
            "nothing": np.full(n, np.nan),
            "id": [f"case {k}" for k in range(n)],
        }
    )
    for name in X.columns.drop("id"):
        X.loc[rng.random(n) < 0.1, name] = None
    return X, np.where(rng.random(n) < 0.3, "no", "yes")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("most", [5000, 25])
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    missing=st.sampled_from(["auto", "available", "state", "drop", "impute"]),
    setting=st.sampled_from(
        [
            {},
            {"min_frequency": 8},
            {"max_categories": 3},
            {"column_types": {"day": "category", "whole": "category"}},
        ]
    ),
    weighted=st.booleans(),
    unlabelled=st.booleans(),
    library=st.sampled_from(["pandas", "polars", "array"]),
)
def test_the_digest_of_fit_is_that_of_the_same_rows_encoded_later(
    most, seed, missing, setting, weighted, unlabelled, library
):
    X, y = odd_rows(seed, 40 if missing != "drop" else 80)
    weights = np.random.default_rng(seed).integers(0, 3, len(y)) if weighted else None
    if missing == "drop":
        X = X.drop(columns="nothing")
        X = X.iloc[:, :3].join(X["day"]) if seed % 2 else X.iloc[:, 3:]
    if unlabelled:
        y = np.where(np.arange(len(y)) % 7 == 0, None, y)
    setting = {key: each for key, each in setting.items() if key != "column_types" or "day" in X.columns}
    if "column_types" in setting:
        setting["column_types"] = {name: kind for name, kind in setting["column_types"].items() if name in X}
    if library == "polars":
        X = pl.from_pandas(X.astype({"truth": object}) if "truth" in X else X)
    elif library == "array":
        X, setting = X.astype(object).to_numpy(), {k: v for k, v in setting.items() if k != "column_types"}
    clf = bl.BayesNetClassifier(missing=missing, **setting)
    used = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(raw_rows, "MOST_KEPT", most)
        table = clf.learn_table(X, y, weights)
        found, again = (seen_rows(clf.schema_, each, X, y, weights) for each in (table, None))
    assert found == again
    X, y = take_rows(X, used), take_rows(y, used)
    assert found["ranges"] == seen_rows(clf.schema_, None, X, y)["ranges"]
    if most > len(y):
        assert found["digest"] == RowDigest.of_hashes(row_hashes(clf.schema_, X, y), len(y))
    assert table.n_rows <= len(y)


def test_training_rows_are_not_encoded_again_for_their_digest(monkeypatch):
    X, y = rows(7, 60)
    monkeypatch.setattr(raw_rows, "encode", None)
    clf = bl.BayesNetClassifier().fit(X, y)
    monkeypatch.undo()
    assert seen(clf.training_.digest, row_hashes(clf.schema_, X, y)) == (60, 1.0)


def test_rare_categories_that_are_spelled_like_others_have_one_digest():
    X = pd.DataFrame({"code": ["1"] * 30 + ["1.0"] * 2 + ["x"] * 30})
    y = np.arange(62) % 2
    clf = bl.BayesNetClassifier(min_frequency=5, categorical_features=["code"]).fit(X, y)
    assert clf.schema_.features[0].states == ("1", "x", "(other)")
    assert clf.training_.digest == RowDigest.of_hashes(row_hashes(clf.schema_, X, y), len(y))


def test_rows_without_a_class_are_hashed_with_each():
    X, y = rows(0, 40)
    clf = counted().fit(X, y)
    each = class_hashes(clf.schema_, X, clf.classes_)
    assert [own.tolist() for own in each] == [
        row_hashes(clf.schema_, X, [label] * 40).tolist() for label in clf.classes_
    ]
    assert np.isin(each, clf.training_.digest.kept()).sum(axis=0).tolist() == [1] * 40
