"""The estimator."""

from typing import Any, Self

from pyspark.ml import Estimator
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from bayleaf.estimator import BayesNetClassifier as LocalClassifier
from bayleaf.streams.spark_rows import SparkRows, quoted

from .columns import ColumnParams
from .learner_params import LearnerParams
from .model import BayesNetClassificationModel


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
