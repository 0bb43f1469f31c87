"""Slips of the pen in calls: what is said in answer, or that something is said at all."""

import pandas as pd
import polars as pl
import pytest

import bayleaf as bl


@pytest.fixture
def frame():
    return pd.DataFrame({"a": ["u", "v"] * 10, "b": [1, 2, 3, 4] * 5, "status": ["ill", "well"] * 10})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_class_column_left_in_the_table_is_a_warning(frame, library):
    rows = library(frame.to_dict("list"))
    with pytest.warns(
        UserWarning, match="X has a column 'status', the name of y: if it is the class.*Leave it out"
    ):
        clf = bl.BayesNetClassifier().fit(rows, rows["status"])
    assert clf.schema_.target.name == "class"
    with pytest.warns(UserWarning, match="X has a column 'status', the name of y"):
        bl.MMPC().fit(rows, rows["status"])


def test_other_names_of_the_class_are_no_warning(frame):
    y = frame["status"]
    assert bl.BayesNetClassifier().fit(frame[["a", "b"]], y).schema_.target.name == "status"
    # Without a name of its own y may meet a feature that happens to be called so.
    table = frame[["a"]].rename(columns={"a": "class"})
    assert bl.BayesNetClassifier().fit(table, y.to_numpy()).schema_.target.name == "class_"
