"""Rows that come in batches make the model of one fit; counts are all that is kept."""

import pickle
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import bayleaf as bl
from bayleaf.classify.online import StartsAnewWarning
from bayleaf.graph import DAG

CUTS = bl.Cuts({"number": [-0.5, 0.0, 0.7, 1.5], "few": [0.5, 1.5]})


def rows(n, seed, gaps=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    a = (y + rng.integers(0, 2, n)) % 4
    frame = pl.DataFrame(
        {
            "a": [f"v{k}" for k in a],
            "number": a - 1.5 + rng.normal(size=n),
            "few": (a + rng.integers(0, 2, n)).astype(np.int64),
            "truth": rng.random(n) < 0.2 + 0.3 * y,
            "b": [f"w{k}" for k in (a + rng.integers(0, 9, n) // 4) % 5],
        }
    )
    lost = rng.random(frame.shape) < gaps * (1 + (y[:, None] > 1))
    frame = frame.with_columns(
        pl.when(pl.Series(lost[:, j])).then(None).otherwise(pl.col(name)).alias(name)
        for j, name in enumerate(frame.columns)
    )
    return frame, np.array(["no", "so", "yes"])[y]


def in_batches(model, X, y, sizes, weights=None):
    start, k = 0, 0
    while start < len(y):
        stop = start + sizes[k % len(sizes)]
        own = None if weights is None else weights[start:stop]
        model.partial_fit(X[start:stop], y[start:stop], classes=["no", "so", "yes"], sample_weight=own)
        start, k = stop, k + 1
    return model


class Chain:
    """A learner of somebody else's: each feature's parents are the class and the feature before it."""

    needs = "pairs"

    def learn(self, table, rng):
        target, features = table.names[table.target], [table.names[j] for j in table.features]
        arcs = [(target, feature) for feature in features]
        return DAG(table.names, [*arcs, *pairwise(features)])


LEARNERS = [
    (bl.TAN(), bl.Shrinkage()),
    (bl.NaiveBayes(), bl.Laplace()),
    (bl.FAN(), bl.Dirichlet()),
    (bl.ETAN(), bl.Dirichlet(ess=2)),
    (bl.KDB(k=1), bl.MEstimate()),
    (bl.TANaCLL(), bl.Laplace()),
    (Chain(), bl.Shrinkage()),
    (bl.FixedStructure([("class", "a"), ("a", "b"), ("class", "b")]), bl.Laplace()),
]


@pytest.mark.parametrize(("structure", "parameters"), LEARNERS, ids=lambda learner: type(learner).__name__)
def test_any_batches_are_one_fit(structure, parameters):
    X, y = rows(150, 3, gaps=0.1)
    for missing in ("auto", "state", "available", "drop"):
        model = bl.BayesNetClassifier(structure, parameters, CUTS, missing=missing, identifiers="keep")
        whole = clone(model).fit(X, y)
        batches = in_batches(model, X, y, [40, 1, 70])
        assert batches.schema_ == whole.schema_
        assert [v.n_missing for v in batches.schema_.features] == [
            v.n_missing for v in whole.schema_.features
        ]
        assert batches.network_.arcs == whole.network_.arcs
        for ours, theirs in zip(batches.network_.tables, whole.network_.tables, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert batches.training_.rows == whole.training_.rows
        assert batches.training_.missing == whole.training_.missing


@given(st.lists(st.integers(20, 60), min_size=1, max_size=4), st.integers(0, 10**6))
@settings(max_examples=6, deadline=None)
def test_any_batches_are_one_fit_with_weights(sizes, seed):
    X, y = rows(90, seed, gaps=0.15)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    model = bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), CUTS, identifiers="keep")
    whole = clone(model).fit(X, y, weights)
    batches = in_batches(model, X, y, sizes, weights)
    np.testing.assert_allclose(batches.predict_proba(X), whole.predict_proba(X), rtol=0, atol=1e-12)


def test_forgetting_is_the_same_for_any_batches_and_weighs_rows_by_their_age():
    X, y = rows(120, 0, gaps=0.1)
    model = bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), CUTS, half_life=30.0)
    weights = 2.0 ** (-np.arange(len(y))[::-1] / 30.0)
    whole = clone(model).fit(X, y, weights)
    for sizes in ([120], [50, 17]):
        batches = in_batches(clone(model), X, y, sizes)
        np.testing.assert_allclose(batches.predict_proba(X), whole.predict_proba(X), rtol=0, atol=1e-9)
    assert batches.training_.weight == pytest.approx(weights.sum())


