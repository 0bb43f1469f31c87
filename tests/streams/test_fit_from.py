"""Learning from batches: the same model as from the table in memory, and what is said where that cannot be."""

import datetime as dt
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data import IdentifierWarning
from bayleaf.streams.stream import open_stream
from reference.stream_tables import ROWS, counting, fitted, labels_frame, mixed_frame, same_model


def written(frame, folder, kind):
    half = frame.height // 2
    for number, part in enumerate([frame[:half], frame[half:]]):
        path = folder / f"part-{number}.{kind}"
        write = {"parquet": part.write_parquet, "arrow": part.write_ipc, "csv": part.write_csv}[kind]
        write(path)
    return folder


def duckdb_relation(frame, folder):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return duckdb.sql("select * from frame")


def ibis_table(frame, folder):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return ibis.duckdb.connect().create_table("rows", frame.to_arrow())


def sqlite_table(frame, folder):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    return ibis.sqlite.connect(folder / "rows.db").create_table("rows", frame.to_arrow())


def arrow_dataset(frame, folder):
    dataset = pytest.importorskip("pyarrow.dataset")
    return dataset.dataset(written(frame, folder, "parquet"))


KINDS = {
    "folder of Parquet": lambda frame, folder: written(frame, folder, "parquet"),
    "glob": lambda frame, folder: str(written(frame, folder, "parquet") / "part-*.parquet"),
    "list of Arrow files": lambda frame, folder: sorted(written(frame, folder, "arrow").iterdir()),
    "CSV": lambda frame, folder: written(frame, folder, "csv"),
    "DataFrame": lambda frame, folder: frame,
    "pandas": lambda frame, folder: frame.to_pandas(),
    "LazyFrame": lambda frame, folder: frame.lazy(),
    "dataset": arrow_dataset,
    "DuckDB": duckdb_relation,
    "ibis": ibis_table,
}


# ibis calls what its libraries will not have for ever.
IGNORED = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The 'future.infer_string'")


@IGNORED
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_model_from_every_kind_of_source(kind, tmp_path):
    frame = labels_frame()
    source = KINDS[kind](frame, tmp_path)
    expected = fitted(frame, counting())
    same_model(counting().fit_from(source, "class", sample_rows=50), expected)
    same_model(counting().fit_from(source, target="class"), expected)


@IGNORED
def test_sqlite_has_its_own_types(tmp_path):
    frame = labels_frame().drop("flag")
    same_model(
        counting().fit_from(sqlite_table(frame, tmp_path), "class", sample_rows=50), fitted(frame, counting())
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"missing": "state"},
        {"missing": "impute"},
        {"missing": "drop"},
        {"min_frequency": 8},
        {"max_categories": 4},
        {"column_types": {"x1": "identifier", "ward": "category"}},
        {"categorical_features": ["ward"], "parameters": bl.Laplace()},
        {"structure": bl.KDB(k=2), "parameters": bl.Dirichlet()},
        {"structure": bl.HillClimbing(bl.BDeu(), "naive", max_parents=2)},
        {"selector": bl.BayesFactorSelector(ess=1.0, delta=3.0)},
        {"structure": bl.Exact(augmented=True), "missing": "impute"},
    ],
    ids=str,
)
def test_settings_mean_the_same(settings):
    frame = labels_frame().drop("x4") if "structure" in settings else labels_frame()
    if "column_types" in settings or "categorical_features" in settings:
        frame = frame.with_columns(pl.col("ward").str.slice(5).cast(pl.Int64))
    clf = counting(**settings)
    streamed = counting(**settings).fit_from(frame, "class", sample_rows=399)
    same_model(streamed, fitted(frame, clf))
    assert streamed.training_.rows == clf.training_.rows or isinstance(clf.structure, bl.Exact)


def test_gaps_are_counted():
    frame = labels_frame()
    streamed, in_memory = counting().fit_from(frame, "class", sample_rows=10), fitted(frame, counting())
    assert streamed.training_.missing == in_memory.training_.missing
    assert [each.n_missing for each in streamed.schema_.features] == [
        each.n_missing for each in in_memory.schema_.features
    ]
    assert streamed.schema_.rows == ROWS


