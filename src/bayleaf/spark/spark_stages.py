"""The estimator of ``pyspark.ml`` and its model, whose executors score rows by a model file of bayleaf."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pyspark.ml import Estimator, Model, util
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters, shared
from pyspark.sql import types

from bayleaf.classify.one_network import BayesNetClassifier as LocalClassifier
from bayleaf.data.raw_columns import table_from_stream
from bayleaf.learn.register import named_learner
from bayleaf.models import load
from bayleaf.models.settings import learner_from_plain, learner_to_plain
from bayleaf.streams.spark_stream import SparkRows, plain_names, quoted

# As many classes as a column may have, see `bayleaf.streams.row_rules`: larger numbers are names, not positions.
MOST_POSITIONS = 1000
DENSE = 1  # what Spark calls vectors whose values are all there
LABEL_TYPES = {
    "b": types.BooleanType(),
    "i": types.LongType(),
    "u": types.LongType(),
    "f": types.DoubleType(),
}
MODEL = "model"  # the model file in the folder of a saved model
LEARNERS = ("structure", "parameters", "discretizer", "selector")
SETTINGS = {
    **{name: name for name in (*LEARNERS, "missing", "unknown", "identifiers")},
    "columnTypes": "column_types",
    "missingValues": "missing_values",
    "classes": "classes",
    "minFrequency": "min_frequency",
    "maxCategories": "max_categories",
    "classWeight": "class_weight",
    "seed": "random_state",
}


def _param(name: str, explained: str, convert: Any) -> Any:
    return Param(Params._dummy(), name, explained, typeConverter=convert)


class ColumnParams(
    shared.HasLabelCol,
    shared.HasWeightCol,
    shared.HasPredictionCol,
    shared.HasProbabilityCol,
    shared.HasRawPredictionCol,
):
    """Columns that are read and written; one whose name is empty is not written."""

    featuresCols = _param(
        "featuresCols",
        "columns to learn from: texts, numbers, dates, booleans; gaps are allowed",
        TypeConverters.toListString,
    )
    predictedLabelCol = _param(
        "predictedLabelCol",
        "column of the predicted class itself, in the type of the label column",
        TypeConverters.toString,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            labelCol="label",
            predictionCol="prediction",
            probabilityCol="probability",
            rawPredictionCol="rawPrediction",
            predictedLabelCol="predictedLabel",
        )

    def getFeaturesCols(self) -> list[str]:
        """Return the columns to learn from."""
        columns: list[str] = self.getOrDefault(self.featuresCols)
        return columns

    def getPredictedLabelCol(self) -> str:
        """Return the column of the predicted class."""
        column: str = self.getOrDefault(self.predictedLabelCol)
        return column


@dataclass(frozen=True)
class Scoring:
    """What the executors do with their rows."""

    model_file: str  # its content
    columns: list[str]  # of the rows, in their order
    features: list[str]  # that the model reads
    wanted: list[str]  # answers: "raw", "probability", "prediction", "label"


class VectorClasses:
    """Where each of the sorted classes stands in the vectors of Spark."""

    def __init__(self, classes: NDArray[Any]) -> None:
        labels = classes.tolist()
        self.positions = np.arange(len(labels))
        if classes.dtype.kind in "iuf" and all(
            0 <= label < MOST_POSITIONS and label % 1 == 0 for label in labels
        ):
            self.positions = classes.astype(np.int64)
        self.labels: list[Any] = [None] * (int(self.positions.max()) + 1)
        for position, label in zip(self.positions, labels, strict=True):
            self.labels[position] = label

    def spread(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put the probabilities of the classes where they stand; there are none elsewhere."""
        found = np.zeros((len(probabilities), len(self.labels)))
        found[:, self.positions] = probabilities
        return found


def loaded(model_file: str) -> Any:
    """Return the classifier that a model file holds, given its content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bayleaf.json"
        path.write_text(model_file, encoding="utf-8")
        return load(path)


def score_partition(scoring: Scoring, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of a partition together with the model's answers."""
    import pyarrow

    classifier = loaded(scoring.model_file)
    classifier.n_jobs = 1  # Spark runs a task on every core
    classes = VectorClasses(classifier.classes_)
    places = [scoring.columns.index(name) for name in scoring.features]
    for batch in batches:
        if not batch.num_rows:
            continue
        # Only these: other columns may be of any type.
        frame = table_from_stream(pyarrow.Table.from_batches([batch]).select(places))
        assert frame is not None
        frame.columns = scoring.features
        probabilities = classifier.predict_proba(frame)
        answers = _answers(classifier, classes, probabilities)
        columns = [*batch.columns, *(answers[name]() for name in scoring.wanted)]
        yield pyarrow.RecordBatch.from_arrays(columns, names=[f"c{number}" for number in range(len(columns))])


