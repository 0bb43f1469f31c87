"""How much of a row is known, as answers say it."""

import re

import numpy as np
import polars as pl
import pytest

import bayleaf as bl


def test_codes_of_chance_tell_nothing():
    """Hundreds of labels that chance dealt out seem to tell a lot about the class, by tables of counts."""
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.4
    x = np.where(rng.random(2000) < 0.8, y, ~y).astype(int)
    codes = [f"code {k}" for k in rng.integers(0, 400, 2000)]
    model = bl.BayesNetClassifier().fit(pl.DataFrame({"x": x, "code": codes}), y)
    row = pl.DataFrame({"x": [1], "code": [None]}, schema_overrides={"code": pl.String})
    share = float(re.search(r"(\d+)% of the information", model.explain(row).known_sentence(0))[1])
    assert share > 90


def test_drift_of_training_rows_with_marks_of_missing_values_is_no_alarm():
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.4
    values = [f"{x:.1f}" if rng.random() > 0.2 else "n.d." for x in rng.normal(5, 2, 1000)]
    table = pl.DataFrame({"crp": values})
    with pytest.warns(UserWarning, match=r"n\.d\."):
        model = bl.BayesNetClassifier().fit(table, y)
    assert not model.drift(table).alarm
