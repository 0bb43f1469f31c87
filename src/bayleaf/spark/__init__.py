"""A classifier for Spark: an estimator and a model of ``pyspark.ml``, whose work is done by the executors.

It needs Spark 4 (``pip install 'bayleaf[spark]'``) and bayleaf on every executor.
"""

from bayleaf._util.params import require

require("pyspark.ml", extra="spark")  # before what is derived from its classes

from .spark_stages import BayesNetClassificationModel, BayesNetClassifier  # noqa: E402

__all__ = ["BayesNetClassificationModel", "BayesNetClassifier"]
