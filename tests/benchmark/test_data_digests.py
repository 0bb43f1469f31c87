"""Results belong to the data they were made with, and to no others."""

import csv
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from bayleaf.benchmark import ChangedDataError, CrossValidation, Results, evaluate
from bayleaf.benchmark.work import data_digest

X, Y = load_iris(return_X_y=True)
FRAME = pl.DataFrame(X, schema=["a", "b", "c", "d"])
METHODS = {"NB": GaussianNB()}
FOLDS = CrossValidation(3)
REFUSED = "'iris' has other columns, types or values than those that the result file was made with"


def changed(features):
    other = features.copy()
    other[7, 2] += 1e-9
    return other


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "other",
    [
        (changed(X), Y),
        (X[::-1].copy(), Y),
        (X, np.where(np.arange(len(Y)) == 3, 2, Y)),
        (X.astype(np.float32), Y),
        (FRAME, Y),
    ],
    ids=["one value", "order of rows", "one label", "type", "names of columns"],
)
def test_other_data_of_the_same_name_are_refused(tmp_path, other, n_jobs):
    out = tmp_path / "results.csv"
    evaluate(METHODS, {"iris": (X, Y)}, FOLDS, out=out)
    before = out.read_bytes()
    with pytest.raises(ChangedDataError, match=REFUSED):
        evaluate(METHODS, {"iris": other}, FOLDS, out=out, n_jobs=n_jobs)
    with pytest.raises(ChangedDataError, match=REFUSED):
        # Another method on the same data set would be compared with the first.
        evaluate({"wide": GaussianNB(var_smoothing=0.1)}, {"iris": other}, FOLDS, out=out, n_jobs=n_jobs)
    assert out.read_bytes() == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_functions_are_compared_when_they_are_called(tmp_path, n_jobs):
    out = tmp_path / "results.csv"
    more = CrossValidation(3, repeats=2)
    # Threads: processes would end with the error, and starting them again for other tests takes seconds.
    with joblib.parallel_config("threading"):
        first = evaluate(METHODS, {"iris": lambda: (X, Y)}, FOLDS, out=out, n_jobs=n_jobs)
        assert set(first.frame["data"]) == {data_digest(X, Y)}
        before = out.read_bytes()
        with pytest.raises(ChangedDataError, match=REFUSED) as refused:
            evaluate(METHODS, {"iris": lambda: (changed(X), Y)}, more, out=out, n_jobs=n_jobs)
        assert out.read_bytes() == before
        assert evaluate(METHODS, {"iris": (X, Y)}, more, out=out, n_jobs=n_jobs).frame.height == 6
    from_a_process = pickle.loads(pickle.dumps(refused.value))
    assert (type(from_a_process), str(from_a_process)) == (ChangedDataError, str(refused.value))


def as_older_version(path):
    """Rewrite a result file as versions without digests made it."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    names = [name for name in lines[0] if name != "data"]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def test_files_without_digests_go_on_as_they_are(tmp_path):
    out = tmp_path / "results.csv"
    first = evaluate(METHODS, {"iris": (X, Y)}, FOLDS, out=out)
    as_older_version(out)
    before = out.read_bytes()
    again = evaluate(METHODS, {"iris": (changed(X), Y)}, FOLDS, out=out)
    assert out.read_bytes() == before
    assert_frame_equal(again.frame.drop("data"), first.frame.drop("data"))
    assert set(again.frame["data"]) == {""}
    assert_frame_equal(Results.read(out).frame, again.frame)
    grown = evaluate(METHODS, {"iris": (X, Y)}, CrossValidation(3, repeats=2), out=out)
    assert grown.frame.height == 6
    assert out.read_bytes().startswith(before)
    assert_frame_equal(Results.read(out).frame.drop("data"), grown.frame.drop("data"))
    with pytest.raises(ChangedDataError, match="has 149 rows, but the result file was made with 150"):
        evaluate(METHODS, {"iris": (X[1:], Y[1:])}, FOLDS, out=out)


def test_without_a_file_nothing_is_digested():
    assert set(evaluate(METHODS, {"iris": (X, Y)}, FOLDS).frame["data"]) == {""}


def frames():
    columns = {
        "size": [1.0, 2.5, None],
        "kind": ["a", None, "bc"],
        "count": [1, 2, 3],
        "sure": [True, False, True],
    }
    yield pl.DataFrame(columns)
    yield pd.DataFrame(columns)
    yield pd.DataFrame(columns, index=[7, 8, 9])
    yield pl.DataFrame(columns).to_arrow()


def test_equal_frames_of_all_libraries_have_one_digest():
    assert len({data_digest(frame, ["x", "y", "x"]) for frame in frames()}) == 1


def test_every_part_of_the_data_counts():
    frame = pd.DataFrame({"kind": ["ab", "c", None], "size": [1, 2, 3]})
    kinds = pd.Series(["x", "y", "y"], name="class")
    category = frame.astype({"kind": "category"})
    variants = [
        (frame, kinds),
        (frame.assign(kind=["a", "bc", None]), kinds),
        (frame.assign(kind=["ab", None, "c"]), kinds),
        (frame.assign(size=[1, 2, 4]), kinds),
        (frame.assign(size=[1.0, 2.0, 3.0]), kinds),
        (frame[["size", "kind"]], kinds),
        (category, kinds),
        (category.assign(kind=category["kind"].cat.add_categories("d")), kinds),
        (frame, kinds[::-1]),
        (frame, kinds.rename("other")),
        (frame.to_numpy(), kinds),
        (csr_array(np.eye(3)), kinds),
        (csr_array(np.eye(3)[::-1]), kinds),
        ([[1], [1, 2], [3]], kinds),
        ([[1], [1, 2], [4]], kinds),
    ]
    assert len({data_digest(*variant) for variant in variants}) == len(variants)
