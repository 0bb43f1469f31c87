"""How good a model is for groups of rows, and at other thresholds than its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl

from .intervals import wilson_interval
from .outcome import Outcome

# Thresholds 0, 0.005, ..., 1 at which hits and false alarms are counted.
THRESHOLDS = 200
COUNTS = ("rows", "right", "positives", "hits", "negatives", "alarms")


def rarest_class(outcome: Outcome) -> int:
    """Return the class of the fewest rows among those that have any; of equals the last.

    Examples
    --------
    >>> rarest_class(Outcome.of(["no", "no", "yes"], ["no", "yes"], predicted=["no"] * 3))
    1
    """
    counts = np.bincount(outcome.truth, minlength=len(outcome.labels))
    present = np.flatnonzero(counts)
    return int(present[::-1][counts[present[::-1]].argmin()])


def group_counts(
    outcome: Outcome, groups: NDArray[np.int64], n_groups: int, positive: int
) -> NDArray[np.int64]:
    """Count the rows of each group: all, right, and for one class against the rest (see `COUNTS`).

    ``groups`` are numbers from 0; rows of negative numbers are left out.
    """
    is_class, called = outcome.truth == positive, outcome.predicted == positive
    parts = (
        np.ones(len(groups), dtype=bool),
        outcome.truth == outcome.predicted,
        is_class,
        is_class & called,
        ~is_class,
        ~is_class & called,
    )
    counted = groups >= 0
    columns = [np.bincount(groups[counted & part], minlength=n_groups) for part in parts]
    return np.column_stack(columns)


def group_table(outcome: Outcome, groups: Sequence[Any], positive: Any = None) -> pl.DataFrame:
    """Tabulate how good a model is for groups of rows, with Wilson's 95% intervals.

    Parameters
    ----------
    outcome : Outcome
        Truth and predictions.
    groups : sequence
        The group of each row, such as a column of the data; None where it is not known.
    positive : class label, optional
        The class whose recall and false alarms are counted; by default the rarest one.

    Returns
    -------
    polars.DataFrame
        A line for each group: ``group``, ``rows``, ``accuracy``, ``recall`` (of the rows of the class, the share that
        is called so) and ``false_alarms`` (of the other rows, the share that is), each with ``_low`` and ``_high``;
        null where there is nothing to count.

    Examples
    --------
    >>> outcome = Outcome.of(["no", "yes", "no", "yes"], ["no", "yes"], predicted=["no", "yes", "yes", "yes"])
    >>> group_table(outcome, ["f", "f", "m", "m"], "yes")["group", "rows", "accuracy", "false_alarms"].rows()
    [('f', 2, 1.0, 0.0), ('m', 2, 0.5, 1.0)]
    """
    values = list(groups)
    if len(values) != len(outcome.truth):
        raise ValueError(f"There are {len(outcome.truth):,} rows, and groups of {len(values):,}.")
    if positive is not None and positive not in outcome.labels:
        raise ValueError(f"There is no class {positive!r}; there are {', '.join(map(str, outcome.labels))}.")
    labels = sorted(
        {value for value in values if value is not None}, key=lambda value: (str(type(value)), value)
    )
    place = {label: k for k, label in enumerate(labels)}
    codes = np.array([place.get(value, -1) for value in values], dtype=np.int64)
    chosen = rarest_class(outcome) if positive is None else outcome.labels.index(positive)
    lines = []
    for label, counts in zip(labels, group_counts(outcome, codes, len(labels), chosen).tolist(), strict=True):
        rows, right, positives, hits, negatives, alarms = counts
        line: dict[str, Any] = {"group": label, "rows": rows}
        for name, part, whole in (
            ("accuracy", right, rows),
            ("recall", hits, positives),
            ("false_alarms", alarms, negatives),
        ):
            low, high = wilson_interval(part / whole, whole) if whole else (None, None)
            line |= {name: part / whole if whole else None, f"{name}_low": low, f"{name}_high": high}
        lines.append(line)
    return pl.DataFrame(lines)


def threshold_counts(outcome: Outcome, positive: int) -> dict[str, list[int]]:
    """Count hits and false alarms of one class where it is decided for from a probability on: 0, 0.005, ..., 1.

    Examples
    --------
    >>> outcome = Outcome.of(["no", "yes"], ["no", "yes"], probabilities=[[0.9, 0.1], [0.6, 0.4]])
    >>> counts = threshold_counts(outcome, 1)
    >>> counts["hits"][80], counts["hits"][81], counts["alarms"][20]
    (1, 0, 1)
    """
    score = np.asarray(outcome.probabilities)[:, positive]
    is_class = outcome.truth == positive
    grid = np.arange(THRESHOLDS + 1) / THRESHOLDS
    return {
        name: (part.sum() - np.searchsorted(np.sort(score[part]), grid, side="left")).tolist()
        for name, part in (("hits", is_class), ("alarms", ~is_class))
    }