def test_a_class_that_changes_its_meaning_is_learned_anew_only_by_who_forgets():
    X, y = rows(3000, 0)
    turned = y.copy()
    turned[1500:] = np.array(["yes", "no", "so"])[np.unique(y, return_inverse=True)[1]][1500:]
    late, old = X[2500:], slice(2500, None)
    forgets, keeps = (
        in_batches(bl.BayesNetClassifier(bl.TAN(), half_life=half_life), X[:2500], turned[:2500], [250])
        for half_life in (200.0, None)
    )
    assert forgets.score(late, turned[old]) > keeps.score(late, turned[old]) + 0.1


def test_the_graph_is_learned_again_when_it_is_due_or_asked_for():
    X, y = rows(1200, 0)
    model = bl.BayesNetClassifier(bl.TAN(), discretizer=CUTS, relearn_every=1000)
    in_batches(model, X[:20], y[:20], [20])
    first = model.network_.arcs
    in_batches(model, X[20:900], y[20:900], [300])
    assert model.network_.arcs == first  # while the tables follow
    same = bl.BayesNetClassifier(bl.FixedStructure(first), bl.Shrinkage(), CUTS).fit(X[:900], y[:900])
    np.testing.assert_array_equal(model.network_.tables[0], same.network_.tables[0])
    again = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), CUTS)
    assert clone(again).fit(X[:900], y[:900]).network_.arcs != first
    asked = pickle.loads(pickle.dumps(model)).relearn()
    assert asked.network_.arcs == clone(again).fit(X[:900], y[:900]).network_.arcs
    in_batches(model, X[900:], y[900:], [300])
    assert model.network_.arcs == again.fit(X, y).network_.arcs
    with pytest.raises(ValueError, match="nothing to learn from again: call partial_fit first"):
        bl.BayesNetClassifier().relearn()


def test_new_categories_of_every_kind_become_states():
    first = pl.DataFrame(
        {"text": ["b", "d"], "empty": pl.Series([None, None], dtype=pl.String), "number": [1.0, 2.0]}
    )
    later = pl.DataFrame({"text": ["c", "a"], "empty": ["z", None], "number": [9.0, None]})
    model = bl.BayesNetClassifier(bl.NaiveBayes(), missing="available", identifiers="keep")
    with pytest.warns(UserWarning, match="'empty' has no values at all"):
        model.partial_fit(first, [0, 1], classes=[0, 1])
    model.partial_fit(later, [1, 0])
    assert model.schema_.features[0].states == ("a", "b", "c", "d")
    assert "z" in model.schema_.features[1].states
    ordered = pl.DataFrame({"x": pl.Series(["lo", "hi"] * 5, dtype=pl.Enum(["lo", "hi"]))})
    model = bl.BayesNetClassifier().partial_fit(ordered, [0, 1] * 5, classes=[0, 1])
    model.partial_fit(pl.DataFrame({"x": ["mid"] * 4}), [0, 0, 0, 1])
    assert model.schema_.features[0].states == ("lo", "hi", "mid")
    assert model.predict(pl.DataFrame({"x": ["mid"]})).tolist() == [0]


def test_memory_does_not_grow_with_rows_and_is_refused_in_advance():
    X, y = rows(400, 0)
    model = in_batches(bl.BayesNetClassifier(discretizer=CUTS, missing="available"), X[:300], y[:300], [300])
    before, states = model.online_bytes_, [v.arity for v in model.schema_.features]
    in_batches(model, X[300:], y[300:], [10])
    assert model.online_bytes_ == before
    pairs = (sum(states) ** 2 - sum(r * r for r in states)) // 2
    assert before == 8 * 3 * (pairs + sum(states) + 1)
    names = pl.DataFrame({name: [f"{name}{k}" for k in range(20_000)] for name in "xy"})
    wide = bl.BayesNetClassifier(identifiers="keep")
    with pytest.raises(ValueError, match=r"all pairs of features would take .* more than 2\.0 GiB"):
        wide.partial_fit(names, np.arange(20_000) % 2, classes=[0, 1])
    assert not hasattr(wide, "network_")


