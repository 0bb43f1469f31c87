import warnings
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.data import Cuts, EqualWidth, MedianSplit, Schema, Table, Variable, encode, learn_schema
from bayleaf.data import encoding as schema_module

CLASS = Variable("class", ("no", "yes"))


def learn(X, y=None, *, categorical=None, discretizer=None, names=None, target=CLASS, **options) -> Table:
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    rows = len(X)
    if names is None:
        names = (
            [str(name) for name in X.columns]
            if hasattr(X, "columns") and not isinstance(X, pa.Table)
            else None
        )
        names = names or (X.column_names if isinstance(X, pa.Table) else [f"x{j}" for j in range(width)])
    return learn_schema(
        X,
        np.arange(rows) % 2 if y is None else np.asarray(y),
        target,
        discretizer=MedianSplit() if discretizer is None else discretizer,
        categorical=np.zeros(width, dtype=bool) if categorical is None else np.asarray(categorical),
        names=names,
        **options,
    )


def codes_of(table: Table) -> list[list[int]]:
    """Codes by row, -1 for missing."""
    codes = table.codes.astype(int)
    return np.where(codes == table.missing_code, -1, codes).tolist()


def features_of(table: Table) -> Schema:
    return Schema(table.variables[:-1], table.variables[-1])


# The same data in every library

DATA = {
    "word": ["b", "a", None, "b", "c"],
    "truth": [True, None, False, True, True],
    "whole": [3, None, 1, 2, 9],
    "real": [1.5, 2.0, None, 0.5, -1.0],
}
NUMPY_ROWS = np.array(list(zip(*DATA.values(), strict=True)), dtype=object)
LIBRARIES = {
    "list": lambda: NUMPY_ROWS.tolist(),
    "array": lambda: NUMPY_ROWS,
    "pandas objects": lambda: pd.DataFrame(DATA).astype(object),
    "pandas": lambda: pd.DataFrame(DATA),
    "pandas nullable": lambda: pd.DataFrame(DATA).convert_dtypes(),
    "pandas arrow": lambda: pd.DataFrame(DATA).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda: pd.DataFrame({**DATA, "word": pd.Categorical(DATA["word"])}).convert_dtypes(),
    "polars": lambda: pl.DataFrame(DATA),
    "polars categorical": lambda: pl.DataFrame(DATA, schema_overrides={"word": pl.Categorical}),
    "polars enum": lambda: pl.DataFrame(DATA, schema_overrides={"word": pl.Enum(["a", "b", "c"])}),
    "pyarrow": lambda: pa.table(DATA),
}


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES.keys())
def test_every_library_gives_the_same_table(make):
    table = learn(make(), names=list(DATA))
    real, whole = Variable.numeric("real", [1.0]), Variable.numeric("whole", [2.5], "integer")
    word, truth = Variable("word", ("a", "b", "c")), Variable("truth", (False, True), None, "boolean")
    if table.variables[2].dtype == "float":  # plain pandas turns integers with a gap into floats
        whole = Variable.numeric("whole", [2.5], "float")
    assert table.variables == (word, truth, whole, real, CLASS)
    expected = [[1, 1, 1, 1, 0], [0, -1, -1, 1, 1], [-1, 0, 0, -1, 0], [1, 1, 0, 0, 1], [2, 1, 1, 0, 0]]
    assert codes_of(table) == expected
    assert codes_of(encode(features_of(table), make())) == [row[:-1] for row in expected]
    assert (table.target, table.codes.flags.f_contiguous, table.codes.dtype) == (4, True, np.uint8)


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES.keys())
@pytest.mark.parametrize("learned_from", ["polars", "array"])
def test_a_schema_reads_every_other_library(make, learned_from):
    table = learn(LIBRARIES[learned_from](), names=list(DATA))
    assert codes_of(encode(features_of(table), make())) == [row[:-1] for row in codes_of(table)]


# Categories


def test_declared_categories_are_states_even_if_unused():
    frame = pd.DataFrame(
        {"x": pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True)}
    )
    table = learn(frame)
    assert table.variables[0].states == ("low", "mid", "high")
    assert codes_of(encode(features_of(table), [["mid"], ["low"]])) == [[1], [0]]


def test_declared_categories_that_are_not_used_are_no_strangers():
    schema = features_of(learn(pl.DataFrame({"x": ["a", "b"]})))
    column = pd.Categorical(["a", None], categories=["z", "a", "y"])
    assert codes_of(encode(schema, pd.DataFrame({"x": column}), unknown="error")) == [[0], [-1]]


