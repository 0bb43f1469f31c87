"""Exact search against enumeration and against dynamic programming without shortcuts."""

import os
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.scores import AIC, BIC, K2, MDL, BDeu, LogLikelihood
from bayleaf.learn.structure import Exact
from reference.scored_networks import (
    all_augmented,
    best_by_arrays,
    best_by_enumeration,
    best_by_subsets,
    graph_gain,
    random_table,
    slow_aic,
    slow_bdeu,
    slow_bic,
    slow_k2,
    slow_log_likelihood,
)

SCORES = [
    pytest.param(BDeu(1.0), slow_bdeu(1.0), id="BDeu1"),
    pytest.param(BDeu(7.5), slow_bdeu(7.5), id="BDeu7.5"),
    pytest.param(BIC(), slow_bic, id="BIC"),
    pytest.param(MDL(), slow_bic, id="MDL"),
    pytest.param(AIC(), slow_aic, id="AIC"),
    pytest.param(K2(), slow_k2, id="K2"),
    pytest.param(LogLikelihood(), slow_log_likelihood, id="LL"),
]
RNG = np.random.default_rng(0)


def learn(table, **settings):
    return Exact(**settings).learn(table, np.random.default_rng(0))


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(("score", "slow"), SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_equals_enumeration_of_all_graphs(score, slow, seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 4 + seed % 2, int(rng.integers(20, 200)))
    dag = learn(table, score=score)
    assert graph_gain(table, dag.parent_indices, slow) == close(best_by_enumeration(table, slow))


@pytest.mark.parametrize(("score", "slow"), SCORES)
def test_equals_enumeration_of_all_augmented_graphs(score, slow):
    table = random_table(np.random.default_rng(5), 5, 150, target=4)
    dag = learn(table, score=score, augmented=True)
    assert dag.parents("v4") == ()
    assert all("v4" in dag.parents(f"v{j}") for j in range(4))
    family = cache(lambda node, parents: slow(table, node, parents))
    best = max(sum(map(family, range(5), parents)) for parents in all_augmented(4))
    assert graph_gain(table, dag.parent_indices, slow) == close(best)


def test_equals_enumeration_of_augmented_graphs_over_five_features():
    table = random_table(np.random.default_rng(6), 6, 120, most_states=2, target=5)
    gain = {
        (node, mask): BDeu().family(table, node, (*[j for j in range(5) if mask >> j & 1], 5))
        for node in range(5)
        for mask in range(32)
        if not mask >> node & 1
    }
    best = max(
        sum(gain[node, sum(1 << j for j in parents[:-1])] for node, parents in enumerate(dag[:-1]))
        for dag in all_augmented(5)
    )
    dag = learn(table, augmented=True)
    found = sum(BDeu().families(table, list(enumerate(dag.parent_indices))[:-1]))
    assert found == close(best)


@pytest.mark.parametrize(("score", "slow"), SCORES)
@pytest.mark.parametrize("kind", ["integer", "real"])
def test_weights(score, slow, kind):
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 4, 60).astype(float) if kind == "integer" else rng.random(60) * 3
    table = random_table(rng, 4, 60, weights=weights)
    dag = learn(table, score=score)
    assert graph_gain(table, dag.parent_indices, slow) == close(best_by_enumeration(table, slow))


def test_integer_weights_equal_repeated_rows():
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 4, 300)
    table = random_table(rng, 9, 300, weights=weights.astype(float))
    repeated = Table(table.variables, np.asfortranarray(np.repeat(table.codes, weights, axis=0)))
    assert learn(table) == learn(repeated)


