import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayleaf.benchmark import CrossValidation, FixedSplits, TrainTest


@given(
    folds=st.integers(2, 6),
    repeats=st.integers(1, 3),
    rows=st.integers(6, 40),
    stratified=st.booleans(),
    seed=st.integers(0, 5),
)
def test_cross_validation_tests_every_row_once_per_repeat(folds, repeats, rows, stratified, seed):
    protocol = CrossValidation(folds, repeats, stratified, seed)
    target = np.arange(rows) % 2 if rows >= 2 * folds else np.zeros(rows)
    for repeat in range(repeats):
        splits = [protocol.split(target, repeat, fold) for fold in range(folds)]
        tested = np.concatenate([split.test for split in splits])
        assert sorted(tested) == list(range(rows))
        for split in splits:
            assert sorted(np.concatenate([split.train, split.test])) == list(range(rows))


def test_cross_validation_repeats_with_the_same_seed_and_changes_with_another():
    target = np.arange(30) % 3
    first = CrossValidation(5, seed=1).split(target, 0, 2).test
    assert np.array_equal(first, CrossValidation(5, seed=1).split(target, 0, 2).test)
    assert not np.array_equal(first, CrossValidation(5, seed=2).split(target, 0, 2).test)
    assert not np.array_equal(first, CrossValidation(5, repeats=2, seed=1).split(target, 1, 2).test)


def test_more_repeats_keep_the_earlier_splits():
    target = np.zeros(20)
    few, many = CrossValidation(4, repeats=1), CrossValidation(4, repeats=7)
    assert few.signature == many.signature
    assert np.array_equal(few.split(target, 0, 3).test, many.split(target, 0, 3).test)


def test_stratified_folds_keep_the_class_shares():
    target = np.array([0] * 30 + [1] * 10)
    for fold in range(10):
        split = CrossValidation(10, stratified=True).split(target, 0, fold)
        assert (target[split.test] == 1).sum() == 1


def test_a_class_with_fewer_rows_than_folds_is_no_reason_to_warn():
    target = np.array([0] * 30 + [1] * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CrossValidation(10, stratified=True).split(target, 0, 0).test.size in (3, 4)


def test_training_subsets_are_nested():
    protocol = CrossValidation(4, seed=3)
    target = np.zeros(40)
    whole = protocol.split(target, 0, 1)
    small = dataclasses.replace(protocol, train_rows=5).split(target, 0, 1)
    large = dataclasses.replace(protocol, train_rows=20).split(target, 0, 1)
    assert set(small.train) < set(large.train) < set(whole.train)
    assert small.train.size == 5
    assert np.array_equal(small.test, whole.test)


def test_train_test_takes_the_first_rows():
    split = TrainTest(train_rows=3).split(np.zeros(5), 0, 0)
    assert split.train.tolist() == [0, 1, 2]
    assert split.test.tolist() == [3, 4]
    assert TrainTest(3, test_rows=1).split(np.zeros(5), 0, 0).test.tolist() == [3]


def test_fixed_splits_are_used_as_given():
    protocol = FixedSplits([([4, 2], [0]), ([0], [1, 2])])
    assert protocol.split(np.zeros(5), 0, 0).train.tolist() == [4, 2]
    assert protocol.split(np.zeros(5), 0, 1).test.tolist() == [1, 2]
    assert protocol.signature == FixedSplits([([4, 2], [0]), ([0], [1, 2])]).signature
    assert protocol.signature != FixedSplits([([4, 3], [0]), ([0], [1, 2])]).signature


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CrossValidation(1), "at least 2 folds. Got folds=1"),
        (lambda: CrossValidation(5, repeats=0), "at least 1 repeat"),
        (lambda: CrossValidation(5, seed=-1), "must not be negative"),
        (lambda: CrossValidation(5, train_rows=0), "train_rows must be at least 1"),
        (lambda: CrossValidation(5).split(np.zeros(4), 0, 0), "needs at least 5 rows. Got 4"),
        (lambda: CrossValidation(2, train_rows=9).split(np.zeros(10), 0, 0), "Cannot take 9 training rows"),
        (lambda: TrainTest(0), "at least 1 training row"),
        (lambda: TrainTest(5).split(np.zeros(5), 0, 0), "needs 6 rows. Got 5"),
        (lambda: FixedSplits([]), "at least one pair"),
        (lambda: FixedSplits([([0, 1], [1, 2])]), "1 rows in both parts, row 1 among them"),
        (lambda: FixedSplits([([0, -1], [2])]), "training rows of split 0"),
        (lambda: FixedSplits([([0, 1], [])]), "test rows of split 0"),
        (lambda: FixedSplits([([0], [7])]).split(np.zeros(5), 0, 0), "names row 7, but the data has 5 rows"),
    ],
)
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()
