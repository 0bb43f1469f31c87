import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.learn.structure.kdb import order_by_relevance, strongest_before
from reference.dependence import fkdb_order, information_matrices, kdb_order, ranked_before

RNG = np.random.default_rng(0)


def random_table(seed, features=5, rows=80, missing=0.0, weights=None):
    rng = np.random.default_rng(seed)
    arities = [*rng.integers(1, 4, features), 2]
    names = [*(f"x{j}" for j in range(features)), "class"]
    variables = tuple(
        bl.data.Variable(name, tuple(range(arity)), None, "integer")
        for name, arity in zip(names, arities, strict=True)
    )
    base = rng.integers(0, 12, (rows, 1))
    codes = (base // rng.integers(1, 4, features + 1) + rng.integers(0, 2, (rows, features + 1))) % arities
    codes[:, :-1][rng.random((rows, features)) < missing] = -1
    return (
        bl.data.Table.from_codes(variables, codes, weights, features),
        codes.tolist(),
        list(map(int, arities)),
    )


def feature_parents(dag):
    return {child: {p for p in dag.parents(child) if p != "class"} for child in dag.nodes if child != "class"}


def by_name(ranked, k):
    return {f"x{i}": {f"x{j}" for j in parents[:k]} for i, parents in ranked.items()}


def symmetric(upper):
    matrix = np.zeros((len(upper) + 1, len(upper) + 1))
    for i, row in enumerate(upper):
        matrix[i, i + 1 :] = row
    return matrix + matrix.T


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 4), st.sampled_from([0.0, 0.15]), st.sampled_from([0.0, 1.0]))
def test_kdb_equals_the_slow_reference(seed, k, missing, smoothing):
    table, rows, arities = random_table(seed, missing=missing)
    relevance, dependence = information_matrices(rows, range(5), 5, arities, smoothing)
    expected = by_name(ranked_before(kdb_order(relevance), dependence), k)
    assert feature_parents(bl.KDB(k, smoothing=smoothing).learn(table, RNG)) == expected


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 4), st.sampled_from([0.0, 0.15]), st.sampled_from([0.0, 1.0]))
def test_fkdb_equals_the_slow_reference(seed, k, missing, smoothing):
    table, rows, arities = random_table(seed, missing=missing)
    relevance, dependence = information_matrices(rows, range(5), 5, arities, smoothing)
    expected = by_name(ranked_before(fkdb_order(relevance, dependence, k), dependence), k)
    assert feature_parents(bl.FKDB(k, smoothing=smoothing).learn(table, RNG)) == expected


def test_the_worked_example_of_wang_and_zhao():
    """Section 4, K = 2: I(X0;C) > I(X3;C) > I(X2;C) > I(X4;C) > I(X1;C) and the order X0, X3, X2, X4, X1.

    The published matrix of conditional mutual information is a picture; these values obey what the text says:
    each step's choice is the argmax that the text states.
    """
    relevance = np.array([0.50, 0.10, 0.30, 0.40, 0.20])
    dependence = symmetric([[0.10, 0.20, 0.30, 0.05], [0.02, 0.04, 0.06], [0.25, 0.15], [0.35]])
    assert (relevance + dependence[0])[1:].argmax() + 1 == 3
    step = relevance + dependence[0] + dependence[3]
    assert max((1, 2, 4), key=lambda i: step[i]) == 2
    order = bl.FKDB(k=2).order(relevance, dependence)
    assert order == [0, 3, 2, 4, 1]
    parents = [set(ranked[:2]) for ranked in strongest_before(order, dependence)]
    assert parents == [set(), {0, 4}, {3, 0}, {0}, {3, 2}]


def test_kdb_neglects_a_strong_dependence_that_fkdb_represents():
    """Section 4, figures 7 and 8: X1-X2 is weakest and kept by KDB, X1-X4 strong and neglected; FKDB keeps it."""
    dependence = symmetric([[0.01, 0.30, 0.40], [0.50, 0.45], [0.42]])
    strong = {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}

    def edges(order):
        ranked = strongest_before(order, dependence)
        return {tuple(sorted((i, j))) for i, parents in enumerate(ranked) for j in parents[:2]}

    kdb = edges(order_by_relevance(np.array([0.4, 0.3, 0.2, 0.1])))
    assert (0, 1) in kdb
    assert (0, 3) not in kdb
    fkdb = edges(bl.FKDB(k=2).order(np.full(4, 0.1), dependence))
    assert fkdb == strong


