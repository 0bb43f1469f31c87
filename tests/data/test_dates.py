"""Dates and times: one number whatever library they come from, parts that tell, labels that read as dates."""

import datetime as dt
import pickle
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Variable, encode, read_columns
from bayleaf.data.dates import (
    MOMENTS,
    as_counted,
    clock_seconds,
    moment_of,
    moment_texts,
    part_codes,
    part_of,
)
from bayleaf.data.numbers import part_tells, settled
from bayleaf.data.schema import Schema
from bayleaf.page.assemble import page_data
from reference import civil_dates
from reference.counted import counted

DATES = [dt.date(2024, 3, 1), None, dt.date(1500, 1, 31), dt.date(9999, 12, 31), dt.date(1, 1, 1)]
TIMES = [
    dt.datetime(2024, 3, 1, 8, 30),
    None,
    dt.datetime(1600, 2, 29, 23, 59, 59, 500_000),
    dt.datetime(1969, 12, 31, 23, 59, 59),
]
CLOCKS = [dt.time(8, 30), None, dt.time(23, 59, 59, 250_000)]
SPANS = [dt.timedelta(days=2, seconds=5), None, dt.timedelta(seconds=-1.5)]


def objects(values):
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = values
    return array


WAYS = {
    "polars": lambda values: pl.DataFrame({"x": values}),
    "pyarrow": lambda values: pa.table({"x": values}),
    "pandas objects": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "array of objects": objects,
    "stream": lambda values: pa.RecordBatchReader.from_batches(
        pa.table({"x": values}).schema, pa.table({"x": values}).to_batches()
    ),
}


def numbers(values, count):
    return [np.nan if value is None else count(value) for value in values]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("values", "dtype", "count"),
    [
        (DATES, "date", civil_dates.days),
        (TIMES, "datetime", civil_dates.seconds),
        (CLOCKS, "time", lambda clock: civil_dates.seconds(dt.datetime.combine(civil_dates.EPOCH, clock))),
        (SPANS, "duration", dt.timedelta.total_seconds),
    ],
    ids=["dates", "times", "clocks", "spans"],
)
def test_one_number_whatever_library_they_come_from(way, values, dtype, count):
    (column,) = read_columns(WAYS[way](values))
    assert column.dtype == dtype
    np.testing.assert_allclose(column.values.astype(float), numbers(values, count), rtol=0, atol=1e-6)


@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms", "us", "ns"])
def test_arrays_of_numpy(unit):
    texts = ["2024-03-01", "NaT", "1700-01-31"]
    array = np.array(texts, dtype=f"datetime64[{unit}]").reshape(-1, 1)
    for X in (array, pd.DataFrame({"x": array[:, 0]}), array.astype(object) if unit != "ns" else array):
        (column,) = read_columns(X)
        np.testing.assert_array_equal(
            settled(column, "x").values, [19783, np.nan, civil_dates.days(dt.date(1700, 1, 31))]
        )
        assert settled(column, "x").dtype == "date"
    (column,) = read_columns(array[:2] - array[:1] + np.timedelta64(2, "D"))
    np.testing.assert_array_equal(column.values, [2 * 86_400, np.nan])
    assert column.dtype == "duration"


def test_arrays_in_months_and_years():
    for unit, expected in (("M", 19783), ("Y", 19723), ("W", 19782)):
        (column,) = read_columns(
            np.array([["2024-03-01"]], dtype="datetime64[D]").astype(f"datetime64[{unit}]")
        )
        assert (column.dtype, column.values.tolist()) == ("date", [expected])


ZONED = [dt.datetime(2024, 3, 31, hour, 30, tzinfo=ZoneInfo("Europe/Berlin")) for hour in (0, 1, 3)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: pl.DataFrame({"x": ZONED}),
        lambda: pa.table({"x": pa.array(ZONED, pa.timestamp("us", "Europe/Berlin"))}),
        lambda: pd.DataFrame({"x": pd.DatetimeIndex(ZONED)}),
        lambda: pd.DataFrame({"x": pd.array(ZONED, pd.ArrowDtype(pa.timestamp("ns", "Europe/Berlin")))}),
        lambda: objects(ZONED),
    ],
    ids=["polars", "pyarrow", "pandas", "pandas on Arrow", "objects"],
)
def test_clocks_of_the_time_zone_count(make):
    (column,) = read_columns(make())
    assert column.zone == "Europe/Berlin"
    moments = [civil_dates.seconds(each.astimezone(dt.UTC).replace(tzinfo=None)) for each in ZONED]
    np.testing.assert_array_equal(column.values, moments)
    shown = [civil_dates.seconds(each.replace(tzinfo=None)) for each in ZONED]
    np.testing.assert_array_equal(settled(column, "x").values, shown)


