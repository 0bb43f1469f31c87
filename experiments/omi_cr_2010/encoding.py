"""Training rows as structure learners see them: categories and intervals as codes, the class last."""

from typing import Any

import numpy as np

import bayleaf as bl
import datafolder


def training_table(X: Any, y: Any, **settings: Any) -> bl.data.Table:
    """Encode rows by the categories and the cut points that they give."""
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet(), **{**datafolder.BY_MDLP, **settings}).fit(
        X, y
    )
    features = model.encode(X)
    classes = np.searchsorted(model.classes_, np.asarray(y))
    variables = (*features.variables, model.schema_.target)
    return bl.data.Table.from_codes(
        variables, np.column_stack([features.codes, classes]), target=len(variables) - 1
    )
