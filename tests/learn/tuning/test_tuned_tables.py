import numpy as np
import pytest

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.data.table import stratified_folds
from bayleaf.learn.tuning import TunedTables, held_out_loss, log_softmax
from bayleaf.learn.tuning.held_out import class_codes, log_prior, order_of_content
from bayleaf.learn.tuning.tuned_tables import TunedFamilies, TuningProblem


def random_table(seed, rows=150, features=4, classes=2, gaps=0.0, states=3, weights=None, n_jobs=None):
    """Features that depend on each other, and a class that depends on two of them together."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, states, (rows, features + 1))
    for j in range(2, features):
        same = rng.random(rows) < 0.6
        codes[same, j] = codes[same, j - 2]
    target = (codes[:, 0] + codes[:, 1]) % classes if features > 1 else codes[:, 0] % classes
    noise = rng.random(rows) < 0.2
    codes[:, features] = np.where(noise, rng.integers(0, classes, rows), target)
    codes[:, :features][rng.random((rows, features)) < gaps] = -1
    variables = [Variable(f"x{j}", tuple(map(str, range(states)))) for j in range(features)]
    variables.append(Variable("class", tuple(map(str, range(classes)))))
    return Table.from_codes(tuple(variables), codes, weights=weights, target=features, n_jobs=n_jobs)


def balance_table(seed, rows=300):
    """Which side of a balance is heavier: no tree of dependences between features says it."""
    codes = np.random.default_rng(seed).integers(0, 4, (rows, 4))
    left, right = (codes[:, 0] + 1) * (codes[:, 1] + 1), (codes[:, 2] + 1) * (codes[:, 3] + 1)
    variables = [Variable(f"x{j}", tuple("1234")) for j in range(4)]
    variables.append(Variable("class", ("left", "even", "right")))
    return Table.from_codes(tuple(variables), np.column_stack([codes, 1 + np.sign(right - left)]), target=4)


def learner(structure):
    return lambda table: structure.learn(table, np.random.default_rng(0))


def tuned_by_hand(table, dag, tuning, rows, learn=None):
    """Class probabilities of rows as the recipe says: weighed scores of every level, and corrections, added up."""
    table = table.take(order_of_content(table))
    folds = stratified_folds(class_codes(table), tuning.folds, tuning.seed + 1)
    problem = TuningProblem.of(table, dag, learn or learner(bl.TAN()), folds)
    everything = np.arange(table.n_rows)
    recipe = problem.choose(everything, stratified_folds(problem.target, 3, tuning.seed), tuning.max_iter)
    correction = problem.corrected(recipe, tuning.max_iter)
    weights, families = recipe.weights, problem.families
    tables = families.log_tables(table)
    scores = np.tile(
        weights.bias + weights.levels[0] * weights.features[0] * log_prior(table), (rows.n_rows, 1)
    )
    for level in range(families.depth + 1):
        cells = families.cells(rows, level)
        for number, family in enumerate(families.families):
            scores += weights.levels[1 + level] * weights.features[1 + family[0]] * tables[cells[number]]
    scores = correction.scale * scores + correction.bias
    start = 0
    for level, _ in recipe.phases:
        chosen = problem.levels[level].chosen.tolist()
        number_of = {cell: start + number for number, cell in enumerate(chosen)}
        for cells in families.cells(rows, level):
            for row, cell in enumerate(cells.tolist()):
                if cell in number_of:
                    scores[row] += correction.cells[number_of[cell]]
        start += len(chosen)
    return np.exp(log_softmax(scores)), recipe


@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN(), bl.FAN(), bl.KDB(k=1)], ids=repr)
def test_the_network_gives_the_tuned_probabilities(structure):
    table = balance_table(0)
    dag = learner(structure)(table)
    expected, recipe = tuned_by_hand(table, dag, TunedTables(), table)
    assert recipe.phases  # something was corrected
    tuned = TunedTables().tune(table, dag, learner(bl.TAN()))
    found = posteriors(table, dag, tuned.tables)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def posteriors(table, dag, tables):
    network = bl.BayesNet(table.variables, dag, tables, "class")
    return np.exp(log_softmax(network.log_joint(table, table.target)))


def test_connected_parents_of_two_features_are_tuned_too():
    table = balance_table(1)
    names = [*table.names]
    arcs = [("class", name) for name in names[:-1]] + [("x0", "x1"), ("x0", "x2"), ("x1", "x2")]
    dag = bl.DAG(names, arcs)
    tuned = TunedTables().tune(table, dag)
    expected, recipe = tuned_by_hand(table, dag, TunedTables(), table, lambda _: dag)
    assert recipe.phases
    np.testing.assert_allclose(posteriors(table, dag, tuned.tables), expected, rtol=1e-12, atol=1e-14)


def test_tuning_lowers_the_loss_of_new_rows():
    table, new = balance_table(2, rows=400), balance_table(3, rows=2000)
    dag = learner(bl.TAN())(table)
    tuned = TunedTables().tune(table, dag, learner(bl.TAN()))
    losses = [
        held_out_loss(np.log(posteriors(new, dag, tables)), class_codes(new))
        for tables in (tuned.tables, bl.Shrinkage().fit(table, dag), bl.Dirichlet().fit(table, dag))
    ]
    assert losses[0] < min(losses[1:])
    said = held_out_loss(tuned.held_out, class_codes(table)[tuned.rows])
    assert said == pytest.approx(losses[0], abs=0.08)


def test_gaps_are_summed_out_of_the_tuned_network():
    table = random_table(4, rows=200, gaps=0.2)
    dag = learner(bl.TAN())(table)
    tables = TunedTables().fit(table, dag)
    found = posteriors(table, dag, tables)
    complete = table.complete_rows()
    assert 0 < complete.sum() < table.n_rows
    arcs = bl.BayesNet(table.variables, dag, tables, "class")
    row = int(np.flatnonzero(~complete)[0])
    known = {
        table.names[j]: table.variables[j].states[table.codes[row, j]]
        for j in table.features
        if table.codes[row, j] != table.missing_code
    }
    np.testing.assert_allclose(found[row], list(arcs.posterior("class", known).values()), rtol=1e-12)


def test_weights_are_copies_of_rows_where_folds_are_given():
    table, rng = random_table(5, rows=80), np.random.default_rng(0)
    times = rng.integers(1, 4, table.n_rows)
    rows = np.repeat(np.arange(table.n_rows), times)
    weighted = Table(table.variables, table.codes.copy(order="F"), times.astype(float), table.target)
    repeated = table.take(rows)
    dag = learner(bl.TAN())(repeated)
    folds = stratified_folds(class_codes(table), 5, 1)
    parts = stratified_folds(class_codes(table), 3)
    found = []
    for data, which in ((weighted, np.arange(table.n_rows)), (repeated, rows)):
        problem = TuningProblem.of(data, dag, learner(bl.TAN()), folds[which])
        recipe = problem.choose(np.arange(data.n_rows), parts[which], 50)
        found.append((recipe, TunedFamilies.of(problem, recipe, problem.corrected(recipe, 50)).scores))
    assert found[0][0].phases == found[1][0].phases
    for one, other in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_allclose(one, other, atol=0.02)


def test_the_same_rows_give_the_same_tables_whatever_the_threads():
    dags, results = [], []
    for n_jobs in (1, 1, 3):
        table = random_table(6, rows=3000, features=8, n_jobs=n_jobs)
        dags.append(learner(bl.TAN())(table))
        results.append(TunedTables().tune(table, dags[-1], learner(bl.TAN())).tables)
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_rows_of_weight_zero_are_no_rows():
    table = random_table(7, rows=100)
    weights = np.ones(100)
    weights[::3] = 0.0
    dag = learner(bl.TAN())(table)
    weighted = Table(table.variables, table.codes.copy(order="F"), weights, table.target)
    for one, other in zip(
        TunedTables().fit(weighted, dag), TunedTables().fit(table.take(weights > 0), dag), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_sample_chooses_and_all_rows_correct():
    table = random_table(8, rows=3000)
    dag = learner(bl.TAN())(table)
    tuned = TunedTables(sample=600).tune(table, dag, learner(bl.TAN()))
    assert 500 <= len(tuned.rows) <= 600
    full = TunedTables().tune(table, dag, learner(bl.TAN()))
    assert len(full.rows) == 3000
    losses = [
        held_out_loss(np.log(posteriors(table, dag, each.tables)), class_codes(table))
        for each in (tuned, full)
    ]
    assert losses[0] == pytest.approx(losses[1], abs=0.01)


@pytest.mark.parametrize(
    ("rows", "features", "classes", "states"),
    [
        (40, 3, 40, 3),
        (3, 2, 2, 3),
        (60, 0, 2, 3),
        (60, 2, 1, 3),
        (60, 2, 2, 1),
        (1, 2, 2, 2),
        (300, 2, 300, 2),
    ],
    ids=["a row per class", "3 rows", "no feature", "one class", "constant", "1 row", "120 classes"],
)
def test_odd_tables_give_finite_tables(rows, features, classes, states):
    table = random_table(9, rows, features, classes, states=states)
    if rows == classes:
        codes = table.codes.astype(np.int64)
        codes[:, features] = np.arange(rows)
        table = Table.from_codes(table.variables, codes, target=features)
    dag = learner(bl.TAN())(table)
    for part in TunedTables().fit(table, dag):
        assert np.isfinite(part).all()
        np.testing.assert_allclose(part.sum(axis=-1), 1.0, rtol=1e-12)


def test_separable_rows_stay_finite():
    codes = np.tile([[0, 0, 0], [1, 1, 1]], (100, 1))
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    table = Table.from_codes(variables, codes, target=2)
    dag = learner(bl.TAN())(table)
    found = posteriors(table, dag, TunedTables().fit(table, dag))
    assert (found > 0).all()
    assert (found[np.arange(200), codes[:, 2]] > 0.99).all()


def test_a_column_of_very_many_states():
    rng = np.random.default_rng(0)
    codes = np.column_stack([np.arange(400), rng.integers(0, 2, 400), rng.integers(0, 2, 400)])
    wide = Variable("x", tuple(map(str, range(10_000))))
    pair = tuple(Variable(name, ("0", "1")) for name in ("y", "class"))
    table = Table.from_codes((wide, *pair), codes, target=2)
    dag = learner(bl.TAN())(table)
    tables = TunedTables().fit(table, dag)
    assert all(np.isfinite(part).all() for part in tables)


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        ([("x0", "class")], "needs a class without parents; 'x0' is a parent of 'class' here: use Shrinkage"),
        (
            [("class", "x2"), ("x0", "x2"), ("x1", "x2"), ("class", "x0"), ("class", "x1")],
            "'x0' and 'x1', parents of 'x2', are not: use Shrinkage",
        ),
    ],
)
def test_graphs_that_cannot_be_tuned_are_refused(arcs, message):
    table = random_table(0, rows=20)
    with pytest.raises(ValueError, match=message):
        TunedTables().fit(table, bl.DAG(table.names, arcs))


def test_tables_without_classes_are_refused():
    table = random_table(0, rows=20)
    plain = Table.from_codes(table.variables, table.codes.astype(np.int64))
    with pytest.raises(ValueError, match="needs a class: the table has no target column"):
        TunedTables().fit(plain, bl.DAG(table.names, []))
    codes = table.codes.astype(np.int64)
    codes[3, 4] = -1
    with pytest.raises(ValueError, match="needs the class of every row"):
        TunedTables().fit(Table.from_codes(table.variables, codes, target=4), bl.DAG(table.names, []))


@pytest.mark.parametrize("setting", [{"folds": 1}, {"sample": 2}, {"max_iter": 0}, {"seed": -1}])
def test_wrong_settings_are_refused(setting):
    with pytest.raises(
        ValueError, match=f"The '{next(iter(setting))}' parameter of TunedTables must be an int"
    ):
        TunedTables(**setting).check_params()
