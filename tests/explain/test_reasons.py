import xml.etree.ElementTree as ET
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.explain.reasons import SufficientReason, WorstCase, _smallest_margins, reason_for
from bayleaf.network.decisions import best_class
from reference.counted import counted
from reference.reasons import class_log_joint, worst_margins

KINDS = ("naive", "tree", "two parents", "any")


def random_network(rng, kind, n_features=5, n_classes=3):
    """Random tables on a random graph whose last node is the class."""
    names = [f"x{i}" for i in range(n_features)] + ["class"]
    target = n_features
    arcs = []
    for i in range(n_features):
        limit = {"naive": 0, "tree": 1, "two parents": 2, "any": 3}[kind]
        chosen = rng.choice(i, size=min(i, rng.integers(limit + 1)), replace=False) if i else []
        arcs += [(names[p], names[i]) for p in chosen]
        if kind != "any" or rng.random() < 0.6:
            arcs.append(("class", names[i]))
    if kind == "any":  # the class has a parent, which must not be its child
        arcs = [arc for arc in arcs if arc != ("class", "x0")] + [("x0", "class")]
    dag = bl.DAG(names, arcs)
    arities = [*rng.integers(2, 4, size=n_features), n_classes]
    variables = [
        bl.data.Variable(name, tuple(f"s{k}" for k in range(r)))
        for name, r in zip(names, arities, strict=True)
    ]
    tables = [
        rng.dirichlet(np.full(arities[node], 0.7), size=[arities[p] for p in parents])
        for node, parents in enumerate(dag.parent_indices)
    ]
    return bl.BayesNet(variables, dag, tables, "class"), target


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(2, 3))
def test_worst_case_is_the_smallest_log_odds_of_all_completions(seed, kind, n_classes):
    rng = np.random.default_rng(seed)
    network, target = random_network(rng, kind, n_classes=n_classes)
    decision = int(rng.integers(n_classes))
    kept = {i: int(rng.integers(network.variables[i].arity)) for i in range(target) if rng.random() < 0.4}
    expected = worst_margins(network, kept, decision)
    np.testing.assert_allclose(WorstCase(network, decision).margins(kept), expected, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_a_reason_guarantees_the_decision_and_nothing_can_be_left_out(seed, kind):
    rng = np.random.default_rng(seed)
    network, _ = random_network(rng, kind)
    codes = np.array([rng.integers(variable.arity) for variable in network.variables])
    decision = int(class_log_joint(network, codes).argmax())
    prior = np.array(list(network.posterior("class").values()))
    reason = reason_for(network, dict(enumerate(codes[:-1].tolist())), decision, "it", prior)
    kept = {network.dag.index(name): int(state[1:]) for name, state in reason.values.items()}
    assert reason.guaranteed
    assert all(codes[i] == state for i, state in kept.items())
    assert worst_margins(network, kept, decision).min() == pytest.approx(reason.margin, abs=1e-9)
    assert reason.margin > 0
    for i in kept:
        fewer = {j: state for j, state in kept.items() if j != i}
        assert worst_margins(network, fewer, decision).min() < 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_for_naive_bayes_with_two_classes_no_smaller_set_exists(seed):
    rng = np.random.default_rng(seed)
    network, target = random_network(rng, "naive", n_classes=2)
    codes = np.array([rng.integers(variable.arity) for variable in network.variables])
    decision = int(class_log_joint(network, codes).argmax())
    reason = reason_for(network, dict(enumerate(codes[:-1].tolist())), decision, "it", network.cpt("class"))
    if reason.values:
        for smaller in combinations(range(target), len(reason.values) - 1):
            kept = {i: int(codes[i]) for i in smaller}
            assert worst_margins(network, kept, decision).min() < 0


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({name: rng.choice(["n", "y"], 200) for name in "abcd"})
    return X, np.where((X["a"] == "y") & (X["b"] == "y"), "for", "against")


def test_the_reason_of_a_row_keeps_what_the_rule_needs(votes):
    X, y = votes
    clf = bl.BayesNetClassifier().fit(X, y)
    row = pd.DataFrame([["y", "y", "n", "y"]], columns=list("abcd"))
    reason = clf.sufficient_reason(row)
    assert reason.decision == "for"
    assert {"a": "y", "b": "y"}.items() <= reason.values.items()
    assert "'for' because a = y and b = y" in str(reason)


def test_missing_values_that_could_overturn_the_decision_are_reported(votes):
    X, y = votes
    clf = bl.BayesNetClassifier().fit(X, y)
    reason = clf.sufficient_reason(pd.DataFrame([[None, "y", None, None]], columns=list("abcd")))
    assert not reason.guaranteed
    assert "missing features could overturn it" in str(reason)


def test_a_constant_decision_needs_no_values():
    X = pd.DataFrame({"x": ["a", "b"] * 10, "z": ["a"] * 20})
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, ["yes"] * 18 + ["no"] * 2)
    assert str(clf.sufficient_reason(X.iloc[[0]])) == "Always 'yes', whatever the features."


def test_zero_probabilities_do_not_make_false_promises():
    x, z, c = (bl.data.Variable(name, ("0", "1")) for name in "xzc")
    dag = bl.DAG(["x", "z", "c"], [("c", "x"), ("c", "z")])
    tables = [[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.0, 1.0]], [0.5, 0.5]]
    network = bl.BayesNet([x, z, c], dag, tables, "c")
    reason = reason_for(network, {0: 0, 1: 0}, 0, "0", np.array([0.5, 0.5]))
    assert reason.values == {"z": "0"}