@given(
    st.lists(st.integers(1_700_000_000, 1_735_000_000), max_size=8),
    st.integers(-7200, 7200),
    st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns"]),
)
def test_clocks_show_what_python_says(moments, beside, zone):
    moments = [
        *moments,
        1_711_846_800 + beside,
        1_712_415_600 + beside,
    ]  # beside changes of the clocks in 2024
    expected = [dt.datetime.fromtimestamp(each, ZoneInfo(zone)).replace(tzinfo=None) for each in moments]
    found = clock_seconds(np.array(moments, dtype=float), zone, "x")
    np.testing.assert_array_equal(found, [civil_dates.seconds(each) for each in expected])


def test_time_zones_that_are_offsets_or_unknown():
    np.testing.assert_array_equal(clock_seconds(np.zeros(1), "+02:30", "x"), [9000.0])
    np.testing.assert_array_equal(clock_seconds(np.zeros(1), "-0130", "x"), [-5400.0])
    with pytest.raises(
        ValueError,
        match=r"Column 'x' has the time zone 'Mars/Base', which is not known here: .* pip install tzdata",
    ):
        clock_seconds(np.zeros(1), "Mars/Base", "x")
    far = np.array([1e15, -1e15, np.nan, 0.0])  # years that no library has
    np.testing.assert_array_equal(clock_seconds(far, "Asia/Tokyo", "x"), [1e15, -1e15, np.nan, 32_400.0])
    fixed = dt.timezone(dt.timedelta(hours=-3))
    assert moment_of(dt.datetime(1970, 1, 1, tzinfo=fixed)) == (10_800.0, "datetime", "-03:00")
    (column,) = read_columns(objects([dt.datetime(2024, 1, 1, tzinfo=zone) for zone in (fixed, dt.UTC)]))
    assert column.zone == "UTC"
    (column,) = read_columns(pd.DataFrame({"x": pd.to_datetime(["1970-01-01T02:00-03:30"])}))
    assert (column.zone, column.values.tolist()) == ("-03:30", [5.5 * 3600])
    np.testing.assert_array_equal(settled(column, "x").values, [7200.0])


moments = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))


@given(st.lists(st.one_of(st.none(), moments), min_size=1, max_size=20))
def test_parts_are_those_of_the_calendar(values):
    counted = np.array(numbers(values, civil_dates.seconds))
    days = np.floor(counted / 86_400)
    for part in ("weekday", "month", "hour"):
        states = Variable("x", bl.data.dates.STATES[part]).states
        expected = [None if value is None else civil_dates.part(value, part) for value in values]
        for numbers_of, dtype in ((counted, "datetime"), (days, "date")):
            if part == "hour" and dtype == "date":
                continue
            found = [None if code < 0 else states[code] for code in part_codes(part, numbers_of, dtype)]
            assert found == expected
            for number, state in zip(numbers_of.tolist(), expected, strict=True):
                assert state is None or states[part_of(part, number, dtype)] == state


@given(st.data())
def test_which_parts_tell(data):
    rows = data.draw(st.integers(1, 60))
    parts = data.draw(st.lists(st.integers(0, 6), min_size=rows, max_size=rows))
    classes = data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    if data.draw(st.booleans()):
        classes = [int(part > 3) for part in parts]
    codes, target = np.array(parts, dtype=np.int8), np.array(classes)
    assert part_tells(codes, target, None) == civil_dates.tells(parts, classes)
    # A weight of two counts like two equal rows; rows without a date do not count.
    twice = part_tells(np.append(codes, -1), np.append(target, 0), np.full(rows + 1, 2.0))
    assert twice == civil_dates.tells(parts * 2, classes * 2)


