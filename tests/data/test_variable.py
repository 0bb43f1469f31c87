import json
from dataclasses import replace

import pytest

from bayleaf.data import Variable
from bayleaf.data.text_values import NumberFormat


def test_a_variable_needs_states():
    with pytest.raises(ValueError, match="'x' has no states: a variable needs at least one"):
        Variable("x", ())


@pytest.mark.parametrize(("states", "twice"), [(("a", "b", "a"), "'a'"), ((1, 1.0), "1"), ((1, True), "1")])
def test_states_must_differ(states, twice):
    with pytest.raises(ValueError, match=f"'x' has the state {twice} twice: each state needs a label"):
        Variable("x", states)


FIELDS = [
    Variable("x", ("a", "b", "(other)"), other=2, note="2 rare values are pooled"),
    Variable("x", ("a", "b"), fill=0, other=1),
    Variable.numeric("x", [1.5]),
    replace(Variable.numeric("x", []), reading=NumberFormat(",", ".", "€"), note="read by decimal commas"),
]


@pytest.mark.parametrize("variable", FIELDS)
def test_plain_data_hold_all_of_a_variable(variable):
    assert Variable.from_dict(json.loads(json.dumps(variable.to_dict()))) == variable


def test_plain_data_hold_nothing_that_is_the_default():
    assert Variable("x", ("a", "b")).to_dict() == {"name": "x", "dtype": "string", "states": ["a", "b"]}


@pytest.mark.parametrize("code", [-1, 2])
def test_codes_with_a_meaning_must_be_states(code):
    with pytest.raises(
        ValueError, match=f"code {code} that stands for other values of 'x' is not one of its states"
    ):
        Variable("x", ("a", "b"), other=code)
    with pytest.raises(
        ValueError, match=f"code {code} that replaces missing values of 'x' is not one of its states"
    ):
        Variable("x", ("a", "b"), fill=code)


@pytest.mark.parametrize(("decimal", "thousands"), [(";", ""), (".", "."), (".", "_")])
def test_marks_of_numbers_must_differ_and_be_known(decimal, thousands):
    with pytest.raises(ValueError, match="Numbers cannot be read by the decimal mark"):
        NumberFormat(decimal, thousands)
