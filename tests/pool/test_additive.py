import pickle

import numpy as np
import pytest

from bayleaf.data import Table, Variable
from bayleaf.explain.evidence import Pair
from bayleaf.pool.additive import AdditiveScore, Form, Reading, Term
from bayleaf.pool.mixture import ScoreMixture, caution_of
from reference import pool as slow


def random_score(seed=0, classes=3, codes=5):
    """Tables over one, two and three readings of four columns, and a quadratic form of two."""
    rng = np.random.default_rng(seed)
    readings = []
    for column in (0, 1, 2, 3, 1):
        borders = np.sort(rng.integers(0, 2, codes).cumsum() % 3)
        own = np.unique(borders, return_inverse=True)[1]
        readings.append(Reading(column, np.append(own, own.max() + 1).astype(np.uint16)))
    terms = []
    for own in ((0,), (1, 2), (0, 3, 4), (2, 4)):
        cells = int(np.prod([readings[k].arity for k in own]))
        table = rng.normal(size=(cells, classes - 1)).round(5).astype(np.float32)
        if len(own) == 1:
            table[-1] = 0  # a missing value says nothing
        terms.append(Term(own, table))
    half = rng.normal(size=(classes - 1, 2, 2))
    values = tuple(np.append(rng.normal(size=codes), 0.0) for _ in range(2))
    form = Form((1, 3), values, half + half.transpose(0, 2, 1))
    return AdditiveScore(rng.normal(size=classes - 1), tuple(readings), tuple(terms), (form,))


def random_codes(seed=1, rows=300, codes=5, gaps=0.0, dtype=np.uint8):
    rng = np.random.default_rng(seed)
    found = rng.integers(0, codes, (rows, 4)).astype(dtype)
    found[rng.random(found.shape) < gaps] = np.iinfo(dtype).max
    return np.asfortranarray(found)


def native_scores(score, codes, threads=1):
    mixture = ScoreMixture([score], 0.1, np.full(len(score.bias) + 1, 1 / (len(score.bias) + 1)))
    out = np.empty((len(codes), len(score.bias)))
    mixture.native.scores(0, codes, out, threads)
    return out


@pytest.mark.parametrize("classes", [2, 3, 12])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_scores_are_sums_of_entries_and_forms(classes, dtype):
    score, codes = random_score(classes=classes), random_codes(gaps=0.2, dtype=dtype)
    found = native_scores(score, codes)
    np.testing.assert_allclose(found, slow.additive_scores(score, codes), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found, native_scores(score, codes, threads=3))


def test_contributions_and_bias_are_the_scores():
    score, codes = random_score(), random_codes()
    added = score.contributions(codes)
    np.testing.assert_allclose(added.sum(axis=1) + score.bias, native_scores(score, codes), atol=1e-9)


def test_an_entry_is_divided_among_the_columns_that_are_known():
    table = np.arange(9, dtype=np.float32)[:, None]
    readings = (Reading(0, np.arange(3, dtype=np.uint16)), Reading(1, np.arange(3, dtype=np.uint16)))
    score = AdditiveScore(np.zeros(1), readings, (Term((0, 1), table),), ())
    codes = np.array([[1, 1], [1, 255]], dtype=np.uint8)
    assert score.contributions(codes)[..., 0].tolist() == [[2.0, 2.0], [5.0, 0.0]]


def test_probabilities_are_a_mixture():
    scores, prior, codes = [random_score(k) for k in range(3)], np.array([0.5, 0.3, 0.2]), random_codes()
    mixture = ScoreMixture(scores, 0.05, prior)
    expected = 0.05 * prior
    for score in scores:
        own = np.exp(np.column_stack([np.zeros(len(codes)), slow.additive_scores(score, codes)]))
        expected = expected + 0.95 / 3 * own / own.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mixture.probabilities(codes), expected, rtol=1e-9)
    np.testing.assert_allclose(mixture.probabilities(codes).sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(mixture)).probabilities(codes), mixture.probabilities(codes)
    )
    np.testing.assert_array_equal(mixture.score_row(codes[7], complete=True), mixture.probabilities(codes)[7])


def test_evidence_adds_up_to_the_log_odds():
    mixture = ScoreMixture([random_score(k) for k in range(3)], 0.05, np.array([0.5, 0.3, 0.2]))
    variables = tuple(Variable(str(j), tuple(range(5))) for j in range(4))
    codes = random_codes(rows=60).astype(int)
    table = Table.from_codes(variables, codes)
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, 3, 60)
    pair = Pair(chosen, (chosen + rng.integers(1, 3, 60)) % 3)
    evidence, before_any, log_odds = mixture.weigh(table, pair)
    np.testing.assert_allclose(before_any + evidence.sum(axis=1), log_odds, atol=1e-9)
    probabilities = np.log(mixture.probabilities(table.codes))
    rows = np.arange(60)
    np.testing.assert_allclose(
        log_odds, probabilities[rows, pair.chosen] - probabilities[rows, pair.other], atol=1e-12
    )


def test_one_score_without_caution_is_explained_by_its_own_sums():
    score = random_score(classes=2)
    mixture = ScoreMixture([score], 0.0, np.array([0.5, 0.5]))
    table = Table.from_codes(
        tuple(Variable(str(j), tuple(range(5))) for j in range(4)), random_codes().astype(int)
    )
    pair = Pair(np.ones(300, dtype=int), np.zeros(300, dtype=int))
    evidence, before_any, _ = mixture.weigh(table, pair)
    np.testing.assert_allclose(evidence, score.contributions(table.codes)[..., 0], atol=1e-9)
    np.testing.assert_allclose(before_any, score.bias[0], atol=1e-9)


def test_scores_of_any_size_keep_evidence_finite():
    readings = (Reading(0, np.arange(3, dtype=np.uint16)),)
    table = np.array([[900.0, -900.0], [-900.0, -1800.0], [0.0, 0.0]], dtype=np.float32)
    mixture = ScoreMixture(
        [AdditiveScore(np.zeros(2), readings, (Term((0,), table),), ())], 0.01, np.full(3, 1 / 3)
    )
    rows = Table.from_codes((Variable("x", (0, 1)),), [[0], [1]])
    for pair in (Pair(np.array([1, 0]), np.array([2, 1])), Pair(np.array([2, 2]), np.array([0, 1]))):
        evidence, before_any, log_odds = mixture.weigh(rows, pair)
        np.testing.assert_allclose(before_any + evidence.sum(axis=1), log_odds, atol=1e-9)


def test_caution_maximises_the_likelihood_of_held_out_rows():
    rng = np.random.default_rng(0)
    own = np.clip(rng.beta(8, 1, 200), 1e-6, 1 - 1e-6)
    held_out = np.log(np.column_stack([own, 1 - own]))
    prior, target = np.array([0.6, 0.4]), (rng.random(200) > 0.9).astype(np.int32)
    found = caution_of([held_out], target, prior, None)

    def likelihood(caution):  # with a row that only caution explains, and one that it does not
        probabilities = (1 - caution) * np.exp(held_out[np.arange(200), target]) + caution * prior[target]
        return np.log(probabilities).sum() + np.log(caution) + np.log(1 - caution)

    grid = np.linspace(0.001, 0.999, 999)
    assert found == pytest.approx(grid[np.argmax([likelihood(each) for each in grid])], abs=2e-3)
