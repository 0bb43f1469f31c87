"""`fit_from` a Spark DataFrame: the same model as from the table in memory, whatever fails on the way."""

import os
import signal

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.streams import spark_stream
from reference.stream_tables import ROWS, counting, fitted, labels_frame, mixed_frame, same_model

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


def test_the_rows_of_these_tests_lie_in_several_partitions(as_spark):
    parts = as_spark(labels_frame()).selectExpr("spark_partition_id() as part").collect()
    assert {row["part"] for row in parts} == {0, 1, 2}


def test_the_same_model_from_labels(as_spark):
    frame = labels_frame()
    data = as_spark(frame)
    expected = fitted(frame, counting())
    found = counting().fit_from(data, "class", sample_rows=50)
    same_model(found, expected)
    assert found.training_.rows == ROWS
    assert found.training_.missing == expected.training_.missing
    same_model(counting().fit_from(data, "class"), expected)  # all rows are the sample


def test_how_rows_are_divided_does_not_matter(as_spark):
    frame = labels_frame().drop("x3", "x4")
    parts = as_spark(frame, 2).repartition(5)
    several = spark_stream.SparkRows(parts, lot_parts=2)  # three lots
    same_model(counting().fit_from(several, "class", sample_rows=50), fitted(frame, counting()))


def test_the_same_sample_as_from_batches(as_spark):
    frame = mixed_frame()
    found = counting().fit_from(as_spark(frame), "class", sample_rows=150)
    same_model(found, counting().fit_from(frame, "class", sample_rows=150))
    assert found.training_.sampled == {"rows read": 400, "cut points": 150}


@pytest.mark.parametrize(
    "settings",
    [
        {"structure": bl.KDB(k=2), "parameters": bl.Dirichlet(), "missing": "state"},
        {"structure": bl.HillClimbing(bl.BDeu(), "naive", max_parents=2), "missing": "drop"},
        {"structure": bl.Exact(augmented=True), "missing": "impute"},
    ],
    ids=str,
)
def test_learners(as_spark, settings):
    frame = labels_frame().drop("x3", "x4", "ward")
    found = counting(**settings).fit_from(as_spark(frame), "class", sample_rows=399)
    same_model(found, fitted(frame, counting(**settings)))


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights(as_spark, class_weight):
    rng = np.random.default_rng(3)
    frame = labels_frame().drop("ward").with_columns(pl.Series("w", rng.integers(0, 4, ROWS)))
    found = counting(class_weight=class_weight).fit_from(as_spark(frame), "class", weight="w", sample_rows=10)
    expected = fitted(frame, counting(class_weight=class_weight), "w")
    assert found.schema_ == expected.schema_
    assert found.network_.dag == expected.network_.dag
    for one, other in zip(found.network_.tables, expected.network_.tables, strict=True):
        # Weights of classes are fractions, which parts sum up in another order.
        np.testing.assert_allclose(one, other, rtol=0 if class_weight is None else 1e-12)


def test_the_default_classifier_tunes_its_tables_on_a_sample(as_spark):
    frame = mixed_frame()
    found = bl.BayesNetClassifier(n_jobs=1).fit_from(as_spark(frame), "class", sample_rows=300)
    same_model(found, bl.BayesNetClassifier(n_jobs=1).fit_from(frame, "class", sample_rows=300))
    assert found.training_.sampled == {"rows read": 400, "cut points": 300, "tables": 300}


def failing(kill, folder):
    """The rows of a partition; in each stage the first attempt at the second gives them all and then ends badly."""

    def give(batches):
        from pyspark import TaskContext

        yield from batches
        task = TaskContext.get()
        # Not by the number of the attempt: that begins anew where Spark runs a whole stage again.
        mark = folder / str(task.stageId())
        if task.partitionId() == 1 and not mark.exists():
            mark.touch()
            if kill:
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("this attempt fails")

    return give


@pytest.mark.parametrize("kill", [False, True], ids=["a task that fails", "a worker that is killed"])
def test_what_is_run_again_is_counted_once(as_spark, kill, tmp_path):
    frame = labels_frame()
    data = as_spark(frame)
    data = data.mapInArrow(failing(kill, tmp_path), data.schema)
    found = counting().fit_from(data, "class", sample_rows=50)
    same_model(found, fitted(frame, counting()))
    assert found.training_.rows == ROWS
    assert len(list(tmp_path.iterdir())) >= 2  # passes of which an attempt failed


def test_hostile_names(as_spark):
    names = ["a.b", "`x`", 'it\'s [a] "name"', "select", "x4"]
    frame = labels_frame().rename(
        dict(zip(["x0", "x1", "x2", "x3", "class"], [*names[:4], "of.it"], strict=True))
    )
    found = counting().fit_from(as_spark(frame), "of.it", sample_rows=50)
    expected = counting().fit(frame.drop("of.it"), frame["of.it"])
    same_model(found, expected)


def bad_frames(spark, as_spark):
    frame = labels_frame().select("x0", "x1", "class")
    data = as_spark(frame, 1)
    rows = spark.createDataFrame(
        [([1, 2], "a", "no"), ([3], "b", "yes")], "marks array<int>, x string, y string"
    )
    from pyspark.ml.linalg import Vectors

    vectors = spark.createDataFrame(
        [(Vectors.dense([1.0]), "no"), (Vectors.dense([2.0]), "yes")], ["features", "y"]
    )
    infinite = as_spark(frame.with_columns(n=pl.when(pl.int_range(400) == 77).then(np.inf).otherwise(1.0)), 2)
    numbers = as_spark(pl.DataFrame({"x": [0, 1] * 600, "class": np.arange(1200) / 7}), 2)
    return {
        "unknown column": (
            data,
            "Class",
            ValueError,
            r"has no column 'Class' \(the class\). Did you mean 'class'\?",
        ),
        "arrays": (
            rows,
            "y",
            TypeError,
            "Column 'marks' is of type array<int>, from which nothing can be learned",
        ),
        "vectors": (vectors, "y", TypeError, "Column 'features' holds vectors: give the columns"),
        "empty": (data.limit(0), "class", ValueError, r"^The DataFrame has columns but no rows\.$"),
        "no class": (
            data.selectExpr("x0", "null as y"),
            "y",
            ValueError,
            "None of the 400 rows has a class in 'y'",
        ),
        "infinite": (infinite, "class", ValueError, "^Column 'n' has 1 infinite value"),
        "no classes": (
            numbers,
            "class",
            ValueError,
            r"^'class' has more than 1,000 different values: it is not a class",
        ),
        "columns": (data.select("class"), "class", ValueError, "no column besides those of the class"),
    }


@pytest.mark.parametrize(
    "case", ["unknown column", "arrays", "vectors", "empty", "no class", "infinite", "no classes", "columns"]
)
def test_bad_input(case, spark, as_spark):
    data, target, error, message = bad_frames(spark, as_spark)[case]
    with pytest.raises(error, match=message) as raised:
        counting().fit_from(data, target, sample_rows=20)
    assert "\n" not in str(raised.value)


def test_rows_without_a_class_are_left_out(as_spark):
    frame = labels_frame()
    gone = frame.with_columns(pl.when(pl.int_range(pl.len()) % 10 > 0).then("class").alias("class"))
    with pytest.warns(UserWarning, match="40 of 400 rows have no class"):
        found = counting().fit_from(as_spark(gone), "class", sample_rows=100)
    same_model(found, fitted(gone.drop_nulls("class"), counting()))
