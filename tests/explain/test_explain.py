import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.explain.evidence import Pair, _weigh_by_hiding, weigh
from reference.counted import counted
from reference.random_networks import SHAPES, random_network


def iris(**settings):
    X, y = load_iris(return_X_y=True, as_frame=True)
    return bl.BayesNetClassifier(**settings).fit(X, y.map({0: "setosa", 1: "versicolor", 2: "virginica"})), X


GRAPHS = [
    bl.NaiveBayes(),
    bl.TAN(),
    # The class has parents, one feature stands apart, and one is outside the Markov blanket.
    bl.FixedStructure([("x0", "class"), ("x1", "class"), ("class", "x2"), ("x1", "x2"), ("x0", "x3")]),
]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(GRAPHS), st.sampled_from([0.0, 0.3]))
def test_evidence_adds_up_to_the_posterior_log_odds(seed, structure, missing):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.choice(["a", "b", "c"], (40, 5)), columns=[f"x{j}" for j in range(5)])
    y = np.array(["no", "yes", "maybe"])[rng.integers(0, 3, 40)]
    y[:3] = ["no", "yes", "maybe"]
    clf = bl.BayesNetClassifier(structure, bl.Dirichlet()).fit(X, y)
    gaps = X.where(rng.random(X.shape) >= missing, None)
    explanation = clf.explain(gaps)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-9)
    p = clf.predict_proba(gaps)
    rows = np.arange(40)
    c, other = (np.searchsorted(clf.classes_, labels) for labels in (explanation.target, explanation.against))
    np.testing.assert_allclose(explanation.log_odds, np.log(p[rows, c] / p[rows, other]), atol=1e-9)
    np.testing.assert_allclose(explanation.probability, p[rows, c])
    assert (explanation.target == clf.predict(gaps)).all()
    assert (explanation.evidence[gaps.isna().to_numpy()] == 0).all()


@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN()], ids=repr)
def test_complete_rows_give_the_weight_of_evidence_of_each_family(structure):
    clf, X = iris(structure=structure)
    explanation = clf.explain(X, target="virginica", against="versicolor")
    net, codes = clf._member.deciding_network, clf.encode(X).codes
    for node, name in enumerate(net.nodes[:-1]):
        family = [*net.dag.parent_indices[node], node]
        for row in range(0, 150, 11):
            states = [2 if k == 4 else codes[row, k] for k in family]
            others = [1 if k == 4 else codes[row, k] for k in family]
            weight = np.log(net.cpt(name)[tuple(states)] / net.cpt(name)[tuple(others)])
            assert explanation.evidence[row, node] == pytest.approx(weight, abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.sampled_from([0.0, 0.1]), st.booleans())
