import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.data.variable import cut_texts, interval_labels
from reference.counting import make_table, make_variables, random_codes


def test_what_a_table_says_of_itself():
    table = make_table([[0, 1, 2], [1, -1, 0]], [2, 2, 3], np.array([1.0, 2.5]), target=2)
    assert table.names == ("v0", "v1", "v2")
    assert (table.n_rows, table.n_variables, table.features) == (2, 3, (0, 1))
    assert table.arities.tolist() == [2, 2, 3]
    assert table.has_missing.tolist() == [False, True, False]
    assert table.complete_rows().tolist() == [True, False]
    assert table.total_weight == 3.5
    assert make_table([[0], [0]], [1]).total_weight == 2
    assert (table.missing_code, table.codes.dtype) == (255, np.uint8)


@pytest.mark.parametrize(
    ("arity", "dtype"), [(1, np.uint8), (255, np.uint8), (256, np.uint16), (65535, np.uint16)]
)
def test_the_narrowest_codes(arity, dtype):
    table = make_table([[arity - 1], [-1]], [arity])
    assert table.codes.dtype == dtype
    assert table.codes[:, 0].tolist() == [arity - 1, np.iinfo(dtype).max]
    assert table.has_missing.tolist() == [True]


def test_more_states_than_codes():
    with pytest.raises(ValueError, match="'v1' has 65536 states, more than 65535: group them"):
        make_table([[0, 0]], [2, 65536])


@pytest.mark.parametrize("weighted", [False, True])
def test_some_of_the_rows(weighted):
    rng = np.random.default_rng(0)
    codes = random_codes(rng, 20, [2, 300, 4], 0.2)
    weights = rng.random(20) if weighted else None
    table = make_table(codes, [2, 300, 4], weights, target=2, n_jobs=3)
    mask = rng.random(20) < 0.5
    for rows in (mask, np.flatnonzero(mask), np.array([3, 3, 1]), np.array([], dtype=int)):
        part = table.take(rows)
        expected = make_table(codes[rows], [2, 300, 4], None if weights is None else weights[rows])
        assert np.array_equal(part.codes, expected.codes)
        assert part.codes.flags.f_contiguous
        assert (part.target, part.n_jobs, part.variables) == (2, 3, table.variables)
        assert (part.weights is None) == (weights is None)
        if weights is not None:
            assert np.array_equal(part.weights, weights[rows])


def test_some_of_the_columns():
    table = make_table([[0, 1, 2], [1, 0, -1]], [2, 2, 3], target=2)
    part = table.select([2, 0])
    assert part.names == ("v2", "v0")
    assert part.target == 0
    assert part.codes.tolist() == [[2, 0], [255, 1]]
    assert part.has_missing.tolist() == [True, False]
    assert table.select([1]).target is None
    assert part.codes.flags.f_contiguous


def test_no_rows():
    for codes in ([], np.empty((0, 2), dtype=int)):
        table = make_table(codes, [2, 3])
        assert (table.n_rows, table.has_missing.tolist(), table.total_weight) == (0, [False, False], 0)
        assert table.complete_rows().shape == (0,)


def test_shapes_and_codes_are_checked():
    variables = make_variables([2, 3])
    codes = np.zeros((4, 2), dtype=np.uint8, order="F")
    with pytest.raises(ValueError, match=r"The codes have shape \(4, 2\); the table has 1 variables"):
        Table(variables[:1], codes)
    with pytest.raises(ValueError, match=r"The weights have shape \(3,\); the table has 4 rows"):
        Table(variables, codes, np.ones(3))
    with pytest.raises(ValueError, match="'v1' has 3 states, hence codes up to 2; got 3"):
        Table.from_codes(variables, [[0, 0], [1, 3]])


def test_a_table_cannot_be_changed():
    codes = np.zeros((3, 1), dtype=np.uint8, order="F")
    table = Table(make_variables([2]), codes)
    with pytest.raises(AttributeError, match="cannot assign to field 'target'"):
        table.target = 0
    for array in (table.codes, table.arities, table.has_missing):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    codes[0, 0] = 1  # the caller's array stays the caller's


def test_learning_leaves_nothing_in_a_table():
    codes = random_codes(np.random.default_rng(0), 40, [2, 3, 2], 0.0)
    table = make_table(codes, [2, 3, 2], target=2)
    before = set(vars(table))
    dag = bl.TAN().learn(table, np.random.default_rng(0))
    bl.Laplace().fit(table, dag)
    bl.MMPC().select(table, np.random.default_rng(0))
    assert set(vars(table)) == before


def test_hidden_columns_have_no_value():
    table = make_table([[0, 1, 2], [1, 0, -1]], [2, 2, 3], target=2)
    hidden = table.hide([0, 2])
    assert hidden.codes.tolist() == [[255, 1, 255], [255, 0, 255]]
    assert hidden.has_missing.tolist() == [True, False, True]
    assert (hidden.variables, hidden.target) == (table.variables, 2)
    assert table.codes.tolist() == [[0, 1, 2], [1, 0, 255]]
    assert make_table([], [2, 3]).hide([0]).has_missing.tolist() == [False, False]


