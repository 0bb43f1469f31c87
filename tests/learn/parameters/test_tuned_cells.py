"""Of very many cells, conditional likelihood tunes those that occur; tables that cannot fit are refused at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad

from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.parameters import ConditionalLikelihood, Laplace, MaximumLikelihood
from bayleaf.learn.parameters import conditional_objective as module
from bayleaf.learn.parameters import conditional_objective as seen_cells
from bayleaf.learn.parameters.conditional_objective import Objective

VARIABLES = (
    Variable("a", tuple("0123")),
    Variable("b", tuple("01234")),
    Variable("class", tuple("012")),
)
GRAPHS = (
    DAG(["a", "b", "class"], [("class", "a"), ("class", "b"), ("a", "b")]),
    DAG(["a", "b", "class"], [("class", "a"), ("b", "class")]),
)


def a_table(seed: int, rows: int = 12) -> Table:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, variable.arity, rows) for variable in VARIABLES])
    codes[rng.random(codes.shape) < 0.1] = -1
    codes[:, 2] = rng.integers(0, 3, rows)
    return Table.from_codes(VARIABLES, codes, target=2)


@pytest.fixture
def some(monkeypatch):
    """Every table counts as one with very many cells."""
    monkeypatch.setattr(module, "MOST_TUNED", 0)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(GRAPHS))
def test_the_start_has_the_same_value_and_the_gradient_is_that_of_the_value(seed, dag):
    table = a_table(seed)
    tables = Laplace().fit(table, dag)
    full = Objective.of(table, dag, tables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_TUNED", 0)
        part = Objective.of(table, dag, tables)
    assert len(part.start) < len(full.start)
    assert part.value(part.start) == pytest.approx(full.value(full.start))
    moved = part.start + np.random.default_rng(seed).normal(scale=0.3, size=len(part.start))
    error = check_grad(lambda b: part(b)[0], lambda b: part(b)[1], moved, epsilon=1e-6)
    assert error < 1e-4
    # The tables of these parameters give the same likelihood to the objective of all cells.
    of_moved = part.tables(moved)
    again = Objective.of(table, dag, of_moved)
    assert again.value(again.start) == pytest.approx(part.value(moved))
    for before, after in zip(tables, of_moved, strict=True):
        np.testing.assert_allclose(after.sum(axis=-1), 1.0)
        assert before.shape == after.shape


def test_cells_that_occur_in_no_row_keep_their_odds(some):
    table = Table.from_codes(VARIABLES, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 2]] * 5, target=2)
    start = Laplace().fit(table, GRAPHS[0])
    found = ConditionalLikelihood(stopping="converged", start=Laplace()).fit(table, GRAPHS[0])
    before, after = start[1][0], found[1][0]  # P(b | a = 0, class): b = 2, 3, 4 never occur
    np.testing.assert_allclose(after[:, 3] / after[:, 2], before[:, 3] / before[:, 2])
    np.testing.assert_array_equal(found[1][2], start[1][2])  # a = 2 never occurs
    assert not np.allclose(after[:, 0] / after[:, 2], before[:, 0] / before[:, 2])


@pytest.mark.parametrize("stopping", ["cross_tuning", "penalty", "converged"])
def test_the_likelihood_never_falls_below_the_start(some, stopping):
    table = a_table(4, rows=40)
    dag = GRAPHS[0]
    start = MaximumLikelihood().fit(table, dag)
    found = ConditionalLikelihood(stopping=stopping, max_iter=20).fit(table, dag)
    values = [(each := Objective.of(table, dag, tables)).value(each.start) for tables in (start, found)]
    assert values[1] >= values[0] - 1e-9


def test_tables_that_cannot_fit_are_refused_before_any_work(monkeypatch):
    states = tuple(map(str, range(400)))
    variables = (Variable("x", states), Variable("y", states), Variable("class", states[:60]))
    codes = np.column_stack([np.arange(400), np.arange(400), np.arange(400) % 60])
    table = Table.from_codes(variables, codes, target=2)
    dag = DAG(["x", "y", "class"], [("class", "x"), ("class", "y"), ("x", "y")])
    monkeypatch.setattr(module, "available_memory", lambda: 2**28)
    monkeypatch.setattr(ConditionalLikelihood, "beginning", lambda *arguments: pytest.fail("work was done"))
    with pytest.raises(
        ValueError, match=r"needs about \d.*GiB|needs about \d+ MiB for tables of 9,624,060 cells"
    ):
        ConditionalLikelihood().fit(table, dag)


def test_configurations_have_a_place_each_where_sixteen_bits_are_too_few(monkeypatch):
    table = a_table(5, rows=60)
    dag = GRAPHS[0]
    tables = Laplace().fit(table, dag)
    monkeypatch.setattr(module, "MOST_TUNED", 0)
    whole = Objective.of(table, dag, tables)
    monkeypatch.setattr(seen_cells, "DIGIT", 3)
    parts = Objective.of(table, dag, tables)
    moved = whole.start + np.random.default_rng(0).normal(scale=0.3, size=len(whole.start))
    assert parts.factors.codes[:, ::2].max() > 0
    assert parts(moved)[0] == whole(moved)[0]
    np.testing.assert_array_equal(parts(moved)[1], whole(moved)[1])


def test_weights_count_as_rows_do(some):
    table = a_table(6, rows=30)
    doubled = table.take(np.repeat(np.arange(30), 2))
    weighted = Table.from_codes(
        VARIABLES,
        np.where(table.codes == table.missing_code, -1, table.codes.astype(int)),
        np.full(30, 2.0),
        2,
    )
    tables = Laplace().fit(table, GRAPHS[1])
    found = [(each := Objective.of(rows, GRAPHS[1], tables))(each.start) for rows in (doubled, weighted)]
    assert found[0][0] == pytest.approx(found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)
