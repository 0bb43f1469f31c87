"""Arrow streams: every type, every layout, and producers that lie."""

import gc
import struct
import warnings
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf import BayesNetClassifier
from bayleaf._native import _core
from bayleaf.data import MedianSplit, Variable, encode, learn_schema, read_columns
from bayleaf.data import Schema as DataSchema
from bayleaf.data import columns as columns_module
from bayleaf.data import raw_columns as arrow_module
from bayleaf.data.columns import check_rows
from bayleaf.data.raw_columns import (
    ABSENT,
    LabelColumn,
    NumberColumn,
    _any_series,
    array_column,
    factorised,
    translate,
)
from bayleaf.data.target import read_target
from reference.arrow_producer import Array, Producer, Schema, table

# Lengths around the twelve bytes that fit into a view, beyond ASCII, with zeros inside, and long.
TEXTS = [
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "abcd\0",
    "ü",
    "日本語テキ",
    "a" * 11,
    "a" * 12,
    "a" * 13,
    "x" * 12 + "\0",
    "y" * 5000,
]
if int(pd.__version__.split(".")[0]) < 3:  # its factorize, the oracle, ends texts at a zero
    TEXTS = [text for text in TEXTS if "\0" not in text]
words = st.sampled_from(TEXTS) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
word_lists = st.lists(st.none() | words, max_size=20)


def in_two(values: list, cut: int) -> tuple[list, list]:
    middle = cut % (len(values) + 1)
    return values[:middle], values[middle:]


def chunked_polars(values: list, cut: int, dtype) -> pl.DataFrame:
    first, second = in_two(values, cut)
    return pl.concat(
        [pl.DataFrame({"x": pl.Series(part, dtype=dtype)}) for part in (first, second)], rechunk=False
    )


def chunked_arrow(values: list, cut: int, kind) -> pa.Table:
    return pa.table({"x": pa.chunked_array([pa.array(part, kind) for part in in_two(values, cut)], kind)})


def own_dictionaries(values: list, cut: int) -> pa.Table:
    parts = [pa.array(part, pa.string()).dictionary_encode() for part in in_two(values, cut)]
    return pa.table({"x": pa.chunked_array(parts, parts[0].type)})


def enum(values: list, cut: int) -> pl.DataFrame:
    states = sorted({value for value in values if value is not None}, reverse=True)
    return chunked_polars(values, cut, pl.Enum([*states, "never"] if "never" not in states else states))


TEXT_FRAMES = {
    "polars": lambda values, cut: chunked_polars(values, cut, pl.String),
    "polars categorical": lambda values, cut: chunked_polars(values, cut, pl.Categorical),
    "polars enum": enum,
    "polars slice": lambda values, cut: pl.DataFrame({"x": pl.Series(["q", None, *values], dtype=pl.String)})[
        2:
    ],
    "pyarrow": lambda values, cut: chunked_arrow(values, cut, pa.string()),
    "pyarrow large": lambda values, cut: chunked_arrow(values, cut, pa.large_string()),
    "pyarrow view": lambda values, cut: chunked_arrow(values, cut, pa.string_view()),
    "pyarrow slice": lambda values, cut: chunked_arrow(["q", None, *values], cut, pa.string()).slice(2),
    "pyarrow dictionaries": own_dictionaries,
    "pyarrow dictionary slice": lambda values, cut: own_dictionaries(["q", None, *values], cut).slice(2),
    "pandas object": lambda values, cut: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "pandas str": lambda values, cut: pd.DataFrame({"x": pd.Series(values, dtype="str")}),
    "pandas string": lambda values, cut: pd.DataFrame({"x": pd.Series(values, dtype="string[python]")}),
    "pandas arrow": lambda values, cut: pd.DataFrame(
        {"x": pd.Series(values, dtype=pd.ArrowDtype(pa.string()))}
    ),
    "pandas category": lambda values, cut: pd.DataFrame({"x": pd.Categorical(values)}),
}


def readable(frame):
    """Return the same frame with texts that narwhals can read, too: of pyarrow's views it cannot."""
    views = isinstance(frame, pa.Table) and frame.schema.field("x").type == pa.string_view()
    return frame.cast(pa.schema({"x": pa.string()})) if views else frame