def test_cut_points_read_as_dates():
    variable = Variable.numeric("x", [18_262, 19_783], "date")
    assert variable.states == ("(-inf, 2020-01-01]", "(2020-01-01, 2024-03-01]", "(2024-03-01, inf)")
    assert Variable.from_dict(variable.to_dict()) == variable
    assert variable.code(dt.date(2024, 3, 1)) == variable.code(dt.datetime(2024, 3, 1, 23)) == 1
    assert variable.code("2024-03-02") == variable.code(pd.Timestamp("2024-03-02")) == 2
    assert moment_texts([0.25, 0.5], "datetime") == [
        "1970-01-01 00:00:00.250000",
        "1970-01-01 00:00:00.500000",
    ]
    assert moment_texts([86_400.0 * 4_000_000], "datetime") == [
        "12921-08-18"
    ]  # 10,000 years repeat themselves
    assert moment_texts([-93_780.0, 86_400.0, 1.5, 1.25], "duration") == [
        "-1 d 02:03:00.000000",
        "1 d 00:00:00.000000",
        "00:00:01.500000",
        "00:00:01.250000",
    ]
    with pytest.raises(ValueError, match="'x' has no state 'yesterday'"):
        variable.code("yesterday")
    with pytest.raises(ValueError, match=r"'x' has no state datetime\.time"):
        variable.code(dt.time(8))


def workdays(rows=600, seed=0, times=False):
    """Classes that go by the weekday (and the hour), over three years."""
    rng = np.random.default_rng(seed)
    dates = [dt.datetime(2021, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 1100, rows)]
    if times:
        dates = [
            date + dt.timedelta(minutes=int(minute))
            for date, minute in zip(dates, rng.integers(0, 1440, rows), strict=True)
        ]
    late = [date.weekday() > 4 or (times and date.hour > 19) for date in dates]
    y = np.where(rng.random(rows) < 0.9, late, rng.random(rows) < 0.5).astype(int)
    return dates, rng.integers(0, 9, rows) + y, y


def test_parts_that_tell_are_features_of_their_own():
    dates, numbers_, y = workdays(times=True)
    model = counted().fit(pl.DataFrame({"when": dates, "n": numbers_}), y)
    names = [variable.name for variable in model.schema_.features]
    assert names == ["when", "n", "when (weekday)", "when (hour)"]
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == (2, ["when", "n"])
    weekday = model.schema_.features[2]
    assert (weekday.source, weekday.part, weekday.dtype) == ("when", "weekday", "string")
    assert weekday.states[0] == "Monday"
    assert model.schema_.columns == model.schema_.features[:2]
    encoded = model.encode(pl.DataFrame({"when": dates, "n": numbers_}))
    states = [weekday.states[code] for code in encoded.codes[:, 2]]
    assert states == [civil_dates.part(date, "weekday") for date in dates]


def test_parts_that_do_not_come_again_are_none():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=k % 90) for k in range(900)]
    y = np.array([day.month == 2 for day in days]).astype(int)
    model = counted().fit(pl.DataFrame({"day": days}), y)
    (variable,) = model.schema_.features
    assert variable.states == ("(-inf, 2024-01-31]", "(2024-01-31, 2024-02-29]", "(2024-02-29, inf)")
    assert model.score(pl.DataFrame({"day": days}), y) == 1.0


def test_a_name_that_a_column_has_already():
    dates, numbers_, y = workdays()
    model = counted().fit(pl.DataFrame({"d": dates, "d (weekday)": numbers_}), y)
    assert [variable.name for variable in model.schema_.features] == ["d", "d (weekday)", "d (weekday)_"]


def frames_of(dates, numbers_):
    zoned = pd.DatetimeIndex(dates).tz_localize("Europe/Berlin", ambiguous=True, nonexistent="shift_forward")
    texts = [date.isoformat(sep=" ") for date in dates]
    return {
        "polars": pl.DataFrame({"when": dates, "n": numbers_}),
        "polars ns": pl.DataFrame({"when": dates, "n": numbers_}).with_columns(
            pl.col("when").cast(pl.Datetime("ns"))
        ),
        "pandas": pd.DataFrame({"when": dates, "n": numbers_}),
        "pandas objects": pd.DataFrame({"when": pd.Series(dates, dtype=object), "n": numbers_}),
        "pandas with a zone": pd.DataFrame({"when": zoned, "n": numbers_}),
        "pyarrow": pa.table({"when": dates, "n": numbers_}),
        "text": pl.DataFrame({"when": texts, "n": numbers_}),
    }


MODELS = {
    "single": counted(),
    "imputing": counted(missing="impute"),
    "bagged": bl.BaggedClassifier(counted(), n_estimators=2, random_state=0),
    "averaged": bl.AveragedClassifier(),
    "selected": counted(selector=bl.MMPC()),
}


