"""Messages stay short, however long the names in them are."""

import numpy as np
import pytest

import bayleaf as bl
from bayleaf._util.whole_files import DataFileError
from bayleaf.tables import read_data


def test_long_names_are_cut(tmp_path):
    long = "a" * 50_000
    (tmp_path / "twice.csv").write_text(f"{long},{long}\n1,2\n")
    with pytest.raises(DataFileError, match=r"has more than one column named 'aaa.* aaa") as caught:
        read_data(tmp_path / "twice.csv")
    assert len(str(caught.value)) < 500
    with pytest.raises(ValueError, match="y has only one class") as caught:
        bl.BayesNetClassifier().fit([["x"], ["y"]], np.array([long, long]))
    assert len(str(caught.value)) < 300