def only(X) -> LabelColumn | NumberColumn:
    (column,) = read_columns(X)
    return column


def slowly(function, *arguments, **options):
    """Call a function with every quick way of reading a series switched off."""
    with patch.object(columns_module, "series_column", _any_series):
        return function(*arguments, **options)


def values_of(column: LabelColumn) -> list:
    return [None if code == ABSENT else column.levels[code] for code in column.codes.tolist()]


@pytest.mark.parametrize("make", TEXT_FRAMES.values(), ids=TEXT_FRAMES.keys())
@settings(deadline=None, max_examples=15)
@given(word_lists, st.integers(0, 50))
def test_texts_are_read_as_before(make, values, cut):
    frame = make(values, cut)
    column, expected = only(frame), slowly(only, readable(frame))
    assert type(column) is type(expected)
    assert column.dtype == expected.dtype
    assert len(column) == len(values)
    if isinstance(column, NumberColumn):  # objects without a value have no type
        assert set(values) <= {None}
        return
    assert isinstance(expected, LabelColumn)
    assert column.levels == expected.levels
    assert column.codes.tolist() == expected.codes.tolist()
    assert column.declared == expected.declared
    assert values_of(column) == values


NUMBER_TYPES = {
    **{f"int{bits}": getattr(pa, f"int{bits}")() for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(pa, f"uint{bits}")() for bits in (8, 16, 32, 64)},
    "float32": pa.float32(),
    "float64": pa.float64(),
}


@pytest.mark.parametrize("kind", NUMBER_TYPES.values(), ids=NUMBER_TYPES.keys())
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@settings(deadline=None, max_examples=15)
@given(st.lists(st.none() | st.integers(0, 127), max_size=40), st.integers(0, 50), st.integers(0, 3))
def test_numbers_of_every_width_are_read_as_before(library, kind, values, cut, skipped):
    frame = chunked_arrow(values, cut, kind).slice(skipped)
    frame = pl.DataFrame(frame) if library == "polars" else frame
    column, expected = only(frame), slowly(only, frame)
    assert isinstance(column, NumberColumn)
    assert (column.dtype, column.values.dtype) == (expected.dtype, expected.values.dtype)
    np.testing.assert_array_equal(column.values, expected.values)


@settings(deadline=None)
@given(st.lists(st.none() | st.booleans(), max_size=40), st.integers(0, 50), st.integers(0, 9))
def test_truth_values_are_read_as_before(values, cut, skipped):
    arrow = chunked_arrow(values, cut, pa.bool_()).slice(skipped)
    for frame in (arrow, pl.DataFrame(arrow), pd.DataFrame({"x": pd.Series(values, dtype="boolean")})):
        column, expected = only(frame), slowly(only, frame)
        assert (column.levels, column.codes.tolist()) == (expected.levels, expected.codes.tolist())
        assert column.dtype == "boolean"
    known = pd.DataFrame({"x": np.array([value for value in values if value is not None], dtype=bool)})
    assert values_of(only(known)) == known["x"].tolist()
    assert only(known).levels == slowly(only, known).levels


@given(st.lists(st.integers(0, 2**16 - 1), max_size=50))
def test_half_precision_numbers(bits):
    halves = np.array(bits, dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(only(pa.table({"x": pa.array(halves)})).values, halves.astype(np.float64))


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Int32, pl.Int64, pl.Float64])
def test_numbers_without_gaps_are_not_copied(dtype):
    series = pl.Series("x", [3, 1, 2, 5], dtype=dtype)
    values = only(pl.DataFrame({"x": series})[1:]).values
    assert np.shares_memory(values, series.to_numpy())
    kept = only(pl.DataFrame({"x": pl.Series([3.5, 1.0])})).values
    gc.collect()
    assert kept.tolist() == [3.5, 1.0]


@pytest.mark.parametrize("frame", [pl.DataFrame({"x": []}), pa.table({"x": pa.array([], pa.string())})])
def test_frames_without_rows(frame):
    assert len(only(frame)) == 0
    with pytest.raises(ValueError, match="the table is empty"):
        check_rows(frame)


