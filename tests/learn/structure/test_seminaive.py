"""Extended trees, and features that are selected and joined: against all graphs and slow searches."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.search.samples import table_folds
from bayleaf.learn.structure import joining
from reference import discriminative as slow
from reference.joining import bsej, fssj
from reference.scored_networks import random_table, slow_bdeu, slow_bic
from reference.tree_problems import make_table, problems

IRIS = load_iris(return_X_y=True, as_frame=True)
SLOW = {"bsej": bsej, "fssj": fssj}
QUICK = {"bsej": bl.BSEJ, "fssj": bl.FSSJ}


def extended_trees(features, target):
    """Every graph in which a feature has no parent, the class, another feature, or both."""
    options = [
        [
            (),
            (target,),
            *((j,) for j in range(features) if j != i),
            *((j, target) for j in range(features) if j != i),
        ]
        for i in range(features)
    ]
    for parents in product(*options):
        if not slow.has_cycle([*parents, ()]):
            yield parents


@settings(max_examples=12)
@given(
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    chosen=st.sampled_from([(bl.BDeu(2.0), slow_bdeu(2.0)), (bl.BIC(), slow_bic)]),
)
def test_etan_is_the_best_of_all_extended_trees(seed, weighted, chosen):
    rng = np.random.default_rng(seed)
    score, gain = chosen
    table = random_table(
        rng, 4, 60, target=3, weights=rng.integers(0, 3, 60).astype(float) if weighted else None
    )
    found = bl.ETAN(score).search(table, np.random.default_rng(0))
    values = {node: {} for node in range(3)}

    def value(node, parents):
        if parents not in values[node]:
            values[node][parents] = gain(table, node, parents)
        return values[node][parents]

    best = max(sum(value(i, parents[i]) for i in range(3)) for parents in extended_trees(3, 3))
    learned = found.dag.parent_indices
    assert learned[3] == ()
    assert sum(value(i, learned[i]) for i in range(3)) == pytest.approx(best)
    empty = sum(value(i, ()) for i in range(3))
    assert found.trace.score == pytest.approx(best - empty, abs=1e-8)
    assert found.trace.replay() == found.dag


def test_etan_leaves_noise_alone_and_takes_gaps_row_by_row():
    rng = np.random.default_rng(0)
    c = rng.integers(0, 2, 400)
    a = np.where(rng.random(400) < 0.8, c, 1 - c)
    rows = np.column_stack([a, np.where(rng.random(400) < 0.9, a, 1 - a), rng.integers(0, 2, 400), c])
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "noise", "class"))
    whole = bl.ETAN().learn(Table.from_codes(variables, rows, target=3), rng)
    assert whole.arcs == (("class", "a"), ("a", "b"))
    rows[rng.random((400, 4)) < [0.2, 0.2, 0.2, 0.0]] = -1
    assert bl.ETAN().learn(Table.from_codes(variables, rows, target=3), rng).arcs == whole.arcs
    # A column that is nearly always missing is no parent just because few rows disagree with it.
    rows[:, 2] = np.where(np.arange(400) < 5, rows[:, 0], -1)
    assert bl.ETAN().learn(Table.from_codes(variables, rows, target=3), rng).children("noise") == ()


@pytest.mark.parametrize("learner", [bl.ETAN(), bl.FSSJ(), bl.BSEJ()], ids=repr)
def test_one_feature_and_none(learner):
    c = Variable("c", ("0", "1"))
    table = Table.from_codes((Variable("x", ("0", "1")), c), [[0, 0], [1, 1]] * 10, target=1)
    assert learner.learn(table, np.random.default_rng(0)).arcs == (("c", "x"),)
    alone = Table.from_codes((c,), [[0], [1]] * 5, target=0)
    assert learner.learn(alone, np.random.default_rng(0)).arcs == ()
    single = Table.from_codes((Variable("x", ("0", "1")), c), [[0, 0]], target=1)
    assert len(learner.learn(single, np.random.default_rng(0)).arcs) <= 1


@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=15)
@given(problem=problems())
def test_steps_are_those_of_the_slow_search(name, problem):
    rows, arities, target = problem
    features = [j for j in range(len(arities)) if j != target]
    wanted = SLOW[name](
        features, lambda parents: slow.accuracy(rows, arities, target, parents), len(arities), target
    )
    found = QUICK[name](bl.ClassificationRate()).learn(make_table(*problem), np.random.default_rng(0))
    assert list(found.parent_indices) == wanted


@pytest.mark.filterwarnings("ignore:.*fewer than the . folds")
@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=8)
@given(problem=problems())
def test_by_default_rows_of_other_folds_decide(name, problem):
    rows, arities, target = problem
    features = [j for j in range(len(arities)) if j != target]
    table = make_table(*problem)
    folds = min(joining.FOLDS, len(rows))
    assume(folds >= 2)
    fold = table_folds(table, folds, np.random.default_rng(0), "").tolist()

    def accuracy(parents):
        return -slow.error_rate(rows, [1] * len(rows), arities, target, parents, fold, "laplace")

    wanted = SLOW[name](features, accuracy, len(arities), target)
    found = QUICK[name]().search(table, np.random.default_rng(0))
    assert list(found.dag.parent_indices) == wanted
    assert found.trace.score == pytest.approx(float(accuracy(wanted)))


def test_joined_features_are_one_variable():
    """Without smoothing the product of the clique's tables is the table of all combinations."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (200, 2)).astype(str)
    y = (X[:, 0] == X[:, 1]).astype(int)
    clf = bl.BayesNetClassifier(bl.BSEJ(), bl.MaximumLikelihood(0)).fit(X, y)
    joined = np.array([[f"{a}{b}"] for a, b in X])
    one = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(0)).fit(joined, y)
    assert clf.network_.arcs == (("class", "x0"), ("x0", "x1"), ("class", "x1"))
    np.testing.assert_allclose(clf.predict_proba(X), one.predict_proba(joined), atol=1e-12)


@pytest.mark.parametrize("learner", [bl.FSSJ(), bl.BSEJ()], ids=repr)
def test_features_are_not_joined_into_tables_that_are_too_large(learner, monkeypatch):
    monkeypatch.setattr(joining, "MOST_CELLS", 4)
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 10, target=2)
    for _, child in learner.learn(xor, np.random.default_rng(0)).arcs:
        assert learner.learn(xor, np.random.default_rng(0)).parents(child) == ("class",)


@pytest.mark.parametrize("parameters", [None, bl.Shrinkage()], ids=repr)
@pytest.mark.parametrize("name", ["ETAN", "FSSJ", "BSEJ", "SKDB"])
def test_they_are_classifiers_by_name(name, parameters, tmp_path):
    X, y = IRIS
    model = bl.classifier(name, **({} if parameters is None else {"parameters": parameters})).fit(X, y)
    assert model.score(X, y) > 0.9
    model.save(tmp_path / "m.json")
    assert (bl.load(tmp_path / "m.json").predict_proba(X) == model.predict_proba(X)).all()
    assert model.training_.search.steps


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (bl.ETAN(bl.ClassificationRate()), "'score' parameter of ETAN must be a decomposable score"),
        (bl.FSSJ(bl.BIC()), r"FSSJ cannot search with BIC\(\): it needs a class-focused score"),
        (bl.BSEJ(bl.CrossValidatedRisk), "BSEJ cannot search with <class"),
    ],
    ids=repr,
)
def test_wrong_scores_are_refused(learner, sentence):
    with pytest.raises(TypeError, match=sentence):
        bl.BayesNetClassifier(learner).fit(*IRIS)
