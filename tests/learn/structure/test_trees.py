from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.counts import mutual_information_of_counts
from bayleaf.learn.structure.tan import shrunken_information
from reference.count_sources import TableSource
from reference.counting import slow_chance
from reference.structure import arborescences, conditional_mutual_information, spanning_trees

RNG = np.random.default_rng(0)


def random_table(seed, features=4, rows=60, missing=0.0, classes=2):
    rng = np.random.default_rng(seed)
    arities = [*rng.integers(1, 4, features), classes]
    names = [*(f"x{j}" for j in range(features)), "class"]
    variables = tuple(
        bl.data.Variable(name, tuple(range(arity)), None, "integer")
        for name, arity in zip(names, arities, strict=True)
    )
    # Correlated columns, so that trees differ in weight.
    base = rng.integers(0, 12, (rows, 1))
    codes = (base // rng.integers(1, 4, features + 1) + rng.integers(0, 2, (rows, features + 1))) % arities
    codes[:, :-1][rng.random((rows, features)) < missing] = -1
    return bl.data.Table.from_codes(variables, codes, target=features), codes.tolist()


def pair_weights(rows, features, shrunk=False):
    """I(X_i; X_j | C), or what it is worth on new rows: then features without any free cell come after all others."""
    weights, chance = np.zeros((2, features, features))
    for i, j in permutations(range(features), 2):
        weights[i, j] = conditional_mutual_information(rows, i, j, features)
        chance[i, j] = slow_chance(rows, i, j, features)
    if not shrunk:
        return weights
    for i, j in permutations(range(features), 2):
        true = weights[i, j] - chance[i, j]
        weights[i, j] = true**2 / weights[i, j] if true > 0 else true
    constant = ~chance.any(axis=1) & chance.any()
    weights[constant] = weights[:, constant] = weights.min(initial=0.0)
    return weights


def tree_weight(weights, edges):
    return sum(weights[i, j] for i, j in edges)


def feature_edges(dag, target="class"):
    names = list(dag.nodes)
    return [(names.index(a), names.index(b)) for a, b in dag.arcs if target not in (a, b)]


def test_naive_bayes_has_the_class_as_only_parent():
    table, _ = random_table(0)
    dag = bl.NaiveBayes().learn(table, RNG)
    assert dag.arcs == tuple(("class", f"x{j}") for j in range(4))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([0.0, 0.2]), st.booleans())
def test_tan_is_the_heaviest_tree(seed, features, missing, corrected):
    table, rows = random_table(seed, features, missing=missing)
    dag = bl.TAN(shrunk=corrected).learn(table, RNG)
    edges = feature_edges(dag)
    assert len(edges) == features - 1
    assert all("class" in dag.parents(f"x{j}") for j in range(features))
    weights = pair_weights(rows, features, corrected)
    best = max(tree_weight(weights, tree) for tree in spanning_trees(features))
    assert tree_weight(weights, edges) == pytest.approx(best, abs=1e-9)


