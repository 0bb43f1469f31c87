"""Probabilities the slow way: columns one by one, every log-joint by itself, then normalised."""

import numpy as np

from bayleaf.data import encode
from bayleaf.network.decisions import best_class, posteriors


def slow_log_joint(model, X):
    """Log-joints of a classifier of one network, by the general way in."""
    table = encode(model.schema_, X, unknown=model.unknown, n_jobs=1).select(model._member.columns)
    return model._predictor.log_joint(table, table.n_variables, 1)


def slow_posteriors(model, X):
    """Posteriors of a classifier of one network, or of an ensemble, member by member."""
    if not hasattr(model, "estimators_"):
        return posteriors(slow_log_joint(model, X), model._prior, 1)
    total = 0
    for member in model.estimators_:
        member.unknown = model._settings().unknown
        posterior = slow_posteriors(member, X)
        if model.vote == "majority":
            chosen = best_class(posterior, member._prior, member._costs())
            posterior = np.eye(len(model.classes_))[chosen]
        total = total + posterior
    found = total / len(model.estimators_)
    if model.vote == "average":  # nothing is known of a row without values
        table = model.encode(X)
        telling = [j for j, variable in enumerate(table.variables) if variable.arity > 1]
        found[(table.codes[:, telling] == table.missing_code).all(axis=1)] = model._prior
    return found