def test_tables_hold_the_evidence_that_hiding_features_finds(seed, shape, gaps, fixed):
    assume(shape != "no class")
    rng = np.random.default_rng(seed)
    network = random_network(rng, shape)
    target = len(network.nodes) - 1
    codes = network.sample_table(25, rng).codes[:, :-1].astype(int)
    codes[rng.random(codes.shape) < gaps] = -1
    table = bl.data.Table.from_codes(network.variables[:-1], codes)
    log_joint = network.log_joint(table, target, 1)
    classes = log_joint.shape[1]
    chosen = np.full(25, rng.integers(classes)) if fixed else log_joint.argmax(axis=1)
    pair = Pair(chosen, (chosen + 1) % classes)
    no_class = rng.random(25) < 0.1  # as if these rows were impossible
    possible = ~pair.impossible(log_joint) | no_class
    evidence, prior = weigh(network, table, pair, no_class)
    expected, prior_expected = _weigh_by_hiding(network, table, pair, no_class)
    np.testing.assert_allclose(prior, prior_expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(evidence[possible], expected[possible], rtol=1e-12, atol=1e-12)


def test_values_are_written_out_when_they_are_asked_for():
    clf, X = iris()
    values = clf.explain(X.where(X > 0.15)).values
    assert len(values) == 150
    assert values[0] == values[:2][0] == next(iter(values))
    assert values[9][3] == ""
    assert values == list(values)
    assert values != list(values)[:2]
    assert repr(values) == "<RowValues rows=150 features=4>"


def test_it_prints_and_exports():
    clf, X = iris()
    explanation = clf.explain(X.iloc[[0, 110]])
    text = str(explanation)
    assert "Row 1: virginica against versicolor" in text
    assert "petal width (cm)" in text
    assert f"{explanation.log_odds[1]:+.3f}" in text
    frame = explanation.to_frame("pandas")
    assert frame.columns.tolist() == ["row", "target", "against", "feature", "value", "evidence"]
    np.testing.assert_allclose(frame.groupby("row")["evidence"].sum(), explanation.log_odds)
    assert explanation.to_frame().shape == (10, 6)
    assert "... and 45 more rows" in str(clf.explain(X.iloc[:50]))


def test_it_plots():
    clf, X = iris()
    axes = clf.explain(X.iloc[[110]]).plot()
    assert len(axes.patches) == 5
    assert "virginica against versicolor" in axes.get_xlabel()
    with pytest.raises(ValueError, match=r"row must be in the range \[0, 0\]. Got 3 instead"):
        clf.explain(X.iloc[[110]]).plot(row=3)


def test_bad_classes():
    clf, X = iris()
    with pytest.raises(ValueError, match="target='rose' is not a class; the classes are"):
        clf.explain(X, target="rose")
    with pytest.raises(ValueError, match="the same class"):
        clf.explain(X, target="setosa", against="setosa")


def with_zeros():
    """Each value of f occurs with one class only, g with all of them."""
    X = pd.DataFrame({"f": ["a", "b", "c"] * 4, "g": ["x", "y"] * 6})
    y = np.array(["A", "B", "C"] * 4)
    return bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(epsilon=0)).fit(X, y), X


def test_a_feature_that_rules_a_class_out_has_infinite_evidence():
    clf, X = with_zeros()
    explanation = clf.explain(X)
    assert (explanation.log_odds == np.inf).all()
    assert (explanation.evidence[:, 0] == np.inf).all()
    assert (explanation.evidence[:, 1] == 0).all()
    assert (explanation.total == np.inf).all()
    reverse = clf.explain(X.iloc[[0]], target="B", against="A")
    assert reverse.evidence[0, 0] == reverse.log_odds[0] == -np.inf
    assert "-inf" in str(reverse)
    axes = reverse.plot()
    assert all(np.isfinite(bar.get_width()) for bar in axes.patches)
    assert any("(infinite)" in label.get_text() for label in axes.get_yticklabels())


def test_a_row_of_no_class_has_the_prior_and_no_evidence():
    X = pd.DataFrame({"f": ["a", "b", "b"] * 4, "g": ["x", "y", "y"] * 4})
    y = np.array(["A", "B", "B"] * 4)
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(epsilon=0)).fit(X, y)
    explanation = clf.explain(pd.DataFrame({"f": ["a"], "g": ["y"]}))
    assert (explanation.evidence == 0).all()
    assert explanation.target[0] == "B"
    assert explanation.log_odds[0] == pytest.approx(np.log(2))
    assert explanation.probability[0] == pytest.approx(2 / 3)


def test_two_classes_that_are_both_impossible_are_refused():
    clf, X = with_zeros()
    with pytest.raises(ValueError, match=r"Row 0, counted from 0 \(2 in all\), has probability zero under"):
        clf.explain(X.iloc[[0, 3]], target="B", against="C")
    with pytest.raises(ValueError, match="The row has probability zero under both classes"):
        clf.explain(X.iloc[[3]], target="B", against="C")


def test_labels_that_look_like_markup_are_printed_as_they_are():
    X = pd.DataFrame({"[red]f": ["[/no]", "b"] * 5})
    explanation = bl.BayesNetClassifier().fit(X, ["[/no]", "[bold]yes"] * 5).explain(X.iloc[[0]])
    assert "[/no] against [bold]yes, P([/no])" in str(explanation)
    assert "[red]f" in str(explanation)


