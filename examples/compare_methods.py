"""Which method is best on these data, and how sure can we be?

Every method meets the same folds. Finished folds are kept in a file: run it again, or interrupt it and run it again,
and it goes on where it stopped.

    python examples/compare_methods.py [results.csv]
"""

import sys

from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import bayleaf as bl
from bayleaf.benchmark import CrossValidation, compare, evaluate

methods = {
    "NB": bl.classifier("NB"),
    "TAN": bl.classifier("TAN"),
    "FAN": bl.classifier("FAN"),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(min_samples_leaf=5),
    "forest": RandomForestClassifier(n_estimators=25),
}
data = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
}

if __name__ == "__main__":
    results = evaluate(
        methods,
        data,
        CrossValidation(folds=5, stratified=True),
        out=sys.argv[1] if len(sys.argv) > 1 else None,
    )
    for measure in ("accuracy", "log_loss"):
        table = results.summary(measure)
        print(f"\n{table.title}\n{table}")
    print(f"\n{compare(results, 'log_loss')}")
