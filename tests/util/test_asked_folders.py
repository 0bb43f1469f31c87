"""Tests that are left to commands of their own run when their folder is named, not when a path has its name in it."""

import pytest

from reference.asked_folders import is_asked_for


@pytest.mark.parametrize(
    ("argument", "asked"),
    [
        ("tests/databases", True),
        ("tests/databases/test_a.py::test_b[databases]", True),
        ("tests", False),
        ("tests/streams/test_databases.py", False),
        (".", False),
    ],
)
def test_a_folder_is_asked_for_by_its_path(argument, asked, tmp_path):
    start = tmp_path / "databases"  # a checkout may be called anything
    folder = start / "tests" / "databases"
    assert is_asked_for(folder, [argument], start) == asked
    assert is_asked_for(folder, ["tests/data", str(start / argument)], tmp_path) == asked
