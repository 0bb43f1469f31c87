"""Dates that are written as text: in one way throughout a column, or not at all."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data.text_values import find_dates, read_dates
from reference import civil_dates
from reference.counted import counted

FORMATS = {
    "%Y-%m-%d": "%Y-%m-%d",
    "%Y/%m/%d": "%Y/%m/%d",
    "%Y.%m.%d": "%Y.%m.%d",
    "%d.%m.%Y": "%d.%m.%Y",
    "%d-%B-%Y": "%d-%b-%Y",
    "%d %B %Y": "%d %B %Y",
    "%B %d, %Y": "%b %d, %Y",
}
dates = st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31))


@given(st.lists(dates, min_size=1, max_size=8), st.sampled_from(sorted(FORMATS)))
def test_what_python_writes_is_read(values, spelling):
    texts = [value.strftime(FORMATS[spelling]) for value in values]
    found = find_dates(texts)
    assert (found.spelling, found.dtype, found.rival) == (spelling, "date", None)
    np.testing.assert_array_equal(found.values, [civil_dates.days(value) for value in values])


@given(st.lists(st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 30)), min_size=1, max_size=8))
def test_moments_that_python_writes_are_read(values):
    for sep in " T":
        found = find_dates([value.isoformat(sep=sep) for value in values])
        assert found.dtype == "datetime"
        expected = [round(civil_dates.seconds(value), 6) for value in values]
        np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-4)


@given(st.lists(dates, min_size=1, max_size=8), st.sampled_from("/-"))
def test_day_and_month_are_told_apart_where_a_value_decides(values, mark):
    first, second = f"%d{mark}%m{mark}%Y", f"%m{mark}%d{mark}%Y"
    texts = [value.strftime(first) for value in values]
    found = find_dates(texts)
    if any(value.day > 12 for value in values):
        assert (found.spelling, found.rival) == (first, None)
        np.testing.assert_array_equal(found.values, [civil_dates.days(value) for value in values])
        american = find_dates([value.strftime(second) for value in values])
        assert (american.spelling, american.rival) == (second, None)
    else:
        assert (found.spelling, found.rival) == (first, second)


@pytest.mark.parametrize(
    ("text", "hour"), [("8:05", 8), ("08:05", 8), ("12:05 AM", 0), ("12:05 pm", 12), ("1:05 p.m.", 13)]
)
def test_times_of_the_day(text, hour):
    assert find_dates([text]).values.tolist() == [hour * 3600 + 300]
    assert find_dates([f"2024-03-01 {text}"]).values.tolist() == [19783 * 86_400 + hour * 3600 + 300]


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["2024-03-01", "tomorrow"],
        ["2024-02-30"],
        ["2024-03-01 25:00"],
        ["2024-03-01 08:60"],
        ["13:00 pm"],
        ["2024-03-01", "01.03.2024"],
        ["2024-03-01T08:00", "2024-03-01T08:00Z"],
        ["1/2/24"],
        ["32/12/2024"],
        ["20240301"],
        ["5 Foo 2024"],
    ],
    ids=str,
)
def test_what_is_no_date(texts):
    assert find_dates(texts) is None


@pytest.mark.parametrize(("offset", "hours"), [("Z", 0), ("+02:00", -2), ("-0330", 3.5), (" UTC", 0)])
def test_offsets_from_utc(offset, hours):
    found = find_dates([f"1970-01-02T00:00{offset}"])
    assert found.values.tolist() == [86_400 + hours * 3600]
    assert found.zone == ("UTC" if hours == 0 else {-2: "+02:00", 3.5: "-03:30"}[hours])
    mixed = find_dates([f"1970-01-02T00:00{offset}", "1970-01-02T00:00+05:00"])
    assert mixed.zone == "UTC"
    assert read_dates(["nonsense"], "%Y-%m-%d").values.tolist() != [0.0]


def written(rows=300, form="%d/%m/%Y"):
    days = [dt.date(2021, 1, 1) + dt.timedelta(days=k * 37 % 1000) for k in range(rows)]
    y = np.array([day > dt.date(2022, 3, 1) for day in days]).astype(int)
    return days, [day.strftime(form) for day in days], y


def test_texts_that_are_dates_are_cut_and_read_again():
    days, texts, y = written()
    model = counted(discretizer=bl.MDLP()).fit(pl.DataFrame({"d": texts}), y)
    variable = model.schema_.features[0]
    assert (variable.dtype, variable.spelling, variable.note) == (
        "date",
        "%d/%m/%Y",
        "text, read as %d/%m/%Y",
    )
    assert model.score(pl.DataFrame({"d": texts}), y) == 1.0
    # Of a row that would not decide alone, fit knows the meaning; dates and ISO 8601 are understood as well.
    mixed = pl.DataFrame({"d": ["03/04/2022", "2022-04-03", "03/04/2021"]})
    assert model.predict(mixed).tolist() == [1, 1, 0]
    for value in ("03/04/2022", "2022-04-03", dt.date(2022, 4, 3)):
        assert model.predict(pl.DataFrame({"d": [value]})).tolist() == [1]
        assert model.scorer()({"d": value}).argmax() == 1
    rows = pl.DataFrame({"d": days})
    np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(pl.DataFrame({"d": texts})))
    with pytest.raises(ValueError, match="'2022/04/03' cannot be read as one: write it like '31/01/2024'"):
        model.predict(pl.DataFrame({"d": ["2022/04/03"]}))


def test_texts_between_which_nothing_decides_stay_text():
    ambiguous = ["03/04/2024", "05/06/2024"] * 20
    model = counted().fit(pl.DataFrame({"d": ambiguous}), [0, 1] * 20)
    variable = model.schema_.features[0]
    assert (variable.dtype, variable.kind) == ("string", "categorical")
    assert variable.note == "text: '03/04/2024' may be %d/%m/%Y or %m/%d/%Y"


@pytest.mark.parametrize(
    "settings",
    [
        {"categorical_features": ["d"]},
        {"categorical_features": "from_dtype"},
        {"column_types": {"d": "category"}},
    ],
    ids=str,
)
def test_texts_that_are_said_to_be_categories_stay_so(settings):
    texts = ["2024-01-01", "2024-02-01"] * 20
    model = counted(**settings).fit(pl.DataFrame({"d": texts}), [0, 1] * 20)
    assert model.schema_.features[0].states == ("2024-01-01", "2024-02-01")


def test_dates_of_their_own_in_every_row_are_no_identifiers():
    texts = [f"2024-01-01 {k // 60:02d}:{k % 60:02d}" for k in range(600)]
    model = counted().fit(pl.DataFrame({"d": texts}), np.arange(600) > 300)
    assert model.schema_.features[0].dtype == "datetime"
    assert model.score(pl.DataFrame({"d": texts}), np.arange(600) > 300) == 1.0