@pytest.mark.parametrize(("score", "slow"), SCORES)
def test_limits_equal_filtered_enumeration(score, slow):
    table = random_table(np.random.default_rng(8), 5, 100)
    required, forbidden = [("v0", "v3"), ("v2", "v3")], [("v1", "v0"), ("v4", "v2"), ("v0", "v1")]
    dag = learn(table, score=score, max_parents=2, required=required, forbidden=forbidden)
    assert set(required) <= set(dag.arcs)
    assert not set(forbidden) & set(dag.arcs)

    def allowed(parents):
        return (
            {0, 2} <= set(parents[3])
            and 1 not in parents[0]
            and 4 not in parents[2]
            and 0 not in parents[1]
            and max(map(len, parents)) <= 2
        )

    assert graph_gain(table, dag.parent_indices, slow) == close(best_by_enumeration(table, slow, allowed))


@pytest.mark.filterwarnings("ignore:Exact search leaves out")
@pytest.mark.parametrize("seed", range(60))
def test_any_limits_on_any_rows_equal_filtered_enumeration(seed):
    # Constant variables (the class too), few rows, missing values, weights of all kinds, limits that may exclude
    # every graph, and whichever score.
    rng = np.random.default_rng(seed)
    n, target, augmented = 4, int(rng.integers(4)), bool(rng.integers(2))
    table = awkward_table(rng, n, target)
    score, slow = SCORES[seed % len(SCORES)].values
    arcs = [(parent, child) for parent in range(n) for child in range(n) if parent != child]
    required, forbidden = ([arc for arc in arcs if rng.random() < share] for share in (0.05, 0.15))
    most = None if rng.random() < 0.5 else int(rng.integers(4))

    def allowed(parents):
        naive = all((target in parents[j]) != (j == target) for j in range(n)) and not parents[target]
        return (
            (naive or not augmented)
            and all(parent in parents[child] for parent, child in required)
            and not any(parent in parents[child] for parent, child in forbidden)
            and (most is None or max(map(len, parents)) <= most)
        )

    takes_part = table.arities > 1
    takes_part[[j for arc in required for j in arc]] = True
    takes_part[target] |= augmented
    rows = (table.codes[:, takes_part] != 255).all(axis=1)
    codes = table.codes[rows]
    codes[:, ~takes_part] = 0  # what is missing in a constant column is known
    seen = replace(table.take(rows), codes=np.asfortranarray(codes))
    best = best_by_enumeration(seen, slow, allowed)
    names = [[(f"v{i}", f"v{j}") for i, j in some] for some in (required, forbidden)]
    settings = {"required": names[0], "forbidden": names[1], "max_parents": most, "augmented": augmented}
    if best == -np.inf or not rows.any():
        with pytest.raises(ValueError, match=r"No graph|rows without missing values"):
            learn(table, score=score, **settings)
        return
    dag = learn(table, score=score, **settings)
    assert allowed(dag.parent_indices)
    assert graph_gain(seen, dag.parent_indices, slow) == close(best)


def awkward_table(rng, n, target):
    arities, rows = rng.integers(1, 4, n), int(rng.integers(2, 50))
    codes = np.stack([rng.integers(0, arity, rows) for arity in arities], axis=1)
    codes[:, 1] = np.where(rng.random(rows) < 0.8, codes[:, 0] % arities[1], codes[:, 1])
    if rng.random() < 0.4:
        codes[rng.random(codes.shape) < 0.05] = 255
    weights = [
        None,
        rng.integers(0, 3, rows) + (np.arange(rows) < 2),
        rng.random(rows) * 2 + 0.5,
        rng.integers(1, 2000, rows),
    ][rng.integers(4)]
    variables = tuple(Variable(f"v{j}", tuple(range(a)), None, "integer") for j, a in enumerate(arities))
    return Table(
        variables,
        np.asfortranarray(codes.astype(np.uint8)),
        None if weights is None else weights.astype(float),
        target,
    )


def test_augmented_limits_count_the_class():
    table = random_table(np.random.default_rng(9), 6, 400, target=5)
    dag = learn(table, score=LogLikelihood(), augmented=True, max_parents=2, required=[("v1", "v0")])
    assert max(map(len, dag.parent_indices)) == 2
    assert dag.parents("v0") == ("v1", "v5")
    assert learn(table, augmented=True, max_parents=1).arcs == tuple((("v5", f"v{j}")) for j in range(5))


