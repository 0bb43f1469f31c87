"""Names in one line of text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayleaf._util.words import split_names


def join_names(names):
    """Return the text that `split_names` takes apart."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    plain = [name == name.strip() and not set(name) & {",", '"'} for name in names]
    return (
        ",".join(name if bare else marked for name, marked, bare in zip(names, quoted, plain, strict=True))
        if names
        else ""
    )


@given(names=st.lists(st.text(min_size=1)))
@example(names=["two\nlines", " blank ", '"quoted"', '5" disk', "a,b", '"', '",'])
def test_joined_names_come_apart_again(names):
    assert split_names(join_names(names)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        (" , ,", []),
        (' a ,, "b ,c" ', ["a", "b ,c"]),
        ('"never closed, b', ['"never closed', "b"]),
        ('5" disk,3" disk', ['5" disk', '3" disk']),
        ('" a",b', [" a", "b"]),
    ],
)
def test_names_as_people_write_them(text, names):
    assert split_names(text) == names
