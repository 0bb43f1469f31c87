import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.counts import (
    ChanceInformation,
    PairCounts,
    PairInformation,
    class_information,
    entropy_of_counts,
    mutual_information_of_counts,
)
from bayleaf.counts.growing import GrowingCounts, GrowingSource
from bayleaf.data import Table, Variable
from reference.count_sources import TableSource
from reference.counting import SlowPairs, make_table, make_variables, random_codes, slow_chance, small_tables

CLASS, LEFT, RIGHT = (0,), (1,), (2,)
MEASURES = {
    "given_class": (LEFT, RIGHT, CLASS),
    "marginal": (LEFT, RIGHT, ()),
    "joint_with_class": (CLASS, (1, 2), ()),
    "class_given_other": (CLASS, LEFT, RIGHT),
}


def assert_all_measures(codes, arities, target, weights=None, smoothing=0.0, n_jobs=None) -> None:
    table = make_table(codes, arities, weights, target, n_jobs)
    pairs = PairInformation.of(table, smoothing=smoothing)
    features = table.features
    for name, question in MEASURES.items():
        matrix = getattr(pairs, name)()
        assert matrix.shape == (len(features), len(features))
        assert (matrix.diagonal() == 0).all()
        for row, i in enumerate(features):
            for column, j in enumerate(features):
                if i == j:
                    continue
                slow = SlowPairs(codes, arities, i, j, target, weights, smoothing).information(*question)
                assert matrix[row, column] == pytest.approx(slow, abs=2e-12, rel=1e-9), (name, i, j)


