"""Networks of any shape as classifiers: classes with parents, features the class does not see, lone nodes."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl

ARITIES = {"a": 2, "b": 3, "d": 2, "e": 2, "lone": 2, "y": 2}
# y has a parent and a child with a co-parent; e hangs below a, outside the Markov blanket; lone has no arcs.
ARCS = [("a", "y"), ("y", "b"), ("d", "b"), ("a", "e")]
SHAPES = {
    "parent, child, co-parent": ARCS,
    "class is a sink": [("a", "y"), ("b", "y"), ("d", "y")],
    "class in a chain": [("a", "y"), ("y", "d"), ("d", "e")],
    "class is alone": [("a", "b"), ("b", "d")],
    "only parents of a child": [("y", "b"), ("a", "b"), ("d", "b"), ("a", "d")],
}


def sample(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(arity, size=rows) for name, arity in ARITIES.items()}
    columns["y"] = np.where(rng.random(rows) < 0.7, columns["a"] ^ columns["d"], columns["y"])
    columns["b"] = np.where(rng.random(rows) < 0.5, (columns["y"] + columns["d"]) % 3, columns["b"])
    frame = pd.DataFrame({name: [f"{name}{v}" for v in values] for name, values in columns.items()})
    return frame.drop(columns="y"), frame["y"]


def states(network, node):
    return network.variables[network.nodes.index(node)].states


def joint(network, row):
    """P(row): the product of its table entries."""
    total = 1.0
    for node in network.nodes:
        index = tuple(states(network, v).index(row[v]) for v in (*network.parents(node), node))
        total *= network.cpt(node)[index]
    return total


def brute_force(network, seen):
    """P(y | what is seen), by adding up every completion."""
    free = [v for v in network.nodes if v != "y" and v not in seen]
    weights = []
    for state in states(network, "y"):
        completions = itertools.product(*(states(network, v) for v in free))
        rows = ({**seen, **dict(zip(free, values, strict=True)), "y": state} for values in completions)
        weights.append(sum(joint(network, row) for row in rows))
    return np.array(weights) / sum(weights)


@pytest.fixture(params=SHAPES, ids=str)
def fitted(request):
    X, y = sample()
    return bl.BayesNetClassifier(bl.FixedStructure(SHAPES[request.param]), bl.Laplace()).fit(X, y), X, y


def test_posteriors_equal_enumeration_with_and_without_missing_values(fitted):
    clf, X, _ = fitted
    rng = np.random.default_rng(1)
    rows = X.iloc[:12].copy()
    rows = rows.mask(rng.random(rows.shape) < 0.4)
    found = clf.predict_proba(rows)
    for k in range(len(rows)):
        seen = rows.iloc[k].dropna().to_dict()
        np.testing.assert_allclose(found[k], brute_force(clf.network_, seen), rtol=1e-9)


def test_features_outside_the_blanket_change_nothing():
    X, y = sample()
    clf = bl.BayesNetClassifier(bl.FixedStructure(ARCS), bl.Laplace()).fit(X, y)
    other = X.assign(lone="lone1", e="e0")
    np.testing.assert_allclose(clf.predict_proba(X), clf.predict_proba(other), rtol=1e-12)


def test_explanations_add_up(fitted):
    clf, X, _ = fitted
    rows = X.iloc[:20].copy()
    rows.iloc[3, 0] = None
    explanation = clf.explain(rows)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-9)


def test_conditional_likelihood_parameters_only_help(fitted):
    clf, X, y = fitted
    truth = (y == clf.classes_[1]).to_numpy().astype(int)

    def cll(model):
        return model.predict_log_proba(X)[np.arange(len(X)), truth].sum()

    dag = clf.network_.dag
    start = bl.BayesNetClassifier(bl.FixedStructure(dag), bl.MaximumLikelihood()).fit(X, y)
    climbed = bl.BayesNetClassifier(
        bl.FixedStructure(dag), bl.ConditionalLikelihood(stopping="converged", max_iter=50)
    ).fit(X, y)
    assert cll(climbed) >= cll(start) - 1e-6
    assert math.isfinite(cll(climbed))


def test_learned_networks_save_and_load(tmp_path):
    X, y = sample()
    clf = bl.classifier("RMCV(empty)", random_state=0).fit(X, y)
    clf.save(tmp_path / "m.bayleaf.json")
    again = bl.load(tmp_path / "m.bayleaf.json")
    assert repr(again.structure) == repr(clf.structure)
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize("name", ["RMCV(NBC)", "BNC-2P", "BNC-MDL", "K2(empty)", "HGC"])
def test_learned_networks_cope_with_missing_values(name):
    X, y = sample()
    X = X.mask(np.random.default_rng(2).random(X.shape) < 0.1)
    clf = bl.classifier(name, random_state=0).fit(X, y)
    probabilities = clf.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert clf.score(X, y) > 0.5


def test_costs_move_decisions_and_leave_probabilities():
    X, y = sample()
    plain = bl.BayesNetClassifier(bl.FixedStructure(ARCS), bl.Laplace()).fit(X, y)
    costly = bl.BayesNetClassifier(bl.FixedStructure(ARCS), bl.Laplace(), loss=[[0, 1], [20, 0]]).fit(X, y)
    posterior = costly.predict_proba(X)
    np.testing.assert_array_equal(posterior, plain.predict_proba(X))
    expected = np.where(posterior[:, 0] * 1 < posterior[:, 1] * 20, "y1", "y0")
    np.testing.assert_array_equal(costly.predict(X), expected)

    def rule(truth, said):
        return 0 if truth == said else {"y0": 1, "y1": 20}[truth]

    by_rule = bl.BayesNetClassifier(bl.FixedStructure(ARCS), bl.Laplace(), loss=rule).fit(X, y)
    np.testing.assert_array_equal(by_rule.predict(X), expected)


def test_a_right_decision_may_earn_something():
    """Costs may be negative: what counts is what a mistake costs more."""
    X, y = sample()
    models = [
        bl.BayesNetClassifier(bl.FixedStructure(ARCS), bl.Laplace(), loss=loss).fit(X, y)
        for loss in ([[0, 1], [20, 0]], [[-1, 0], [15, -5]])
    ]
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))


def test_zero_one_costs_are_the_usual_decision():
    X, y = sample()
    plain = bl.classifier("TAN").fit(X, y)
    same = bl.classifier("TAN", loss=[[0, 1], [1, 0]]).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), same.predict(X))


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        ([[0, 0], [0, 0]], "all zero"),
        ([[0, 1]], "one row per class"),
        ([[0, 1, 2], [1, 0, 2]], "one column per class"),
        ([[0, np.inf], [1, 0]], "not finite"),
        ([[2, 2], [3, 3]], "costs the same for every decision"),
        (
            [[5, 0], [0, 5]],
            "rewards a mistake: for the true class 'y0', deciding 'y1' costs 0, less than the right",
        ),
        ([[0, 1], [-1, 0]], "true class 'y1', deciding 'y0' costs -1, less than the right decision, 0"),
    ],
)
def test_bad_costs_are_refused(loss, sentence):
    X, y = sample(50)
    with pytest.raises(ValueError, match=sentence):
        bl.BayesNetClassifier(bl.NaiveBayes(), loss=loss).fit(X, y)
