"""What a wrong decision costs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# A matrix [true class, decision] in the order of the class labels, or a function of both labels.
LossLike = ArrayLike | Callable[[Any, Any], float]


def cost_matrix(loss: LossLike, labels: Sequence[Any], owner: str) -> NDArray[np.float64]:
    """Return costs as a matrix [true class, decision].

    Examples
    --------
    >>> cost_matrix(lambda truth, decision: abs(truth - decision), (0, 1), "score")
    array([[0., 1.], [1., 0.]])
    """
    try:
        costs: Any = (
            [[loss(truth, chosen) for chosen in labels] for truth in labels] if callable(loss) else loss
        )
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The 'loss' parameter of {owner} must be a matrix of numbers, its rows equally long, or a function of "
            f"two labels that returns a number. Got {loss!r}."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != len(labels) or matrix.shape[1] == 0:
        raise ValueError(
            f"The 'loss' parameter of {owner} must be a matrix with one row per class ({len(labels)}) and one column "
            f"per decision. Got shape {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise ValueError(f"The 'loss' parameter of {owner} has entries that are not finite numbers.")
    if (matrix == matrix[:, :1]).all():
        what = "costs the same for every decision" if matrix.any() else "is all zero"
        raise ValueError(
            f"The 'loss' parameter of {owner} {what}: every decision is then as good as any other. Give a wrong "
            "decision a cost."
        )
    if matrix.shape[1] == len(labels):
        _check_mistakes(matrix, labels, owner)
    return matrix


def _check_mistakes(costs: NDArray[np.float64], labels: Sequence[Any], owner: str) -> None:
    """Refuse costs by which a mistake is better than the right decision: they are gains, or in another order."""
    for truth, decision in np.argwhere(costs < costs.diagonal()[:, None]).tolist():
        raise ValueError(
            f"The 'loss' parameter of {owner} rewards a mistake: for the true class {labels[truth]!r}, deciding "
            f"{labels[decision]!r} costs {costs[truth, decision]:g}, less than the right decision, "
            f"{costs[truth, truth]:g}. Give costs, not gains: rows are true classes, columns decisions, in the order "
            f"{list(labels)}."
        )


def class_costs(loss: LossLike, labels: Sequence[Any], owner: str) -> NDArray[np.float64]:
    """Return costs whose decisions are classes: one column per class.

    Examples
    --------
    >>> class_costs([[0, 1], [5, 0]], ["no", "yes"], "BayesNetClassifier")
    array([[0., 1.], [5., 0.]])
    """
    costs = cost_matrix(loss, labels, owner)
    if costs.shape[1] != len(labels):
        raise ValueError(
            f"The 'loss' parameter of {owner} must have one column per class ({len(labels)}), because predict "
            f"returns classes. Got {costs.shape[1]} columns."
        )
    return costs
