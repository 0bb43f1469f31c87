"""The settings that the estimator and the model have in common: which columns they read and write."""

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
