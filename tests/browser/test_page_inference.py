"""What the page computes is what the library computes."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.learn import structure
from bayleaf.learn.register import learners
from bayleaf.learn.structure.structure_learner import PredictingLearner
from browser.conftest import set_state, shown_distribution
from reference.random_networks import SHAPES, random_network


def check_all_nodes(page, network, given):
    evidence = {network.nodes[i]: network.variables[i].states[state] for i, state in given.items()}
    for i, variable in enumerate(network.variables):
        shown = shown_distribution(page, i)
        assert shown, f"{variable.name} is not shown"
        if i in given:
            expected = [float(k == given[i]) for k in range(variable.arity)]
        else:
            expected = list(network.posterior(variable.name, evidence).values())
        for state, p in shown.items():
            assert p == pytest.approx(expected[state], abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [0, 1])
def test_posteriors_after_clicks_are_those_of_the_network(open_page, shape, seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, shape)
    page = open_page(network)
    check_all_nodes(page, network, {})
    row = network.sample_table(1, seed).codes[0]
    features = [i for i in range(len(network.nodes)) if network.nodes[i] != network.target]
    given = {}
    for i in rng.permutation(features)[:4].tolist():
        given[i] = int(row[i])
        set_state(page, i, given[i])
        check_all_nodes(page, network, given)
    first = next(iter(given))
    set_state(page, first, given.pop(first))  # a second click clears it
    check_all_nodes(page, network, given)


LEARNERS = sorted(set(learners("structure")) - {"FixedStructure"})


@pytest.mark.filterwarnings("ignore:Exact search leaves out")
@pytest.mark.parametrize("name", LEARNERS)
def test_rows_loaded_as_evidence_get_the_probabilities_of_the_classifier(open_page, name):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 120) for j in range(6)})
    X["number"] = rng.normal(size=120)
    y = np.where((X["f0"] == "a") ^ (X["number"] > 0), "yes", "no")
    X = X.mask(rng.random(X.shape) < 0.1)
    clf = bl.BayesNetClassifier(getattr(structure, name)()).fit(X, y)
    if isinstance(clf.structure_, PredictingLearner) and clf._predictor is not clf.network_:
        pytest.skip("The page shows the network beneath the answers, and says so: tests/page.")
    page = open_page(clf, X, y)
    probabilities = clf.predict_proba(X)
    for k in (0, 7, 31):
        page.select_option("#row", str(k))
        shown = shown_distribution(page, len(clf.network_.nodes) - 1)
        assert [shown[0], shown[1]] == pytest.approx(probabilities[k].tolist(), abs=1e-6)


def test_the_class_itself_can_be_set(open_page):
    network = random_network(np.random.default_rng(3), "tree")
    page = open_page(network)
    page.click("#decision [data-state='1']")
    assert "class itself is set" in page.inner_text("#sentence")
    check_all_nodes(page, network, {len(network.nodes) - 1: 1})


def test_impossible_evidence_is_said_to_be_impossible(open_page):
    a, b = bl.data.Variable("a", ("0", "1")), bl.data.Variable("b", ("0", "1"))
    network = bl.BayesNet(
        [a, b], bl.DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]]], "b"
    )
    page = open_page(network)
    page.click("[data-feature='0'] [data-state='0']")
    page.click("#decision [data-state='1']")
    assert "impossible" in page.inner_text("#sentence")
    page.click("#clear")
    assert "Before anything is known" in page.inner_text("#sentence")


def test_a_number_sets_the_interval_that_holds_it(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(0, 100, 300)})
    clf = bl.BayesNetClassifier(discretizer=bl.Cuts({"age": [18.0, 65.0]})).fit(X, X["age"].to_numpy() > 50)
    page = open_page(clf)
    field = page.locator("[data-feature='0'] input.number")
    for value, state in (("18", 0), ("18.5", 1), ("99", 2)):
        field.fill(value)
        field.press("Enter")
        assert page.get_attribute(f"[data-feature='0'] [data-state='{state}']", "aria-pressed") == "true"


def test_many_features_neither_vanish_nor_overflow(open_page):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame({f"f{j}": np.where(rng.random(300) < 0.97, y, 1 - y).astype(str) for j in range(150)})
    clf = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, y)
    page = open_page(clf, X, y)
    page.select_option("#row", "0")
    shown = shown_distribution(page, 150)
    assert [shown[0], shown[1]] == pytest.approx(clf.predict_proba(X[:1])[0].tolist(), abs=1e-6)
    page.click("#tab-why")
    total = float(page.get_attribute("#evidence-bars .total", "data-weight"))
    assert total == pytest.approx(clf.explain(X[:1]).log_odds[0], rel=1e-9)


def grid(n, gapped=()):
    """A network on a grid of n by n nodes, some with a gap: too densely connected to be asked exactly."""
    rng = np.random.default_rng(0)
    name = "x{}.{}".format
    arcs = [(name(i, j), name(i + 1, j)) for i in range(n - 1) for j in range(n)]
    arcs += [(name(i, j), name(i, j + 1)) for i in range(n) for j in range(n - 1)]
    dag = bl.DAG([name(i, j) for i in range(n) for j in range(n)], arcs)
    variables = [bl.data.Variable(each, ("no", "yes")) for each in dag.nodes]
    variables = [each.with_gap() if each.name in gapped else each for each in variables]
    tables = [
        rng.dirichlet([2] * variable.arity, [variables[k].arity for k in parents])
        for variable, parents in zip(variables, dag.parent_indices, strict=True)
    ]
    return bl.BayesNet(variables, dag, tables)


def bits(joint):
    """The information of two nodes about one another, from their joint distribution without gaps."""
    table = np.reshape(list(joint.values()), (2, -1))[:, :2]
    table = table / table.sum()
    return float((table * np.log2(table / np.outer(table.sum(1), table.sum(0)))).sum())


def test_a_network_too_wide_for_exact_answers_says_so_at_once_and_estimates(open_page):
    network = grid(16)
    page = open_page(network)
    assert "too densely connected for exact answers" in page.inner_text("#estimated")
    assert "worth 4,000" in page.inner_text("#estimated")
    set_state(page, 1, 1)
    first, corner = network.posterior("x0.0", {"x0.1": "yes"}), network.posterior("x1.1", {"x0.1": "yes"})
    assert shown_distribution(page, 0)[1] == pytest.approx(first["yes"], abs=0.04)
    assert shown_distribution(page, 17)[1] == pytest.approx(corner["yes"], abs=0.04)
    assert "worth 4,000" not in page.inner_text("#estimated")
    page.select_option("#target", label="ask for x0.0")
    assert shown_distribution(page, 0)[1] == pytest.approx(first["yes"], abs=0.04)
    page.click("#tab-why")
    assert "too dense for exact weights" in page.inner_text("#evidence-bars")
    assert page.is_hidden("#sufficient")
    page.click("#tab-next")
    page.wait_for_selector("[data-next]")
    below = page.locator("[data-next='16']")
    expected = bits(network.joint_posterior(["x0.0", "x1.0"], {"x0.1": "yes"}))
    assert float(below.get_attribute("data-information")) == pytest.approx(expected, abs=0.02)
    page.click("#tab-features")
    told = float(page.locator(".importance [data-node='1'] summary").get_attribute("data-information"))
    assert told == pytest.approx(bits(network.joint_posterior(["x0.0", "x0.1"])), abs=0.02)


def test_what_is_set_as_a_gap_may_be_measured_by_estimates_too(open_page):
    network = grid(16, gapped=["x0.1"])
    page = open_page(network)
    page.select_option("#target", label="ask for x0.0")
    set_state(page, 1, 2)
    page.click("#tab-next")
    page.wait_for_selector("[data-next]")
    expected = bits(network.joint_posterior(["x0.0", "x0.1"]))
    assert expected > 0.05
    shown = float(page.locator("[data-next='1']").get_attribute("data-information"))
    assert shown == pytest.approx(expected, abs=0.02)
    # The others are asked with the gap as it is set.
    below = bits(network.joint_posterior(["x0.0", "x1.0"], {"x0.1": "(missing)"}))
    shown = float(page.locator("[data-next='16']").get_attribute("data-information"))
    assert shown == pytest.approx(below, abs=0.02)