# Whole tables


def learn(X, names):
    target = Variable("class", ("no", "yes"))
    y = np.arange(len(X)) % 2
    off = np.zeros(len(names), dtype=bool)
    return learn_schema(X, y, target, discretizer=MedianSplit(), categorical=off, names=names)


@settings(deadline=None, max_examples=8)
@given(st.lists(words, min_size=2, max_size=20), word_lists, st.integers(0, 50))
def test_schemas_and_codes_are_those_of_before(fitted, new, cut):
    for name, make in TEXT_FRAMES.items():
        frame, other = make(fitted, cut), make([*new, "unheard of", None], cut)
        table = learn(frame, ["x"])
        expected = slowly(learn, readable(frame), ["x"])
        assert table.variables == expected.variables, name
        assert table.codes.dtype == expected.codes.dtype
        np.testing.assert_array_equal(table.codes, expected.codes)
        schema = DataSchema(table.variables[:-1], table.variables[-1])
        results, messages = [], []
        for slow in (False, True):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = slowly(encode, schema, readable(other)) if slow else encode(schema, other)
            results.append(found.codes)
            messages.append([str(warning.message) for warning in caught])
        np.testing.assert_array_equal(*results)
        assert messages[0] == messages[1]


@pytest.mark.parametrize("states", [127, 128, 129, 255, 256, 300, 32768, 40000])
@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_many_texts(states, dtype):
    texts = [f"value {k % states}" for k in range(states + 3)]
    table = learn(pl.DataFrame({"x": pl.Series(texts, dtype=dtype)}), ["x"])
    assert table.codes.dtype == (np.uint8 if states <= 255 else np.uint16)
    assert [table.variables[0].states[code] for code in table.codes[:, 0].tolist()] == texts


def test_more_texts_than_fit():
    texts = [f"value {k}" for k in range(70_000)]
    for frame in (pl.DataFrame({"x": texts}), pa.table({"x": texts}), pd.DataFrame({"x": texts})):
        with pytest.raises(
            ValueError, match="Column 'x' has 70000 categories, more than 65535: an identifier"
        ):
            learn(frame, ["x"])


# Labels, and the kernels below


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=20), st.integers(0, 50))
def test_class_labels_are_those_of_numpy(values, cut):
    values = [*values, *values, "a", "b", "a", "b"]
    classes, codes = np.unique(np.array(values), return_inverse=True)
    series = [make(values, cut)["x"] for make in TEXT_FRAMES.values()]
    for y in (
        *series,
        values,
        np.array(values, dtype=object),
        np.array(values),
        np.array(values)[::-1][::-1],
    ):
        variable, found, numbers = read_target(y)
        assert variable == Variable("class", tuple(classes.tolist()))
        assert found.dtype == classes.dtype
        assert found.tolist() == classes.tolist()
        np.testing.assert_array_equal(numbers, codes)
        assert numbers.dtype == np.int64


@settings(deadline=None)
@given(
    st.sampled_from([np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]),
    st.sampled_from(
        [(0, 5), (-5, 100), (0, 300), (-(10**9), 10**9), (2**63 - 3, 2**64 - 1), (-(2**63), 2**63 - 1)]
    ),
    st.integers(0, 60),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, -1, 3]),
)
def test_numbers_are_numbered_as_by_sorting(dtype, limits, rows, seed, step):
    bounds = np.iinfo(dtype)
    low, high = (min(max(limit, int(bounds.min)), int(bounds.max)) for limit in limits)
    values = np.random.default_rng(seed).integers(low, high, 3 * rows, endpoint=True, dtype=dtype)[::step]
    levels, codes = factorised(values)
    expected = np.unique(values, return_inverse=True)
    assert levels == expected[0].tolist()
    np.testing.assert_array_equal(codes, expected[1])


