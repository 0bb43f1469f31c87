"""Weights of any size: a common factor does not matter where tables are tuned, and sums must not lose any."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl

X, Y = load_iris(return_X_y=True, as_frame=True)
RNG = np.random.default_rng(0)
WEIGHTS = RNG.integers(1, 6, len(Y)) / 4
FRAME = pl.DataFrame({**{name: X[name].to_numpy() for name in X}, "class": Y.to_numpy()})

SCALED = {
    "default": bl.BayesNetClassifier(),
    "tuned": bl.BayesNetClassifier(bl.NaiveBayes(), bl.TunedTables()),
    "pool": bl.NetworkPool(cycles=1, seeds=1),
    "balanced": bl.BayesNetClassifier(class_weight="balanced"),
}
COUNTED = {
    "Dirichlet": bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet()),
    "BDeu": bl.classifier("GBN-BDeu"),
    "averaged": bl.AveragedClassifier(),
    "bagged": bl.BaggedClassifier(n_estimators=2, random_state=0),
}


@pytest.mark.parametrize("name", SCALED)
def test_a_common_factor_does_not_matter(name):
    model = SCALED[name]
    expected = model.fit(X, Y, sample_weight=WEIGHTS).predict_proba(X)
    assert abs(expected - model.fit(X, Y).predict_proba(X)).max() > 0.01  # but the ratios do
    for factor in (3e-308, 1e14, 1.7e307):
        found = model.fit(X, Y, sample_weight=WEIGHTS * factor).predict_proba(X)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("name", SCALED)
def test_equal_weights_are_no_weights(name):
    model = SCALED[name]
    expected = model.fit(X, Y).predict_proba(X)
    for weight in (1.0, 0.1, 7e200):
        np.testing.assert_array_equal(model.fit(X, Y, [weight] * len(Y)).predict_proba(X), expected)


def test_the_mean_is_that_of_the_rows_that_count():
    """Rows of weight zero, and rows without a class, have no say in it."""
    model = bl.BayesNetClassifier()
    expected = model.fit(X, Y, WEIGHTS).predict_proba(X)
    twice = X.iloc[np.r_[: len(Y), :20, :20]].reset_index(drop=True)
    labels = np.r_[Y.to_numpy(dtype=float), np.full(20, np.nan), np.ones(20)]
    weights = np.r_[WEIGHTS, np.full(20, 9.0), np.zeros(20)]
    with pytest.warns(UserWarning, match="20 of 190 rows have no class"):
        found = model.fit(twice, labels, weights).predict_proba(X)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", COUNTED)
def test_elsewhere_a_weight_of_two_is_two_rows(name):
    model = COUNTED[name]
    single = model.fit(X, Y).predict_proba(X)
    assert abs(model.fit(X, Y, [2.0] * len(Y)).predict_proba(X) - single).max() > 1e-6
    for factor in (1e60, 1e308):
        with pytest.raises(
            ValueError, match=r"sample_weight adds up to more than 2\^53 rows, .* divide all weights"
        ):
            model.fit(X, Y, sample_weight=WEIGHTS * factor / 2)


@pytest.mark.parametrize("model", [*SCALED.values(), *COUNTED.values()], ids=[*SCALED, *COUNTED])
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.r_[1e-15, np.ones(149)], "from 1e-15 to 1, a ratio of more than 1e\\+12: .* below 1e-12 to zero"),
        (np.r_[1e15, np.ones(149)], "from 1 to 1e\\+15, .* below 1000 to zero"),
        (10.0 ** -np.linspace(0, 20, 150), "from 1e-20 to 1,"),
    ],
    ids=["one small", "one large", "decaying"],
)
def test_weights_that_doubles_cannot_add_up(model, weights, words):
    with pytest.raises(ValueError, match=f"^sample_weight has weights {words}"):
        model.fit(X, Y, sample_weight=weights)


def test_other_doors():
    wide = np.r_[1e-15, np.ones(149)]
    with pytest.raises(ValueError, match="from 1e-15 to 1"):
        bl.MDLP().fit(X, Y, sample_weight=wide)
    with pytest.raises(ValueError, match="from 1e-15 to 1"):
        bl.learn_network(X, sample_weight=wide)
    with pytest.raises(ValueError, match="adds up to more"):
        bl.learn_network(X, sample_weight=np.full(150, 1e300))
    with pytest.raises(ValueError, match=r"^class_weight has weights from 1 to 1e\+15"):
        bl.BayesNetClassifier(class_weight={0: 1e15}).fit(X, Y)
    with pytest.raises(
        ValueError, match=r"class_weight must give 0 a positive weight below 1e100\. Got 1e\+300\."
    ):
        bl.BayesNetClassifier(class_weight={0: 1e300}).fit(X, Y)


def streamed(model, weights, **how):
    return model.fit_from(FRAME.with_columns(w=weights), "class", weight="w", **how)


@pytest.mark.parametrize("name", ["default", "balanced", "tuned"])
def test_streams_scale_in_the_same_way(name):
    model = SCALED[name]
    fitted = model.fit(X, Y, sample_weight=WEIGHTS).predict_proba(X)
    whole = streamed(model, WEIGHTS * 1e14).predict_proba(FRAME.drop("class"))
    np.testing.assert_allclose(whole, fitted, atol=1e-9)
    counted = streamed(model, WEIGHTS, sample_rows=100).predict_proba(FRAME.drop("class"))
    for factor in (1e-200, 1e14):
        large = streamed(model, WEIGHTS * factor, sample_rows=100)
        np.testing.assert_allclose(large.predict_proba(FRAME.drop("class")), counted, atol=1e-9)
        assert large.training_.weight == pytest.approx(150)


def test_streams_refuse_what_tables_refuse():
    with pytest.raises(ValueError, match=r"^The column 'w' has weights from 1e-15 to 1,"):
        streamed(bl.BayesNetClassifier(), np.r_[1e-15, np.ones(149)], sample_rows=100)
    with pytest.raises(ValueError, match=r"^The column 'w' adds up to more than 2\^53 rows"):
        streamed(COUNTED["Dirichlet"], WEIGHTS * 1e60, sample_rows=100)
    with pytest.raises(ValueError, match=r"^The column 'w' adds up to more than doubles can hold"):
        streamed(bl.BayesNetClassifier(), np.full(150, 1.7e308), sample_rows=100)


def test_batches_of_partial_fit_are_counted():
    """What mean the weights of all batches have is known at the end only."""
    model = bl.BayesNetClassifier()
    one = model.partial_fit(X, Y, classes=[0, 1, 2]).predict_proba(X)
    other = bl.BayesNetClassifier().partial_fit(X, Y, classes=[0, 1, 2], sample_weight=[2.0] * 150)
    assert abs(other.predict_proba(X) - one).max() > 1e-4
