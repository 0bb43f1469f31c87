"""Probabilities of the rows of a partition, by the executor that has them."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.arrow import table_from_stream
from bayleaf.modelfile import load

# As many classes as a column may have, see `bayleaf.streams.class_labels`: larger numbers are names, not positions.
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
