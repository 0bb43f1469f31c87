from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.parameters.shrinkage import STRENGTHS, _left_out, parent_order, shrunk_levels
from reference import shrinkage as slow

GRID = (1.0, 4.0, 32.0)


@st.composite
def families(draw):
    """Rows of some parents and a node, with few states each."""
    arities = [*draw(st.lists(st.integers(2, 3), max_size=3)), draw(st.integers(1, 3))]
    row = st.tuples(*(st.integers(0, arity - 1) for arity in arities))
    return arities, draw(st.lists(row, min_size=1, max_size=14))


def counted(rows, arities):
    counts = np.zeros(arities, dtype=np.int64)
    for row in rows:
        counts[row] += 1
    return counts


@given(families())
def test_tables_and_strengths_are_those_of_rows_really_left_out(family):
    arities, rows = family
    strengths = slow.best_strengths(rows, GRID, arities[-1])
    table = shrunk_levels(counted(rows, arities), GRID)[-1]
    for cell in product(*map(range, arities)):
        expected = slow.estimate(rows, cell, strengths, arities[-1])
        assert table[cell] == pytest.approx(expected, rel=1e-12)


@given(families())
def test_every_distribution_sums_to_one(family):
    arities, rows = family
    np.testing.assert_allclose(
        shrunk_levels(counted(rows, arities), STRENGTHS)[-1].sum(axis=-1), 1.0, rtol=1e-12
    )


def test_a_configuration_without_rows_keeps_the_level_below():
    counts = np.array([[[4, 2], [0, 0]], [[1, 5], [2, 2]]])
    table = shrunk_levels(counts, GRID)[-1]
    np.testing.assert_allclose(table[0, 1], shrunk_levels(counts.sum(axis=1), GRID)[-1][0], rtol=1e-12)


def test_a_parent_with_one_state_tells_nothing():
    counts = np.array([[4, 2], [1, 5]])
    np.testing.assert_array_equal(
        shrunk_levels(counts[:, None, :], GRID)[-1][:, 0], shrunk_levels(counts, GRID)[-1]
    )
    np.testing.assert_array_equal(
        shrunk_levels(counts[None, :, :], GRID)[-1][0], shrunk_levels(counts, GRID)[-1]
    )


def random_table(seed, rows=80, weights=None):
    rng = np.random.default_rng(seed)
    variables = tuple(Variable(name, tuple("abc")) for name in ("x", "y", "z", "class"))
    base = rng.integers(0, 3, (rows, 1))
    codes = (base + (rng.random((rows, 4)) < 0.4) * rng.integers(0, 3, (rows, 4))) % 3
    return variables, codes


