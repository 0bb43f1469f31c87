"""The pair kernel against tables counted one by one, over all its ways of counting."""

import numpy as np
import pytest
from scipy.special import xlogy

import bayleaf as bl
from bayleaf.counts import PairInformation, count


def make_table(seed, arities, rows, missing=0.0, missing_class=0.0, weights=None, n_jobs=None):
    rng = np.random.default_rng(seed)
    codes = (rng.integers(0, 1 << 30, (rows, 1)) // rng.integers(1, 5, len(arities))) % arities
    codes = np.where(rng.random(codes.shape) < 0.5, codes, rng.integers(0, 1 << 30, codes.shape) % arities)
    codes[:, :-1][rng.random((rows, len(arities) - 1)) < missing] = -1
    codes[rng.random(rows) < missing_class, -1] = -1
    variables = tuple(
        bl.data.Variable(f"x{j}", tuple(range(arity)), None, "integer") for j, arity in enumerate(arities)
    )
    return bl.data.Table.from_codes(variables, codes, weights, len(arities) - 1, n_jobs)


def slow_sums(table, smoothing=0.0):
    """The eight sums of N log N and the rows of every pair, from its contingency table."""
    lines = []
    features, target = table.features, table.target
    for a, i in enumerate(features):
        for j in features[a + 1 :]:
            joint = count(table, [[target, i, j]])[0].astype(float)
            joint += smoothing / joint.size
            axes = [(), (2,), (1,), (1, 2), (0,), (0, 2), (0, 1), (0, 1, 2)]
            lines.append([*(xlogy(n := joint.sum(axis=axis), n).sum() for axis in axes), joint.sum()])
    return np.array(lines)


NARROW = [2, 3, 1, 4, 2, 3]
WIDE = [2, 60, 3, 200, 5, 4]
HUGE = [2, 300, 3, 4]


@pytest.mark.parametrize("arities", [NARROW, WIDE, HUGE], ids=["narrow", "wide", "two-byte codes"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("weights", ["none", "whole", "real"])
def test_sums_equal_those_of_the_tables(arities, missing, smoothing, weights):
    for rows in (0, 1, 63, 1000):
        rng = np.random.default_rng(1)
        values = {"none": None, "whole": rng.integers(1, 5, rows) * 1.0, "real": rng.random(rows)}[weights]
        table = make_table(0, arities, rows, missing, missing / 2, values, n_jobs=1)
        got = PairInformation.of(table, smoothing=smoothing).sums
        np.testing.assert_allclose(got, slow_sums(table, smoothing), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("settings", [{}, {"missing": 0.1}, {"weights": np.linspace(0.1, 2, 3000)}])
def test_threads_do_not_change_a_bit(settings):
    arities = [2, 3, 4, 90, 5, 2, 3, 3, 2, 6] * 4
    one, two = (make_table(3, arities, 3000, n_jobs=n, **settings) for n in (1, 2))
    for smoothing in (0.0, 1.0):
        left = PairInformation.of(one, smoothing=smoothing).sums
        assert (left == PairInformation.of(two, smoothing=smoothing).sums).all()


def test_many_rows_of_few_classes_take_the_way_of_bit_sets_in_stretches():
    table = make_table(4, [3, 2, 3, 2], 70_000)
    np.testing.assert_allclose(PairInformation.of(table).sums, slow_sums(table), rtol=1e-12)


def test_whole_weights_become_rows():
    table = make_table(5, NARROW, 50, weights=np.full(50, 2.0))
    assert table.without_whole_weights().n_rows == 100
    assert table.without_whole_weights().weights is None
    for weights in (np.full(50, 1.5), np.full(50, 100.0)):
        other = make_table(5, NARROW, 50, weights=weights)
        assert other.without_whole_weights() is other
