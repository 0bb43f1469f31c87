import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from bayleaf.data import read_columns
from bayleaf.data.raw_columns import ABSENT, LabelColumn, NumberColumn

WORDS = ["b", "a", None, "b"]
TRUTHS = [True, None, False]
WHOLE = [3, None, 1]
REAL = [1.5, None, 2.0]
MISSING = {"None": None, "NaN": np.nan, "NaT": pd.NaT, "pandas.NA": pd.NA}


def only(X) -> LabelColumn | NumberColumn:
    (column,) = read_columns(X)
    return column


def values_of(column: LabelColumn | NumberColumn) -> list:
    """What each row holds, None for missing."""
    if isinstance(column, LabelColumn):
        return [None if code == ABSENT else column.levels[code] for code in column.codes.tolist()]
    return [
        None if absent else value
        for absent, value in zip(column.missing, column.values.tolist(), strict=True)
    ]


def as_object_array(values) -> np.ndarray:
    return np.array([[value] for value in values], dtype=object)


STRINGS = {
    "list": lambda: [[word] for word in WORDS],
    "object array": lambda: as_object_array(WORDS),
    "pandas default": lambda: pd.DataFrame({"x": WORDS}),
    "pandas object": lambda: pd.DataFrame({"x": pd.Series(WORDS, dtype=object)}),
    "pandas string": lambda: pd.DataFrame({"x": pd.Series(WORDS, dtype="string")}),
    "pandas arrow": lambda: pd.DataFrame({"x": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string()))}),
    "pandas category": lambda: pd.DataFrame({"x": pd.Categorical(WORDS)}),
    "polars String": lambda: pl.DataFrame({"x": WORDS}),
    "polars Categorical": lambda: pl.DataFrame({"x": pl.Series(WORDS, dtype=pl.Categorical)}),
    "polars Enum": lambda: pl.DataFrame({"x": pl.Series(WORDS, dtype=pl.Enum(["a", "b"]))}),
    "pyarrow": lambda: pa.table({"x": WORDS}),
    "pyarrow dictionary": lambda: pa.table({"x": pa.array(WORDS).dictionary_encode()}),
}
BOOLEANS = {
    "list": lambda: [[truth] for truth in TRUTHS],
    "object array": lambda: as_object_array(TRUTHS),
    "pandas object": lambda: pd.DataFrame({"x": pd.Series(TRUTHS, dtype=object)}),
    "pandas boolean": lambda: pd.DataFrame({"x": pd.array(TRUTHS, dtype="boolean")}),
    "pandas category": lambda: pd.DataFrame({"x": pd.Categorical(TRUTHS)}),
    "polars": lambda: pl.DataFrame({"x": TRUTHS}),
    "pyarrow": lambda: pa.table({"x": TRUTHS}),
}
INTEGERS = {
    "list": lambda: [[number] for number in WHOLE],
    "object array": lambda: as_object_array(WHOLE),
    "masked array": lambda: np.ma.masked_array([[3], [7], [1]], mask=[[0], [1], [0]]),
    "pandas object": lambda: pd.DataFrame({"x": pd.Series(WHOLE, dtype=object)}),
    "pandas Int64": lambda: pd.DataFrame({"x": pd.array(WHOLE, dtype="Int64")}),
    "pandas arrow": lambda: pd.DataFrame({"x": pd.Series(WHOLE, dtype=pd.ArrowDtype(pa.int16()))}),
    "polars": lambda: pl.DataFrame({"x": WHOLE}),
    "polars UInt8": lambda: pl.DataFrame({"x": pl.Series(WHOLE, dtype=pl.UInt8)}),
    "pyarrow": lambda: pa.table({"x": WHOLE}),
}
FLOATS = {
    "list": lambda: [[number] for number in REAL],
    "array": lambda: np.array([[1.5], [np.nan], [2.0]]),
    "float32 array": lambda: np.array([[1.5], [np.nan], [2.0]], dtype=np.float32),
    "masked array": lambda: np.ma.masked_array([[1.5], [7.0], [2.0]], mask=[[0], [1], [0]]),
    "pandas": lambda: pd.DataFrame({"x": REAL}),
    "pandas Float64": lambda: pd.DataFrame({"x": pd.array(REAL, dtype="Float64")}),
    "polars": lambda: pl.DataFrame({"x": REAL}),
    "polars NaN": lambda: pl.DataFrame({"x": [1.5, float("nan"), 2.0]}),
    "polars Decimal": lambda: pl.DataFrame({"x": [Decimal("1.5"), None, Decimal("2.0")]}),
    "pyarrow": lambda: pa.table({"x": REAL}),
    "pyarrow decimal": lambda: pa.table({"x": [Decimal("1.5"), None, Decimal("2.0")]}),
}


