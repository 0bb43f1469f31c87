"""How good a model is: measures, their intervals, groups of rows, cross-validation, and drift of new rows."""

from .cross_validation import accuracy_with_missing_features, out_of_fold
from .drift import Drift, DriftLine
from .intervals import class_table, group_table, measures_with_intervals
from .measures import (
    EPSILON,
    FURTHER_MEASURES,
    MEASURES,
    Measure,
    accuracy,
    auc,
    balanced_accuracy,
    brier,
    brier_skill,
    conditional_log_likelihood,
    expected_calibration_error,
    log_loss,
    macro_f1,
    matthews_correlation,
    pr_auc,
    zero_one_loss,
)
from .outcome import Outcome, class_frequencies
from .protocol import (
    CrossValidation,
    FixedSplits,
    GroupedFolds,
    Split,
    SplitProtocol,
    TimedFolds,
    TrainTest,
)

__all__ = [
    "EPSILON",
    "FURTHER_MEASURES",
    "MEASURES",
    "CrossValidation",
    "Drift",
    "DriftLine",
    "FixedSplits",
    "GroupedFolds",
    "Measure",
    "Outcome",
    "Split",
    "SplitProtocol",
    "TimedFolds",
    "TrainTest",
    "accuracy",
    "accuracy_with_missing_features",
    "auc",
    "balanced_accuracy",
    "brier",
    "brier_skill",
    "class_frequencies",
    "class_table",
    "conditional_log_likelihood",
    "expected_calibration_error",
    "group_table",
    "log_loss",
    "macro_f1",
    "matthews_correlation",
    "measures_with_intervals",
    "out_of_fold",
    "pr_auc",
    "zero_one_loss",
]
