"""Networks of several graphs that answer together: by their formulas, with gaps, in files and as estimators."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.structure import MemberGraph, SeveralLearner, aode
from bayleaf.models import model_file as writing
from bayleaf.models.settings import spelled
from bayleaf.page.assemble import page_data
from reference.averaged import ande, information

IRIS = load_iris(return_X_y=True, as_frame=True)
STATES = "abcd"


@st.composite
def problems(draw, most_features=3):
    """Training rows with gaps and weights, and rows to classify with more gaps."""
    features = draw(st.integers(1, most_features))
    arities = [draw(st.integers(2, 3)) for _ in range(features)] + [2]
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = np.column_stack([rng.integers(0, arity, 12) for arity in arities])
    gaps = rng.random((12, features)) < draw(st.sampled_from([0.0, 0.15]))
    rows[:, :-1][gaps] = -1
    rows[:2, -1] = [0, 1]
    weights = rng.integers(0, 3, 12) + 0.5 if draw(st.booleans()) else np.ones(12)
    new = np.column_stack([rng.integers(0, arity, 4) for arity in arities[:-1]])
    new[rng.random(new.shape) < draw(st.sampled_from([0.0, 0.3]))] = -1
    return rows, weights, arities, new


def as_frame(codes, arities):
    """Categories whose states are declared, so that arities do not depend on the rows."""
    columns = {
        f"x{j}": pd.Categorical.from_codes(codes[:, j], categories=list(STATES[:arity]))
        for j, arity in enumerate(arities[: codes.shape[1]])
    }
    return pd.DataFrame(columns)


def fitted(structures, problem, parameters=None):
    rows, weights, arities, new = problem
    estimator = bl.BayesNetClassifier(parameters=parameters or bl.Laplace(), missing="available")
    model = bl.AveragedClassifier(structures, estimator)
    model.fit(as_frame(rows[:, :-1], arities), rows[:, -1], sample_weight=weights)
    return model, as_frame(new, arities)


def plain(problem):
    """The problem as the oracles take it."""
    rows, weights, arities, new = problem
    return rows.tolist(), weights.tolist(), arities, new.tolist()


@given(problem=problems(), min_count=st.sampled_from([1, 2.5, 6, 100]))
def test_aode_is_its_formula(problem, min_count):
    model, new = fitted(bl.AODE(min_count), problem)
    rows, weights, arities, asked = plain(problem)
    for x, found in zip(asked, model.predict_proba(new), strict=True):
        np.testing.assert_allclose(found, ande(rows, weights, arities, 1, min_count, x), rtol=1e-10)


@settings(max_examples=12)
@given(problem=problems(4), min_count=st.sampled_from([1, 2.5, 100]), weighted=st.booleans())
def test_a2de_is_its_formula(problem, min_count, weighted):
    model, new = fitted(bl.A2DE(min_count, weighted), problem)
    rows, weights, arities, asked = plain(problem)

    def importance(chosen):
        return information(rows, weights, chosen, len(arities) - 1) if weighted else 1.0

    for x, found in zip(asked, model.predict_proba(new), strict=True):
        expected = ande(rows, weights, arities, 2, min_count, x, importance)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@settings(max_examples=12)
@given(problem=problems())
def test_waode_is_its_formula(problem):
    model, new = fitted(bl.WAODE(), problem)
    rows, weights, arities, asked = plain(problem)

    def importance(chosen):
        return information(rows, weights, chosen, len(arities) - 1)

    for x, found in zip(asked, model.predict_proba(new), strict=True):
        expected = ande(rows, weights, arities, 1, 0.0, x, importance)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


LEARNERS = {
    "AODE": bl.AODE(),
    "AODE that is often silent": bl.AODE(min_count=40),
    "WAODE": bl.WAODE(),
    "A2DE": bl.A2DE(),
    "A2DE that is often silent": bl.A2DE(min_count=25),
    "WATAN": bl.ATAN(weighted=True),
    "ESKDB": bl.ESKDB(n_members=3, k=2),
}


@pytest.fixture(scope="module")
def mixed():
    """Text and numbers with gaps, and a class of three labels."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 200) for j in range(4)})
    X["number"] = rng.normal(size=200)
    y = np.where(X["f0"] == "a", np.where(X["number"] > 0, "high", "low"), X["f1"].replace({"c": "low"}))
    return X.mask(rng.random(X.shape) < 0.08), y


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *((name, bl.Shrinkage()) for name in LEARNERS),
        ("AODE", bl.Laplace()),
        ("AODE", bl.MaximumLikelihood(0)),
    ],
    ids=repr,
)
def test_rows_one_by_one_tables_files_and_pickles_agree(name, parameters, mixed, tmp_path):
    X, y = mixed
    estimator = bl.BayesNetClassifier(parameters=parameters, missing="available")
    model = bl.AveragedClassifier(LEARNERS[name], estimator, random_state=3).fit(X, y)
    expected = model.predict_proba(X)
    np.testing.assert_allclose(expected.sum(axis=1), 1.0, rtol=1e-12)
    score = model.scorer()
    singly = [score(row) for row in X.iloc[:40].to_dict("records")]
    np.testing.assert_allclose(singly, expected[:40], rtol=1e-12)
    np.testing.assert_allclose(score(X), expected, rtol=1e-12)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == expected).all()
    model.save(tmp_path / "m.bayleaf.json.gz")
    loaded = bl.load(tmp_path / "m.bayleaf.json.gz")
    assert (loaded.predict_proba(X) == expected).all()
    assert repr(loaded) == repr(model)
    assert loaded.n_parameters_ == model.n_parameters_
    assert (loaded.weights_ == model.weights_).all()
    assert (loaded.levels_ == model.levels_).all()
    assert (loaded.predict(X) == model.predict(X)).all()
    assert (clone(loaded).fit(X, y).predict_proba(X) == expected).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_are_copies_of_rows(name, mixed):
    X, y = mixed
    copies = np.random.default_rng(1).integers(0, 3, len(X))
    estimator = bl.BayesNetClassifier(parameters=bl.Shrinkage())
    model = bl.AveragedClassifier(LEARNERS[name], estimator, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=copies)
    repeated = clone(model).fit(X.loc[X.index.repeat(copies)], np.repeat(y, copies))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("name", LEARNERS)
