"""One graph read in two ways: the evidence of known values, the joint distribution, and how much each counts."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.network.member import KNOTS, GapCaution

CLASSES = ["a", "b", "c"]
# Features with two parents besides the class, which are connected.
TRIANGLES = [("x0", "x1"), ("x0", "x2"), ("x1", "x2"), ("x1", "x3"), ("x2", "x3")]
TRIANGLES = bl.FixedStructure([*TRIANGLES, *(("class", f"x{j}") for j in range(5))])


def rows_with_gaps(seed, rows=120, columns=5, missing=0.0):
    """Columns of three categories that depend on the class and on one another, and rows to ask about."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    codes = np.empty((rows, columns), dtype=int)
    for j in range(columns):
        parent = codes[:, j - 1] if j else np.zeros(rows, dtype=int)
        codes[:, j] = np.where(rng.random(rows) < 0.6, (y + parent + j) % 3, rng.integers(0, 3, rows))
    X = pd.DataFrame(np.array(["p", "q", "r"])[codes], columns=[f"x{j}" for j in range(columns)]).astype(
        object
    )
    return X.where(rng.random(X.shape) >= missing, None), np.array(CLASSES)[y], rng


def posterior_by_hand(model, codes):
    """Evidence of known values and the joint distribution, added up entry by entry, mixed by the share of gaps."""
    readings = model._predictor
    network, evidence, query = readings.network, readings.evidence, len(readings.nodes) - 1
    arities = [variable.arity for variable in network.variables]
    known = {j: code for j, code in enumerate(codes) if code >= 0}
    score = np.log(evidence.network.tables[query])
    for node in range(query):
        if node not in known:
            continue
        parents = network.dag.parent_indices[node]
        if all(parent in known or parent == query for parent in parents):
            index = tuple(slice(None) if parent == query else known[parent] for parent in parents)
            score = score + np.log(evidence.network.tables[node][(*index, known[node])])
        else:
            order = evidence.backed_off[node].parents
            first = next(place for place, parent in enumerate(order) if parent not in known)
            index = (*(known[parent] for parent in order[:first]), known[node])
            score = score + evidence.backed_off[node].scores[first][index]
    joint = np.zeros(arities[query])
    for states in product(*(range(arity) for arity in arities[:query])):
        if any(states[j] != code for j, code in known.items()):
            continue
        for c in range(arities[query]):
            full = (*states, c)
            joint[c] += np.prod(
                [
                    table[(*(full[p] for p in network.dag.parent_indices[node]), full[node])]
                    for node, table in enumerate(network.tables)
                ]
            )
    caution, gaps = readings.gap_caution, query - len(known)
    share = min(max((gaps - caution.usual) / (query - caution.usual), 0.0), 1.0)
    a, b = (np.interp(share, KNOTS, weights) for weights in caution.weights)
    mixed = a * score + b * np.log(joint) + (1 - a - b) * np.log(network.tables[query])
    return np.exp(mixed - logsumexp(mixed))


@settings(max_examples=8, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([bl.NaiveBayes(), bl.TAN(), TRIANGLES]),
    st.sampled_from([0.0, 0.3]),
)
def test_rows_with_gaps_are_answered_as_the_formula_says(seed, structure, missing):
    X, y, rng = rows_with_gaps(seed, missing=missing)
    model = bl.BayesNetClassifier(structure, bl.TunedTables(), missing="available").fit(X, y)
    asked = rows_with_gaps(seed + 1, rows=25)[0]
    asked = asked.where(rng.random(asked.shape) >= rng.random((25, 1)), None)
    codes = model.encode(asked).codes.astype(int)
    codes[codes == 255] = -1
    expected = np.array([posterior_by_hand(model, row) for row in codes])
    np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(asked)), expected, rtol=1e-9, atol=1e-12)
    score = model.scorer()
    for row, probabilities in zip(asked.to_dict("records"), model.predict_proba(asked), strict=True):
        np.testing.assert_allclose(score(row), probabilities, rtol=1e-13)


def test_complete_rows_are_decided_by_the_tuned_tables_alone():
    X, y, _ = rows_with_gaps(3)
    model = bl.BayesNetClassifier().fit(X, y)
    codes = model.encode(X)
    alone = model._predictor.evidence.network.log_joint(codes, 5)
    expected = np.exp(alone - logsumexp(alone, axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-13)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_evidence_adds_up_with_gaps(seed, missing):
    X, y, rng = rows_with_gaps(seed, missing=missing)
    model = bl.BayesNetClassifier(missing="available").fit(X, y)
    asked = X[:40].where(rng.random((40, 5)) >= 0.4, None)
    explanation = model.explain(asked)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-9)
    np.testing.assert_allclose(explanation.probability, model.predict_proba(asked).max(axis=1), rtol=1e-9)


def test_the_network_is_a_joint_distribution_of_the_rows():
    X, y, _ = rows_with_gaps(5)
    model = bl.BayesNetClassifier().fit(X, y)
    network = model.network_
    table = model.learn_table(X, y)
    for found, expected in zip(network.tables[:-1], bl.Shrinkage().fit(table, network.dag), strict=False):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    shares = [np.mean(y == label) for label in CLASSES]
    np.testing.assert_array_equal(list(network.posterior("class").values()), shares)
    # Tuning would move the share of a pair of values by a tenth and more.
    for child in network.nodes[:-1]:
        for parent in network.parents(child)[:-1]:
            found = network.joint_posterior([parent, child])
            counted = pd.crosstab(X[parent], X[child], normalize=True).stack()
            assert sum(abs(p - counted[states]) for states, p in found.items()) / 2 < 0.05


def loaded(model, folder):
    model.save(folder / "m.bayleaf.json")
    return bl.load(folder / "m.bayleaf.json")