def test_numbers_as_categories():
    X = np.array([[-5.0, 0.5], [100, 0.25], [np.nan, 0.5], [7, np.nan]])
    table = learn(X, categorical=[True, True])
    assert table.variables[0] == Variable("x0", (-5, 7, 100), None, "float")
    assert table.variables[1] == Variable("x1", (0.25, 0.5), None, "float")
    assert [type(state) for state in table.variables[0].states] == [int] * 3
    assert codes_of(table) == [[0, 1, 0], [2, 0, 1], [-1, 1, 0], [1, -1, 1]]
    assert codes_of(encode(features_of(table), [[7, 0.5], [-5, 0.25]])) == [[1, 1], [0, 0]]


def test_huge_floats_stay_floats():
    table = learn(np.array([[1e300], [-1e300]]), categorical=[True])
    assert table.variables[0].states == (-1e300, 1e300)


def test_unknown_categories_are_missing_with_a_warning():
    schema = features_of(learn(pl.DataFrame({"x": ["a", "b"], "k": [1, 2]}), categorical=[False, True]))
    X = pl.DataFrame({"x": ["q", "a", "z", "q"], "k": [1, 2, 5, 1]})
    with pytest.warns(UserWarning, match="not seen in fit") as caught:
        table = encode(schema, X)
    assert codes_of(table) == [[-1, 0], [0, 1], [-1, -1], [-1, 0]]
    assert [str(warning.message) for warning in caught] == [
        "Column 'x' has 2 values that were not seen in fit ('q', 'z'); treated as missing (the setting "
        "unknown=error refuses them).",
        "Column 'k' has 1 value that was not seen in fit (5); treated as missing (the setting unknown=error "
        "refuses them).",
    ]


def test_unknown_categories_can_be_refused():
    schema = features_of(learn(pl.DataFrame({"x": ["a", "b"]})))
    with pytest.raises(
        ValueError, match=r"Column 'x' has 4 values that were not seen in fit \('c', 'd', 'e', \.\.\.\)"
    ):
        encode(schema, [["c"], ["d"], ["e"], ["f"]], unknown="error")


def test_unknown_small_integers_are_reported_too():
    schema = features_of(learn(np.array([[0], [2]]), categorical=[True]))
    with pytest.warns(
        UserWarning, match=r"Column 'x0' has 1 value that was not seen in fit \(1\); treated as missing"
    ):
        assert codes_of(encode(schema, np.array([[1], [2]]))) == [[-1], [1]]
    with pytest.raises(ValueError, match=r"not seen in fit \(7\); the setting unknown=missing treats"):
        encode(schema, np.array([[7]]), unknown="error")


@pytest.mark.parametrize(
    ("fitted", "now", "message"),
    [
        (["a", "b"], [1, 2], "Column 'x' held string values in fit and holds integer values now: convert it"),
        (["a", "b"], [True, False], "Column 'x' held string values in fit and holds boolean values now"),
        ([True, False], ["y", "n"], "Column 'x' held boolean values in fit and holds string values now"),
        ([1.5, 2.5], ["a", "b"], "Column 'x' held numbers in fit and holds string values now: convert it"),
    ],
)
def test_a_column_that_changed_its_type_is_refused(fitted, now, message):
    schema = features_of(learn(pl.DataFrame({"x": fitted})))
    with pytest.raises(TypeError, match=message):
        encode(schema, pl.DataFrame({"x": now}))


def test_integers_and_floats_are_both_numbers():
    cut = features_of(learn(pl.DataFrame({"x": [1, 2, 3, 4]})))
    assert codes_of(encode(cut, pl.DataFrame({"x": [1.5, 3.5, None]}))) == [[0], [1], [-1]]
    listed = features_of(learn(pl.DataFrame({"x": [1, 2]}), categorical=[True]))
    assert codes_of(encode(listed, pl.DataFrame({"x": [2.0, None]}))) == [[1], [-1]]


@pytest.mark.parametrize("fitted", [["a", "b"], [True, False], [1.5, 2.5]])
def test_a_column_without_values_has_no_type_to_change(fitted):
    schema = features_of(learn(pl.DataFrame({"x": fitted})))
    for dtype in (pl.Null, pl.String, pl.Float64, pl.Boolean):
        assert codes_of(encode(schema, pl.DataFrame({"x": pl.Series([None], dtype=dtype)}))) == [[-1]]


