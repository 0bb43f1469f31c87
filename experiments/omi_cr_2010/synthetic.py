"""The synthetic problems: Figures 3, 9 and 10 of the paper."""

from pathlib import Path

import numpy as np
from compared import classifiers
from problems import ConfusedTrees, section_3, section_6_3
from sklearn.svm import SVC
from steps import Line, run_steps

import bayleaf as bl

SECTION_3_METHODS = (
    "NB-ML",
    "NB-CL",
    "TAN-CMI-ML",
    "TAN-CMI-CL",
    "TAN-OMI-CR-ML",
    "TAN-OMI-CR-CL",
    "TAN-CR-ML",
    "TAN-SuperParent-ML",
    "TAN-OMI-CL-ML",
)
SECTION_63_METHODS = ("NB-ML", "TAN-CMI-ML", "TAN-RO-CL-ML", "TAN-OMI-CL-ML", "TAN-CL-ML")
MINIMAL = "TAN, least order, CL-ML"  # argmin in place of argmax in equation 2
SECTION_64_METHODS = ("NB-ML", "TAN-CMI-ML", "TAN-OMI-CR-ML", "TAN-CR-ML")
TRUE_MODEL = "true model"
SAME_TABLES, OWN_TABLES = "same tables", "own tables"


def fitted(name: str, X: np.ndarray, y: np.ndarray) -> bl.BayesNetClassifier:
    """Fit a classifier to columns of categories."""
    (model,) = classifiers(
        (name,), categorical_features=np.ones(X.shape[1], dtype=bool), random_state=0
    ).values()
    return model.fit(X, y)


def run_section_3(results: Path, runs: int = 100, *, first: int | None = None) -> None:
    """Figures 3 and 4: accuracy on 1000 rows, and how often a learner joins X1 and X3."""

    def work(rows: int) -> list[Line]:
        accuracy: dict[str, list[float]] = {name: [] for name in (*SECTION_3_METHODS, "SVM")}
        found = dict.fromkeys(accuracy, 0)
        for run in range(runs):
            rng = np.random.default_rng([3, rows, run])
            training, test = section_3(rows, rng), section_3(1000, rng)
            for name in SECTION_3_METHODS:
                model = fitted(name, *training)
                accuracy[name].append(model.score(*test))
                found[name] += any({"x0", "x2"} == set(arc) for arc in model.network_.arcs)
            accuracy["SVM"].append(SVC(C=3, gamma=0.5).fit(*training).score(*test))  # sigma = 1
        return [
            {
                "runs": runs,
                "method": name,
                "accuracy": round(float(np.mean(values)), 5),
                "deviation": round(float(np.std(values, ddof=1)), 5),
                "joins_x1_x3": found[name],
            }
            for name, values in accuracy.items()
        ]

    steps = [{"rows": n} for n in (20, 50, 100, 200, 500, 1000)]
    run_steps(results / "section3.csv", "Section 3", steps, work, first)


def run_section_63(results: Path, runs: int = 40, rows: int = 100_000, *, first: int | None = None) -> None:
    """Figure 9: training CLL of trees on random distributions."""

    def work(variables: int, run: int) -> list[Line]:
        X, y = section_6_3(variables, rows, np.random.default_rng([63, variables, run]))
        models = {name: fitted(name, X, y) for name in SECTION_63_METHODS}
        models[MINIMAL] = _least_order(X, y)
        cll = {name: model.predict_log_proba(X)[np.arange(rows), y].sum() for name, model in models.items()}
        return [{"method": name, "cll": round(float(value), 2)} for name, value in cll.items()]

    steps = [{"variables": n, "run": run} for n in range(10, 15) for run in range(runs)]
    run_steps(results / "section63.csv", "Section 6.3", steps, work, first)


def _least_order(X: np.ndarray, y: np.ndarray) -> bl.BayesNetClassifier:
    """Take the feature that tells least at each step."""
    mask = np.ones(X.shape[1], dtype=bool)
    learner = bl.OrderBased("least", score=bl.ConditionalLogLikelihood())
    clf = bl.BayesNetClassifier(learner, bl.MaximumLikelihood(), bl.MDLP(), categorical_features=mask)
    return clf.fit(X, y)


def run_section_64(results: Path, runs: int = 20, other_runs: int = 5, *, first: int | None = None) -> None:
    """Figure 10: classes that follow trees of their own, half of their rows the first class's."""

    def work(confusion: str, features: int, run: int) -> list[Line]:
        rng = np.random.default_rng([64, features, run])
        truth = ConfusedTrees.random(features, rng, same_tables=confusion == SAME_TABLES)
        training, test = truth.sample(rng), truth.sample(rng)
        accuracy = {name: fitted(name, *training).score(*test) for name in SECTION_64_METHODS}
        accuracy[TRUE_MODEL] = float((truth.best_class(test[0]) == test[1]).mean())
        return [{"method": name, "accuracy": round(value, 5)} for name, value in accuracy.items()]

    steps = [
        {"confusion": confusion, "features": features, "run": run}
        for confusion, number in ((SAME_TABLES, runs), (OWN_TABLES, other_runs))
        for run in range(number)
        for features in (5, 10, 15, 20, 25, 30)
    ]
    run_steps(results / "section64.csv", "Section 6.4", steps, work, first)
