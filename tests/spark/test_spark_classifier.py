"""The estimator and the model for Spark: as others of `pyspark.ml`, with the answers of the model in memory."""

import doctest
import importlib

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.network.member import TwoReadings
from docs.pages import SPARK_PAGE, check_page
from reference.stream_tables import counting, fitted, mixed_frame, same_model

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas",
    # CrossValidator leaves its threads to the garbage collector.
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)
FEATURES = ["x0", "x1", "x2", "flag", "length"]


@pytest.fixture(scope="module")
def frame():
    mixed = mixed_frame().select(*FEATURES, "class")
    return mixed.with_columns(label=pl.col("class").replace_strict({"no": 0.0, "perhaps": 1.0, "yes": 2.0}))


@pytest.fixture
def ml(spark):
    return importlib.import_module("bayleaf.spark")


def estimator(ml, **settings):
    given = {"featuresCols": FEATURES, "structure": bl.TAN(), "parameters": "shrinkage", **settings}
    return ml.BayesNetClassifier(**given)


def as_frame(data):
    return pl.from_arrow(data.toArrow())


def test_answers_are_those_of_the_model_in_memory(frame, as_spark, ml):
    data = as_spark(frame)
    model = estimator(ml, labelCol="class").fit(data)
    expected = fitted(frame.select(*FEATURES, "class"), counting())
    same_model(model.classifier, expected)
    assert (model.labels, model.numClasses, model.numFeatures) == (["no", "perhaps", "yes"], 3, 5)
    answers = model.transform(data)
    assert [field.dataType.simpleString() for field in answers.schema.fields[-4:]] == [
        "vector",
        "vector",
        "double",
        "string",
    ]
    rows = answers.collect()
    features = frame.select(FEATURES)
    probabilities = expected.predict_proba(features)
    np.testing.assert_array_equal([row["probability"].toArray() for row in rows], probabilities)
    np.testing.assert_array_equal([row["rawPrediction"].toArray() for row in rows], np.log(probabilities))
    assert [row["predictedLabel"] for row in rows] == expected.predict(features).tolist()
    assert [row["prediction"] for row in rows] == probabilities.argmax(axis=1).tolist()
    assert [row["length"] for row in rows] == frame["length"].to_list()  # what was there stays


def test_the_default_with_gaps_and_where_nothing_is_known(frame, as_spark, ml):
    rows = frame.select(*FEATURES, "class")
    model = estimator(ml, structure=None, parameters=None, labelCol="class", sampleRows=400).fit(
        as_spark(rows)
    )
    assert isinstance(model.classifier._predictor, TwoReadings)
    lost = (
        np.random.default_rng(0).random((frame.height, len(FEATURES)))
        < np.linspace(0, 1, frame.height)[:, None]
    )
    gaps = frame.select(
        pl.when(pl.Series(~lost[:, j])).then(pl.col(name)).alias(name) for j, name in enumerate(FEATURES)
    ).vstack(frame.select(FEATURES).clear(2))
    found = np.array([row["probability"].toArray() for row in model.transform(as_spark(gaps, 2)).collect()])
    expected = bl.BayesNetClassifier(n_jobs=1).fit_from(rows, "class", sample_rows=400)
    np.testing.assert_array_equal(found, expected.predict_proba(gaps))
    np.testing.assert_array_equal(found[-2:], [expected._prior] * 2)


def test_weights_and_numbers_as_classes(frame, as_spark, ml):
    rng = np.random.default_rng(5)
    weighed = frame.with_columns(w=pl.Series(rng.integers(1, 4, frame.height)), far=pl.col("label") * 2 + 1)
    data = as_spark(weighed)
    model = estimator(ml, weightCol="w", labelCol="far", sampleRows=100, missing="available").fit(data)
    expected = counting(missing="available").fit_from(
        weighed.select(*FEATURES, "far", "w"), "far", weight="w", sample_rows=100
    )
    same_model(model.classifier, expected)
    assert model.labels == [None, 1.0, None, 3.0, None, 5.0]
    row = model.transform(data).first()
    assert row["prediction"] == row["predictedLabel"] == expected.predict(weighed.select(FEATURES))[0]
    assert row["probability"].toArray()[[0, 2, 4]].tolist() == [0, 0, 0]
    assert row["rawPrediction"].toArray()[0] == -np.inf


