"""Messages about a single row speak of one row."""

import pytest

import bayleaf as bl


def test_one_row_is_no_rows():
    with pytest.raises(ValueError, match=r"y has only one class \('a' in the only row\)"):
        bl.BayesNetClassifier().fit([["x"]], ["a"])
    with pytest.raises(ValueError, match=r"y has only one class \('a' in all 2 rows\)"):
        bl.BayesNetClassifier().fit([["x"], ["y"]], ["a", "a"])