def chain_with(other, copied=0.25, rows=1000, seed=0):
    """A chain a, b, c of three states, of which each depends a little on the one before, and another column."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, 3))
    for j in (1, 2):
        codes[:, j] = np.where(rng.random(rows) < copied, codes[:, j - 1], codes[:, j])
    labels = np.where(rng.random(rows) < 0.5, codes[:, 0] > 0, rng.random(rows) < 0.5)
    more = other(rng, rows)
    columns = {**dict(zip("abc", codes.T, strict=True)), **more, "class": labels.astype(int)}
    variables = [bl.data.Variable(name, range(max(v) + 1), None, "integer") for name, v in columns.items()]
    return bl.data.Table.from_codes(
        variables, np.column_stack(list(columns.values())), target=len(columns) - 1
    )


@pytest.mark.parametrize("states", [30, 200, 1000])
def test_noise_of_many_states_is_the_centre_of_a_tree_unless_weights_are_shrunk(states):
    for seed in range(3):
        table = chain_with(lambda rng, rows: {"noise": rng.integers(0, states, rows)}, seed=seed)
        as_published, shrunk = (bl.TAN(shrunk=each).learn(table, RNG) for each in (False, True))
        near = [{*as_published.parents(name), *as_published.children(name)} for name in "abc"]
        assert all("noise" in names for names in near) or states < 200
        assert not any("noise" in shrunk.parents(name) for name in "abc")
        assert shrunk.parents("a") == ("class",)
        assert (shrunk.parents("b"), shrunk.parents("c")) == (("a", "class"), ("b", "class"))


def test_columns_that_determine_each_other_stay_together():
    def places(rng, rows):
        town = rng.integers(0, 60, rows)
        return {"town": town, "region": town % 6}

    dag = bl.TAN(shrunk=True).learn(chain_with(places), RNG)
    assert "region" in {*dag.parents("town"), *dag.children("town")}


def test_weights_shrink_by_what_chance_gives():
    information, chance = np.array([0.5, 0.2, 0.1, 0.0]), np.array([0.0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(shrunken_information(information, chance), [0.5, 0.05, -0.1, -0.3])


def test_the_worth_of_an_arc_is_what_its_best_shrunk_table_gains_on_new_rows():
    """Tables from 400 rows, mixed with independence by the best share, measured on the distribution itself."""
    rng, worth, gained = np.random.default_rng(0), [], []
    for strength in (0.15, 0.3):
        for _ in range(60):
            joint = np.full((4, 4), 1 / 16) * (1 - strength) + np.eye(4) / 4 * strength
            counts = rng.multinomial(400, joint.ravel()).reshape(4, 4)
            alone = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 400**2
            shares = np.linspace(0, 0.99, 34)
            gains = [(joint * np.log((1 - f) + f * counts / 400 / alone)).sum() for f in shares]
            measured = mutual_information_of_counts(counts)
            worth.append(shrunken_information(np.array([measured]), np.array([9 / 800]))[0])
            gained.append(max(gains))
    assert np.mean(worth) == pytest.approx(np.mean(gained), rel=0.1)


def test_what_stands_in_for_the_structure_is_recorded():
    X = np.random.default_rng(0).integers(0, 2, (300, 4)).astype(str)
    clf = bl.BayesNetClassifier().fit(X, X[:, 0])
    assert repr(clf.structure_) == "TAN(shrunk=True)"
    named = bl.BayesNetClassifier(bl.TAN(shrunk=True)).fit(X, X[:, 0])
    np.testing.assert_array_equal(named.predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_source_of_counts_gives_the_tree_of_its_table(weighted):
    table, _ = random_table(3, 5, missing=0.2)
    if weighted:
        table = replace(table, weights=np.random.default_rng(0).choice([0.0, 0.4, 2.0], table.n_rows))
    tan = bl.TAN(shrunk=True)
    assert tan.learn(TableSource(table), RNG) == tan.learn(table, RNG)


@pytest.mark.parametrize("weights", [np.zeros(60), np.full(60, 1 / 60)])
def test_tiny_weights_do_no_harm(weights):
    table, _ = random_table(0)
    light = replace(table, weights=weights)
    assert len(feature_edges(bl.TAN(shrunk=True).learn(light, RNG))) == 3
    if weights.any():  # one row in all has no free cells: nothing is taken from the information
        assert bl.TAN(shrunk=True).learn(light, RNG) == bl.TAN().learn(light, RNG)


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_constant_column_changes_no_other_arc(place):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (60, 5))  # noise, so that most of what is left without chance is negative
    variables = [bl.data.Variable(name, (0, 1, 2), None, "integer") for name in ("a", "b", "c", "d", "class")]
    plain = bl.data.Table.from_codes(variables, codes, target=4)
    constant = bl.data.Variable("same", (0, 1), None, "integer")
    more = bl.data.Table.from_codes(
        [*variables[:place], constant, *variables[place:]], np.insert(codes, place, 0, axis=1), target=5
    )
    tan = bl.TAN(shrunk=True)
    found = [arc for arc in tan.learn(more, RNG).arcs if "same" not in arc]
    assert sorted(found) == sorted(tan.learn(plain, RNG).arcs)


def test_shrunk_is_yes_or_no():
    with pytest.raises(TypeError, match="'shrunk' parameter of TAN must be a bool"):
        bl.TAN(shrunk="yes").learn(random_table(0)[0], RNG)


def test_tan_root_is_the_most_informative_feature_unless_given():
    table, _ = random_table(5)
    from bayleaf.counts import class_information

    best = f"x{class_information(table).argmax()}"
    assert bl.TAN().learn(table, RNG).parents(best) == ("class",)
    assert bl.TAN(root="x2").learn(table, RNG).parents("x2") == ("class",)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans(), st.data())
def test_constrained_tan_is_the_heaviest_tree_that_obeys(seed, features, corrected, data):
    table, rows = random_table(seed, features)
    arcs = [(i, j) for i in range(features) for j in range(features) if i != j]
    required = data.draw(st.lists(st.sampled_from(arcs), max_size=1))
    forbidden = data.draw(
        st.lists(st.sampled_from(arcs), max_size=4).filter(lambda f: not set(f) & set(required))
    )
    named = [[(f"x{i}", f"x{j}") for i, j in chosen] for chosen in (required, forbidden)]
    obeying = [
        parents
        for parents in arborescences(features)
        if all(parents[j] == i for i, j in required) and all(parents[j] != i for i, j in forbidden)
    ]
    tan = bl.TAN(required=named[0], forbidden=named[1], shrunk=corrected)
    if not obeying:
        with pytest.raises(
            ValueError, match="No tree over the features obeys the required and forbidden arcs"
        ):
            tan.learn(table, RNG)
        return

    weights = pair_weights(rows, features, corrected)

    def weight(parents):
        return tree_weight(weights, [(p, j) for j, p in enumerate(parents) if p is not None])

    edges = feature_edges(tan.learn(table, RNG))
    assert set(required) <= set(edges)
    assert not set(forbidden) & set(edges)
    assert tree_weight(weights, edges) == pytest.approx(max(map(weight, obeying)), abs=1e-9)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (
            {"required": [("x0", "x1")], "forbidden": [("x0", "x1")]},
            "'x0' -> 'x1' is both required and forbidden",
        ),
        (
            {"required": [("x0", "x2"), ("x1", "x2")]},
            "'x2' has two required parents, 'x0' and 'x1'; in a tree",
        ),
        ({"required": [("x0", "x1"), ("x1", "x0")]}, "No tree over the features obeys"),
        (
            {"required": [("x0", "x9")]},
            "names 'x9', which the data lacks",
        ),
        ({"forbidden": [("class", "x0")]}, "touches the class 'class', which is always a parent"),
        ({"required": [("x0", "x0")]}, "'x0' -> 'x0' is a loop"),
        (
            {"forbidden": [(f"x{i}", "x0") for i in (1, 2, 3)], "root": "x1"},
            "No tree over the features obeys",
        ),
    ],
)
def test_constraints_that_cannot_be_met(constraints, message):
    table, _ = random_table(0)
    with pytest.raises(ValueError, match=message):
        bl.TAN(**constraints).learn(table, RNG)


def test_tan_with_one_feature():
    table, _ = random_table(0, features=1)
    assert bl.TAN().learn(table, RNG).arcs == (("class", "x0"),)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 0.3))
def test_fan_keeps_only_edges_above_the_threshold(seed, threshold):
    table, rows = random_table(seed)
    edges = feature_edges(bl.FAN(threshold=threshold).learn(table, RNG))
    weights = pair_weights(rows, 4)
    assert all(weights[edge] > threshold - 1e-9 for edge in edges)
    best = max(
        (tree_weight(weights, [e for e in tree if weights[e] > threshold]) for tree in spanning_trees(4)),
        default=0,
    )
    assert tree_weight(weights, edges) == pytest.approx(best, abs=1e-8)
    assert bool(edges) or not (weights > threshold + 1e-9).any()


def test_fan_drops_edges_between_independent_features_and_keeps_copies():
    rng = np.random.default_rng(1)
    c, a, b = rng.integers(0, 2, (3, 2000))
    variables = tuple(bl.data.Variable(name, (0, 1), None, "integer") for name in ("a", "b", "copy", "class"))
    table = bl.data.Table.from_codes(variables, np.column_stack([a, b, a, c]), target=3)
    dag = bl.FAN().learn(table, RNG)
    assert {frozenset(arc) for arc in dag.arcs if "class" not in arc} == {frozenset({"a", "copy"})}


def test_fixed_structure_takes_a_dag_in_any_node_order():
    table, _ = random_table(0, features=2)
    dag = bl.DAG(["class", "x1"], [("class", "x1")])
    assert bl.FixedStructure(dag).learn(table, RNG).arcs == (("class", "x1"),)


@pytest.mark.parametrize("learner", [bl.NaiveBayes(), bl.TAN(), bl.FAN()], ids=repr)
def test_a_table_without_class_is_refused(learner):
    table, _ = random_table(0)
    with pytest.raises(ValueError, match=r"needs a class: (the|this) table has no target column"):
        learner.learn(table.select([0, 1]), RNG)


def test_the_default_threshold_of_fan_counts_the_rows_where_the_pair_is_known():
    # The pair is known in 6 rows, where it informs too little to pay; over 600 rows the same would pay.
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (600, 3))
    codes[:, 1] = codes[:, 0]
    variables = tuple(bl.data.Variable(name, ("0", "1")) for name in ("x0", "x1", "class"))
    whole = bl.data.Table.from_codes(variables, codes, target=2)
    codes[:6] = [[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 1]]
    gaps = codes.copy()
    gaps[6:, 1] = -1
    sparse = bl.data.Table.from_codes(variables, gaps, target=2)
    known = bl.data.Table.from_codes(variables, codes[:6], target=2)
    edges = [
        feature_edges(bl.FAN().learn(table, np.random.default_rng(0))) for table in (whole, sparse, known)
    ]
    assert len(edges[0]) == 1
    assert len(edges[1]) == len(edges[2]) == 0


@pytest.mark.parametrize(
    "required", ["ab", [("x0", "x1", "x2")], ("x0", "x1"), ["ab"], [(0, 1)], 3], ids=repr
)
@pytest.mark.parametrize("what", ["required", "forbidden"])
def test_constraints_must_be_pairs_of_names(required, what):
    table, _ = random_table(0)
    with pytest.raises((TypeError, ValueError), match=rf"The {what} arcs must be (a list of|pairs)"):
        bl.TAN(**{what: required}).learn(table, np.random.default_rng(0))


def test_features_that_a_root_cannot_reach_are_named():
    forbidden = [(f"x{i}", "x0") for i in (1, 2, 3)]
    with pytest.raises(ValueError, match=r"nodes \('x0'\) cannot be reached from root 'x1'"):
        bl.TAN(forbidden=forbidden, root="x1").learn(random_table(0)[0], np.random.default_rng(0))


@pytest.mark.parametrize(
    "learner",
    [
        lambda arcs: bl.TAN(required=arcs),
        lambda arcs: bl.TAN(forbidden=arcs),
        lambda arcs: bl.FixedStructure(arcs),
        lambda arcs: bl.HillClimbing(start=arcs),
        lambda arcs: bl.HillClimbing(required=arcs),
        lambda arcs: bl.HillClimbing(forbidden=arcs),
        lambda arcs: bl.Exact(required=arcs),
        lambda arcs: bl.Exact(forbidden=arcs),
    ],
    ids=["TAN+", "TAN-", "fixed", "start", "climb+", "climb-", "exact+", "exact-"],
)
def test_arcs_that_the_first_fit_would_use_up_are_refused(learner):
    """A second fit, or one fold after another, would go without them and say nothing."""
    table, rng = random_table(0)[0], np.random.default_rng(0)
    assert learner([("x0", "x1")]).learn(table, rng) == learner((("x0", "x1"),)).learn(table, rng)
    with pytest.raises(TypeError, match=r"must be a list of .*an iterator is used up by the first fit"):
        learner(iter([("x0", "x1")])).learn(table, rng)


def test_an_order_that_the_first_fit_would_use_up_is_refused():
    table, rng = random_table(0)[0], np.random.default_rng(0)
    with pytest.raises(TypeError, match="'order' parameter of OrderBased must be one of"):
        bl.OrderBased(order=iter(["x0", "x1", "x2", "x3"])).learn(table, rng)