def test_evidence_adds_up_to_the_log_odds_of_the_prediction(name, mixed):
    X, y = mixed
    model = bl.AveragedClassifier(LEARNERS[name], bl.BayesNetClassifier(missing="available")).fit(X, y)
    rows = X.iloc[:12]
    explanation = model.explain(rows)
    assert explanation.features == tuple(X.columns)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, rtol=1e-9)
    posterior = model.predict_proba(rows)
    column = {label: k for k, label in enumerate(model.classes_)}
    for row, found in enumerate(explanation.log_odds):
        ours, other = (
            posterior[row, column[each[row]]] for each in (explanation.target, explanation.against)
        )
        assert found == pytest.approx(np.log(ours / other), rel=1e-9)
    assert (explanation.target == model.predict(rows)).all()
    assert explanation.evidence[X.iloc[:12].isna().to_numpy()] == pytest.approx(0.0, abs=1e-9)


def test_gaps_with_too_many_states_to_try_are_summed_out_member_by_member():
    """Two super-parents of 300 states: 90,000 combinations and more."""
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, states, 2000) for states in (300, 300, 2)]).astype(str)
    y = rng.integers(0, 2, 2000)
    model = bl.AveragedClassifier(bl.A2DE()).fit(X, y)
    gaps = [[None, None, "1"], ["7", None, None]]
    expected = []
    for row in gaps:
        table = model.encode(np.array([row], dtype=object))
        joints = [
            weight * np.exp(member.network_.log_joint(table, 3)[0])
            for member, weight, level in zip(model.estimators_, model.weights_, model.levels_, strict=True)
            if level == 0
        ]
        expected.append(np.sum(joints, axis=0) / np.sum(joints))
    found = model.predict_proba(np.array(gaps, dtype=object))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(model.scorer()(gaps[0]), expected[0], rtol=1e-9)


def test_threads_do_not_change_a_bit(mixed):
    X, y = mixed
    found = [
        bl.AveragedClassifier(bl.A2DE(), bl.BayesNetClassifier(n_jobs=jobs)).fit(X, y).predict_proba(X)
        for jobs in (1, 3)
    ]
    assert (found[0] == found[1]).all()


def test_selected_features_are_those_of_all_members(mixed):
    X, y = mixed
    X = X.assign(noise=np.random.default_rng(5).choice(list("pq"), len(X)))
    estimator = bl.BayesNetClassifier(selector=bl.BayesFactorSelector(delta=20))
    model = bl.AveragedClassifier(estimator=estimator).fit(X, y)
    used = model.estimators_[0].network_.nodes
    assert 2 <= len(used) < X.shape[1] + 1
    assert all(member.network_.nodes == used for member in model.estimators_)
    alone = bl.AveragedClassifier().fit(X[list(used[:-1])], y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X[list(used[:-1])]), rtol=1e-12)
    row = X.iloc[0].to_dict()
    np.testing.assert_allclose(model.scorer()(row), model.predict_proba(X)[0], rtol=1e-12)


