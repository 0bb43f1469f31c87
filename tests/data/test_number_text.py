"""Texts that are numbers, as people and programs write them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data.text_values import NumberFormat, find_numbers, read_numbers
from reference.counted import counted


def written(cents, decimals, form, unit_first, negative):
    """Write a number of hundredths digit by digit: the other way round than it is read."""
    whole, rest = divmod(abs(cents), 100)
    digits, groups = str(whole), []
    while digits:
        digits, group = digits[:-3], digits[-3:]
        groups.insert(0, group)
    text = (form.thousands if form.thousands else "").join(groups)
    if decimals:
        text += f"{form.decimal}{rest:02d}"
    blank = "" if unit_first else " "
    text = f"{form.unit}{blank}{text}" if unit_first else f"{text}{blank}{form.unit}".strip()
    if cents < 0:
        text = f"({text})" if negative == "brackets" else f"-{text}" if negative == "minus" else f"{text}-"
    return text


def is_plain(texts):
    try:
        return all(np.isfinite(float(text)) for text in texts)
    except ValueError:
        return False


FORMATS = [
    NumberFormat(decimal, thousands, unit)
    for decimal, thousands in [(".", ""), (".", ","), (",", ""), (",", "."), (",", " "), (".", "'")]
    for unit in ("", "€", "$", "%", "CHF")
]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=8, unique=True),
    st.sampled_from(FORMATS),
    st.booleans(),
    st.sampled_from(["brackets", "minus", "behind"]),
    st.booleans(),
)
def test_what_was_written_is_read(cents, form, unit_first, negative, decimals):
    texts = [written(each, decimals, form, unit_first, negative) for each in cents]
    expected = [each / 100 if decimals else np.trunc(each / 100) for each in cents]
    if form.thousands == "." and is_plain(texts):  # a point is decimal where a program may have written it
        expected = [float(text) for text in texts]
    found = find_numbers(texts)
    if found.values is None:  # the only way out: one mark before three digits may be either
        assert " may be " in found.note
        assert form.unit in ("", "%")
        assert not decimals
        return
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)
    reading = found.reading or NumberFormat()
    assert reading.unit == form.unit
    np.testing.assert_array_equal(read_numbers(texts, found.reading), found.values)
    # A value with decimals is read by the same marks, if there was anything to learn them from.
    if decimals:
        more = written(123456789, True, form, unit_first, "minus")
        marks_known = form.thousands in reading.thousands
        assert read_numbers([more], found.reading)[0] == 1234567.89 or not marks_known


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6, unique=True))
def test_numbers_as_programs_write_them(values):
    found = find_numbers([repr(value) for value in values])
    assert found.reading is None
    assert found.values.tolist() == values


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text("0123456789.,' -+()€%e", min_size=1, max_size=9), min_size=1, max_size=4, unique=True)
)
def test_any_text_is_a_number_or_is_not(texts):
    found = find_numbers(texts)
    if found.values is not None:
        assert np.isfinite(found.values).all()
        np.testing.assert_array_equal(read_numbers(texts, found.reading), found.values)


@pytest.mark.parametrize(
    ("texts", "values", "reading"),
    [
        (["1.234,50 €", "12 €"], [1234.5, 12], "decimal comma, thousands point, €"),
        (["12 %", "7%"], [12, 7], "decimal point, %"),
        (["$1,200", "$900", "($30)"], [1200, 900, -30], "decimal point, thousands comma, $"),
        (["1.200 €", "900 €"], [1200, 900], "decimal comma, thousands point, €"),
        (["1.2 €", "3.400 €"], [1.2, 3.4], "decimal point, €"),
        (["(30)", "45"], [-30, 45], "decimal point"),
        (["1,200", "2,5"], [1.2, 2.5], "decimal comma"),
        (["0,500", "1,200"], [0.5, 1.2], "decimal comma"),
        (["1,200", "1,200,300"], [1200, 1200300], "decimal point, thousands comma"),
        (["1\u202f200", "\u221230"], [1200, -30], "decimal point, thousands blank"),
        (["CHF 1\u2019200", "CHF 30.50"], [1200, 30.5], "decimal point, thousands apostrophe, CHF"),
        (["7", "007"], [7, 7], "decimal point"),
        (["1.200", "3.400"], [1.2, 3.4], "decimal point"),
        ([" 5 ", "1,5 "], [5, 1.5], "decimal comma"),
    ],
)
def test_examples(texts, values, reading):
    found = find_numbers(texts)
    assert found.values.tolist() == values
    assert str(found.reading or NumberFormat()) == reading


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (["1,200", "3,500"], "text, since '1,200' may be 1200 or 1.2"),
        (["1,200 %", "3 %"], "text, since '1,200 %' may be 1200 or 1.2"),
        (["01234", "12345"], "text, since '01234' looks like a code"),
        (["1", "12345678901234567"], "text, since '12345678901234567' has too many digits for a number"),
        (["1", "1e400"], "text, since '1e400' is too large for a number"),
        (["$5", "€5"], "text, since units differ: '$', '€'"),
        (["5 %", "5"], "text, since units differ: '', '%'"),
        (["1,5", "2.5"], "text, since its numbers are written in several ways"),
        ([*map(str, range(95)), "high"], "text, since 'high' is not a number"),
        (["red", "5"], ""),
        (["5", "red"], ""),
        (["2020-01-05"], ""),
        (["(5"], ""),
        (["--5"], ""),
        (["-(5)"], ""),
        (["$5€"], ""),
        ([""], ""),
        ([], ""),
        (["²"], ""),
    ],
)
def test_what_stays_text(texts, note):
    found = find_numbers(texts)
    assert found.values is None
    assert found.note == note


# In the classifier

PRICES = ["$1,200", "$900", "$15", "($30)", None, "$2,400.50"] * 20
LABELS = [price not in ("$15", "($30)") for price in PRICES]


FRAME = pl.DataFrame({"price": PRICES, "name": [f"n{k % 3}" for k in range(120)]})
TABLES = {
    "polars": FRAME,
    "pandas": FRAME.to_pandas(),
    "objects": FRAME.to_pandas().astype(object),
    "arrow": FRAME.to_arrow(),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_column_of_prices(table, tmp_path):
    model = counted(bl.NaiveBayes()).fit(table, LABELS)
    price = model.schema_.features[0]
    assert (price.cuts, price.dtype) == ((457.5,), "float")
    assert price.reading == NumberFormat(".", ",", "$")
    assert model.schema_.features[1].reading is None
    # New rows may be written likewise, or be numbers; a price alone could be 1.2.
    expected = model.predict_proba(pl.DataFrame({"price": [1200.0, -30.0], "name": ["n1", "n1"]}))
    new = pl.DataFrame({"price": ["$1,200", "(30)"], "name": ["n1", "n1"]})
    model.save(tmp_path / "m.json")
    again = bl.load(tmp_path / "m.json")
    assert again.schema_ == model.schema_
    for each in (model, again):
        np.testing.assert_array_equal(each.predict_proba(new), expected)
        np.testing.assert_array_equal(each.predict_proba(new.to_pandas()), expected)
        np.testing.assert_array_equal(each.predict_proba(new[:1]), expected[:1])
        np.testing.assert_array_equal(each.scorer()({"price": "(30)", "name": "n1"}), expected[1])
        np.testing.assert_array_equal(each.scorer()(["$1,200", "n1"]), expected[0])


def test_texts_that_are_no_numbers_at_prediction():
    model = counted(bl.NaiveBayes(), missing="available")
    model.fit(pl.DataFrame({"price": PRICES}), LABELS)
    with pytest.warns(
        UserWarning, match=r"Column 'price' has 2 values that are not numbers \('free', '€5'\); t"
    ):
        proba = model.predict_proba(pl.DataFrame({"price": ["free", "$1,200", "€5"]}))
    missing = model.predict_proba(pl.DataFrame({"price": [None, 1200.0, None]}))
    np.testing.assert_array_equal(proba, missing)
    with pytest.raises(
        ValueError, match=r"1 value that is not a number \('free'\); the setting unknown=missing"
    ):
        model.set_params(unknown="error").predict(pl.DataFrame({"price": ["free", "$1,200"]}))
    with pytest.raises(
        TypeError, match=r"Column 'price' was read as numbers in fit, .* 'free' is not written so"
    ):
        model.predict(pl.DataFrame({"price": ["free", "cheap"]}))


@pytest.mark.parametrize(
    "settings",
    [
        {"categorical_features": "from_dtype"},
        {"categorical_features": None},
        {"categorical_features": ["x"]},
        {"column_types": {"x": "category"}},
    ],
)
def test_who_wants_text_has_text(settings):
    X = pl.DataFrame({"x": ["1.5", "2.5", "12"] * 10})
    y = ["a", "b", "c"] * 10
    assert counted().fit(X, y).schema_.features[0].cuts == (2.0, 7.25)
    assert counted(**settings).fit(X, y).schema_.features[0].states == ("1.5", "12", "2.5")


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["1.5", "2.5", "12"])])
def test_categories_by_type_stay_so(dtype):
    X = pl.DataFrame({"x": ["1.5", "2.5", "12"] * 10}).cast(dtype)
    for table in (X, X.to_pandas(), X.to_arrow()):
        variable = counted().fit(table, ["a", "b", "c"] * 10).schema_.features[0]
        assert variable.kind == "categorical"
    assert variable.note == ""


def test_few_whole_numbers_in_few_rows_stay_categories():
    X, y = np.array([["1"], ["2"], ["3"]] * 20, dtype=object), ["a", "b", "a"] * 20
    assert counted().fit(X, y).schema_.features[0].states == ("1", "2", "3")
    many = counted().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2)).schema_.features[0]
    assert (many.cuts, many.dtype) == ((1.5, 2.5), "integer")


def test_the_note_says_why_a_column_stays_text():
    X = pl.DataFrame({"zip": ["01234", "99999"] * 10, "n": ["1,200", "3,500"] * 10})
    features = counted().fit(X, [0, 1] * 10).schema_.features
    assert [variable.note for variable in features] == [
        "text, since '01234' looks like a code",
        "text, since '1,200' may be 1200 or 1.2",
    ]
    with pytest.raises(
        ValueError, match=r"Column 'n' is said to hold numbers, but '1,200' may be 1200 or 1\.2"
    ):
        counted(column_types={"n": "number"}).fit(X, [0, 1] * 10)


def test_codes_are_numbers_to_who_says_so():
    X = pl.DataFrame({"zip": ["01234", "99501", "10115"] * 10})
    variable = counted(column_types={"zip": "number"}).fit(X, ["a", "b", "a"] * 10).schema_.features[0]
    assert variable.cuts == ((10115 + 99501) / 2,)
    assert variable.note == ""


def test_text_that_is_said_to_be_numbers():
    X = pl.DataFrame({"x": ["1", "2", "3"] * 10}).cast(pl.Categorical)
    model = counted(column_types={"x": "number"}).fit(X, ["a", "b", "b"] * 10)
    assert model.schema_.features[0].cuts == (1.5,)
    empty = pl.DataFrame({"x": pl.Series([None] * 4, dtype=pl.String), "z": ["a", "b"] * 2})
    with pytest.warns(UserWarning, match="Column 'x' has no values at all"):
        counted(column_types={"x": "number"}).fit(empty, [0, 1, 0, 1])
