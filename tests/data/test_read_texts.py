"""One table of texts, read through every door: tables, single rows, scorers, files, `ask`, and databases.

The doors must agree for each text on the interval that it is in, or on that it is none. The table is read_texts.csv;
its values are empty where a text is not read.
"""

import csv
import datetime as dt
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.cli.ask import state_of, states_of
from bayleaf.cli.model_tables import columns_for, read_for
from bayleaf.data import Cuts, encode
from bayleaf.models.dialects import DIALECTS
from bayleaf.models.sql_query import ColumnWriter

LINES = Path(__file__).with_name("read_texts.csv").read_text(encoding="utf-8").splitlines()
TABLE = [(line["column"], line["text"], line["value"]) for line in csv.DictReader(LINES)]
ROWS, UNREAD = 240, -1
NUMBERS = (-3000, -1234.5, -30, -26, -25, -20, 0, 9, 10, 11, 24, 25, 25.5, 26, 100, 1234, 1234.5, 1300, 5000)
# Databases read a column of plain numbers, and of dates and times, in their own ways.
NOT_IN_DATABASES = {("plain", "−25"), ("plain", "(25)"), ("moment", "2017-05-01 10:00 pm")}
NOT_IN_DATABASES |= {("utc", "2017-05-01 12:00 +0200")}


def german(number):
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


