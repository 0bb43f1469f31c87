"""Scores of a family and of all families one parent away, against cell-by-cell formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import AIC, BIC, K2, MDL, BDe, BDeu, LogLikelihood
from bayleaf.learn.search import family_gains
from bayleaf.learn.search.evaluators import CountedGains, ListedGains
from bayleaf.network import BayesNet
from reference.scored_networks import slow_aic, slow_bdeu, slow_bic, slow_k2, slow_log_likelihood

SCORES = [
    pytest.param(LogLikelihood(), slow_log_likelihood, id="LL"),
    pytest.param(AIC(), slow_aic, id="AIC"),
    pytest.param(BIC(), slow_bic, id="BIC"),
    pytest.param(MDL(), slow_bic, id="MDL"),
    pytest.param(K2(), slow_k2, id="K2"),
    pytest.param(BDeu(1.0), slow_bdeu(1.0), id="BDeu1"),
    pytest.param(BDeu(0.3), slow_bdeu(0.3), id="BDeu0.3"),
    pytest.param(BDe(), slow_bdeu(1.0), id="BDe"),
]


def make_table(rng, rows, arities, *, holes=False, weights=None, n_jobs=None):
    codes = np.column_stack([rng.integers(arity, size=rows) for arity in arities])
    for j in range(1, len(arities)):
        copied = rng.random(rows) < 0.5
        codes[copied, j] = codes[copied, j - 1] % arities[j]
    if holes:
        codes[rng.random(codes.shape) < 0.1] = -1
    variables = tuple(Variable(f"v{j}", tuple(range(r)), None, "integer") for j, r in enumerate(arities))
    return Table.from_codes(variables, codes, weights, n_jobs=n_jobs)


def random_families(rng, n):
    """One family per node, and which nodes may be exchanged in it."""
    families = []
    for node in range(n):
        others = [j for j in range(n) if j != node]
        size = int(rng.integers(0, n))
        families.append((node, tuple(sorted(rng.choice(others, size, replace=False).tolist()))))
    wanted = (rng.random((n, n)) < 0.8) & ~np.eye(n, dtype=bool)
    return families, wanted


def slow_around(table, slow, families, wanted):
    values = np.array([slow(table, *family) for family in families])
    changed = np.full(wanted.shape, -np.inf)
    for k, other in np.argwhere(wanted).tolist():
        node, parents = families[k]
        changed[k, other] = slow(table, node, sorted(set(parents) ^ {other}))
    return values, changed


def assert_equal(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("score", "slow"), SCORES)
@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 80),
    arities=st.lists(st.sampled_from([1, 2, 3, 4, 8, 9]), min_size=1, max_size=5),
    weights=st.sampled_from(["none", "whole", "real"]),
    holes=st.booleans(),
)
def test_equal_to_the_formula(score, slow, seed, rows, arities, weights, holes):
    rng = np.random.default_rng(seed)
    weight = {"none": None, "whole": rng.integers(1, 4, rows).astype(float), "real": rng.random(rows) + 1.0}
    table = make_table(rng, rows, arities, holes=holes, weights=weight[weights])
    families, wanted = random_families(rng, len(arities))
    gains = family_gains(score, table)
    assert isinstance(gains, CountedGains)
    assert_equal(gains.around(families, wanted), slow_around(table, slow, families, wanted))


@pytest.mark.parametrize(("score", "slow"), SCORES)
@pytest.mark.parametrize(("holes", "weighted"), [(False, False), (True, True)])
def test_columns_of_very_many_states(score, slow, holes, weighted):
    """Tables with far more cells than rows, and configurations with far more values than occur."""
    rng = np.random.default_rng(5)
    for arities in ([300, 3, 400, 2, 5], [40, 50, 60, 70, 4], [250, 250, 250, 2, 3]):
        weights = rng.random(90) + 0.5 if weighted else None
        table = make_table(rng, 90, arities, holes=holes, weights=weights)
        everything = [(j, tuple(k for k in range(5) if k != j)) for j in range(5)]
        for families in (everything, random_families(rng, 5)[0]):
            wanted = ~np.eye(5, dtype=bool)
            found = family_gains(score, table).around(families, wanted)
            assert_equal(found, slow_around(table, slow, families, wanted))


@pytest.mark.parametrize("score", [BDeu(1.0), K2(), MDL()], ids=repr)
def test_many_rows_and_columns_equal_the_scores_themselves(score):
    """Several words of one-hot bits, several blocks of rows, counts beyond the tabulated ones."""
    rng = np.random.default_rng(3)
    table = make_table(rng, 70_000, [2, 3, 4] * 12 + [12], holes=False)
    families = [(0, (1,)), (5, (2, 30)), (36, ()), (7, (6, 8, 10)), (20, (36, 19))]
    wanted = np.ones((5, 37), dtype=bool)
    wanted[np.arange(5), [0, 5, 36, 7, 20]] = False
    found = family_gains(score, table).around(families, wanted)
    assert_equal(found, ListedGains(score, table).around(families, wanted))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("holes", [False, True])
def test_the_number_of_threads_changes_nothing(weighted, holes):
    results = []
    for n_jobs in (1, 3):
        rng = np.random.default_rng(9)
        weights = rng.random(60_000) if weighted else None
        table = make_table(rng, 60_000, [2, 4, 3, 9, 4] * 5, holes=holes, weights=weights, n_jobs=n_jobs)
        gains = family_gains(BDeu(1.0), table)
        families, wanted = random_families(np.random.default_rng(1), 25)
        families = [(node, parents[:4]) for node, parents in families]
        one = gains.around(families[3:4], wanted[3:4])
        results.append([*gains.around(families, wanted), *one])
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_arcs_cost_what_the_prior_network_says():
    rng = np.random.default_rng(0)
    table = make_table(rng, 100, [2, 3, 2, 4])
    prior = DAG(table.names, [("v0", "v1"), ("v2", "v1"), ("v3", "v2")])
    families, wanted = random_families(rng, 4)
    for given_prior in (None, prior):
        score = BDe(given_prior, ess=2.0, kappa=0.1)
        gains = family_gains(score, table)
        assert isinstance(gains, CountedGains)
        assert_equal(gains.around(families, wanted), ListedGains(score, table).around(families, wanted))
    # v0 -> v1 is there as expected, v2 -> v1 is missing.
    expected = BDeu(2.0).family(table, 1, (0,)) + math.log(0.1)
    assert BDe(prior, 2.0, 0.1).family(table, 1, (0,)) == pytest.approx(expected)


def test_a_prior_network_with_tables_is_valued_family_by_family():
    table = make_table(np.random.default_rng(0), 50, [2, 2])
    net = BayesNet(table.variables, DAG(table.names), [[0.2, 0.8], [0.5, 0.5]])
    score = BDe(net)
    gains = family_gains(score, table)
    assert isinstance(gains, ListedGains)
    values, changed = gains.around([(0, ()), (1, (0,))], np.array([[False, True], [True, False]]))
    np.testing.assert_allclose(values, score.families(table, [(0, ()), (1, (0,))]))
    np.testing.assert_allclose(changed[[0, 1], [1, 0]], score.families(table, [(0, (1,)), (1, ())]))
    assert np.isneginf(changed[[0, 1], [0, 1]]).all()


def test_a_subclass_that_values_families_its_own_way_is_asked():
    class Doubled(BDeu):
        def families(self, table, families):
            return 2 * super().families(table, families)

    table = make_table(np.random.default_rng(0), 50, [2, 2])
    gains = family_gains(Doubled(1.0), table)
    assert isinstance(gains, ListedGains)
    values, _ = gains.around([(0, ())], np.zeros((1, 2), dtype=bool))
    assert values[0] == pytest.approx(2 * BDeu(1.0).family(table, 0, ()))


def test_wrong_settings_are_refused_at_once():
    table = make_table(np.random.default_rng(0), 5, [2, 2])
    with pytest.raises(ValueError, match="'ess' parameter of BDeu"):
        family_gains(BDeu(-1.0), table)
    with pytest.raises(ValueError, match="'kappa' parameter of BDe"):
        family_gains(BDe(kappa=2.0), table)


def test_the_kernel_refuses_columns_that_are_not_there():
    table = make_table(np.random.default_rng(0), 5, [2, 2])
    kernel = family_gains(K2(), table).kernel
    values, changed = np.empty(1), np.empty((1, 2))
    for family in ((2, []), (0, [-1])):
        with pytest.raises(ValueError, match="names a column that the table does not have"):
            _core.family_gains(kernel, [family], np.ones((1, 2), dtype=bool), values, changed, 1)
    with pytest.raises(ValueError, match="one row per family"):
        _core.family_gains(kernel, [(0, [])], np.ones((1, 3), dtype=bool), values, changed, 1)


def test_a_table_without_rows():
    table = Table.from_codes(
        (Variable("x", ("a", "b")), Variable("y", ("a", "b"))), np.empty((0, 2), dtype=int)
    )
    values, changed = family_gains(BDeu(1.0), table).around([(0, (1,))], np.array([[False, True]]))
    assert values.tolist() == [0.0]
    assert changed.tolist() == [[-np.inf, 0.0]]


def test_a_constant_column_behind_a_full_word_changes_nothing():
    """Sixty-four columns of two states fill a word of bits; the constant one after them needs none."""
    narrow = make_table(np.random.default_rng(5), 300, [2] * 65)
    codes = np.insert(narrow.codes.astype(np.int64), 64, 0, axis=1)
    names = tuple(f"v{j}" for j in range(66))
    variables = tuple(
        Variable(name, tuple(range(1 + (j != 64))), None, "integer") for j, name in enumerate(names)
    )
    wide = Table.from_codes(variables, codes)
    others = [j for j in range(66) if j != 64]
    for parents in ((), (1,), (1, 2)):
        wanted = np.ones((1, 66), dtype=bool)
        wanted[0, [0, *parents]] = False
        value, changed = family_gains(MDL(), wide).around([(0, parents)], wanted)
        expected, without = family_gains(MDL(), narrow).around([(0, parents)], wanted[:, others])
        assert_equal((value, changed[:, others]), (expected, without))
        assert changed[0, 64] == pytest.approx(value[0])