def test_costs_decide_on_the_average(mixed):
    X, y = mixed
    costs = {"high": {"low": 50.0, "a": 50.0, "b": 50.0}}
    plain = bl.AveragedClassifier().fit(X, y)
    careful = bl.AveragedClassifier(estimator=bl.BayesNetClassifier(loss=costs)).fit(X, y)
    assert (careful.predict_proba(X) == plain.predict_proba(X)).all()
    assert (careful.predict(X) == "high").sum() > (plain.predict(X) == "high").sum()


def test_one_feature_none_and_one_that_is_constant():
    y = ["no", "yes", "yes"]
    for learner in (bl.AODE(), bl.WAODE(), bl.A2DE()):
        one = bl.AveragedClassifier(learner).fit([["a"], ["b"], ["b"]], y)
        naive = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage()).fit([["a"], ["b"], ["b"]], y)
        np.testing.assert_allclose(one.predict_proba([["a"]]), naive.predict_proba([["a"]]), rtol=1e-12)
        constant = bl.AveragedClassifier(learner).fit([["a", "x"], ["b", "x"], ["b", "x"]], y)
        np.testing.assert_allclose(
            constant.predict_proba([["a", "x"]]), one.predict_proba([["a"]]), rtol=1e-12
        )
    variable = Variable("class", ("no", "yes"))
    table = Table.from_codes((variable,), [[0], [1], [1]], target=0)
    for learner in (bl.AODE(), bl.WAODE(), bl.A2DE()):
        (member,) = learner.learn_all(table, np.random.default_rng(0))
        assert member.dag.arcs == ()


def test_the_page_has_the_weights_and_how_members_answer(mixed):
    X, y = mixed
    model = bl.AveragedClassifier(bl.WAODE()).fit(X, y)
    data = page_data(model, X, y)
    assert data["ensemble"]["vote"] == "joint"
    assert data["ensemble"]["weights"] == pytest.approx(model.weights_.tolist())
    assert data["ensemble"]["levels"] == [0] * 5
    assert data["learned"]["structure"] == "WAODE"
    assert ["structures", "WAODE()"] in data["learned"]["settings"]
    usual = page_data(bl.AveragedClassifier().fit(X, y))["learned"]["settings"]
    assert ["structures", "AODE() (default)"] in usual
    assert [
        "structure: WAODE",
        "L. Jiang and H. Zhang. Weightily averaged one-dependence estimators. PRICAI 2006.",
    ] in (data["learned"]["references"])
    assert "bl.AveragedClassifier(structures=bl.WAODE())" in data["learned"]["python"]


def test_it_is_spelled_as_code_that_makes_it():
    model = bl.classifier("A2DE", min_count=5, missing="drop")
    assert repr(eval(spelled(model), {"bl": bl})) == repr(model)
    assert str(model.published_method) == "A2DE(min_count=5)"
    assert model.set_params(structures__min_count=6).published_method is None


