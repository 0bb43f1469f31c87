import numpy as np
import pytest

from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from reference.inference import make_network, slow_log_probability

PARENTS = [(2,), (0, 2), (), (1,)]


def test_frequencies_follow_the_exact_marginals():
    rng = np.random.default_rng(0)
    rows = 40_000
    network = make_network(rng, PARENTS, [2, 3, 3, 2], zeros=0.3)
    codes = network.sample_table(rows, random_state=1).codes
    for node, variable in enumerate(network.variables):
        for state in range(variable.arity):
            evidence = [-1] * 4
            evidence[node] = state
            p = np.exp(slow_log_probability(network, evidence))
            share = (codes[:, node] == state).mean()
            # Six standard deviations of a binomial share: once in 500 million samples.
            assert abs(share - p) <= 6 * np.sqrt(p * (1 - p) / rows)


def test_whole_rows_follow_the_exact_joint_and_impossible_rows_never_occur():
    rng = np.random.default_rng(4)
    rows = 40_000
    network = make_network(rng, PARENTS, [2, 2, 3, 2], zeros=0.5)
    codes = network.sample_table(rows, random_state=2).codes
    found, counts = np.unique(codes, axis=0, return_counts=True)
    probabilities = np.exp([slow_log_probability(network, row) for row in found.tolist()])
    assert probabilities.min() > 0
    margins = 6 * np.sqrt(probabilities * (1 - probabilities) / rows)
    assert (np.abs(counts / rows - probabilities) <= margins).all()


def test_the_last_state_is_not_drawn_where_it_is_impossible():
    class AlmostOne(np.random.Generator):
        def random(self, size):
            return np.full(size, np.nextafter(1.0, 0.0))

    parent, child = Variable("a", tuple(range(1000)), None, "integer"), Variable("b", ("x", "y", "z"))
    table = np.tile([0.25, 0.75, 0.0], (1000, 1))
    network = BayesNet([parent, child], DAG(["a", "b"], [("a", "b")]), [np.full(1000, 1e-3), table])
    codes = network.sample_table(3, AlmostOne(np.random.PCG64(0))).codes
    assert codes.tolist() == [[999, 1]] * 3


def test_a_seed_repeats_and_a_generator_moves_on():
    network = make_network(np.random.default_rng(1), PARENTS, [2, 3, 3, 2])
    first, second = network.sample_table(50, 7).codes, network.sample_table(50, 7).codes
    assert np.array_equal(first, second)
    assert not np.array_equal(first, network.sample_table(50, 8).codes)
    rng = np.random.default_rng(7)
    assert np.array_equal(network.sample_table(50, rng).codes, first)
    assert not np.array_equal(network.sample_table(50, rng).codes, first)


def test_sixteen_bit_codes():
    network = make_network(np.random.default_rng(1), [(), (0,)], [300, 2])
    table = network.sample_table(2000, 0)
    assert table.codes.dtype == np.uint16
    assert table.codes[:, 0].max() < 300
    assert np.isfinite(network.log_likelihood(table)).all()


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_have_the_labels_and_can_be_read_again(backend):
    variables = [
        Variable("s", ("a", "b")),
        Variable("i", (3, 7), None, "integer"),
        Variable("b", (False, True), None, "boolean"),
        Variable.numeric("n", [0.5, 2]),
    ]
    names = [variable.name for variable in variables]
    dag = DAG(names, [("s", "i"), ("i", "n")])
    tables = [[0.5, 0.5], [[0.3, 0.7], [0.6, 0.4]], [0.1, 0.9], [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]]
    network = BayesNet(variables, dag, tables, target="b")
    frame = network.sample(20, 3, backend=backend)
    assert frame.shape == (20, 4)
    table = network.sample_table(20, 3)
    assert table.target == 2
    assert np.array_equal(network.encode(frame).codes, table.codes)
    assert np.array_equal(network.log_likelihood(frame), network.log_likelihood(table))


def test_no_rows():
    network = make_network(np.random.default_rng(1), PARENTS, [2, 3, 3, 2])
    assert network.sample_table(0, 0).codes.shape == (0, 4)
    assert network.sample(0, 0).shape == (0, 4)


def test_bad_requests():
    network = make_network(np.random.default_rng(1), PARENTS, [2, 3, 3, 2])
    with pytest.raises(
        ValueError, match=r"'n' parameter of sample must be an int in the range \[0, inf\)\. Got -1"
    ):
        network.sample(-1)
    with pytest.raises(ValueError, match=r"backend must be 'polars', 'pandas' or 'pyarrow'\. Got 'excel'"):
        network.sample(1, backend="excel")