def test_equal_information_leaves_the_order_of_the_columns():
    assert bl.FKDB(k=2).order(np.zeros(4), np.zeros((4, 4))) == [0, 1, 2, 3]
    assert order_by_relevance(np.zeros(4)) == [0, 1, 2, 3]
    assert strongest_before([2, 0, 1], np.zeros((3, 3))) == [[2], [2, 0], []]


@pytest.mark.parametrize("learner", [bl.KDB, bl.FKDB])
def test_the_order_of_the_columns_does_not_matter(learner):
    table, _, _ = random_table(11, features=6, rows=300)
    permutation = np.random.default_rng(2).permutation(6)
    other = table.select([*permutation.tolist(), 6])
    assert feature_parents(learner(2).learn(table, RNG)) == feature_parents(learner(2).learn(other, RNG))


@pytest.mark.parametrize("learner", [bl.KDB, bl.FKDB])
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_weights_count_like_equal_rows(learner, smoothing):
    weights = np.random.default_rng(3).integers(1, 5, 80)
    weighted, _, _ = random_table(4, weights=weights.astype(np.float64))
    plain, _, _ = random_table(4)
    repeated = plain.take(np.repeat(np.arange(80), weights))
    dag = learner(2, smoothing=smoothing).learn(weighted, RNG)
    assert dag.arcs == learner(2, smoothing=smoothing).learn(repeated, RNG).arcs


@pytest.mark.parametrize("learner", [bl.KDB, bl.FKDB])
def test_limits_of_k(learner):
    table, _, _ = random_table(5)
    assert learner(0).learn(table, RNG).arcs == bl.NaiveBayes().learn(table, RNG).arcs
    for k in (10, 10**12):  # complete: every pair of features is joined, whatever the size of k
        assert len(learner(k).learn(table, RNG).arcs) == 5 + 10
    sizes = [len(parents) for parents in feature_parents(learner(2).learn(table, RNG)).values()]
    assert sorted(sizes) == [0, 1, 2, 2, 2]
    only, _, _ = random_table(5, features=1)
    assert learner(2).learn(only, RNG).arcs == (("class", "x0"),)


@pytest.mark.parametrize("learner", [bl.KDB, bl.FKDB])
def test_parameters_are_checked(learner):
    table, _, _ = random_table(5)
    with pytest.raises(
        ValueError, match=rf"'k' parameter of {learner.__name__} must be an int in the range \[0, "
    ):
        learner(-1).learn(table, RNG)
    with pytest.raises(TypeError, match="'k' parameter"):
        learner(1.5).learn(table, RNG)
    with pytest.raises(TypeError, match=r"'functional_dependencies' parameter of .* must be a bool"):
        learner(1, functional_dependencies=1).learn(table, RNG)
    with pytest.raises(ValueError, match="'min_count' parameter"):
        learner(1, min_count=0).learn(table, RNG)
    with pytest.raises(ValueError, match="'smoothing' parameter"):
        learner(1, smoothing=-0.5).learn(table, RNG)
    with pytest.raises(ValueError, match="needs a class"):
        learner().learn(bl.data.Table(table.variables, table.codes), RNG)


@pytest.mark.parametrize("learner", [bl.KDB, bl.FKDB])
def test_parents_of_single_rows_obey_the_constraints(learner):
    """Where one value implies another, a row has other parents: the next candidates, forbidden ones never."""
    rng = np.random.default_rng(0)
    town = rng.integers(0, 6, 900)
    X = np.stack(
        [town, town // 2, rng.integers(0, 3, 900), (town + rng.integers(0, 2, 900)) % 4], axis=1
    ).astype(str)
    names = [f"x{j}" for j in range(4)]
    y = (town + rng.integers(0, 2, 900)) % 3
    free = learner(k=1, functional_dependencies=True, min_count=10)
    ranked = bl.BayesNetClassifier(free).fit(np.char.add("v", X), y)._predictor.candidates
    child = max(range(4), key=lambda j: len(ranked[j]))
    assert len(ranked[child]) == 3
    barred, needed = ranked[child][0], ranked[child][2]
    bound = learner(
        k=1,
        functional_dependencies=True,
        min_count=10,
        forbidden=[(names[barred], names[child])],
        required=[(names[needed], names[child])],
    )
    model = bl.BayesNetClassifier(bound).fit(np.char.add("v", X), y)
    found = model._predictor.candidates
    assert barred not in found[child]
    assert found[child][0] == needed
    assert list(found[child][1:]) == [each for each in ranked[child] if each in found[child][1:]]
