"""Conditional-likelihood parameters: gradient, optimum, and the cases in which the optimum is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.parameters import ConditionalLikelihood, Laplace, MaximumLikelihood, Subsampled
from bayleaf.learn.parameters.conditional_likelihood import _halves
from bayleaf.learn.parameters.conditional_objective import Objective
from bayleaf.network import BayesNet


def make_table(codes, arities, target, weights=None, n_jobs=1):
    variables = tuple(Variable(f"v{j}", tuple(range(a))) for j, a in enumerate(arities))
    return Table.from_codes(variables, np.asarray(codes), weights, target, n_jobs)


def log_posterior(table, dag, tables):
    network = BayesNet(table.variables, dag, tables, table.names[table.target])
    log_joint = network.log_joint(table.codes, table.target)
    return log_joint - logsumexp(log_joint, axis=1, keepdims=True)


def cll(table, dag, tables):
    own = log_posterior(table, dag, tables)[np.arange(table.n_rows), table.codes[:, table.target]]
    return float(own.sum() if table.weights is None else own @ table.weights)


def random_problem(seed, rows=60, weights=False, classes=3):
    rng = np.random.default_rng(seed)
    arities = [3, 2, 4, 2, classes]
    codes = np.stack([rng.integers(0, a, rows) for a in arities], axis=1)
    codes[:, 0] = np.where(rng.random(rows) < 0.5, codes[:, -1] % 3, codes[:, 0])
    return make_table(codes, arities, 4, rng.random(rows) + 0.5 if weights else None)


GRAPHS = {
    "naive": [(4,), (4,), (4,), (4,), ()],
    "tree": [(4,), (0, 4), (0, 4), (2, 4), ()],
    "two parents": [(4,), (0, 4), (0, 1, 4), (1, 2, 4), ()],
    "class with parents": [(), (0,), (1, 4), (), (0, 1)],
    "class alone": [(), (0,), (0, 1), (), ()],
    "some without the class": [(), (0,), (1, 4), (0,), (3,)],
}


def graph(table, name):
    return DAG.from_parents(table.names, GRAPHS[name])


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("weights", [False, True])
def test_gradient_equals_finite_differences(name, weights):
    table = random_problem(1, weights=weights)
    dag = graph(table, name)
    objective = Objective.of(table, dag, Laplace().fit(table, dag))
    b = objective.start + 0.3 * np.random.default_rng(2).normal(size=len(objective.start))
    value, gradient = objective(b)
    assert value == pytest.approx(cll(table, dag, objective.tables(b)), abs=1e-9)
    step = 1e-5
    for k in range(len(b)):
        up, down = b.copy(), b.copy()
        up[k] += step
        down[k] -= step
        assert gradient[k] == pytest.approx((objective(up)[0] - objective(down)[0]) / (2 * step), abs=1e-6)


def test_gradient_with_missing_values_leaves_out_the_families_that_miss_one():
    rng = np.random.default_rng(3)
    table = random_problem(3)
    codes = table.codes.astype(np.int64)
    codes[rng.random(codes.shape) < 0.2] = -1
    codes[:, 4] = table.codes[:, 4]
    table = make_table(codes, [3, 2, 4, 2, 3], 4)
    dag = graph(table, "tree")
    objective = Objective.of(table, dag, Laplace().fit(table, dag))
    value, gradient = objective(objective.start)
    for k in range(len(gradient)):
        up, down = objective.start.copy(), objective.start.copy()
        up[k] += 1e-5
        down[k] -= 1e-5
        assert gradient[k] == pytest.approx((objective.value(up) - objective.value(down)) / 2e-5, abs=1e-6)
    assert value == pytest.approx(objective.value(objective.start))


@pytest.mark.parametrize("weights", [False, True])
def test_naive_bayes_becomes_multinomial_logistic_regression(weights):
    table = random_problem(4, rows=400, weights=weights)
    dag = graph(table, "naive")
    tables = ConditionalLikelihood(stopping="converged", max_iter=5000, tol=1e-9).fit(table, dag)
    one_hot = np.concatenate([np.eye(a)[table.codes[:, j]] for j, a in enumerate([3, 2, 4, 2])], axis=1)
    regression = LogisticRegression(C=np.inf, max_iter=10000, tol=1e-10)
    regression.fit(one_hot, table.codes[:, 4], sample_weight=table.weights)
    posterior = np.exp(log_posterior(table, dag, tables))
    assert posterior == pytest.approx(regression.predict_proba(one_hot), abs=2e-4)


@pytest.mark.parametrize("name", ["naive", "tree"])
def test_concave_cases_reach_one_optimum_from_any_start(name):
    table = random_problem(5, rows=3000)
    dag = graph(table, name)
    reached = []
    for seed in range(3):
        learner = ConditionalLikelihood(
            stopping="converged", max_iter=5000, tol=1e-9, start=_RandomStart(seed) if seed else None
        )
        reached.append(cll(table, dag, learner.fit(table, dag)))
    assert reached == pytest.approx([reached[0]] * 3, abs=1e-2)


class _RandomStart:
    def __init__(self, seed):
        self.seed = seed

    def fit(self, table, dag):
        rng = np.random.default_rng(self.seed)
        return tuple(
            rng.dirichlet(np.ones(t.shape[-1]), t.shape[:-1]) for t in MaximumLikelihood().fit(table, dag)
        )


@pytest.mark.parametrize("stopping", ["cross_tuning", "error_tuning", "penalty", "converged"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(GRAPHS)), max_iter=st.integers(0, 20))
def test_training_cll_never_falls_below_the_start(stopping, seed, name, max_iter):
    table = random_problem(seed, rows=25)
    dag = graph(table, name)
    tables = ConditionalLikelihood(max_iter=max_iter, stopping=stopping).fit(table, dag)
    assert cll(table, dag, tables) >= cll(table, dag, MaximumLikelihood().fit(table, dag)) - 1e-9
    for node, part in enumerate(tables):
        assert part.sum(axis=-1) == pytest.approx(1.0)
        if 4 not in (node, *GRAPHS[name][node]):
            assert part == pytest.approx(MaximumLikelihood().fit(table, dag)[node])


def test_a_strong_penalty_stays_at_the_start_and_a_weak_one_nears_the_optimum():
    table = random_problem(6, rows=200)
    dag = graph(table, "tree")
    values = [
        cll(table, dag, ConditionalLikelihood(stopping="penalty", l2=l2, max_iter=2000).fit(table, dag))
        for l2 in (1e9, 10.0, 1.0, 1e-3)
    ]
    start = cll(table, dag, MaximumLikelihood().fit(table, dag))
    best = cll(table, dag, ConditionalLikelihood(stopping="converged", max_iter=2000).fit(table, dag))
    assert values[0] == pytest.approx(start, abs=1e-3)
    assert values == sorted(values)
    assert values[-1] == pytest.approx(best, abs=0.5)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(7)
    codes = np.stack([rng.integers(0, a, 9000) for a in (3, 2, 4, 2, 3)], axis=1)
    results = []
    for n_jobs in (1, 2, 7):
        table = make_table(codes, [3, 2, 4, 2, 3], 4, n_jobs=n_jobs)
        dag = graph(table, "two parents")
        objective = Objective.of(table, dag, MaximumLikelihood().fit(table, dag))
        results.append(objective(objective.start))
    assert all(value == results[0][0] and np.array_equal(g, results[0][1]) for value, g in results)


def test_rows_of_weight_zero_are_no_rows_and_a_high_limit_costs_nothing():
    table = random_problem(3, rows=80)
    dag = graph(table, "tree")
    weights = np.random.default_rng(1).integers(0, 3, table.n_rows).astype(float)
    whole = replace(table, weights=weights)
    without = whole.take(np.flatnonzero(weights))
    for learner in (ConditionalLikelihood(max_iter=10**12), Subsampled(rows=30)):
        for one, other in zip(learner.fit(whole, dag), learner.fit(without, dag), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9)


def test_cross_tuning_stops_before_it_learns_noise():
    """Labels without any relation to the features: the best model is near the start, not at the optimum."""
    rng = np.random.default_rng(8)
    codes = np.stack([rng.integers(0, a, 60) for a in (4, 4, 4, 4, 2)], axis=1)
    table = make_table(codes, [4, 4, 4, 4, 2], 4)
    fresh = make_table(
        np.stack([rng.integers(0, a, 3000) for a in (4, 4, 4, 4, 2)], axis=1), [4, 4, 4, 4, 2], 4
    )
    dag = graph(table, "two parents")
    held_out = {
        stopping: cll(fresh, dag, ConditionalLikelihood(stopping=stopping).fit(table, dag))
        for stopping in ("cross_tuning", "converged")
    }
    assert held_out["cross_tuning"] > held_out["converged"]


@pytest.mark.parametrize("stopping", ["cross_tuning", "error_tuning", "penalty", "converged"])
def test_a_single_row_and_a_single_class_give_a_network(stopping):
    table = make_table([[0, 1, 2, 1, 0]], [3, 2, 4, 2, 3], 4)
    tables = ConditionalLikelihood(stopping=stopping).fit(table, graph(table, "tree"))
    assert all(np.isfinite(part).all() for part in tables)
    single = make_table([[0, 0], [1, 0]], [2, 1], 1)
    tables = ConditionalLikelihood(stopping=stopping).fit(single, DAG(single.names, [("v1", "v0")]))
    assert tables[1].tolist() == [1.0]


@pytest.mark.parametrize("states", [2, 300], ids=["uint8", "uint16"])
@pytest.mark.parametrize("stopping", ["cross_tuning", "error_tuning", "penalty", "converged"])
def test_a_missing_class_is_refused(stopping, states):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (3000, 3))
    codes[5::7, 2] = -1
    table = make_table(codes, [states, 2, 2], 2)
    assert table.codes.dtype == (np.uint8 if states == 2 else np.uint16)
    with pytest.raises(ValueError, match="ConditionalLikelihood needs the class of every row"):
        ConditionalLikelihood(stopping=stopping).fit(table, DAG.from_parents(table.names, [(2,), (2,), ()]))


@pytest.mark.parametrize("states", [2, 300], ids=["uint8", "uint16"])
def test_the_kernel_refuses_classes_out_of_range(states):
    codes = np.random.default_rng(0).integers(0, 2, (300, 3))
    dag = DAG.from_parents(["v0", "v1", "v2"], [(2,), (2,), ()])
    whole = make_table(codes, [states, 2, 2], 2)
    objective = Objective.of(whole, dag, MaximumLikelihood().fit(whole, dag))
    assert np.isfinite(objective.value(objective.start))
    codes[7, 2] = -1
    factors = objective.factors._replace(codes=make_table(codes, [states, 2, 2], 2).codes)
    broken = replace(objective, factors=factors)
    for ask in (broken, broken.value):
        with pytest.raises(ValueError, match="a code is missing or out of range"):
            ask(objective.start)


@pytest.mark.parametrize("name", ["naive"])
def test_both_optimisers_reach_one_optimum(name):
    table = random_problem(4)
    dag = graph(table, name)
    reached = [
        cll(table, dag, ConditionalLikelihood(2000, "converged", tol=1e-7, optimizer=each).fit(table, dag))
        for each in ("l-bfgs", "conjugate-gradient")
    ]
    assert reached[0] == pytest.approx(reached[1], abs=1e-3)


def test_conjugate_gradients_follow_polak_and_ribiere():
    """The second direction is -g1 + max(0, g1 (g1 - g0) / g0 g0) times the first; each step goes along its own."""
    table = random_problem(5)
    dag = graph(table, "tree")
    learner = ConditionalLikelihood(2, "converged", optimizer="conjugate-gradient")
    objective = Objective.of(table, dag, learner.beginning(table, dag))
    path = [objective.start]
    learner._maximise(objective, 2, lambda b: path.append(b.copy()))
    g0, g1 = (-objective(b)[1] / objective.rows for b in path[:2])
    first, second = -g0, -g1 + max(0.0, float(g1 @ (g1 - g0)) / float(g0 @ g0)) * -g0
    for step, direction in zip(np.diff(path, axis=0), (first, second), strict=True):
        cosine = step @ direction / np.linalg.norm(step) / np.linalg.norm(direction)
        assert cosine == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("weights", [False, True])
def test_error_tuning_takes_the_fewest_iterations_of_the_fewest_held_out_errors(weights):
    table = random_problem(6, rows=80, weights=weights)
    dag = graph(table, "tree")
    learner = ConditionalLikelihood(12, "error_tuning", optimizer="conjugate-gradient")
    halves = _halves(table)
    wrong = np.zeros(13)
    for training, validation in (halves, halves[::-1]):
        part, held_out = table.take(training), table.take(validation)
        own = held_out.codes[:, table.target]
        importance = np.ones(len(own)) if held_out.weights is None else held_out.weights
        for iterations in range(13):
            fixed = ConditionalLikelihood(iterations, "converged", optimizer="conjugate-gradient")
            posterior = log_posterior(held_out, dag, fixed.fit(part, dag))
            wrong[iterations] += importance[posterior.argmax(axis=1) != own].sum()
    chosen = int(np.flatnonzero(wrong <= wrong.min() + 1e-9)[0])
    fixed = ConditionalLikelihood(chosen, "converged", optimizer="conjugate-gradient")
    for found, expected in zip(learner.fit(table, dag), fixed.fit(table, dag), strict=True):
        np.testing.assert_allclose(found, expected)


def test_bad_input_gets_a_sentence():
    table = random_problem(9)
    dag = graph(table, "naive")
    with pytest.raises(ValueError, match="'stopping' parameter of ConditionalLikelihood must be a str among"):
        ConditionalLikelihood(stopping="early").fit(table, dag)
    with pytest.raises(
        ValueError, match="'optimizer' parameter of ConditionalLikelihood must be a str among"
    ):
        ConditionalLikelihood(optimizer="newton").fit(table, dag)
    with pytest.raises(ValueError, match="'max_iter' parameter"):
        ConditionalLikelihood(max_iter=-1).fit(table, dag)
    with pytest.raises(
        TypeError, match="'start' parameter of ConditionalLikelihood must be a parameter learner"
    ):
        ConditionalLikelihood(start="x").fit(table, dag)
    with pytest.raises(TypeError, match=r"must be a parameter learner, .* Got <class .*MaximumLikelihood"):
        ConditionalLikelihood(start=MaximumLikelihood).fit(table, dag)
    with pytest.raises(ValueError, match=r"'l2' parameter of ConditionalLikelihood must be .* Got inf"):
        ConditionalLikelihood(stopping="penalty", l2=np.inf).fit(table, dag)
    with pytest.raises(ValueError, match="has zeros"):
        ConditionalLikelihood(start=MaximumLikelihood(epsilon=0.0)).fit(random_problem(9, rows=3), dag)
    with pytest.raises(ValueError, match="needs a class"):
        ConditionalLikelihood().fit(make_table([[0]], [2], None), DAG(["v0"]))
