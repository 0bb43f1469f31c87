"""Folds that keep groups of rows together, and folds in the order of time."""

from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.model_selection import cross_validate as sklearn_cross_validate

import bayleaf as bl
from bayleaf.benchmark import evaluate
from bayleaf.data import GroupsWarning
from bayleaf.data.table import grouped_folds
from bayleaf.quality import GroupedFolds, TimedFolds, out_of_fold


def repeated(patients: int = 80, visits: int = 5) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Return visits of patients whose class chance alone has decided: a model can only know a patient again."""
    rng = np.random.default_rng(5)
    who = np.repeat(rng.permutation(patients), visits)
    marks = rng.integers(0, 4, (patients, 5))
    sick = rng.integers(0, 2, patients)
    frame = pl.DataFrame({f"m{j}": [f"v{mark}" for mark in marks[who, j]] for j in range(5)})
    return frame, sick[who], who


def noted(X: pl.DataFrame, y: np.ndarray) -> str:
    return " ".join(variable.note for variable in bl.BayesNetClassifier().inspect(X, y).features)


@pytest.mark.parametrize("model", [bl.BayesNetClassifier(), bl.NetworkPool(cycles=1, seeds=1)])
def test_tuning_does_not_part_groups(model: Any) -> None:
    X, y, groups = repeated()
    hopeful = model.fit(X, y).out_of_sample_
    honest = model.fit(X, y, groups=groups).out_of_sample_
    assert hopeful.accuracy > 0.75  # it knows patients again
    assert honest.accuracy < 0.62
    assert honest.log_loss > 0.66


def test_cross_validation_does_not_part_groups_either() -> None:
    X, y, groups = repeated()
    model = bl.BayesNetClassifier().fit(X, y, groups=groups)
    assert model.cross_validate(X, y, 5).value("Accuracy") > 0.75
    assert model.cross_validate(X, y, 5, groups=groups).value("Accuracy") < 0.62
    with pytest.raises(ValueError, match="give groups or time"):
        model.cross_validate(X, y, 5, groups=groups, time=groups)


def test_folds_are_those_of_scikit_learn() -> None:
    _, y, groups = repeated()
    protocol = GroupedFolds(groups, folds=4, repeats=2, seed=3)
    for repeat, fold in protocol.cells:
        split = protocol.split(y, repeat, fold)
        assert not set(groups[split.train]) & set(groups[split.test])
        assert split.groups is not None
        assert len(set(split.groups)) == len(set(groups[split.train]))
    state = int(np.random.SeedSequence((3, 0)).generate_state(1)[0])
    theirs = StratifiedGroupKFold(4, shuffle=True, random_state=state).split(y, y, protocol._numbers)
    for fold, (_, test) in enumerate(theirs):
        assert protocol.split(y, 0, fold).test.tolist() == test.tolist()
    assert protocol.signature == GroupedFolds([f"p{g}" for g in groups], folds=4, seed=3).signature
    assert protocol.signature != GroupedFolds(np.roll(groups, 1), folds=4, seed=3).signature


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_dealt_out_whole_and_evenly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 60, 900)
    target = rng.integers(0, 3, 900)
    fold = grouped_folds(target, groups, 5, seed)
    assert all(len(set(fold[groups == each])) == 1 for each in range(60))
    table = np.array([[np.sum((fold == f) & (target == c)) for c in range(3)] for f in range(5)])
    assert (abs(table / table.sum(axis=0) - 0.2) < 0.06).all()
    assert sorted(set(grouped_folds(np.zeros(6, dtype=int), np.array([0, 0, 1, 1, 1, 0]), 5))) == [0, 1]


def test_later_rows_are_predicted_from_earlier_ones() -> None:
    day = np.array([f"2024-01-{1 + k // 3:02}" for k in range(30)])
    order = np.random.default_rng(0).permutation(30)
    y = np.arange(30) % 2
    protocol = TimedFolds(day[order], folds=4)
    seen = []
    for repeat, fold in protocol.cells:
        split = protocol.split(y, repeat, fold)
        assert max(day[order][split.train].tolist()) < min(day[order][split.test].tolist())
        seen += split.test.tolist()
    assert len(seen) == len(set(seen)) == 24  # the earliest 6 are not predicted
    X = [[f"{k % 3}"] for k in range(30)]
    outcome = out_of_fold(bl.BayesNetClassifier(parameters=bl.Shrinkage()), X, y, protocol)
    assert outcome.truth.tolist() == y[sorted(seen)].tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GroupedFolds(["a", "b", "a"], folds=3), "too few groups for 3 folds: 2"),
        (lambda: GroupedFolds(["a", "a"], folds=2), "same value in all 2 rows"),
        (lambda: GroupedFolds("patient"), "the text 'patient'"),
        (
            lambda: GroupedFolds([["a"], ["b", "c"]]),
            "groups must have one value per row.*Got a list in row 0",
        ),
        (lambda: GroupedFolds([("a", []), "b"]), "groups must have one value per row.*Got a tuple in row 0"),
        (
            lambda: TimedFolds(["soon", "later", "now"], folds=2),
            "time must be numbers, dates or times.*'soon'",
        ),
        (lambda: TimedFolds([1.0, np.nan, 2.0], folds=2), "time is missing in 1 of 3 rows"),
        (
            lambda: TimedFolds([1, 1, 1, 2], folds=2).split(np.zeros(4), 0, 0),
            "too many rows have the same time",
        ),
        (lambda: TimedFolds([1, 2, 3], folds=2).split(np.zeros(4), 0, 0), "time has 3 values.*4 rows"),
    ],
)
def test_what_is_wrong_is_said(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_metadata_routing_hands_groups_on() -> None:
    X, y, groups = repeated()
    with sklearn.config_context(enable_metadata_routing=True):
        found = sklearn_cross_validate(
            bl.BayesNetClassifier(), X, y, cv=GroupKFold(3), params={"groups": groups}, return_estimator=True
        )
        model = found["estimator"][0]
        assert model.out_of_sample_.accuracy < 0.65
        assert "sample_weight" in str(model.get_metadata_routing())


def test_rows_without_a_group_are_groups_of_their_own() -> None:
    X, y, groups = repeated(20)
    weights = np.ones(len(y))
    weights[:5] = 0.0
    some = [None if k % 7 == 0 else f"{g}" for k, g in enumerate(groups)]
    labels = [None if k in (8, 9) else int(c) for k, c in enumerate(y)]
    with pytest.warns(UserWarning, match="2 of 100 rows have no class"):
        model = bl.BayesNetClassifier().fit(X, labels, weights, groups=some)
    assert model.out_of_sample_.rows == 93


def test_columns_in_blocks_are_named() -> None:
    X, y, groups = repeated(20)
    with_ids = X.with_columns(pl.Series("patient", groups), pl.Series("row", np.sort(np.arange(100) // 4)))
    with pytest.warns(GroupsWarning, match=r"Column 'patient' has its values in blocks.*groups=") as told:
        bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(with_ids, y)
    assert [each.message.columns for each in told] == [
        ("patient",)
    ]  # ascending numbers may be sorted measurements
    assert "5 rows for each of 20 values" in noted(with_ids, y)
    dated = X.with_columns(pl.Series("day", [f"2024-03-{1 + k // 20:02}" for k in range(100)]).str.to_date())
    assert "20 rows at each time, see time=" in noted(dated, y)
    shuffled = with_ids.sample(fraction=1.0, shuffle=True, seed=1)
    assert "groups=" not in noted(shuffled, y)


def test_batches_have_no_groups_and_their_notes_no_counts() -> None:
    X, y, groups = repeated(20)
    ids = [f"c{k % 90}" for k in range(100)]
    table = X.with_columns(pl.Series("patient", groups), pl.Series("subject_id", ids))
    assert "5 rows for each of 20 values" in noted(table, y)
    assert "90 different values in 100 rows" in noted(table, y)
    model = bl.BayesNetClassifier()
    with pytest.warns(GroupsWarning, match="leave it out: partial_fit takes no groups") as told:
        model.partial_fit(table, y, classes=[0, 1])
    assert "to fit and" not in str(told[0].message)
    notes = {line.column: line.note for line in model.schema_.lines()}
    assert notes["patient"] == "in blocks of rows"
    assert notes["subject_id"] == "looks like an identifier that repeats: the type identifier leaves it out"


def test_a_column_that_says_the_groups_is_remarked() -> None:
    X, y, groups = repeated(120)
    codes = [f"z{group if group > 3 else 0}" if row % 7 else None for row, group in enumerate(groups)]
    parted = [f"z{group + (row == 0)}" for row, group in enumerate(groups)]  # one group has two
    few = [f"z{group // 2}" for group in groups]
    table = X.with_columns(pl.Series("zip", codes), pl.Series("parted", parted), pl.Series("few", few))
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), missing="state").fit(table, y, groups=groups)
    assert model.schema_.remarks == [
        "'zip' says nearly the same as the groups (117 values for 120 groups): new groups have other values"
    ]
    shuffled = np.random.default_rng(0).permutation(groups)
    assert clone(model).fit(table, y, groups=shuffled).schema_.remarks == []


def test_methods_are_evaluated_by_groups() -> None:
    X, y, groups = repeated(30)
    results = evaluate(
        {"default": bl.BayesNetClassifier(), "NB": bl.classifier("NB")},
        {"visits": (X, y)},
        GroupedFolds(groups, folds=3),
        ["accuracy"],
    )
    assert not results.errors.height
    assert results.values("accuracy", "visits", "default").mean() < 0.7


def test_a_fitted_model_is_assessed_in_the_order_of_time() -> None:
    y = np.arange(100) % 2
    X = pl.DataFrame({"mark": [None if k in range(10, 30, 2) else f"v{k % 3}" for k in range(100)]})
    model = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(X, y)
    quality = model.cross_validate(X, y, 4, time=np.arange(100))
    assert quality.rows == 80  # the earliest 20 are not predicted
    assert [(line["from"], line["rows"]) for line in quality.missing] == [(0, 75), (1, 5)]


def test_a_fold_of_one_class_is_named() -> None:
    X, y = [[f"{k % 3}"] for k in range(40)], np.array([0, 1]).repeat(20)
    model = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(X, y)
    with pytest.raises(ValueError, match=r"Fold 1 of 4 would learn from one class only \(0\): .*\(time\)"):
        model.cross_validate(X, y, 4, time=range(40))
    groups = np.where(y == 1, -1, np.arange(40) % 5)
    with pytest.raises(ValueError, match=r"would learn from one class only \(0\): .*\(groups\)"):
        model.cross_validate(X, y, 3, groups=groups)


def test_numbers_in_texts_are_times() -> None:
    numbers = [3, 20, 100, 1, 5, 40]
    y = np.array([0, 1, 0, 1, 0, 1])
    for times in ([str(k) for k in numbers], [f"{k}.5" for k in numbers]):
        split = TimedFolds(times, folds=2).split(y, 0, 1)
        assert split.test.tolist() == TimedFolds(numbers, folds=2).split(y, 0, 1).test.tolist() == [2, 5]
    with pytest.raises(ValueError, match="time is missing in 1 of 3 rows"):
        TimedFolds(["1", None, "10"], folds=2)