def test_settings_can_be_searched_over():
    grid = {"structures__min_count": [1, 30], "estimator__parameters": [bl.Laplace(), bl.Shrinkage()]}
    search = GridSearchCV(bl.AveragedClassifier(bl.AODE(), bl.BayesNetClassifier()), grid, cv=2).fit(*IRIS)
    assert set(search.best_params_) == set(grid)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator():
    results = check_estimator(bl.AveragedClassifier(), on_fail="raise")
    assert sum(result["status"] == "passed" for result in results) > 50


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            bl.AveragedClassifier(bl.AODE),
            r"'structures' parameter of AveragedClassifier must be an object with a method 'learn_all'",
        ),
        (bl.AveragedClassifier(bl.TAN()), r"such as bayleaf.AODE\(\). Got TAN\(\) instead"),
        (
            bl.AveragedClassifier(estimator=bl.BayesNetClassifier(bl.TAN())),
            r"leave the structure of its 'estimator' None. Got TAN\(\)",
        ),
        (
            bl.AveragedClassifier(estimator=bl.AveragedClassifier()),
            "'estimator' parameter of AveragedClassifier must be a BayesNetClassifier",
        ),
        (
            bl.AveragedClassifier(bl.AODE(0)),
            r"'min_count' parameter of AODE must be a float in the range \(0",
        ),
        (bl.AveragedClassifier(bl.A2DE(weighted=1)), "'weighted' parameter of A2DE must be a bool"),
        (bl.AveragedClassifier(random_state=-1), "'random_state' parameter of AveragedClassifier"),
    ],
)
def test_wrong_settings_are_refused(model, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        model.fit(*IRIS)


def test_a_structure_of_one_network_is_no_place_for_several():
    with pytest.raises(
        TypeError, match="'structure' parameter of BayesNetClassifier must be an object with a"
    ):
        bl.BayesNetClassifier(bl.AODE()).fit(*IRIS)


def test_a_single_network_is_not_to_be_had():
    model = bl.AveragedClassifier().fit(*IRIS)
    with pytest.raises(
        AttributeError, match=r"AveragedClassifier has no 'network_'.*estimators_\[0\].network_"
    ):
        _ = model.network_


def test_tables_that_do_not_fit_are_refused_before_they_are_counted(monkeypatch):
    monkeypatch.setattr(aode, "available_memory", lambda: 1000)
    with pytest.raises(ValueError, match=r"The 6 networks of A2DE need about .* use AODE\(\), a selector"):
        bl.AveragedClassifier(bl.A2DE()).fit(*IRIS)


def test_a_file_that_would_be_too_large_is_not_written(monkeypatch, tmp_path):
    monkeypatch.setattr(writing, "MOST_CELLS", 100)
    model = bl.AveragedClassifier().fit(*IRIS)
    with pytest.raises(
        ValueError, match=r"the tables of its 4 networks have .* cells, more than 100. Pickle it"
    ):
        model.save(tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda part: part["weights"].pop(), "the weights or levels are not those of the members"),
        (
            lambda part: part["weights"].__setitem__(0, -1.0),
            "the weights or levels are not those of the members",
        ),
        (lambda part: part["prior"].pop(), "the shares of the classes are not one number for each"),
        (lambda part: part["levels"].__setitem__(0, 10**12), "the weights or levels are not those"),
        (lambda part: part["levels"].pop(), "is damaged"),
        (lambda part: part["members"][0]["tables"].pop(), "is damaged"),
        (lambda part: part["members"][0]["nodes"].reverse(), "is damaged"),
        (lambda part: part["members"][0]["tables"].__setitem__(0, "0.5 0.6"), "is damaged"),
    ],
)
def test_damaged_files_are_refused(damage, sentence, tmp_path):
    path = tmp_path / "m.json"
    bl.AveragedClassifier().fit(*IRIS).save(path)
    document = json.loads(path.read_text())
    assert document["version"] == 1
    damage(document["averaged"])
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=sentence):
        bl.load(path)


class TanAndNaiveBayes(SeveralLearner):
    """A learner of one's own, from the names that CONTRIBUTING gives."""

    def learn_all(self, table, rng):
        return [
            MemberGraph(bl.TAN().learn(table, rng), weight=3.0),
            MemberGraph(bl.NaiveBayes().learn(table, rng)),
        ]


def test_a_learner_of_several_graphs_of_ones_own():
    X, y = IRIS
    model = bl.AveragedClassifier(TanAndNaiveBayes(), bl.BayesNetClassifier(parameters="laplace")).fit(X, y)
    tan, naive = (bl.BayesNetClassifier(each, "laplace").fit(X, y) for each in ("tan", "naive-bayes"))
    joint = sum(
        weight * np.exp(each.network_.log_joint(each.encode(X), 4))
        for weight, each in ((0.75, tan), (0.25, naive))
    )
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-9)


def test_a_file_names_the_learners_that_were_used(tmp_path):
    X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 5, [0, 0, 1, 1] * 5
    for chosen in (bl.WAODE(), None):
        model = bl.AveragedClassifier(chosen).fit(X, y)
        model.save(tmp_path / "m.bayleaf.json")
        content = json.loads((tmp_path / "m.bayleaf.json").read_text())
        assert set(content["used"]) == {"structure", "parameters", "discretizer"}
        assert content["used"]["structure"]["learner"] == type(chosen or bl.AODE()).__name__
        assert repr(model.structure_) == repr(chosen or bl.AODE())


def test_members_are_drawn_from_as_often_as_they_weigh():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 4)).astype(str)
    model = bl.AveragedClassifier().fit(np.char.add("v", X), X[:, 0] == "1")
    drawn = {}

    def watched(number, draw):
        def counting(n, rng):
            drawn[number] = drawn.get(number, 0) + n
            return draw(n, rng)

        return counting

    members = model.estimators_
    weights = np.array([0.05, 0.6, 0.05, 0.3])
    model._set_members(members, "joint", model._prior, weights, [0, 0, 0, 1])
    for number, member in enumerate(model.estimators_):
        member._draw = watched(number, member._draw)
    model._draw(10_000, np.random.default_rng(1))
    shares = np.array([drawn.get(number, 0) for number in range(4)]) / 10_000
    np.testing.assert_allclose(shares, [0.05 / 0.7, 0.6 / 0.7, 0.05 / 0.7, 0.0], atol=0.02)
