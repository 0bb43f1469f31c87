"""The weight of evidence of every feature in every row; see `bayleaf.explain.evidence` for what it is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.network import BayesNet
from bayleaf.network.decision import Predictor


@dataclass(frozen=True)
class Pair:
    """The two classes that are compared in each row."""

    chosen: NDArray[np.int64]
    other: NDArray[np.int64]

    def odds(self, joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of the two, from log-joints of every row and class."""
        rows = np.arange(len(joint))
        with np.errstate(invalid="ignore"):  # rows of no class, which get no evidence
            difference: NDArray[np.float64] = joint[rows, self.chosen] - joint[rows, self.other]
        return difference

    def between(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores [row, feature, class but the first] of the chosen class less those of the other.

        The first class has zeros.
        """
        rows = np.arange(len(scores))
        padded = np.concatenate([np.zeros((*scores.shape[:-1], 1)), scores], axis=-1)
        between: NDArray[np.float64] = padded[rows, :, self.chosen] - padded[rows, :, self.other]
        return between

    def impossible(self, joint: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows have probability zero under both."""
        rows = np.arange(len(joint))
        both: NDArray[np.bool_] = np.isneginf(joint[rows, self.chosen]) & np.isneginf(joint[rows, self.other])
        return both

    def take(self, rows: NDArray[np.bool_]) -> "Pair":
        """Return the pairs of some rows."""
        return Pair(self.chosen[rows], self.other[rows])


def weigh(
    network: Predictor, table: Table, pair: Pair, no_class: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evidence of every row and feature, and the log-odds before any feature is seen."""
    query = len(network.nodes) - 1
    if not isinstance(network, BayesNet) or network.dag.parent_indices[query]:
        return _weigh_by_hiding(network, table, pair, no_class)
    complete = table.complete_rows()
    if complete.all():
        return _weigh_by_tables(network, table, pair, no_class)
    evidence, before_any = np.empty((table.n_rows, query)), np.empty(table.n_rows)
    for rows, weigh in ((complete, _weigh_by_tables), (~complete, _weigh_by_hiding)):
        if rows.any():
            found = weigh(network, table.take(rows), pair.take(rows), no_class[rows])
            evidence[rows], before_any[rows] = found
    return evidence, before_any


def _weigh_by_tables(
    network: BayesNet, table: Table, pair: Pair, no_class: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Complete rows of a network whose class has no parents: the tables hold the weights of evidence."""
    query = len(network.nodes) - 1
    compiled = network.compiled(query)
    logs, first = compiled.log_tables, compiled.table_offsets
    before_any = logs[first[query] + pair.chosen] - logs[first[query] + pair.other]
    evidence = np.zeros((table.n_rows, query), order="F")
    open_rows = np.isfinite(before_any) & ~no_class if np.isneginf(logs).any() or no_class.any() else None
    for node in network.dag.topological_indices:
        if node == query or not compiled.has_query[node]:
            continue
        entries = compiled.positions(node, table.codes)
        with np.errstate(invalid="ignore"):  # rows that are not open any more
            weights = logs[entries + pair.chosen] - logs[entries + pair.other]
        if open_rows is None:
            evidence[:, node] = weights
        else:
            evidence[open_rows, node] = weights[open_rows]
            open_rows &= np.isfinite(weights)
    return evidence, before_any


def _weigh_by_hiding(
    network: Predictor, table: Table, pair: Pair, no_class: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Any rows of any network: features are shown one by one, and all others summed out."""
    query = len(network.nodes) - 1
    evidence = np.zeros((table.n_rows, query))
    unseen = list(range(query))
    before = before_any = pair.odds(network.log_joint(table.hide(unseen), query, table.n_jobs))
    for node in network.dag.topological_indices:
        if node == query:
            continue
        unseen.remove(node)
        after = pair.odds(network.log_joint(table.hide(unseen), query, table.n_jobs))
        open_rows = np.isfinite(before) & ~no_class
        evidence[open_rows, node] = after[open_rows] - before[open_rows]
        before = after
    return evidence, before_any