@pytest.mark.parametrize("times", [False, True], ids=["dates", "times"])
@pytest.mark.parametrize("name", MODELS)
def test_all_ways_in_agree(name, times, tmp_path):
    dates, numbers_, y = workdays(400, times=times)
    frames = frames_of(dates, numbers_)
    model = MODELS[name].fit(frames["polars"], y)
    expected = model.predict_proba(frames["polars"])
    model.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.n_features_in_ == 2
    score = pickle.loads(pickle.dumps(loaded.scorer()))
    for frame in frames.values():
        np.testing.assert_array_equal(loaded.predict_proba(frame), expected)
        np.testing.assert_array_equal(score(frame), expected)
    for row, (date, number) in enumerate(zip(dates[:9], numbers_.tolist(), strict=False)):
        for value in (date, date.isoformat(), pd.Timestamp(date), np.datetime64(date)):
            np.testing.assert_allclose(score({"when": value, "n": number}), expected[row], rtol=1e-12)
            np.testing.assert_allclose(score([value, number]), expected[row], rtol=1e-12)
        np.testing.assert_array_equal(loaded.predict_proba(frames["polars"][row : row + 1])[0], expected[row])
        np.testing.assert_array_equal(loaded.predict_proba(frames["pandas"][row : row + 1])[0], expected[row])
    # A date that is missing, in each of its spellings.
    unknown = model.predict_proba(frames["polars"].with_columns(when=pl.lit(None, pl.Datetime)))
    for frame in (frames["polars"].with_columns(when=None), frames["pandas"].assign(when=pd.NaT)):
        np.testing.assert_array_equal(model.predict_proba(frame), unknown)
    np.testing.assert_allclose(score({"when": None, "n": int(numbers_[0])}), unknown[0], rtol=1e-12)
    np.testing.assert_allclose(score({"when": pd.NaT, "n": int(numbers_[0])}), unknown[0], rtol=1e-12)
    np.testing.assert_allclose(score({"n": int(numbers_[0])}), unknown[0], rtol=1e-12)


@pytest.mark.parametrize("library", ["pandas", "pandas with a zone", "pyarrow", "text", "pandas objects"])
def test_a_schema_is_the_same_whatever_library_the_rows_come_from(library):
    dates, numbers_, y = workdays(times=True)
    frames = frames_of(dates, numbers_)
    one, other = (counted().fit(frames[name], y).schema_ for name in ("polars", library))
    for first, second in zip(one.features, other.features, strict=True):
        assert (first.name, first.states, first.cuts, first.part) == (
            second.name,
            second.states,
            second.cuts,
            second.part,
        )


def test_moments_in_other_time_zones_are_read_by_the_clocks_of_fit():
    dates, numbers_, y = workdays(times=True)
    berlin = frames_of(dates, numbers_)["pandas with a zone"]
    model = counted().fit(berlin, y)
    assert model.schema_.features[0].zone == "Europe/Berlin"
    expected = model.predict_proba(berlin)
    for zone in ("UTC", "Asia/Tokyo"):
        elsewhere = berlin.assign(when=berlin["when"].dt.tz_convert(zone))
        np.testing.assert_array_equal(model.predict_proba(elsewhere), expected)
        assert (elsewhere["when"].dt.hour != berlin["when"].dt.hour).any()
    naive = berlin.assign(when=berlin["when"].dt.tz_localize(None))
    np.testing.assert_array_equal(model.predict_proba(naive), expected)
    np.testing.assert_array_equal(
        model.scorer()({"when": berlin["when"][0].isoformat(), "n": int(numbers_[0])}), expected[0]
    )


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1, 2], "Column 'when' held date values in fit and holds integer values now"),
        ([1.5, 2.5], "Column 'when' held date values in fit and holds float values now"),
        ([True, False], "Column 'when' held date values in fit and holds boolean values now"),
        ([dt.time(8), dt.time(9)], "Column 'when' held date values in fit and holds time values now"),
        (["2024-01-01", "soon"], "'soon' cannot be read as one: write it like '2024-01-31'"),
    ],
    ids=str,
)
def test_columns_that_hold_something_else_now(column, message):
    dates, numbers_, y = workdays()
    model = counted().fit(pl.DataFrame({"when": dates, "n": numbers_}), y)
    with pytest.raises((TypeError, ValueError), match=message):
        model.predict(pl.DataFrame({"when": column, "n": [1, 2]}))
    with pytest.raises((TypeError, ValueError), match=message):
        model.scorer()({"when": column[1], "n": 1})
    with pytest.raises(TypeError, match="Column 'n' held numbers in fit and holds datetime values now"):
        model.predict(pl.DataFrame({"when": dates[:2], "n": dates[:2]}))


