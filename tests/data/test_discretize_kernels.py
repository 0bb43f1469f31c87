"""The kernels behind MDLP and behind coding by cuts, against numpy on every boundary of every column."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf._native import _core
from bayleaf.data import TableReader
from bayleaf.data.discretize import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles, apply_cuts
from bayleaf.data.discretize.discretizer import Discretizer, TrainingRows, as_kernel_numbers, code_by_cuts
from reference.counted import counted
from reference.discretize import slow_codes
from reference.numpy_mdlp import numpy_mdlp

NUMBERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
SHAPES = {
    "smooth": lambda rng, noise, target: noise + target * rng.choice([0.0, 0.1, 1.0]),
    "rounded": lambda rng, noise, target: np.round(noise + target * 0.5, 1),
    "few": lambda rng, noise, target: np.round(noise * rng.choice([0.3, 1.0])) + target % 2,
    "constant": lambda rng, noise, target: np.zeros(noise.size),
    "zeros": lambda rng, noise, target: np.where(noise < 1, 0.0, noise * (1 + target)),
    "signed zeros": lambda rng, noise, target: (
        np.where(noise < 0, -0.0, 0.0) + np.round(noise - 0.5 * target)
    ),
    "huge": lambda rng, noise, target: np.clip(noise + target, -1.7, 1.7) * 1e308,
    "denormal": lambda rng, noise, target: np.round(noise * 4 + target) * 5e-324,
    "heavy tails": lambda rng, noise, target: noise**9 + target,
    "two scales": lambda rng, noise, target: np.where(rng.random(noise.size) < 0.5, noise, noise * 1e-9 + 5),
    "outlier": lambda rng, noise, target: np.append(1 + (noise[1:] + target[1:]) * 1e-12, -1e300),
    "separated": lambda rng, noise, target: target * 10 + noise.clip(-4, 4),
    "in order": lambda rng, noise, target: np.sort(noise),
}
WEIGHTS = {
    "none": lambda rng, n: None,
    "ones": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "real": lambda rng, n: rng.exponential(size=n) * (rng.random(n) < 0.9),
    "thirds": lambda rng, n: rng.integers(1, 4, n) / 3,
}


@st.composite
def columns(draw, weights=tuple(WEIGHTS)):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.one_of(st.integers(1, 40), st.integers(41, 4000)))
    classes = draw(st.integers(2, 26))
    odds = rng.dirichlet(np.full(classes, draw(st.sampled_from([0.05, 1.0, 50.0]))))  # rare classes, too
    target = rng.choice(classes, size=n, p=odds)
    values = SHAPES[draw(st.sampled_from(list(SHAPES)))](rng, rng.standard_normal(n), target)
    return values, target, WEIGHTS[draw(st.sampled_from(weights))](rng, n)


@settings(deadline=None, max_examples=100)
@given(columns(), st.sampled_from([None, None, 2, 3, 7]))
def test_mdlp_finds_the_cuts_of_the_scan_over_all_boundaries(column, max_bins):
    values, target, weights = column
    expected = numpy_mdlp(values, target, weights, max_bins)
    np.testing.assert_array_equal(MDLP(max_bins).cut_points(values, target, weights), expected, strict=True)


@settings(deadline=None, max_examples=20)
@given(columns(), st.floats(0, 1))
def test_missing_values_are_no_rows(column, share):
    values, target, weights = column
    if weights is not None:
        values, target, weights = (array[weights > 0] for array in (values, target, weights))
    known = np.random.default_rng(1).random(values.size) >= share
    gaps = np.where(known, values, np.nan)
    expected = numpy_mdlp(values[known], target[known], None if weights is None else weights[known])
    found = MDLP().column_cuts(gaps, TrainingRows(target, weights))
    np.testing.assert_array_equal(found, expected, strict=True)


@settings(deadline=None, max_examples=20)
@given(columns(), st.sampled_from(NUMBERS), st.sampled_from([1, 5, 1000, 2**60]))
def test_whole_numbers_are_cut_as_floats_are(column, kind, scale):
    values, target, weights = column
    limits = np.iinfo(kind)
    wide = [int(round(np.clip(value, -100, 100), 2) * scale) for value in values]
    whole = np.array([min(max(value, limits.min), limits.max) for value in wide], dtype=kind)
    expected = numpy_mdlp(whole.astype(float), target, weights)
    np.testing.assert_array_equal(MDLP().cut_points(whole, target, weights), expected, strict=True)


@cache
def kinds_of_columns(n):
    """Twenty kinds of columns, with their classes."""
    return list(_kinds_of_columns(n))


def _kinds_of_columns(n):
    rng = np.random.default_rng(5)
    for classes in (2, 5):
        target = rng.integers(0, classes, n)
        for shift in (0.7, 0.05, 0.0):
            yield rng.standard_normal(n) + shift * rng.standard_normal(classes)[target], target
    target = rng.integers(0, 5, n)
    smooth = rng.standard_normal(n) + 0.7 * rng.standard_normal(5)[target]
    yield rng.exponential(size=n) * (1 + target * 0.3), target
    yield rng.standard_cauchy(n) + target * 0.5, target
    for digits in (0, 1, 3):
        yield np.round(smooth, digits), target
    yield rng.integers(0, 4, n) + target % 2.0, target
    yield np.zeros(n), target
    yield np.where(rng.random(n) < 0.9, 0, rng.exponential(size=n) * (1 + target)), target
    yield np.where(rng.random(n) < 0.5, smooth, smooth * 1e-3 + 5), target
    many = rng.integers(0, 26, n)
    yield rng.standard_normal(n) + many * 0.2, many
    yield rng.permutation(n) % 1000 + many * 10.0, many
    yield np.sort(rng.standard_normal(n)), np.arange(n) * 7 // n % 2
    rare = ((target == 0) & (rng.random(n) < 0.01)).astype(int)
    yield rng.standard_normal(n) + 2 * (target == 0), rare
    yield rng.standard_normal(n) + 0.3 * np.sin(np.arange(n)) + rare, rare


def test_there_are_twenty_kinds_of_columns():
    assert len(kinds_of_columns(10)) == 20


@pytest.mark.parametrize("kind", range(20))
def test_large_columns_are_cut_as_by_the_scan_over_all_boundaries(kind):
    values, target = kinds_of_columns(20_000)[kind]
    np.testing.assert_array_equal(MDLP().cut_points(values, target), numpy_mdlp(values, target), strict=True)
    weights = np.random.default_rng(2).integers(1, 4, values.size) / 2
    expected = numpy_mdlp(values, target, weights)
    np.testing.assert_array_equal(MDLP().cut_points(values, target, weights), expected, strict=True)


def test_many_classes_of_few_rows():
    rng = np.random.default_rng(3)
    target = rng.integers(0, 3000, 20_000)
    values = rng.standard_normal(target.size) + target // 300
    np.testing.assert_array_equal(MDLP().cut_points(values, target), numpy_mdlp(values, target))


@pytest.mark.parametrize("classes", [256, 257, 700])
def test_class_codes_of_one_and_of_four_bytes(classes):
    target = np.repeat(np.arange(classes), 60)
    np.testing.assert_array_equal(MDLP().cut_points(target * 2.0, target), np.arange(classes - 1) * 2 + 1)
    np.testing.assert_array_equal(MDLP().cut_points(target * 2, target), np.arange(classes - 1) * 2 + 1)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.floats(allow_nan=False), max_size=600),
    st.sampled_from([1, 3, 40]),
    st.integers(1, 3),
)
@example([0.0, -0.0, math.inf, -math.inf, 5e-324, -5e-324], 100, 2)
def test_values_are_sorted_within_their_class(values, copies, classes):
    column = np.tile(np.array(values, dtype=float), copies)
    column[::7] = np.nan
    target = np.arange(column.size) % classes
    rows = TrainingRows(target)
    if not column.size:
        return
    ordered, counts = np.empty(column.size, dtype=np.uint64), np.empty(rows.classes.n_classes, dtype=np.int64)
    spare = np.empty(column.size, dtype=np.uint64)
    _core.sort_by_class(column, rows.classes.codes, rows.classes.starts, ordered, spare, counts)
    for c, start in enumerate(rows.classes.starts):
        known = column[(target == c) & ~np.isnan(column)]
        assert counts[c] == known.size
        np.testing.assert_array_equal(ordered.view(np.float64)[start : start + counts[c]], np.sort(known))


@pytest.mark.parametrize("shape", list(SHAPES))
def test_large_classes_are_sorted(shape):
    rng = np.random.default_rng(8)
    target = np.zeros(50_000, dtype=np.int64)
    column = SHAPES[shape](rng, rng.standard_normal(target.size), target)
    ordered, counts = np.empty(column.size, dtype=np.uint64), np.empty(1, dtype=np.int64)
    spare = np.empty(column.size, dtype=np.uint64)
    _core.sort_by_class(column, target.astype(np.uint8), np.zeros(1, dtype=np.int64), ordered, spare, counts)
    np.testing.assert_array_equal(ordered.view(np.float64), np.sort(column))


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.floats(), max_size=600),
    st.sets(st.floats(allow_nan=False, allow_infinity=False), max_size=80),
    st.sampled_from([np.float64, np.float32]),
)
def test_codes_of_floats(values, cuts, kind):
    with np.errstate(over="ignore"):
        column = np.array(values, dtype=float).astype(kind)
    points = np.array(sorted(cuts))
    codes, odd = code_by_cuts(column, points)
    known = ~np.isnan(column)
    assert codes[known].tolist() == slow_codes(column[known].astype(float), points)
    assert (codes[~known] == 255).all()
    assert (odd.missing, odd.infinite) == ((~known).sum(), np.isinf(column).sum())
    filled, _ = code_by_cuts(column, points, missing=3)
    np.testing.assert_array_equal(filled, np.where(known, codes, 3))


@pytest.mark.parametrize(
    "kind", [*NUMBERS, np.float16, np.float32, np.float64, bool, ">f8", ">i2", np.longdouble]
)
def test_codes_of_every_type_and_stride(kind):
    rng = np.random.default_rng(4)
    table = rng.integers(0, 100, (1000, 3)).astype(kind)
    for n_cuts in (0, 1, 12, 13, 254, 255, 70_000):
        cuts = np.sort(rng.choice(10**6, n_cuts, replace=False)) / 10**4
        for column in (
            table[:, 1],
            table[::-2, 2],
            table[:, 0].copy(),
            np.broadcast_to(table[0, 0], 300),
            table[:0, 0],
        ):
            codes, odd = code_by_cuts(column, cuts)
            np.testing.assert_array_equal(codes, np.searchsorted(cuts, column.astype(float), side="left"))
            assert codes.dtype == (np.uint8 if n_cuts < 255 else np.uint16 if n_cuts < 65535 else np.uint32)
            assert (odd.missing, odd.infinite) == (0, 0)


def test_numbers_that_cannot_be_read_in_place_are_copied():
    records = np.zeros(50, dtype=[("flag", np.int8), ("number", np.float64)])
    records["number"] = np.arange(50)
    assert not records["number"].flags.aligned
    np.testing.assert_array_equal(apply_cuts(records["number"], [24.5]), np.arange(50) > 24.5)
    assert as_kernel_numbers(np.arange(3)).base is None
    locked = np.arange(3.0)
    locked.flags.writeable = False
    assert apply_cuts(locked, [0.5]).tolist() == [0, 1, 1]


class Halves(MDLP):
    """A discretiser of somebody who changes what cut_points does."""

    def cut_points(self, values, target=None, weights=None, name=None):
        values.sort()
        return np.array([values[values.size // 2]])


class Stranger:
    """One that only has cut_points, and expects all its arguments."""

    def cut_points(self, values, target, weights, name):
        assert values.size == target.size == weights.size
        return np.array([np.average(values, weights=weights)])


@pytest.mark.parametrize("own", [Halves(), Stranger(), Cuts({}, others=Halves())])
def test_discretisers_of_the_user_are_asked_for_cut_points(own):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 2)), rng.integers(0, 2, 80)
    X[::9, 1] = np.nan
    before = X.copy()
    model = bl.BayesNetClassifier(discretizer=own).fit(X, y)
    np.testing.assert_array_equal(X, before)
    asked = own if isinstance(own, Stranger) else Halves()
    for j, variable in enumerate(model.schema_.features):
        known = ~np.isnan(X[:, j])
        expected = asked.cut_points(X[known, j], y[known], np.ones(known.sum()), "x")
        np.testing.assert_array_equal(variable.cuts, expected)


@pytest.mark.parametrize(
    "discretizer", [MDLP(), MedianSplit(), Quantiles(4), EqualWidth(4), Cuts({}, others=MDLP())]
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int8])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_table_has_the_cuts_and_codes_of_its_columns(discretizer, kind, weighted):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 500)
    X = (rng.standard_normal((500, 3)) * 20 + 10 * y[:, None]).astype(kind)
    weights = rng.integers(0, 3, 500).astype(float) if weighted else None
    assert isinstance(discretizer, Discretizer)
    model = counted(discretizer=discretizer).fit(X, y, sample_weight=weights)
    for j, variable in enumerate(model.schema_.features):
        expected = discretizer.cut_points(X[:, j].astype(float), y, weights, j)
        np.testing.assert_array_equal(np.array(variable.cuts, dtype=float), expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_threads_and_memory_order_change_nothing(order, kind):
    rng = np.random.default_rng(9)
    y = rng.integers(0, 3, 40_000)
    X = np.array(np.round(rng.standard_normal((y.size, 7)) * 30 + 9 * y[:, None]), dtype=kind, order=order)
    if kind is np.float64:
        X += rng.random(X.shape)
        X[rng.random(X.shape) < 0.1] = np.nan
    for n_jobs in (1, 3):
        table = TableReader(bl.MDLP(), missing="available", n_jobs=n_jobs).learn(
            bl.BayesNetClassifier(), X, y
        )
        for j, variable in enumerate(table.variables[:-1]):
            known = ~np.isnan(X[:, j])
            cuts = numpy_mdlp(X[known, j].astype(float), y[known])
            np.testing.assert_array_equal(variable.cuts, cuts)
            codes = np.where(known, np.searchsorted(cuts, X[:, j]), 255)
            np.testing.assert_array_equal(table.codes[:, j], codes)