@given(
    st.lists(st.integers(-1, 9)),
    st.sampled_from([np.int8, np.int16, np.int32, np.int64]),
    st.sampled_from([None, 3, 200, 40000]),
)
def test_translating_codes(codes, dtype, states):
    lookup = [2, 0, -1, 1, 1, 1, 0, 0, 0, 2]
    found = translate(np.array(codes, dtype=dtype), lookup, states)
    assert found.tolist() == [-1 if code < 0 else lookup[code] for code in codes]
    assert found.dtype == {None: np.int64, 3: np.int8, 200: np.int16, 40000: np.int32}[states]


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=40), st.sampled_from(["U", "S"]))
def test_arrays_of_text_are_read_as_by_sorting(values, kind):
    if kind == "S":
        values = [value.encode("ascii", "ignore").decode() for value in values]
    array = np.array([values, values], dtype=kind).T
    for column in (array[:, 1], array[::-1, 0], np.ascontiguousarray(array[:, 0])):
        found = array_column("x", column)
        levels, codes = np.unique(column, return_inverse=True)
        assert found.levels == (np.char.decode(levels, "utf-8") if kind == "S" else levels).tolist()
        np.testing.assert_array_equal(found.codes, codes)


# Other libraries, and producers that lie


def int64s(*values: int) -> bytes:
    return struct.pack(f"{len(values)}q", *values)


def int32s(*values: int) -> bytes:
    return struct.pack(f"{len(values)}i", *values)


def view(size: int, start: bytes = b"", buffer: int = 0, offset: int = 0) -> bytes:
    return (
        struct.pack("i4sii", size, start[:4], buffer, offset)
        if size > 12
        else struct.pack("i12s", size, start)
    )


GOOD = {
    "l": Array(3, [None, int64s(3, 1, 2)]),
    "u": Array(3, [None, int32s(0, 1, 1, 3), b"abc"]),
    "vu": Array(
        3, [None, view(1, b"a") + view(0) + view(14, b"long", 0, 2), b"..longer than it", int64s(16)]
    ),
}


def test_a_frame_of_any_library_is_read_through_its_stream():
    producer = table(
        {"n": Schema("l"), "t": Schema("u"), "v": Schema("vu")}, list(GOOD.values()), list(GOOD.values())
    )
    X = check_rows(producer)
    assert X.shape == (6, 3)
    columns = read_columns(X)
    assert columns[0].values.tolist() == [3, 1, 2] * 2
    assert values_of(columns[1]) == ["a", "", "bc"] * 2
    assert values_of(columns[2]) == ["a", "", "longer than it"] * 2
    del X, columns
    gc.collect()
    assert producer.released == producer.made
    assert producer.made["array"] == 2


def test_a_classifier_learns_from_a_stream_and_predicts_from_one():
    rows = {"x": ["a", "b"] * 20, "n": [*range(20)] * 2, "d": pd.Series([1.5, None] * 20).tolist()}
    y = ["no", "yes"] * 20
    known = BayesNetClassifier().fit(pl.DataFrame(rows), y)
    arrow = pa.table(rows)
    read = BayesNetClassifier().fit(pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches()), y)
    assert read.feature_names_in_.tolist() == ["x", "n", "d"]
    assert read.schema_ == known.schema_
    batch = pa.RecordBatch.from_pydict(rows)
    np.testing.assert_array_equal(read.predict_proba(batch), known.predict_proba(pl.DataFrame(rows)))


def broken(form: str, array: Array, **options) -> tuple[Schema, Array]:
    return Schema(form, "x", **options), array


def dictionary(index: bytes, rows: int = 2, values: Array | None = None, **options) -> tuple[Schema, Array]:
    texts = Array(2, [None, int32s(0, 1, 2), b"ab"]) if values is None else values
    return Schema("c", "x", dictionary=Schema("u", "")), Array(
        rows, [None, index], dictionary=texts, **options
    )


