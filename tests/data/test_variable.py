import pytest

from bayleaf.data import Variable


def test_a_variable_needs_states():
    with pytest.raises(ValueError, match="'x' has no states: a variable needs at least one"):
        Variable("x", ())


@pytest.mark.parametrize(
    ("states", "twice"), [(("a", "b", "a"), "'a'"), ((1, 1.0), "1.0"), ((1, True), "True")]
)
def test_states_must_differ(states, twice):
    with pytest.raises(ValueError, match=f"'x' has the state {twice} twice: each state needs a label"):
        Variable("x", states)