def test_labels_of_intervals_are_read_and_have_no_weekday():
    dates, *_ = workdays()
    late = [date > dt.datetime(2022, 6, 1) for date in dates]
    model = counted(bl.NaiveBayes()).fit(pl.DataFrame({"when": dates}), late)
    labels = model.schema_.features[0].states
    rows = pl.DataFrame({"when": [labels[0], labels[-1]]})
    assert model.predict(rows).tolist() == [False, True]
    sample = model.network_.sample(20, random_state=0)
    assert model.network_.log_likelihood(sample).shape == (20,)


def test_dates_that_are_declared_categories():
    dates = [dt.date(2024, 1, 1), dt.date(2024, 5, 1), None] * 20
    y = [0, 1, 1] * 20
    model = counted(categorical_features=["d"]).fit(pl.DataFrame({"d": dates}), y)
    assert model.schema_.features[0].value_states == ("2024-01-01", "2024-05-01")
    assert model.predict(pl.DataFrame({"d": dates[:2]})).tolist() == [0, 1]
    assert bl.data.categorical_table(pl.DataFrame({"d": dates})).variables[0].states == (
        "2024-01-01",
        "2024-05-01",
    )


def test_selectors_keep_the_column_that_a_part_is_made_from():
    dates, _, y = workdays()
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"noise": rng.integers(0, 3, len(y)), "when": dates})
    selector = bl.MMPC().fit(frame, y)
    assert selector.get_support().tolist() == [False, True]
    assert selector.get_feature_names_out().tolist() == ["when"]
    model = counted(selector=bl.MMPC()).fit(frame, y)
    assert model.network_.nodes == ("when (weekday)", "class")


def test_missing_dates_and_weights():
    dates, _, y = workdays()
    gaps = [None if k % 5 == 0 else date for k, date in enumerate(dates)]
    frame = pl.DataFrame({"when": gaps})
    dropped = counted(missing="drop").fit(frame, y)
    assert dropped.training_.rows == 480
    imputed = counted(missing="impute").fit(frame, y)
    weekday = imputed.schema_.features[1]
    usual = pd.Series([date.strftime("%A") for date in gaps if date is not None]).mode()[0]
    assert weekday.states[weekday.fill] == usual
    weighted = counted().fit(frame, y, np.full(len(y), 2.0)).schema_
    twice = counted().fit(pl.concat([frame, frame]), np.concatenate([y, y])).schema_
    assert weighted == twice


@pytest.mark.parametrize(
    ("frequency", "parts"), [("M", ("month",)), ("Q", ()), ("W", ()), ("D", ("weekday", "month"))]
)
def test_periods(frequency, parts):
    # Before pandas 3, moments are nanoseconds, and begin in 1677.
    start = "1600-01-01" if int(pd.__version__.split(".")[0]) >= 3 else "1700-01-01"
    periods = pd.Series(pd.period_range(start, periods=3, freq=frequency))
    periods[1] = pd.NaT
    for X in (pd.DataFrame({"x": periods}), pd.DataFrame({"x": periods.astype(object)})):
        (column,) = read_columns(X)
        column = settled(column, "x")
        first = [np.nan if each is pd.NaT else civil_dates.days(each.start_time.date()) for each in periods]
        np.testing.assert_array_equal(column.values, first)
        assert column.parts == parts or X["x"].dtype == object


def test_intervals_are_ordered_categories():
    values = [9.5, 1.0, 10.5, None, 2.0] * 8
    cut = pd.cut(pd.Series(values), [0, 2, 10, 11])
    plain = pd.Series(pd.arrays.IntervalArray(cut.to_numpy(dtype=object)))
    y = [1, 0, 1, 0, 0] * 8
    for column in (cut, plain, plain.astype(object)):
        model = counted().fit(pd.DataFrame({"x": column}), y)
        states = model.schema_.features[0].value_states
        assert [state.split(",")[0] for state in states] in (["(0", "(2", "(10"], ["(0.0", "(2.0", "(10.0"])
        assert model.predict(pd.DataFrame({"x": column[:3]})).tolist() == [1, 0, 1]


