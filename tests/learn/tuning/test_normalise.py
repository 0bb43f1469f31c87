import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayleaf import DAG, BayesNet
from bayleaf.data import Table, Variable
from bayleaf.learn.tuning.tuned_tables import normalised, unconnected_parents


@st.composite
def connected_graphs(draw):
    """Graphs in which all parents of a node are connected: each node takes a clique of those before it."""
    n = draw(st.integers(1, 6))
    parents = [()]
    for node in range(1, n):
        base = draw(st.integers(0, node - 1))
        clique = [*parents[base], base]
        parents.append(tuple(draw(st.lists(st.sampled_from(clique), unique=True))))
    names = [f"v{k}" for k in range(n)]
    order = draw(st.permutations(range(n)))
    arcs = [(names[p], names[c]) for c, chosen in enumerate(parents) for p in chosen]
    return DAG([names[k] for k in order], arcs), draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))


@given(connected_graphs(), st.integers(0, 2**32 - 1))
def test_the_network_has_the_distribution_of_the_scores(graph, seed):
    dag, arities = graph
    rng = np.random.default_rng(seed)
    families = [[*parents, node] for node, parents in enumerate(dag.parent_indices)]
    scores = [rng.normal(0, 3, [arities[j] for j in family]) for family in families]
    total = np.zeros(arities)
    for family, part in zip(families, scores, strict=True):
        moved = np.transpose(part, np.argsort(family))
        total = total + moved.reshape([arities[j] if j in family else 1 for j in range(len(arities))])
    expected = np.exp(total - total.max())
    expected /= expected.sum()
    variables = tuple(
        Variable(name, tuple(map(str, range(arity)))) for name, arity in zip(dag.nodes, arities, strict=True)
    )
    network = BayesNet(variables, dag, normalised(dag, scores))
    rows = Table.from_codes(variables, np.array(list(np.ndindex(*arities))))
    np.testing.assert_allclose(np.exp(network.log_joint(rows, None)).ravel(), expected.ravel(), rtol=1e-12)


def test_huge_scores_give_no_nan():
    dag = DAG(["x", "class"], [("class", "x")])
    tables = normalised(dag, [np.array([[1e4, -1e4], [-1e4, 1e4]]), np.array([3e4, -3e4])])
    for table in tables:
        np.testing.assert_allclose(table.sum(axis=-1), 1.0)


@pytest.mark.parametrize(
    ("arcs", "expected"),
    [
        ([("a", "c"), ("b", "c")], ("c", "a", "b")),
        ([("a", "c"), ("b", "c"), ("b", "a")], None),
        ([("a", "b"), ("b", "c"), ("c", "d")], None),
    ],
)
def test_unconnected_parents_are_found(arcs, expected):
    assert unconnected_parents(DAG(["a", "b", "c", "d"], arcs)) == expected
