"""Orders of the features for order-based search: which features tell most about the class, one after another."""

from collections.abc import Callable, Iterable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.progress import track
from bayleaf.counts import ClassPartition, PairInformation, class_information
from bayleaf.table import Table

# Positions among the features of the table.
Order = list[int]


def omi(table: Table, rng: np.random.Generator) -> Order:
    """Order by mutual information: the best pair by I(C; X, X'), then argmax I(C; X | all chosen)."""
    return _one_by_one(table, _first_pair(table), ClassPartition.information)


def omisp(table: Table, rng: np.random.Generator) -> Order:
    """Order by mutual information given a single parent: argmax over X of max over chosen Y of I(C; X | Y)."""
    given = PairInformation.of(table).class_given_other()
    alone = class_information(table)
    order = _first_pair(table)
    while len(order) < len(alone):
        left = [feature for feature in range(len(alone)) if feature not in order]
        order.append(_first_best(left, given[np.ix_(left, order)].max(axis=1), alone))
    return order


def ocr(table: Table, rng: np.random.Generator) -> Order:
    """Order by classification rate: argmax of the training accuracy of the saturated model P(C, X, chosen)."""
    return _one_by_one(table, [], ClassPartition.accuracy)


def random_order(table: Table, rng: np.random.Generator) -> Order:
    """Shuffle the features."""
    return [int(feature) for feature in rng.permutation(len(table.features))]


def explicit(table: Table, names: Sequence[str]) -> Order:
    """Take the order that the user gives, by names."""
    if not isinstance(names, Iterable) or isinstance(names, Set):  # a set has no order
        raise TypeError(
            f"The 'order' parameter of OrderBased must be one of {', '.join(map(repr, ORDERS))}, or a list of "
            f"feature names. Got {names!r} instead."
        )
    names, features = list(names), [table.names[j] for j in table.features]
    lacking = [name for name in features if name not in names]
    if lacking or len(names) != len(features):
        foreign = [name for name in names if name not in features]
        twice = [name for name in features if names.count(name) > 1]
        found = [
            f"{what} {some[:10]}"
            for what, some in (("it lacks", lacking), ("it has unknown", foreign), ("it repeats", twice))
            if some
        ]
        raise ValueError(
            f"The 'order' parameter of OrderBased must name each feature once: {'; '.join(found)}."
        )
    return [features.index(name) for name in names]


ORDERS: dict[str, Callable[[Table, np.random.Generator], Order]] = {
    "omi": omi,
    "omisp": omisp,
    "ocr": ocr,
    "random": random_order,
}


def _first_pair(table: Table) -> Order:
    """Find the pair that tells most about the class; of the two, the one that tells more alone goes first."""
    alone = class_information(table)
    if len(alone) < 2:
        return list(range(len(alone)))
    together = np.triu(PairInformation.of(table).joint_with_class(), 1)
    one, other = (int(k) for k in np.unravel_index(int(together.argmax()), together.shape))
    if one == other:  # no pair tells anything
        one, other = 0, 1
    return [other, one] if alone[one] < alone[other] else [one, other]


def _one_by_one(
    table: Table,
    order: Order,
    measure: Callable[[ClassPartition, list[int]], NDArray[np.float64]],
) -> Order:
    alone = class_information(table)
    partition = ClassPartition(table)
    for feature in order:
        partition.divide(table.features[feature])
    for _ in track(range(len(alone) - len(order)), "Ordering features"):
        left = [feature for feature in range(len(alone)) if feature not in order]
        values = measure(partition, [table.features[feature] for feature in left])
        order.append(_first_best(left, values, alone))
        partition.divide(table.features[order[-1]])
    return order


def _first_best(left: list[int], values: NDArray[np.float64], alone: NDArray[np.float64]) -> int:
    """Argmax; of equals the feature that tells more about the class alone, then the first."""
    best = max(range(len(left)), key=lambda k: (values[k], alone[left[k]], -left[k]))
    return left[best]
