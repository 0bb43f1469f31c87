"""What columns are said to be counts more than what they look like."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import bayleaf as bl
from bayleaf.data.columns import resolve_column_types

FRAME = pl.DataFrame({"zip": [10, 20, 10, 20], "age": [1.0, 2.0, 3.0, 4.0]})
CLASSES = ["no", "no", "yes", "yes"]


def fitted(X, **settings):
    return bl.BayesNetClassifier(bl.NaiveBayes(), discretizer=bl.MedianSplit(), **settings).fit(X, CLASSES)


def test_numbers_that_are_said_to_be_categories_are():
    zip_code, age = fitted(FRAME, column_types={"zip": "category"}).schema_.features
    assert (zip_code.states, zip_code.cuts) == ((10, 20), None)
    assert age.cuts == (2.5,)


def test_positions_name_the_columns_of_an_array():
    variables = fitted(FRAME.to_numpy(), column_types={1: "category"}).schema_.features
    assert [variable.kind for variable in variables] == ["numeric", "categorical"]


def test_a_column_of_categories_that_are_numbers_can_be_cut():
    X = pd.DataFrame({"x": pd.Categorical([1, 2, None, 7])})
    column = fitted(X, column_types={"x": "number"}, missing="available").schema_.features[0]
    assert (column.cuts, column.dtype) == ((2.0,), "integer")
    assert fitted(X, missing="available").schema_.features[0].states == (1, 2, 7)


def test_it_counts_more_than_categorical_features():
    model = fitted(FRAME, categorical_features=["zip", "age"], column_types={"zip": "number"})
    assert [variable.kind for variable in model.schema_.features] == ["numeric", "categorical"]


def test_it_is_a_setting_like_any_other(tmp_path):
    model = fitted(FRAME, column_types={"zip": "category"})
    assert clone(model).get_params()["column_types"] == {"zip": "category"}
    model.save(tmp_path / "m.json")
    assert bl.load(tmp_path / "m.json").column_types == {"zip": "category"}


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        (["zip"], TypeError, r"column_types must be a dict from columns to types, .*Got \['zip'\] instead"),
        ({1.5: "number"}, TypeError, r"names columns by name or position\. Got 1\.5 instead"),
        ({"zip": "categorie"}, ValueError, r"says 'categorie' of the column 'zip'; the types are category, num"),
        ({"zipp": "category"}, ValueError, r"'zipp', which the data lacks\. Did you mean 'zip'\?"),
        ({"town": "category"}, ValueError, r"'town', which the data lacks\. There are zip, age\."),
        ({2: "category"}, ValueError, r"has the position 2; the data has 2 columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(given, error, match):
    with pytest.raises(error, match=match):
        fitted(FRAME, column_types=given)


def test_names_need_columns_with_names():
    with pytest.raises(ValueError, match="has the name 'zip', but the data has no column names"):
        resolve_column_types({"zip": "category"}, ["x0"], has_names=False)


def test_text_is_no_number():
    X = np.array([["a"], ["b"], ["a"], ["b"]], dtype=object)
    with pytest.raises(ValueError, match="'x0' is said to hold numbers, but 'a' is not one"):
        fitted(X, column_types={0: "number"})


def test_texts_that_are_said_to_be_dates_are_read_as_such():
    X = pl.DataFrame({"day": ["2024-01-03", "2024-02-03", "2024-03-03", "2024-04-03"]})
    column = fitted(X, column_types={"day": "date"}, categorical_features="from_dtype").schema_.features[0]
    assert (column.dtype, column.kind) == ("date", "numeric")
    model = bl.BayesNetClassifier(column_types={"day": "date"})
    assert [line.read_as for line in model.inspect(X).lines()] == ["date"]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["a", "b", "a", "b"], "'a' is none"),
        (["3/4/2024", "4/4/2024", "5/4/2024", "6/4/2024"], "'3/4/2024' may be %d/%m/%Y or %m/%d/%Y"),
        ([1.5, 2.5, 3.5, 4.5], "holds float values"),
    ],
)
def test_what_is_no_date_is_refused(values, why):
    with pytest.raises(ValueError, match=f"Column 'day' is said to hold dates or times, but {why}"):
        fitted(pl.DataFrame({"day": values}), column_types={"day": "date"})
