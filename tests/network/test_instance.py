import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.network import CountedFamilies
from reference.dependence import (
    fkdb_order,
    functional_dependencies,
    information_matrices,
    kdb_order,
    log_joint_of_row,
    parents_in_row,
    ranked_before,
)

MIN_COUNT = 6


def linked_rows(seed, features=5, rows=90):
    """Features that are functions of a hidden value, some noisy, and a class that depends on it."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 6, rows)
    arities = [*rng.integers(2, 4, features).tolist(), 2]
    codes = np.stack([rng.integers(0, arity, 6)[hidden] for arity in arities], axis=1)
    noisy = rng.random((rows, features + 1)) < [*rng.choice([0.0, 0.05, 0.5], features), 0.3]
    codes = np.where(noisy, rng.integers(0, 100, codes.shape) % arities, codes)
    return codes, arities


def make_table(codes, arities, weights=None):
    names = [*(f"x{j}" for j in range(len(arities) - 1)), "class"]
    variables = tuple(
        bl.data.Variable(name, tuple(range(arity)), None, "integer")
        for name, arity in zip(names, arities, strict=True)
    )
    return bl.data.Table.from_codes(variables, codes, weights, len(arities) - 1)


def learn(table, k=2, min_count=MIN_COUNT, parameters=None):
    learner = bl.KDB(k, functional_dependencies=True, min_count=min_count)
    parameters = bl.Laplace() if parameters is None else parameters
    dag = learner.learn(table, np.random.default_rng(0))
    network = bl.BayesNet(table.variables, dag, parameters.fit(table, dag), "class")
    return learner.predictor(table, network, parameters)


def slow_ingredients(rows, arities, min_count=MIN_COUNT):
    target = len(arities) - 1
    relevance, dependence = information_matrices(rows, range(target), target, arities)
    ranked = ranked_before(kdb_order(relevance), dependence)
    return ranked, functional_dependencies(rows, range(target), min_count)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_every_row_uses_its_own_parents(seed, k):
    codes, arities = linked_rows(seed)
    model = learn(make_table(codes, arities), k)
    rows = codes.tolist()
    ranked, dependencies = slow_ingredients(rows, arities)
    seen = make_table(codes, arities).codes[:, :-1]
    for node in range(5):
        chosen = model.parents_of_rows(node, seen)
        for row, parents in zip(rows, chosen.tolist(), strict=True):
            assert [p for p in parents if p >= 0] == parents_in_row(row, ranked[node], k, dependencies)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 2))
def test_log_joints_equal_the_slow_reference(seed, k):
    codes, arities = linked_rows(seed)
    model = learn(make_table(codes, arities), k)
    rows = codes.tolist()
    ranked, dependencies = slow_ingredients(rows, arities)
    new, _ = linked_rows(seed + 1, rows=25)  # rows that break dependencies of the training rows
    new %= arities
    got = model.log_joint(make_table(new, arities).codes[:, :-1], 5, 1)
    expected = [
        [log_joint_of_row(row, c, rows, range(5), 5, ranked, k, dependencies, arities) for c in range(2)]
        for row in new.tolist()
    ]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def completions(row, arities):
    return itertools.product(
        *(range(arity) if value < 0 else [value] for value, arity in zip(row, arities[:-1], strict=True))
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_missing_values_are_summed_out_in_the_network_that_the_observed_values_choose(seed):
    codes, arities = linked_rows(seed)
    table = make_table(codes, arities)
    model = learn(table)
    ranked, dependencies = slow_ingredients(codes.tolist(), arities)
    rng = np.random.default_rng(seed)
    gaps = codes[:20].copy()
    gaps[:, :-1][rng.random((20, 5)) < 0.3] = -1
    got = model.log_joint(make_table(gaps, arities).codes[:, :-1], 5, 1)
    families = CountedFamilies(table, bl.Laplace().estimate)
    for row, values in zip(gaps.tolist(), got, strict=True):
        parents = {i: parents_in_row(row, ranked[i], 2, dependencies) for i in range(5)}
        for c in range(2):
            total = 0.0
            for filled in completions(row[:-1], arities):
                p = model.network.cpt("class")[c]
                for i, chosen in parents.items():
                    p *= families((i, (*chosen, 5)))[(*(filled[j] for j in chosen), c, filled[i])]
                total += p
            assert values[c] == pytest.approx(np.log(total), rel=1e-10)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([0.0, 0.2]))
def test_rows_one_by_one_have_the_log_joints_of_rows_together(seed, k, gaps):
    codes, arities = linked_rows(seed)
    model = learn(make_table(codes, arities), k)
    new, _ = linked_rows(seed + 1, rows=30)
    new %= arities
    new[:, :-1][np.random.default_rng(seed).random((30, 5)) < gaps] = -1
    rows = make_table(new, arities).codes[:, :-1]
    expected = model.log_joint(rows, 5, 1)
    for row, values, log_joint in zip(new, rows, expected, strict=True):
        complete = bool((row[:-1] >= 0).all())
        alone = model.log_joint_of_row(values[None].copy(), complete=complete)
        np.testing.assert_array_equal(alone[0], log_joint)


def test_rows_without_a_dependency_are_treated_as_the_network_does():
    codes, arities = linked_rows(1)
    model = learn(make_table(codes, arities))
    assert len(model.dependencies) > 0
    table = make_table(codes, arities).codes[:, :-1]
    unchanged = np.ones(len(codes), dtype=bool)
    for node in range(5):
        usual = sorted(model.candidates[node][:2])
        chosen = model.parents_of_rows(node, table)
        unchanged &= [[p for p in row if p >= 0] == usual for row in chosen.tolist()]
    assert 0 < unchanged.sum() < len(codes)
    plain = model.network.log_joint(table, 5, 1)
    got = model.log_joint(table, 5, 1)
    np.testing.assert_allclose(got[unchanged], plain[unchanged], rtol=1e-13)
    assert not np.allclose(got[~unchanged], plain[~unchanged])


def test_without_dependencies_it_is_the_network():
    codes, arities = linked_rows(1)
    model = learn(make_table(codes, arities), min_count=10**6)
    table = make_table(codes, arities).codes[:, :-1]
    assert (model.log_joint(table, 5, 1) == model.network.log_joint(table, 5, 1)).all()


@pytest.mark.parametrize("seed", range(8))
def test_possible_families_include_all_that_rows_use(seed):
    codes, arities = linked_rows(seed, features=6)
    model = learn(make_table(codes, arities), min_count=2)
    possible = set(model.possible_families(10**6))
    every_row = np.array(list(itertools.product(*(range(arity) for arity in arities[:-1]))))
    padded = np.column_stack([every_row, np.zeros(len(every_row), dtype=int)])
    rows = make_table(padded, arities).codes[:, :-1]
    for node in model._flexible:
        for parents in np.unique(model.parents_of_rows(node, rows), axis=0).tolist():
            assert (node, (*(p for p in parents if p >= 0), 6)) in possible
    assert model.possible_families(0) is None or not model._flexible


def test_impossible_values_do_not_become_nan():
    codes, arities = linked_rows(1)
    table = make_table(codes, arities)
    model = learn(table, parameters=bl.MaximumLikelihood(epsilon=0.0))
    shuffled = np.random.default_rng(0).permuted(codes, axis=0)
    log_joint = model.log_joint(make_table(shuffled, arities).codes[:, :-1], 5, 1)
    assert not np.isnan(log_joint).any()
    assert np.isneginf(log_joint).any()


def test_pickle_keeps_the_predictions():
    codes, arities = linked_rows(2)
    model = learn(make_table(codes, arities))
    table = make_table(codes, arities).codes[:, :-1]
    expected = model.log_joint(table, 5, 1)
    assert (pickle.loads(pickle.dumps(model)).log_joint(table, 5, 1) == expected).all()


def test_what_cannot_be_asked_for():
    codes, arities = linked_rows(1)
    table = make_table(codes, arities)
    model = learn(table)
    with pytest.raises(ValueError, match="answers for its class 'class' only"):
        model.log_joint(table.codes, 0, 1)

    class Joint:
        """A parameter learner whose tables cannot be estimated one by one."""

        def fit(self, table, dag):
            return bl.Laplace().fit(table, dag)

    with pytest.raises(
        TypeError, match="needs a parameter learner that estimates each table from its own counts"
    ):
        learn(table, parameters=Joint())


def test_fkdb_by_name_is_that_of_the_papers_section_five():
    """K = 2, l = 100: where x2 determines x1, P(xi | x2, x3, c) stands for P(xi | x1, x2, c)."""
    rng = np.random.default_rng(3)
    x1 = rng.integers(0, 2, 700)
    x2 = np.where(x1 == 1, rng.integers(0, 3, 700), 2 * rng.integers(0, 2, 700))  # 1 only where x1 is 1
    c = np.where(rng.random(700) < 0.85, x1, 1 - x1)
    x3 = np.where(rng.random(700) < 0.9, c, rng.integers(0, 2, 700))
    xi = np.where(rng.random(700) < 0.3, (x1 + x2) % 2, rng.integers(0, 2, 700))
    codes = np.stack([x1, x2, x3, xi, c], axis=1)
    rows, arities = codes.tolist(), [2, 3, 2, 2, 2]
    relevance, dependence = information_matrices(rows, range(4), 4, arities, smoothing=1.0)
    ranked = ranked_before(fkdb_order(relevance, dependence, 2), dependence)
    found = functional_dependencies(rows, range(4), 100)
    assert (set(ranked[3][:2]), ranked[3][2]) == ({0, 1}, 2)
    assert list(found) == [(1, 1, 0, 1)]
    clf = bl.classifier("FKDB", categorical_features=[0, 1, 2, 3]).fit(codes[:, :4], c)
    posteriors = clf.predict_proba(codes[:, :4])
    for row, posterior in list(zip(rows, posteriors, strict=True))[:60]:
        parents = parents_in_row(row, ranked[3], 2, found)
        assert parents == ([1, 2] if row[1] == 1 else [0, 1])
        joint = [log_joint_of_row(row, k, rows, range(4), 4, ranked, 2, found, arities) for k in (0, 1)]
        np.testing.assert_allclose(posterior, np.exp(joint) / np.exp(joint).sum(), rtol=1e-9)
