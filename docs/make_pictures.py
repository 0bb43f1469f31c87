"""Draw the pictures of the documentation from data that come with scikit-learn.

python docs/make_pictures.py
"""

import sys
from pathlib import Path

import polars as pl
from matplotlib import rc_context
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bayleaf as bl
from bayleaf.benchmark import (
    CrossValidation,
    critical_difference_diagram,
    evaluate,
    learning_curve,
    learning_curve_plot,
    nemenyi,
    reliability_diagram,
)
from bayleaf.benchmark.figures import house_style
from bayleaf.quality import out_of_fold

sys.path.insert(0, str(Path(__file__).parent / "hooks"))
from live_models import DOUBTFUL, tumours

IMAGES = Path(__file__).parent / "images"


def breast_cancer() -> tuple[pl.DataFrame, pl.Series]:
    """Ten measurements of cell nuclei, and the diagnosis."""
    bunch = load_breast_cancer()
    features = pl.DataFrame(bunch.data[:, :10], schema=list(bunch.feature_names[:10]))
    return features, pl.Series("diagnosis", bunch.target_names[bunch.target])


def save(figure, name: str) -> None:
    """Save a figure as a small PNG."""
    figure.savefig(IMAGES / name, dpi=100, pil_kwargs={"optimize": True})


def evidence() -> None:
    """Reasons for single rows: the row of README and the home page, and that of the page about explanations."""
    live = tumours()
    draw_evidence(live.model.explain(live.X[[DOUBTFUL]]), "evidence.svg")
    X, y = breast_cancer()
    model = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), bl.MDLP()).fit(X[:400], y[:400])
    draw_evidence(model.explain(X[[445]]), "evidence-by-hand.svg")


def draw_evidence(explanation: bl.explain.Explanation, name: str) -> None:
    """Save an explanation of one row; its letters stay text, so that a test can read what the figure shows."""
    with house_style(), rc_context({"svg.fonttype": "none", "svg.hashsalt": "bayleaf"}):
        explanation.plot().figure.savefig(IMAGES / name, metadata={"Date": None})


def reliability() -> None:
    """Are the probabilities honest? Naive Bayes and TAN on the same folds."""
    X, y = load_digits(return_X_y=True)
    protocol = CrossValidation(folds=5, stratified=True)
    methods = {"NB": bl.classifier("NB"), "TAN": bl.classifier("TAN")}
    outcomes = {name: out_of_fold(method, X, y, protocol) for name, method in methods.items()}
    save(reliability_diagram(outcomes), "reliability.png")


def learning() -> None:
    """How many rows does each method need?"""
    curve = learning_curve(
        {"NB": bl.classifier("NB"), "TAN": bl.classifier("TAN")},
        load_digits(return_X_y=True),
        sizes=[100, 200, 400, 800, 1400],
        protocol=CrossValidation(folds=5, stratified=True),
        measure="log_loss",
    )
    save(learning_curve_plot(curve), "learning_curve.png")


def critical_difference() -> None:
    """Average ranks of the methods of docs/comparing.md, and how far apart they must be to matter."""
    methods = {
        "NB": bl.classifier("NB"),
        "TAN": bl.classifier("TAN"),
        "FAN": bl.classifier("FAN"),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    loaders = {
        "iris": load_iris,
        "wine": load_wine,
        "breast cancer": load_breast_cancer,
        "digits": load_digits,
    }
    data = {name: load(return_X_y=True) for name, load in loaders.items()}
    results = evaluate(methods, data, CrossValidation(folds=5, stratified=True))
    save(critical_difference_diagram(nemenyi(results.scoreboard("log_loss"))), "critical_difference.png")


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for draw in (evidence, reliability, learning, critical_difference):
        draw()