def _answers(classifier: Any, classes: VectorClasses, probabilities: NDArray[np.float64]) -> dict[str, Any]:
    """Return what makes the column of each answer."""
    import pyarrow

    chosen = classifier.decide(probabilities)
    spread = classes.spread(probabilities)

    def raw() -> Any:
        with np.errstate(divide="ignore"):
            return _vectors(np.log(spread))

    def prediction() -> Any:
        return pyarrow.array(
            classes.positions[np.searchsorted(classifier.classes_, chosen)].astype(np.float64)
        )

    return {
        "raw": raw,
        "probability": lambda: _vectors(spread),
        "prediction": prediction,
        "label": lambda: pyarrow.array(chosen.tolist()),
    }


def _vectors(values: NDArray[np.float64]) -> Any:
    """Return rows of numbers as the vectors of Spark's library of learners."""
    import pyarrow

    rows, length = values.shape
    offsets = pyarrow.array(np.arange(0, (rows + 1) * length, length), pyarrow.int32())
    return pyarrow.StructArray.from_arrays(
        [
            pyarrow.array(np.full(rows, DENSE), pyarrow.int8()),
            pyarrow.nulls(rows, pyarrow.int32()),
            pyarrow.nulls(rows, pyarrow.list_(pyarrow.int32())),
            pyarrow.ListArray.from_arrays(offsets, pyarrow.array(values.ravel())),
        ],
        names=["type", "size", "indices", "values"],
    )