def test_a_schema_knows_its_number_of_columns():
    for X in (pl.DataFrame({"x": ["a", "b"]}), np.array([[0], [1]])):
        schema = features_of(learn(X, categorical=[True]))
        for width in (2, 3):
            with pytest.raises(ValueError, match=rf"X has {width} columns; the schema has 1 features"):
                encode(schema, np.zeros((4, width), dtype=int))


# Numbers


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6, unique=True).map(sorted),
    st.lists(st.floats(-2e6, 2e6) | st.just(np.nan), min_size=2, max_size=20),
)
def test_a_value_equal_to_a_cut_is_below_it(cuts, values):
    column = np.array([*values, *cuts])[:, None]
    table = learn(column, discretizer=Cuts({"x0": cuts}))
    expected = [-1 if value != value else sum(value > cut for cut in cuts) for value in column[:, 0].tolist()]
    assert [row[0] for row in codes_of(table)] == expected
    assert [row[0] for row in codes_of(encode(features_of(table), column))] == expected
    variable = table.variables[0]
    assert [variable.code(value) for value in values if value == value] == [
        code for code in expected[: len(values)] if code >= 0
    ]


@pytest.mark.parametrize("categorical", [False, True])
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_values_are_refused(bad, categorical):
    X = np.array([[1.0], [bad], [bad]])
    with pytest.raises(ValueError, match=r"Column 'x0' has 2 infinite values \(inf\): replace them"):
        learn(X, categorical=[categorical])
    schema = features_of(learn(np.array([[1.0], [2.0]]), categorical=[categorical]))
    with pytest.raises(ValueError, match=r"Column 'x0' has 1 infinite value \(inf\)"):
        encode(schema, X[:2])


def test_interval_labels_are_read_back():
    schema = features_of(learn(np.array([[1.0], [2.0], [3.0], [4.0]])))
    assert codes_of(encode(schema, [["(2.5, inf)"], ["(-inf, 2.5]"], [None]])) == [[1], [0], [-1]]


# Imputation


def test_imputing_the_mean():
    X = np.array([[1.0], [np.nan], [2.0], [9.0]])
    table = learn(X, discretizer=Cuts({"x0": [3.0, 5.0]}), missing="impute")
    assert codes_of(table)[1] == [1, 1]  # the mean is 4
    assert table.variables[0].fill == 1
    assert codes_of(encode(features_of(table), np.array([[np.nan], [9.0]]))) == [[1], [2]]
    weighted = learn(
        X, discretizer=Cuts({"x0": [3.0, 5.0]}), missing="impute", weights=np.array([1, 1, 1, 10.0])
    )
    assert weighted.variables[0].fill == 2


def test_imputing_the_most_frequent_category():
    X = pl.DataFrame({"x": ["b", "a", "b", None]})
    table = learn(X, missing="impute")
    assert [row[0] for row in codes_of(table)] == [1, 0, 1, 1]
    with pytest.warns(UserWarning, match="not seen in fit"):
        assert codes_of(encode(features_of(table), [[None], ["q"]])) == [[1], [1]]
    weighted = learn(X, missing="impute", weights=np.array([1.0, 5.0, 1.0, 1.0]))
    assert weighted.variables[0].fill == 0


def test_imputing_where_nothing_was_missing_in_fit():
    for X, categorical in ((np.array([[3], [3], [1]]), [True]), (np.array([[1.0], [2.0], [9.0]]), [False])):
        table = learn(X, missing="impute", categorical=categorical)
        assert table.variables[0].fill == 1
        assert codes_of(encode(features_of(table), [[None], [1]])) == [[1], [0]]


# Extremes


@pytest.mark.parametrize("missing", ["available", "auto", "state", "impute"])
@pytest.mark.parametrize(
    "values", [pl.Series([None] * 3, dtype=pl.Float64), pl.Series([None] * 3, dtype=pl.String)]
)
def test_a_column_without_values_warns(values, missing):
    with pytest.warns(UserWarning, match=r"Column 'x' has no values at all \(3 rows, all missing\)"):
        table = learn(pl.DataFrame({"x": values}), missing=missing)
    assert table.variables[0].arity == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert encode(features_of(table), pl.DataFrame({"x": values})).codes.shape == (3, 1)


def test_constant_columns():
    table = learn(
        pl.DataFrame({"s": ["a", "a"], "n": [1.5, 1.5], "i": [4, 4]}), categorical=[False, False, True]
    )
    assert [variable.arity for variable in table.variables[:3]] == [1, 1, 1]
    assert codes_of(table) == [[0, 0, 0, 0], [0, 0, 0, 1]]


