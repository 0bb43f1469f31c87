"""Divergence of class posteriors against the definition."""

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.data import Variable
from bayleaf.network import divergence

VARIABLES = [Variable("a", ("0", "1")), Variable("b", ("0", "1", "2")), Variable("c", ("0", "1"))]


def network(seed, arcs):
    rng = np.random.default_rng(seed)
    dag = bl.DAG(["a", "b", "c"], arcs)
    arities = [2, 3, 2]
    tables = [
        rng.dirichlet(np.ones(arities[node]), size=[arities[j] for j in parents])
        for node, parents in enumerate(dag.parent_indices)
    ]
    return bl.BayesNet(VARIABLES, dag, tables, "c")


def by_definition(p, q):
    total = 0.0
    for a in ("0", "1"):
        for b in ("0", "1", "2"):
            evidence = {"a": a, "b": b}
            one, other = p.posterior("c", evidence), q.posterior("c", evidence)
            weight = p.posterior("a")[a] * p.posterior("b", {"a": a})[b]
            total += weight * sum(one[c] * np.log(one[c] / other[c]) for c in one)
    return total


def test_equals_the_definition():
    p, q = network(0, [("a", "c"), ("b", "c")]), network(1, [("c", "a"), ("c", "b"), ("a", "b")])
    assert bl.network.posterior_divergence(p, q, "c") == pytest.approx(by_definition(p, q))
    assert bl.network.posterior_divergence(q, p, "c") == pytest.approx(by_definition(q, p))
    assert bl.network.posterior_divergence(p, p, "c") == 0.0


def test_sampling_comes_close(monkeypatch):
    p, q = network(0, [("a", "c"), ("b", "c")]), network(1, [("c", "a"), ("c", "b")])
    monkeypatch.setattr(divergence, "EXACT_CONFIGURATIONS", 1)
    assert bl.network.posterior_divergence(p, q, "c") == pytest.approx(by_definition(p, q), rel=0.05)


def test_other_variables_are_refused():
    p = network(0, [])
    q = bl.BayesNet(VARIABLES[:1], bl.DAG(["a"]), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="not over the same variables"):
        bl.network.posterior_divergence(p, q, "c")
