"""From log-joints to posteriors and decisions, and what a wrong decision costs; ties are broken in one way only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from bayleaf._native import _core
from bayleaf._util.words import listing

# Posteriors that differ by less, relative to the larger, are equal on paper.
EQUAL = 1e-10
# Probabilities may be larger than one by so much: someone else may have rounded them.
ROUNDING = 1e-6
# The prior of a class with parents is a sum, with rounding errors of its own.
PRIOR_DECIMALS = 12


def posteriors(
    log_joint: NDArray[np.float64], prior: NDArray[np.float64], n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Normalise log-joints per row; a row that is impossible under every class gets the prior."""
    out = np.empty_like(log_joint)
    _core.normalize_rows(log_joint, prior, out, n_jobs)
    return out


def log_posteriors(log_joint: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithm of `posteriors`, exact where probabilities underflow."""
    impossible = np.isneginf(log_joint).all(axis=1, keepdims=True)
    possible = np.where(impossible, np.log(prior), log_joint)
    result: NDArray[np.float64] = possible - logsumexp(possible, axis=1, keepdims=True)
    return result


def best_class(
    posterior: NDArray[np.float64], prior: NDArray[np.float64], costs: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Choose a class for each row: the `cheapest` where decisions have costs, otherwise the `most_probable`."""
    posterior = as_posteriors(posterior, len(prior))
    return most_probable(posterior, prior) if costs is None else cheapest(posterior, costs, prior)


def as_posteriors(given: object, classes: int) -> NDArray[np.float64]:
    """Return probabilities as an array, and refuse anything else."""
    array = np.asarray(given)
    fits = array.ndim == 2 and array.shape[1] == classes and array.dtype.kind in "fiub"
    if not fits or (array.size and not (array.min() >= 0.0 and array.max() <= 1.0 + ROUNDING)):
        raise ValueError(
            f"decide takes probabilities as predict_proba returns them, {classes} in each row; got other values "
            f"({type(given).__name__} of shape {array.shape}). For rows of data use predict."
        )
    return array.astype(np.float64, copy=False)


def most_probable(posterior: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose the most probable class of each row; ties go to the larger prior, then to the first class.

    Products of the same size but of different factors differ by rounding errors: they count as equal, as they do
    for the scores that a search maximises.
    """
    largest = posterior.max(axis=1, keepdims=True)
    return _preferred(posterior >= largest * (1.0 - EQUAL), prior)


def cheapest(
    posterior: NDArray[np.float64], cost: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Choose the class with the smallest expected cost; ties go to the larger prior, then to the first class.

    ``cost`` is [true class, decision].
    """
    risk = posterior @ cost
    smallest = risk.min(axis=1, keepdims=True)
    # Expected costs that are equal on paper differ by rounding errors.
    equal = risk <= smallest + 1e-12 * np.abs(smallest) + 1e-15
    return _preferred(equal, prior)


def _preferred(candidates: NDArray[np.bool_], prior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the candidate with the largest prior in each row; ties go to the first."""
    first: NDArray[np.int64] = candidates.argmax(axis=1)
    ties = candidates.sum(axis=1) > 1
    if ties.any():
        first[ties] = np.where(candidates[ties], prior.round(PRIOR_DECIMALS), -1.0).argmax(axis=1)
    return first


Labels = list[Any] | None


def is_frame(loss: Any) -> bool:
    """Whether costs came as a DataFrame of any library."""
    try:
        return isinstance(nw.from_native(loss, pass_through=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        return True


def in_class_order(loss: Any, labels: Sequence[Any], owner: str) -> NDArray[Any]:
    """Return a DataFrame of costs as a matrix, its rows (true classes) and columns (decisions) in class order.

    Rows are labelled by an index, or by a first column of class labels; a table without labels is in order already.
    Columns that are more or fewer than the classes are decisions of their own, and stay as they are.
    """
    matrix, rows, columns = _parts(loss, labels, owner)
    if matrix.shape[0] != len(labels):
        return matrix  # the caller refuses its shape
    by_row = _positions(rows, labels, "rows", owner)
    if matrix.shape[1] != len(labels):
        return matrix if by_row is None else matrix[by_row]
    by_column = _positions(columns, labels, "columns", owner)
    as_given = list(range(len(labels)))
    if (by_row is None or by_column is None) and (by_row or by_column or as_given) != as_given:
        known, bare = ("columns", "rows") if by_row is None else ("rows", "columns")
        raise ValueError(
            f"The 'loss' parameter of {owner} has labelled {known} in another order than the classes, "
            f"{list(labels)}, and {bare} without labels. Label rows by the true class (in the index, or in a "
            "first column) and columns by the decision."
        )
    return matrix[np.ix_(by_row or as_given, by_column or as_given)]


def _parts(loss: Any, labels: Sequence[Any], owner: str) -> tuple[NDArray[Any], Labels, Labels]:
    """Numbers, labels of the rows and labels of the columns; None for labels that only count."""
    try:
        frame = nw.from_native(loss, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise ValueError(f"The 'loss' parameter of {owner} has columns of the same name.") from None
    columns = list(frame.columns)
    index = nw.maybe_get_index(frame)
    rows: Labels = None if index is None else list(index)
    first = frame[:, 0].to_list() if columns else []
    if _order(columns[1:], labels) is not None and _order(first, labels) is not None:
        frame, rows, columns = frame[:, 1:], first, columns[1:]
    numbers = frame.to_numpy()
    counting = [[*range(k)] for k in numbers.shape] + [[f"column_{k}" for k in range(len(columns))]]
    given: list[Labels] = [rows, columns]
    named = [None if each in counting and _order(each, labels) is None else each for each in given]
    return numbers, named[0], named[1]


def _positions(given: Labels, labels: Sequence[Any], what: str, owner: str) -> list[int] | None:
    """Where each class stands among the labels given; None where none are."""
    found = None if given is None else _order(given, labels)
    if given is not None and found is None:
        raise ValueError(
            f"The 'loss' parameter of {owner} has {what} labelled {given}, but the classes are {list(labels)}. Label "
            "rows by the true class and columns by the decision, or give a plain matrix in the order of the classes."
        )
    return found


def _order(given: Labels, labels: Sequence[Any]) -> list[int] | None:
    """Where each class stands among the labels given, if they are the classes; names may be the classes' text."""
    if given is None or len(given) != len(labels):
        return None
    for spelled in (given, [str(label) for label in given]):
        wanted = labels if spelled is given else [str(label) for label in labels]
        if all(spelled.count(label) == 1 for label in wanted):
            return [spelled.index(label) for label in wanted]
    return None


def by_names(
    loss: Mapping[Any, Mapping[Any, float]], labels: Sequence[Any], owner: str
) -> NDArray[np.float64]:
    """Return costs given as {true class: {decision: cost}} as a matrix; a mistake that is not named costs one."""
    matrix = 1.0 - np.eye(len(labels))
    places = {label: place for place, label in enumerate(labels)}
    for truth, costs in loss.items():
        if not isinstance(costs, Mapping):
            raise ValueError(
                f"The 'loss' parameter of {owner} must give, for each true class, what decisions cost, as in "
                f"{{{labels[-1]!r}: {{{labels[0]!r}: 10}}}}. Got {costs!r} for {truth!r}."
            )
        for decision, cost in costs.items():
            for label in (truth, decision):
                if label not in places:
                    raise ValueError(
                        f"The 'loss' parameter of {owner} names {label!r}, but the classes are {list(labels)}."
                    )
            matrix[places[truth], places[decision]] = cost
    return matrix


# A matrix [true class, decision] in the order of the labels, a DataFrame labelled by them, a dict of names, or a
# function of two labels.
LossLike = ArrayLike | Mapping[Any, Mapping[Any, float]] | Callable[[Any, Any], float]


def cost_matrix(loss: LossLike, labels: Sequence[Any], owner: str) -> NDArray[np.float64]:
    """Return costs as a matrix [true class, decision]."""
    if is_frame(loss):
        loss = in_class_order(loss, labels, owner)
    elif isinstance(loss, Mapping):
        loss = by_names(loss, labels, owner)
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


# How many costs a line of text has room for.
MOST_COSTS = 12


def costs_in_words(costs: Any, labels: Sequence[object]) -> str:
    """List what mistakes cost, [true class, decision], as far as there is room.

    Examples
    --------
    >>> costs_in_words([[0, 1], [20, 0]], ["sick", "well"])
    'sick predicted as well: 1, well predicted as sick: 20'
    """
    mistakes = [
        f"{truth} predicted as {decision}: {cost:g}"
        for truth, row in zip(labels, costs, strict=True)
        for decision, cost in zip(labels, row, strict=True)
        if decision != truth or cost
    ]
    return listing(mistakes, MOST_COSTS)


def class_costs(loss: LossLike, labels: Sequence[Any], owner: str) -> NDArray[np.float64]:
    """Return costs whose decisions are classes: one column per class."""
    costs = cost_matrix(loss, labels, owner)
    if costs.shape[1] != len(labels):
        raise ValueError(
            f"The 'loss' parameter of {owner} must have one column per class ({len(labels)}), because predict "
            f"returns classes. Got {costs.shape[1]} columns."
        )
    return costs
