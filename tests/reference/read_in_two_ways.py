"""Models that read their graph in two ways, by tables and weights that are drawn at random, not learned."""

import numpy as np
import polars as pl

from bayleaf.network import BayesNet
from bayleaf.network.member import KNOTS, BackedOff, EvidenceTables, GapCaution, TwoReadings


def read_in_two_ways(model, rng, usual=None):
    """Let a fitted model of one network predict by two readings of its graph; return it."""
    network, target = model.network_, len(model.network_.nodes) - 1
    arities = [variable.arity for variable in network.variables]
    readings = [BayesNet(network.variables, network.dag, drawn(network, rng), network.target) for _ in "12"]
    backed_off = {}
    for node, parents in enumerate(network.dag.parent_indices):
        others = [parent for parent in parents if parent != target]
        if target in parents and others:
            order = rng.permutation(others).tolist()
            scores = [
                rng.normal(size=[*(arities[j] for j in order[:known]), arities[node], arities[target]])
                for known in range(len(order))
            ]
            backed_off[node] = BackedOff(tuple(order), tuple(scores))
    weights = np.zeros((2, len(KNOTS)))
    weights[0, 0], weights[:, 1:-1] = 1.0, rng.random((2, len(KNOTS) - 2))
    weights[1, 1:-1] *= rng.random(len(KNOTS) - 2) < 0.7  # in some rows the network counts nothing
    caution = GapCaution(int(rng.integers(3)) if usual is None else usual, weights)
    predictor = TwoReadings(readings[0], EvidenceTables(readings[1], backed_off), caution)
    model._set_network(readings[0], predictor)
    return model


def drawn(network, rng):
    """Tables without a zero; a class without parents."""
    return [rng.dirichlet(np.full(table.shape[-1], 2.0), table.shape[:-1]) for table in network.tables]


def forest(names, rng):
    """Arcs by which each feature has one other for a parent at most, and most of them the class."""
    order = rng.permutation(len(names))
    arcs = [
        (names[order[rng.integers(k)]], names[node])
        for k, node in enumerate(order)
        if k and rng.random() < 0.8
    ]
    return arcs + [("class", name) for name in names if rng.random() < 0.7]


def unanswered(model, rows):
    """Which rows have a gap that others depend on, where the network counts: some, but not all with gaps."""
    gaps, caution = rows.select(pl.all().is_null()).to_numpy(), model._predictor.gap_caution
    of_network = caution.of_share(caution.share(gaps.sum(axis=1), rows.width))[1]
    inner = gaps[:, [bool(model.network_.children(name)) for name in rows.columns]].any(axis=1)
    found = inner & (of_network > 0)
    assert 0 < found.sum() < inner.sum()
    return found
