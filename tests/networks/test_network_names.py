"""The name of a network's file says in which format it is written and read."""

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.networks import write_network

COIN = BayesNet([Variable("coin", ("heads", "tails"))], DAG(["coin"]), [[0.25, 0.75]])


@pytest.mark.parametrize(
    "name", ["a.json", "a.bif", "a.xmlbif", "a.bifxml", "a.xml", "a.dsc", "a.bif.gz", "a.model"]
)
def test_what_is_saved_is_loaded(tmp_path, name):
    COIN.save(tmp_path / name)
    np.testing.assert_allclose(bl.load_network(tmp_path / name).cpt("coin"), [0.25, 0.75])


def test_formats_that_are_only_written(tmp_path):
    for name, start in (("a.net", "net"), ("a.dot", "digraph")):
        COIN.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
        with pytest.raises(ValueError, match="can write but not read: read BIF, XMLBIF, DSC or JSON"):
            bl.load_network(tmp_path / name)


def test_the_end_of_the_name_says_what_a_file_holds(tmp_path):
    write_network(COIN, tmp_path / "a.bif")
    with pytest.raises(ValueError, match=r"a.bif' is not a BIF file"):
        bl.load_network(tmp_path / "a.bif")
    (tmp_path / "b.bif").write_text("no network")
    with pytest.raises(ValueError, match=r"b.bif' is not a BIF file"):
        bl.load_network(tmp_path / "b.bif")