# Variables


def test_kinds_of_variables():
    smoker, age = Variable("smoker", ("no", "yes")), Variable.numeric("age", [18, 65], "integer")
    assert (smoker.kind, smoker.arity, age.kind, age.arity) == ("categorical", 2, "numeric", 3)
    assert age.cuts == (18.0, 65.0)
    assert Variable.numeric("constant", []).states == ("(-inf, inf)",)


@pytest.mark.parametrize("state", ["maybe", None, 1, float("nan")])
def test_states_that_are_not_there(state):
    with pytest.raises(ValueError, match=r"'smoker' has no state .*; its states are 'no', 'yes'\."):
        Variable("smoker", ("no", "yes")).code(state)


def test_a_long_list_of_states_is_cut_short():
    with pytest.raises(ValueError, match=r"its states are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\.\."):
        Variable("k", tuple(range(50)), None, "integer").code(99)


def test_numbers_of_any_type_find_their_interval():
    age = Variable.numeric("age", [18, 65])
    for number in (40, 40.0, np.int64(40), np.float32(40), np.uint8(40)):
        assert age.code(number) == 1
    assert [age.code(value) for value in (18, 18.0001, 65, 1e9, -1e9)] == [0, 1, 1, 2, 0]
    assert age.code("(65, inf)") == 2
    with pytest.raises(ValueError, match=r"'age' has no state .*nan"):
        age.code(np.float64("nan"))
    with pytest.raises(ValueError, match="'age' has no state True"):
        age.code(True)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8, unique=True).map(sorted))
def test_interval_labels_tell_the_intervals_apart(cuts):
    labels = interval_labels(cuts)
    assert len(set(labels)) == len(labels) == len(cuts) + 1


@given(st.lists(st.integers(-(10**8), 10**8), min_size=2, max_size=8, unique=True).map(sorted))
def test_whole_numbers_are_in_the_interval_that_is_written(values):
    """Cut half way between them: each is above the cut before and not above its own, as these are written."""
    cuts = [low + (high - low) / 2 for low, high in pairwise(values)]
    texts = cut_texts(cuts)
    assert not any("e" in text for text in texts)
    edges = [-np.inf, *map(float, texts), np.inf]
    if all(cut % 1 == 0.5 for cut in cuts):
        assert edges[1:-1] == cuts
    for value, low, high in zip(values, edges, edges[1:], strict=False):
        assert low <= value <= high


@pytest.mark.parametrize(
    ("cuts", "texts"),
    [
        ([10_020.0], ["10020"]),
        ([1_235.5], ["1235.5"]),
        ([-10_023.5, 0.25], ["-10023.5", "0.25"]),
        ([0.000125], ["0.000125"]),
        ([1.25e-9], ["1.25e-09"]),
        ([2.5e12], ["2.5e+12"]),
        ([0.1 + 0.2], ["0.3"]),
    ],
)
def test_numbers_have_no_exponent_where_they_are_short(cuts, texts):
    assert cut_texts(cuts) == texts


@pytest.mark.parametrize(
    "variable",
    [
        Variable("s", ("a", "b")),
        Variable("i", (-1, 5), None, "integer", fill=1),
        Variable("b", (False, True), None, "boolean"),
        Variable.numeric("n", [0.1, 1 / 3], "integer", fill=2),
    ],
    ids=lambda variable: variable.name,
)
def test_plain_data_and_back(variable):
    assert Variable.from_dict(variable.to_dict()) == variable


def test_whoever_made_the_codes_cannot_change_the_table():
    variables = (Variable("x", ("a", "b")), Variable("y", ("a", "b")))
    codes, weights = np.zeros((3, 2), dtype=np.uint8, order="F"), np.ones(3)
    table = Table(variables, codes, weights)
    codes[:] = 200
    weights[:] = -1.0
    assert table.codes.max() == 0
    assert table.weights.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("made", ["at once", "from a pickle", "taken", "selected"])
def test_no_array_of_a_table_can_be_written_to(made):
    variables = (Variable("x", ("a", "b")), Variable("y", ("a", "b")))
    table = Table.from_codes(variables, [[0, 1], [-1, 0]], weights=np.array([1.0, 2.0]))
    ways = {
        "at once": lambda: table,
        "from a pickle": lambda: pickle.loads(pickle.dumps(table)),
        "taken": lambda: table.take(np.array([1])),
        "selected": lambda: table.select([1]),
    }
    found = ways[made]()
    for array in (found.codes, found.weights, found.arities, found.has_missing):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_gaps_are_known_after_taking_rows():
    variables = (Variable("x", ("a", "b")), Variable("y", ("a", "b")))
    table = Table.from_codes(variables, [[0, 1], [-1, 0], [1, 1]])
    assert table.take(np.array([0, 2])).has_missing.tolist() == [False, False]
    assert table.take(np.array([1, 2])).has_missing.tolist() == [True, False]
