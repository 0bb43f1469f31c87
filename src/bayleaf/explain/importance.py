"""What each feature tells about the class: alone, beside all others, and by each of its values.

Alone, a feature tells I(C; X) bits. Beside all others it adds, in a row, the divergence of the class probabilities
with its value from those without it, sum over c of P(c | row) log2 (P(c | row) / P(c | row without X)); its mean over
rows drawn from the model tends to the conditional mutual information I(C; X | all others).
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, logsumexp

from bayleaf.data import Table

from .joint_model import JointModel, blocks, information, n_values, with_each_value

COLUMNS = ("feature", "information", "added")
STATE_COLUMNS = ("feature", "state", "class", "share", "rows", "log_odds")


def importance(model: JointModel, rows: Table) -> list[tuple[Any, ...]]:
    """Return a line for each feature, the most telling first (see `COLUMNS`)."""
    alone = _information_alone(model, rows)
    added = information_added(model, rows)
    lines = [(name, alone[j], float(added[j])) for j, name in enumerate(rows.names)]
    return sorted(lines, key=lambda line: -round(line[1], 12))


def _information_alone(model: JointModel, rows: Table) -> list[float]:
    features = list(range(rows.n_variables))
    log_joint = model.log_joint(with_each_value(_empty_row(rows), features, alone=True))
    return [
        information(np.exp(log_joint[block] - logsumexp(log_joint[block])))
        for block in blocks(rows, features)
    ]


def information_added(model: JointModel, rows: Table) -> NDArray[np.float64]:
    """Return what each feature adds to all others, in bits, on average over rows."""
    with_all = model.posteriors(model.log_joint(rows))
    added = np.zeros(rows.n_variables)
    for j in range(rows.n_variables):
        if n_values(rows, j) < 2:
            continue
        without = model.posteriors(model.log_joint(rows.hide([j])))
        possible = (with_all > 0) & (without > 0)  # an impossible row has the prior, which may differ
        ratio = np.divide(with_all, without, out=np.ones_like(without), where=possible)
        added[j] = (with_all * np.log2(ratio)).sum() / rows.n_rows
    return added.clip(min=0.0)


def state_effects(model: JointModel, table: Table, rows: Table | None) -> list[tuple[Any, ...]]:
    """Return a line for each value of each feature and each class (see `STATE_COLUMNS`).

    ``rows`` are counted; without them the counts are null.
    """
    features = list(range(table.n_variables))
    empty = _empty_row(table)
    mean = logit(model.posteriors(model.log_joint(empty))[0])
    log_joint = model.log_joint(with_each_value(empty, features, alone=True))
    labels = [label.item() if isinstance(label, np.generic) else label for label in model.classes]
    lines: list[tuple[Any, ...]] = []
    for j, block in zip(features, blocks(table, features), strict=True):
        evidence = logsumexp(log_joint[block], axis=1)
        share = np.exp(evidence - logsumexp(evidence))
        with np.errstate(divide="ignore", invalid="ignore"):
            effects = logit(model.posteriors(log_joint[block])) - mean
        counts: list[Any] = [None] * len(share)
        if rows is not None:
            counts = np.bincount(rows.codes[:, j], minlength=len(share))[: len(share)].tolist()
        lines += [
            (table.names[j], str(state), label, float(share[s]), counts[s], float(effects[s, c]))
            for s, state in enumerate(table.variables[j].states[: len(share)])
            for c, label in enumerate(labels)
        ]
    return lines


def _empty_row(table: Table) -> Table:
    codes = np.full((1, table.n_variables), table.missing_code, dtype=table.codes.dtype, order="F")
    return replace(table, codes=codes, weights=None)
