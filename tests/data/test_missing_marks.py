"""Marks of missing values among numbers: which are found, and that every door takes them as missing."""

import sqlite3
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data import MissingMarkWarning
from bayleaf.data.numbers import find_marks
from bayleaf.data.raw_columns import LabelColumn, NumberColumn, object_column
from bayleaf.data.text_values import missing_marks
from reference.counted import counted

NUMBERS = [str(k) for k in range(20)]


@pytest.mark.parametrize(
    "mark", ["-", "?", "n.d.", "k.A.", "k. A.", "\\N", "#N/A", "Unknown", ".", "", "N/A", "–"]
)
@pytest.mark.parametrize("others", [["261", "302.5"], ["0", "1"], ["1,5", "2,25"], ["12 %", "7 %"], NUMBERS])
def test_marks_beside_numbers_are_found(mark, others):
    assert missing_marks([mark, *others]) == [mark]
    assert missing_marks([*others, mark]) == [mark]


@pytest.mark.parametrize(
    ("texts", "marks"),
    [
        (["yes", "no", "-"], ["-"]),
        (["M", "F", "?"], ["?"]),
        (["2024-01-31", "2024-02-01", "n.d."], ["n.d."]),
        ([*NUMBERS, "broken", "-"], ["broken", "-"]),
        ([*NUMBERS, "a1", "-"], []),
        ([*NUMBERS, "80+"], []),
        ([*NUMBERS, "N", "S"], []),  # lines of buses
        ([*NUMBERS, "-", "?", "na", "nan", "null", "unknown"], []),  # six
        (["2", "3", "4", "5more"], []),
        ([*NUMBERS, "none"], []),
        ([*NUMBERS, "too many"], []),
        (["2", "3", "more"], []),
        (["yes", "no", "unknown"], []),
        (["+", "-"], []),
        (["1", "-"], []),
        (["a", "b", "-"], []),
        (["01234", "99501", "-"], []),  # codes
        (["red", "blue"], []),
        (["1", "2"], []),
        ([], []),
    ],
)
def test_what_may_mean_something_stays(texts, marks):
    assert missing_marks(texts) == marks


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([20, 35, 80, -99, -99, -99], [-99]),
        ([20.5, np.nan, 80, -99, -99, -99], [-99]),
        ([20, 35, 80, 999, 999, 999], [999]),
        ([0, 1, -99, -99, -99, -999, -999, -999], [-999, -99]),
        ([20, 35, 80, -99, -99], []),  # twice may be chance
        ([20, 35, 80, 99, 99, 99], []),
        ([0, 41_310, 99_999, 99_999, 99_999], []),  # a limit of what was recorded
        ([-60, 50, -99, -99, -99], []),
        ([5, 5, 999, 999, 999], []),  # one number beside it
        ([0, 100_000, -99, -99, -99], []),
        ([np.inf, 1.0, -99, -99, -99], []),
        ([np.nan, np.nan], []),
    ],
)
def test_nines_far_outside_the_rest_are_marks(values, marks):
    assert find_marks(NumberColumn("x", np.array(values), "integer")) == marks
    assert find_marks(NumberColumn("x", np.array(values), "integer"), said=True) == []