def test_a_mistake_leaves_the_model_as_it_was():
    X, y = rows(60, 0)
    model = in_batches(bl.BayesNetClassifier(), X, y, [60])
    before = model.predict_proba(X)
    for wrong, label, words in (
        (X.drop("a"), y, "X lacks 1 column of fit: 'a'"),
        (X, np.array(["maybe"] * 60), "y has the label 'maybe', which is not one of the classes"),
    ):
        with pytest.raises(ValueError, match=words):
            model.partial_fit(wrong, label)
    with pytest.raises(ValueError, match="classes is not the same as on the first call to partial_fit"):
        model.partial_fit(X, y, classes=["no", "yes"])
    assert model.training_.rows == 60
    np.testing.assert_array_equal(model.predict_proba(X), before)


class Failing(bl.Dirichlet):
    """Tables that cannot be filled when they are told so."""

    needs = "counts"
    fails = None

    def fit(self, table, dag):
        if Failing.fails is not None:
            raise Failing.fails("in the middle")
        return super().fit(table, dag)


def test_a_learner_that_does_not_say_what_it_needs_is_told_how():
    silent, wrong = (type("Other", (), {"learn": Chain.learn, **said}) for said in ({}, {"needs": "columns"}))
    with pytest.raises(AttributeError, match=r"does not say what it needs.*needs = 'pairs'"):
        bl.BayesNetClassifier(silent()).partial_fit  # noqa: B018
    with pytest.raises(ValueError, match="says needs = 'columns'; it must be one of"):
        bl.BayesNetClassifier(wrong()).partial_fit  # noqa: B018


@pytest.mark.parametrize(
    ("setting", "text", "words"),
    [
        ("structure", "tann", r"'tann' is not a learner for the setting 'structure'. Did you mean 'tan'\?"),
        ("structure", "aode", "'aode' is not a learner for the setting 'structure'"),
        ("structure", "KDB(q=1)", "KDB has no setting 'q'"),
        ("parameters", "laplacee", r"'laplacee' is not a learner for the setting 'parameters'. Did you mean"),
        ("selector", "mmpcc", "'mmpcc' is not a learner for the setting 'selector'"),
        ("structure", 3, "The 'structure' parameter of BayesNetClassifier must be an object with a method"),
    ],
)
@pytest.mark.parametrize("later", [False, True])
def test_what_is_no_learner_is_refused_as_by_fit(setting, text, words, later):
    X, y = rows(60, 0)
    model = bl.BayesNetClassifier(bl.TAN(), bl.Laplace())
    if later:
        model.partial_fit(X[:30], y[:30], classes=["no", "so", "yes"])
    setattr(model, setting, text)
    assert hasattr(model, "partial_fit")
    for learn in (model.partial_fit, model.fit):
        with pytest.raises((TypeError, ValueError), match=words):
            learn(X, y, **({} if learn == model.fit else {"classes": ["no", "so", "yes"]}))


def test_a_learner_that_says_pairs_and_takes_more_is_told_so():
    class Wrong:
        needs = "pairs"

        def learn(self, table, rng):
            return bl.KDB(k=2).learn(table, rng)

    with pytest.raises(ValueError, match=r"Only the counts of pairs.* has needs = 'counts', not 'pairs'"):
        bl.BayesNetClassifier(Wrong()).partial_fit(*rows(60, 0), classes=["no", "so", "yes"])


@pytest.mark.parametrize("half_life", [None, 30.0])
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_batch_that_fails_is_not_counted(half_life, error, monkeypatch):
    X, y = rows(90, 0)
    odd = X[30:60].with_columns(a=pl.lit("new"))
    model, other = (bl.BayesNetClassifier(bl.TAN(), Failing(), half_life=half_life) for _ in range(2))
    for each in (model, other):
        each.partial_fit(X[:30], y[:30], classes=["no", "so", "yes"])
    before = model.online_bytes_
    monkeypatch.setattr(Failing, "fails", error)
    with pytest.raises(error, match="in the middle"):
        model.partial_fit(odd, y[30:60], sample_weight=np.full(30, 0.5))
    with pytest.raises(error, match="in the middle"):
        model.relearn()
    assert (model.training_.rows, model.online_bytes_) == (30, before)
    monkeypatch.setattr(Failing, "fails", None)
    for each in (model, other):
        each.partial_fit(X[60:], y[60:])
    assert model.training_.rows == 60
    assert model.schema_ == other.schema_
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"structure": bl.KDB(k=2)},
            r"needs counts of more than two features together, and partial_fit keeps counts of pairs: use",
        ),
        ({"structure": bl.Exact(bl.BIC())}, "needs the rows themselves, and partial_fit keeps only counts"),
        ({"parameters": bl.TunedTables()}, "TunedTables.* needs the rows themselves"),
        ({"missing": "impute"}, "partial_fit cannot impute"),
        ({"max_categories": 5}, "cannot follow max_categories=5: which categories are rare"),
        ({"class_weight": "balanced"}, "cannot follow class_weight='balanced'.*use sample_weight"),
    ],
)
def test_what_counts_cannot_follow_is_refused_in_one_sentence(options, words):
    model = bl.BayesNetClassifier(**options)
    with pytest.raises(AttributeError, match=words):
        model.partial_fit(*rows(60, 0), classes=["no", "so", "yes"])
    assert not hasattr(model, "partial_fit")  # which is how scikit-learn asks


