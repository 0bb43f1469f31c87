"""A pool in a model file: the same bits come back, and what does not fit together is refused."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.models import model_file as writing
from bayleaf.models.pool_parts import mixture_from_plain, mixture_to_plain
from bayleaf.pool.additive import AdditiveScore, Form, Reading, Term
from bayleaf.pool.mixture import ScoreMixture


def mixed_rows(rows=120):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], rows)
    size = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))
    other = rng.normal(size=rows) + (colour == "red")
    label = np.where(other + np.nan_to_num(size) > 0, "yes", "no")
    return pl.DataFrame({"colour": colour, "size": size, "other": other}, nan_to_null=True), label


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    X, y = mixed_rows()
    pool = bl.NetworkPool(cycles=1, seeds=2, loss={"yes": {"no": 4}}, n_jobs=1).fit(X, y)
    path = tmp_path_factory.mktemp("pool") / "pool.bayleaf.json"
    pool.save(path)
    return pool, path, X


def test_everything_comes_back_to_the_last_bit(saved):
    pool, path, X = saved
    again = bl.load(path)
    assert isinstance(again, bl.NetworkPool)
    assert again.get_params() == pool.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), pool.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), pool.predict(X))
    np.testing.assert_array_equal(again.explain(X).evidence, pool.explain(X).evidence)
    np.testing.assert_array_equal(again.scorer()(X), pool.scorer()(X))
    np.testing.assert_array_equal(again.mean_evidence_, pool.mean_evidence_)
    assert again.n_parameters_ == pool.n_parameters_
    assert again.training_ == pool.training_
    assert again.schema_ == pool.schema_


def test_arrays_and_several_classes(tmp_path):
    X, y = load_iris(return_X_y=True)
    pool = bl.NetworkPool(cycles=1, seeds=1, n_jobs=1).fit(X, y)
    pool.save(tmp_path / "pool.json.gz")
    np.testing.assert_array_equal(bl.load(tmp_path / "pool.json.gz").predict_proba(X), pool.predict_proba(X))


@given(arrays(np.float64, (6, 2), elements=st.floats(-1e4, 1e4)))
def test_tables_of_five_decimals_are_exact(numbers):
    table = numbers.round(5).astype(np.float32)
    readings = (Reading(0, np.array([0, 0, 1], dtype=np.uint16)), Reading(1, np.arange(3, dtype=np.uint16)))
    form = Form((1,), (np.array([0.1, 1 / 3, 0.0]),), np.array([[[1 / 7]], [[2.0]]]))
    score = AdditiveScore(np.array([0.1, -1 / 3]), readings, (Term((0, 1), table),), (form,))
    variables = [bl.data.Variable(name, ("a", "b")) for name in "xy"]
    plain = json.loads(json.dumps(mixture_to_plain(ScoreMixture([score], 0.1, np.full(3, 1 / 3)))))
    again = mixture_from_plain(plain, variables, 3)
    np.testing.assert_array_equal(again.scores[0].terms[0].table, table)
    np.testing.assert_array_equal(again.scores[0].forms[0].values, form.values)
    np.testing.assert_array_equal(again.scores[0].forms[0].matrices, form.matrices)
    assert [each.states.tolist() for each in again.scores[0].readings] == [[0, 0, 1], [0, 1, 2]]


def _with(document, place, value):
    *way, last = place
    for key in way:
        document = document[key]
    document[last] = value


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("prior",), [0.5, 0.3, 0.2], "class frequencies of the pool"),
        (("mean_evidence",), [1.0], "evidence of other features"),
        (("caution",), 7, "class frequencies of the pool"),
        (("scores",), [], "the pool has no score"),
        (("scores", 0, "bias"), [0.5, 0.5], "scores for other classes"),
        (("scores", 0, "readings", 0, "column"), 9, "a column that is not there .9"),
        (("scores", 0, "readings", 0, "codes"), "1 1", "a list of its numbers is not as long"),
        (
            ("scores", 0, "readings", 0),
            {"column": 0, "states": "0", "codes": "2"},
            "other states of column 1",
        ),
        (("scores", 0, "terms", 0, "table"), "1 2", "a list of its numbers is not as long"),
        (("scores", 0, "terms", 0, "readings"), [-1], "a column that is not there .-1"),
        (("scores", 0, "forms"), [{"columns": [1], "values": ["0"], "matrices": "1"}], "not as long"),
        (("scores", 0, "terms"), None, "incomplete"),
    ],
)
def test_what_does_not_fit_together_is_refused(saved, tmp_path, place, value, message):
    document = json.loads(saved[1].read_text())
    _with(document["pool"], place, value)
    damaged = tmp_path / "damaged.json"
    damaged.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=f"damaged.json' is damaged: .*{message}"):
        bl.load(damaged)


def test_one_too_large_is_refused(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MOST_CELLS_OF_POOLS", 10)
    with pytest.raises(
        ValueError, match=r"too large for a model file: its tables have .* learn fewer cycles or seeds"
    ):
        saved[0].save(tmp_path / "pool.json")
    assert not list(tmp_path.iterdir())