def marked(rows=300):
    """Columns with marks; the same with None in their place; and two classes that depend on them."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    copper = np.round(rng.normal(100, 30, rows) + 60 * y, 1).tolist()
    age = (rng.integers(20, 60, rows) + 10 * y).tolist()
    columns = {
        "chol": ([str(value) for value in copper], "-"),
        "copper": (copper, "n.d."),
        "ascites": ([str(value) for value in rng.integers(0, 2, rows) | y], "?"),
        "spiders": (["yes" if value else "no" for value in rng.integers(0, 2, rows) & y], "-"),
        "age": (age, -99),
    }
    here = {name: rng.random(rows) < 0.2 for name in columns}
    with_marks, with_gaps = (
        {
            name: [
                (mark if marks else None) if out else value
                for value, out in zip(values, here[name], strict=True)
            ]
            for name, (values, mark) in columns.items()
        }
        for marks in (True, False)
    )
    return with_marks, with_gaps, y


WITH_MARKS, WITH_GAPS, Y = marked()
MARKS = [("-",), ("n.d.",), ("?",), ("-",), (-99.0,)]


def pandas(columns):
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def polars(columns):
    kinds = {"copper": pl.Object} if "n.d." in columns["copper"] else {}
    return pl.DataFrame(columns, schema_overrides=kinds)


TABLES = {
    "pandas": pandas,
    "polars": polars,
    "array": lambda columns: pandas(columns).to_numpy(),
}


def quiet(model, X, y=Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingMarkWarning)
        return model.fit(X, y)


@pytest.fixture(scope="module")
def model():
    return quiet(bl.BayesNetClassifier(), pandas(WITH_MARKS))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_fit_with_marks_is_that_with_gaps(table):
    with pytest.warns(
        MissingMarkWarning, match=r"^Read as missing values: '-' in 6\d rows of column '"
    ) as caught:
        model = bl.BayesNetClassifier().fit(table(WITH_MARKS), Y)
    (warning,) = [each for each in caught if each.category is MissingMarkWarning]
    assert warning.filename == __file__
    expected = bl.BayesNetClassifier().fit(table(WITH_GAPS), Y)
    assert len(warning.message.columns) == 5
    assert [variable.marks for variable in model.schema_.features] == MARKS
    assert [each.n_missing for each in model.schema_.features] == [
        each.n_missing for each in expected.schema_.features
    ]
    assert [each.states for each in model.schema_.features] == [
        each.states for each in expected.schema_.features
    ]
    assert model.schema_.lines()[0].note == "'-' read as missing"
    np.testing.assert_array_equal(
        model.predict_proba(table(WITH_MARKS)), expected.predict_proba(table(WITH_GAPS))
    )


def test_every_way_to_predict_takes_marks_as_missing(model, tmp_path):
    expected = model.predict_proba(pandas(WITH_GAPS))
    rows = pandas(WITH_MARKS)
    np.testing.assert_array_equal(model.predict_proba(rows), expected)
    few = np.concatenate([model.predict_proba(rows[k : k + 3]) for k in range(0, len(rows), 3)])
    np.testing.assert_array_equal(few, expected)
    scorer = model.scorer()
    dicts = [dict(zip(WITH_MARKS, row, strict=True)) for row in zip(*WITH_MARKS.values(), strict=True)]
    np.testing.assert_array_equal([scorer(row) for row in dicts], expected)
    model.save(tmp_path / "model.json")
    loaded = bl.load(tmp_path / "model.json")
    assert loaded.schema_ == model.schema_
    np.testing.assert_array_equal(loaded.predict_proba(rows), expected)
    # Other usual marks need not have been in fit; what is none is reported.
    one = {name: [values[0]] for name, values in WITH_GAPS.items()}
    gone = model.predict_proba(pandas({**one, "chol": [None]}))
    np.testing.assert_array_equal(model.predict_proba(pandas({**one, "chol": ["k.A."]})), gone)
    np.testing.assert_array_equal(scorer({**{k: v[0] for k, v in one.items()}, "chol": "?"}), gone[0])
    two = {name: [values[0]] * 2 for name, values in WITH_GAPS.items()}
    with pytest.warns(UserWarning, match=r"Column 'chol' has 1 value that is not a number \('often'\)"):
        model.predict_proba(pandas({**two, "chol": ["often", "3"]}))


def test_an_array_of_numbers_with_nines():
    X = np.array([[value] for value in WITH_MARKS["age"]])
    model = quiet(bl.BayesNetClassifier(), X)
    gaps = np.where(X == -99, np.nan, X)
    expected = bl.BayesNetClassifier().fit(gaps, Y)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(gaps))
    assert model.scorer()((-99,)).tolist() == expected.scorer()((None,)).tolist()


@pytest.mark.parametrize("sample_rows", [1_000, 100])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_fit_in_batches_finds_the_same_marks(tmp_path, kind, sample_rows):
    texts = {name: values for name, values in WITH_MARKS.items() if name != "copper"}
    frame = pl.DataFrame({**texts, "copper": [str(value) for value in WITH_MARKS["copper"]], "class": Y})
    path = tmp_path / f"rows.{kind}"
    frame.write_parquet(path) if kind == "parquet" else frame.write_csv(path)
    with pytest.warns(MissingMarkWarning) as caught:
        model = counted().fit_from(path, "class", sample_rows=sample_rows)
    assert len([each for each in caught if each.category is MissingMarkWarning]) == 1
    found = {variable.name: variable for variable in model.schema_.features}
    marks = [() if kind == "csv" and each == ("?",) else each for each in MARKS]  # files have no ? by default
    assert [found[name].marks for name in WITH_MARKS] == marks
    for name, values in WITH_GAPS.items():
        gaps = values.count(None)
        close = 0 if sample_rows == 1_000 or name != "age" else 0.5 * gaps
        assert abs(found[name].n_missing - gaps) <= close
        if found[name].marks and not close:
            assert f"in {gaps} rows of column '{name}'" in str(caught[0].message)


def test_a_table_of_objects_is_learned_in_batches():
    learn = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage()).fit_from
    with pytest.warns(MissingMarkWarning):
        model = learn(pandas(WITH_MARKS).assign(y=Y), "y")
    np.testing.assert_allclose(
        model.predict_proba(pandas(WITH_MARKS)),
        learn(pl.DataFrame({**WITH_GAPS, "y": Y}), "y").predict_proba(pandas(WITH_GAPS)),
    )


def test_a_query_takes_marks_as_missing(model):
    rows = pd.DataFrame(WITH_MARKS).map(str)
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (chol text, copper text, ascites text, spiders text, age integer)")
    connection.executemany("insert into t values (?, ?, ?, ?, ?)", rows.to_numpy().tolist())
    answers = connection.execute(model.to_sql("t", "sqlite")).fetchall()
    expected = model.predict_proba(pandas(WITH_GAPS))
    np.testing.assert_allclose(np.array([row[-2:] for row in answers], dtype=float), expected, atol=1e-9)


def test_marks_are_said_by_hand():
    X = pl.DataFrame(
        {"kind": ["a", "none", "b"] * 40, "size": [1, 77, 3] * 40, "note": ["x", "-", "77"] * 40}
    )
    y = ["no", "yes", "no"] * 40
    said = bl.BayesNetClassifier(missing="available", missing_values=["none", 77]).fit(X, y)
    assert [variable.n_missing for variable in said.schema_.features] == [40, 40, 40]
    assert [variable.states for variable in said.schema_.features if variable.cuts is None] == [
        ("a", "b"),
        ("-", "x"),
    ]
    nothing = [[None, None, None]]
    row = pl.DataFrame([["none", 77, "77"]], schema=X.columns, orient="row")
    gaps = pl.DataFrame(nothing, schema=X.schema, orient="row")
    np.testing.assert_array_equal(said.predict_proba(row), said.predict_proba(gaps))
    X = pandas(WITH_MARKS)[["chol", "age"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = bl.BayesNetClassifier(missing_values=[]).fit(X, Y)
    assert kept.schema_.features[0].cuts is None
    assert [variable.n_missing for variable in kept.schema_.features] == [0, 0]


def test_the_types_of_columns_count_more():
    X = pandas(WITH_MARKS)[["chol", "ascites", "age"]]
    types = {"chol": "category", "ascites": "category", "age": "number"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = bl.BayesNetClassifier(column_types=types).fit(X, Y)
    assert [variable.marks for variable in model.schema_.features] == [(), (), ()]
    assert "-" in model.schema_.features[0].states
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            bl.BayesNetClassifier(categorical_features="from_dtype").fit(X, Y).schema_.features[2].marks == ()
        )
    few = pd.DataFrame({"x": ["1", "2", "broken"] * 40})
    said = quiet(bl.BayesNetClassifier(column_types={"x": "number"}), few, Y[:120])
    assert said.schema_.features[0].marks == ("broken",)


def test_rows_with_marks_are_dropped_like_rows_with_gaps():
    model = quiet(bl.BayesNetClassifier(missing="drop"), pandas(WITH_MARKS))
    expected = bl.BayesNetClassifier(missing="drop").fit(pandas(WITH_GAPS), Y)
    assert model.schema_.rows == expected.schema_.rows < 150
    np.testing.assert_array_equal(model.network_.tables[0], expected.network_.tables[0])


def test_batches_as_they_arrive_take_marks_as_missing():
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet(), missing="available")
    X = pandas(WITH_MARKS)[["spiders", "ascites"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingMarkWarning)
        model.partial_fit(X[:200], Y[:200], classes=[0, 1]).partial_fit(X[200:], Y[200:])
    assert model.schema_.features[0].states == ("no", "yes")
    assert model.schema_.features[0].n_missing == WITH_MARKS["spiders"].count("-")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2, "b"] * 40, r"Column 'x' mixes int \(1\) and str \('b'\) values: convert it to one type"),
        ([*range(9), "bad"] * 12, r"Column 'x' mixes int \(0\) and str \('bad'\) values"),
        ([1, "2"] * 60, r"Column 'x' mixes int \(1\) and str \('2'\) values"),
        ([True, "-"] * 60, r"Column 'x' mixes bool \(True\) and str \('-'\) values"),
    ],
)
def test_numbers_and_other_texts_are_still_refused(values, message):
    X = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    with pytest.raises(TypeError, match=message):
        bl.BayesNetClassifier().fit(X, Y[:120])


def test_texts_among_numbers_in_a_column_of_categories_are_refused(model):
    with pytest.raises(TypeError, match="Column 'spiders' mixes"):
        model.predict(
            pandas(
                {
                    name: [*values[:9], values[0]]
                    for name, values in {**WITH_GAPS, "spiders": [1.5, "-"] * 5}.items()
                }
            )
        )
    with pytest.raises(TypeError, match="mixes"):
        bl.BayesNetClassifier().fit(pandas(WITH_GAPS), pd.Series([1, 0, "-"] * 100, dtype=object))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("-", TypeError, r"missing_values must be a list of what marks missing values, such as \['-', -99\]"),
        (7, TypeError, "missing_values must be a list"),
        (["-", None], TypeError, r"missing_values must be texts and numbers. Got None"),
        ([True], TypeError, r"missing_values must be texts and numbers. Got True"),
    ],
)
def test_wrong_lists_of_marks(given, error, message):
    with pytest.raises(error, match=message):
        bl.BayesNetClassifier(missing_values=given).fit([["a"], ["b"]] * 20, [0, 1] * 20)


def test_a_column_of_numbers_and_texts_is_read_as_texts():
    column = object_column("x", [1, 2.5, "-", None, 3.0])
    assert isinstance(column, LabelColumn)
    assert column.levels == ["1", "2.5", "-", "3.0"]
    assert column.mixture.startswith("Column 'x' mixes")


@pytest.mark.parametrize("missing_values", [None, ["-", -99]])
def test_batches_drop_rows_with_marks_as_tables_in_memory_do(missing_values):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    chol = [str(k) for k in rng.integers(100, 200, 400) + 20 * y]
    frame = pl.DataFrame(
        {
            "chol": ["-" if k % 5 == 0 else text for k, text in enumerate(chol)],
            "age": [-99 if k % 7 == 0 else int(x) for k, x in enumerate(rng.integers(20, 80, 400) + 5 * y)],
            "y": [f"class {k}" for k in y],
        }
    )
    settings = {"structure": bl.NaiveBayes(), "missing": "drop", "missing_values": missing_values}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingMarkWarning)
        in_memory = bl.BayesNetClassifier(**settings).fit(frame.drop("y"), frame["y"])
        streamed = bl.BayesNetClassifier(**settings).fit_from(frame, "y")
    kept = sum(k % 5 > 0 and k % 7 > 0 for k in range(400))
    assert streamed.training_.rows == in_memory.training_.rows == kept
    assert streamed.schema_ == in_memory.schema_
    np.testing.assert_allclose(
        streamed.predict_proba(frame.drop("y")), in_memory.predict_proba(frame.drop("y")), rtol=0, atol=1e-12
    )