def test_settings_that_are_wrong_for_any_rows():
    X, y = rows(60, 0)
    for options, words in (
        ({"half_life": 0.0}, "'half_life' parameter of BayesNetClassifier must be"),
        ({"relearn_every": 0}, "'relearn_every' parameter of BayesNetClassifier must be"),
        (
            {"structure": bl.FixedStructure([("a", "b"), ("few", "b"), ("truth", "b")])},
            "Only the counts of pairs of features were kept, and a table over a, few, truth, b needs more",
        ),
    ):
        model = bl.BayesNetClassifier(**options)
        with pytest.raises(ValueError, match=words):
            model.partial_fit(X, y, classes=["no", "so", "yes"])
        assert not hasattr(model, "network_")


def test_classes_come_first_and_fit_starts_anew():
    X, y = rows(60, 0)
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        bl.BayesNetClassifier().partial_fit(X, y)
    usual = bl.BayesNetClassifier().partial_fit(X, y, classes=["no", "so", "yes"])
    assert (repr(usual.structure_), repr(usual.parameters_)) == ("TAN(shrunk=True)", "Shrinkage()")
    model = bl.BayesNetClassifier().fit(X, y)
    with pytest.warns(StartsAnewWarning, match=r"without the counts of its rows: partial_fit starts anew\."):
        model.partial_fit(X[:20], y[:20])
    assert model.training_.rows == 20
    late = bl.BayesNetClassifier().partial_fit(X[:1], y[:1], classes=["yes", "no", "so"])  # one class so far
    assert late.classes_.tolist() == ["no", "so", "yes"]
    assert late.fit(X, y).training_.rows == 60
    assert not hasattr(late, "online_bytes_")


@pytest.mark.parametrize("states", [3, 300], ids=["bytes", "wide codes"])
def test_gaps_of_later_batches_are_gaps(states):
    """Whatever number stands for a missing value: 255 in one byte, 65535 in two, where 255 is a value."""
    rng = np.random.default_rng(0)
    x = np.array([f"v{k}" for k in rng.permutation(np.arange(1200) % states)], dtype=object)
    y = np.arange(1200) % 2
    x[rng.random(1200) < 0.2] = None
    table = pl.DataFrame({"x": x.tolist(), "z": ["a", "b"] * 600}, schema={"x": pl.String, "z": pl.String})
    parts = np.array_split(np.arange(1200), 3)
    settings = {"structure": bl.NaiveBayes(), "parameters": bl.Dirichlet(), "missing": "available"}
    whole = bl.BayesNetClassifier(**settings).fit(table, y)
    online = bl.BayesNetClassifier(**settings)
    for part in parts:
        online.partial_fit(table[part], y[part], classes=[0, 1])
    assert whole.network_.variable("x").arity == states
    assert online.training_.missing["x"] == whole.training_.missing["x"] == pytest.approx(np.mean(x == None))  # noqa: E711
    np.testing.assert_allclose(online.predict_proba(table), whole.predict_proba(table), rtol=1e-12)


def test_a_later_batch_with_more_labels_than_rows_is_refused_like_the_first():
    X, y = rows(60, 1)
    model = bl.BayesNetClassifier(discretizer=CUTS, structure=bl.NaiveBayes(), parameters=bl.Shrinkage())
    model.partial_fit(X, y, classes=["no", "so", "yes"])
    for labels in (y[:-1], [*y, "no"]):
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples"):
            model.partial_fit(X, labels)
    assert model.training_.rows == 60