MODELS = {
    "default": lambda X, y: bl.BayesNetClassifier().fit(X, y),
    "naive Bayes": lambda X, y: bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, y),
    "FAN": lambda X, y: bl.BayesNetClassifier(bl.FAN()).fit(X, y),
    "states": lambda X, y: bl.BayesNetClassifier(missing="state").fit(X, y),
    "batches": lambda X, y: bl.BayesNetClassifier().partial_fit(X, y, classes=CLASSES),
    "pool": lambda X, y: bl.NetworkPool(cycles=1, seeds=1).fit(X, y),
    "pool of states": lambda X, y: bl.NetworkPool(cycles=1, seeds=1, missing="state").fit(X, y),
    "bagged": lambda X, y: bl.BaggedClassifier(n_estimators=3, random_state=0).fit(X, y),
}


@pytest.mark.parametrize("kind", MODELS)
def test_with_nothing_known_the_class_frequencies_are_the_answer(kind, tmp_path):
    X, y, _ = rows_with_gaps(7, missing=0.2)
    X["constant"] = "same"  # known or not, it tells nothing
    model = MODELS[kind](X, y)
    expected = np.array([np.mean(y == label) for label in CLASSES])
    nothing = pd.DataFrame([[None] * 6, [None] * 5 + ["same"]], columns=X.columns, dtype=object)
    mixed = pd.concat([nothing, X[:2]])
    for each in (model, loaded(model, tmp_path)):
        for found in (each.predict_proba(nothing), each.predict_proba(mixed)[:2], each.scorer()(nothing)):
            np.testing.assert_array_equal(found, [expected, expected])
        np.testing.assert_array_equal(each.scorer()({}), expected)
        np.testing.assert_allclose(each.predict_log_proba(nothing)[0], np.log(expected), rtol=1e-14)


def test_with_nothing_known_one_set_of_tables_says_its_table_of_the_class():
    X, y, _ = rows_with_gaps(8)
    nothing = pd.DataFrame([[None] * 5], columns=X.columns, dtype=object)
    counted = bl.BayesNetClassifier(bl.KDB(k=2), bl.Shrinkage()).fit(X, y)
    np.testing.assert_array_equal(counted.predict_proba(nothing)[0], counted.network_.cpt("class"))
    averaged = bl.AveragedClassifier().fit(X, y)  # a joint distribution too, whose counts are smoothed
    np.testing.assert_allclose(averaged.predict_proba(nothing)[0], counted.network_.cpt("class"), rtol=1e-12)
    batches = bl.BayesNetClassifier(parameters=bl.Shrinkage()).partial_fit(X, y, classes=CLASSES)
    np.testing.assert_array_equal(batches.predict_proba(nothing)[0], batches.network_.cpt("class"))


def test_numbers_with_nothing_known_in_arrays():
    X, y = load_iris(return_X_y=True)
    model = bl.BayesNetClassifier().fit(X[:120], y[:120])
    X[:3] = np.nan
    found = model.predict_proba(X)
    np.testing.assert_array_equal(found[:3], np.tile([50 / 120, 50 / 120, 20 / 120], (3, 1)))
    assert (found[3:].max(axis=1) > 0.5).mean() > 0.9


def test_a_gap_that_is_a_state_tells_only_as_long_as_gaps_are_usual():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    told = np.where((y == 1) & (rng.random(400) < 0.9), None, "seen")
    others = pd.DataFrame({f"x{j}": (y ^ (rng.random(400) < 0.3)).astype(str) for j in range(4)})
    X = others.assign(told=told).astype(object)
    model = bl.BayesNetClassifier().fit(X, y)
    assert model.schema_.features[4].gap
    usual = {**dict.fromkeys(others, "0"), "told": None}
    assert model.scorer()(usual)[1] > 0.5  # the gap outweighs four values
    alone = model.scorer()({"x0": "0"})  # of five values four are missing: that is another kind of gap
    assert alone[0] > 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"usual": -1}, "one weight for each reading and share"),
        ({"weights": [[1.0] * 7]}, "one weight for each reading and share"),
        ({"weights": [[1.0] * 7, [0.0] * 7]}, "not zero at the end"),
        ({"weights": [[1.0, -1.0, 0, 0, 0, 0, 0], [0.0] * 7]}, "negative"),
        ({"weights": [[0.5, 0, 0, 0, 0, 0, 0], [0.0] * 7]}, "counts in complete rows too"),
    ],
)
def test_a_file_with_other_weights_is_refused(change, message):
    plain = GapCaution(2, np.array([[1.0, 1, 1, 1, 1, 1, 0], [0.0] * 7])).to_dict()
    assert GapCaution.from_dict(plain, readings=2).usual == 2
    with pytest.raises(ValueError, match=message):
        GapCaution.from_dict({**plain, **change}, readings=2)


def test_what_is_hidden_of_a_column_depends_on_its_name():
    X, y, _ = rows_with_gaps(11)
    one = bl.BayesNetClassifier().fit(X, y)
    other = bl.BayesNetClassifier().fit(X[X.columns[::-1]], y)
    np.testing.assert_allclose(
        one._predictor.gap_caution.weights, other._predictor.gap_caution.weights, atol=1e-6
    )


def test_a_copy_from_a_file_answers_the_same_bits(tmp_path):
    X, y, rng = rows_with_gaps(12)
    model = bl.BayesNetClassifier().fit(X, y)
    again = loaded(model, tmp_path)
    asked = X.where(rng.random(X.shape) >= 0.4, None)
    np.testing.assert_array_equal(again.predict_proba(asked), model.predict_proba(asked))
    assert pl.DataFrame(again.importance(asked)).equals(pl.DataFrame(model.importance(asked)))
