"""Sums over the cells of every set of variables against scores of single families."""

from dataclasses import replace

import numpy as np
import pytest

from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.learn.scores import BIC, K2, BDeu, LogLikelihood
from bayleaf.learn.search import ExactLimits
from bayleaf.learn.search.exact_search import _sum_sets, make_problem
from bayleaf.learn.structure import Exact
from reference.scored_networks import best_by_arrays, random_table


@pytest.mark.parametrize("augmented", [False, True])
def test_groups_of_all_sizes(augmented):
    # Skewed columns leave groups of one row, a few, dozens, hundreds, and more than the tables of terms hold; with
    # weights, a group of few different rows may still be large.
    rng = np.random.default_rng(16)
    n, rows = 9, 6000
    variables = tuple(Variable(f"v{j}", tuple(range(2 + j % 3)), None, "integer") for j in range(n))
    codes = np.stack(
        [rng.choice(2 + j % 3, rows, p=[0.9, *[0.1 / (1 + j % 3)] * (1 + j % 3)]) for j in range(n)], axis=1
    )
    codes[:, 8] = (codes[:, 0] + codes[:, 1] * codes[:, 2]) % 4
    table = Table(
        variables, np.asfortranarray(codes.astype(np.uint8)), rng.integers(1, 6, rows).astype(float), n - 1
    )
    features, given = n - augmented, (n - 1,) * augmented
    families = [
        (node, (*[j for j in range(features) if mask >> j & 1], *given))
        for node in range(features)
        for mask in range(1 << features)
        if not mask >> node & 1
    ]
    values = dict(zip(families, BDeu().families(table, families).tolist(), strict=True))
    dag = Exact(augmented=augmented).learn(table, rng)
    found = sum(values[family] for family in enumerate(dag.parent_indices) if family[0] < features)
    assert found == pytest.approx(best_by_arrays(features, values), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "augmented"), [((150, 47, 3), True), ((150, 4, 1), True), ((2, 1, 1), False)]
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_classes_of_few_rows_and_few_rows_at_all(counts, augmented, jobs):
    # Groups of at most four rows are set aside; those that are so small from the start belong to all sets.
    n, rows = 10, sum(counts)
    rng = np.random.default_rng(17)
    variables = tuple(Variable(f"v{j}", (0, 1, 2)[: 2 + (j == n - 1)], None, "integer") for j in range(n))
    codes = np.column_stack([rng.integers(0, 2, (rows, n - 1)), np.repeat([0, 1, 2], counts)])
    table = Table.from_codes(variables, codes, None, n - 1, n_jobs=jobs)
    assert_all_families_right(table, BDeu(), augmented)


@pytest.mark.parametrize("score", [BDeu(), BIC(), K2(), LogLikelihood()], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_all_families_that_the_search_compares(score, seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([3, 30, 300, 3000]))
    weights = None if seed % 2 else rng.integers(0, 4, rows).astype(float)
    table = random_table(rng, 9, rows, most_states=2 + seed % 3, weights=weights, target=8)
    assert_all_families_right(table, score, augmented=bool(rng.integers(2)))


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_variables_that_tell_the_same(augmented, noise):
    # Rows that differ only in variables left out become one: here most groups end as one row of a large weight.
    rng = np.random.default_rng(18)
    n, rows = 9, 2000
    first = rng.integers(0, 3, rows)
    codes = np.where(rng.random((rows, n)) < noise, rng.integers(0, 3, (rows, n)), first[:, None])
    variables = tuple(Variable(f"v{j}", (0, 1, 2), None, "integer") for j in range(n))
    table = Table.from_codes(variables, codes, None, n - 1)
    assert_all_families_right(table, BDeu(), augmented)


def test_threads_do_not_change_the_last_digit_of_any_sum():
    table = random_table(np.random.default_rng(19), 12, 2000, target=11)
    sums = []
    for jobs in (1, 2, 3):
        problem = make_problem(replace(table, n_jobs=jobs), ExactLimits(augmented=True))
        form = BDeu().set_form(table)
        sums.append(_sum_sets(problem, form, lambda kernel, *_: kernel(np.zeros(2, np.int64))).joint)
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_array_equal(sums[0], sums[2])


def assert_all_families_right(table, score, augmented):
    """Not only the winner: every difference of sums is the score of its family."""
    problem = make_problem(table, ExactLimits(augmented=augmented))
    form = score.set_form(table)
    sums = _sum_sets(problem, form, lambda kernel, *_: kernel(np.zeros(2, np.int64)))
    n = len(problem.columns)
    indices = [(child, mask) for child in range(n) for mask in range(1 << n) if not mask >> child & 1]
    families = [
        (
            problem.columns[child],
            tuple(sorted((*problem.given, *[j for i, j in enumerate(problem.columns) if mask >> i & 1]))),
        )
        for child, mask in indices
    ]
    given = [sums.joint if row < 0 else sums.given[row] for row in sums.given_of]
    found = np.array([sums.joint[mask | 1 << child] - given[child][mask] for child, mask in indices])
    counted = np.abs(found) < 1e20  # others cannot win, whatever they score
    expected = score.families(table, families)
    np.testing.assert_allclose(found[counted], expected[counted], rtol=1e-9, atol=1e-7)
    best = {}
    for (child, _), value in zip(indices, expected, strict=True):
        best[child] = max(best.get(child, -np.inf), value)
    assert all(
        value < best[child]
        for (child, _), value, seen in zip(indices, expected, counted, strict=True)
        if not seen
    )


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("given", [0, 1, 2, 3])
def test_columns_of_all_sets(given, whole):
    """Rows that begin alike may be merged only once they are divided by every column that belongs to all sets."""
    rng = np.random.default_rng(20)
    variables, rows = 5, 80
    arities = np.array([2, 2, 3, 3, 4, *[3] * given])
    codes = np.asfortranarray(rng.integers(0, arities, (rows, len(arities))).astype(np.uint8))
    sums = np.empty(2**variables)
    entropy = 2
    _core.subset_sums(
        codes,
        arities,
        variables,
        None,
        whole,
        entropy,
        0.0,
        0.0,
        variables,
        np.inf,
        sums,
        np.zeros(2, np.int64),
        1,
    )
    for number, found in enumerate(sums):
        members = [j for j in range(len(arities)) if j >= variables or number >> j & 1]
        cells = np.unique(codes[:, members], axis=0, return_counts=True)[1]
        assert found == pytest.approx(float((cells * np.log(cells)).sum()))


@pytest.mark.parametrize("real", [np.float64, np.float32])
def test_of_parents_that_are_as_good_the_fewest_and_then_the_first_are_taken(real):
    """Each of two variables explains the third, and both together do so better, but by less than the tolerance."""
    # Of the sets {}, {0}, {1}, {0, 1}, then the same with the third variable.
    sums = -np.array([0, 1, 1, 2, 10, 6, 6, 7 - 1e-4], dtype=real)
    parents = np.zeros(3, dtype=np.int64)
    found = _core.best_network(
        sums,
        np.empty((0, 1), dtype=real),
        np.full(3, -1),
        np.zeros(3, dtype=np.int64),
        np.array([0b110, 0b101, 0]),  # the first two may have no parents
        1e-3,
        parents,
        np.zeros(2, dtype=np.int64),
        1,
    )
    assert found
    assert parents.tolist() == [0, 0, 0b001]
