"""Evaluation of classifiers: protocols, measures, statistical tests, tables and figures.

Works with any scikit-learn classifier. ``evaluate`` runs methods on data sets, ``Results.summary`` tabulates,
``compare`` tests, and the ``*_plot`` and ``*_diagram`` functions draw.

Examples
--------
>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> from sklearn.tree import DecisionTreeClassifier
>>> methods = {"NB": GaussianNB(), "tree": DecisionTreeClassifier()}
>>> results = evaluate(methods, {"iris": load_iris(return_X_y=True)}, CrossValidation(folds=5))
>>> results.methods
('NB', 'tree')
"""

from .class_measures import balanced_accuracy, macro_f1, matthews_correlation
from .comparison import Comparison, compare, win_draw_loss_table
from .diagrams import critical_difference_diagram, reliability_diagram, roc_plot
from .figures import box_plot, interval_plot, learning_curve_plot, scatter_plot
from .groups import group_table
from .intervals import class_table, measures_with_intervals
from .measures import (
    EPSILON,
    FURTHER_MEASURES,
    MEASURES,
    Measure,
    accuracy,
    auc,
    brier,
    brier_skill,
    conditional_log_likelihood,
    expected_calibration_error,
    log_loss,
    pr_auc,
    zero_one_loss,
)
from .outcome import Outcome, class_frequencies
from .paired_tests import (
    PairedTest,
    SignedRankComparison,
    Tolerance,
    WinDrawLoss,
    adjust_p_values,
    corrected_interval,
    corrected_t_test,
    paired_t_test,
    sign_test,
    signed_rank_against,
    signed_rank_test,
    win_draw_loss,
)
from .peers import PEERS, Peer, peer
from .protocol import CrossValidation, FixedSplits, Split, SplitProtocol, TrainTest
from .quality import accuracy_with_missing_features, out_of_fold
from .rank_tests import (
    BonferroniDunnTest,
    FriedmanTest,
    NemenyiTest,
    average_ranks,
    bonferroni_dunn,
    friedman,
    nemenyi,
)
from .results import Results
from .runner import LearningCurve, evaluate, learning_curve
from .streams_in_time import Prequential, prequential
from .tables import Cell, ResultTable, Scoreboard, mean_table
from .work import ChangedDataError, WorkUnit

__all__ = [
    "EPSILON",
    "FURTHER_MEASURES",
    "MEASURES",
    "PEERS",
    "BonferroniDunnTest",
    "Cell",
    "ChangedDataError",
    "Comparison",
    "CrossValidation",
    "FixedSplits",
    "FriedmanTest",
    "LearningCurve",
    "Measure",
    "NemenyiTest",
    "Outcome",
    "PairedTest",
    "Peer",
    "Prequential",
    "ResultTable",
    "Results",
    "Scoreboard",
    "SignedRankComparison",
    "Split",
    "SplitProtocol",
    "Tolerance",
    "TrainTest",
    "WinDrawLoss",
    "WorkUnit",
    "accuracy",
    "accuracy_with_missing_features",
    "adjust_p_values",
    "auc",
    "average_ranks",
    "balanced_accuracy",
    "bonferroni_dunn",
    "box_plot",
    "brier",
    "brier_skill",
    "class_frequencies",
    "class_table",
    "compare",
    "conditional_log_likelihood",
    "corrected_interval",
    "corrected_t_test",
    "critical_difference_diagram",
    "evaluate",
    "expected_calibration_error",
    "friedman",
    "group_table",
    "interval_plot",
    "learning_curve",
    "learning_curve_plot",
    "log_loss",
    "macro_f1",
    "matthews_correlation",
    "mean_table",
    "measures_with_intervals",
    "nemenyi",
    "out_of_fold",
    "paired_t_test",
    "peer",
    "pr_auc",
    "prequential",
    "reliability_diagram",
    "roc_plot",
    "scatter_plot",
    "sign_test",
    "signed_rank_against",
    "signed_rank_test",
    "win_draw_loss",
    "win_draw_loss_table",
    "zero_one_loss",
]