def cases_with_costs(rng, n_features=4):
    X = pd.DataFrame({f"f{j}": rng.choice(["u", "v"], 60) for j in range(n_features)})
    y = np.where(rng.random(60) < 0.3, "ill", np.where(X["f0"] == "u", "ill", "well"))
    return X, y


LOSSES = {
    "ill is dear to miss": [[0, 10], [1, 0]],
    "well is dear to miss": [[0, 1], [4, 0]],
    "right has a price": [[1, 9], [3, 2]],
    "one decision is never dearer": [[0, 1], [0, 0]],
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN()], ids=["naive", "tree"])
@pytest.mark.parametrize("seed", range(2))
def test_with_a_loss_the_cheapest_decision_is_guaranteed(loss, structure, seed):
    X, y = cases_with_costs(np.random.default_rng(seed))
    clf = counted(structure, loss=loss).fit(X, y)
    every = pd.DataFrame(list(product("uv", repeat=X.shape[1])), columns=X.columns)
    decisions = clf.predict(every)

    def guaranteed(values, decision):
        agree = np.logical_and.reduce(
            [np.ones(len(every), bool), *(every[k] == v for k, v in values.items())]
        )
        return bool((decisions[agree] == decision).all())

    for k in range(len(every)):
        reason = clf.sufficient_reason(every[k : k + 1])
        assert reason.guaranteed
        assert reason.decision == decisions[k]
        assert guaranteed(reason.values, reason.decision)
        for name in reason.values:
            fewer = {key: value for key, value in reason.values.items() if key != name}
            assert not guaranteed(fewer, reason.decision)


def test_with_a_loss_and_more_classes_no_reason_is_promised():
    X = pd.DataFrame({"x": ["a", "b", "c"] * 10})
    clf = bl.BayesNetClassifier(loss=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).fit(X, ["r", "s", "t"] * 10)
    with pytest.raises(ValueError, match=r"needs two classes; the model has 3\. Fit without the loss"):
        clf.sufficient_reason(X[:1])


def test_with_a_loss_the_decision_is_explained_not_the_most_probable_class():
    X, y = cases_with_costs(np.random.default_rng(1))
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), loss=[[0, 10], [1, 0]]).fit(X, y)
    explanation = clf.explain(X)
    assert explanation.target.tolist() == clf.predict(X).tolist()
    assert (explanation.log_odds < 0).any()  # decided against the odds, for the costs
    assert set(clf.explain(X, against="ill").target) == {"well"}


def test_one_row_at_a_time(votes):
    X, y = votes
    clf = bl.BayesNetClassifier().fit(X, y)
    with pytest.raises(ValueError, match="one row at a time"):
        clf.sufficient_reason(X.iloc[:2])


def test_rows_with_parents_of_their_own_are_refused(votes):
    X, y = votes
    clf = bl.BayesNetClassifier(bl.KDB(k=1, functional_dependencies=True)).fit(X, y)
    with pytest.raises(ValueError, match="one network for all rows"):
        clf.sufficient_reason(X.iloc[[0]])


def test_a_network_without_a_class_has_no_reasons():
    network = bl.BayesNet([bl.data.Variable("a", ("0", "1"))], bl.DAG(["a"]), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="needs a class"):
        WorstCase(network, 0)


def test_the_record_of_training_survives_the_model_file(tmp_path, votes):
    X, y = votes
    X = X.assign(c=[None, "n"] * 100)
    clf = bl.BayesNetClassifier().fit(X, y)
    assert clf.training_.rows == 200
    assert clf.training_.missing["c"] == 0.5
    assert sum(clf.training_.class_weights) == 200
    clf.save(tmp_path / "m.json")
    assert bl.load(tmp_path / "m.json").training_ == clf.training_


def test_the_recorded_log_likelihood_is_that_of_the_network(votes):
    X, y = votes
    clf = bl.BayesNetClassifier().fit(X, y)
    rows = X.assign(**{clf.network_.target: y})
    assert clf.training_.log_likelihood == pytest.approx(clf.network_.log_likelihood(rows).sum())


def test_notebooks_show_a_reason_as_a_table():
    reason = SufficientReason("<b>", {"x & y": "<script>", "z": 3}, 1.25, guaranteed=True)
    shown = ET.fromstring(reason._repr_html_())
    assert ["".join(line.itertext()) for line in shown.iter("tr")] == ["x & y<script>", "z3"]
    assert shown.findtext("b") == "'<b>', whatever the other features, because"
    assert "+1.250" in shown.findtext("p")
    open_case = SufficientReason("<b>", {"x": "a"}, -1.0, guaranteed=False)
    assert ET.fromstring(open_case._repr_html_()).findtext("b") == str(open_case)


@pytest.mark.parametrize("prior", list(product([0.2, 0.3], repeat=3)))
@pytest.mark.parametrize("decision", range(3))
def test_a_decision_is_guaranteed_by_a_tie_only_where_it_wins_it(decision, prior):
    """Against each other class: equal posteriors count as enough exactly where prediction then says the same."""
    frequency = np.array(prior) / sum(prior)
    margins = _smallest_margins(decision, frequency, None)
    for other, margin in zip([c for c in range(3) if c != decision], margins.tolist(), strict=True):
        posterior = np.full((1, 3), 0.1)
        posterior[0, [decision, other]] = 0.45
        wins = best_class(posterior, frequency)[0] == decision
        assert (margin < 0) == wins
        assert abs(margin) < 1e-6
