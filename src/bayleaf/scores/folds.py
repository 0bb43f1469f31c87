"""Dividing rows for scores that judge each row by tables that do not know it."""

import warnings

import numpy as np
from numpy.typing import NDArray

from bayleaf.table import Table

from .checks import check_judged

NOT_JUDGED = 255


def stratified_folds(table: Table, folds: int, rng: np.random.Generator, owner: str) -> NDArray[np.uint8]:
    """Deal the rows of each class out to the folds, in random order.

    The rows of a class that is smaller than the number of folds go to as many folds as it has rows, with a warning.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes((Variable("c", ("a", "b")),), [[0], [0], [1], [1]], target=0)
    >>> sorted(stratified_folds(table, 2, np.random.default_rng(0), "score")[:2].tolist())
    [0, 1]
    """
    check_judged(table)
    assert table.target is not None
    rows = table.counting_rows
    if folds > len(rows):
        raise ValueError(
            f"{owner}: {folds} folds need at least {folds} rows, and the table has {len(rows)}. Use fewer folds."
        )
    truth = table.codes[rows, table.target]
    sizes = np.bincount(truth)
    smallest = int(sizes[sizes > 0].min())
    if smallest < folds:
        label = table.variables[table.target].states[int(np.flatnonzero(sizes == smallest)[0])]
        has = "1 row" if smallest == 1 else f"{smallest} rows"
        warnings.warn(
            f"{owner}: class {label!r} has {has}, fewer than the {folds} folds; it is missing from "
            f"{folds - smallest} of them.",
            UserWarning,
            stacklevel=4,
        )
    # Dealing goes on from class to class, so that fold sizes differ by one at most.
    shuffled = rng.permutation(len(rows))
    by_class = shuffled[np.argsort(truth[shuffled], kind="stable")]
    fold = np.full(table.n_rows, NOT_JUDGED, dtype=np.uint8)
    fold[rows[by_class]] = np.arange(len(rows)) % folds
    return fold


def holdout(table: Table, fraction: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Mark a stratified random part of the rows as fold 0, the rest as not judged.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes((Variable("c", ("a", "b")),), [[0], [0], [1], [1]], target=0)
    >>> int((holdout(table, 0.5, np.random.default_rng(0)) == 0).sum())
    2
    """
    rows = check_judged(table).counting_rows
    truth = table.codes[rows, table.target]
    if len(rows) < 2:
        raise ValueError(
            f"A hold-out needs at least 2 rows, one to learn from and one to judge: the table has {len(rows)}."
        )
    shuffled = rng.permutation(len(rows))
    by_class = shuffled[np.argsort(truth[shuffled], kind="stable")]
    # Rows at even distances in class order: each class gives its share.
    chosen = min(max(1, round(len(rows) * fraction)), len(rows) - 1)
    positions = (np.arange(chosen) + rng.random()) * len(rows) / chosen
    fold = np.full(table.n_rows, NOT_JUDGED, dtype=np.uint8)
    fold[rows[by_class[positions.astype(np.int64)]]] = 0
    return fold
