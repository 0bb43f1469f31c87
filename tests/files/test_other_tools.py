"""Which files of a model with numeric features other libraries read."""

import warnings

import polars as pl
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.files import write_net, write_xmlbif


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris()
    X = pl.DataFrame(bunch.data, schema=["sepal length", "sepal width", "petal length", "petal width"])
    return bl.BayesNetClassifier().fit(X, pl.Series("species", bunch.target_names[bunch.target])).network_


def test_pyagrum_reads_intervals_from_net_files(iris, tmp_path):
    gum = pytest.importorskip("pyagrum")
    write_net(iris, tmp_path / "iris.net")
    read = gum.loadBN(str(tmp_path / "iris.net"))
    assert read.variable("sepal_length").labels() == iris.variable("sepal length").states


def test_pgmpy_reads_intervals_from_xmlbif_files(iris, tmp_path):
    with warnings.catch_warnings(action="ignore"):
        readwrite = pytest.importorskip("pgmpy.readwrite")
        write_xmlbif(iris, tmp_path / "iris.xml")
        read = readwrite.XMLBIFReader(str(tmp_path / "iris.xml")).get_model()
    states = read.get_cpds("sepal length").state_names["sepal length"]
    assert tuple(states) == iris.variable("sepal length").states
