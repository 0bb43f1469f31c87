"""Benchmarks of classifiers: protocols, runs over data sets, statistical tests, tables and figures.

Works with any scikit-learn classifier. ``evaluate`` runs methods on data sets, ``Results.summary`` tabulates,
``compare`` tests, and the ``*_plot`` and ``*_diagram`` functions draw. Measures are in `bayleaf.quality`.

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

from bayleaf.counts import ChangedDataError
from bayleaf.quality import (
    CrossValidation,
    FixedSplits,
    GroupedFolds,
    Split,
    SplitProtocol,
    TimedFolds,
    TrainTest,
)

from .comparison import Comparison, compare, win_draw_loss_table
from .figures import (
    box_plot,
    critical_difference_diagram,
    interval_plot,
    learning_curve_plot,
    reliability_diagram,
    roc_plot,
    scatter_plot,
)
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
from .rank_tests import (
    BonferroniDunnTest,
    FriedmanTest,
    NemenyiTest,
    average_ranks,
    bonferroni_dunn,
    friedman,
    nemenyi,
)
from .result_tables import Cell, ResultTable, Scoreboard, mean_table
from .results import Results
from .runner import LearningCurve, Prequential, evaluate, learning_curve, prequential
from .work import WorkUnit

__all__ = [
    "PEERS",
    "BonferroniDunnTest",
    "Cell",
    "ChangedDataError",
    "Comparison",
    "CrossValidation",
    "FixedSplits",
    "FriedmanTest",
    "GroupedFolds",
    "LearningCurve",
    "NemenyiTest",
    "PairedTest",
    "Peer",
    "Prequential",
    "ResultTable",
    "Results",
    "Scoreboard",
    "SignedRankComparison",
    "Split",
    "SplitProtocol",
    "TimedFolds",
    "Tolerance",
    "TrainTest",
    "WinDrawLoss",
    "WorkUnit",
    "adjust_p_values",
    "average_ranks",
    "bonferroni_dunn",
    "box_plot",
    "compare",
    "corrected_interval",
    "corrected_t_test",
    "critical_difference_diagram",
    "evaluate",
    "friedman",
    "interval_plot",
    "learning_curve",
    "learning_curve_plot",
    "mean_table",
    "nemenyi",
    "paired_t_test",
    "peer",
    "prequential",
    "reliability_diagram",
    "roc_plot",
    "scatter_plot",
    "sign_test",
    "signed_rank_against",
    "signed_rank_test",
    "win_draw_loss",
    "win_draw_loss_table",
]
