"""Files that speak of no fewer rows than asked for: held against counts by hand."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.models.small_counts import _pooled, without_small_counts


@given(
    st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=6), min_size=1, max_size=5).filter(
        lambda rows: len({len(row) for row in rows}) == 1
    ),
    st.integers(1, 6),
)
@settings(max_examples=60)
def test_each_group_of_equal_shares_has_enough_rows(rows, least):
    counts = np.array(rows, dtype=np.uint8)
    table = (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
    found = _pooled(table, counts, least)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    for before, after, n in zip(table, found, counts, strict=True):
        if n.sum() < least:  # replaced as a whole, before
            continue
        changed = ~np.isclose(before, after)
        small = (n > 0) & (n < least)
        if small.any():
            group = np.isclose(after, after[small][0])
            assert (group | ~small).all()
            assert n[group].sum() >= least
        assert not (changed & (n == 0)).any() or small.any()
        np.testing.assert_array_equal(changed.any(), small.any() and len(np.unique(n[group])) > 1)


def fitted(**options):
    rng = np.random.default_rng(2)
    X = rng.choice(["a", "b", "c"], (60, 3), p=[0.65, 0.25, 0.1]).astype(object)
    X[:2, 1] = None
    y = np.where(rng.random(60) < 0.3, "yes", "no")
    return bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), **options).fit(X, y), X, y


@pytest.mark.filterwarnings("ignore:Column .* has .* of fewer than 5 rows")
def test_a_guarded_file_predicts_nearly_the_same_and_tells_nothing_of_single_rows(tmp_path):
    model, X, y = fitted()
    model.cross_validate(X, y, 3)
    before = model.predict_proba(X)
    model.save(tmp_path / "m.json", min_count=5)
    np.testing.assert_array_equal(model.predict_proba(X), before)  # the model itself is untouched
    loaded = bl.load(tmp_path / "m.json")
    assert 0 < abs(loaded.predict_proba(X) - before).max() < 0.35
    record = loaded.training_
    assert record.min_count == 5
    assert (record.digest, record.ranges, record.cross_validated) == (None, None, None)
    assert record.missing["x1"] == 0.0
    assert "n_missing" not in json.loads((tmp_path / "m.json").read_text())["features"][1]


def test_configurations_of_few_rows_say_what_their_class_says():
    X = [["a", "u"]] * 6 + [["b", "u"]] * 6 + [["a", "v"]] * 2 + [["a", "u"]] * 8 + [["b", "w"]] * 8
    y = ["no"] * 14 + ["yes"] * 16
    graph = bl.DAG(["x0", "x1", "class"], [("class", "x0"), ("class", "x1"), ("x1", "x0")])
    model = bl.BayesNetClassifier(bl.FixedStructure(graph), bl.MaximumLikelihood(0)).fit(X, y)
    with pytest.warns(UserWarning, match="Column 'x1' has 1 category of fewer than 3 rows, whose names stay"):
        network = without_small_counts(model, 3).network_
    # parents of x0: x1 (u, v, w), then the class; x1 = v has two rows of the class no
    table = network.cpt("x0")
    assert network.parents("x0") == ("x1", "class")
    np.testing.assert_allclose(table[1, 0], [0.5, 0.5])  # as x1 = u says of the class no: 6 and 6 rows
    np.testing.assert_array_equal(table[0], model.network_.cpt("x0")[0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bl.classifier("AODE").fit([["a"], ["b"]] * 9, [0, 1] * 9), "not for AveragedClassifier"),
        (lambda: fitted()[0].__sklearn_clone__().fit([["a"]] * 9, [0] * 7 + [1] * 2), "'1' has 2 rows, fewer than"),
        (
            lambda: bl.BayesNetClassifier(bl.KDB(functional_dependencies=True)).fit([["a", "b"]] * 9, [0, 1, 1] * 3),
            "functional dependencies",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_guarded_is_refused(tmp_path, make, message):
    model = make()
    with pytest.raises(ValueError, match=message):
        model.save(tmp_path / "m.json", min_count=3)
    assert not (tmp_path / "m.json").exists()


def test_a_loaded_model_has_no_counts(tmp_path):
    model, *_ = fitted()
    model.save(tmp_path / "m.json")
    with pytest.raises(ValueError, match="needs the counts of fit, which a loaded model does not have"):
        bl.load(tmp_path / "m.json").save(tmp_path / "n.json", min_count=5)
    with pytest.raises(
        ValueError, match=r"'min_count' parameter of save must be an int in the range \[1, 255\]"
    ):
        model.save(tmp_path / "n.json", min_count=0)


def test_a_word_in_a_single_row_is_not_in_the_file(tmp_path):
    sizes = [str(k % 40) for k in range(118)]
    X = [[size] for size in [*sizes, "-", "as Ann said"]]
    with pytest.warns(bl.data.MissingMarkWarning):
        model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet()).fit(X, [0, 1] * 60)
    assert model.schema_.features[0].marks == ("-", "as Ann said")
    for least, is_there in ((None, True), (5, False)):
        model.save(tmp_path / "model.json", min_count=least)
        assert ("Ann" in (tmp_path / "model.json").read_text()) == is_there
    assert bl.load(tmp_path / "model.json").schema_.features[0].marks == ("-",)