LIES = {
    "no buffers": (broken("l", Array(2, [])), "column 'x' has 0 buffers in place of 2"),
    "no values": (broken("l", Array(2, [None, None])), "column 'x' has 2 rows and no values"),
    "negative length": (broken("l", Array(-1, [None, b""])), "impossible length or offset|fewer rows"),
    "negative offset": (broken("l", Array(1, [None, int64s(1)], offset=-1)), "impossible length or offset"),
    "huge length": (broken("l", Array(2**62, [None, int64s(1)])), "impossible length or offset"),
    "nulls without a mask": (broken("l", Array(1, [None, int64s(1)], null_count=1)), "no mask of them"),
    "two text buffers": (
        broken("u", Array(1, [None, int32s(0, 1)])),
        "column 'x' has 2 buffers in place of 3",
    ),
    "no offsets": (broken("u", Array(1, [None, None, b"a"])), "column 'x' has 1 rows and no values"),
    "no text": (broken("u", Array(1, [None, int32s(0, 1), None])), "column 'x' has 1 rows and no values"),
    "negative text offset": (broken("u", Array(1, [None, int32s(-5, 1), b"a"])), "negative or go backwards"),
    "offsets backwards": (broken("U", Array(2, [None, int64s(0, 9, 1), b"a"])), "negative or go backwards"),
    "huge text": (broken("U", Array(1, [None, int64s(0, 2**40), b"a"])), "a text longer than 2 GiB"),
    "view of no buffer": (
        broken("vu", Array(1, [None, view(20, b"a", 1), b"a", int64s(1)])),
        "outside its buffers",
    ),
    "view beyond its end": (
        broken("vu", Array(1, [None, view(20, b"a", 0), b"a", int64s(1)])),
        "outside its buffers",
    ),
    "view before its start": (
        broken("vu", Array(1, [None, view(20, b"a", 0, -9), b"a", int64s(99)])),
        "outside its",
    ),
    "negative view": (
        broken("vu", Array(1, [None, struct.pack("i12x", -3), int64s()])),
        "outside its buffers",
    ),
    "view without sizes": (
        broken("vu", Array(1, [None, view(20, b"a"), b"a", None])),
        "does not tell the sizes",
    ),
    "index too large": (dictionary(b"\0\7"), "index outside its dictionary of 2 values"),
    "negative index": (dictionary(b"\0\xff"), "index outside its dictionary of 2 values"),
    "no dictionary": (
        broken("c", Array(1, [None, b"\0"]), dictionary=Schema("u", "")),
        "column 'x' has no dictionary",
    ),
    "broken dictionary": (
        dictionary(b"\0", 1, Array(1, [None, int32s(3, 1), b"a"])),
        "negative or go backwards",
    ),
    "untyped dictionary": (
        broken("c", Array(1, [None, b"\0"]), dictionary=Schema(None, "")),
        "the dictionary of column 'x' has no type",
    ),
    "dictionary of floats' own": (
        broken("g", Array(1, [None, int64s(0)]), dictionary=Schema("u", "")),
        "column 'x' has a dictionary without indices",
    ),
}


@pytest.mark.parametrize(("lie", "message"), LIES.values(), ids=LIES.keys())
def test_lies_are_found(lie, message):
    schema, array = lie
    series = Producer(schema, [array])
    with pytest.raises(ValueError, match=f"^The Arrow data is broken: .*({message})") as caught:
        _core.ArrowColumns(series.__arrow_c_stream__(), False)
    assert str(caught.value).count(".") == 1
    frame = table({"x": schema}, [array], rows=max(array.length, 0))
    with pytest.raises(ValueError, match=message):
        check_rows(frame)
    gc.collect()
    for producer in (series, frame):
        assert producer.released == producer.made
        assert producer.made["stream"] == 1


def test_values_that_are_missing_may_be_nonsense():
    masked = {"null_count": 1}
    schema, indices = dictionary(b"\1\x63", 2, **masked)
    indices.buffers[0] = b"\1"
    views = Array(2, [b"\2", view(99, b"a", 7, 7) + view(1, b"b"), int64s()], **masked)
    X = table({"d": schema, "v": Schema("vu")}, [indices, views])
    assert [values_of(column) for column in read_columns(X)] == [["b", None], [None, "b"]]