def test_decimals_and_fractions_are_numbers():
    values = [Decimal("1.25"), None, Decimal("NaN"), Fraction(1, 2), 3]
    (column,) = read_columns(objects(values))
    assert (column.dtype, column.values.tolist()[0]) == ("float", 1.25)
    np.testing.assert_array_equal(column.values, [1.25, np.nan, np.nan, 0.5, 3.0])
    prices = [Decimal("1.10"), Decimal("2.20"), None]
    for frame in (
        pl.DataFrame({"x": prices}),
        pa.table({"x": prices}),
        pd.DataFrame({"x": pd.array(prices, pd.ArrowDtype(pa.decimal128(10, 2)))}),
    ):
        (column,) = read_columns(frame)
        np.testing.assert_allclose(column.values, [1.1, 2.2, np.nan])


def test_pages_and_files_show_dates():
    dates, numbers_, _ = workdays()
    y = np.array([date > dt.datetime(2022, 6, 1) for date in dates]).astype(int)
    dates[0], dates[1], y[:2] = dt.datetime(2022, 6, 1), dt.datetime(2022, 6, 2), [0, 1]
    X = pl.DataFrame({"when": dates, "n": numbers_})
    model = counted().fit(X, y)
    node = page_data(model, X, y)["nodes"][0]
    assert (node["moment"], node["cutTexts"], node["states"][0]) == ("date", ["2022-06-01"], "≤ 2022-06-01")
    text = str(model.explain(X[:1]))
    assert "2022-06-01" in text


def test_what_is_no_date_is_none():
    assert moment_of("2024-01-01") is None
    assert as_counted(np.zeros(1), "duration", None, "date", None, "x") is None
    assert {"date", "datetime", "time", "duration"} == MOMENTS
    with pytest.raises(ValueError, match="The states of 'x' are not those of the part 'weekday'"):
        Variable("x", ("a", "b"), source="d", part="weekday")


def test_durations_and_times_of_day():
    rng = np.random.default_rng(0)
    seconds = rng.integers(0, 86_400, 400)
    y = (seconds > 43_200).astype(int)
    spans = [dt.timedelta(seconds=int(each)) for each in seconds]
    clocks = [(dt.datetime(1970, 1, 1) + span).time() for span in spans]
    X = pl.DataFrame({"span": spans, "clock": clocks})
    model = counted().fit(X, y)
    assert model.score(X, y) == 1.0
    span, clock = model.schema_.features
    assert span.states[0].startswith(("(-inf, 11:", "(-inf, 12:"))
    assert clock.states == span.states or clock.states[0][:9] == span.states[0][:9]
    np.testing.assert_array_equal(model.predict_proba(X.to_pandas()), model.predict_proba(X))
    texts = X.with_columns(clock=pl.col("clock").cast(pl.String))
    np.testing.assert_array_equal(model.predict_proba(texts), model.predict_proba(X))
    with pytest.raises(
        TypeError, match="Column 'span' held duration values in fit and holds string values now"
    ):
        model.predict(X.with_columns(span=pl.lit("1 h")))


def test_cut_points_that_are_given_as_dates():
    dates, _, y = workdays(times=True)
    X = pl.DataFrame({"when": dates, "day": [date.date() for date in dates]})
    cuts = {"when": [dt.date(2022, 1, 1), dt.datetime(2022, 6, 1, 12)], "day": ["2022-01-01"]}
    model = counted(discretizer=bl.Cuts(cuts)).fit(X, y)
    assert model.schema_.features[0].cut_texts == ["2022-01-01 00:00", "2022-06-01 12:00"]
    assert model.schema_.features[1].cut_texts == ["2022-01-01"]
    for wrong in ([19_000], [dt.date(2022, 1, 2), dt.date(2022, 1, 1)], ["soon"]):
        with pytest.raises(
            ValueError, match="The cut points of column 'day' must be increasing, and each a date"
        ):
            counted(discretizer=bl.Cuts({**cuts, "day": wrong})).fit(X, y)


def test_a_table_that_is_encoded_already():
    dates, numbers_, y = workdays()
    X = pl.DataFrame({"when": dates, "n": numbers_})
    model = counted().fit(X, y)
    table = encode(Schema(model.schema_.features), X)
    np.testing.assert_array_equal(model.predict_proba(table), model.predict_proba(X))