def cases(makers):
    return pytest.mark.parametrize("make", makers.values(), ids=makers.keys())


@cases(STRINGS)
def test_strings(make):
    column = only(make())
    assert isinstance(column, LabelColumn)
    assert column.dtype == "string"
    assert values_of(column) == WORDS
    assert set(column.levels) == {"a", "b"}


@cases(BOOLEANS)
def test_booleans(make):
    column = only(make())
    assert isinstance(column, LabelColumn)
    assert column.dtype == "boolean"
    assert values_of(column) == TRUTHS
    assert {type(level) for level in column.levels} == {bool}


@cases(INTEGERS)
def test_integers(make):
    column = only(make())
    assert isinstance(column, NumberColumn)
    assert column.dtype == "integer"
    assert values_of(column) == WHOLE


@cases(FLOATS)
def test_floats(make):
    column = only(make())
    assert isinstance(column, NumberColumn)
    assert column.dtype == "float"
    assert column.values.dtype == np.float64
    assert values_of(column) == REAL


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_integer_arrays_keep_their_values(dtype):
    column = only(np.array([[3], [0], [127]], dtype=dtype))
    assert (column.dtype, column.values.dtype, column.values.tolist()) == ("integer", dtype, [3, 0, 127])


@pytest.mark.parametrize("dtype", ["U", "S"])
def test_arrays_of_text(dtype):
    column = only(
        np.array([["b"], ["ü"], ["b"]]) if dtype == "U" else np.array([["b"], ["c"], ["b"]], dtype="S")
    )
    assert values_of(column) == (["b", "ü", "b"] if dtype == "U" else ["b", "c", "b"])
    assert {type(level) for level in column.levels} == {str}


def test_arrays_of_booleans():
    assert values_of(only(np.array([[True], [False]]))) == [True, False]


@pytest.mark.parametrize("absent", MISSING.values(), ids=MISSING.keys())
@pytest.mark.parametrize(
    "values", [["a", "b"], [True, False], [1, 2], [0.5, 1.0]], ids=["str", "bool", "int", "float"]
)
def test_every_spelling_of_missing(absent, values):
    mixed = [values[0], absent, values[1]]
    for X in (
        as_object_array(mixed),
        [[value] for value in mixed],
        pd.DataFrame({"x": pd.Series(mixed, dtype=object)}),
    ):
        assert values_of(only(X)) == [values[0], None, values[1]]


def test_each_column_of_mixed_rows_keeps_its_type():
    rows = [[1, "a", True, 0.5], [2, None, False, 1.0]]
    for X in (
        rows,
        tuple(map(tuple, rows)),
        np.array(rows, dtype=object),
        pd.DataFrame(rows),
        pl.DataFrame(rows, orient="row"),
    ):
        columns = read_columns(X)
        assert [column.dtype for column in columns] == ["integer", "string", "boolean", "float"]
        assert [values_of(column) for column in columns] == [[1, 2], ["a", None], [True, False], [0.5, 1.0]]


def test_text_below_the_first_row_is_text():
    assert [values_of(column) for column in read_columns([[1, None], [2, "b"]])] == [[1, 2], [None, "b"]]
    assert values_of(only([["a"], [float("nan")]])) == ["a", None]
    with pytest.raises(
        TypeError, match=r"Column 'x1' mixes int \(2\) and str \('b'\) values: convert it to one type"
    ):
        read_columns([[1, 2], [3, "b"]])


def test_booleans_beside_numbers_stay_booleans():
    assert [column.dtype for column in read_columns([[True, 1], [False, 2]])] == ["boolean", "integer"]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(
    ("values", "categories", "dtype"),
    [
        (["b", "a"], ["c", "b", "a"], "string"),
        ([3, 1], [5, 3, 1], "integer"),
        ([0.5, 1], [1.0, 0.5], "float"),
    ],
)
def test_pandas_categories_are_declared_in_their_order(values, categories, dtype, ordered):
    frame = pd.DataFrame({"x": pd.Categorical([*values, None], categories=categories, ordered=ordered)})
    column = only(frame)
    assert column.declared == tuple(categories)
    assert (column.dtype, values_of(column)) == (dtype, [*values, None])


