"""The probabilities of a pool: the mean of those of its scores, and a little of the class frequencies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from bayleaf._native import _core
from bayleaf.data import Table
from bayleaf.data.reader import RowReader
from bayleaf.data.table import Codes
from bayleaf.explain.evidence import Pair, Weighed
from bayleaf.learn.tuning.held_out import usual_gaps
from bayleaf.learn.tuning.stages import fit_gap_weights
from bayleaf.network.member import GapCaution, Gaps

from .additive import AdditiveScore
from .grids import FloatArray, PoolRows
from .pool_learning import Learned, NetworksAlone, learn, learn_naive

# Steps of expectation maximisation for the one number that caution is.
CAUTION_STEPS = 50


class ScoreMixture:
    """P(c | x) = (1 - e) mean over the scores of softmax(score)_c + e P(c), where e is the caution.

    It answers as a `Member` does, can be pickled and shared by threads.

    Parameters
    ----------
    scores : sequence of AdditiveScore
    caution : float
    prior : ndarray of shape (classes,)
        Class frequencies.
    fallback : GapFallback, optional
        For rows with gaps that the scores have not learned to handle.
    """

    weighs_costs = False

    def __init__(
        self,
        scores: Sequence[AdditiveScore],
        caution: float,
        prior: FloatArray,
        fallback: "GapFallback | None" = None,
    ) -> None:
        self.scores = tuple(scores)
        self.caution = caution
        self.prior = prior
        self.fallback = fallback
        self._native: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def share(self) -> float:
        """What the probabilities of each score count."""
        return (1.0 - self.caution) / len(self.scores)

    @property
    def native(self) -> Any:
        """The scores as kernels have them, made when they are first needed."""
        if self._native is None:
            native = _core.AdditiveScores(np.ascontiguousarray(self.prior))
            for score in self.scores:
                native.add(*score.arrays())
            self._native = native
        return self._native

    @property
    def n_numbers(self) -> int:
        """How many numbers the tables and forms have, including those of the fallback."""
        own = sum(score.n_numbers for score in self.scores)
        return own if self.fallback is None else own + self.fallback.mixture.n_numbers

    def probabilities(self, codes: NDArray[Any], n_jobs: int | None = None) -> FloatArray:
        """Return the probabilities of rows of codes, [row, class]."""
        found = self._by_scores(codes, n_jobs)
        if self.fallback is not None:
            unforeseen = self.fallback.unforeseen(codes)
            if unforeseen.any():
                found[unforeseen] = self.fallback.probabilities(codes[unforeseen], n_jobs)
        return self._of_nothing(codes, found)

    def _of_nothing(self, codes: NDArray[Any], found: FloatArray) -> FloatArray:
        """Give rows without a value the class frequencies."""
        missing = np.iinfo(codes.dtype).max
        empty = np.flatnonzero(codes[:, 0] == missing) if codes.shape[1] else np.arange(0)
        if len(empty):
            found[empty[(codes[empty] == missing).all(axis=1)]] = self.prior
        return found

    def _by_scores(self, codes: NDArray[Any], n_jobs: int | None) -> FloatArray:
        out = np.empty((len(codes), len(self.prior)))
        self.native.probabilities(self.share, np.asfortranarray(codes), out, n_jobs)
        return out

    def mixed(self, each: Sequence[FloatArray]) -> FloatArray:
        """Return the probabilities of rows to which each score gives these, [row, class]."""
        mixed: FloatArray = self.share * np.sum(each, axis=0) + self.caution * self.prior
        return mixed

    def score_array(
        self, reader: RowReader, X: NDArray[Any], n_jobs: int | None, *, normalised: bool
    ) -> FloatArray | None:
        """Probabilities, or their logarithms, of an array that the reader takes; None for the general way."""
        table = reader.read_array(X, n_jobs)
        return None if table is None else self.score_table(table, n_jobs, normalised=normalised)

    def score_table(self, table: Table, n_jobs: int | None, *, normalised: bool = True) -> FloatArray:
        """Probabilities, or their logarithms, of rows that are encoded by the schema."""
        found = self.probabilities(table.codes, n_jobs)
        return found if normalised else np.log(found)

    def score_row(self, codes: Codes, *, complete: bool) -> FloatArray:
        """Return the probabilities of one row of codes by the schema, complete or not."""
        quick = complete and not (self.fallback is not None and self.fallback.gaps.are_states)
        row: FloatArray = (self._by_scores if quick else self.probabilities)(codes[None], 1)[0]
        return row

    def weigh(self, table: Table, pair: Pair) -> Weighed:
        """Divide the log-odds of two classes among the features.

        With a mixture P = sum_k q_k of parts q_k, the log-odds of classes a and b are sum_k w_k log q_k(a) / q_k(b),
        where w_k = L(q_k(a), q_k(b)) / L(P(a), P(b)) and L(x, y) = (x - y) / (log x - log y) is the logarithmic mean.
        The log-odds of a score are sums over features; those of the class frequencies belong to none.
        """
        found = self._weigh_scores(table, pair)
        if self.fallback is not None:
            unforeseen = self.fallback.unforeseen(table.codes)
            if unforeseen.any():
                instead = self.fallback.weigh(table.take(unforeseen), pair.take(unforeseen))
                for all_rows, some in zip(found, instead, strict=True):
                    all_rows[unforeseen] = some
        return found

    def _weigh_scores(self, table: Table, pair: Pair) -> Weighed:
        total = self._by_scores(table.codes, table.n_jobs)
        log_odds = pair.odds(np.log(total))
        whole = _logarithmic_mean(total, pair, log_odds)
        constant = np.tile(np.log(self.prior), (table.n_rows, 1))
        odds = pair.odds(constant)
        evidence = np.zeros((table.n_rows, table.n_variables))
        before_any = odds * _logarithmic_mean(self.caution * np.exp(constant), pair, odds) / whole
        for number, score in enumerate(self.scores):
            own = self._scores(number, table)
            odds = pair.odds(own)
            weight = _logarithmic_mean(self.share * softmax(own, axis=1), pair, odds) / whole
            evidence += weight[:, None] * pair.between(score.contributions(table.codes))
            before_any += weight * pair.odds(np.tile(np.append(0.0, score.bias), (table.n_rows, 1)))
        return evidence, before_any, log_odds

    def mean_evidence(self, table: Table) -> FloatArray:
        """Return the mean size of each feature's evidence for the most probable class against the next."""
        order = np.argsort(-self.probabilities(table.codes, table.n_jobs), axis=1, kind="stable")
        evidence, _, _ = self.weigh(table, Pair(order[:, 0], order[:, 1]))
        return np.asarray(np.abs(evidence).mean(axis=0))

    def _scores(self, number: int, table: Table) -> FloatArray:
        """Return one of the scores for all classes, that of the first being 0."""
        against_first = np.empty((table.n_rows, len(self.prior) - 1))
        self.native.scores(number, table.codes, against_first, table.n_jobs)
        return np.column_stack([np.zeros(table.n_rows), against_first])


