import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.counts import PairInformation, class_information
from reference import information as slow

SMOOTHING = st.sampled_from([0.0, 1.0, 2.5])


def random_table(seed, columns=4, rows=40, missing=0.0, weights=None, target=None):
    rng = np.random.default_rng(seed)
    arities = rng.integers(1, 4, columns)
    base = rng.integers(0, 12, (rows, 1))
    codes = (base // rng.integers(1, 4, columns) + rng.integers(0, 2, (rows, columns))) % arities
    codes[rng.random((rows, columns)) < missing] = -1
    variables = tuple(
        bl.data.Variable(f"x{j}", tuple(range(arity)), None, "integer") for j, arity in enumerate(arities)
    )
    table = bl.data.Table.from_codes(variables, codes, weights, target)
    return table, codes.tolist(), arities.tolist()


def names(columns):
    return [f"x{j}" for j in columns]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.permutations(range(5)), st.sampled_from([0.0, 0.2]), SMOOTHING)
def test_measures_equal_their_definitions(seed, order, missing, smoothing):
    table, rows, arities = random_table(seed, 5, missing=missing)
    x, y, z = order[:2], order[2:3], order[3:]
    expected = slow.conditional_mutual_information(rows, x, y, z, arities, smoothing)
    got = bl.counts.conditional_mutual_information(table, names(x), names(y), names(z), smoothing=smoothing)
    assert got == pytest.approx(expected, abs=1e-10)
    expected = slow.conditional_mutual_information(rows, x, y, [], arities, smoothing)
    assert bl.counts.mutual_information(table, names(x), names(y), smoothing=smoothing) == pytest.approx(
        expected, abs=1e-10
    )
    every = [*x, *z]
    expected = slow.entropy(rows, every, every, arities, smoothing) - slow.entropy(
        rows, z, every, arities, smoothing
    )
    assert bl.counts.entropy(table, names(x), names(z), smoothing=smoothing) == pytest.approx(
        expected, abs=1e-10
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), SMOOTHING)
def test_a_weight_counts_like_equal_rows(seed, smoothing):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, 40)
    weighted, _, _ = random_table(seed, missing=0.1, weights=weights.astype(np.float64))
    plain, _, _ = random_table(seed, missing=0.1)
    repeated = plain.take(np.repeat(np.arange(40), weights))
    assert bl.counts.conditional_mutual_information(
        weighted, "x0", "x1", ["x2", "x3"], smoothing=smoothing
    ) == pytest.approx(
        bl.counts.conditional_mutual_information(repeated, "x0", "x1", ["x2", "x3"], smoothing=smoothing),
        abs=1e-11,
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]))
def test_all_pairs_at_once_agree_with_one_by_one(seed, smoothing):
    table, _, _ = random_table(seed, 4, missing=0.1, target=3)
    pairs = PairInformation.of(table, smoothing=smoothing)
    relevance = class_information(table, smoothing=smoothing)
    for i in range(3):
        assert relevance[i] == pytest.approx(
            bl.counts.mutual_information(table, f"x{i}", "x3", smoothing=smoothing), abs=1e-10
        )
        for j in range(3):
            if i == j:
                continue
            one = {
                "given_class": bl.counts.conditional_mutual_information(
                    table, f"x{i}", f"x{j}", "x3", smoothing=smoothing
                ),
                "joint_with_class": bl.counts.mutual_information(
                    table, "x3", [f"x{i}", f"x{j}"], smoothing=smoothing
                ),
                "class_given_other": bl.counts.conditional_mutual_information(
                    table, "x3", f"x{i}", f"x{j}", smoothing=smoothing
                ),
            }
            for method, value in one.items():
                assert getattr(pairs, method)()[i, j] == pytest.approx(value, abs=1e-10), method


def test_large_sets_need_no_table_of_the_product_size():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (500, 400))
    codes[:, -1] = codes[:, 0]
    variables = tuple(bl.data.Variable(f"x{j}", tuple("abcde")) for j in range(400))
    table = bl.data.Table.from_codes(variables, codes)
    given_rest = bl.counts.conditional_mutual_information(table, "x399", "x0", names(range(1, 399)))
    assert given_rest == 0.0  # every row is its own cell: nothing is left to know
    assert bl.counts.mutual_information(table, "x399", names(range(399))) == pytest.approx(
        bl.counts.entropy(table, "x399")
    )
    smoothed = bl.counts.mutual_information(table, "x399", names(range(399)), smoothing=1.0)
    assert 0.9 * bl.counts.entropy(table, "x399") < smoothed < bl.counts.entropy(table, "x399", smoothing=1.0)


def test_partition_refinement_equals_sorting_when_keys_are_many():
    from bayleaf.counts import Partition

    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 50, 30), rng.integers(0, 60000, 30)
    partition = Partition.whole(30).refine(a, 50).refine(b, 60000)
    _, expected = np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)
    assert (partition.cells == expected.ravel()).all()
    assert partition.n_cells == expected.max() + 1


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_data_frames_of_any_kind(library):
    data = library({"word": ["a", "b", None, "a"], "number": [1.5, 2.5, 2.5, 1.5], "flag": [True, False] * 2})
    assert bl.counts.entropy(data, "number") == pytest.approx(np.log(2))
    assert bl.counts.mutual_information(data, "word", ["number", "flag"]) == pytest.approx(
        np.log(3) - 2 / 3 * np.log(2)
    )


def test_errors_say_what_is_wrong():
    data = pl.DataFrame({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(ValueError, match="There is no column 'z'; there are 'a', 'b'"):
        bl.counts.mutual_information(data, "a", "z")
    table, _, _ = random_table(0)
    with pytest.raises(ValueError, match="There is no column 'z'; there are 'x0', 'x1'"):
        bl.counts.entropy(table, "z")
    with pytest.raises(
        TypeError, match=r"A Table or a DataFrame with named columns is needed here\. Got list"
    ):
        bl.counts.entropy([[1, 2]], "a")
    with pytest.raises(ValueError, match=r"'smoothing' parameter .* must be a float in the range \[0, inf\)"):
        bl.counts.entropy(data, "a", smoothing=-1)
    with pytest.raises(ValueError, match="No column is named"):
        bl.counts.entropy(data, [])


def test_degenerate_tables():
    empty = bl.data.Table.from_codes(
        (bl.data.Variable("a", ("x", "y")), bl.data.Variable("b", ("x", "y"))), [[-1, 0], [0, -1]]
    )
    assert bl.counts.mutual_information(empty, "a", "b") == 0.0
    assert bl.counts.mutual_information(empty, "a", "b", smoothing=1.0) == 0.0
    assert bl.counts.entropy(empty, "a", smoothing=1.0) == pytest.approx(
        slow.entropy([[0]], [0], [0], [2], smoothing=1.0)
    )
