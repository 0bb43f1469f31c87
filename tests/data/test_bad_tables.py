"""Tables that cannot be read: one sentence each, whatever library they come from."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayleaf as bl

ROWS = 10


def stream(table):
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())


def ending_early(table):
    def batches():
        yield from table.to_batches()
        raise OSError("the disk is gone")

    return pa.RecordBatchReader.from_batches(table.schema, batches())


MONTHS = pa.array([(1, 2, 3)] * ROWS, pa.month_day_nano_interval())
PAIRS = pa.array([[("a", 1)]] * ROWS, pa.map_(pa.string(), pa.int64()))
BAD = {
    "lists of polars": (lambda: pl.DataFrame({"x": [[1]] * ROWS}), r"Column 'x' has type List\(Int64\)"),
    "structs of polars": (lambda: pl.DataFrame({"x": [{"a": 1}] * ROWS}), "Column 'x' has type Struct"),
    "bytes of polars": (lambda: pl.DataFrame({"x": [b"a"] * ROWS}), "Column 'x' has type Binary"),
    "lists of Arrow": (lambda: pa.table({"x": [[1]] * ROWS}), r"Column 'x' has type List\(Int64\)"),
    "structs of Arrow": (lambda: pa.table({"x": [{"a": 1}] * ROWS}), "Column 'x' has type Struct"),
    "bytes of Arrow": (lambda: pa.table({"x": [b"a"] * ROWS}), "Column 'x' has type Binary"),
    "maps of Arrow": (lambda: pa.table({"x": PAIRS}), "Column 'x' has type map<string, int64>"),
    "months of Arrow": (lambda: pa.table({"x": MONTHS}), "Column 'x' has type month_day_nano_interval"),
    "lists of a stream": (lambda: stream(pa.table({"x": [[1]] * ROWS})), "Column 'x' has type list"),
    "structs of a stream": (lambda: stream(pa.table({"x": [{"a": 1}] * ROWS})), "Column 'x' has type struct"),
    "bytes of a stream": (lambda: stream(pa.table({"x": [b"a"] * ROWS})), "Column 'x' has type binary"),
    "months of a stream": (lambda: stream(pa.table({"x": MONTHS})), "Column 'x' has type calendar interval"),
    "a stream that ends early": (
        lambda: ending_early(pa.table({"x": [1] * ROWS})),
        "The Arrow stream ended early: .*the disk is gone",
    ),
    "lists of pandas": (lambda: pd.DataFrame({"x": [[1]] * ROWS}), "holds values of type list"),
    "bytes of pandas": (lambda: pd.DataFrame({"x": [b"a"] * ROWS}), "holds values of type bytes"),
    "names twice": (lambda: pd.DataFrame([[1, 2]] * ROWS, columns=["a", "a"]), r"of the same name: \['a'\]"),
    "names twice in Arrow": (
        lambda: pa.table([[1] * ROWS] * 2, names=["a", "a"]),
        r"of the same name: \['a'\]",
    ),
    "names twice in a stream": (
        lambda: stream(pa.table([[1] * ROWS] * 2, names=["a", "a"])),
        r"of the same name: \['a'\]",
    ),
    "texts and numbers": (
        lambda: pd.DataFrame({"x": ["a", 1] * 5}),
        r"Column 'x' mixes int \(1\) and str \('a'\) values: convert it to one type",
    ),
    "dates and texts": (
        lambda: pd.DataFrame({"x": [dt.date(2020, 1, 1), "a"] * 5}),
        r"Column 'x' mixes date \(datetime.date\(2020, 1, 1\)\) and str \('a'\) values",
    ),
    "integers beyond all floats": (
        lambda: pd.DataFrame({"x": [10**400, -(10**400), 1, 2, 3] * 2}, dtype=object),
        r"Column 'x' has 4 infinite values \(inf\): replace them by a finite number, below 1.8e308",
    ),
    "no rows": (lambda: pl.DataFrame({"x": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
    "nothing": (pl.DataFrame, r"0 sample\(s\) \(shape=\(0, 0\)\)"),
    "no columns": (lambda: pd.DataFrame(index=range(ROWS)), r"0 feature\(s\) \(shape=\(10, 0\)\)"),
    "rows of different lengths": (
        lambda: [[1, 2], [3]] * 5,
        "X has rows of different lengths: the first has 2 values, row 2 has 1",
    ),
    "a dict": (lambda: {"x": [1] * ROWS}, "X is a dict: pass the columns as a DataFrame"),
    "bytes of numpy": (lambda: np.zeros((ROWS, 1), dtype="V4"), r"X has type \|V4, which is not supported"),
}


@pytest.mark.parametrize("case", BAD)
def test_tables_that_cannot_be_read(case):
    make, message = BAD[case]
    labels = [] if case in ("no rows", "nothing") else [0, 1] * (ROWS // 2)
    good = bl.BayesNetClassifier().fit([["a"], ["b"]] * 5, [0, 1] * 5)
    before = vars(good).copy()
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        good.fit(make(), labels)
    assert "\n" not in str(caught.value)
    assert vars(good) == before  # the estimator is what it was


def test_tables_of_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    frame = pl.DataFrame({"x": ["a", "b"] * 20, "n": [1.5, None] * 20, "d": [dt.date(1500, 1, 1)] * 40})
    y = [0, 1] * 20
    relation = duckdb.sql("select * from frame")
    model = bl.BayesNetClassifier().fit(relation, y)
    known = bl.BayesNetClassifier().fit(frame, y)
    assert model.schema_ == known.schema_
    np.testing.assert_array_equal(
        model.predict_proba(duckdb.sql("select * from frame")), known.predict_proba(frame)
    )
    with pytest.raises((TypeError, ValueError), match="Column 'x' has type list"):
        bl.BayesNetClassifier().fit(duckdb.sql("select [1, 2] as x from range(4)"), [0, 1] * 2)


def test_tables_of_ibis():
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    frame = pl.DataFrame({"x": ["a", "b"] * 20, "n": [1, 2, 3, 4] * 10})
    y = [0, 1] * 20
    model = bl.BayesNetClassifier().fit(ibis.memtable(frame.to_arrow()), y)
    assert model.schema_ == bl.BayesNetClassifier().fit(frame, y).schema_


def test_more_classes_than_codes_are_refused():
    y = np.arange(2 * 65_536) // 2
    with pytest.raises(ValueError, match="y has 65,536 classes, more than 65,535: is it a number to predict"):
        bl.BayesNetClassifier(classes="many").fit(np.zeros((len(y), 1)), y)