def test_weights_are_copies_of_rows():
    variables, codes = random_table(0)
    times = np.random.default_rng(1).integers(0, 4, len(codes))
    dag = bl.KDB(k=2).learn(Table.from_codes(variables, codes, target=3), np.random.default_rng(0))
    weighted = Table.from_codes(variables, codes, weights=times.astype(float), target=3)
    repeated = Table.from_codes(variables, np.repeat(codes, times, axis=0), target=3)
    for one, other in zip(bl.Shrinkage().fit(weighted, dag), bl.Shrinkage().fit(repeated, dag), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_rows_and_columns_in_another_order_change_nothing():
    variables, codes = random_table(2)
    arcs = [("class", "x"), ("class", "y"), ("x", "y"), ("class", "z"), ("x", "z"), ("y", "z")]
    dag = bl.DAG([variable.name for variable in variables], arcs)
    tables = bl.Shrinkage().fit(Table.from_codes(variables, codes, target=3), dag)
    order = [2, 3, 0, 1]
    moved = Table.from_codes(tuple(variables[j] for j in order), codes[::-1][:, order], target=1)
    other = bl.BayesNet(
        moved.variables,
        bl.DAG(moved.names, arcs),
        bl.Shrinkage().fit(moved, bl.DAG(moved.names, arcs)),
        "class",
    )
    one = bl.BayesNet(variables, dag, tables, "class")
    for state in product("abc", repeat=3):
        evidence = dict(zip(("x", "y", "z"), state, strict=True))
        left, right = one.posterior("class", evidence), other.posterior("class", evidence)
        assert left == pytest.approx(right, rel=1e-12)


def test_the_class_comes_first_and_then_what_tells_most():
    rng = np.random.default_rng(0)
    counts = np.zeros((2, 2, 2, 2))
    for _ in range(2000):
        c, w, s = rng.integers(0, 2, 3)
        x = s if rng.random() < 0.9 else 1 - s
        x = x if rng.random() < 0.95 else w
        counts[w, s, c, x] += 1
    assert parent_order(counts, [False, False, True]) == [2, 1, 0]


@pytest.mark.parametrize("learner", [bl.NaiveBayes(), bl.TAN(), bl.KDB(k=2), bl.HillClimbing()], ids=repr)
def test_every_structure_learner_takes_it(learner):
    X, y = load_iris(return_X_y=True)
    model = bl.BayesNetClassifier(learner, bl.Shrinkage()).fit(X, y)
    assert model.score(X, y) > 0.9


def test_columns_of_many_states_do_not_overwhelm():
    """The reason for the learner: with a Dirichlet prior of one row, sparse tables are far too sure of themselves."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    split = rng.permutation(len(y))
    train, test = split[:90], split[90:]

    def loss(parameters):
        model = bl.BayesNetClassifier(bl.KDB(k=2), parameters, bl.Quantiles(8)).fit(X[train], y[train])
        return -np.log(model.predict_proba(X[test])[np.arange(len(test)), y[test]].clip(1e-15)).mean()

    assert loss(bl.Shrinkage()) < loss(bl.Dirichlet())


def test_bad_strengths():
    table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [1]])
    with pytest.raises(
        ValueError, match=r"The 'strengths' parameter of Shrinkage must be a float in the range \(0"
    ):
        bl.Shrinkage([1.0, -2.0]).fit(table, bl.DAG(["x"]))
    with pytest.raises(TypeError, match="must be a list of numbers"):
        bl.Shrinkage(3.0).fit(table, bl.DAG(["x"]))


def test_a_model_file_holds_it(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage()).fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert isinstance(loaded.parameters, bl.Shrinkage)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 1.0, 1.5, 7.0]), min_size=3, max_size=3), min_size=1, max_size=4
    ),
    st.sampled_from([0.5, 3.0]),
)
def test_a_row_of_a_small_weight_is_left_out_as_a_whole(cells, strength):
    """A row has the weight one, or all that its cell has if that is less; a cell without rows has nothing to say."""
    below = np.array([0.5, 0.3, 0.2])
    found = _left_out(np.array(cells), strength * below, strength)
    for row, estimates in zip(cells, found.tolist(), strict=True):
        for k, (count, estimate) in enumerate(zip(row, estimates, strict=True)):
            without = [each - min(count, 1.0) * (j == k) for j, each in enumerate(row)]
            expected = (without[k] + strength * below[k]) / (sum(without) + strength) if count else 1.0
            assert estimate == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_parents_are_ordered_by_what_they_tell_about_the_node(seed):
    """Given the class, which comes first: sum of n log (n(p, x, c) n(c) / (n(p, c) n(x, c))) over all cells."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.3, 6.0, (2, 3, 2, 4, 3))).astype(float)
    counts[:, 1, 0] = 0
    told = []
    for axis in (1, 2, 3):
        others = tuple({1, 2, 3} - {axis})
        joint = counts.sum(axis=others)  # class, parent, node
        total = 0.0
        for c, p, x in np.argwhere(joint):
            n = joint[c, p, x]
            total += n * np.log(n * joint[c].sum() / (joint[c, p].sum() * joint[c, :, x].sum()))
        told.append(total)
    first, *rest = parent_order(counts, [True, False, False, False])
    assert first == 0
    assert rest[0] == 1 + int(np.argmax(told))
    assert sorted(rest) == [1, 2, 3]
