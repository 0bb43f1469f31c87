"""What a pool cannot do yet is said in one sentence."""

import pytest
from sklearn.datasets import load_iris

import bayleaf as bl


def test_no_file_and_no_page(tmp_path):
    pool = bl.NetworkPool(cycles=1, seeds=1).fit(*load_iris(return_X_y=True))
    with pytest.raises(TypeError, match="cannot hold a NetworkPool yet: pickle it instead"):
        pool.save(tmp_path / "m.json")
    with pytest.raises(TypeError, match="no model page of a NetworkPool yet: use explain"):
        pool.report(path=tmp_path / "m.html")
    assert not list(tmp_path.iterdir())
