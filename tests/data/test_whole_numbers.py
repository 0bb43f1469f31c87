"""Whole numbers of few values keep one state per value; all others are cut by the discretiser."""

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold, cross_val_score

import bayleaf as bl
from bayleaf.data.numbers import FEWEST_ROWS, MOST_VALUES, value_cuts
from bayleaf.tables import read_data
from reference.counted import counted

DATA = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[3] / "shared" / "data"))


def obvious_cuts(values, weights):
    """Count every value, one after the other."""
    rows = Counter()
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        if value == value:
            rows[value] += weight
    levels = sorted(rows)
    if any(level != int(level) for level in levels) or not 1 < len(levels) <= MOST_VALUES:
        return None
    if sum(rows.values()) < FEWEST_ROWS * len(levels):
        return None
    return [(low + high) / 2 for low, high in pairwise(levels)]


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["i1", "i4", "i8", "u1", "u8", "f4", "f8"]),
    st.lists(st.integers(0, 100), min_size=1, max_size=13, unique=True),
    st.sampled_from([1, 2, 15, 45, 3000]),
    st.booleans(),
    st.sampled_from(["nothing", "missing", "half"]),
    st.integers(0, 2**32 - 1),
)
def test_cuts_between_all_values(kind, levels, rows, weighted, odd, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice(levels, rows).repeat(8).astype(kind)
    if kind.startswith("f") and odd == "missing":
        values[rng.random(len(values)) < 0.3] = np.nan
    if kind.startswith("f") and odd == "half":
        values[rng.integers(len(values))] += 0.5
    weights = rng.integers(1, 4, len(values)).astype(float) if weighted else np.ones(len(values))
    expected = obvious_cuts(values, weights)
    found = value_cuts(values, weights if weighted else None)
    assert (None if found is None else found.tolist()) == expected


def test_numbers_that_are_far_apart():
    for values in (np.array([0, 10**12, 2**62]), np.array([-(2.0**53), 0.0, 2.0**40])):
        cuts = value_cuts(np.repeat(values, FEWEST_ROWS), None)
        assert cuts.tolist() == [values[0] / 2 + values[1] / 2, values[1] / 2 + values[2] / 2]
    assert value_cuts(np.repeat([0.0, 2.0**60], 100), None) is None  # not every whole number is a float there


@pytest.fixture
def codes():
    """Two thirds of the rows with the middle one of three codes are of class 1: no single cut tells enough."""
    rng = np.random.default_rng(0)
    code = rng.integers(1, 4, 300)
    y = (rng.random(300) < np.where(code == 2, 0.65, 0.35)).astype(int)
    return pd.DataFrame({"code": code, "noise": rng.random(300)}), y


def classify(codes, **settings):
    X, y = codes
    return counted(bl.NaiveBayes(), **settings).fit(X, y)


def test_one_state_per_value(codes):
    X, _ = codes
    model = classify(codes)
    assert model.schema_.features[0] == bl.data.Variable.numeric("code", [1.5, 2.5], "integer")
    assert model.predict(X).tolist() == (X["code"] == 2).astype(int).tolist()
    # Numbers between the values, and beyond them, have a place.
    new = model.encode(pd.DataFrame({"code": [0.0, 1.5, 2.4, 99.0], "noise": 0.5}))
    assert new.codes[:, 0].tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("given", [["noise"], [1], [False, True]])
def test_lists_of_categories_leave_the_others_as_they_are(codes, given):
    X, y = codes
    X = X.assign(noise=X["noise"].round(1))
    assert classify((X, y), categorical_features=given).schema_.features[0].cuts == (1.5, 2.5)


@pytest.mark.parametrize(
    ("settings", "cuts"),
    [
        ({"categorical_features": "from_dtype"}, ()),
        ({"categorical_features": None}, ()),
        ({"column_types": {"code": "number"}}, ()),
        ({"discretizer": bl.Cuts({"code": [7]}, others=bl.MDLP())}, (7,)),
        ({"discretizer": bl.Cuts({"noise": [0.5]}, others=bl.MDLP())}, (1.5, 2.5)),
        ({"discretizer": bl.MedianSplit()}, (1.5, 2.5)),
        ({"missing": "impute"}, (1.5, 2.5)),
    ],
)
def test_who_decides(codes, settings, cuts):
    assert classify(codes, **settings).schema_.features[0].cuts == cuts


def test_a_gap_makes_integers_floats(codes):
    X, y = codes
    frame = pl.DataFrame({"code": [None, *X["code"].tolist()[1:]]})
    for table in (frame, frame.to_pandas(), frame.to_arrow(), frame.to_numpy()):
        assert counted().fit(table, y).schema_.features[0].cuts == (1.5, 2.5)


def test_a_weight_is_as_many_rows():
    X, y = np.array([[1], [2], [3]] * 10), [0, 1, 0] * 10
    whole = counted().fit(X, y, sample_weight=[3] * 30).schema_.features
    assert whole == counted().fit(np.repeat(X, 3, axis=0), np.repeat(y, 3)).schema_.features
    assert whole[0].cuts == (1.5, 2.5)
    assert counted().fit(X, y).schema_.features[0].cuts == ()


def test_a_model_file_and_every_way_in_agree(codes, tmp_path):
    X, y = codes
    model = bl.BaggedClassifier(random_state=0, n_estimators=3).fit(X, y)
    expected = model.predict_proba(X)
    model.save(tmp_path / "m.bayleaf.json")
    again = bl.load(tmp_path / "m.bayleaf.json")
    score = again.scorer()
    np.testing.assert_array_equal(again.predict_proba(pl.from_pandas(X)), expected)
    np.testing.assert_array_equal(score(X.to_numpy()), expected)
    np.testing.assert_array_equal(score(X.iloc[0].to_dict()), expected[0])
    np.testing.assert_array_equal(score(X.astype(float).head(3)), expected[:3])


def test_selectors_read_columns_alike(codes):
    X, y = codes
    assert bl.MMPC().fit(X, y).support_.tolist() == [True, False]
    cut = counted(selector=bl.MMPC(), discretizer=bl.MDLP(), categorical_features="from_dtype").fit(X, y)
    assert len(cut.network_.nodes) == 1


@pytest.mark.skipif(not DATA.exists(), reason="no data folder (set BAYLEAF_DATA)")
@pytest.mark.parametrize(
    ("name", "model", "least"),
    [
        ("monks-1", counted(), 1.0),
        ("balance-scale", counted(bl.NaiveBayes()), 0.9),
    ],
)
def test_codes_written_as_integers(name, model, least):
    frame = read_data(DATA / f"{name}.csv.gz")
    X, y = frame[:, :-1], frame[:, -1]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() >= least