def test_one_row():
    table = learn(pl.DataFrame({"s": ["a"], "n": [1.5]}), y=[0])
    assert codes_of(table) == [[0, 0, 0]]


@pytest.mark.parametrize("states", [255, 256, 65535])
def test_as_many_categories_as_fit(states):
    table = learn(pl.DataFrame({"x": list(range(states))}), categorical=[True])
    assert table.codes.dtype == (np.uint8 if states == 255 else np.uint16)
    assert (table.codes[:, 0] == np.arange(states)).all()
    assert not table.has_missing[0]
    assert codes_of(encode(features_of(table), pl.DataFrame({"x": [None, states - 1]}))) == [
        [-1],
        [states - 1],
    ]


def test_more_categories_than_fit():
    with pytest.raises(ValueError, match="Column 'x' has 65536 categories, more than 65535: an identifier"):
        learn(pl.DataFrame({"x": [f"id{k}" for k in range(65536)]}))
    with pytest.raises(ValueError, match="Column 'x0' has 70000 intervals, more than 65535: use fewer bins"):
        learn(np.arange(70001.0)[:, None], discretizer=EqualWidth(70000))


# The fast way for small integers


def plainly(function, *arguments, **options) -> Table:
    """Call a function with the fast way switched off."""
    with (
        patch.object(schema_module, "pack_categories", return_value=None),
        patch.object(schema_module, "pack_known", return_value=None),
    ):
        return function(*arguments, **options)


def assert_same_table(found: Table, expected: Table) -> None:
    assert found.variables == expected.variables
    assert np.array_equal(found.codes, expected.codes)
    assert found.codes.dtype == expected.codes.dtype
    assert found.codes.flags.f_contiguous
    assert (found.target, found.n_jobs) == (expected.target, expected.n_jobs)


@st.composite
def integer_arrays(draw) -> np.ndarray:
    rows, columns = draw(st.integers(1, 300)), draw(st.integers(1, 6))
    low, high = draw(
        st.sampled_from([(0, 3), (0, 254), (0, 255), (-2, 5), (250, 260), (-128, 127), (0, 70000)])
    )
    dtype = draw(st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint32]))
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, high = np.clip([low, high], limits.min, limits.max)
    values = rng.integers(low, high, (rows, 2 * columns), endpoint=True)
    values = np.asarray(values, dtype=dtype, order=draw(st.sampled_from(["C", "F"])))
    layout = draw(st.sampled_from(["plain", "every second column", "backwards", "read-only"]))
    if layout == "every second column":
        values = values[:, ::2]
    elif layout == "backwards":
        values = values[::-1, ::-1]
    elif layout == "read-only":
        values.setflags(write=False)
    return values


@settings(deadline=None)
@given(integer_arrays(), st.sampled_from([1, 3]))
def test_packing_equals_the_general_way(X, n_jobs):
    options = {"categorical": [True] * X.shape[1], "n_jobs": n_jobs, "weights": np.ones(len(X))}
    fast, general = learn(X, **options), plainly(learn, X, **options)
    assert_same_table(fast, general)
    schema = features_of(fast)
    assert_same_table(encode(schema, X[:7], n_jobs=n_jobs), plainly(encode, schema, X[:7], n_jobs=n_jobs))


@settings(deadline=None)
@given(integer_arrays(), integer_arrays())
@pytest.mark.filterwarnings("ignore:Column .* not seen in fit")
def test_packing_by_a_schema_of_other_values(X, other):
    columns = min(X.shape[1], other.shape[1])
    schema = features_of(plainly(learn, X[:, :columns], categorical=[True] * columns))
    assert_same_table(encode(schema, other[:, :columns]), plainly(encode, schema, other[:, :columns]))


def test_many_classes_need_wide_codes():
    target = Variable("class", tuple(range(300)), None, "integer")
    y = np.arange(300)
    table = learn(np.arange(300)[:, None] % 4, y, categorical=[True], target=target)
    assert table.codes.dtype == np.uint16
    assert (table.codes[:, 1] == y).all()
    assert (table.codes[:, 0] == y % 4).all()


def test_masked_integers_are_missing():
    X = np.ma.masked_array([[1, 2], [3, 2]], mask=[[0, 1], [0, 0]])
    table = learn(X, categorical=[True, True])
    assert codes_of(table) == [[0, -1, 0], [1, 0, 1]]
    assert codes_of(encode(features_of(table), X)) == [[0, -1], [1, 0]]
