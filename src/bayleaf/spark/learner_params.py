"""The settings of the estimator that say how it learns; learners are kept as plain data, which can be saved."""

from collections.abc import Callable
from typing import Any

from pyspark.ml.param.shared import Param, Params, TypeConverters

from bayleaf.modelfile.settings import learner_from_plain, learner_to_plain
from bayleaf.register import named_learner


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
