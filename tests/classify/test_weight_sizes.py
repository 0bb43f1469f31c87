"""Weights count as rows: enormous ones work as far as doubles can add them up, and others are refused."""

import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl

X, Y = load_iris(return_X_y=True, as_frame=True)
WEIGHTS = np.random.default_rng(0).integers(1, 6, len(Y)) / 4
FRAME = pl.DataFrame({**{name: X[name].to_numpy() for name in X}, "class": Y.to_numpy()})

MODELS = {
    "default": bl.BayesNetClassifier(),
    "pool": bl.NetworkPool(cycles=1, seeds=1),
    "balanced": bl.BayesNetClassifier(class_weight="balanced"),
    "Dirichlet": bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet()),
    "BDeu": bl.classifier("GBN-BDeu"),
    "averaged": bl.AveragedClassifier(),
    "bagged": bl.BaggedClassifier(n_estimators=2, random_state=0),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@each_model
@pytest.mark.parametrize("factor", [1e3, 1e10, 1e13], ids=str)
def test_large_weights_are_many_rows(model, factor):
    """More of the same rows: the class of the training rows is no less sure."""
    few, many = (model.fit(X, Y, WEIGHTS * k).predict_proba(X) for k in (1, factor))
    own = np.arange(len(Y)), Y
    assert np.log(many[own]).mean() > np.log(few[own]).mean() - 0.02


@each_model
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.r_[1e-15, np.ones(149)], r"from 1e-15 to 1, a ratio of more than 1e\+12: .* below 1e-12 to zero"),
        (np.r_[1e15, np.ones(149)], r"from 1 to 1e\+15, .* below 1000 to zero"),
        (10.0 ** -np.linspace(0, 20, 150), "from 1e-20 to 1,"),
    ],
    ids=["one small", "one large", "decaying"],
)
def test_weights_that_doubles_cannot_add_up(model, weights, words):
    with pytest.raises(ValueError, match=f"^sample_weight has weights {words}"):
        model.fit(X, Y, sample_weight=weights)


@each_model
def test_more_rows_than_doubles_count(model):
    for factor in (1e15, 1e60, 1e308):
        with pytest.raises(
            ValueError, match=r"sample_weight adds up to .* rows, .* up to 2\^53: .* Divide all"
        ):
            model.fit(X, Y, sample_weight=WEIGHTS * factor / 2)
    with pytest.raises(ValueError, match=r"sample_weight adds up to 1\.5e-298 rows"):
        model.fit(X, Y, sample_weight=np.full(150, 1e-300))


def test_weights_that_add_up_to_one_are_not_taken_for_rows_in_silence():
    model = bl.BayesNetClassifier()
    with pytest.warns(UserWarning, match=r"makes 150 rows count as 1, .* Divide the weights by their mean"):
        model.fit(X, Y, sample_weight=WEIGHTS / WEIGHTS.sum())
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "sample_weight makes")
        model.fit(X, Y, sample_weight=np.r_[np.full(140, 1e-6), np.ones(10)])  # as weights that fade with age


def test_other_doors():
    wide = np.r_[1e-15, np.ones(149)]
    with pytest.raises(ValueError, match="from 1e-15 to 1"):
        bl.MDLP().fit(X, Y, sample_weight=wide)
    with pytest.raises(ValueError, match="from 1e-15 to 1"):
        bl.learn_network(X, sample_weight=wide)
    with pytest.raises(ValueError, match=r"adds up to 1\.5e\+302 rows"):
        bl.learn_network(X, sample_weight=np.full(150, 1e300))
    with pytest.raises(ValueError, match=r"^class_weight has weights from 1 to 1e\+15"):
        bl.BayesNetClassifier(class_weight={0: 1e15}).fit(X, Y)
    with pytest.raises(ValueError, match=r"class_weight must give 0 a positive weight\. Got inf\."):
        bl.BayesNetClassifier(class_weight={0: np.inf}).fit(X, Y)


def test_streams_refuse_what_tables_refuse():
    def streamed(weights):
        return bl.BayesNetClassifier().fit_from(
            FRAME.with_columns(w=weights), "class", weight="w", sample_rows=100
        )

    with pytest.raises(ValueError, match=r"^The column 'w' has weights from 1e-15 to 1,"):
        streamed(np.r_[1e-15, np.ones(149)])
    with pytest.raises(ValueError, match=r"^The column 'w' adds up to .* rows, .* up to 2\^53"):
        streamed(WEIGHTS * 1e60)
