"""A model that learns in batches goes on after it was saved and loaded as if it had never been."""

import json

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.classify.online import StartsAnewWarning
from bayleaf.models import pool_parts as kept_counts


def batch(seed, labels="abc", gaps=0.1):
    """Labels, numbers and gaps, which are more frequent in one of the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    kept = rng.random((80, 3)) > gaps * (1 + 2 * y[:, None])
    columns = {
        "label": rng.choice(list(labels), 80),
        "number": rng.normal(y, 1.0, 80),
        "other": rng.choice(["u", "v"], 80),
    }
    frame = pl.DataFrame(columns).with_columns(
        pl.when(pl.Series(kept[:, j])).then(pl.col(name)) for j, name in enumerate(columns)
    )
    return frame, np.where(y == 1, "yes", "no"), rng.random(80).round(3)


def learn(model, *seeds, labels="abc", weights=False):
    for seed in seeds:
        X, y, weight = batch(seed, labels)
        model.partial_fit(X, y, classes=["no", "yes"], sample_weight=weight if weights else None)
    return model


def reloaded(model, path):
    model.save(path)
    return bl.load(path)


def content(model, path):
    """What a model file holds, without what depends on the moment."""
    model.save(path)
    document = json.loads(path.read_text())
    for name in ("date", "fitted", "seconds", "learned_with"):
        document["training"].pop(name, None)
    return document


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({}, False),
        ({}, True),
        ({"half_life": 70.0}, False),
        ({"half_life": 70.0, "missing": "state"}, True),
        ({"relearn_every": 10_000, "missing": "available"}, False),
        ({"structure": bl.NaiveBayes(), "missing": "drop"}, False),
    ],
    ids=str,
)
def test_a_loaded_model_goes_on_as_if_it_had_never_been_saved(options, weights, tmp_path):
    model = learn(bl.BayesNetClassifier(**options), 0, 1, weights=weights)
    again = reloaded(model, tmp_path / "m.json")
    assert again.online_bytes_ == model.online_bytes_
    for each in (model, again):
        learn(each, 2, labels="abcd", weights=weights)  # one is new
    again = reloaded(again, tmp_path / "m.json.gz")
    for each in (model, again):
        learn(each, 3, 4, weights=weights)
    assert again.training_.rows == model.training_.rows > 200
    assert again.schema_ == model.schema_
    assert again.network_.dag == model.network_.dag
    for one, other in zip(again.network_.tables, model.network_.tables, strict=True):
        np.testing.assert_array_equal(one, other)
    assert content(again, tmp_path / "n.json") == content(model, tmp_path / "m.json")
    for each in (model, again):
        each.relearn()
    assert again.network_.dag == model.network_.dag


def test_more_counts_than_a_file_should_hold_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_counts, "MOST_COUNTS", 20)
    model = learn(bl.BayesNetClassifier(), 0)
    with pytest.warns(
        UserWarning, match=r"holds at most 20 counts, and partial_fit has kept \d+: the loaded"
    ):
        model.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert not hasattr(loaded, "online_bytes_")
    with pytest.warns(StartsAnewWarning, match="read from a file without the counts of its rows"):
        learn(loaded, 1)
    assert loaded.training_.rows == 80


def test_a_file_without_small_counts_has_none_to_go_on_from(tmp_path):
    model = learn(bl.BayesNetClassifier(), 0, 1)
    model.save(tmp_path / "m.json", min_count=5)
    assert "partial_fit" not in json.loads((tmp_path / "m.json").read_text())
    assert model.online_bytes_  # the model itself stays as it is
    fitted = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(0)).fit(*batch(2)[:2])
    with pytest.warns(StartsAnewWarning):
        fitted.partial_fit([["a", 1.0, "u"]] * 6 + [["b", 0.0, "v"]] * 6, ["no"] * 9 + ["yes"] * 3)
    with pytest.raises(
        ValueError, match="The class 'yes' has 3 rows, fewer than min_count=5"
    ):  # not as in fit
        fitted.save(tmp_path / "n.json", min_count=5)


def test_a_fit_from_files_forgets_what_was_counted_before(tmp_path):
    X, y, _ = batch(0)
    model = learn(bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet()), 1)
    model.fit_from(X.with_columns(pl.Series("y", y)).lazy(), target="y", sample_rows=20)
    assert not hasattr(model, "online_bytes_")
    assert "partial_fit" not in content(model, tmp_path / "m.json")


@pytest.fixture(scope="module")
def cautious(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.json"
    learn(bl.BayesNetClassifier(loss=[[0, 1], [5, 0]]), 0).save(path)
    return path.read_text()


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("caution", "weights", "1 2"),
        ("caution", "weights", "-1 1 1 1 1 1"),
        ("caution", "curvature", "1 2 3"),
        ("caution", "pull", "0 0 0 0 0 nan"),
        ("caution", "by_gaps", "few"),
        ("caution", "sums", ""),
        ("caution", "rows", -1),
        ("caution", "rows", 2.5),
        ("caution", "costs", [[0, 1]]),
        ("partial_fit", "warned", "often"),
        ("partial_fit", "caution", {}),
        ("predictor", "weighed", {}),
        ("weighed", "class", [0.0, 0.0, 0.0]),
        ("weighed", "other", [[0.0, "x"]]),
    ],
)
def test_damaged_caution_is_refused_when_it_is_read(part, name, value, cautious, tmp_path):
    document = json.loads(cautious)
    parts = {"partial_fit": document["partial_fit"], "predictor": document["predictor"]}
    parts |= {"caution": document["partial_fit"]["caution"], "weighed": document["predictor"]["weighed"]}
    assert name in parts[part]
    parts[part][name] = value
    path = tmp_path / "m.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"m.json' is damaged: "):
        bl.load(path)


def test_a_file_of_counts_without_caution_goes_on_without(cautious, tmp_path):
    document, path = json.loads(cautious), tmp_path / "m.json"
    del document["partial_fit"]["caution"], document["partial_fit"]["warned"]
    del document["predictor"]  # as files were written before
    path.write_text(json.dumps(document))
    model = learn(bl.load(path), 1)
    assert model._predictor is model.network_
    assert model.training_.rows == 160
    named = learn(bl.BayesNetClassifier(parameters=bl.Shrinkage()), 0, 1)
    np.testing.assert_array_equal(model.predict_proba(batch(2)[0]), named.predict_proba(batch(2)[0]))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.json"
    learn(bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()), 0).save(path)
    return path.read_text()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cells", "1 2 3"),
        ("cells", "x"),
        ("rows", "many"),
        ("rows", 10**40),
        ("rows_of_graph", 10**6),
        ("half_life", -1.0),
        ("half_life", 100),  # fading counts are sums of weights
        ("half_life", 10**400),
        ("weighted", "x"),
        ("gaps", [0.7, 0, 0, 0]),
        ("gaps", [2**60, 0, 0, 0]),
        ("too many", None),
        ("gaps", [0]),
        ("gap_states", [True]),
        ("gap_states", "yes"),
        ("negative", None),
    ],
)
def test_damaged_counts_are_refused_when_they_are_read(name, value, saved, tmp_path):
    path, document = tmp_path / "m.json", json.loads(saved)
    if name == "negative":
        name, value = "cells", "-1 " + document["partial_fit"]["cells"].partition(" ")[2]
    if name == "too many":
        name, value = "cells", "0 " + document["partial_fit"]["cells"].partition(" ")[2]
    document["partial_fit"][name] = value
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"m.json' is damaged: "):
        bl.load(path)
