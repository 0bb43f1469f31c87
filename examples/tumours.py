"""Is a breast tumour malignant? Fit, look at the network, explain the doubtful cases, save the model.

python examples/tumours.py
"""

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

import bayleaf as bl

bunch = load_breast_cancer()
X = pl.DataFrame(bunch.data, schema=list(bunch.feature_names))
y = pl.Series("diagnosis", bunch.target_names[bunch.target])
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

# A few imaginary rows in each table: with 400 patients, many configurations are rare.
model = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(ess=10)).fit(X_train, y_train)
print(model.network_)
print(
    confusion_matrix(y_test, model.predict(X_test), labels=model.classes_), "rows: actual, columns: predicted"
)

# Missing a malignant tumour is worse than a false alarm: decide by cost, not by 50 %.
malignant = model.predict_proba(X_test)[:, list(model.classes_).index("malignant")]
alarm = malignant > 1 / 11  # a miss costs ten false alarms
missed = int(np.sum(~alarm & (y_test.to_numpy() == "malignant")))
print(f"With a miss ten times as bad as a false alarm: {alarm.sum()} alarms, {missed} missed")

# The most doubtful patient, and the evidence for and against.
doubtful = int(np.abs(malignant - 0.5).argmin())
reasons = model.explain(X_test[[doubtful]], target="malignant", against="benign").to_frame()
print(f"\nP(malignant) = {malignant[doubtful]:.3f}; the strongest evidence (log-odds):")
for name, value, weight in (
    reasons.sort(pl.col("evidence").abs(), descending=True)
    .head(6)
    .select("feature", "value", "evidence")
    .rows()
):
    print(f"  {weight:+.2f}  {name} {value}")

path = Path("tumours.bayleaf.json")
model.save(path)
assert (bl.load(path).predict_proba(X_test) == model.predict_proba(X_test)).all()
print(f"\nSaved to {path}; 'bayleaf show {path}' prints the network.")
