"""Where a model fails: groups of rows, by one or two features, that it predicts worse than chance would explain."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# Groups of fewer rows are not looked at, nor are values of features with more states.
FEWEST_ROWS = 10
MOST_STATES = 24
# Of more features than this, only those whose own groups stand out most are looked at in pairs.
PAIRED = 20
MOST_ROWS = 4_000
SHUFFLES = 200
LEVEL = 0.05
# A pair is listed where it is so much worse than the group of each of its features alone.
WORSE = 1.25
MOST_GROUPS = 5
STILL = 0.5  # of its excess must remain without the rows of groups that are listed before


@dataclass(frozen=True)
class WeakGroup:
    """Rows with some states of one or two features, and their mean loss."""

    states: tuple[tuple[int, int], ...]  # feature and code
    rows: NDArray[np.int64]
    loss: float
    p: float  # corrected for all groups that were looked at


@dataclass(frozen=True)
class WeakGroups:
    """Groups whose loss is beyond chance, the clearest first, and how many groups were looked at."""

    groups: tuple[WeakGroup, ...]
    looked_at: int
    loss: float  # of all rows


def weak_groups(
    losses: NDArray[np.float64], codes: NDArray[np.int32], least: float = 0.0, random_state: int = 0
) -> WeakGroups:
    """Find groups of rows, by the states of one or two features, with a larger mean loss than all rows.

    How far a group stands out is z = (mean loss of its n rows - mean loss of all N) / (s sqrt((1/n)(1 - n/N))).
    Losses are shuffled among the rows, and p is the share of shuffles in which *any* group stands out as far: it is
    corrected for all groups that were looked at, however much they overlap.

    Parameters
    ----------
    losses : ndarray of shape (n_rows,)
        The loss of each row, such as its part of the Brier score.
    codes : ndarray of int of shape (n_rows, n_features)
        States; -1, missing, is one of them.
    least : float, default=0.0
        How much larger than that of all rows the loss of a group must be to matter.
    random_state : int

    References
    ----------
    Westfall, P. H. and Young, S. S. (1993). Resampling-based multiple testing. Wiley.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(0, 3, (600, 4), dtype=np.int32)
    >>> losses = rng.random(600) + (codes[:, 1] == 2)
    >>> found = weak_groups(losses, codes)
    >>> [group.states for group in found.groups], found.looked_at
    ([((1, 2),)], 66)
    """
    rng = np.random.default_rng(random_state)
    if len(losses) > MOST_ROWS:
        chosen = np.sort(rng.choice(len(losses), MOST_ROWS, replace=False))
        found = weak_groups(losses[chosen], codes[chosen], least, random_state)
        groups = tuple(_of_all_rows(group, losses, codes) for group in found.groups)
        return WeakGroups(groups, found.looked_at, float(losses.mean()))
    n = len(losses)
    spread = float(losses.std())
    singles = [part for feature in range(codes.shape[1]) for part in _groups_of(codes, (feature,))]
    if n < 2 * FEWEST_ROWS or spread == 0.0 or not singles:
        return WeakGroups((), 0, float(losses.mean()) if n else 0.0)
    z = _standing_out(singles, losses[:, None], spread)[:, 0]
    paired = _paired_features(singles, z)
    every = singles + [part for pair in combinations(paired, 2) for part in _groups_of(codes, pair)]
    shuffled = np.column_stack([losses, *(rng.permutation(losses) for _ in range(SHUFFLES))])
    scores = _standing_out(every, shuffled, spread)
    largest = scores[:, 1:].max(axis=0)
    p = (1 + (largest[None, :] >= scores[:, :1]).sum(axis=1)) / (1 + SHUFFLES)
    order = np.argsort(-scores[:, 0], kind="stable").tolist()
    beyond = [
        WeakGroup(states, rows, float(losses[rows].mean()), float(p[k]))
        for k, (states, rows) in ((k, every[k]) for k in order)
        if p[k] <= LEVEL and losses[rows].mean() - losses.mean() >= least
    ]
    means = {states: float(losses[rows].mean()) for states, rows in singles}
    return WeakGroups(
        tuple(_distinct(beyond, means, losses)),
        len(every),
        float(losses.mean()),
    )


Part = tuple[tuple[tuple[int, int], ...], NDArray[np.int64]]


def _groups_of(codes: NDArray[np.int32], features: tuple[int, ...]) -> list[Part]:
    """Return the groups of rows by the states of some features: their states and rows."""
    columns = [np.unique(codes[:, feature], return_inverse=True) for feature in features]
    if any(not 1 < len(states) <= MOST_STATES for states, _ in columns):
        return []
    cells = np.ravel_multi_index(
        tuple(places for _, places in columns), tuple(len(states) for states, _ in columns)
    )
    order = np.argsort(cells, kind="stable")
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    groups = []
    for rows in np.split(order, starts[1:]):
        if FEWEST_ROWS <= len(rows) < len(codes):
            states = tuple((feature, int(codes[rows[0], feature])) for feature in features)
            groups.append((states, np.sort(rows)))
    return groups


def _standing_out(groups: Sequence[Part], losses: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    """Return z of each group for each column of losses, all of which have the same mean and spread."""
    n = len(losses)
    sizes = np.array([len(rows) for _, rows in groups])
    places = np.concatenate([rows for _, rows in groups])
    membership = csr_array((np.ones(len(places)), places, np.append(0, np.cumsum(sizes))), (len(groups), n))
    means = (membership @ losses) / sizes[:, None]
    scores: NDArray[np.float64] = (means - losses.mean(axis=0)) / (
        spread * np.sqrt((1 / sizes) * (1 - sizes / n))
    )[:, None]
    return scores


def _paired_features(singles: Sequence[Part], z: NDArray[np.float64]) -> list[int]:
    largest: dict[int, float] = {}
    for (states, _), score in zip(singles, z.tolist(), strict=True):
        feature = states[0][0]
        largest[feature] = max(largest.get(feature, -np.inf), score)
    return sorted(sorted(largest, key=lambda feature: -largest[feature])[:PAIRED])


def _distinct(
    groups: Sequence[WeakGroup], means: dict[tuple[tuple[int, int], ...], float], losses: NDArray[np.float64]
) -> list[WeakGroup]:
    """Leave out pairs that are hardly worse than a state alone, and groups that are worse by rows listed already."""
    mean = float(losses.mean())
    kept: list[WeakGroup] = []
    listed = np.zeros(len(losses), dtype=bool)
    for group in groups:
        alone = max(means.get((state,), mean) - mean for state in group.states)
        if len(group.states) > 1 and group.loss - mean < WORSE * alone:
            continue
        others = group.rows[~listed[group.rows]]
        if len(others) and losses[others].mean() - mean >= STILL * (group.loss - mean):
            kept.append(group)
            listed[group.rows] = True
        if len(kept) == MOST_GROUPS:
            break
    return kept


def _of_all_rows(group: WeakGroup, losses: NDArray[np.float64], codes: NDArray[np.int32]) -> WeakGroup:
    rows = np.flatnonzero(np.all([codes[:, feature] == state for feature, state in group.states], axis=0))
    return WeakGroup(group.states, rows, float(losses[rows].mean()), group.p)
