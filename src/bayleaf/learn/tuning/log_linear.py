"""The log-linear pool: one weight per member, not negative, by the conditional likelihood of the classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bayleaf._native import _core

from .held_out import FloatArray, Target

# Scores of each member, row and class, as float32 or float64.
MemberScores = NDArray[Any]


@dataclass(frozen=True)
class PoolWeights:
    """What each member of a pool counts, and what each class is given beforehand.

    Examples
    --------
    >>> scores = np.log([[[0.2, 0.8]], [[0.5, 0.5]]])
    >>> np.exp(PoolWeights(np.array([1.0, 0.0]), np.zeros(2)).scores(scores))
    array([[0.2, 0.8]])
    """

    weights: FloatArray
    bias: FloatArray

    def scores(self, members: MemberScores, n_jobs: int | None = None) -> FloatArray:
        """Return bias + sum over members of weight * score, [row, class], from scores [member, row, class]."""
        out = np.empty(members.shape[1:])
        _core.pool_scores(members, self.weights, self.bias, out, n_jobs)
        return out


def fit_weights(
    members: MemberScores,
    target: Target,
    centre: FloatArray,
    *,
    penalty: float = 0.1,
    bias_penalty: float | None = None,
    sample_weight: FloatArray | None = None,
    doubt: FloatArray | None = None,
    start: PoolWeights | None = None,
    max_iter: int = 200,
    n_jobs: int | None = None,
) -> PoolWeights:
    """Find the weights w >= 0 and the bias b that fit the classes of rows best.

    They maximise sum over rows of log softmax(b + sum over m of w_m S_m)[own class]
    - penalty / 2 |w - centre|^2 - bias_penalty / 2 |b|^2, by L-BFGS-B.

    Parameters
    ----------
    members : float32 or float64 array of shape (members, rows, classes)
        The scores S_m: out-of-sample log-likelihoods of the rows, for instance.
    target : int32 array of shape (rows,)
        The class of each row.
    centre : array of shape (members,)
        What the weights are drawn to.
    penalty, bias_penalty : float
        How strongly; the same for both by default.
    sample_weight : array of shape (rows,), optional
    doubt : array of shape (classes,), optional
        See `doubt_about`.
    start : PoolWeights, optional
        Where the search begins; by default at the centre.
    max_iter : int, default=200
        Iterations at most.
    n_jobs : int, optional

    Examples
    --------
    >>> scores = np.log([[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.5, 0.5]]])
    >>> found = fit_weights(scores, np.array([0, 1], dtype=np.int32), np.full(2, 0.5))
    >>> found.weights.round(2)
    array([1.81, 0.5 ])
    """
    count, rows, classes = members.shape
    bias_pull = penalty if bias_penalty is None else bias_penalty
    total = max(float(rows if sample_weight is None else sample_weight.sum()), 1.0)
    begin = PoolWeights(centre, np.zeros(classes)) if start is None else start

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        gradient = np.empty_like(parameters)
        weights, bias = parameters[:count], parameters[count:]
        value = _core.pool_loss(
            members, target, sample_weight, doubt, weights, bias, gradient[:count], gradient[count:], n_jobs
        )
        away = weights - centre
        value += 0.5 * penalty * float(away @ away) + 0.5 * bias_pull * float(bias @ bias)
        gradient[:count] += penalty * away
        gradient[count:] += bias_pull * bias
        return value / total, gradient / total

    found = minimize(
        loss,
        np.concatenate([begin.weights, begin.bias]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * count + [(None, None)] * classes,
        options={"maxiter": max_iter, "maxfun": 5 * max_iter, "ftol": 1e-9, "gtol": 1e-6},
    )
    return PoolWeights(np.asarray(found.x[:count]), np.asarray(found.x[count:]))
