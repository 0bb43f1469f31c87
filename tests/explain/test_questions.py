"""What to measure next, what matters and how typical a row is: against the whole joint distribution."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from reference import questions as slow
from reference.joint import full_joint

GRAPHS = [
    bl.NaiveBayes(),
    bl.TAN(),
    bl.FixedStructure([("a", "class"), ("class", "b"), ("a", "b"), ("b", "d")]),
]


def small(seed, structure=None, rows=40):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.choice(["0", "1", "2"], (rows, 4)), columns=list("abcd"))
    y = np.where(rng.random(rows) < 0.3, "rare", np.where((X["a"] == X["b"]), "same", "other"))
    clf = bl.BayesNetClassifier(structure, parameters=bl.Laplace()).fit(X, y)
    return clf, X, rng


def averaged_joint(model):
    parts = [w * full_joint(m.network_) for w, m in zip(model.weights_, model.estimators_, strict=True)]
    return sum(parts)


def known_of(clf, row):
    states = [variable.states for variable in clf.schema_.features]
    return {j: states[j].index(value) for j, value in enumerate(row) if value is not None}


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(GRAPHS), st.integers(0, 3))
def test_value_of_information_is_the_expected_fall_of_the_entropy(seed, structure, n_known):
    clf, X, rng = small(seed, structure)
    kept = rng.choice(4, n_known, replace=False)
    row = [X.iloc[0, j] if j in kept else None for j in range(4)]
    frame = clf.value_of_information(pd.DataFrame([row], columns=list("abcd"), dtype=object))
    known, joint = known_of(clf, row), full_joint(clf.network_)
    assert set(frame["feature"]) == {"abcd"[j] for j in range(4) if j not in kept}
    assert frame["information"].round(9).is_sorted(descending=True)
    now = list(clf.classes_).index(clf.predict(pd.DataFrame([row], columns=list("abcd"), dtype=object))[0])
    for name, information, lowest, highest, change in frame.rows():
        expected, outcomes = slow.value_of_information(joint, known, "abcd".index(name))
        assert information == pytest.approx(expected, abs=1e-9)
        verdicts = [p[now] for _, p in outcomes]
        assert (lowest, highest) == pytest.approx((min(verdicts), max(verdicts)))
        others = [
            share for share, p in outcomes if p.argmax() != now and np.sort(p)[-1] - np.sort(p)[-2] > 1e-9
        ]
        ties = [share for share, p in outcomes if np.sort(p)[-1] - np.sort(p)[-2] <= 1e-9]
        assert sum(others) - 1e-9 <= change <= sum(others) + sum(ties) + 1e-9


def test_a_dict_names_what_is_known():
    clf, X, _ = small(1)
    by_name = clf.value_of_information({"b": "1"})
    by_row = clf.value_of_information(
        pd.DataFrame([[None, "1", None, None]], columns=list("abcd"), dtype=object)
    )
    assert by_name.equals(by_row)
    assert clf.value_of_information(X.iloc[[0]]).shape == (0, 5)
    assert clf.value_of_information({}).height == 4
    arrays = bl.BayesNetClassifier().fit(X.to_numpy(), X["a"].to_numpy())
    assert arrays.value_of_information({"x0": "1"}).height == 3
    with pytest.raises(ValueError, match="no column 'e'; its columns are a, b, c, d"):
        clf.value_of_information({"e": "1"})
    with pytest.raises(ValueError, match=r"takes one row\. Got 2 rows"):
        clf.value_of_information(X.iloc[:2])


def test_decisions_by_cost_change_as_predict_does():
    _, X, _ = small(3)
    y = np.where(X["a"] == "0", "sick", "well")
    careful = bl.BayesNetClassifier(loss={"sick": {"well": 5.0}}).fit(X, y)
    plain = bl.BayesNetClassifier().fit(X, y)
    # Nothing is known: the careful one says sick at first, and "a" is what makes it change its mind.
    assert careful.predict(pd.DataFrame([[None] * 4], columns=list("abcd"), dtype=object))[0] == "sick"
    change = dict(careful.value_of_information({}).select("feature", "change").rows())
    assert change["a"] == pytest.approx(1 - np.exp(careful.log_evidence(evidence_of(a="0")))[0], abs=1e-6)
    assert change["a"] != pytest.approx(plain.value_of_information({})["change"][0])


def evidence_of(**values):
    return pd.DataFrame([[values.get(name) for name in "abcd"]], columns=list("abcd"), dtype=object)


def test_a_gap_with_a_state_of_its_own_can_still_be_measured():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(["x", "y", None], 300), "b": rng.choice(["x", "y"], 300)}, dtype=object)
    y = np.where(X["a"].isna(), "gap", np.where(X["b"] == "x", "no", "yes"))
    clf = bl.BayesNetClassifier(parameters=bl.Shrinkage(), missing="state").fit(X, y)
    frame = clf.value_of_information({"b": "x"})
    assert frame["feature"].to_list() == ["a"]
    joint = full_joint(clf.network_)[:2]  # the third state is that of missing values
    expected, _ = slow.value_of_information(joint, {1: 0}, 0)
    assert frame["information"][0] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(GRAPHS))
def test_importance_is_information_alone_and_beside_the_others(seed, structure):
    clf, X, _ = small(seed, structure)
    joint = full_joint(clf.network_)
    alone = dict(clf.importance(X).select("feature", "information").rows())
    for j, name in enumerate("abcd"):
        assert alone[name] == pytest.approx(slow.value_of_information(joint, {}, j)[0], abs=1e-9)
    found = dict(clf.importance(draws=3000).select("feature", "added").rows())
    for j, name in enumerate("abcd"):
        assert found[name] == pytest.approx(slow.added_by(joint, j), abs=0.04)


def test_added_is_the_mean_over_the_rows_given():
    clf, X, _ = small(5)
    joint = full_joint(clf.network_)
    rows = X.iloc[:7]
    found = dict(clf.importance(rows).select("feature", "added").rows())
    for j, name in enumerate("abcd"):
        terms = []
        for row in rows.to_numpy():
            known = known_of(clf, row)
            p, q = (
                slow.class_given(joint, known),
                slow.class_given(joint, {k: s for k, s in known.items() if k != j}),
            )
            terms.append(sum(p * np.log2(p / q)))
        assert found[name] == pytest.approx(np.mean(terms), abs=1e-9)


def test_effects_of_states_are_log_odds_against_the_prior():
    clf, X, _ = small(7)
    joint = full_joint(clf.network_)
    frame = clf.importance(X, states=True)
    assert frame.height == 4 * 3 * 3
    logit = lambda p: np.log(p / (1 - p))  # noqa: E731
    for name, state, label, share, rows, log_odds in frame.rows():
        j, s, c = "abcd".index(name), int(state), list(clf.classes_).index(label)
        assert share == pytest.approx(slow.given_values(joint, {j: s}).sum())
        assert rows == (X[name] == state).sum()
        effect = logit(slow.class_given(joint, {j: s})[c]) - logit(slow.class_given(joint, {})[c])
        assert log_odds == pytest.approx(effect, abs=1e-9)
    assert clf.importance(states=True)["rows"].null_count() == 36


@pytest.mark.parametrize("kind", ["one", "averaged"])
def test_typicality_is_the_share_of_rows_that_are_no_more_probable(kind):
    clf, X, _ = small(11)
    model = (
        clf if kind == "one" else bl.AveragedClassifier(bl.AODE(), clone_of(clf)).fit(X, X["a"].to_numpy())
    )
    joint = full_joint(model.network_) if kind == "one" else averaged_joint(model)
    rows = pd.DataFrame(
        [["0", "0", "0", "0"], ["1", None, "2", None], ["2", "2", None, "1"]],
        columns=list("abcd"),
        dtype=object,
    )
    frame = model.typicality(rows, draws=4000)
    np.testing.assert_array_equal(frame["log_evidence"].to_numpy(), model.log_evidence(rows))
    for k, row in enumerate(rows.to_numpy()):
        known = known_of(model, row)
        p = slow.given_values(joint, known).sum()
        assert frame["log_evidence"][k] == pytest.approx(np.log(p), abs=1e-9)
        assert frame["typicality"][k] == pytest.approx(slow.share_no_more_probable(joint, known), abs=0.04)
        apart = [slow.given_values(joint, {j: s}).sum() for j, s in known.items()]
        assert frame["conflict"][k] == pytest.approx(np.log(np.prod(apart) / p), abs=1e-9)


def clone_of(clf):
    return bl.BayesNetClassifier(parameters=clf.parameters)


def test_an_averaged_model_answers_for_its_mixture():
    clf, X, _ = small(13)
    model = bl.AveragedClassifier(bl.AODE(), clone_of(clf)).fit(X, X["b"].to_numpy())
    joint = averaged_joint(model)
    for name, information, *_ in model.value_of_information({"a": "1"}).rows():
        expected, _ = slow.value_of_information(joint, {0: 1}, "abcd".index(name))
        assert information == pytest.approx(expected, abs=1e-9)


def test_models_without_a_joint_distribution_say_so():
    _, X, _ = small(17)
    averaged = bl.AveragedClassifier(bl.ATAN(), random_state=0).fit(X, X["a"].to_numpy())
    with pytest.raises(ValueError, match="averages class probabilities, not joint probabilities"):
        averaged.log_evidence(X)
    by_row = bl.BayesNetClassifier(bl.KDB(k=1, functional_dependencies=True)).fit(X, X["a"].to_numpy())
    with pytest.raises(ValueError, match="needs one network for all rows"):
        by_row.typicality(X)
    with pytest.raises(ValueError, match="'draws' parameter of typicality"):
        small(1)[0].typicality(X, draws=0)


def test_impossible_evidence_tells_nothing():
    X = pd.DataFrame({"a": ["x", "y"] * 5, "b": ["x", "y"] * 5, "c": ["x", "x", "y", "y", "x"] * 2})
    clf = bl.BayesNetClassifier(bl.TAN(), parameters=bl.MaximumLikelihood(epsilon=0)).fit(
        X, ["no", "yes"] * 5
    )
    frame = clf.value_of_information({"a": "x", "b": "y"})
    assert frame.rows() == [("c", 0.0, None, None, 0.0)]
    odd = clf.typicality(pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["x"]}))
    assert odd["conflict"][0] == np.inf
    assert odd["typicality"][0] == 0.0