def test_batches_that_do_not_fit_their_schema():
    column = Array(2, [None, int64s(1, 2)])
    for batch, rows, message in (
        ([column, column], 2, "a batch has 2 columns in place of 1"),
        ([None], 2, "a batch lacks column 'x'"),
        ([column], 3, "column 'x' has fewer rows than its batch"),
        ([column], -1, "a batch has an impossible length or offset"),
    ):
        producer = table({"x": Schema("l")}, batch, rows=rows)
        with pytest.raises(ValueError, match=message):
            check_rows(producer)
        gc.collect()
        assert producer.released == producer.made


def test_rows_that_are_missing_as_a_whole():
    batch = Array(2, [b"\1"], null_count=-1, children=[Array(2, [None, int64s(1, 2)])])
    with pytest.raises(ValueError, match="whole rows of a batch are missing"):
        check_rows(Producer(Schema("+s", "", [Schema("l", "x")]), [batch]))


@pytest.mark.parametrize(("kind", "values"), [(pa.int64(), [7, 8]), (pa.float64(), [0.5, 2.0])])
def test_values_at_odd_addresses(kind, values):
    known = pa.array(values, kind)
    shifted = pa.py_buffer(b"." + known.buffers()[1].to_pybytes()[:16])[1:]
    odd = pa.Array.from_buffers(kind, 2, [None, shifted])
    assert only(pa.table({"x": odd})).values.tolist() == values
    with pytest.raises(ValueError, match="column 'x' lies at an odd address"):
        check_rows(pa.record_batch({"x": odd}))


def test_streams_that_end_early():
    column = Array(2, [None, int64s(1, 2)])
    producer = table({"x": Schema("l")}, [column], error="the line is dead")
    with pytest.raises(ValueError, match="The Arrow stream ended early: the line is dead"):
        check_rows(producer)
    gc.collect()
    assert producer.released == producer.made
    capsule = table({"x": Schema("l")}, [column]).__arrow_c_stream__()
    _core.ArrowColumns(capsule, True)
    with pytest.raises(ValueError, match="The Arrow stream was read before, or is none"):
        _core.ArrowColumns(capsule, True)
    with pytest.raises(ValueError, match="in a capsule of the name 'arrow_array_stream'"):
        _core.ArrowColumns("no capsule", True)


def test_streams_become_tables_of_pyarrow_where_there_is_no_polars(monkeypatch):
    monkeypatch.setattr(arrow_module, "find_spec", {"pyarrow": True}.get)
    assert isinstance(check_rows(pa.record_batch({"x": [1, 2]})), pa.Table)

    def dying():
        yield pa.record_batch({"x": [1]})
        raise OSError("the line is dead")

    with pytest.raises(ValueError, match=r"^The Arrow stream ended early: .*the line is dead"):
        check_rows(pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), dying()))


def test_text_that_is_not_utf8():
    data = _core.ArrowColumns(
        Producer(Schema("u"), [Array(1, [None, int32s(0, 1), b"\xff"])]).__arrow_c_stream__(), False
    )
    with pytest.raises(ValueError, match="column 'x' has text that is not UTF-8"):
        data.labels(0)
    with pytest.raises(TypeError, match="holds no numbers"):
        data.numbers(0)
    with pytest.raises(IndexError):
        data.labels(1)


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("+l", "list"),
        ("+s", "struct"),
        ("z", "binary"),
        ("vz", "binary"),
        ("w:4", "binary"),
        ("+us:", "union"),
    ],
)
def test_columns_of_more_than_one_value_are_refused(form, word):
    X = table({"x": Schema(form)}, [Array(1, [None])])
    with pytest.raises(TypeError, match=f"Column 'x' has type {word}, which is not supported: turn it into"):
        check_rows(X)
    gc.collect()
    assert X.released == X.made


def test_equal_names_in_a_stream_are_refused():
    schema = Schema("+s", "", [Schema("l", "x"), Schema("l", "x")])
    with pytest.raises(ValueError, match=r"X has columns of the same name: \['x'\]"):
        check_rows(Producer(schema, []))


def test_one_column_is_no_table():
    with pytest.raises(ValueError, match="The Arrow stream holds one column, where a table is needed"):
        check_rows(Producer(Schema("l"), []))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        check_rows(pl.Series([1, 2]))