@dataclass(frozen=True)
class GapFallback:
    """Scores the rows whose gaps the pool has not learned to handle, by its networks alone, and with caution.

    Members that are linear or quadratic in the numbers, and the corrections on top of them, weigh columns against
    each other: where one of two correlated columns is missing, the other decides too much. Networks back off instead.
    With a share g of gaps beyond what is usual their probabilities Q count as much as held-out rows have shown:

        P(c | row) proportional to Q(c)^a(g) P(c)^(1 - a(g)),   a(0) = 1, a(1) = 0.

    Attributes
    ----------
    mixture : ScoreMixture
        Of one score, the networks'.
    gaps : Gaps
        Of the columns that are read.
    gap_caution : GapCaution
        What the networks count in rows with gaps.
    columns : tuple of int
        Those that are read.
    arities : tuple of int
        How many codes each of them has; larger ones are gaps.
    seldom : tuple of bool
        Whether so few training rows had a gap there that a gap is unforeseen.
    most : int
        More gaps in a row are unforeseen wherever they are.
    """

    mixture: ScoreMixture
    gaps: Gaps
    gap_caution: GapCaution
    columns: tuple[int, ...]
    arities: tuple[int, ...]
    seldom: tuple[bool, ...]
    most: int

    def unforeseen(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which rows have gaps that training hardly had."""
        own = codes[:, list(self.columns)]
        gaps = own >= np.array(self.arities)
        judged: NDArray[np.bool_] = gaps[:, list(self.seldom)].any(axis=1) | (gaps.sum(axis=1) > self.most)
        return judged | (self.gaps.count(own) > self.gap_caution.usual)

    def weights(self, codes: NDArray[Any]) -> FloatArray:
        """Return what the networks count in each row."""
        count = self.gaps.count(codes[:, list(self.columns)])
        weights: FloatArray = self.gap_caution.of_share(self.gap_caution.share(count, self.gaps.features))[0]
        return weights

    def _without_gap_states(self, codes: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
        """Return codes in which gaps of some rows tell nothing by themselves."""
        if not (self.gaps.are_states and rows.any()):
            return codes
        changed = np.array(codes, order="F")
        some = codes[rows][:, list(self.columns)]
        self.gaps.as_missing(some)
        changed[np.ix_(np.flatnonzero(rows), np.array(self.columns))] = some
        return changed

    def probabilities(self, codes: NDArray[Any], n_jobs: int | None = None) -> FloatArray:
        """Return the probabilities of rows of codes, [row, class]; the class frequencies where nothing is known."""
        weights = self.weights(codes)
        prior = self.mixture.prior
        cautious = weights != 1.0
        found = self.mixture.probabilities(self._without_gap_states(codes, cautious), n_jobs)
        a = weights[cautious, None]
        with np.errstate(divide="ignore"):
            found[cautious] = softmax(a * np.log(found[cautious]) + (1.0 - a) * np.log(prior), axis=1)
        found[weights == 0.0] = prior
        return found

    def weigh(self, table: Table, pair: Pair) -> Weighed:
        """Divide the log-odds of two classes among the features."""
        weights = self.weights(table.codes)
        known = replace(table, codes=self._without_gap_states(table.codes, weights != 1.0))
        evidence, before_any, log_odds = self.mixture.weigh(known, pair)
        prior = (1.0 - weights) * pair.odds(np.tile(np.log(self.mixture.prior), (table.n_rows, 1)))
        return weights[:, None] * evidence, weights * before_any + prior, weights * log_odds + prior


def caution_of(
    held_out: Sequence[FloatArray], target: NDArray[np.int32], prior: FloatArray, weights: FloatArray | None
) -> float:
    """Return how much the class frequencies should count compared with the mean of held-out probabilities.

    It maximises their likelihood, by expectation maximisation, as if one row more had come that nothing explains.

    Parameters
    ----------
    held_out : sequence of arrays of shape (rows, classes)
        Logarithms of the probabilities of each score.
    target : int32 array of shape (rows,)
    prior : ndarray of shape (classes,)
    weights : ndarray of shape (rows,), optional
    """
    rows = np.arange(len(target))
    own = np.mean([np.exp(each[rows, target]) for each in held_out], axis=0)
    row_weights = np.ones(len(target)) if weights is None else weights
    total = float(row_weights.sum())
    caution = 1.0 / (total + 1.0)
    for _ in range(CAUTION_STEPS):
        by_prior = caution * prior[target]
        caution = (float(row_weights @ (by_prior / (by_prior + (1 - caution) * own))) + 1.0) / (total + 2.0)
    return caution


def logarithmic_mean(x: FloatArray, y: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return (x - y) / (log x - log y), where ``log_ratio`` is log x - log y; x where that is zero."""
    size = np.abs(log_ratio)
    return np.maximum(x, y) * np.where(size == 0, 1.0, -np.expm1(-size) / np.where(size == 0, 1.0, size))


def _logarithmic_mean(probabilities: FloatArray, pair: Pair, log_odds: FloatArray) -> FloatArray:
    rows = np.arange(len(log_odds))
    return logarithmic_mean(probabilities[rows, pair.chosen], probabilities[rows, pair.other], log_odds)


# With fewer rows there is nothing to tune by.
FEWEST_ROWS = 10
# Gaps of a column are seldom if fewer than this share of the rows has one.
SELDOM = 0.01


def mixture_of(learned: Sequence[Learned], rows: PoolRows, prior: FloatArray) -> ScoreMixture:
    """Mix what was learned with several seeds, and as much of the class frequencies as held-out rows ask for."""
    held_out = [each.held_out for each in learned]
    sample = rows.take(slice(len(held_out[0])))
    caution = caution_of(held_out, sample.target, prior, sample.weights)
    fallback = None if learned[0].networks is None else fallback_of(learned[0].networks, rows, sample, prior)
    return ScoreMixture([each.score for each in learned], caution, prior, fallback)


def fallback_of(networks: NetworksAlone, rows: PoolRows, sample: PoolRows, prior: FloatArray) -> GapFallback:
    """Return the networks of one seed, and which gaps the rows leave to them."""
    caution = caution_of([networks.held_out], sample.target, prior, sample.weights)
    arities = tuple(map(len, rows.columns.counts))
    gaps = rows.fine >= np.array(arities)
    share = np.average(gaps, axis=0, weights=rows.weights)
    counting = slice(None) if rows.weights is None else rows.weights > 0
    mixture, some = ScoreMixture([networks.score], caution, prior), networks.with_gaps
    usual = usual_gaps(rows.gaps.count(rows.fine), rows.weights)
    hidden = GapCaution(usual, np.empty((0, 0))).share(rows.gaps.count(some.fine), rows.gaps.features)
    said = np.log(mixture.mixed([softmax(some.scores, axis=1)]))
    weights = fit_gap_weights(said[None], np.log(prior), hidden, some.target, some.weights, sample.n_rows)
    return GapFallback(
        mixture,
        rows.gaps,
        GapCaution(usual, weights),
        rows.places,
        arities,
        tuple((share < SELDOM).tolist()),
        int(gaps[counting].sum(axis=1).max(initial=0)),
    )


def cross_validated(
    rows: PoolRows, prior: FloatArray, folds: int, cycles: int, seed: int, advance: Callable[[str], None]
) -> FloatArray:
    """Return the probabilities of rows, [row, class], by pools of one seed that were learned without their fold."""
    rows = replace(rows, places=tuple(range(rows.n_columns)))  # scores then read the rows as they are here
    fold = rows.dealt_out(folds, seed + folds)
    chances = np.empty((rows.n_rows, rows.classes))
    for k in range(int(fold.max()) + 1):
        others, left_out = rows.take(np.flatnonzero(fold != k)), rows.fine[fold == k]
        if others.n_rows < FEWEST_ROWS or np.count_nonzero(others.class_weights) < 2:
            mixture = ScoreMixture([learn_naive(others)], 1.0 / (others.class_weights.sum() + 2.0), prior)
        else:
            # The networks alone score rows with gaps only.
            gaps = bool(rows.gaps.count(left_out).any())
            mixture = mixture_of([learn(others, cycles, seed, advance, with_networks=gaps)], others, prior)
        chances[fold == k] = mixture.probabilities(left_out, rows.n_jobs)
    return chances
