"""The estimator.

The settings that the estimator and the model have in common: which columns they read and write.

The settings of the estimator that say how it learns; learners are kept as plain data, which can be saved.
"""

from collections.abc import Callable
from typing import Any, Self

from pyspark.ml import Estimator
from pyspark.ml.param.shared import (
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
    Param,
    Params,
    TypeConverters,
)
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from bayleaf.classify.one_network import BayesNetClassifier as LocalClassifier
from bayleaf.learn.register import named_learner
from bayleaf.models.settings import learner_from_plain, learner_to_plain
from bayleaf.streams.spark_stream import SparkRows, quoted

from .spark_model import BayesNetClassificationModel


class ColumnParams(HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol):
    """Columns that are read, and columns that are written: one whose name is empty is not."""

    featuresCols = Param(
        Params._dummy(),
        "featuresCols",
        "columns to learn from: texts, numbers, dates, booleans; gaps are allowed",
        typeConverter=TypeConverters.toListString,
    )
    predictedLabelCol = Param(
        Params._dummy(),
        "predictedLabelCol",
        "column of the predicted class itself, in the type of the label column",
        typeConverter=TypeConverters.toString,
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


def _param(name: str, explained: str, convert: Any) -> Any:
    return Param(Params._dummy(), name, explained, typeConverter=convert)


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


LEARNERS = ("structure", "parameters", "discretizer", "selector")
SETTINGS = {
    **{name: name for name in (*LEARNERS, "missing", "unknown", "identifiers")},
    "columnTypes": "column_types",
    "minFrequency": "min_frequency",
    "maxCategories": "max_categories",
    "classWeight": "class_weight",
    "seed": "random_state",
}


class BayesNetClassifier(
    Estimator, ColumnParams, LearnerParams, DefaultParamsReadable, DefaultParamsWritable
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
    missing, unknown, identifiers, columnTypes, minFrequency, maxCategories, classWeight, seed
        As ``missing``, ``unknown``, ``identifiers``, ``column_types``, ``min_frequency``, ``max_categories``,
        ``class_weight`` and ``random_state`` there.
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
