"""Where classes are equally probable, a search decides as the classifier that it makes will."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf import BayesNetClassifier, Dirichlet, FixedStructure, Laplace, MaximumLikelihood
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import ClassificationRate, RowLoss
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.search.log_joint import LogJointEvaluator
from bayleaf.learn.search.samples import Units


def encoded(model, X, y):
    codes = np.column_stack([model.encode(X).codes, np.searchsorted(model.classes_, y)])
    variables = (*model.schema_.features, model.schema_.target)
    return Table.from_codes(variables, codes.astype(np.int64), None, len(variables) - 1)


def compared(X, y, arcs, parameters):
    """Accuracy of a classifier on its own training rows, and what a search thinks of its graph."""
    model = BayesNetClassifier(
        FixedStructure(arcs), parameters, categorical_features=np.ones(X.shape[1], dtype=bool)
    ).fit(X, y)
    table = encoded(model, X, y)
    score = ClassificationRate(parameters)
    searched = evaluator_at(score, table, model.network_.dag, np.random.default_rng(0)).value
    return float((model.predict(X) == y).mean()), searched


NAIVE = [("class", "x0"), ("class", "x1")]


def with_shares(label, size, p, r):
    """Rows of one class, `p` of them with x0 = "p" and `r` with x1 = "r"."""
    return [("p" if k < p else "q", "r" if size - k <= r else "s", label) for k in range(size)]


@pytest.mark.parametrize(("one", "other"), [("a", "b"), ("b", "a")])
def test_of_equal_products_the_first_class_wins(one, other):
    # 1/2 * 8/12 * 3/12 = 1/2 * 4/12 * 6/12
    data = np.array(with_shares(one, 12, 8, 3) + with_shares(other, 12, 4, 6))
    assert decision_for(data, ["p", "r"]) == "a"


@pytest.mark.parametrize(("frequent", "rare"), [("a", "b"), ("b", "a")])
def test_of_equal_products_the_more_frequent_class_wins(frequent, rare):
    # 2/3 * 8/24 * 6/24 = 1/3 * 4/12 * 6/12
    data = np.array(with_shares(frequent, 24, 8, 6) + with_shares(rare, 12, 4, 6))
    assert decision_for(data, ["p", "r"]) == frequent


def decision_for(data, row):
    """Decide as the classifier does, having seen that a search counts the same errors."""
    X, y = data[:, :2], data[:, 2]
    accuracy, searched = compared(X, y, NAIVE, MaximumLikelihood())
    assert searched == pytest.approx(accuracy, abs=1e-12)
    model = BayesNetClassifier(FixedStructure(NAIVE), MaximumLikelihood()).fit(X, y)
    assert model.predict_proba([row])[0] == pytest.approx([0.5, 0.5])
    return model.predict([row])[0]


rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)),
    min_size=4,
    max_size=24,
)


@settings(max_examples=20, deadline=None)
@given(rows=rows, parameters=st.sampled_from([MaximumLikelihood(), Laplace()]), graph=st.integers(0, 3))
def test_a_search_and_its_classifier_decide_alike(rows, parameters, graph):
    if graph == 3:  # with more smoothing the prior of a class with parents is not that of its rows
        parameters = MaximumLikelihood()
    data = np.array(rows)
    X, y = data[:, :3].astype(str), data[:, 3]
    arcs = [
        [("class", "x0"), ("class", "x1"), ("class", "x2")],
        [("class", "x0"), ("class", "x1"), ("class", "x2"), ("x0", "x1"), ("x1", "x2")],
        [("class", "x0"), ("x1", "x0"), ("class", "x2")],
        [("x0", "class"), ("class", "x1"), ("class", "x2")],
    ][graph]
    sizes = np.unique(y, return_counts=True)[1]
    if len(sizes) < 2:
        return
    # Which of equally frequent classes a network finds more frequent, epsilon decides alone.
    if graph == 3 and len(set(sizes)) < len(sizes):
        return
    accuracy, searched = compared(X, y, arcs, parameters)
    assert searched == pytest.approx(accuracy, abs=1e-12)


@pytest.mark.parametrize("folds", [False, True], ids=["all rows", "folds"])
@pytest.mark.parametrize("parameters", [MaximumLikelihood(), Laplace()], ids=repr)
def test_whole_weights_decide_ties_like_copies_of_rows(parameters, folds):
    rng = np.random.default_rng(1)
    for _ in range(150):
        codes = np.column_stack([rng.integers(0, arity, 10) for arity in (2, 2, 3, 3)])
        weights = rng.integers(1, 30, 10)
        fold = np.arange(10) % 2 if folds else None
        copied = None if fold is None else np.repeat(fold, weights)
        values = [
            accuracy_of(codes, weights.astype(np.float64), fold, parameters),
            accuracy_of(np.repeat(codes, weights, axis=0), None, copied, parameters),
        ]
        assert values[0] == values[1]


LOSSES = [RowLoss("error"), RowLoss("cost", np.array([[0.0, 0.1], [0.7, 0.0]]))]


@pytest.mark.parametrize("loss", LOSSES, ids=["errors", "costs"])
def test_whole_weights_lose_exactly_what_copies_of_rows_lose(loss):
    """A row of weight three and three rows of weight one are a tie: the first move is made, not a lucky one."""
    rng = np.random.default_rng(3)
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    sets = [(), (1,), (2,), (1, 2)]
    for _ in range(50):
        codes, weights = rng.integers(2, size=(12, 3)), rng.integers(0, 8, size=12)
        scores = [
            LogJointEvaluator(table, DAG(table.names), MaximumLikelihood(), loss).scores(0, sets).tolist()
            for table in (
                Table.from_codes(variables, codes, weights.astype(np.float64), 2),
                Table.from_codes(variables, np.repeat(codes, weights, axis=0), None, 2),
            )
        ]
        assert scores[0] == scores[1]


def test_halves_weigh_half():
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "class"))
    codes = [[0, 0], [0, 0], [0, 1], [1, 1]]
    values = [
        LogJointEvaluator(
            Table.from_codes(variables, codes, np.array([2.0, 2.0, 1.0, 2.0]) * unit, 1),
            DAG(["a", "class"], [("class", "a")]),
            MaximumLikelihood(),
            RowLoss("error"),
        ).value
        for unit in (1.0, 0.5)
    ]
    assert values == pytest.approx([-1 / 7, -1 / 7])


def test_classes_of_equal_weight_are_ties_whatever_their_sums_round_to():
    # 0.3 + 0.6 + 0.1 and 0.4 + 0.2 + 0.4 differ in the last bit.
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    codes = [[0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 0]]
    weights = np.array([0.4, 0.2, 0.4, 0.3, 0.6, 0.1])
    for scale in (1.0, 10.0, 1 / 3):
        table = Table.from_codes(variables, codes, weights * scale, 2)
        naive = DAG.from_parents(table.names, [(2,), (2,), ()])
        evaluator = evaluator_at(ClassificationRate(), table, naive, np.random.default_rng(0))
        assert evaluator.value == pytest.approx(0.6, abs=1e-12)


def test_with_weights_that_are_no_whole_numbers_rounding_makes_no_better_network():
    variables = tuple(Variable(name, ("0", "1")) for name in ("a", "class"))
    rng = np.random.default_rng(0)
    for _ in range(200):
        codes = rng.integers(2, size=(30, 2))
        table = Table.from_codes(variables, codes, rng.integers(1, 8, 30) / 7, 1)
        evaluator = evaluator_at(
            ClassificationRate(), table, DAG.from_parents(table.names, [(1,), ()]), np.random.default_rng(0)
        )
        assert evaluator.best(0, [(1,)], above=evaluator.value) is None
        wrong = Fraction(round(7 * float((1 - evaluator.value) * table.total_weight)), 7)
        assert evaluator.value == pytest.approx(1 - float(wrong) / table.total_weight, abs=1e-14)


def accuracy_of(codes, weights, fold, parameters):
    variables = tuple(Variable(f"v{j}", tuple(range(arity))) for j, arity in enumerate((2, 2, 3, 3)))
    table = Table.from_codes(variables, codes, weights, 3)
    naive = DAG.from_parents(table.names, [(3,), (3,), (3,), ()])
    fold = None if fold is None else fold.astype(np.uint8)
    return LogJointEvaluator(table, naive, parameters, RowLoss("error"), fold=fold, offset=1.0).value


@pytest.mark.parametrize("offset", [0.0, 1.0, 0.75e3])
def test_a_network_is_not_better_than_itself(offset):
    """However many rows there are: scores are rounded, the more so beside a large offset (of negative costs)."""
    units = Units(2.0**30 * 1e7, offset, worth=max(1.0, 2.0**10 * (offset > 1)))
    losses = (np.random.default_rng(0).random(500) ** 6 * 2.0**30 * 1e7).astype(np.int64)
    for loss in losses.tolist():
        assert units.bound(float(units.score(loss))) <= loss
        assert units.bound(float(units.score(loss))) > loss * (1 - 1e-9) - 2.0**10


def test_equal_probabilities_are_ties_whatever_their_logarithms_round_to():
    """(1 + a) / (2 + 2 a) = a / 2 a for any share a of the sample size, so that the frequent class wins."""
    feature = [0, 1] + [-1] * 8
    variables = (Variable("x", (0, 1)), Variable("hidden", (0,)), Variable("c", (0, 1)))
    codes = np.array([[x, -1, 0] for x in feature])
    table = Table.from_codes(variables, codes, target=2)
    for ess in (0.7, 1.0, 1.1, 1.3, 1.4, 2.5, 3.5):
        evaluator = evaluator_at(
            ClassificationRate(Dirichlet(ess)),
            table,
            DAG.from_parents(table.names, [(), (), (1,)]),
            np.random.default_rng(0),
        )
        assert evaluator.scores(0, [(), (2,)]).tolist() == [1.0, 1.0]
