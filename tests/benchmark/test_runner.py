import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bayleaf.benchmark import CrossValidation, FixedSplits, Results, TrainTest, evaluate, learning_curve
from bayleaf.benchmark.work import describe
from bayleaf.quality import Measure, out_of_fold, zero_one_loss
from reference.benchmark import Witness, diary_lines, numbered, without_times

IRIS = load_iris(return_X_y=True)


def test_every_combination_is_run_once():
    results = evaluate(
        {"NB": GaussianNB(), "majority": DummyClassifier()},
        {"iris": IRIS, "lazy": lambda: IRIS},
        CrossValidation(folds=3, repeats=2),
    )
    assert results.frame.height == 2 * 2 * 3 * 2
    assert results.frame.select("dataset", "method", "repeat", "fold").is_unique().all()
    # The same rows under another name give the same values: folds depend on the rows alone.
    assert np.array_equal(
        results.values("zero_one_loss", "iris", "NB"), results.values("zero_one_loss", "lazy", "NB")
    )
    assert results.dataset_rows() == {"iris": 150, "lazy": 150}


def test_values_are_those_of_a_plain_loop():
    protocol = CrossValidation(folds=4, repeats=2, stratified=True, seed=5)
    results = evaluate({"NB": GaussianNB()}, {"iris": IRIS}, protocol)
    X, y = IRIS
    expected = []
    for repeat, fold in protocol.cells:
        split = protocol.split(y, repeat, fold)
        model = GaussianNB().fit(X[split.train], y[split.train])
        expected.append(np.mean(model.predict(X[split.test]) != y[split.test]))
    assert results.values("zero_one_loss", "iris", "NB") == pytest.approx(expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_all_methods_see_the_same_folds(tmp_path, n_jobs):
    diaries = [tmp_path / "a", tmp_path / "b"]
    evaluate(
        {"first": Witness(str(diaries[0])), "second": Witness(str(diaries[1]))},
        {"numbers": numbered()},
        CrossValidation(folds=5),
        n_jobs=n_jobs,
    )
    first, second = (sorted(diary_lines(diary)) for diary in diaries)
    assert len(first) == 5
    assert first == second


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_frames_stay_frames(tmp_path, make, n_jobs):
    frame = make({"id": list(range(12)), "colour": ["red", "blue"] * 6})
    labels = (pd.Series if make is pd.DataFrame else pl.Series)(["yes", "no", "no"] * 4)
    diary = tmp_path / "diary"
    results = evaluate(
        {"witness": Witness(str(diary))}, {"frame": (frame, labels)}, CrossValidation(3), n_jobs=n_jobs
    )
    assert results.errors.is_empty()
    assert all(line.startswith(make.__module__.split(".")[0]) for line in diary_lines(diary))


def test_parallel_run_gives_the_same_table():
    methods = {"NB": GaussianNB(), "tree": DecisionTreeClassifier(max_features=1)}
    data = {"iris": IRIS, "lazy": lambda: load_iris(return_X_y=True)}
    alone = evaluate(methods, data, CrossValidation(3))
    together = evaluate(methods, data, CrossValidation(3), n_jobs=2)
    assert_frame_equal(without_times(alone), without_times(together))


def test_open_random_states_are_set_so_that_runs_repeat():
    methods = {"tree": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1, max_depth=2))}
    first, second = (evaluate(methods, {"iris": IRIS}, CrossValidation(5)) for _ in range(2))
    assert_frame_equal(without_times(first), without_times(second))
    assert methods["tree"].get_params()["decisiontreeclassifier__random_state"] is None


