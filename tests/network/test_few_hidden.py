"""Rows with a few gaps, summed out by trying all that the gaps may be: against the sum over all complete rows."""

from itertools import product

import numpy as np
import pytest

from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network.council import Council, Member

CLASSES = 3


def random_network(rng, arities):
    """A network whose class, the last node, may have parents and children; some probabilities are zero."""
    names = [f"x{j}" for j in range(len(arities) - 1)] + ["class"]
    order = rng.permutation(len(names))
    arcs = [
        (names[order[i]], names[order[k]]) for k in range(len(names)) for i in range(k) if rng.random() < 0.4
    ]
    dag = DAG(names, arcs)
    tables = []
    for node, parents in enumerate(dag.parent_indices):
        shape = [arities[k] for k in (*parents, node)]
        table = rng.random(shape) * (rng.random(shape) < 0.8) + 1e-3 * (np.arange(shape[-1]) == 0)
        tables.append(table / table.sum(axis=-1, keepdims=True))
    variables = [Variable(name, tuple(map(str, range(n)))) for name, n in zip(names, arities, strict=True)]
    return BayesNet(variables, dag, tables, "class")


def probability(network, states):
    """P of one complete row."""
    result = 1.0
    for node, (parents, table) in enumerate(zip(network.dag.parent_indices, network.tables, strict=True)):
        result *= table[tuple(states[k] for k in (*parents, node))]
    return result


def summed(networks, weights, arities, row):
    """Sum of w_m P_m(c, what is known of the row) over the members, for each class."""
    choices = [range(arity) if state < 0 else [state] for state, arity in zip(row, arities[:-1], strict=True)]
    return [
        sum(
            weight * probability(network, (*states, c))
            for weight, network in zip(weights, networks, strict=True)
            for states in product(*choices)
        )
        for c in range(CLASSES)
    ]


def council_of(rng, arities, members=3):
    networks = [random_network(rng, arities) for _ in range(members)]
    weights = rng.uniform(0.2, 3.0, members)
    prior = np.full(CLASSES, 1 / CLASSES)
    council = Council(
        [Member(each, range(len(arities) - 1), prior) for each in networks], "joint", prior, weights
    )
    return council, networks, council.weights


def rows_with_gaps(rng, arities, rows, gaps):
    codes = np.stack([rng.integers(0, arity, rows) for arity in arities[:-1]], axis=1)
    codes[rng.random(codes.shape) < gaps] = -1
    codes[0] = -1  # nothing is known
    variables = [Variable(f"x{j}", tuple(map(str, range(n)))) for j, n in enumerate(arities[:-1])]
    return codes, Table.from_codes(variables, codes)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("first", [2, 300], ids=["bytes", "wide codes"])
def test_the_sum_over_all_that_gaps_may_be(seed, first, monkeypatch):
    rng = np.random.default_rng(seed)
    arities = [first, 3, 2, 4, 2, CLASSES] if first == 2 else [first, 2, 3, CLASSES]
    council, networks, weights = council_of(rng, arities)
    codes, table = rows_with_gaps(rng, arities, 12, 0.4)
    assert table.codes.dtype == (np.uint8 if first == 2 else np.uint16)
    monkeypatch.setattr(
        Council, "_member_by_member", lambda *_: pytest.fail("a row was left to the slow way")
    )
    with np.errstate(divide="ignore"):
        expected = np.log([summed(networks, weights, arities, row) for row in codes.tolist()])
    found = council.score_table(table, 1, normalised=False)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_rows_with_too_much_to_try_are_left_to_elimination(monkeypatch):
    """More than 65,536 look-ups: 8 * 9 * 8 * 9 * 8 states of five gaps, for six factors that they touch."""
    rng, hidden = np.random.default_rng(3), (8, 9, 8, 9, 8)
    names = [f"x{j}" for j in range(6)]
    dag = DAG(
        [*names, "class"], [("class", name) for name in names[:5]] + [(name, "x5") for name in names[:5]]
    )
    shapes = [*((CLASSES, n) for n in hidden), (*hidden, 2), (CLASSES,)]
    tables = [rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in shapes]
    variables = [
        Variable(name, tuple(map(str, range(n))))
        for name, n in zip(dag.nodes, (*hidden, 2, CLASSES), strict=True)
    ]
    network, prior = BayesNet(variables, dag, tables, "class"), np.full(CLASSES, 1 / CLASSES)
    council = Council([Member(network, range(6), prior)] * 2, "joint", prior)
    codes = np.array([[-1, -1, -1, -1, -1, 1], [1, 2, -1, 3, 4, 1]])
    left, slow = [], Council._member_by_member

    def watched(self, rows, n_jobs):
        left.append(rows.codes.tolist())
        return slow(self, rows, n_jobs)

    monkeypatch.setattr(Council, "_member_by_member", watched)
    found = np.exp(council.score_table(Table.from_codes(variables[:6], codes), 1, normalised=False))
    assert left == [[[255] * 5 + [1]]]
    expected = np.einsum(
        "za,zb,zc,zd,ze,abcde,z->z", *tables[:5], tables[5][..., 1], tables[6], optimize=True
    )
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    np.testing.assert_allclose(
        found[1], summed([network], [1.0], [*hidden, 2, CLASSES], codes[1].tolist()), rtol=1e-12
    )
