"""Text files without a header: they are recognised, and --no-header is named."""

import warnings
from pathlib import Path

import polars as pl
import pytest

import bayleaf as bl
from bayleaf.tables import read_data
from bayleaf.tables.column_text import MixedColumnWarning
from bayleaf.tables.table_files import DataFileError

HEADERLESS = {
    "numbers and a text": "5.1,3.5,setosa\n4.9,3,setosa\n4.7,3.2,virginica\n",
    "texts": "red,small\nred,large\nblue,small\n",
    "names of rows": "Ann,31,yes\nBob,42,no\nCleo,25,yes\n",
    "gaps": "5.1,,setosa\n4.9,3,setosa\n4.7,3.2,virginica\n",
    "not ascending": "7,3\n1,2\n3,9\n",
    "negative": "-1.5,2\n0.5,3\n2.5,7\n",
}
WITH_HEADER = {
    "names": "length,kind\n5.1,setosa\n4.9,setosa\n",
    "years": "country,1990,1991\nChad,1.5,2.5\nMali,2.5,3.5\n",
    "numbered": "0,1,2\n5.1,3.5,7\n4.9,3,8\n",
    "a name that occurs": "a,b\na,x\nc,y\nc,x\n",
    "a year among names": "country,2020\nChad,x\nMali,y\nMali,x\n",
    "one row": "5.1,3.5\n4.9,3\n",
}


def write(folder: Path, text: str) -> Path:
    path = folder / "rows.csv"
    path.write_text(text)
    return path


@pytest.mark.filterwarnings("ignore:.* has a column without a name")
@pytest.mark.parametrize("text", HEADERLESS.values(), ids=HEADERLESS)
def test_a_row_in_place_of_the_header_is_recognised(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    first = text.split(",")[0]
    with pytest.warns(
        UserWarning, match=rf"^The first line of '.*' looks like a row, .*\({first}, .*\(--no-header\)\.$"
    ):
        read_data(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_data(path, header=False).height == 3


@pytest.mark.parametrize("text", WITH_HEADER.values(), ids=WITH_HEADER)
def test_names_are_names(tmp_path: Path, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MixedColumnWarning)
        read_data(write(tmp_path, text))


def test_equal_names_may_be_a_row(tmp_path: Path) -> None:
    with pytest.raises(
        DataFileError, match=r"more than one column named '2': .* or .*header=False \(--no-header\)"
    ):
        read_data(write(tmp_path, "vhigh,2,2\nlow,3,4\n"))


def test_a_batch_is_not_asked_twice(tmp_path: Path) -> None:
    path = write(tmp_path, "x,y\n" + "red,0\nblue,1\n" * 60)
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet()).fit_from(path, "y", sample_rows=20)
    assert model.schema_.features[0].states == ("blue", "red")
    assert isinstance(read_data(path), pl.DataFrame)
