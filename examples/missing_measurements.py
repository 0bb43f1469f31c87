"""What if half of the measurements are missing when a prediction is needed?

The same models, fitted to complete rows, predict rows from which more and more values are taken away. bayleaf sums
missing values out; logistic regression gets the mean of the training rows instead.

    python examples/missing_measurements.py
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bayleaf as bl

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)

models = {
    "naive Bayes": bl.classifier("NB"),
    "TAN": bl.classifier("TAN"),
    "logistic regression": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
}
for model in models.values():
    model.fit(X_train, y_train)

chance = np.random.default_rng(0).random(X_test.shape)
print(f"{'missing':>8}  {'model':<20} accuracy  log-loss")
for share in (0.0, 0.25, 0.5, 0.75, 0.9):
    holes = np.where(chance < share, np.nan, X_test)
    for name, model in models.items():
        probabilities = model.predict_proba(holes)
        right = accuracy_score(y_test, model.predict(holes))
        print(f"{share:>8.0%}  {name:<20} {right:8.3f}  {log_loss(y_test, probabilities):8.3f}")