@pytest.mark.parametrize("class_weight", [None, "balanced", {"yes": 3.0}])
@pytest.mark.parametrize("weighed", [False, True])
def test_weights(weighed, class_weight):
    rng = np.random.default_rng(3)
    frame = labels_frame().drop("ward").with_columns(pl.Series("w", rng.integers(0, 4, ROWS)))
    weight = "w" if weighed else None
    frame = frame if weighed else frame.drop("w")
    clf = fitted(frame, counting(class_weight=class_weight), weight)
    streamed = counting(class_weight=class_weight).fit_from(frame, "class", weight=weight, sample_rows=10)
    assert streamed.schema_ == clf.schema_
    assert streamed.network_.dag == clf.network_.dag
    for found, expected in zip(streamed.network_.tables, clf.network_.tables, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_numbers_are_cut_by_the_sample_and_counted_in_all_rows():
    frame = mixed_frame()
    streamed = counting(missing="available").fit_from(frame, "class", sample_rows=200)
    assert streamed.training_.sampled == {"rows read": 400, "cut points": 200}
    cuts = {each.name: list(each.cuts) for each in streamed.schema_.features if each.cuts is not None}
    assert set(cuts) == {"length", "rooms", "born"}
    days = {"born": [dt.date(1970, 1, 1) + dt.timedelta(days=int(cut)) for cut in cuts["born"]]}
    given = counting(missing="available", discretizer=bl.Cuts({**cuts, **days}))
    expected = fitted(frame, given)
    for found, table in zip(streamed.network_.tables, expected.network_.tables, strict=True):
        np.testing.assert_array_equal(found, table)
    np.testing.assert_array_equal(
        streamed.predict_proba(frame.drop("class")), expected.predict_proba(frame.drop("class"))
    )
    whole = counting().fit_from(frame, "class", sample_rows=400)
    same_model(whole, fitted(frame, counting()))
    assert whole.training_.sampled is None


def test_given_cuts():
    frame = mixed_frame().drop("born", "rooms")
    clf = counting(discretizer=bl.Cuts({"length": [0.0, 1.0]}))
    same_model(
        counting(discretizer=bl.Cuts({"length": [0.0, 1.0]})).fit_from(frame, "class", sample_rows=50),
        fitted(frame, clf),
    )


def test_texts_that_are_numbers_or_dates_are_read_by_all_their_values():
    frame = mixed_frame().with_columns(
        pl.col("rooms").cast(pl.String), pl.col("born").dt.strftime("%Y-%m-%d")
    )
    frame = frame.drop("length")
    same_model(counting().fit_from(frame, "class", sample_rows=100), fitted(frame, counting()))


def test_learners_that_need_rows_get_a_sample(tmp_path):
    frame = labels_frame()
    tuned = counting(parameters=bl.TunedTables(max_iter=2), missing="available")
    tuned.fit_from(frame, "class", sample_rows=300)
    assert tuned.training_.sampled == {"rows read": 400, "cut points": 300, "tables": 300}
    assert tuned.network_.dag == fitted(frame, counting(missing="available")).network_.dag  # from all rows
    tuned.save(tmp_path / "m.bayleaf.json")
    assert bl.load(tmp_path / "m.bayleaf.json").training_.sampled == tuned.training_.sampled
    rate = counting(bl.HillClimbing(bl.ClassificationRate(), "naive", max_parents=2))
    rate.fit_from(frame, "class", sample_rows=300)
    assert rate.training_.sampled == {"rows read": 400, "cut points": 300, "graph": 300}
    assert rate.training_.rows == 300


def test_few_distinct_rows_are_all_rows():
    frame = labels_frame(gaps=0.0).select("x0", "x1", "flag", "class")
    exact = counting(bl.Exact(augmented=True)).fit_from(frame, "class", sample_rows=60)
    assert exact.training_.sampled == {"rows read": 400, "cut points": 60}
    assert exact.training_.weight == ROWS
    same_model(exact, fitted(frame, counting(bl.Exact(augmented=True))))


def test_identifiers_are_left_out():
    frame = labels_frame().with_columns(
        pl.Series("number", np.arange(ROWS) + 1), pl.Series("key", [f"key {k}" for k in range(ROWS)])
    )
    clf = counting()
    with pytest.warns(IdentifierWarning, match="'number', 'key' are left out") as caught:
        clf.fit_from(frame, "class", sample_rows=100)
    assert caught[0].filename == __file__  # the place that it names is the user's
    assert [each.name for each in clf.schema_.features if each.dtype == "identifier"] == ["number", "key"]
    kept = counting(identifiers="keep").fit_from(frame.drop("key"), "class", sample_rows=100)
    assert kept.schema_.features[-1].cuts is not None


def test_rows_without_a_class_are_left_out():
    frame = labels_frame()
    gone = frame.with_columns(pl.when(pl.int_range(pl.len()) % 10 > 0).then("class").alias("class"))
    with pytest.warns(UserWarning, match="40 of 400 rows have no class"):
        clf = counting().fit_from(gone, "class", sample_rows=100)
    same_model(clf, fitted(gone.drop_nulls("class"), counting()))


def test_columns_without_values():
    frame = labels_frame().with_columns(
        pl.lit(None, dtype=pl.String).alias("none"), pl.lit(None, dtype=pl.Float64).alias("nan")
    )
    with pytest.warns(UserWarning, match="has no values at all") as said:
        clf = counting().fit_from(frame, "class", sample_rows=100)
    texts = [str(each.message) for each in said]
    assert any("'none' has no values at all (400 rows" in text for text in texts)
    assert any("'nan' has no values at all (400 rows" in text for text in texts)
    assert clf.schema_ == fitted(frame, counting()).schema_


def test_a_default_classifier_learns_from_a_stream():
    clf = bl.BayesNetClassifier(n_jobs=1).fit_from(mixed_frame(), "class", sample_rows=300)
    assert clf.score(mixed_frame().drop("class"), mixed_frame()["class"]) > 0.6


def test_batches_may_be_of_any_size(monkeypatch):
    frame = mixed_frame()
    small, large = (
        open_stream(counting()._new_reader(), frame, "class", sample_rows=100, batch_rows=rows)
        for rows in (17, 1000)
    )
    assert small.schema == large.schema
    assert small.sample.equals(large.sample)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_class_of_which_no_row_counts_is_none(class_weight):
    frame = labels_frame().sort("class").with_columns(w=(pl.col("class") != "no").cast(pl.Int64))
    clf = counting(class_weight=class_weight).fit_from(frame, "class", weight="w", sample_rows=10)
    expected = fitted(frame, counting(class_weight=class_weight), "w")
    assert clf.schema_ == expected.schema_
    assert clf.classes_.tolist() == ["perhaps", "yes"]
    for found, table in zip(clf.network_.tables, expected.network_.tables, strict=True):
        np.testing.assert_allclose(found, table, rtol=1e-12)


def test_a_pool_learns_from_the_rows_of_the_sample():
    frame = mixed_frame()
    pool = bl.NetworkPool(cycles=0, seeds=1, n_jobs=1).fit_from(frame, "class", sample_rows=200)
    stream = open_stream(pool._new_reader(), frame, "class", sample_rows=200, whole_rows=True)
    X, y, _ = stream.whole()
    assert X.shape == (200, frame.width - 1)
    expected = bl.NetworkPool(cycles=0, seeds=1, n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(pool.predict_proba(X), expected.predict_proba(X))
    assert pool.training_.sampled == {"rows read": 400, "networks": 200}
    pool.fit_from(frame, "class")
    assert pool.training_.sampled is None
    assert pool.training_.rows == ROWS


def test_a_fit_in_memory_needs_no_streams():
    code = (
        "import sys, warnings; warnings.simplefilter('ignore'); import bayleaf as bl; "
        "bl.BayesNetClassifier('tan', 'shrinkage').fit([['a'], ['b']] * 20, ['x', 'y'] * 20); "
        "print([name for name in sys.modules if name.startswith('bayleaf.streams')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
