"""Each batch of a stream is predicted by what was learned before it, and by nothing else."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
from bayleaf.benchmark import prequential
from bayleaf.benchmark.runner import trailing_means


def stream(rows=600, seed=0):
    """Two numbers whose meaning turns after half of the rows."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    sign = np.where(np.arange(rows) < rows // 2, 1, -1) * (2 * y - 1)
    return rng.normal(size=(rows, 2)) + 1.5 * sign[:, None], np.array(["a", "b"])[y]


def test_batches_are_predicted_by_what_came_before():
    X, y = stream(230)
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), bl.Cuts({0: [0.0], 1: [-1.0, 1.0]}))
    for name, method in {"NB": GaussianNB(), "ours": model}.items():
        result = prequential({name: method}, X, y, batch=50, measure="log_loss")
        assert result.rows.tolist() == [50, 100, 150, 200]
        for start, value in zip(result.rows.tolist(), result.values[name].tolist(), strict=True):
            before = clone(method).fit(X[:start], y[:start])
            seen = before.predict_proba(X[start : start + 50])
            own = np.searchsorted(["a", "b"], y[start : start + 50])
            assert value == pytest.approx(-np.log(seen[np.arange(len(own)), own]).mean(), abs=1e-9)


def test_who_forgets_recovers_and_the_plot_shows_it():
    X, y = stream()
    frame = pl.DataFrame(X, schema=["u", "v"])
    cuts = bl.Cuts({"u": [-1.0, 0.0, 1.0], "v": [-1.0, 0.0, 1.0]})
    methods = {
        "keeps": bl.BayesNetClassifier(bl.TAN(), discretizer=cuts),
        "forgets": bl.BayesNetClassifier(bl.TAN(), discretizer=cuts, half_life=60.0),
    }
    result = prequential(methods, frame, y, batch=50)
    after = result.rows >= 450
    assert result.values["forgets"][after].mean() < 0.2 < result.values["keeps"][after].mean()
    assert result.mean("forgets") == pytest.approx(result.values["forgets"].mean())
    assert set(result.seconds) == set(methods)
    axes = result.plot(window=2).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(methods)
    np.testing.assert_allclose(axes.get_lines()[1].get_ydata(), trailing_means(result.values["forgets"], 2))
    assert result.to_frame().columns == ["rows", *methods]


def test_methods_without_probabilities_and_refusals():
    X, y = stream(120)
    assert prequential({"line": SGDClassifier()}, X, y, batch=60).values["line"].shape == (1,)
    with pytest.raises(TypeError, match="'tree' has no partial_fit, so it cannot learn from a stream"):
        prequential({"tree": DecisionTreeClassifier()}, X, y)
    with pytest.raises(ValueError, match="There are 120 rows, and the first batch of 200 is only learned"):
        prequential({"NB": GaussianNB()}, X, y, batch=200)
    with pytest.raises(ValueError, match="'batch' parameter"):
        prequential({"NB": GaussianNB()}, X, y, batch=0)