@pytest.mark.parametrize(("score", "slow"), SCORES[:6])
def test_equals_plain_dynamic_programming(score, slow):
    table = random_table(np.random.default_rng(10), 9, 250, most_states=4)
    dag = learn(table, score=score)
    gains = {}

    def gain(table, node, parents):
        return gains[node, tuple(parents)]

    families = [
        (node, tuple(j for j in range(9) if mask >> j & 1))
        for node in range(9)
        for mask in range(512)
        if not mask >> node & 1
    ]
    gains.update(zip(families, score.families(table, families), strict=True))
    assert graph_gain(table, dag.parent_indices, gain) == close(best_by_subsets(table, gain))


@pytest.mark.parametrize("seed", range(2))
def test_equals_plain_dynamic_programming_on_eleven_variables(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 11, [60, 3000][seed], most_states=[3, 2][seed])
    families = [
        (node, tuple(j for j in range(11) if mask >> j & 1))
        for node in range(11)
        for mask in range(2048)
        if not mask >> node & 1
    ]
    gains = dict(zip(families, BDeu().families(table, families).tolist(), strict=True))
    best = best_by_subsets(table, lambda _, node, parents: gains[node, tuple(parents)])
    dag = learn(table)
    assert sum(gains[family] for family in enumerate(dag.parent_indices)) == close(best)


def data_folder():
    return Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[4] / "shared" / "data"))


@pytest.mark.skipif(not data_folder().exists(), reason="no data folder (set BAYLEAF_DATA)")
@pytest.mark.parametrize("name", ["tic-tac-toe", "magic"])
def test_real_data_against_plain_dynamic_programming(name):
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz", keep_default_na=False, na_values=[""])
    clf = bl.BayesNetClassifier(Exact(), discretizer=bl.MedianSplit()).fit(
        frame.iloc[:, :-1], frame.iloc[:, -1]
    )
    table = clf.learn_table(frame.iloc[:, :-1], frame.iloc[:, -1], None)
    n = table.n_variables
    families = [
        (node, tuple(j for j in range(n) if mask >> j & 1))
        for node in range(n)
        for mask in range(1 << n)
        if not mask >> node & 1
    ]
    gains = dict(zip(families, BDeu().families(table, families).tolist(), strict=True))
    best = best_by_subsets(table, lambda _, node, parents: gains[node, tuple(parents)])
    assert BDeu().score(table, clf.network_.dag) == close(best)


def test_single_precision_finds_a_graph_of_the_same_score():
    table = replace(random_table(np.random.default_rng(11), 15, 1000), n_jobs=1)
    double = learn(table)
    needed = 8 * 2**15 + 8 * (2**15 + 15 * 2**14)
    single = learn(table, memory_limit=float(needed * 0.7))
    assert BDeu().score(table, single) == pytest.approx(BDeu().score(table, double), rel=1e-6)


def test_threads_do_not_change_the_graph():
    table = random_table(np.random.default_rng(12), 17, 500)
    graphs = {learn(Table(table.variables, table.codes, n_jobs=jobs)) for jobs in (1, 2, 3)}
    assert len(graphs) == 1


@pytest.mark.parametrize(("score", "augmented"), [(BIC(), False), (BDeu(), True)])
def test_more_than_16_variables(score, augmented):
    # The first levels of the recursion are not stored from here on.
    n = 17 + augmented
    table = random_table(np.random.default_rng(13), n, 300, target=n - 1)
    dag = learn(table, score=score, max_parents=3, augmented=augmented)
    features = n - augmented
    given = (n - 1,) * augmented
    families = [
        (node, (*parents, *given))
        for node in range(features)
        for size in range(4 - augmented)
        for parents in combinations([j for j in range(features) if j != node], size)
    ]
    values = dict(zip(families, score.families(table, families).tolist(), strict=True))
    found = sum(values[family] for family in enumerate(dag.parent_indices) if family[0] < features)
    assert found == close(best_by_arrays(features, values))


