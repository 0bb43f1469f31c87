"""Intervals of probabilities: against slow reference code, and against sources that are known."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.classify import certainty
from bayleaf.classify.certainty import (
    Misfit,
    Sureness,
    _interaction,
    log_odds,
    missed_dependence,
    normalised,
    spread,
)
from bayleaf.data import Table, Variable
from reference import sureness as slow

FACTS = Misfit(0.8, 0.9, 0.3, {"x0": 0.2, "x1": 0.1})


def rows_of(rng: np.random.Generator, n: int, features: int = 4) -> tuple[pd.DataFrame, np.ndarray]:
    y = rng.integers(3, size=n)
    X = (y[:, None] + rng.integers(3, size=(n, features))) % 4
    X[:, 1] = np.where(rng.random(n) < 0.6, X[:, 0], X[:, 1])
    return pd.DataFrame(X.astype(str), columns=[f"x{j}" for j in range(features)]), y


@pytest.fixture(scope="module")
def fitted() -> tuple[bl.BayesNetClassifier, pd.DataFrame]:
    X, y = rows_of(np.random.default_rng(0), 150)
    return bl.BayesNetClassifier().fit(X, y), X


@pytest.mark.parametrize(("p", "rows"), [(0.5, 3.0), (0.1, 30.0), (0.9, 200.0)])
def test_variances_of_shares_are_those_of_dirichlet_draws(p: float, rows: float) -> None:
    down, up = spread(np.array([p]), np.array([rows]))[:, 0]
    assert down == pytest.approx(slow.drawn_variance(p, rows), rel=0.03)
    assert up <= down + 1e-12


def test_few_rows_count_as_in_the_reference(fitted: Any) -> None:
    model, X = fitted
    network = model.network_
    families = [model.training_.counts.family(j, t.shape) for j, t in enumerate(network.tables)]
    given = X.head(12).mask(np.random.default_rng(1).random((12, 4)) < 0.3)
    table = model._used_rows(given)
    found = Sureness(network, families, Misfit()).counting(table)
    for r, row in enumerate(table.codes.tolist()):
        states = [None if code == table.missing_code else code for code in row]
        for c in range(3):
            expected = slow.score_variances(network, families, states, c)
            assert found[:, r, c] == pytest.approx(expected, rel=1e-12)


def test_limits_add_up_as_in_the_reference(fitted: Any) -> None:
    model, X = fitted
    network, table = model.network_, model._used_rows(X.head(8))
    families = [model.training_.counts.family(j, t.shape) for j, t in enumerate(network.tables)]
    answers = np.log(model.predict_proba(X.head(8)))
    sureness = Sureness(network, families, FACTS)
    found = sureness.limits(answers, table, 0.9)
    prior, joint = np.log(network.tables[-1]), network.log_joint(table, 4)
    other = log_odds(normalised(0.8 * (joint - prior) + prior))
    counting = 0.81 * (1.0 + 30.0 / 150.0) * sureness.counting(table)
    for r in range(8):
        variances = [(counting[0, r, c], counting[1, r, c]) for c in range(3)]
        apart = 0.3 * (log_odds(answers)[r] - other[r]) ** 2
        expected = slow.limits(
            np.exp(answers[r]).tolist(), variances, 0.3, apart.tolist(), 1.6448536269514722
        )
        assert found[r] == pytest.approx(np.array(expected), rel=1e-9)


def test_with_gaps_the_readings_must_agree_and_less_is_missed(fitted: Any) -> None:
    model, X = fitted
    table = model._used_rows(X.head(1).mask(np.array([[False, True, True, True]])))
    families = [model.training_.counts.family(j, t.shape) for j, t in enumerate(model.network_.tables)]
    sureness = Sureness(model.network_, families, FACTS)
    assert sureness.missed(table) == pytest.approx([0.2 * 0.25])
    answers = np.log(model.predict_proba(X.head(1)))  # those of another row: far from the network
    widths = np.diff(sureness.limits(answers, table, 0.9), axis=-1)
    sure = Sureness(model.network_, families, Misfit(0.8, 0.9, 1.0, FACTS.missed))
    assert widths == pytest.approx(np.diff(sure.limits(answers, table, 0.9), axis=-1))


def test_intervals_hold_the_answer_and_grow_with_the_level(fitted: Any) -> None:
    model, X = fitted
    given = X.mask(np.random.default_rng(2).random(X.shape) < 0.2)
    given.iloc[0] = None
    p, last = model.predict_proba(given), np.zeros((len(X), 3))
    for level in (0.01, 0.5, 0.9, 0.999):
        low, high = np.moveaxis(model.predict_interval(given, level), -1, 0)
        assert ((low >= 0) & (low <= p) & (p <= high) & (high <= 1)).all()
        assert (high - low > last).all()
        last = high - low
    assert model.predict_interval(given) == pytest.approx(model.predict_interval(given, 0.9))


def test_more_rows_make_intervals_narrower() -> None:
    widths = []
    for n in (60, 600, 6000):
        X, y = rows_of(np.random.default_rng(3), n)
        model = bl.BayesNetClassifier().fit(X, y)
        widths.append(np.diff(model.predict_interval(X.head(50)), axis=-1).mean())
    assert widths[0] > 1.5 * widths[1] > 1.5 * 1.5 * widths[2]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_larger_weights_of_the_same_rows_do_not_make_intervals_wider(seed: int) -> None:
    """A value that a class never has becomes ever less probable by the network, on the same 300 rows."""
    rng, n = np.random.default_rng(seed), 300
    a = rng.choice(list("xyz"), n)
    y = np.where((a == "x") & (rng.random(n) < 0.6), "p", "q")
    b = np.where((y == "p") & (rng.random(n) < 0.5), "u", rng.choice(list("uv"), n))
    X = pd.DataFrame({"a": a, "b": b, "c": rng.choice(list("st"), n)})
    widths = []
    for weight in (1.0, 10.0, 100.0, 1e4, 1e6):
        model = bl.BayesNetClassifier().fit(X, y, sample_weight=np.full(n, weight))
        widths.append(np.diff(model.predict_interval(X), axis=-1).mean())
    assert max(widths) < 1.2 * widths[0]


@pytest.mark.parametrize("far", [-30.0, 30.0])
def test_log_odds_beyond_what_the_rows_support_are_no_difference(fitted: Any, far: float) -> None:
    """With 150 rows, a reading that is surer than log(151) counts as one that is just so sure."""
    model, X = fitted
    network, table = model.network_, model._used_rows(X.head(1))
    families = [model.training_.counts.family(j, t.shape) for j, t in enumerate(network.tables)]
    odds = [far, far / 2, np.copysign(np.log(151.0), far)]  # of the network, by its class frequencies alone
    widths = []
    for each in odds:
        first = 1.0 / (1.0 + np.exp(-each))
        prior = np.array([first, (1.0 - first) / 2, (1.0 - first) / 2])
        other = bl.BayesNet(network.variables, network.dag, [*network.tables[:-1], prior], network.target)
        sureness = Sureness(other, families, Misfit(0.0, 1.0, 1.0))
        answers = np.log([[0.4, 0.3, 0.3]])
        widths.append(sureness.limits(answers, table, 0.9)[0, 0])
    assert widths[0] == pytest.approx(widths[2], rel=1e-9)
    assert widths[1] == pytest.approx(widths[2], rel=1e-9)


@pytest.mark.parametrize("m", [5.0, 20.0])
def test_missed_dependence_is_that_of_the_source(m: float) -> None:
    rng, found = np.random.default_rng(4), []
    for _ in range(20):
        shares = rng.dirichlet([m / 2, m / 2], size=(3, 4, 4))
        cells = np.stack([[rng.multinomial(40, q) for q in plane.reshape(-1, 2)] for plane in shares])
        found.append(_interaction(np.moveaxis(cells.reshape(3, 4, 4, 2), -1, 1).astype(float)))
    assert np.mean(found) == pytest.approx(1 / (m + 1), rel=0.25)


def test_only_dependence_that_differs_between_classes_is_missed() -> None:
    rng, n = np.random.default_rng(5), 4000
    y, a, b = rng.integers(2, size=n), rng.integers(2, size=n), rng.integers(2, size=n)
    noise = rng.random(n) < 0.15
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "x", "class"))
    dag = bl.DAG(["a", "b", "x", "class"], [("class", "a"), ("class", "b"), ("class", "x"), ("a", "x")])
    for x, differs in ((a ^ b ^ y ^ noise, True), (a ^ b ^ noise, False)):
        table = Table.from_codes(variables, np.stack([a, b, x, y], axis=1), target=3)
        network = bl.BayesNet(variables, dag, bl.Shrinkage().fit(table, dag), "class")
        missed = sum(missed_dependence(table, network).values())
        assert missed > 0.5 if differs else missed < 0.02


def test_xor_of_a_hidden_pair_makes_intervals_wide() -> None:
    """No tree can see it, so answers near one half are far off; intervals say so."""
    rng, n = np.random.default_rng(6), 3000
    X = rng.integers(2, size=(n, 3))
    y = np.where(rng.random(n) < 0.05, rng.integers(2, size=n), X.sum(axis=1) % 2)
    rows = pd.DataFrame(X.astype(str))
    wide = bl.BayesNetClassifier().fit(rows, y).predict_interval(rows.head(50))
    same = bl.BayesNetClassifier().fit(rows, rng.permutation(y)).predict_interval(rows.head(50))
    assert np.diff(wide, axis=-1).mean() > 3 * np.diff(same, axis=-1).mean()


def test_files_and_pickles_have_the_intervals_but_not_the_rows(tmp_path: Path) -> None:
    X, y = rows_of(np.random.default_rng(7), 200)
    model = bl.BayesNetClassifier().fit(X, y)
    pickled = pickle.loads(pickle.dumps(bl.BayesNetClassifier().fit(X, y)))
    assert "_rows_of_fit" not in vars(pickled)
    model.save(tmp_path / "model.json")
    assert "_rows_of_fit" not in vars(model)
    expected = model.predict_interval(X)
    for other in (pickled, bl.load(tmp_path / "model.json")):
        assert np.array_equal(other.predict_interval(X), expected)


@pytest.mark.parametrize("name", ["NB", "TAN", "KDB"])
def test_published_methods_have_intervals(name: str) -> None:
    X, y = rows_of(np.random.default_rng(8), 200)
    model = bl.classifier(name).fit(X, y)
    given = X.mask(np.random.default_rng(9).random(X.shape) < 0.2)
    low, high = np.moveaxis(model.predict_interval(given), -1, 0)
    p = model.predict_proba(given)
    assert ((low <= p) & (p <= high)).all()
    assert (high - low).mean() > 0.02


def test_models_of_batches_have_intervals_of_their_counts() -> None:
    X, y = rows_of(np.random.default_rng(10), 200)
    model = bl.BayesNetClassifier().partial_fit(X, y, classes=[0, 1, 2])
    assert model.training_.misfit is None
    assert (np.diff(model.predict_interval(X), axis=-1) > 0).all()


def test_a_new_fit_forgets_the_rows_of_the_one_before() -> None:
    X, y = rows_of(np.random.default_rng(11), 200)
    model = bl.BayesNetClassifier().fit(X, y).partial_fit(X[["x0"]], y, classes=[0, 1, 2])
    model._measure_misfit()
    assert model.training_.misfit is None


def test_variances_of_tables_are_made_once_and_stay_out_of_pickles(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows_of(np.random.default_rng(13), 200)
    model = bl.BayesNetClassifier().fit(X, y)
    given = X.mask(np.random.default_rng(14).random(X.shape) < 0.3)
    expected = model.predict_interval(given)
    asked: list[Any] = []
    monkeypatch.setattr(certainty, "spread", lambda *shares: asked.append(shares) or spread(*shares))
    assert np.array_equal(model.predict_interval(given), expected)
    model.explain(given.head(1))
    assert not asked
    again = pickle.loads(pickle.dumps(model))
    assert b"Sureness" not in pickle.dumps(model)
    assert np.array_equal(again.predict_interval(given), expected)
    assert asked
    other, labels = rows_of(np.random.default_rng(15), 300)
    assert not np.array_equal(model.fit(other, labels).predict_interval(given), expected)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 90])
def test_levels_are_shares(fitted: Any, level: float) -> None:
    with pytest.raises(ValueError, match=r"'level' parameter of predict_interval must be .* \(0, 1\)"):
        fitted[0].predict_interval(fitted[1], level)


def test_where_there_are_no_intervals_a_sentence_says_why(fitted: Any, tmp_path: Path) -> None:
    X, y = rows_of(np.random.default_rng(12), 120)
    for model in (bl.NetworkPool(cycles=0), bl.BaggedClassifier(n_estimators=2)):
        with pytest.raises(AttributeError, match=r"has no 'predict_interval': .* BayesNetClassifier"):
            _ = model.fit(X, y).predict_interval
    clf = bl.BayesNetClassifier("tan", "laplace").fit(X, y)
    clf.save(tmp_path / "shared.json", min_count=5)
    shared = bl.load(tmp_path / "shared.json")
    with pytest.raises(ValueError, match=r"has no counts of its training rows to make intervals from"):
        shared.predict_interval(X)
    assert shared.explain(X.head(1)).interval is None
    upside_down = bl.BayesNetClassifier(bl.FixedStructure([("x0", "class")]), bl.Laplace())
    with pytest.raises(ValueError, match=r"Intervals need a network in which the class .* has no parents"):
        upside_down.fit(X, pd.Series(y, name="class")).predict_interval(X)


def test_explanations_say_how_sure_they_are(fitted: Any) -> None:
    model, X = fitted
    explanation = model.explain(X.head(3))
    low, high = np.moveaxis(model.predict_interval(X.head(3)), -1, 0)
    chosen = (np.arange(3), np.searchsorted(model.classes_, explanation.target))
    assert np.array_equal(explanation.interval, np.stack([low[chosen], high[chosen]], axis=1))
    assert "90% interval" in str(explanation)


def test_odd_rows_have_intervals() -> None:
    zeros = bl.BayesNetClassifier("naive-bayes", bl.MaximumLikelihood(epsilon=0))
    found = zeros.fit([["a"], ["b"]] * 20, ["no", "yes"] * 20).predict_interval([["a"], [None]])
    assert np.isfinite(found).all()
    assert found[0, 0].tolist() == [1.0, 1.0]