class BayesNetClassificationModel(Model, ColumnParams, util.MLWritable, util.MLReadable):
    """A Bayesian network classifier that was learned from a Spark DataFrame.

    ``transform`` adds the columns

    - ``probability``: the probability of each class, a vector;
    - ``rawPrediction``: its logarithm, a vector;
    - ``prediction``: the position of the chosen class in those vectors, a double, as the evaluators of ``pyspark.ml``
      take it;
    - ``predictedLabel``: the chosen class itself.

    Where all classes are whole numbers from 0 to 999, as in ``pyspark.ml``, position and class are the same number,
    and positions between them that are not classes have the probability 0. Other classes stand in the vectors in
    their order (texts by alphabet); ``labels`` says which is where. Missing values are summed out.

    Examples
    --------
    >>> import bayleaf as bl
    >>> import polars as pl
    >>> rows = pl.DataFrame({"rain": ["no", "yes"] * 50, "street": ["dry", "wet"] * 50})
    >>> fitted = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage()).fit(rows.select("rain"), rows["street"])
    >>> model = BayesNetClassificationModel.of(fitted)
    >>> model.labels, model.numFeatures, model.classifier.network_.arcs
    (['dry', 'wet'], 1, (('street', 'rain'),))
    """

    __module__ = "bayleaf.spark"  # saved pipelines name the class by it

    def __init__(self, model_file: str = "") -> None:
        super().__init__()
        self._model_file = model_file

    @classmethod
    def of(cls, classifier: Any) -> Self:
        """Return a fitted classifier, ensemble or pool of bayleaf as a model of Spark, wherever it was fitted."""
        if not hasattr(classifier, "feature_names_in_"):
            raise ValueError(
                "The model was fitted to an array: Spark knows columns by their names. Fit it to a table with names."
            )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.bayleaf.json"
            classifier.save(path)
            return cls(path.read_text(encoding="utf-8"))

    @cached_property
    def classifier(self) -> Any:
        """The model as a classifier of bayleaf: it explains, draws its page, saves its file."""
        return loaded(self._model_file)

    @property
    def labels(self) -> list[Any]:
        """The class at each position of the vectors; None where there is none."""
        return VectorClasses(self.classifier.classes_).labels

    @property
    def numClasses(self) -> int:
        """The length of the vectors."""
        return len(self.labels)

    @property
    def numFeatures(self) -> int:
        """How many columns the model reads."""
        return int(self.classifier.n_features_in_)

    def _transform(self, dataset: Any) -> Any:
        rows = SparkRows(dataset)
        features = [str(name) for name in self.classifier.feature_names_in_]
        rows.check_columns(features, "a feature of the model")
        rows.check_types(features)
        label = LABEL_TYPES.get(self.classifier.classes_.dtype.kind, types.StringType())
        answers = {
            "raw": (self.getRawPredictionCol(), VectorUDT()),
            "probability": (self.getProbabilityCol(), VectorUDT()),
            "prediction": (self.getPredictionCol(), types.DoubleType()),
            "label": (self.getPredictedLabelCol(), label),
        }
        wanted = {answer: column for answer, column in answers.items() if column[0]}
        for name, _ in wanted.values():
            if name in dataset.columns:
                raise ValueError(f"The DataFrame has a column '{name}' already: name another, or drop it.")
        schema = types.StructType(
            [*dataset.schema.fields, *(types.StructField(name, kind) for name, kind in wanted.values())]
        )
        scoring = Scoring(self._model_file, dataset.columns, features, list(wanted))
        return plain_names(dataset).mapInArrow(partial(score_partition, scoring), schema)

    def write(self) -> util.MLWriter:
        """Return what saves the model."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> util.MLReader:
        """Return what loads a model."""
        return _ModelReader()


class _ModelWriter(util.MLWriter):
    """Writes the parameters as all stages are written, and the model file with them as text."""

    def __init__(self, model: BayesNetClassificationModel) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        """Write a folder, wherever Spark can write."""
        util.DefaultParamsWriter.saveMetadata(self._model, path, self.sparkSession)
        content = self.sparkSession.createDataFrame([(self._model._model_file,)], "value string")
        content.coalesce(1).write.text(f"{path}/{MODEL}")


class _ModelReader(util.MLReader):
    """Reads what `_ModelWriter` writes."""

    def load(self, path: str) -> BayesNetClassificationModel:
        """Read a folder."""
        metadata = util.DefaultParamsReader.loadMetadata(path, self.sparkSession)
        content = self.sparkSession.read.text(f"{path}/{MODEL}", wholetext=True).first()
        model = BayesNetClassificationModel(content["value"])
        model._resetUid(metadata["uid"])
        util.DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _plain_learner(kind: str) -> Callable[[Any], dict[str, Any]]:
    """Return what turns a learner, or the text that names it, into plain data."""

    def convert(value: Any) -> dict[str, Any]:
        if isinstance(value, dict):  # as it was saved
            learner_from_plain(value)
            return value
        return learner_to_plain(named_learner(kind, value))

    return convert


def _types(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError(f"a dict of columns and their types is needed, not {type(value).__name__}.")
    return {str(name): str(kind) for name, kind in value.items()}


def _share_or_count(value: Any) -> float | int:
    number: float | int = TypeConverters.toFloat(value)
    return int(number) if isinstance(value, int) else number


class LearnerParams(Params):
    """How the estimator learns; what is not set is as in `bayleaf.BayesNetClassifier`."""

    structure = _param("structure", "finds the graph: a learner, or its name", _plain_learner("structure"))
    parameters = _param(
        "parameters", "fills the tables: a learner, or its name", _plain_learner("parameters")
    )
    discretizer = _param(
        "discretizer", "cuts numbers: a discretiser, or its name", _plain_learner("discretizer")
    )
    selector = _param("selector", "chooses the features: a selector, or its name", _plain_learner("selector"))
    missing = _param("missing", "how missing values are learned from", TypeConverters.toString)
    unknown = _param("unknown", "categories not seen in fit: 'missing' or 'error'", TypeConverters.toString)
    identifiers = _param(
        "identifiers", "columns that name the rows: 'drop' or 'keep'", TypeConverters.toString
    )
    columnTypes = _param("columnTypes", "what columns are, by name, where it is not seen", _types)
    missingValues = _param(
        "missingValues", "texts and numbers that mark missing values", TypeConverters.toList
    )
    classes = _param("classes", "'many' to take a label of any number of classes", TypeConverters.toString)
    minFrequency = _param("minFrequency", "rarer categories are pooled", _share_or_count)
    maxCategories = _param("maxCategories", "the most states of a column", TypeConverters.toInt)
    classWeight = _param("classWeight", "'balanced', or not set", TypeConverters.toString)
    seed = _param("seed", "for learners that draw random numbers", TypeConverters.toInt)
    sampleRows = _param(
        "sampleRows", "the most rows of the sample that numbers are cut by", TypeConverters.toInt
    )

    def settings(self) -> dict[str, Any]:
        """Return what was set, as `bayleaf.BayesNetClassifier` calls it."""
        found = {}
        for name, setting in SETTINGS.items():
            if self.isSet(name):
                value = self.getOrDefault(name)
                found[setting] = learner_from_plain(value) if setting in LEARNERS else value
        return found


class BayesNetClassifier(
    Estimator, ColumnParams, LearnerParams, util.DefaultParamsReadable, util.DefaultParamsWritable
):
    """A Bayesian network classifier as an estimator of ``pyspark.ml``.

    The executors count the rows of their partitions, and the driver learns from the counts: the model is the one that
    `bayleaf.BayesNetClassifier` learns from the same rows in memory (see ``fit_from`` there, and the page on Spark).
    It works in a ``Pipeline`` and a ``CrossValidator``, and can be saved.

    Parameters
    ----------
    featuresCols : list of str
        Columns to learn from, as they are: no vector is assembled. They may have gaps.
    labelCol : str, default="label"
        The class: texts, or numbers. Rows without one are left out, and a warning counts them.
    weightCol : str, optional
        Sample weights.
    predictionCol, probabilityCol, rawPredictionCol, predictedLabelCol : str
        Columns that the model writes; see `BayesNetClassificationModel`.
    structure, parameters, discretizer, selector : learner or str, optional
        As in `bayleaf.BayesNetClassifier`: ``bl.KDB(k=3)``, or "KDB(k=3)".
    missing, unknown, identifiers, columnTypes, missingValues, classes, minFrequency, maxCategories, classWeight, seed
        As ``missing``, ``unknown``, ``identifiers``, ``column_types``, ``missing_values``, ``classes``,
        ``min_frequency``, ``max_categories``, ``class_weight`` and ``random_state`` there.
    sampleRows : int, optional
        The most rows of the uniform sample that numbers are cut by, and that learners get which need rows: 200,000 by
        default.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = spark.createDataFrame([("no", "dry"), ("yes", "wet")] * 50, ["rain", "street"])
    >>> learner = BayesNetClassifier(featuresCols=["rain"], labelCol="street", parameters="shrinkage")
    >>> model = learner.fit(rows)
    >>> model.transform(rows).select("prediction", "predictedLabel").first()
    Row(prediction=0.0, predictedLabel='dry')
    """

    __module__ = "bayleaf.spark"  # saved pipelines name the class by it

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self.setParams(**settings)

    def setParams(self, **settings: Any) -> Self:
        """Set some of the parameters by name; None leaves one as it is."""
        for name in settings:
            if not self.hasParam(name):
                known = ", ".join(param.name for param in self.params)
                raise TypeError(f"BayesNetClassifier has no parameter '{name}'. There are {known}.")
        self._set(**{name: value for name, value in settings.items() if value is not None})
        return self

    def _fit(self, dataset: Any) -> BayesNetClassificationModel:
        rows = SparkRows(dataset)
        label = self.getLabelCol()
        weight = self.getWeightCol() if self.isSet(self.weightCol) and self.getWeightCol() else None
        if not self.isSet(self.featuresCols) or not self.getFeaturesCols():
            raise ValueError("Name the columns to learn from: featuresCols=[...].")
        features = list(dict.fromkeys(self.getFeaturesCols()))
        if {label, weight} & {*features}:
            raise ValueError(
                f"featuresCols has '{label if label in features else weight}', which is the column of the "
                f"{'class' if label in features else 'weights'}: take it out."
            )
        rows.check_columns(features, "a feature")
        rows.check_columns([label], "the class")
        rows.check_columns([] if weight is None else [weight], "the weights")
        columns = [*features, label, *([] if weight is None else [weight])]
        sampled = {"sample_rows": self.getOrDefault(self.sampleRows)} if self.isSet(self.sampleRows) else {}
        classifier = LocalClassifier(**self.settings())
        classifier.fit_from(
            dataset.select([quoted(name) for name in columns]), label, weight=weight, **sampled
        )
        model: BayesNetClassificationModel = self._copyValues(BayesNetClassificationModel.of(classifier))
        return model