@cache
def fitted():
    """A model of columns that are written in all these ways, cut so finely that a misread text is noticed."""
    numbers = [NUMBERS[k % len(NUMBERS)] + k // len(NUMBERS) / 4 for k in range(ROWS)]
    days = [dt.date(2017, 4, 1) + dt.timedelta(days=k % 60) for k in range(ROWS)]
    moments = [dt.datetime(2017, 4, 28) + dt.timedelta(hours=5 * (k % 60)) for k in range(ROWS)]
    X = pl.DataFrame(
        {
            "plain": [float(number) for number in numbers],
            "percent": [f"{number} %" for number in numbers],
            "euro": [f"{german(number)} €" for number in numbers],
            "dollar": [f"{'-' * (number < 0)}${abs(number):,.2f}" for number in numbers],
            "apostrophe": [f"{number:,.2f}".replace(",", "'") for number in numbers],
            "day": [day.isoformat() for day in days],
            "german day": [day.strftime("%d.%m.%Y") for day in days],
            "moment": [moment.isoformat(" ") for moment in moments],
            "utc": [f"{moment.isoformat()}Z" for moment in moments],
        }
    )
    near = sorted(x + e for x in (-1234.5, -25.5, -25, 10, 25, 25.5, 1234, 1234.5) for e in (-0.25, 0.2))
    start = dt.datetime(2017, 4, 30, 23, 59)
    hours = [start + dt.timedelta(minutes=k) for k in (0, 2, 600, 601, 602, 720, 722, 1320, 1322)]
    some_days = [dt.date(2017, 4, 30) + dt.timedelta(days=k) for k in range(-2, 3)]
    cuts = dict.fromkeys(X.columns[:5], near) | dict.fromkeys(("day", "german day"), some_days)
    cuts |= {"moment": hours, "utc": [hour.replace(tzinfo=dt.UTC) for hour in hours]}
    clf = bl.BayesNetClassifier(
        structure=bl.NaiveBayes(), parameters=bl.Laplace(), discretizer=Cuts(cuts), missing="available"
    )
    return clf.fit(X, np.arange(ROWS) % 2)


def variable_of(column):
    return next(variable for variable in fitted().schema_.columns if variable.name == column)


def expected_code(column, value):
    variable = variable_of(column)
    if not value:
        return UNREAD
    if variable.dtype in ("date", "datetime"):
        zone = dt.UTC if variable.zone else None
        number = variable.date_number(dt.datetime.fromisoformat(value).replace(tzinfo=zone))
    else:
        number = float(value)
    return sum(number > cut for cut in variable.cuts)


def row_of(column, text):
    """A table of one row that has the text, and nothing else."""
    names = [variable.name for variable in fitted().schema_.columns]
    return pl.DataFrame(
        {name: [text if name == column else None] for name in names}, dict.fromkeys(names, pl.String)
    )


def code_in(table, column):
    code = table.codes[0, table.names.index(column)]
    return UNREAD if code == table.missing_code else int(code)


def by_table(column, text, folder):
    return code_in(encode(fitted().schema_, row_of(column, text)), column)


def by_few_rows(column, text, folder):
    return code_in(fitted()._reader.encode(row_of(column, text), owner=fitted()), column)


def by_scorer(column, text, folder):
    codes, _ = fitted()._reader.encode_row({column: text})
    code = codes[fitted().schema_.features.index(variable_of(column))]
    return UNREAD if code == np.iinfo(codes.dtype).max else int(code)


def by_file(column, text, folder):
    path = folder / "new.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([[column, "other"], [text, "x"]])
    frame = columns_for(fitted(), read_for(fitted(), path), path, absent_missing=True)
    return code_in(encode(fitted().schema_, frame.select(v.name for v in fitted().schema_.columns)), column)


def by_ask(column, text, folder):
    variable = variable_of(column)
    return variable.code(state_of(variable, text))


def in_duckdb(column, text, folder):
    duckdb = pytest.importorskip("duckdb")
    writer = ColumnWriter(fitted().schema_, DIALECTS["duckdb"], ())
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("given", row_of(column, text).to_arrow())
        connection.execute("CREATE TABLE data AS SELECT * FROM given")
        answer = connection.execute(f"SELECT {writer.code(variable_of(column))} FROM data AS src").fetchone()
    return UNREAD if answer[0] is None else answer[0]


@pytest.mark.parametrize("door", [by_table, by_few_rows, by_scorer, by_file, by_ask, in_duckdb])
def test_every_door_reads_every_text_alike(door, tmp_path):
    wrong = {}
    for column, text, value in TABLE:
        if door is in_duckdb and ((column, text) in NOT_IN_DATABASES or column == "german day"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                code = door(column, text, tmp_path)
            except Exception as error:  # what is not read may be refused
                code = str(error) if value else UNREAD
        if code != expected_code(column, value):
            wrong[column, text] = (code, expected_code(column, value))
    assert wrong == {}


def test_the_table_tells_the_doors_apart():
    # Each readable text is in another interval than the neighbours' reading of it would be.
    assert expected_code("euro", "1234") != expected_code("euro", "1.234")
    assert expected_code("utc", "2017-05-01T12:00") != expected_code("utc", "2017-05-01T10:00")
    assert len(TABLE) > 50


def test_what_is_known_may_be_written_as_in_a_file():
    network = fitted().network_
    found = states_of(network, ['moment=2017-05-01 10:00, percent=25%, "euro=1.234,50 €"'])
    assert {name: network.variable(name).code(state) for name, state in found.items()} == {
        "moment (hour)": 10,
        "moment": expected_code("moment", "2017-05-01T10:00"),
        "percent": expected_code("percent", "25"),
        "euro": expected_code("euro", "1234.5"),
    }
    with pytest.raises(
        ValueError, match=r"'percent' has no state '25 €'.*numbers are read with decimal point, %"
    ):
        states_of(network, ["percent=25 €"])


def test_a_date_that_is_known_says_which_weekday_it_is():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=k) for k in range(200)]
    closed = [day.weekday() == 6 for day in days]
    model = bl.BayesNetClassifier(structure=bl.NaiveBayes()).fit(pl.DataFrame({"day": days}), closed)
    found = states_of(model.network_, ["day=2025-06-01"])
    assert found["day (weekday)"] == "Sunday"
    assert states_of(model.network_, ["day=2025-06-01, day (weekday)=Monday"])["day (weekday)"] == "Monday"
    assert model.network_.posterior("class", found)[True] > 0.9
