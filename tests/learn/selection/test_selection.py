"""Selectors: as transformers, inside the classifier, and against known networks."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chi2_contingency
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.selection import G2, HITONPC, MMPC, PCMB, S2TMB, SLL, BayesFactor, BayesFactorSelector
from bayleaf.learn.selection.bayes_factor import AugmentedFold, kept_features, log_bayes_factors
from bayleaf.learn.selection.constraint_based import Association
from reference.scored_networks import every_dag, random_table, slow_bdeu

SELECTORS = [BayesFactorSelector(), BayesFactorSelector(1.0, 3.0), MMPC(), HITONPC(), PCMB(), S2TMB(), SLL()]
each_selector = pytest.mark.parametrize("selector", SELECTORS, ids=repr)
RNG = np.random.default_rng(0)


@pytest.mark.filterwarnings("ignore:No features were selected", "ignore::sklearn.exceptions.SkipTestWarning")
@each_selector
def test_check_estimator(selector):
    results = check_estimator(selector, on_fail="raise")
    assert sum(result["status"] == "passed" for result in results) > 40


@each_selector
def test_a_selector_that_is_not_fitted_says_so(selector):
    unfitted, X = clone(selector), np.eye(2)
    asked = [("transform", X), ("inverse_transform", X), ("get_support",), ("get_feature_names_out",)]
    for name, *given in asked:
        with pytest.raises(
            NotFittedError, match=f"This {type(selector).__name__} instance is not fitted yet"
        ):
            getattr(unfitted, name)(*given)


def known_network(seed=0):
    """Class with two parents, two children, a spouse, and features further away."""
    names = ["p1", "p2", "ch1", "ch2", "spouse", "grand", "noise", "class"]
    arcs = [
        ("p1", "class"), ("p2", "class"), ("class", "ch1"), ("class", "ch2"),
        ("spouse", "ch2"), ("ch1", "grand"),
    ]  # fmt: skip
    dag = bl.DAG(names, arcs)
    rng = np.random.default_rng(seed)
    tables = []
    for node, parents in enumerate(dag.parent_indices):
        shape = (2,) * len(parents)
        # Rising with every parent, so that no independence is hidden in the numbers.
        strong = (
            np.linspace(0.1, 0.85 + 0.1 * rng.random(), 2 ** len(parents)).reshape(shape) if parents else 0.5
        )
        tables.append(np.stack([strong, 1 - np.asarray(strong)], axis=-1))
        assert tables[node].shape == (*shape, 2)
    return bl.BayesNet([Variable(name, ("0", "1")) for name in names], dag, tables, "class")


class DSeparation:
    """Association read off the true graph: what every test tells in the limit."""

    def __init__(self, dag):
        self.dag = dag

    def test(self, table, x, y, given):
        names = table.names
        separated = self.dag.d_separated(names[x], names[y], [names[j] for j in given])
        return Association(0.0 if separated else 1.0, separated)


@pytest.mark.parametrize("selector", [MMPC, HITONPC, PCMB])
def test_with_true_independences_the_neighbours_are_found(selector):
    for seed in range(5):
        network = known_network()
        rng = np.random.default_rng(seed)
        order = rng.permutation(8)
        names = [network.nodes[j] for j in order]
        dag = bl.DAG(names, network.arcs)
        target = names.index("class")
        table = Table(
            tuple(Variable(name, ("0", "1")) for name in names),
            np.zeros((1, 8), np.uint8, order="F"),
            None,
            target,
        )
        found = selector(DSeparation(dag), symmetric=True).select(table, rng)
        neighbours = {*dag.parents("class"), *dag.children("class")}
        assert {names[j] for j in found} == neighbours


@pytest.mark.parametrize(
    "selector",
    [
        MMPC(),
        HITONPC(),
        PCMB(),
        S2TMB(spouses=False),
        SLL(),
        MMPC(BayesFactor()),
        BayesFactorSelector(1.0, 3.0),
    ],
    ids=repr,
)
def test_neighbours_are_found_in_a_sample(selector):
    network = known_network(3)
    table = network.sample_table(20_000, 1)
    names = {network.nodes[j] for j in selector.select(table, np.random.default_rng(0))}
    assert {"p1", "p2", "ch1", "ch2"} <= names
    assert "noise" not in names
    if not isinstance(selector, BayesFactorSelector):
        assert names == {"p1", "p2", "ch1", "ch2"}


def test_s2tmb_finds_spouses_too():
    network = known_network(3)
    table = network.sample_table(20_000, 1)
    assert {network.nodes[j] for j in S2TMB().select(table, RNG)} == set(network.markov_blanket("class"))


def slow_neighbours(table, target):
    """Neighbours of a variable by optimal networks over it, those found and one more, of all graphs."""
    found = []
    for x in range(table.n_variables):
        if x != target:
            columns = [*sorted({*found, x}), target]
            gain = cache(partial(slow_bdeu(1.0), table.select(columns)))
            best = max(
                every_dag(len(columns)), key=lambda dag, gain=gain: sum(map(gain, range(len(dag)), dag))
            )
            last = len(columns) - 1
            found = [columns[k] for k in range(last) if k in best[last] or last in best[k]]
    return found


@pytest.mark.parametrize("seed", range(2))
def test_sll_equals_the_slow_reference(seed):
    table = random_table(np.random.default_rng(seed), 4, 60, target=3)
    expected = [x for x in slow_neighbours(table, 3) if 3 in slow_neighbours(table, x)]
    assert SLL().select(table, RNG) == expected


def test_every_variable_can_be_the_target():
    network = known_network(3)
    table = network.sample_table(20_000, 2)
    for node, name in enumerate(network.nodes):
        found = MMPC(G2(alpha=0.001), symmetric=True).select(replace(table, target=node), RNG)
        assert {network.nodes[j] for j in found} == {*network.parents(name), *network.children(name)}


def test_g2_equals_scipy_within_each_stratum():
    table = random_table(np.random.default_rng(2), 3, 500, most_states=3)
    result = G2(alpha=0.01).test(table, 0, 1, (2,))
    statistic = freedom = 0
    for state in range(table.arities[2]):
        rows = table.codes[table.codes[:, 2] == state]
        counts = np.histogram2d(rows[:, 0], rows[:, 1], bins=[range(int(a) + 1) for a in table.arities[:2]])[
            0
        ]
        found = chi2_contingency(counts, correction=False, lambda_="log-likelihood")
        statistic, freedom = statistic + found.statistic, freedom + found.dof
    from scipy.stats import chi2

    assert result.strength == pytest.approx(-chi2.logsf(statistic, freedom))


def test_g2_without_enough_rows_says_independent():
    table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in "ab"), [[0, 0], [1, 1]] * 9)
    assert G2().test(table, 0, 1, ()).independent
    assert not G2(min_rows=0).test(table, 0, 1, ()).independent


def test_bayes_factor_by_definition():
    table = random_table(np.random.default_rng(3), 5, 80, target=4)
    gain = slow_bdeu(2.0)
    expected = [gain(table, 4, ()) - gain(table, 4, (x,)) for x in range(4)]
    np.testing.assert_allclose(log_bayes_factors(table, 2.0), expected)
    assert kept_features(table, 2.0, 3.0) == [x for x in range(4) if np.exp(expected[x]) <= 3.0]
    same = BayesFactor(2.0, 3.0).test(table, 1, 4, ())
    assert same.strength == pytest.approx(-expected[1])


def test_settings_are_chosen_by_cross_validation():
    settings = [(ess, delta) for ess in (1.0, 2.0, 5.0) for delta in (3.0, 20.0, 150.0)]
    choices = set()
    for seed in range(8):
        table = random_table(np.random.default_rng(seed), 6, 60, target=5)
        correct = dict.fromkeys(settings, 0)
        for fold in AugmentedFold.folds(table, 2, np.random.default_rng(0)):
            for setting in settings:
                columns = [*kept_features(fold.train, *setting), 5]
                train, test = fold.train.select(columns), fold.test.select(columns)
                dag = bl.Exact(augmented=True).learn(train, RNG)
                network = bl.BayesNet(train.variables, dag, bl.Dirichlet(1.0).fit(train, dag), "v5")
                guesses = network.log_joint(test.codes, len(columns) - 1).argmax(axis=1)
                correct[setting] += int((guesses == test.codes[:, -1]).sum())
        best = max(settings, key=correct.get)  # ties go to the first
        assert BayesFactorSelector().select(table, np.random.default_rng(0)) == kept_features(table, *best)
        choices.add(best)
    assert len(choices) > 2  # else the choice would not have been tested


def test_folds_are_stratified_and_hold_each_row_once():
    table = random_table(np.random.default_rng(1), 3, 31, target=2)
    folds = list(AugmentedFold.folds(table, 3, np.random.default_rng(0)))
    assert sum(fold.test.n_rows for fold in folds) == 31
    for fold in folds:
        assert fold.train.n_rows + fold.test.n_rows == 31
    counts = np.array([np.bincount(fold.test.codes[:, 2], minlength=table.arities[2]) for fold in folds])
    assert (np.ptp(counts, axis=0) <= 1).all()
    np.testing.assert_array_equal(
        counts.sum(axis=0), np.bincount(table.codes[:, 2], minlength=table.arities[2])
    )


@each_selector
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_strings_numbers_and_missing_values(selector, frame):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    colour = np.where(rng.random(300) < 0.9, np.where(y == 1, "red", "blue"), "green").astype(object)
    colour[:5] = None
    X = frame(
        {
            "colour": colour.tolist(),
            "size": (y + rng.normal(0, 0.3, 300)).tolist(),
            "noise": rng.random(300).tolist(),
        }
    )
    fitted = selector.fit(X, y)
    assert fitted.get_support().tolist()[2] is False
    assert fitted.get_support().any()
    assert set(fitted.get_feature_names_out()) <= {"colour", "size"}
    assert fitted.transform(X).shape[1] == fitted.get_support().sum()


@each_selector
def test_columns_are_read_as_the_classifier_reads_them(selector):
    rng = np.random.default_rng(4)
    y = rng.choice(["no", "yes"], 400)
    zip_code = rng.integers(1000, 1012, 400)
    y = np.where(zip_code % 2 == 0, "yes", y)  # neighbouring numbers tell different things
    note = np.where((y == "yes") & (rng.random(400) < 0.7), None, "x")  # only its absence tells
    frame = pl.DataFrame({"zip": zip_code, "note": pl.Series(note.tolist(), dtype=pl.String)})
    alone = clone(selector).fit(frame.with_columns(pl.col("zip").cast(pl.String)), y)
    assert alone.get_support().tolist() == [True, True]
    # Inside a classifier, columns are what the classifier was told.
    told = bl.BayesNetClassifier(bl.NaiveBayes(), selector=selector, column_types={"zip": "category"})
    assert set(told.fit(frame, y).network_.nodes) == {"zip", "note", "class"}
    hidden = bl.BayesNetClassifier(bl.NaiveBayes(), selector=selector, missing="available").fit(frame, y)
    assert "note" not in hidden.network_.nodes
    assert {"missing", "column_types", "discretizer"}.isdisjoint(selector.get_params())


@each_selector
def test_inside_the_classifier_and_a_pipeline(selector):
    rng = np.random.default_rng(6)
    X, y = rng.random((400, 4)), rng.integers(0, 2, 400)
    X[:, 1] += y
    X[:, 3] -= 0.7 * y
    clf = bl.BayesNetClassifier(bl.TAN(), selector=selector).fit(X, y)
    assert set(clf.network_.nodes) >= {"x1", "class"}
    assert "x0" not in clf.network_.nodes
    assert clf.score(X, y) > 0.8
    assert make_pipeline(selector, bl.BayesNetClassifier()).fit(X, y).score(X, y) > 0.8


def test_no_feature_left_is_the_class_prior():
    rng = np.random.default_rng(7)
    X, y = rng.integers(0, 2, (500, 3)), (rng.random(500) < 0.3).astype(int)
    clf = bl.classifier("fsANB-BDeu", categorical_features=[0, 1, 2]).fit(X, y)
    assert clf.network_.nodes == ("class",)
    proba = clf.predict_proba(X)
    np.testing.assert_allclose(proba, np.tile(proba[0], (500, 1)))
    assert proba[0, 1] == pytest.approx((y.sum() + 0.5) / 501)


@each_selector
def test_constant_feature_is_dropped(selector):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 200)
    X = pd.DataFrame({"constant": ["a"] * 200, "good": np.where(y, "u", "v")})
    kept = selector.fit(X, y).get_support()
    assert kept.tolist() == [False, True]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: MMPC(max_conditioning=-1).fit(X, y), "'max_conditioning' parameter of MMPC"),
        (lambda X, y: MMPC(G2(alpha=2.0)).fit(X, y), "'alpha' parameter of G2"),
        (lambda X, y: BayesFactorSelector(ess=0.0).fit(X, y), "'ess' parameter of BayesFactorSelector"),
        (lambda X, y: BayesFactorSelector(delta=-1.0).fit(X, y), "'delta' parameter of BayesFactorSelector"),
        (lambda X, y: BayesFactorSelector(folds=1).fit(X, y), "'folds' parameter of BayesFactorSelector"),
        (lambda X, y: PCMB().fit(X, None), "requires y to be passed"),
        (lambda X, y: HITONPC().fit(X, np.zeros(len(X))), "y has only one class"),
    ],
)
def test_bad_input(call, message):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=message):
        call(rng.random((50, 2)), rng.integers(0, 2, 50))


def test_settings_that_keep_too_many_features_are_named():
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 2, (60, 45)).astype(str), rng.integers(0, 2, 60)
    with pytest.raises(ValueError, match="Exact search takes at most 40 variables") as refusal:
        BayesFactorSelector().fit(X, y)
    advice = str(refusal.value)
    assert "a selector such as" not in advice
    # Everything that the message proposes works.
    for settings in ("ess=1.0, delta=1e-100", "selector__ess=1.0, selector__delta=1e-100", "'gGBN-BDeu'"):
        assert settings in advice
    assert BayesFactorSelector(ess=1.0, delta=1e-100).fit(X, y).get_support().sum() < 40
    strict = bl.classifier("fsANB-BDeu", selector__ess=1.0, selector__delta=1e-100)
    assert strict.fit(X, y).score(X, y) >= 0.5
    assert bl.classifier("gGBN-BDeu").fit(X, y).score(X, y) >= 0.5


def test_s2tmb_refuses_networks_that_are_too_large(monkeypatch):
    monkeypatch.setattr("bayleaf.learn.selection.score_based.LARGEST_NETWORK", 3)
    table = known_network(3).sample_table(5000, 0)
    with pytest.raises(ValueError, match="S2TMB would need optimal networks over 4 variables; it stops at 3"):
        S2TMB().select(table, RNG)
    with pytest.raises(ValueError, match="SLL would need optimal networks over 4 variables; it stops at 3"):
        SLL().select(table, RNG)


def test_a_table_without_a_class_is_refused():
    table = random_table(np.random.default_rng(0), 3, 20)
    for selector in SELECTORS:
        with pytest.raises(ValueError, match="A feature selector needs a class"):
            selector.select(table, RNG)