@settings(deadline=None)
@given(small_tables(), st.data())
def test_small_tables_with_missing_values(example, data):
    codes, arities = example
    target = data.draw(st.integers(0, len(arities) - 1))
    smoothing = data.draw(st.sampled_from([0.0, 1.0, 0.5]))
    weights = None
    if data.draw(st.booleans()):
        weights = np.array(data.draw(st.lists(st.floats(0.1, 9), min_size=len(codes), max_size=len(codes))))
    assert_all_measures(codes, arities, target, weights, smoothing)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize(
    "arities",
    [
        [2, 2, 2, 2],
        [3, 4, 1, 5, 2],
        [2, 3, 255, 4],  # too wide for bit sets
        [20, 17, 2, 3, 2],  # bit sets do not pay
        [2, 3, 40],  # many classes
        [2, 3, 300, 4],  # 16-bit codes
        [3, 2, 300],  # 16-bit because of the class
    ],
    ids=str,
)
def test_bit_sets_and_direct_counting(arities, missing):
    codes = random_codes(np.random.default_rng(5), 700, arities, missing)
    assert_all_measures(codes, arities, len(arities) - 1)


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 1000])
def test_any_number_of_rows(rows):
    arities = [2, 3, 2]
    assert_all_measures(random_codes(np.random.default_rng(rows), rows, arities), arities, 2)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_bit_sets_equal_direct_counting(missing):
    # Unit weights change nothing but the way: each row is an increment.
    rng = np.random.default_rng(2)
    arities = [2, 3, 1, 4, 2, 6, 2, 2, 3, 2, 5, 2, 2, 2, 3, 2, 2, 2, 3]
    codes = random_codes(rng, 3000, arities, missing)
    codes[:, 2] = np.maximum(codes[:, 2], 0)
    fast = PairInformation.of(make_table(codes, arities, target=18))
    slow = PairInformation.of(make_table(codes, arities, np.ones(3000), target=18))
    np.testing.assert_allclose(fast.sums, slow.sums, rtol=1e-12)
    for name in MEASURES:
        np.testing.assert_allclose(getattr(fast, name)(), getattr(slow, name)(), atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("arities", [[250, 200, 3, 2], [5000, 3, 2000, 2]], ids=["uint8", "uint16"])
def test_tables_with_far_more_cells_than_rows(arities, weighted, smoothing):
    # Such tables are never filled: the rows are sorted instead. Filled tables come from the same rows, repeated.
    rng = np.random.default_rng(8)
    codes = random_codes(rng, 300, arities, 0.1)
    weights = rng.random(300) if weighted else None
    few = PairInformation.of(make_table(codes, arities, weights, target=3), smoothing=smoothing)
    times = 1000
    many_weights = None if weights is None else np.tile(weights, times)
    many = PairInformation.of(
        make_table(np.tile(codes, (times, 1)), arities, many_weights, target=3), smoothing=smoothing * times
    )
    for name in MEASURES:
        np.testing.assert_allclose(getattr(few, name)(), getattr(many, name)(), rtol=1e-9, atol=1e-11)


def test_two_features_of_sixty_thousand_states():
    rng = np.random.default_rng(0)
    codes = np.column_stack(
        [rng.permutation(60_000)[:500], rng.permutation(60_000)[:500], np.arange(500) % 2]
    )
    pairs = PairInformation.of(make_table(codes, [60_000, 60_000, 2], target=2))
    # No value occurs twice: each feature determines the other, and the class.
    assert pairs.marginal()[0, 1] == pytest.approx(np.log(500))
    assert pairs.joint_with_class()[0, 1] == pytest.approx(np.log(2))
    assert pairs.class_given_other()[0, 1] == 0


@pytest.mark.parametrize("arities", [[2, 3, 4, 2, 3], [300, 3, 2, 5, 2]], ids=["uint8", "uint16"])
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_a_bit(arities, weighted):
    rng = np.random.default_rng(4)
    codes = random_codes(rng, 4000, arities, 0.05)
    weights = rng.random(4000) if weighted else None
    alone = PairInformation.of(make_table(codes, arities, weights, target=4, n_jobs=1)).sums
    for n_jobs in (2, 5):
        assert np.array_equal(
            alone, PairInformation.of(make_table(codes, arities, weights, target=4, n_jobs=n_jobs)).sums
        )


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(9)
    arities = [3, 2, 4, 2]
    codes = random_codes(rng, 100, arities, 0.1)
    times = rng.integers(0, 4, 100)
    weighted = PairInformation.of(make_table(codes, arities, times.astype(float), target=3))
    repeated = PairInformation.of(make_table(np.repeat(codes, times, axis=0), arities, target=3))
    np.testing.assert_allclose(weighted.sums, repeated.sums, rtol=1e-12)


def test_equal_columns_tie_whatever_their_place():
    rng = np.random.default_rng(1)
    one, two, label = (rng.integers(0, 3, 500) for _ in range(3))
    codes = np.column_stack([one, two, one, two, one, label])
    matrix = PairInformation.of(make_table(codes, [3] * 6, target=5)).given_class()
    assert matrix[0, 1] == matrix[0, 3] == matrix[2, 3] == matrix[4, 1]
    assert np.array_equal(matrix, matrix.T)


def test_one_feature_and_no_rows():
    assert PairInformation.of(make_table([[0, 1]], [2, 2], target=1)).given_class().tolist() == [[0.0]]
    empty = PairInformation.of(make_table(np.empty((0, 3), dtype=int), [2, 2, 2], target=2))
    assert all((getattr(empty, name)() == 0).all() for name in MEASURES)


def test_a_class_is_needed():
    table = make_table([[0, 1]], [2, 2])
    with pytest.raises(
        ValueError, match="Pairwise information needs a class: the table has no target column"
    ):
        PairInformation.of(table)
    with pytest.raises(ValueError, match="Information about the class needs a class"):
        class_information(table)


@settings(deadline=None)
@given(small_tables(), st.data())
def test_information_about_the_class(example, data):
    codes, arities = example
    target = data.draw(st.integers(0, len(arities) - 1))
    table = make_table(codes, arities, target=target)
    found = class_information(table)
    for value, j in zip(found, table.features, strict=True):
        # The feature in both places: only its own missing values matter.
        expected = SlowPairs(codes, arities, j, j, target).information(CLASS, LEFT)
        assert value == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
def test_information_about_the_class_from_counted_pairs(weighted):
    rng = np.random.default_rng(6)
    arities = [2, 5, 3, 1, 4]
    codes = random_codes(rng, 400, arities)
    table = make_table(codes, arities, rng.random(400) if weighted else None, target=4)
    np.testing.assert_allclose(
        class_information(table, PairInformation.of(table)), class_information(table), atol=1e-12
    )


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6))
def test_entropy_is_the_expected_surprise(counts):
    total = sum(counts)
    expected = -sum(n / total * np.log(n / total) for n in counts if n) if total else 0.0
    assert entropy_of_counts(np.array(counts)) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4))
def test_mutual_information_of_separate_tables(rows):
    one = np.array(rows)
    stacked = np.stack([one, one[::-1], np.zeros_like(one)])
    information = mutual_information_of_counts(stacked)
    joint = entropy_of_counts(one.sum(axis=0)) + entropy_of_counts(one.sum(axis=1)) - entropy_of_counts(one)
    np.testing.assert_allclose(information, [joint, joint, 0.0], atol=1e-11)
    assert (information >= 0).all()


