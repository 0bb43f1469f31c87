from dataclasses import replace

import numpy as np
import pytest

from bayleaf.learn.tuning import CellProblem, Correction, Part, follow, held_out_loss, maximise, walk
from reference import tuning as slow


def random_problem(seed=0, rows=80, families=3, classes=3, states=4, weighted=True, numbers=0):
    """Cells in disjoint stretches, some rows without a cell; returned with how many corrections there are."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, states, (max(families, 1), rows))
    cells = np.where(codes < 0, -1, codes + states * np.arange(len(codes))[:, None]).astype(np.int32)
    target = (codes[0] % classes).astype(np.int32)
    noise = rng.random(rows) < 0.4
    target[noise] = rng.integers(0, classes, noise.sum())
    base = rng.normal(size=(rows, classes))
    weights = rng.uniform(0.5, 2.0, rows) if weighted else None
    problem = CellProblem(base, cells[:families], target, weights)
    if numbers:
        problem = replace(problem, numbers=rng.normal(size=(numbers, rows)))
    return problem, states * families + numbers


def random_correction(cells, classes, seed=1):
    rng = np.random.default_rng(seed)
    return Correction(0.8, rng.normal(size=classes), rng.normal(size=(cells, classes)))


@pytest.mark.parametrize("classes", [2, 3, 26])
@pytest.mark.parametrize(("families", "numbers"), [(3, 0), (0, 2), (4, 0), (7, 2), (8, 1)])
def test_scores_loss_and_gradient_are_those_of_the_formula(classes, families, numbers):
    problem, corrections = random_problem(classes=classes, rows=60, families=families, numbers=numbers)
    given = random_correction(corrections, classes)
    cells = corrections - numbers

    def said_by_numbers(correction):
        return problem.numbers.T @ correction.cells[cells:] if numbers else 0.0

    expected = slow.corrected(problem.base, problem.cells, given.scale, given.bias, given.cells[:cells])
    np.testing.assert_allclose(problem.scores(given), expected + said_by_numbers(given), rtol=1e-9)

    def formula(flat):
        apart = Correction.from_flat(flat, classes)
        base = apart.scale * problem.base + said_by_numbers(apart)
        return slow.cell_loss(
            base, problem.cells, problem.target, problem.weights, 1.0, apart.bias, apart.cells[:cells]
        )

    value, gradient = problem.loss(given.flat())
    assert value == pytest.approx(formula(given.flat()), rel=1e-12)
    np.testing.assert_allclose(gradient, slow.slope(formula, given.flat()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("max_iter", [1, 20])
def test_what_is_pulled_infinitely_stays_and_all_else_lowers_the_loss(classes, max_iter):
    problem, corrections = random_problem(classes=classes, families=5)
    start = Correction.none(classes, corrections)
    found = maximise(problem, np.ones(corrections), start, max_iter, np.inf)
    assert found.scale == 1.0
    assert not found.bias.any()
    assert problem.loss(found.flat())[0] < problem.loss(start.flat())[0]


def test_threads_do_not_change_a_bit():
    problem, corrections = random_problem(rows=60_000, families=13)
    given = random_correction(corrections, 3).flat()
    pulls = np.ones(len(given))
    by_threads = [replace(problem, n_jobs=n_jobs) for n_jobs in (1, 2, 5)]
    results = [(*each.loss(given), each.lower(given, pulls, 5)) for each in by_threads]
    for value, gradient, lower in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])
        np.testing.assert_array_equal(lower, results[0][2])


def test_the_order_of_rows_does_not_matter_and_weights_are_copies():
    problem, cells = random_problem(rows=40, weighted=False)
    times = np.random.default_rng(4).integers(0, 4, 40)
    rows = np.random.default_rng(5).permutation(np.repeat(np.arange(40), times))
    given = random_correction(cells, 3).flat()
    weighted = CellProblem(problem.base, problem.cells, problem.target, times.astype(float))
    one, other = weighted.loss(given), problem.take(rows).loss(given)
    assert one[0] == pytest.approx(other[0], rel=1e-12)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("doubted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_no_other_corrections_do_better(classes, doubted):
    problem, cells = random_problem(classes=classes)
    if doubted:
        problem = replace(problem, doubt=np.linspace(0.05, 0.1, classes))
    penalties = np.linspace(0.5, 3.0, cells)
    found = maximise(problem, penalties, Correction.none(classes, cells), max_iter=500)
    pull = np.concatenate([np.full(1 + classes, 0.1), np.repeat(penalties, classes)])

    def objective(numbers):
        away = numbers - np.eye(len(numbers))[0]
        return problem.loss(numbers)[0] + 0.5 * float(pull @ away**2)

    best, rng = objective(found.flat()), np.random.default_rng(0)
    for _ in range(200):
        assert objective(found.flat() + rng.normal(0, 0.02, len(pull))) > best - 1e-3


def halves(problem, relative):
    fold = np.arange(len(problem.target)) % 2
    return [Part.of(problem, fold == k, relative) for k in range(2)]


def test_a_walk_ends_where_held_out_rows_lose():
    problem, cells = random_problem(rows=300)
    strengths = (300.0, 30.0, 3.0, 0.3, 0.03, 0.003)
    found = walk(
        halves(problem, np.ones(cells)), problem.target, problem.weights, strengths=strengths, max_iter=100
    )
    assert len(found.strengths) < len(strengths)  # noise does not pay for ever
    assert found.loss == min(found.losses) == found.losses[len(found.strengths) - 1]
    assert found.loss == pytest.approx(held_out_loss(found.scores, problem.target, problem.weights))
    plain = held_out_loss(problem.base, problem.target, problem.weights)
    assert found.loss < plain


def test_a_walk_gives_up_above_its_bound():
    problem, cells = random_problem()
    found = walk(halves(problem, np.ones(cells)), problem.target, problem.weights, bound=0.0)
    assert len(found.losses) == 2


def test_cells_of_an_earlier_phase_keep_their_penalty():
    problem, cells = random_problem()
    fixed, relative = np.repeat([5.0, 0.0], [4, cells - 4]), np.repeat([0.0, 1.0], [4, cells - 4])
    nobody = np.zeros(len(problem.target), dtype=bool)
    part = Part.of(problem, nobody, relative, fixed, Correction.none(3, 4))
    expected = maximise(problem, fixed + 2.0 * relative, Correction.none(3, cells), 20)
    np.testing.assert_allclose(follow(part, (2.0,)).cells, expected.cells, atol=1e-12)


def test_separable_rows_stay_finite():
    target = np.arange(60, dtype=np.int32) % 3
    problem = CellProblem(np.zeros((60, 3)), target[None].copy(), target)
    nobody = np.zeros(60, dtype=bool)
    found = follow(Part.of(problem, nobody, np.ones(3)), (300.0, 1.0, 0.03))
    assert np.isfinite(found.flat()).all()
    assert (problem.scores(found).argmax(axis=1) == target).all()
