"""Columns of arrays of whole numbers read in blocks are the columns of the array."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data.columns import WIDTH, NarrowBlocks, narrowed


@given(
    st.sampled_from([np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64]),
    st.integers(1, 5000),
    st.integers(1, 5),
    st.integers(0, 2**32),
)
def test_a_block_holds_the_values_or_there_is_none(dtype, rows, columns, seed):
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    low, high = max(info.min, -(2 ** rng.integers(0, 9))), min(info.max, 2 ** rng.integers(0, 9))
    part = rng.integers(low, high, (rows, columns), dtype=dtype, endpoint=True)
    block = narrowed(part)
    fits = part.astype(int).min() >= -128 and part.astype(int).max() <= 127
    assert (block is not None) == fits
    if block is not None:
        np.testing.assert_array_equal(block.T, part)


@pytest.mark.parametrize("columns", [1, 3, WIDTH, WIDTH + 1, 2 * WIDTH + 3])
def test_every_column_in_any_order_by_several_threads(columns):
    rng = np.random.default_rng(0)
    array = rng.integers(0, 9, (10_000, columns))
    array[5000, -1] = 1000  # the last block does not fit
    blocks = NarrowBlocks(array)
    order = rng.permutation(columns).tolist()
    with ThreadPoolExecutor(4) as pool:
        for j, column in zip(order, pool.map(blocks.column, order), strict=True):
            np.testing.assert_array_equal(column, array[:, j])


def test_a_model_does_not_depend_on_the_order_or_width_of_the_array():
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (12_000, 5))
    y = np.where(rng.random(12_000) < 0.8, X[:, 0] > 0, X[:, 1] > 1)

    def tables(array):
        model = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), bl.MDLP()).fit(array, y)
        return model.schema_, model.predict_proba(array)

    schema, expected = tables(X)
    for other in (np.asfortranarray(X), X.astype(np.int8), X.astype(np.int16)):
        found, probabilities = tables(other)
        assert found == schema
        np.testing.assert_array_equal(probabilities, expected)