def test_a_failing_classifier_is_recorded_and_the_run_goes_on(tmp_path):
    out = tmp_path / "results.csv"
    methods = {"picky": Witness(str(tmp_path / "diary"), fail_on=3), "NB": GaussianNB()}
    data = {"numbers": numbered()}
    message = (
        "9 of 20 folds failed; the first is 'picky' on 'numbers', .*for me. The results keep the reason for"
    )
    with pytest.warns(UserWarning, match=message):
        results = evaluate(methods, data, CrossValidation(10), out=out)
    assert results.errors["error"].unique().to_list() == ["RuntimeError: row 3 is not for me"]
    assert results.frame.filter(pl.col("method") == "NB")["error"].unique().to_list() == [""]
    assert np.isnan(results.values("accuracy", "numbers", "picky")).sum() == 9

    # Failed folds count as done ...
    runs = len(diary_lines(tmp_path / "diary"))
    with pytest.warns(UserWarning, match="9 of 20 folds failed"):
        evaluate(methods, data, CrossValidation(10), out=out)
    assert len(diary_lines(tmp_path / "diary")) == runs
    # ... unless asked for.
    with pytest.warns(UserWarning, match="9 of 20 folds failed"):
        evaluate(methods, data, CrossValidation(10), out=out, retry_failed=True)
    assert len(diary_lines(tmp_path / "diary")) == runs + 9
    assert Results.read(out).frame.height == 20


def test_a_loader_that_fails_is_recorded():
    def missing():
        raise FileNotFoundError("no such file: adult.csv")

    with pytest.warns(UserWarning, match="2 of 4 folds failed"):
        results = evaluate({"NB": GaussianNB()}, {"adult": missing, "iris": IRIS}, CrossValidation(2))
    assert "no such file" in results.errors["error"][0]
    assert results.scoreboard("accuracy").left_out == ("adult",)


def test_probabilities_that_are_no_numbers_are_an_error():
    class Broken(Witness):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.warns(UserWarning, match="predict_proba gave NaN or infinite values in 10 of 10 rows"):
        evaluate({"broken": Broken(os.devnull)}, {"numbers": numbered()}, CrossValidation(2))


def test_classifiers_without_probabilities_work():
    results = evaluate({"ridge": RidgeClassifier()}, {"iris": IRIS}, CrossValidation(3))
    assert np.isfinite(results.values("accuracy", "iris", "ridge")).all()
    assert np.isnan(results.values("log_loss", "iris", "ridge")).all()
    with pytest.raises(ValueError, match=r"No data set has complete values of 'log_loss'.*ridge on none"):
        results.scoreboard("log_loss")


def test_classes_missing_from_training_rows_are_no_error():
    X, y = np.zeros((6, 1)), np.array(["a", "a", "a", "b", "b", "c"])
    results = evaluate({"majority": DummyClassifier()}, {"rare": (X, y)}, TrainTest(train_rows=4))
    assert results.errors.is_empty()
    # P(b) = 1/4, P(c) = 0.
    expected = -(np.log(0.25) + np.log(1e-15)) / 2
    assert results.values("log_loss", "rare", "majority")[0] == pytest.approx(expected)


def test_every_data_set_may_have_its_own_protocol():
    results = evaluate(
        {"NB": GaussianNB()},
        {"a": IRIS, "b": IRIS},
        {"a": CrossValidation(3), "b": FixedSplits([(np.arange(0, 150, 2), np.arange(1, 150, 2))])},
    )
    assert results.frame.group_by("dataset", maintain_order=True).len()["len"].to_list() == [3, 1]


def test_model_size_is_found_inside_pipelines_and_searches(tmp_path):
    witness = Witness(str(tmp_path / "diary"))
    search = GridSearchCV(Witness(str(tmp_path / "diary")), {"fail_on": [None]}, cv=2, scoring=lambda *_: 0.0)
    methods = {"plain": witness, "pipeline": make_pipeline(StandardScaler(), witness), "search": search}
    results = evaluate({**methods, "NB": GaussianNB()}, {"numbers": numbered()}, CrossValidation(2))
    for name in methods:
        assert results.values("n_parameters", "numbers", name).tolist() == [7.0, 7.0]
    assert np.isnan(results.values("n_parameters", "numbers", "NB")).all()


