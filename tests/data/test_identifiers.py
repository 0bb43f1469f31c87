"""Columns that name the rows: which these are, that they are left out, and that nothing is kept of them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import bayleaf as bl
from bayleaf.data import IdentifierWarning, categorical_table, identifiers
from bayleaf.data.categories import is_identifier
from bayleaf.data.raw_columns import NumberColumn
from bayleaf.page.assemble import page_data
from reference.counted import counted


def rows_with_names(rows, own, columns=1):
    """Two classes, a useful feature, and text columns with ``own`` different values."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 2
    names = {f"id{j}": [f"n{min(k, own - 1)}" for k in range(rows)] for j in range(columns)}
    return pd.DataFrame({"useful": np.where(rng.random(rows) < 0.9, y, 1 - y).astype(str), **names}), y


LEARNERS = [
    counted(bl.NaiveBayes()),
    bl.BaggedClassifier(counted(), n_estimators=3, random_state=0),
    bl.AveragedClassifier(),
    bl.BayesFactorSelector(random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_column_that_names_the_rows_is_left_out(learner, library):
    X, y = rows_with_names(rows=200, own=200)
    rows = library(X.to_dict("list"))
    sentence = (
        r"^Column 'id0' is left out: it looks like an identifier, which says nothing about new rows "
        r"\(identifiers='keep' keeps it\)\.$"
    )
    with pytest.warns(IdentifierWarning, match=sentence) as caught:
        fitted = clone(learner).fit(rows, y)
    (warning,) = [each for each in caught if each.category is not DeprecationWarning]  # of other libraries
    assert warning.filename == __file__
    assert warning.message.columns == ["id0"]
    assert fitted.n_features_in_ == 2
    without = clone(learner).fit(rows[["useful"]], y)
    if isinstance(learner, bl.BayesFactorSelector):
        assert fitted.get_support().tolist() == [True, False]
        assert list(fitted.transform(rows)) == list(without.transform(rows[["useful"]]))
    else:
        other = library({"useful": ["1", None], "id0": ["never seen", None]})
        np.testing.assert_array_equal(fitted.predict_proba(rows), without.predict_proba(rows[["useful"]]))
        np.testing.assert_array_equal(fitted.predict_proba(other), without.predict_proba(other[["useful"]]))


def test_many_columns_that_name_the_rows_are_one_warning():
    X, y = rows_with_names(rows=120, own=120, columns=7)
    sentence = (
        r"^Columns 'id0', 'id1', 'id2', 'id3', 'id4' and 2 more are left out: they look like identifiers"
    )
    with pytest.warns(IdentifierWarning, match=sentence) as caught:
        counted(bl.NaiveBayes()).fit(X, y)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("rows", "own", "left_out"),
    [(29, 29, False), (30, 30, True), (100, 99, False), (200, 180, True), (200, 179, False)],
)
def test_which_texts_look_like_identifiers(rows, own, left_out):
    X, y = rows_with_names(rows, own)
    # Rows without a value do not count, nor do categories that no row has.
    gaps, marks = X.iloc[:25].assign(id0=None), ["id0", "useful"]
    table = pd.concat([X, gaps])
    declared = table["id0"].astype(pd.CategoricalDtype([f"n{k}" for k in range(1000)]))
    labels = np.concatenate([y, y[:25]])
    for rows_of in (table, table.assign(id0=declared)):
        with warnings.catch_warnings(record=True, action="always") as caught:
            model = counted(bl.NaiveBayes()).fit(rows_of[marks], labels)
        assert len(caught) == left_out
        assert ("id0" in model.network_.nodes) == (not left_out)
    assert identifiers(categorical_table(X)) == ["id0"] * left_out


RNG = np.random.default_rng(3)
COUNTS = RNG.permutation(400)
NUMBERS = {
    "row numbers": ("x", np.arange(400), True),
    "from anywhere, with gaps": ("x", 10**6 + np.flatnonzero(RNG.random(900) < 0.4), True),
    "in steps": ("x", np.arange(0, 40_000, 100), True),
    "with missing values": ("x", np.where(np.arange(400) == 7, np.nan, np.arange(400)), True),
    "few rows": ("x", np.arange(29), False),
    "a year each": ("year", np.arange(1600, 2000), False),
    "shuffled": ("x", COUNTS, False),
    "shuffled, named so": ("customer ID", COUNTS, True),
    "named so, growing far apart": ("orderId", np.cumsum(COUNTS + 1) * 1000, True),
    "named so, a value twice": ("id", COUNTS // 2, False),
    "the word in another": ("paid", COUNTS, False),
    "a sorted measurement": ("income", np.sort(RNG.choice(200_000, 400, replace=False)), False),
    "sorted, with ties": ("x", np.arange(400) // 2, False),
    "falling": ("x", np.arange(400)[::-1], False),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_which_whole_numbers_look_like_identifiers(case):
    name, values, expected = NUMBERS[case]
    assert is_identifier(NumberColumn(name, values, "integer"), name) == expected
    # Other numbers are measurements.
    assert not is_identifier(NumberColumn(name, values.astype(float), "float"), name)


def labelled(rows=400):
    rng = np.random.default_rng(5)
    y = np.arange(rows) * 7 % 3
    return np.column_stack([np.arange(rows), y + rng.integers(0, 2, rows), rng.integers(0, 4, rows)]), y


@pytest.mark.parametrize("categorical", ["from_dtype", [0, 1, 2], [1, 2]], ids=str)
@pytest.mark.parametrize("rows", [250, 400])
def test_row_numbers_of_an_array(rows, categorical):
    X, y = labelled(rows)
    with pytest.warns(IdentifierWarning, match="Column 'x0' is left out"):
        model = counted(categorical_features=categorical).fit(X, y)
    assert model.network_.nodes == ("x1", "x2", "class")
    assert model.schema_.features[0].dtype == "identifier"
    assert "x0" not in model.constant_features_
    kept = counted(categorical_features=categorical if categorical == "from_dtype" else [0, 1]).fit(
        X[:, 1:], y
    )
    expected = kept.predict_proba(X[:, 1:])
    odd = X.astype(float)
    odd[:3, 0] = np.nan, np.inf, -5
    for rows_of in (
        X,
        X.astype(np.int32),
        X.astype(float),
        odd,
        X.tolist(),
        X[:1],
        pd.DataFrame(X).to_numpy(),
    ):
        np.testing.assert_array_equal(model.predict_proba(rows_of), expected[: len(rows_of)])
    score = pickle.loads(pickle.dumps(model.scorer()))
    np.testing.assert_array_equal(score(X), expected)
    np.testing.assert_array_equal(score(odd), expected)
    for first in (0, 10**9, None, "text", float("inf"), object()):
        np.testing.assert_array_equal(score([first, *X[0, 1:].tolist()]), expected[0])
        np.testing.assert_array_equal(
            score({"x0": first, "x1": int(X[0, 1]), "x2": int(X[0, 2])}), expected[0]
        )
    np.testing.assert_array_equal(model.predict_proba(model.encode(X)), expected)
    np.testing.assert_array_equal(model.explain(X).evidence, kept.explain(X[:, 1:]).evidence)


def test_identifiers_that_are_kept():
    X, y = labelled()
    model = counted(identifiers="keep").fit(X, y)
    assert model.network_.nodes == ("x0", "x1", "x2", "class")
    names, y = rows_with_names(150, 150)
    assert "id0" in counted(identifiers="keep").fit(names, y).network_.nodes
    assert "id0" in counted(column_types={"id0": "category"}).fit(names, y).network_.nodes
    with pytest.raises(ValueError, match="'identifiers' parameter of BayesNetClassifier must be"):
        counted(identifiers="no").fit(names, y)


def test_nothing_but_identifiers():
    X, y = rows_with_names(150, 150, columns=2)
    with pytest.raises(
        ValueError, match=r"nothing to learn from: each column \('id0', 'id1'\) looks like an id"
    ):
        counted().fit(X[["id0", "id1"]], y)
    rows = np.arange(200).reshape(-1, 1)  # the only numbers there are
    assert counted().fit(rows, rows[:, 0] > 90).score(rows, rows[:, 0] > 90) == 1.0


@pytest.mark.filterwarnings("ignore::bayleaf.data.IdentifierWarning")
def test_many_names_take_no_room_in_the_model_file(tmp_path):
    rows = 200_000
    x = np.tile(np.array(["a", "b", "c", "d"]), rows // 4)
    frame = pl.DataFrame({"id": pl.int_range(rows, eager=True).cast(pl.String), "x": x})
    y = np.arange(rows) % 4 // 2
    model = counted(bl.NaiveBayes(), bl.Dirichlet()).fit(frame, y)
    model.save(tmp_path / "m.json")
    assert (tmp_path / "m.json").stat().st_size < rows
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.schema_ == model.schema_
    np.testing.assert_array_equal(loaded.predict_proba(frame.head(100)), model.predict_proba(frame.head(100)))


@pytest.mark.filterwarnings("ignore::bayleaf.data.IdentifierWarning")
@pytest.mark.parametrize("model", [counted(), bl.BaggedClassifier(n_estimators=2, random_state=0)], ids=repr)
def test_files_and_pages_of_models_without_an_identifier(model, tmp_path):
    X, y = rows_with_names(120, 120)
    X["other"] = np.arange(120) % 5
    X = X[["id0", "other", "useful"]]
    model.fit(X, y).save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.n_features_in_ == 3
    data = page_data(loaded, X, y)
    assert [node["name"] for node in data["nodes"]] == ["other", "useful", "class"]
    assert "Left out as identifiers, which say nothing about new rows: id0." in data["learned"]["warnings"]
    model.cross_validate(X, y, cv=3)


@pytest.mark.filterwarnings("ignore::bayleaf.data.IdentifierWarning")
def test_selectors_inside_a_classifier_see_no_identifier():
    X, y = rows_with_names(300, 300)
    model = counted(selector=bl.MMPC()).fit(X[["id0", "useful"]], y)
    assert model.network_.nodes == ("useful", "class")
    assert model.explain(X[["id0", "useful"]]).features == ("useful",)