def test_rows_are_those_in_which_the_class_and_both_features_are_known():
    codes = np.array([[0, 1, 0, 1], [1, -1, 0, 0], [-1, 1, 1, 1], [0, 0, 0, -1]])
    weights = np.array([1.5, 2.0, 4.0, 8.0])
    table = make_table(codes, [2, 2, 2, 2], weights, target=3)
    found = PairInformation.of(table).rows()
    np.testing.assert_allclose(found, [[0, 1.5, 3.5], [1.5, 0, 5.5], [3.5, 5.5, 0]])


@settings(deadline=None)
@given(small_tables(), st.data())
def test_chance_counts_the_free_cells(example, data):
    codes, arities = example
    target = data.draw(st.integers(0, len(arities) - 1))
    weights = None
    if data.draw(st.booleans()):
        each = st.sampled_from([0.0, 0.5, 3.0])
        weights = np.array(data.draw(st.lists(each, min_size=len(codes), max_size=len(codes))))
    table = make_table(codes, arities, weights, target)
    for source in (table, TableSource(table)):
        chance = ChanceInformation.of(source, PairInformation.of(source))
        for row, i in enumerate(table.features):
            assert chance.with_class[row] == pytest.approx(slow_chance(codes, i, None, target, weights))
            for column, j in enumerate(table.features):
                expected = 0.0 if i == j else slow_chance(codes, i, j, target, weights)
                assert chance.given_class[row, column] == pytest.approx(expected)


def test_chance_is_what_independent_columns_seem_to_tell_on_average():
    rng, arities, seen, expected = np.random.default_rng(0), [3, 8, 12, 2], [], []
    for _ in range(200):
        table = make_table(random_codes(rng, 600, arities), arities, None, 3)
        pairs = PairInformation.of(table)
        chance = ChanceInformation.of(table, pairs)
        seen.append([*pairs.given_class()[np.triu_indices(3, 1)], *class_information(table, pairs)])
        expected.append([*chance.given_class[np.triu_indices(3, 1)], *chance.with_class])
    np.testing.assert_allclose(np.mean(seen, axis=0), np.mean(expected, axis=0), rtol=0.12)


def test_states_that_faded_away_no_longer_count():
    rng, arities = np.random.default_rng(0), [50, 4, 2]
    counts = GrowingCounts(make_variables(arities), half_life=50.0)
    for batch in range(30):
        codes = random_codes(rng, 100, [50 if batch < 3 else 3, 4, 2])
        counts.add(make_table(codes, arities, None, 2))
    source = GrowingSource(counts)
    chance = ChanceInformation.of(source, PairInformation.of(source)).given_class[0, 1]
    assert chance == pytest.approx(2 * 2 * 3 / (2 * source.total_weight), rel=0.01)


@pytest.mark.parametrize("n", [1, 2, 5, 128, 129, 300])
def test_a_matrix_has_each_pair_above_and_below_the_diagonal(n):
    sums = np.zeros((n * (n - 1) // 2, 9))
    sums[:, 8] = np.arange(1, len(sums) + 1)
    expected = np.zeros((n, n))
    expected[np.triu_indices(n, 1)] = sums[:, 8]
    np.testing.assert_array_equal(PairInformation(sums, n).rows(), expected + expected.T)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_move_to_other_states_without_a_step_for_each_pair(weighted, monkeypatch):
    rng, before = np.random.default_rng(1), [3, 1, 4, 2, 5, 3]
    old = list(make_variables(before))
    new = list(old)
    old[2], old[4] = (old[j].with_gap() for j in (2, 4))  # gaps that are no states later
    new[1], new[3] = (Variable(f"v{j}", (5, *old[j].states[::-1]), None, "integer") for j in (1, 3))
    codes = random_codes(rng, 80, [3, 1, 5, 2, 6, 3])
    weights = rng.random(80) if weighted else None
    counts, expected = GrowingCounts(old), GrowingCounts(new)
    counts.add(Table.from_codes(old, codes, weights, 5))
    codes[:, 2][codes[:, 2] == 4] = codes[:, 4][codes[:, 4] == 5] = -1
    codes[:, 1], codes[:, 3] = 1, 2 - codes[:, 3]
    expected.add(Table.from_codes(new, codes, weights, 5))
    asked, table = [], PairCounts.table
    monkeypatch.setattr(PairCounts, "table", lambda *pair: asked.append(pair) or table(*pair))
    moved = counts.on(new)
    assert len(asked) == 0
    assert np.array_equal(moved.pairs.cells, expected.pairs.cells)
    assert moved.pairs.cells.any()
    assert all(map(np.array_equal, moved.by_class, expected.by_class))
    assert np.array_equal(moved.classes, expected.classes)