def test_it_has_a_short_repr():
    clf, X = iris()
    explanation = clf.explain(X.iloc[[110, 111]])
    shown = f"virginica against versicolor, log-odds {explanation.log_odds[0]:+.3f}, ..."
    assert repr(explanation) == f"<Explanation rows=2 features=4: {shown}>"


def cells(html):
    """The texts of the cells of each line."""
    return [["".join(cell.itertext()) for cell in line] for line in ET.fromstring(html).iter("tr")]


def test_notebooks_show_a_table_that_adds_up():
    clf, X = iris()
    found = clf.explain(X.iloc[[110]])
    lines = cells(found._repr_html_())
    assert lines[0] == ["feature", "value", "log-odds", ""]
    assert lines[1][0] == "(prior)"
    assert lines[-1] == ["total", "", f"{found.log_odds[0]:+.3f}", ""]
    assert {line[0]: line[2] for line in lines[2:-1]} == {
        name: f"{weight:+.3f}" for name, weight in zip(found.features, found.evidence[0], strict=True)
    }
    sizes = [abs(float(line[2])) for line in lines[2:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(float(line[2]) for line in lines[1:-1]) == pytest.approx(found.log_odds[0], abs=0.01)


def test_bars_go_to_the_side_of_the_evidence():
    clf, X = iris()
    found = clf.explain(X.iloc[[110]])
    lines = list(ET.fromstring(found._repr_html_()).iter("tr"))[1:-1]
    for line in lines:
        bar, weight = next(line.iter("rect")), float(line[2].text)
        start, length = float(bar.get("x")), float(bar.get("width"))
        assert (start == 80) if weight >= 0 else (start + length == 80)
    assert max(float(next(line.iter("rect")).get("width")) for line in lines) == 80


def test_notebooks_show_the_strongest_features_and_the_first_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    X = np.where(rng.random((60, 20)) < 0.7, y[:, None], 1 - y[:, None])
    found = counted(loss=[[0, 1], [5, 0]]).fit(X, y).explain(X[:7])
    html = found._repr_html_()
    assert html.count("5 other features") == 5  # one for each row shown
    assert html.count(found.cost_sentence(0)) == 1
    assert "Row 4: " in html
    assert "Row 5: " not in html
    assert "... and 2 more rows" in html


def test_notebooks_show_hostile_names_as_text():
    hostile = "<script>alert('&')</script>"
    X = pd.DataFrame({hostile: ["<img src=x onerror=alert(1)>", "b"] * 5})
    html = counted().fit(X, ["<no>", "</td>"] * 5).explain(X.iloc[[0]])._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert cells(html)[2][:2] == [hostile, "<img src=x onerror=alert(1)>"]
    assert ET.fromstring(html).findtext("b").startswith("<no> against </td>")


def test_plotting_leaves_the_size_of_a_figure_alone():
    from matplotlib.figure import Figure

    clf, X = iris()
    figure = Figure(figsize=(3, 9))
    axes = figure.subplots()
    assert clf.explain(X.iloc[[110]]).plot(ax=axes) is axes
    assert figure.get_size_inches().tolist() == [3, 9]


def test_expected_costs_are_those_of_both_decisions():
    costs = np.array([[0.0, 1.0, 2.0], [8.0, 0.0, 1.0], [9.0, 3.0, 0.0]])
    clf, X = iris(loss=costs)
    explanation = clf.explain(X)
    expected = clf.predict_proba(X) @ costs
    for column, labels in enumerate((explanation.target, explanation.against)):
        codes = np.searchsorted(clf.classes_, labels)
        np.testing.assert_allclose(explanation.expected_cost[:, column], expected[np.arange(len(X)), codes])
    np.testing.assert_allclose(explanation.expected_cost[:, 0], expected.min(axis=1))
    assert str(explanation).count("The decision minimises expected cost: ") == 5


def test_without_costs_an_explanation_has_none():
    clf, X = iris()
    explanation = clf.explain(X[:1])
    assert explanation.expected_cost is None
    assert explanation.cost_sentence(0) == ""
    assert "cost" not in str(explanation)


def gappy_cases():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("abc"), 300) for name in "fgh"})
    y = np.where((X["f"] == "a") ^ (rng.random(300) < 0.2) | (X["g"] == "b"), "yes", "no")
    return X.assign(same="x"), y


