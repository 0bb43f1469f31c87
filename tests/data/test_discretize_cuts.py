"""Cuts given by the user: by name, by position, with another discretiser for the rest."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayleaf.data.discretize import MDLP, Cuts, Quantiles

FRAME = {"age": [10.0, 18.0, 30.0, 70.0], "height": [1.2, 1.6, np.nan, 1.8]}


@pytest.mark.parametrize("frame", [pd.DataFrame(FRAME), pl.DataFrame(FRAME)], ids=["pandas", "polars"])
def test_cuts_by_name(frame):
    codes = Cuts({"height": [1.5], "age": [18, 65]}).fit_transform(frame)
    np.testing.assert_array_equal(codes, [[0, 0], [0, 1], [1, np.nan], [2, 1]])


def test_cuts_by_position():
    X = pd.DataFrame(FRAME).to_numpy()
    discretizer = Cuts({0: [18, 65], 1: []}).fit(X)
    assert [cuts.tolist() for cuts in discretizer.cuts_] == [[18.0, 65.0], []]
    assert all(cuts.dtype == np.float64 for cuts in discretizer.cuts_)
    np.testing.assert_array_equal(discretizer.transform(X), [[0, 0], [0, 0], [1, np.nan], [2, 0]])


def test_the_given_points_are_copied():
    points = np.array([18.0, 65.0])
    cuts = Cuts({"age": points}).cut_points(np.arange(3.0), name="age")
    cuts[0] = -1
    assert points.tolist() == [18.0, 65.0]


def test_others_finds_the_cuts_of_the_other_columns():
    X, y = pd.DataFrame(FRAME | {"height": [1.0, 1.1, 1.9, 2.0]}), ["a", "a", "b", "b"]
    by_quantile = Cuts({"age": [18]}, others=Quantiles(bins=2)).fit(X)
    assert [cuts.tolist() for cuts in by_quantile.cuts_] == [[18.0], [1.5]]
    by_class = Cuts({"age": [18]}, others=MDLP()).fit(X, y)
    assert [cuts.tolist() for cuts in by_class.cuts_] == [[18.0], [1.5]]


def test_a_class_is_required_where_others_needs_one():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        Cuts({"age": [18]}, others=MDLP()).fit(pd.DataFrame(FRAME))


def test_columns_without_cuts_are_all_named():
    frame = pd.DataFrame(FRAME | {"weight": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(
        ValueError, match=r"Cuts has no cut points for columns 'height', 'weight'\. Add them to cuts"
    ):
        Cuts({"age": [18]}).fit(frame)
    with pytest.raises(ValueError, match=r"Cuts has no cut points for column 'height'\. Add it to cuts"):
        Cuts({"age": [18]}).cut_points(np.arange(3.0), name="height")
    with pytest.raises(ValueError, match=r"columns 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 5 more\. "):
        Cuts({}).fit(np.zeros((2, 15)))


def test_cuts_of_columns_that_are_not_there_are_refused():
    with pytest.raises(
        ValueError,
        match="Cuts names column 'agee', but X has no such numeric column; it has columns 'age', 'height'",
    ):
        Cuts({"agee": [18]}).fit(pd.DataFrame(FRAME))
    with pytest.raises(
        ValueError, match="Cuts names column 2, but X has no such numeric column; it has columns 0, 1"
    ):
        Cuts({0: [1], 1: [1], 2: [1]}).fit(np.zeros((3, 2)))


@pytest.mark.parametrize(
    "points",
    [[65, 18], [18, 18], [18, np.inf], [np.nan], ["18"], [[18, 65]], 18, [True, False], "18", [None]],
)
def test_points_must_be_increasing_finite_numbers(points):
    with pytest.raises(
        ValueError, match="cut points of column 'age' must be a list of increasing finite numbers"
    ):
        Cuts({"age": points}).fit(pd.DataFrame({"age": FRAME["age"]}))


@pytest.mark.parametrize("cuts", [None, [18, 65], "age"])
def test_cuts_must_be_a_dict(cuts):
    with pytest.raises(TypeError, match=r"The 'cuts' parameter of Cuts must be a dict. Got .* instead."):
        Cuts(cuts).fit([[1.0], [2.0]])
    with pytest.raises(TypeError, match=r"The 'cuts' parameter of Cuts must be a dict. Got .* instead."):
        Cuts(cuts).cut_points(np.arange(3.0), name="age")
