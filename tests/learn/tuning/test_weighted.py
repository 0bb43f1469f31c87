"""Feature weights: WANBIA, weighted trees and AWNB, by their formulas; the result is a network."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.tuning.feature_weights import first_depths, tables_to_powers, tree_columns
from reference.learner_checks import check_learners
from reference.weighted import conditional_log_likelihood, posterior

IRIS = load_iris(return_X_y=True, as_frame=True)
GRAPHS = {"naive": bl.NaiveBayes(), "tree": bl.TAN(), "chain": bl.KDB(k=1)}


def random_table(seed, rows=40, gaps=0.0, weights=None):
    rng = np.random.default_rng(seed)
    arities = (3, 2, 4, 3)
    c = rng.integers(0, 3, rows)
    codes = np.column_stack(
        [np.where(rng.random(rows) < 0.4, c % arity, rng.integers(0, arity, rows)) for arity in arities[:3]]
        + [c]
    )
    codes[:, :3][rng.random((rows, 3)) < gaps] = -1
    variables = tuple(
        Variable(f"x{j}", tuple(str(state) for state in range(arity))) for j, arity in enumerate(arities)
    )
    return Table.from_codes(variables, codes, target=3, weights=weights), codes


@given(seed=st.integers(0, 10**6), graph=st.sampled_from(sorted(GRAPHS)))
def test_the_network_of_weighed_tables_gives_the_weighed_probabilities(seed, graph):
    rng = np.random.default_rng(seed)
    table, codes = random_table(seed)
    dag = GRAPHS[graph].learn(table, rng)
    tables = bl.Laplace().fit(table, dag)
    weights = rng.choice([0.0, 0.3, 1.0, 2.5], 4)
    network = bl.BayesNet(table.variables, dag, tables_to_powers(dag, tables, weights), "x3")
    found = network.log_joint(table, 3)
    found = np.exp(found - found.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    expected = [posterior(dag, tables, weights, 3, row) for row in codes.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_weights_of_one_change_nothing():
    table, _ = random_table(1)
    dag = bl.TAN().learn(table, np.random.default_rng(0))
    tables = bl.Laplace().fit(table, dag)
    for one, other in zip(tables_to_powers(dag, tables, np.ones(4)), tables, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert all(
        np.allclose(one, other)
        for one, other in zip(bl.WANBIA(max_iter=0).fit(table, dag), tables, strict=True)
    )


@settings(max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    graph=st.sampled_from(["naive", "tree"]),
    gaps=st.sampled_from([0.0, 0.2]),
    penalty=st.sampled_from([0.0, 2.0]),
)
def test_no_other_weights_are_better(seed, graph, gaps, penalty):
    rng = np.random.default_rng(seed)
    row_weights = rng.integers(0, 3, 40).astype(float) if seed % 2 else None
    table, codes = random_table(seed, gaps=gaps, weights=row_weights)
    dag = GRAPHS[graph].learn(table, rng)
    tables = bl.Laplace().fit(table, dag)
    learner = bl.WANBIA(bound=1.5, penalty=penalty)
    best = np.array([*learner.weights(table, dag).values(), 1.0])
    counted = np.ones(40) if row_weights is None else row_weights

    def objective(weights):
        cll = conditional_log_likelihood(dag, tables, weights, 3, codes.tolist(), counted)
        return cll - penalty / 2 * ((weights[:3] - 1) ** 2).sum()

    reached = objective(best)
    assert reached >= objective(np.ones(4)) - 1e-9
    for feature in range(3):
        for step in (-1e-3, 1e-3):
            other = best.copy()
            other[feature] = np.clip(other[feature] + step, 0.0, 1.5)
            assert objective(other) <= reached + 1e-6


def test_bounds_hold_and_none_is_none():
    table, _ = random_table(3, rows=60)
    dag = bl.NaiveBayes().learn(table, np.random.default_rng(0))
    for bound in (0.5, 1.0, None):
        found = list(bl.WANBIA(bound=bound).weights(table, dag).values())
        assert all(0 <= weight <= (np.inf if bound is None else bound) for weight in found)
    assert max(bl.WANBIA(start=bl.Dirichlet(1000), bound=None).weights(table, dag).values()) > 1.0


def test_a_feature_that_is_there_twice_counts_half():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    x = np.where(rng.random(3000) < 0.8, y, 1 - y)
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "again", "class"))
    table = Table.from_codes(variables, np.column_stack([x, x, y]), target=2)
    found = bl.WANBIA().weights(table, bl.NaiveBayes().learn(table, rng))
    assert sum(found.values()) == pytest.approx(1.0, abs=0.02)


def depths_by_hand(tree, node, depth):
    """(feature, depth) of every question below a node."""
    if tree.children_left[node] < 0:
        return []
    below = [
        pair
        for child in (tree.children_left[node], tree.children_right[node])
        for pair in depths_by_hand(tree, child, depth + 1)
    ]
    return [(int(tree.feature[node]), depth), *below]


def test_depths_are_those_of_the_first_question():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 6)), rng.integers(0, 3, 200)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    asked = np.array([0, 0, 1, 2, 2, 4])
    pairs = depths_by_hand(tree.tree_, 0, 1)
    expected = [
        min((depth for feature, depth in pairs if asked[feature] == column), default=0) for column in range(5)
    ]
    assert first_depths(tree, asked, 5).tolist() == expected
    assert expected[3] == 0
    assert min(d for d in expected if d) == 1


def test_awnb_is_the_mean_over_trees():
    table, _ = random_table(5, rows=80)
    dag = bl.NaiveBayes().learn(table, np.random.default_rng(0))
    questions, asked = tree_columns(table)
    rng = np.random.default_rng(4)
    total = np.zeros(4)
    for _ in range(3):
        seed = int(rng.integers(2**31))
        sample = rng.choice(np.arange(80), 40, p=np.full(80, 1 / 80))
        tree = DecisionTreeClassifier(criterion="entropy", random_state=seed)
        first = first_depths(tree.fit(questions[sample], table.codes[sample, 3]), asked, 4)
        total += [1 / np.sqrt(depth) if depth else 0.0 for depth in first]
    found = bl.AWNB(trees=3, random_state=4).weights(table, dag)
    assert list(found.values()) == pytest.approx((total[:3] / 3).tolist())


LEARNERS = {
    "WANBIA": bl.WANBIA(),
    "AWNB": bl.AWNB(),
    "WANBIA of shrunk tables": bl.WANBIA(bl.Shrinkage()),
    "AWNB of shrunk tables": bl.AWNB(bl.Shrinkage()),
}


@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN()], ids=repr)
@pytest.mark.parametrize("name", LEARNERS)
def test_the_result_is_an_ordinary_network(name, structure, tmp_path):
    X, y = IRIS
    clf = bl.BayesNetClassifier(structure, LEARNERS[name]).fit(X, y)
    assert clf.score(X, y) > 0.9
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    clf.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert (loaded.predict_proba(gaps) == clf.predict_proba(gaps)).all()
    assert repr(loaded) == repr(clf)
    assert (clone(clf).fit(X, y).predict_proba(X) == clf.predict_proba(X)).all()
    explanation = clf.explain(gaps.iloc[:20])
    np.testing.assert_allclose(explanation.total, explanation.log_odds, rtol=1e-9, atol=1e-9)
    for table in clf.network_.tables:
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, rtol=1e-12)


def test_weights_are_copies_of_rows():
    X, y = IRIS
    copies = np.random.default_rng(1).integers(0, 3, len(X))
    for parameters in (bl.WANBIA(), bl.AWNB(trees=1, share=None)):
        clf = bl.BayesNetClassifier(bl.TAN(), parameters)
        weighted = clone(clf).fit(X, y, sample_weight=copies)
        repeated = clone(clf).fit(X.loc[X.index.repeat(copies)], np.repeat(y, copies))
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("name", ["WANBIA", "wTAN", "AWNB"])
def test_they_are_classifiers_by_name(name):
    clf = bl.classifier(name).fit(*IRIS)
    assert clf.score(*IRIS) > 0.9
    shrunk = bl.classifier(name, parameters__start=bl.Shrinkage()).fit(*IRIS)
    assert isinstance(shrunk.parameters.start, bl.Shrinkage)
    assert (shrunk.predict_proba(IRIS[0]) != clf.predict_proba(IRIS[0])).any()


def test_checks_of_scikit_learn():
    check_learners(bl.BayesNetClassifier(bl.NaiveBayes(), bl.WANBIA()))


def test_few_rows_one_class_and_no_features():
    for parameters in (bl.WANBIA(), bl.AWNB()):
        one = bl.BayesNetClassifier(bl.NaiveBayes(), parameters).fit([["a"], ["b"]], ["no", "yes"])
        assert np.isfinite(one.predict_proba([["a"]])).all()
        alone = Table.from_codes((Variable("class", ("0", "1")),), [[0], [1], [1]], target=0)
        (prior,) = parameters.fit(alone, bl.DAG(["class"]))
        np.testing.assert_allclose(prior, [0.4, 0.6])
        separable = bl.BayesNetClassifier(bl.NaiveBayes(), parameters).fit([["a"], ["b"]] * 20, [0, 1] * 20)
        assert separable.predict([["a"], ["b"]]).tolist() == [0, 1]


def test_columns_of_all_kinds_and_gaps_are_asked_for():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"number": rng.normal(size=200), "word": rng.choice(list("abc"), 200)})
    y = np.where((X["number"] > 0) & (X["word"] != "a"), "yes", "no")
    X = X.mask(rng.random(X.shape) < 0.1)
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.AWNB(), missing="available").fit(X, y)
    weights = bl.AWNB().weights(clf.learn_table(X, y), clf.network_.dag)
    assert all(0.5 < weight <= 1 for weight in weights.values())


@pytest.mark.parametrize(
    ("structure", "parameters", "sentence"),
    [
        (bl.KDB(k=2), bl.WANBIA(), "WANBIA needs a graph in which the parents of each node are connected; '"),
        (bl.KDB(k=2), bl.AWNB(), "AWNB needs a graph in which the parents of each node are connected; '"),
        (
            bl.FixedStructure([("petal width (cm)", "target")]),
            bl.WANBIA(),
            r"WANBIA needs a class without parents; 'petal width \(cm\)' is a parent of 'target' here",
        ),
        (
            bl.NaiveBayes(),
            bl.WANBIA(bl.MaximumLikelihood(0)),
            "The tables that WANBIA starts from have zeros: start from an estimate that leaves none",
        ),
        (bl.NaiveBayes(), bl.WANBIA("laplace"), "'start' parameter of WANBIA must be a parameter learner"),
        (
            bl.NaiveBayes(),
            bl.WANBIA(bound=0),
            r"'bound' parameter of WANBIA must be a float in the range \(0",
        ),
        (bl.NaiveBayes(), bl.WANBIA(penalty=-1), "'penalty' parameter of WANBIA"),
        (bl.NaiveBayes(), bl.AWNB(trees=0), "'trees' parameter of AWNB must be an int"),
        (
            bl.NaiveBayes(),
            bl.AWNB(share=1.5),
            r"'share' parameter of AWNB must be a float in the range \(0, 1\]",
        ),
    ],
    ids=repr,
)
def test_what_cannot_be_weighed_is_refused_in_a_sentence(structure, parameters, sentence):
    X, y = IRIS
    rng = np.random.default_rng(0)
    noisy = X.assign(noise=rng.choice(list("pq"), len(X)))
    with pytest.raises((TypeError, ValueError), match=sentence):
        bl.BayesNetClassifier(structure, parameters, bl.MDLP()).fit(noisy, y)