def test_own_measures_are_stored_and_read(tmp_path):
    errors = Measure("errors", lambda outcome: float((outcome.predicted != outcome.truth).sum()))
    out = tmp_path / "results.csv"
    results = evaluate(
        {"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(3), [errors, "accuracy"], out=out
    )
    assert results.values(errors, "iris", "NB").sum() == pytest.approx(
        sum(results.frame["test_rows"] * (1 - results.frame["accuracy"]))
    )
    with pytest.raises(ValueError, match="no measure 'errors'"):
        Results.read(out)
    assert Results.read(out, extra_measures=[errors]).frame.equals(results.frame)


def test_out_of_fold_predicts_every_row_once():
    outcome = out_of_fold(GaussianNB(), *IRIS, CrossValidation(5, repeats=3))
    assert outcome.truth.size == 150
    assert np.bincount(outcome.truth).tolist() == [50, 50, 50]
    assert zero_one_loss(outcome) < 0.1
    with pytest.raises(ValueError, match="RidgeClassifier has no predict_proba"):
        out_of_fold(RidgeClassifier(), *IRIS)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (({}, {"iris": IRIS}), ValueError, "no method to evaluate"),
        (({"NB": GaussianNB()}, {}), ValueError, "no data set to evaluate"),
        (({"NB": GaussianNB}, {"iris": IRIS}), TypeError, "'NB' must be a scikit-learn classifier"),
        (({"N\nB": GaussianNB()}, {"iris": IRIS}), ValueError, "non-empty text of one line"),
        (({"NB": GaussianNB()}, {"iris": 3}), TypeError, r"'iris' must be a pair \(X, y\)"),
        (
            ({"NB": GaussianNB()}, {"iris": (IRIS[0], IRIS[1][:9])}),
            ValueError,
            "150 rows of features, 9 of the target",
        ),
        (
            ({"NB": GaussianNB()}, {"iris": IRIS}, {"x": CrossValidation()}),
            ValueError,
            "no protocol for .*'iris'",
        ),
    ],
)
def test_errors_say_what_is_wrong(arguments, kind, message):
    with pytest.raises(kind, match=message):
        evaluate(*arguments)


def test_descriptions_tell_settings_apart_and_hold_no_addresses():
    long = make_pipeline(*[StandardScaler() for _ in range(60)], GaussianNB(priors=np.arange(3)))
    other = make_pipeline(*[StandardScaler() for _ in range(60)], GaussianNB(priors=np.arange(3) + 1))
    assert describe(long) != describe(other)
    assert "..." not in describe(long)
    assert describe(object()) == "<object object>"
    assert describe({"a": [1, (2, None)]}) == "{'a': [1, [2, None]]}"


NB = {"NB": GaussianNB()}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((GaussianNB(), *IRIS), r"^methods must be a dict, such as \{'TAN': .*\}\. Got a GaussianNB\.$"),
        (([GaussianNB()], {"iris": IRIS}), r"^methods must be a dict, .* Got a list\.$"),
        ((NB, IRIS), r"^datasets must be a dict, such as \{'iris': \(X, y\)\}\. Got a tuple\.$"),
        ((NB, *IRIS), r"^datasets must be a dict, .* Got a ndarray\.$"),
        ((NB, {"iris": IRIS}, 5), r"^The protocol must be .*, such as CrossValidation\(folds=5\)\. Got 5\.$"),
        ((NB, {"iris": IRIS}, {"iris": KFold(5)}), r"^The protocol must be .* Got a KFold\.$"),
    ],
)
def test_arguments_of_other_kinds_are_refused(arguments, sentence):
    with pytest.raises(TypeError, match=sentence):
        evaluate(*arguments)


def test_protocols_are_checked_wherever_they_are_taken():
    with pytest.raises(TypeError, match=r"The protocol must be .* Got 5"):
        out_of_fold(GaussianNB(), *IRIS, 5)
    with pytest.raises(TypeError, match=r"The protocol must be .* Got 5"):
        learning_curve(NB, IRIS, [20], 5)


def test_names_that_results_do_not_have_are_answered_with_those_they_have():
    results = evaluate({"NB": GaussianNB()}, {"iris": IRIS}, CrossValidation(2, repeats=1))
    for wrong, sentence in (
        ({"methods": ["TAN"]}, r"There is no method 'TAN' in these results\. Known here: NB\."),
        ({"datasets": ["wine"]}, r"There is no dataset 'wine' in these results\. Known here: iris\."),
    ):
        with pytest.raises(ValueError, match=sentence):
            results.select(**wrong)
