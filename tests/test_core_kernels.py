"""The kernels themselves: what they refuse, and the corners that the package does not reach."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayleaf._native import _core

CODES = np.zeros((3, 2), dtype=np.uint8, order="F")
ONE = np.array([1], dtype=np.int64)


def count(codes=CODES, arities=None, weights=None, tables=None) -> np.ndarray:
    arities = np.array([2, 2]) if arities is None else arities
    tables = np.zeros(2, dtype=np.int64) if tables is None else tables
    _core.count(codes, arities, np.array([0]), np.array([0, 1]), np.array([0]), weights, tables, 1)
    return tables


def test_counting_adds_to_what_is_there():
    assert count().tolist() == [3, 0]
    assert count(tables=np.array([10, 5])).tolist() == [13, 5]
    assert count(weights=np.array([0.5, 1, 2]), tables=np.zeros(2)).tolist() == [3.5, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"codes": np.ascontiguousarray(CODES)},  # rows instead of columns
        {"codes": CODES.astype(np.int64, order="F")},
        {"codes": np.asfortranarray(CODES.T)[:, ::2]},
        {"arities": np.array([2, 2], dtype=np.int32)},
        {"arities": np.array([2.0, 2.0])},
        {"weights": np.array([1, 1, 1])},
        {"weights": np.ones(6)[::2]},
        {"tables": np.zeros(2, dtype=np.int32)},
        {"tables": [0, 0]},
    ],
    ids=[
        "order",
        "type",
        "strides",
        "int32",
        "float arities",
        "int weights",
        "strided weights",
        "int32 out",
        "list",
    ],
)
def test_a_wrong_array_is_an_error_and_never_a_copy(wrong):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        count(**wrong)


def test_outputs_must_be_writable():
    frozen = np.zeros(2, dtype=np.int64)
    frozen.setflags(write=False)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        count(tables=frozen)


def pack(values: np.ndarray, threads: int = 1) -> tuple[np.ndarray, list[int]] | None:
    out = np.empty(values.shape, dtype=np.uint8, order="F")
    largest = np.zeros(values.shape[1], dtype=np.uint8)
    return (out, largest.tolist()) if _core.pack_integers(values, out, largest, threads) else None


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_packing_integers(dtype, threads):
    for rows in (1, 127, 128, 129, 20_000):
        most = min(254, np.iinfo(dtype).max)
        values = np.random.default_rng(rows).integers(0, most, (rows, 3), endpoint=True)
        packed, largest = pack(values.astype(dtype), threads)
        assert np.array_equal(packed, values)
        assert largest == values.max(axis=0).tolist()


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (dtype, value)
        for dtype in (np.int8, np.uint8, np.int32, np.int64)
        for value in (-128, -3, -2, -1, 255, 256, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, -(2**63))
        if np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    ],
)
def test_integers_that_do_not_fit_in_a_code(dtype, value):
    values = np.zeros((300, 2), dtype=dtype)
    values[299, 1] = value
    assert pack(values) is None


@settings(deadline=None)
@given(arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(0, 254)))
def test_states_that_occur(codes):
    largest = codes.max(axis=0)
    present = np.zeros((codes.shape[1], 255), dtype=np.uint8)
    _core.present_states(np.asfortranarray(codes), largest, present, 2)
    for j in range(codes.shape[1]):
        assert np.flatnonzero(present[j]).tolist() == sorted(set(codes[:, j].tolist()))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_normalising_many_rows(threads):
    rng = np.random.default_rng(0)
    log_joint = rng.normal(-800, 300, (40_000, 3))
    log_joint[rng.random(40_000) < 0.1] = -np.inf
    log_joint[0] = [-np.inf, -1e4, -np.inf]
    prior = np.array([0.2, 0.3, 0.5])
    out = np.empty_like(log_joint)
    _core.normalize_rows(log_joint, prior, out, threads)
    impossible = np.isneginf(log_joint).all(axis=1)
    assert (out[impossible] == prior).all()
    assert out[0].tolist() == [0, 1, 0]
    shifted = np.exp(log_joint[~impossible] - log_joint[~impossible].max(axis=1, keepdims=True))
    np.testing.assert_allclose(out[~impossible], shifted / shifted.sum(axis=1, keepdims=True), rtol=1e-14)
    in_place = log_joint.copy()
    _core.normalize_rows(in_place, prior, in_place, threads)
    assert np.array_equal(in_place, out)


def test_an_error_in_a_thread_reaches_the_caller():
    # Two nodes a -> b, a missing: its elimination needs 2 entries, and the limit is 1.
    rows = 2000
    codes = np.zeros((rows, 2), dtype=np.uint8, order="F")
    codes[:, 0] = 255
    with pytest.raises(ValueError, match="needs a table of about 2 entries, more than the limit"):
        _core.log_joint_missing(
            codes,
            np.array([2, 2]),
            np.array([0, 0, 1]),
            np.array([1, 2, 1]),
            np.array([0, 1, 3]),
            np.array([0, 2]),
            np.zeros(2, dtype=np.uint8),
            np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
            np.array([0, 1]),
            np.array([0, 1]),
            -1,
            1,
            np.empty((rows, 1)),
            4,
        )