def test_known_values_are_counted_and_weighed_by_their_information():
    X, y = gappy_cases()
    model = bl.BayesNetClassifier().fit(X, y)
    rows = X[:3].astype(object)
    rows.iloc[1, 0] = rows.iloc[2, 0] = rows.iloc[2, 1] = None
    explanation = model.explain(rows)
    told = {}
    for name in "fgh":  # as the joint distribution of the network has it
        p = np.array(
            [[model.network_.joint_posterior([name, "class"])[x, c] for c in ("no", "yes")] for x in "abc"]
        )
        by_chance = (3 - 1) * (2 - 1) / (2 * len(y))
        told[name] = max((p * np.log(p / np.outer(p.sum(1), p.sum(0)))).sum() - by_chance, 0)
    assert explanation.known.tolist() == [3, 2, 1]  # a column of one value is none that could tell
    expected = [1.0, 1 - told["f"] / sum(told.values()), told["h"] / sum(told.values())]
    assert explanation.information == pytest.approx(expected, abs=1e-9)
    assert explanation.known_sentence(0) == ""
    assert explanation.known_sentence(1).startswith(
        f"2 of 3 values known, {expected[1]:.0%} of the information."
    )
    little = [share < 0.5 for share in expected]
    assert (
        ["Little is known" in explanation.known_sentence(k) for k in range(3)]
        == little
        == [False, False, True]
    )
    assert str(explanation).count("values known") == explanation._repr_html_().count("values known") == 2


def test_a_missing_value_with_a_state_of_its_own_is_not_known():
    X, y = gappy_cases()
    X["f"] = X["f"].mask((np.arange(300) % 3 > 0) & (y == "yes"))
    model = bl.BayesNetClassifier().fit(X, y)
    assert model.schema_.features[0].gap
    gap = int(X["f"].isna().to_numpy().argmax())
    assert model.explain(X[gap : gap + 1]).known.tolist() == [2]


def test_pools_weigh_values_by_their_evidence_and_networks_that_vote_only_count_them():
    X, y = gappy_cases()
    rows = X[:2].astype(object)
    rows.iloc[1, 0] = None
    pool = bl.NetworkPool(random_state=0).fit(X, y)
    found = pool.explain(rows)
    assert found.known.tolist() == [3, 2]
    assert found.information[1] == pytest.approx(1 - pool.mean_evidence_[0] / pool.mean_evidence_[:3].sum())
    averaged = bl.AveragedClassifier().fit(X, y).explain(rows)
    assert averaged.known.tolist() == [3, 2]
    assert averaged.information is None
    assert averaged.known_sentence(1) == "2 of 3 values known."


def test_evidence_adds_up_where_more_values_are_missing_than_usual_and_some_have_a_state_for_it():
    X, y = gappy_cases()
    X = X.assign(k=X["h"], m=X["g"]).drop(columns="same")
    for name in "fk":
        X[name] = X[name].mask((np.arange(300) % 4 == 0) & (y == "yes"))
    model = bl.BayesNetClassifier().fit(X, y)
    readings = model._predictor
    assert readings.gaps.are_states
    rows = X[:60].mask(np.random.default_rng(1).random((60, 5)) < 0.6)
    explanation, p = model.explain(rows, target="yes"), model.predict_proba(rows)
    assert explanation.total == pytest.approx(explanation.log_odds, abs=1e-12)
    assert explanation.total == pytest.approx(np.log(p[:, 1] / p[:, 0]), abs=1e-9)
    gone = rows["f"].isna().to_numpy() & (readings.weights(model.encode(rows))[0] != 1)
    assert gone.any()
    assert not explanation.evidence[gone, 0].any()  # beyond the usual a gap tells nothing by itself
