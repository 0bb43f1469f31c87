"""The model: a model file of bayleaf, which the executors score their rows with.

Probabilities of the rows of a partition, by the executor that has them.
"""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pyspark.ml import Model
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import types

from bayleaf.data.raw_columns import table_from_stream
from bayleaf.models import load
from bayleaf.streams.spark_stream import SparkRows, plain_names

from .spark_classifier import ColumnParams

# As many classes as a column may have, see `bayleaf.streams.row_rules`: larger numbers are names, not positions.
MOST_POSITIONS = 1000
DENSE = 1  # what Spark calls vectors whose values are all there


@dataclass(frozen=True)
class Scoring:
    """What the executors do with their rows.

    Parameters
    ----------
    model_file : str
        The content of the model file.
    columns : list of str
        Those of the rows, in their order.
    features : list of str
        Those that the model reads.
    wanted : list of str
        Which answers are given: "raw", "probability", "prediction", "label".
    """

    model_file: str
    columns: list[str]
    features: list[str]
    wanted: list[str]


class VectorClasses:
    """Where each class stands in the vectors of Spark.

    Parameters
    ----------
    classes : ndarray
        The sorted labels.

    Examples
    --------
    >>> VectorClasses(np.array(["no", "yes"])).labels, VectorClasses(np.array([0.0, 2.0])).labels
    (['no', 'yes'], [0.0, None, 2.0])
    >>> VectorClasses(np.array([-1, 1])).positions
    array([0, 1])
    """

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
    """Give out the rows of a partition with the answers of the model beside them."""
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


LABEL_TYPES = {
    "b": types.BooleanType(),
    "i": types.LongType(),
    "u": types.LongType(),
    "f": types.DoubleType(),
}
# Where the model file lies in the folder of a saved model.
MODEL = "model"


class BayesNetClassificationModel(Model, ColumnParams, MLWritable, MLReadable):
    """A Bayesian network classifier that was learned from a Spark DataFrame.

    ``transform`` adds the columns

    - ``probability``: the probability of each class, a vector;
    - ``rawPrediction``: its logarithm, a vector;
    - ``prediction``: the position of the chosen class in those vectors, a double, as the evaluators of ``pyspark.ml``
      take it;
    - ``predictedLabel``: the chosen class itself.

    Where all classes are whole numbers from 0 to 999, as in ``pyspark.ml``, position and class are the same number,
    and positions between that are no class have the probability 0. Other classes stand in the vectors in their order
    (texts by alphabet); ``labels`` says which is where. Missing values are summed out.

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

    def write(self) -> MLWriter:
        """Return what saves the model."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """Return what loads a model."""
        return _ModelReader()


class _ModelWriter(MLWriter):
    """Writes the parameters as all stages are written, and the model file beside them as text."""

    def __init__(self, model: BayesNetClassificationModel) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        """Write a folder, wherever Spark can write."""
        DefaultParamsWriter.saveMetadata(self._model, path, self.sparkSession)
        content = self.sparkSession.createDataFrame([(self._model._model_file,)], "value string")
        content.coalesce(1).write.text(f"{path}/{MODEL}")


class _ModelReader(MLReader):
    """Reads what `_ModelWriter` writes."""

    def load(self, path: str) -> BayesNetClassificationModel:
        """Read a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        content = self.sparkSession.read.text(f"{path}/{MODEL}", wholetext=True).first()
        model = BayesNetClassificationModel(content["value"])
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
