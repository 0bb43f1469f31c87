"""A schema that prints itself, and what fit would make of columns."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data import Schema, Variable
from bayleaf.data.schema import MOST_COLUMNS
from reference.counted import counted


def patients(rows=90):
    rng = np.random.default_rng(0)
    ill = rng.random(rows) < 0.4
    frame = pl.DataFrame(
        {
            "id": [f"p{k}" for k in range(rows)],
            "age": rng.normal(50, 8, rows) + 20 * ill,
            "noise": rng.normal(size=rows),
            "town": rng.choice(["Bath", "<Ely>"], rows),
            "one": ["same"] * rows,
            "test": [None if each else "done" for each in ill],
            "empty": pl.Series([None] * rows, dtype=pl.Null),
        }
    )
    return frame, pl.Series("ill", np.where(ill, "yes", "no"))


@pytest.mark.filterwarnings("ignore:Column 'empty' has no values")
def test_each_column_is_described():
    X, y = patients()
    schema = counted().inspect(X, y)
    lines = {line.column: line for line in schema.lines()}
    assert {name: line.read_as for name, line in lines.items()} == {
        "id": "identifier",
        "age": "number",
        "noise": "number",
        "town": "category",
        "one": "category",
        "test": "category",
        "empty": "nothing",
        "ill": "class",
    }
    assert lines["id"].note == "left out: says nothing about new rows"
    assert lines["age"].states.startswith("2 intervals, cut at ")
    assert lines["noise"].note == "not cut: carries no evidence"
    assert lines["one"].note == "one category: carries no evidence"
    missing = int((y == "yes").sum())
    assert lines["test"].gaps == f"{missing} ({100 * missing / 90:.0f}%)"
    assert lines["test"].states == "1 category: done; and missing"
    assert lines["empty"].note == "no values: carries no evidence"
    assert lines["ill"].states == "2 classes: no, yes"
    printed = repr(schema)
    assert str(schema) == printed
    assert all(name in printed for name in lines)
    html = schema._repr_html_()
    assert html.count("<tr>") == 9
    assert "&lt;Ely&gt;" in html
    assert schema.to_frame()["column"].to_list() == list(lines)


@pytest.mark.filterwarnings("ignore:Column 'empty' has no values", "ignore::bayleaf.data.IdentifierWarning")
def test_it_is_what_fit_makes_and_what_a_model_file_keeps(tmp_path):
    X, y = patients()
    model = counted(column_types={"town": "identifier"})
    seen = model.inspect(X, y)
    assert not hasattr(model, "n_features_in_")
    assert model.fit(X, y).schema_.lines() == seen.lines()
    assert bl.BaggedClassifier(model, 2).inspect(X, y) == seen
    model.save(tmp_path / "m.json")
    assert bl.load(tmp_path / "m.json").schema_.lines() == seen.lines()


@pytest.mark.filterwarnings("ignore:Column 'empty' has no values")
def test_without_a_class_nothing_depends_on_it():
    X, _ = patients()
    lines = {line.column: line for line in counted().inspect(X).lines()}
    assert (lines["age"].states, lines["age"].note) == ("", "cut when the class is known")
    assert lines["test"].states == "1 category: done"
    cut = counted(discretizer=bl.MedianSplit(), missing="state").inspect(X)
    assert cut.target is None
    assert cut.features[1].arity == 2
    assert cut.features[5].gap


def test_columns_that_are_said_to_be_identifiers_are_left_out_without_a_word():
    X = pl.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v", "v", "u"] * 10})
    model = counted(column_types={"a": "identifier"}).fit(X, [0, 1, 1, 0] * 10)
    assert model.network_.nodes == ("b", "class")


def test_very_many_columns_are_not_all_printed():
    schema = Schema(tuple(Variable(f"x{k}", ("a", "b")) for k in range(MOST_COLUMNS + 5)))
    assert repr(schema).endswith("... and 5 more lines")
    assert "... and 5 more lines" in schema._repr_html_()
    assert len(schema.to_frame()) == MOST_COLUMNS + 5


@pytest.mark.parametrize(("count", "shown"), [(0, ""), (1, "1 (<1%)"), (None, ""), (1000, "1,000 (50%)")])
def test_gaps_are_counted(count, shown):
    line = Schema((Variable("x", ("a", "b"), n_missing=count),), rows=2000).lines()[0]
    assert line.gaps == shown
    assert Schema((Variable("x", ("a", "b"), n_missing=1000),)).lines()[0].gaps == "1,000"
