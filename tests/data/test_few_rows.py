"""Few rows: what is read value by value equals what is read column by column, and one row more takes no longer."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data import reader

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def model_and_rows():
    rows = pd.DataFrame({f"c{k}": RNG.normal(size=1000) for k in range(6)})
    rows["kind"] = RNG.choice(["a", "b", "c"], 1000)
    rows.loc[::7, "kind"] = None
    rows.loc[::5, "c1"] = np.nan
    y = (rows["c0"] + RNG.normal(size=1000) > 0).to_numpy().astype(int)
    return bl.BayesNetClassifier(structure=bl.TAN()).fit(rows, y), rows


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas])
def test_the_way_of_reading_does_not_show(model_and_rows, library, monkeypatch):
    model, rows = model_and_rows
    for n in (1, 9, 400, 401, 900):
        some = library(rows.head(n))
        by_value = model.predict_proba(some)
        with monkeypatch.context() as changed:
            changed.setattr(reader, "FEW_ROWS", {})
            np.testing.assert_array_equal(model.predict_proba(some), by_value)


def test_ten_rows_take_about_as_long_as_five(model_and_rows):
    model, rows = model_and_rows
    assert best_of(model, rows.head(10)) < 4 * best_of(model, rows.head(5))


def best_of(model, rows, calls=60):
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        model.predict_proba(rows)
        times.append(time.perf_counter() - start)
    return min(times)
