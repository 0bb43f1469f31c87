import pytest
from polars.testing import assert_frame_equal
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import bayleaf as bl
from bayleaf.benchmark import ChangedDataError, CrossValidation, Results, evaluate
from reference.benchmark import Witness, diary_lines, numbered, without_times

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("cut", [3, 40, -1, -25])
def test_interrupted_run_goes_on_where_it_stopped(tmp_path, cut):
    """Cut the file in the middle of a line, as a kill would, and run again."""
    diary, out = tmp_path / "diary", tmp_path / "results.csv"
    methods = {"witness": Witness(str(diary)), "NB": GaussianNB()}
    data = {"numbers": numbered(), "iris": IRIS}
    protocol = CrossValidation(folds=4)
    whole = evaluate(methods, data, protocol, out=out)
    lines = out.read_bytes().splitlines(keepends=True)
    kept = 6
    out.write_bytes(b"".join(lines[:kept]) + lines[kept][:cut])
    finished = {tuple(line.decode().split(",")[:4]) for line in lines[1:kept]}
    diary.unlink()

    resumed = evaluate(methods, data, protocol, out=out)

    ran_again = 8 - sum(key[1] == "witness" for key in finished)
    assert len(diary_lines(diary)) == ran_again
    assert_frame_equal(without_times(resumed), without_times(whole))
    assert_frame_equal(
        without_times(Results.read(out)).sort("dataset", "method", "repeat", "fold"),
        without_times(whole).sort("dataset", "method", "repeat", "fold"),
    )
    assert len(out.read_text().splitlines()) == len(lines)


def test_cut_header_starts_the_file_anew(tmp_path):
    out = tmp_path / "results.csv"
    out.write_text("dataset,meth")
    results = evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(2), out=out)
    assert Results.read(out).frame.equals(results.frame)


@pytest.mark.parametrize(
    "content",
    [b"year,profit\n2024,100\n2025,250", b"year,profit", b"dataset,method,repeat,fold,error\nx,y,0,0,\nz"],
)
def test_a_file_of_somebody_else_is_refused_and_not_touched(tmp_path, content):
    out = tmp_path / "results.csv"
    out.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a result table of bayleaf|has the columns"):
        evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(2), out=out)
    assert out.read_bytes() == content


def test_finished_run_does_nothing_and_does_not_load_data(tmp_path):
    out = tmp_path / "results.csv"
    first = evaluate({"NB": GaussianNB()}, {"iris": lambda: IRIS}, CrossValidation(3), out=out)
    before = out.read_bytes()

    def explode():
        raise AssertionError("loaded again")

    again = evaluate({"NB": GaussianNB()}, {"iris": explode}, CrossValidation(3), out=out)
    assert_frame_equal(again.frame, first.frame)
    assert out.read_bytes() == before


def test_a_run_can_grow_by_methods_data_sets_and_repeats(tmp_path):
    out, diary = tmp_path / "results.csv", tmp_path / "diary"
    evaluate({"witness": Witness(str(diary))}, {"numbers": numbered()}, CrossValidation(3), out=out)
    results = evaluate(
        {"witness": Witness(str(diary)), "NB": GaussianNB()},
        {"numbers": numbered(), "iris": IRIS},
        CrossValidation(3, repeats=2),
        out=out,
    ).select(datasets=["numbers"], methods=["witness"])
    assert results.frame.height == 6
    assert len(diary_lines(diary)) == 3 + 3 + 6


def test_a_run_goes_on_with_another_number_of_workers(tmp_path):
    out = tmp_path / "results.csv"
    first = evaluate({"NB": bl.classifier("NB", n_jobs=1)}, {"iris": IRIS}, CrossValidation(3), out=out)
    before = out.read_bytes()
    again = evaluate({"NB": bl.classifier("NB", n_jobs=2)}, {"iris": IRIS}, CrossValidation(3), out=out)
    assert_frame_equal(again.frame, first.frame)
    assert out.read_bytes() == before


def test_other_settings_are_not_mixed_in(tmp_path):
    out = tmp_path / "results.csv"
    evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(3), out=out)
    before = out.read_bytes()
    with pytest.raises(ValueError, match=r"made with other parameters than .*var_smoothing=0.1"):
        evaluate({"NB": GaussianNB(var_smoothing=0.1)}, {"iris": IRIS}, CrossValidation(3), out=out)
    with pytest.raises(ValueError, match="the protocol '3-fold, seed 0', this run asks for '3-fold, seed 1'"):
        evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(3, seed=1), out=out)
    with pytest.raises(ValueError, match="Use another file or the same measures"):
        evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(3), ["auc"], out=out)
    smaller = (IRIS[0][:140], IRIS[1][:140])
    with pytest.raises(ChangedDataError, match="'iris' has 140 rows, but the result file was made with 150"):
        evaluate({"NB": GaussianNB()}, {"iris": smaller}, CrossValidation(3), out=out)
    with pytest.raises(ChangedDataError, match="'iris' has 140 rows"):
        evaluate({"NB": GaussianNB()}, {"iris": lambda: smaller}, CrossValidation(3, repeats=2), out=out)
    assert out.read_bytes() == before


def test_damaged_and_foreign_files_are_refused(tmp_path):
    out = tmp_path / "results.csv"
    evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(3), out=out)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text(lines[0] + lines[1] + lines[2][:50] + "\n" + lines[3])
    with pytest.raises(ValueError, match=r"Line 3 of '.*results.csv' is damaged"):
        Results.read(out)
    out.write_text("sepal,petal\n1,2\n")
    with pytest.raises(ValueError, match="not a result table of bayleaf: it lacks the column 'dataset'"):
        Results.read(out)
    out.write_bytes(b"\xff\xfe\x00\n")
    with pytest.raises(ValueError, match="is not a result table of bayleaf: it is not text"):
        Results.read(out)
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(3), out=tmp_path / "no" / "r.csv")