def test_in_a_pipeline_that_is_saved(frame, as_spark, ml, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import StringIndexer

    data = as_spark(frame.drop("label"))
    indexer = StringIndexer(inputCol="class", outputCol="label", stringOrderType="alphabetAsc")
    pipeline = Pipeline(stages=[indexer, estimator(ml, structure=bl.KDB(k=1))])
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    fit = Pipeline.load(str(tmp_path / "pipeline")).fit(data)
    fit.write().overwrite().save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    expected = fitted(frame.select(*FEATURES, "class"), counting(bl.KDB(k=1)))
    for model in (fit, again):
        rows = model.transform(data).collect()
        np.testing.assert_array_equal(
            [row["probability"].toArray() for row in rows], expected.predict_proba(frame.select(FEATURES))
        )
    assert again.stages[1].uid == fit.stages[1].uid
    assert type(again.stages[1]).__name__ == "BayesNetClassificationModel"
    # What is saved is a model file as any other.
    (path,) = (tmp_path / "model" / "stages").glob("1_*/model/part-*")
    same_model(bl.load(path), fit.stages[1].classifier)


def test_a_pool_learns_from_a_sample_and_scores(frame, as_spark, ml):
    rows = frame.select(*FEATURES, "class")
    data = as_spark(rows, 2)
    pool, expected = (bl.NetworkPool(cycles=0, seeds=1, n_jobs=1) for _ in range(2))
    pool.fit_from(data, "class", sample_rows=200)
    expected.fit_from(rows, "class", sample_rows=200)
    assert pool.training_.sampled == {"rows read": 400, "networks": 200}
    answers = ml.BayesNetClassificationModel.of(pool).transform(data).collect()
    np.testing.assert_array_equal(
        [row["probability"].toArray() for row in answers], expected.predict_proba(rows.select(FEATURES))
    )
    with pytest.raises(ValueError, match="was fitted to an array: Spark knows columns by their names"):
        ml.BayesNetClassificationModel.of(counting().fit(np.array([[0], [1]] * 9), [0, 1] * 9))


def test_parameters(ml, tmp_path):
    learner = ml.BayesNetClassifier(
        featuresCols=["a"],
        structure="kdb",
        parameters=bl.Dirichlet(2.0),
        discretizer=bl.Cuts({"a": [1.0, 2.0]}),
        minFrequency=5,
        columnTypes={"a": "number"},
        missingValues=["-", -99],
        classes="many",
        classWeight="balanced",
        seed=3,
    )
    expected = {
        "structure": bl.KDB(),
        "parameters": bl.Dirichlet(2.0),
        "discretizer": bl.Cuts({"a": [1.0, 2.0]}),
        "column_types": {"a": "number"},
        "missing_values": ["-", -99],
        "classes": "many",
        "min_frequency": 5,
        "class_weight": "balanced",
        "random_state": 3,
    }
    assert repr(learner.settings()) == repr(expected)
    changed = learner.copy({learner.structure: bl.KDB(k=3)})
    assert (repr(changed.settings()["structure"]), repr(learner.settings()["structure"])) == (
        "KDB(k=3)",
        "KDB()",
    )
    learner.save(str(tmp_path / "learner"))
    again = ml.BayesNetClassifier.load(str(tmp_path / "learner"))
    assert repr(again.settings()) == repr(learner.settings())
    assert again.getFeaturesCols() == ["a"]
    assert again.getPredictedLabelCol() == "predictedLabel"
    assert "finds the graph" in learner.explainParam("structure")


def test_none_leaves_a_setting_as_it_is(ml):
    learner = ml.BayesNetClassifier(missing=None, sampleRows=None, weightCol=None, labelCol=None, seed=3)
    assert learner.settings() == {"random_state": 3}
    assert not learner.isSet("sampleRows")
    assert not learner.isSet("weightCol")
    assert learner.getLabelCol() == "label"
    assert learner.setParams(seed=None, missing="state").settings() == {"missing": "state", "random_state": 3}
    with pytest.raises(TypeError, match="has no parameter 'k'"):
        learner.setParams(k=None)


def test_columns_of_any_type_are_carried_along(frame, as_spark, ml):
    from pyspark.ml.feature import VectorAssembler

    model = estimator(ml, labelCol="class").fit(as_spark(frame, 1))
    plain = as_spark(frame.drop_nulls("length"), 1)
    data = plain.selectExpr(
        "array(1, 2) as marks",
        "*",
        "cast('a' as binary) as raw",
        "map('k', 1) as pairs",
        "struct(x0) as inner",
    )
    data = VectorAssembler(inputCols=["length"], outputCol="assembled").transform(data)
    answers = model.transform(data)
    assert answers.columns[: len(data.columns)] == data.columns
    row, given = answers.first(), data.first()
    assert [row[name] for name in data.columns] == list(given)
    assert row["probability"] == model.transform(plain).first()["probability"]


def test_columns_that_are_not_wanted_are_not_written(frame, as_spark, ml):
    data = as_spark(frame, 1)
    model = estimator(ml, rawPredictionCol="", predictedLabelCol="", predictionCol="class as number").fit(
        data
    )
    assert model.transform(data).columns == [*data.columns, "probability", "class as number"]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            {"featuresCols": ["x0", "lenght"]},
            ValueError,
            r"no column 'lenght' \(a feature\). Did you mean 'length'\?",
        ),
        ({"labelCol": "y"}, ValueError, r"has no column 'y' \(the class\)"),
        ({"weightCol": "w"}, ValueError, r"has no column 'w' \(the weights\)"),
        ({"featuresCols": []}, ValueError, r"Name the columns to learn from: featuresCols=\[...\]"),
        (
            {"featuresCols": ["x0", "label"]},
            ValueError,
            "has 'label', which is the column of the class: take it out",
        ),
        ({"weightCol": "length"}, ValueError, "has 'length', which is the column of the weights"),
        ({"featuresCols": ["marks"]}, TypeError, r"Column 'marks' is of type array<int>"),
        ({"sampleRows": 0}, ValueError, "'sample_rows' parameter"),
        ({"missing": "never"}, ValueError, "missing"),
    ],
)
def test_bad_input(frame, as_spark, ml, settings, error, message):
    data = as_spark(frame, 1).selectExpr("*", "array(1, 2) as marks")
    with pytest.raises(error, match=message) as raised:
        estimator(ml, **settings).fit(data)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            {"structure": "kbd"},
            ValueError,
            "'kbd' is not a learner for the setting 'structure'. Did you mean 'kdb'",
        ),
        ({"structure": len}, TypeError, "built-in function len> cannot be saved: give a learner of bayleaf"),
        ({"columnTypes": ["a"]}, TypeError, "a dict of columns and their types is needed, not list"),
        (
            {"k": 2},
            TypeError,
            "BayesNetClassifier has no parameter 'k'. There are classWeight, classes, columnTypes,",
        ),
    ],
)
def test_bad_settings(ml, settings, error, message):
    with pytest.raises(error, match=message):
        ml.BayesNetClassifier(**settings)


def test_bad_rows_at_prediction(frame, as_spark, ml):
    data = as_spark(frame, 1)
    model = estimator(ml).fit(data)
    with pytest.raises(ValueError, match=r"has no column 'x1' \(a feature of the model\)"):
        model.transform(data.drop("x1"))
    with pytest.raises(ValueError, match="has a column 'prediction' already: name another, or drop it"):
        model.transform(data.withColumnRenamed("class", "prediction"))
    assert model.transform(data.limit(0)).count() == 0


def test_examples(ml):
    results = doctest.testmod(ml, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted == 12  # of both classes
    assert not results.failed


def test_the_page_with_its_cross_validation(ml, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "\n".join(map(str, check_page(SPARK_PAGE))) == ""
