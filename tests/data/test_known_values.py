"""One value, several spellings: 1, 1.0 and "1"; True, 1 and "true"; and texts that are numbers."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Variable
from bayleaf.data.categories import STRANGE, UNKNOWN, KnownValues
from reference.counted import counted

KINDS = {str: "string", bool: "boolean", int: "integer", float: "float"}


def same(state, value, states):
    """Whether two values are one thing: equal, or the same number, or the same truth where there is nothing else."""
    if type(state) is type(value) and state == value:
        return True
    only_truth = all(number(each, True) in (0, 1) for each in states)
    return number(state, only_truth) is not None and number(state, only_truth) == number(value, only_truth)


def number(value, truth):
    if isinstance(value, bool):
        return float(value) if truth else None
    if isinstance(value, str):
        if truth and value.lower() in ("true", "false"):
            return float(value.lower() == "true")
        plain = value.removeprefix("-")
        whole, _, rest = plain.partition(".")
        digits = whole.isascii() and whole.isdigit() and (rest.isdigit() if "." in plain else True)
        return float(value) if digits and (whole == "0" or whole[0] != "0") else None
    return float(value)


SPELLINGS = ["1", "1.0", "01", "0", "2", "2.5", "true", "TRUE", "False", "a", "-1", "1e0", " 1"]
VALUES = st.sampled_from([*SPELLINGS, True, False, 0, 1, 2, -1, 1.0, 2.0, 2.5, 0.0])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([str, bool, int, float]), st.lists(VALUES, min_size=1, max_size=5), VALUES)
def test_codes_of_values(kind, given_states, value):
    states = tuple(dict.fromkeys(state for state in given_states if type(state) is kind))
    if not states:
        return
    [found] = KnownValues(Variable("x", states, None, KINDS[kind])).codes([value])
    exact = [k for k, state in enumerate(states) if type(state) is type(value) and state == value]
    alike = [k for k, state in enumerate(states) if same(state, value, states)]
    expected = exact or alike
    if len(expected) == 1:
        assert found == expected[0]
    else:
        assert found in (UNKNOWN, STRANGE)
        if isinstance(value, kind) and not isinstance(value, bool):
            assert found == UNKNOWN


@settings(max_examples=20, deadline=None)
@given(st.floats(-100, 100), st.sampled_from([float, str, int, bool, np.float32]))
def test_intervals(value, kind):
    variable = Variable.numeric("x", [-1.0, 0.5, 50.0])
    given_value = kind(value)
    plain = given_value.item() if isinstance(given_value, np.generic) else given_value
    assert KnownValues(variable).codes([plain]) == [variable.code(float(given_value))]


CASES = [
    # seen in fit, new values, what they are
    ([True, False], [1, 0], [True, False]),
    ([True, False], [1.0, 0.0], [True, False]),
    ([True, False], ["True", "false"], [True, False]),
    ([True, False], ["1", "0"], [True, False]),
    (["True", "False"], [True, False], ["True", "False"]),
    (["True", "False"], [1, 0], ["True", "False"]),
    (["TRUE", "FALSE"], ["true", "false"], ["TRUE", "FALSE"]),
    (["0", "1"], [True, False], ["1", "0"]),
    (["1", "2", "x"], [1, 2], ["1", "2"]),
    (["1", "2", "x"], [1.0, 2.0], ["1", "2"]),
    (["1", "2", "x"], ["1.0", "2.0"], ["1", "2"]),
    (["1.0", "2.0", "x"], ["1", "2"], ["1.0", "2.0"]),
]


@pytest.mark.parametrize(("seen", "new", "meant"), CASES)
def test_every_way_in_agrees(seen, new, meant, tmp_path):
    rows = 4 * len(seen)
    X = pl.DataFrame({"x": seen * 4, "z": np.linspace(0, 1, rows)})
    y = [k % len(seen) == 0 for k in range(rows)]
    for model in (
        counted(bl.NaiveBayes()),
        bl.BaggedClassifier(counted(bl.NaiveBayes()), random_state=0, n_estimators=2),
    ):
        model.fit(X, y)
        z = [0.25] * len(new)
        expected = model.predict_proba(pl.DataFrame({"x": meant, "z": z}))
        given_rows = pl.DataFrame({"x": new, "z": z})
        for table in (given_rows, given_rows.to_pandas(), given_rows.to_arrow(), given_rows[[0] * 9 + [1]]):
            np.testing.assert_array_equal(model.predict_proba(table)[[0, -1]], expected)
        score = model.scorer()
        for k, value in enumerate(new):
            np.testing.assert_array_equal(score({"x": value, "z": 0.25}), expected[k])
            np.testing.assert_array_equal(score((value, 0.25)), expected[k])
        np.testing.assert_array_equal(score([[value, 0.25] for value in new]), expected)


def test_an_array_of_numbers_for_booleans():
    X = pd.DataFrame({"x": [True, False] * 8})
    model = bl.BayesNetClassifier().fit(X.to_numpy(), X["x"])
    expected = model.predict_proba(X.to_numpy())
    for kind in (int, float, np.float32, np.uint8, str, object):
        np.testing.assert_array_equal(model.predict_proba(X.to_numpy().astype(kind)), expected)
    cut = bl.BayesNetClassifier().fit(np.repeat(X.to_numpy().astype(int), 8, axis=0), np.repeat(X["x"], 8))
    assert cut.schema_.features[0].cuts == (0.5,)
    np.testing.assert_array_equal(cut.predict_proba(X.to_numpy()), cut.predict_proba(X.to_numpy() * 1.0))
    np.testing.assert_array_equal(
        cut.predict_proba(X.to_numpy().astype(str)), cut.predict_proba(X.to_numpy() * 1.0)
    )


@pytest.mark.parametrize(
    ("seen", "new", "message"),
    [
        (["a", "b"], [1, 2], "Column 'x' held string values in fit and holds integer values now"),
        (["1", "2", "x"], [True, False], "Column 'x' held string values in fit and holds boolean values now"),
        ([True, False], ["yes", "no"], "Column 'x' held boolean values in fit and holds string values now"),
    ],
)
def test_other_kinds_are_refused(seen, new, message):
    X = pl.DataFrame({"x": seen * 4})
    model = bl.BayesNetClassifier().fit(X, [k % 2 for k in range(len(X))])
    with pytest.raises(TypeError, match=message):
        model.predict(pl.DataFrame({"x": new}))
    with pytest.raises(TypeError, match=message):
        model.scorer()({"x": new[0]})


def test_numbers_that_fit_has_not_seen_are_unknown_categories():
    X = pl.DataFrame({"x": ["1", "2", "x"] * 4})
    model = bl.BayesNetClassifier().fit(X, [0, 1, 1] * 4)
    with pytest.warns(
        UserWarning, match=r"Column 'x' has 1 value that was not seen in fit \(3\); treated as missing"
    ):
        found = model.predict_proba(pl.DataFrame({"x": [1, 3]}))
    with warnings.catch_warnings():  # a single row says nothing
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.scorer()({"x": 3}), found[1])
    np.testing.assert_array_equal(found[1:], model.predict_proba(pl.DataFrame({"x": [None]})))


def test_two_spellings_that_were_seen_are_two_values():
    X = pl.DataFrame({"x": ["1", "1.0", "x"] * 8})
    model = bl.BayesNetClassifier().fit(X, [0, 1, 1] * 8)
    assert model.predict(X.head(2)).tolist() == [0, 1]
    with pytest.raises(TypeError, match="Column 'x' held string values in fit and holds integer values now"):
        model.predict(pl.DataFrame({"x": [1, 1]}))