def test_wide_codes_and_large_arities():
    rng = np.random.default_rng(14)
    variables = (
        Variable("many", tuple(range(60000)), None, "integer"),
        Variable("x", (0, 1), None, "integer"),
        Variable("y", (0, 1), None, "integer"),
    )
    x = rng.integers(0, 2, 400)
    table = Table.from_codes(variables, np.stack([rng.integers(0, 60000, 400), x, x], axis=1))
    assert table.codes.dtype == np.uint16
    dag = learn(table)
    best = best_by_enumeration(table, slow_bdeu(1.0))
    assert graph_gain(table, dag.parent_indices, slow_bdeu(1.0)) == close(best)


def test_constant_feature_and_one_row():
    constant = Variable("k", ("only",))
    x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    table = Table.from_codes((constant, x, c), [[0, 0, 0], [0, 1, 1]] * 20, target=2)
    assert learn(table).parents("k") == ()
    assert learn(table).arcs in ((("x", "c"),), (("c", "x"),))
    assert learn(table, augmented=True).arcs == (("c", "k"), ("c", "x"))
    one = Table.from_codes((x, c), [[0, 1]], target=1)
    assert learn(one).arcs == ()


def test_declared_states_count_even_if_unseen():
    wide = Variable("x", tuple("abcdefgh"))
    c = Variable("c", ("no", "yes"))
    rows = [[0, 0], [1, 1], [0, 1], [1, 0], [0, 0], [1, 1]]
    table = Table.from_codes((wide, c), rows)
    for score, slow in ((BDeu(), slow_bdeu(1.0)), (BIC(), slow_bic)):
        dag = learn(table, score=score)
        assert graph_gain(table, dag.parent_indices, slow) == close(best_by_enumeration(table, slow))


def test_rows_with_missing_values_are_left_out():
    table = random_table(np.random.default_rng(15), 4, 80)
    holes = table.codes.copy(order="F")
    holes[:10, 0] = 255
    partly = Table(table.variables, holes)
    with pytest.warns(UserWarning, match=r"leaves out 10 of 80 rows.*missing='impute' keeps all of them\.$"):
        found = learn(partly)
    assert found == learn(table.take(np.arange(10, 80)))
    holes[:, 1] = 255
    with pytest.raises(ValueError, match="rows without missing values: each of the 80 rows has one"):
        learn(Table(table.variables, holes))


def test_values_missing_in_constant_columns_cost_no_rows():
    table = random_table(np.random.default_rng(15), 4, 80, target=3)
    empty = np.full((80, 1), 255, dtype=np.uint8)
    wider = Table(
        (Variable("empty", ("only",)), *table.variables),
        np.asfortranarray(np.hstack([empty, table.codes])),
        None,
        4,
    )
    for augmented in (False, True):
        found = Exact(augmented=augmented).search(wider, np.random.default_rng(0))
        alone = Exact(augmented=augmented).search(table, np.random.default_rng(0))
        constant = {("v3", "empty")} if augmented else set()
        assert set(found.dag.arcs) == set(alone.dag.arcs) | constant
        assert found.trace.score == close(alone.trace.score)


def test_equal_scores_give_the_smaller_parent_set():
    # b copies a, and both determine c: one parent is enough, and the first one is taken.
    a = np.tile([0, 1], 50)
    variables = tuple(Variable(name, (0, 1), None, "integer") for name in "abc")
    table = Table.from_codes(variables, np.stack([a, a, a], axis=1))
    dag = learn(table, score=LogLikelihood())
    assert sum(map(len, dag.parent_indices)) == 2
