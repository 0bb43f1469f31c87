"""The sentences of check_param."""

from decimal import Decimal

import numpy as np
import pytest

from bayleaf._util.params import check_param


@pytest.mark.parametrize(
    ("value", "types", "limits"),
    [
        (3, int, {"low": 3, "high": 3}),
        (np.int64(4), int, {"low": 3}),
        (0.5, float, {"low": 0, "high": 1}),
        (1, float, {"low": 0, "high": 1}),
        (np.float32(0.25), float, {"low": 0, "low_open": True}),
        (None, int, {"allow_none": True, "low": 2}),
        (True, bool, {}),
        ("all", (int, str), {"low": 1}),
        ("left", str, {"options": ["left", "right"]}),
        ({}, dict, {}),
    ],
)
def test_good_values_pass(value, types, limits):
    assert check_param("Owner", "name", value, types, **limits) is None


@pytest.mark.parametrize(
    ("value", "types", "limits", "error", "expected"),
    [
        (1, int, {"low": 2}, ValueError, "an int in the range [2, inf). Got 1 instead."),
        (9, int, {"low": 2, "high": 8}, ValueError, "an int in the range [2, 8]. Got 9 instead."),
        (0, float, {"low": 0, "low_open": True}, ValueError, "a float in the range (0, inf). Got 0 instead."),
        (
            1.0,
            float,
            {"high": 1, "high_open": True},
            ValueError,
            "a float in the range (-inf, 1). Got 1.0 instead.",
        ),
        (float("nan"), float, {"low": 0}, ValueError, "a float in the range [0, inf). Got nan instead."),
        (2.0, int, {"low": 2}, TypeError, "an int in the range [2, inf). Got 2.0 instead."),
        (True, int, {}, TypeError, "an int. Got True instead."),
        (1, bool, {}, TypeError, "a bool. Got 1 instead."),
        ("2", int, {"allow_none": True}, TypeError, "an int or None. Got '2' instead."),
        (None, int, {}, TypeError, "an int. Got None instead."),
        (
            "up",
            str,
            {"options": ["left", "right"]},
            ValueError,
            "a str among {'left', 'right'}. Got 'up' instead.",
        ),
        (1, Decimal, {}, TypeError, "an instance of Decimal. Got 1 instead."),
        (None, (str, int), {}, TypeError, "a str or an int. Got None instead."),
    ],
)
def test_bad_values_are_named(value, types, limits, error, expected):
    with pytest.raises(error) as caught:
        check_param("Owner", "size", value, types, **limits)
    assert str(caught.value) == f"The 'size' parameter of Owner must be {expected}"


def test_an_object_is_named_by_its_class():
    with pytest.raises(ValueError, match="parameter of Decimal must be"):
        check_param(Decimal(1), "size", 1, int, low=2)
