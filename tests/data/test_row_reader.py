"""Arrays of numbers are cut where NumPy's search would cut them, however many cuts there are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayleaf.data import Variable
from bayleaf.data.reader import RowReader


@pytest.mark.parametrize("n_cuts", [1, 47, 48, 49, 55, 56, 57, 255, 256, 257, 400])
@given(seed=st.integers(0, 2**16))
def test_numbers_are_cut_as_numpy_searches(n_cuts, seed):
    rng = np.random.default_rng(seed)
    cuts = np.unique(rng.choice(np.linspace(-3, 3, 2 * n_cuts + 1), n_cuts, replace=False))
    values = np.concatenate([cuts, cuts - 1e-9, cuts + 1e-9, [np.nan, 1e300, -1e300]])
    rng.shuffle(values)
    table = RowReader((Variable.numeric("x", cuts),)).read_array(values[:, None], 1)
    expected = np.where(np.isnan(values), table.missing_code, np.searchsorted(cuts, values))
    np.testing.assert_array_equal(table.codes[:, 0], expected)