def test_polars_enums_are_declared_and_categoricals_are_not():
    enum = only(pl.DataFrame({"x": pl.Series(["b"], dtype=pl.Enum(["c", "b"]))}))
    assert enum.declared == ("c", "b")
    assert only(pl.DataFrame({"x": pl.Series(["b"], dtype=pl.Categorical)})).declared is None
    chunks = pa.chunked_array(
        [pa.array(["b"]).dictionary_encode(), pa.array(["a", None]).dictionary_encode()]
    )
    arrow = only(pa.table({"x": chunks}))
    assert (arrow.declared, values_of(arrow)) == (None, ["b", "a", None])


def test_declared_categories_without_a_value_keep_their_type():
    column = only(pd.DataFrame({"x": pd.Categorical([None, None], categories=[1, 2])}))
    assert (column.dtype, column.declared, column.levels) == ("integer", (1, 2), [])


@pytest.mark.parametrize(
    "X",
    [
        as_object_array([None, None]),
        pd.DataFrame({"x": [None, None]}),
        pd.DataFrame({"x": [np.nan, np.nan]}),
        pl.DataFrame({"x": [None, None]}),
        pl.DataFrame({"x": pl.Series([None, None], dtype=pl.String)}),
        pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Date)}),
        pa.table({"x": pa.nulls(2)}),
    ],
    ids=[
        "objects",
        "pandas object",
        "pandas float",
        "polars Null",
        "polars String",
        "polars Date",
        "pyarrow null",
    ],
)
def test_a_column_without_values(X):
    assert values_of(only(X)) == [None, None]


NOW = datetime.datetime(2020, 1, 1)
UNSUPPORTED = {
    "pandas mixed categories": (
        lambda: pd.DataFrame({"x": pd.Categorical(["a", 1], categories=["a", 1])}),
        "Column 'x' mixes int and str categories: convert it to one type",
    ),
    "polars List": (lambda: pl.DataFrame({"x": [[1]]}), r"Column 'x' has type List\(Int64\)"),
    "polars Object": (
        lambda: pl.DataFrame({"x": pl.Series([{1}], dtype=pl.Object)}),
        "holds values of type set",
    ),
    "durations without a length": (
        lambda: np.array([[1]], dtype="timedelta64[M]"),
        r"Durations in months or years \(timedelta64\[M\]\) have no length",
    ),
    "times with and without a zone": (
        lambda: as_object_array([NOW, NOW.astimezone()]),
        "Column 'x0' mixes times with and without a time zone",
    ),
    "dates and durations": (
        lambda: as_object_array([NOW.date(), datetime.timedelta(1)]),
        r"Column 'x0' mixes date \(.*\) and timedelta \(.*\) values",
    ),
    "polars lazy": (lambda: pl.LazyFrame({"x": [1]}), "X is a lazy LazyFrame: call .collect"),
    "objects": (lambda: as_object_array([{1}]), "Column 'x0' holds values of type set: each value"),
    "mixed objects": (
        lambda: as_object_array(["a", 1, True]),
        r"Column 'x0' mixes bool \(True\) and int \(1\) and str \('a'\) values",
    ),
    "sparse": (
        lambda: scipy.sparse.csr_matrix([[1, 0]]),
        "Sparse data was passed, but dense data is required",
    ),
}


@pytest.mark.parametrize(("make", "message"), UNSUPPORTED.values(), ids=UNSUPPORTED.keys())
def test_types_that_are_refused(make, message):
    with pytest.raises(TypeError, match=message):
        read_columns(make())


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1, 2, 3], "Expected 2D array, got 1D array"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        ([[1], [1, 2]], "rows of different lengths: the first has 1 value, row 2 has 2"),
        (np.zeros((0, 2)), "Found array with 0 sample"),
        (np.array([[1j]]), "Complex data not supported"),
    ],
    ids=["1-d", "3-d", "ragged", "no rows", "complex"],
)
def test_shapes_that_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        read_columns(X)


def test_equal_column_names_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(ValueError, match=r"X has columns of the same name: \['x'\]"):
        read_columns(frame)


def test_the_data_is_not_changed():
    masked = np.ma.masked_array([[1, 2]], mask=[[0, 1]])
    read_columns(masked)
    assert masked.data.tolist() == [[1, 2]]


def test_whole_numbers_of_128_bits():
    (column,) = read_columns(pl.DataFrame({"x": pl.Series([3, 2**50], dtype=pl.Int128)}))
    assert (column.dtype, column.values.tolist()) == ("integer", [3.0, 2.0**50])
