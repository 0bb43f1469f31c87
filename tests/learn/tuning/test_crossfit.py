import numpy as np
import pytest

from bayleaf.data import Table, Variable
from bayleaf.data.table import stratified_folds
from bayleaf.graph import DAG
from bayleaf.learn.parameters.shrinkage import STRENGTHS
from bayleaf.learn.structure import KDB, TAN, NaiveBayes
from bayleaf.learn.tuning import FamilyCells, fold_models, score_members
from reference import tuning as slow

GRID = (1.0, 8.0, 64.0)
NAMES = ("a", "b", "c", "d", "class")
ARITIES = (2, 3, 4, 2, 3)


def random_rows(seed, rows=60, gaps=0.0):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 3, (rows, 1))
    codes = (base + (rng.random((rows, 5)) < 0.5) * rng.integers(0, 4, (rows, 5))) % np.array(ARITIES)
    codes[:, :4][rng.random((rows, 4)) < gaps] = -1
    return codes


def as_table(codes, weights=None, n_jobs=None):
    variables = tuple(
        Variable(name, tuple(map(str, range(arity)))) for name, arity in zip(NAMES, ARITIES, strict=True)
    )
    return Table.from_codes(variables, codes, weights=weights, target=4, n_jobs=n_jobs)


def learner(structure):
    return lambda table: structure.learn(table, np.random.default_rng(0))


def cross_fit(table, learn, fold, strengths=STRENGTHS):
    return score_members(table, fold_models(table, learn, fold, strengths))


@pytest.mark.parametrize("structure", [NaiveBayes(), TAN(), KDB(k=2)])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_scores_are_those_of_graphs_and_tables_that_have_not_seen_the_row(structure, gaps):
    codes = random_rows(0, rows=30, gaps=gaps)
    fold = stratified_folds(codes[:, 4], 3)
    scores = cross_fit(as_table(codes), learner(structure), fold, GRID)
    for k in range(3):
        seen = as_table(codes[fold != k])
        families = FamilyCells.of(seen, learner(structure)(seen))
        others = codes[fold != k].tolist()
        sizes = np.bincount(codes[fold != k, 4], minlength=3)
        for row in np.flatnonzero(fold == k)[:4]:
            np.testing.assert_allclose(scores[0, row], np.log((sizes + 1) / (sizes.sum() + 3)), rtol=1e-6)
            for family in families.families:
                expected = slow.family_score(others, codes[row], family, 4, 3, ARITIES[family[0]], GRID)
                np.testing.assert_allclose(scores[1 + family[0], row], expected, rtol=1e-6, atol=1e-6)


def test_weights_are_copies_of_rows_where_folds_are_given():
    codes, rng = random_rows(1), np.random.default_rng(2)
    times = rng.integers(1, 4, len(codes))
    fold = stratified_folds(codes[:, 4], 3)
    weighted = cross_fit(as_table(codes, times.astype(float)), learner(TAN()), fold)
    rows = np.repeat(np.arange(len(codes)), times)
    repeated = cross_fit(as_table(codes[rows]), learner(TAN()), fold[rows])
    np.testing.assert_allclose(weighted[:, rows], repeated, rtol=1e-6, atol=1e-6)


def test_the_order_of_rows_and_the_number_of_threads_do_not_matter():
    codes = random_rows(3, gaps=0.1)
    fold = stratified_folds(codes[:, 4], 5)
    scores = cross_fit(as_table(codes, n_jobs=1), learner(KDB(k=1)), fold)
    order = np.random.default_rng(4).permutation(len(codes))
    other = cross_fit(as_table(codes[order], n_jobs=3), learner(KDB(k=1)), fold[order])
    np.testing.assert_array_equal(scores[:, order], other)


def test_a_feature_apart_from_the_class_says_nothing():
    codes = random_rows(5)
    dag = DAG(NAMES, [("class", "a"), ("a", "b"), ("class", "d")])
    scores = cross_fit(as_table(codes), lambda _: dag, stratified_folds(codes[:, 4], 3))
    assert not scores[[2, 3]].any()
    assert scores[[1, 4]].all()


def test_too_many_cells_are_refused():
    families = FamilyCells(((0, 1, 2),), (60_000, 60_000, 60_000, 2), 3)
    with pytest.raises(ValueError, match="more than 2,147,483,648: use fewer parents or fewer states"):
        _ = families.n_cells


@pytest.mark.parametrize("folds", [2, 5])
def test_folds_are_alike_in_size_and_classes(folds):
    target = np.repeat([0, 1, 2], [31, 17, 3])
    fold = stratified_folds(target, folds)
    assert np.ptp(np.bincount(fold, minlength=folds)) <= 1
    for label in range(3):
        assert np.ptp(np.bincount(fold[target == label], minlength=folds)) <= 1
    assert (fold == stratified_folds(target, folds)).all()
    assert (fold != stratified_folds(target, folds, seed=1)).any()
