"""How much evidence counts, learned online: rows are judged by the counts of other rows before they are counted.

Tables of counts are too sure wherever features repeat one another. So the evidence of each feature is weighed,
without its parent and with it:

    log P(c | row) = log P(c) + sum over features of u_i log P(x_i | c) + v_i log P(x_i | parent, c) + const.

With u = 0 and v = 1 this is the network, with u = 1 and v = 0 naive Bayes, and with all weights zero there are only
the class frequencies. No weight is negative: nothing counts as evidence of the contrary. Every batch of rows is
scored by the counts before it, and weights follow by Newton's method. Of earlier batches only the quadratic
approximations of their losses are kept, at the weights that they led to: sums of second derivatives, and what they
pull to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from bayleaf._util.params import one_thread
from bayleaf.counts import count
from bayleaf.counts.contingency import CountSource
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network.member import KNOTS, BackedOff, EvidenceTables, GapCaution, TwoReadings

from .held_out import (
    FamilyCells,
    FloatArray,
    OutOfSample,
    Target,
    class_codes,
    decisions,
    log_softmax,
    order_of_content,
    row_figures,
    usual_gaps,
)
from .stages import log_loss_slopes, newton_above_zero
from .tuned_tables import frequencies_of, normalised, parents_in_order

# Without a parent, and with it.
LEVELS = 2
# Before any row is judged, evidence counts half, in equal parts. The variance of what the weights of a level have in
# common, and of what each is beyond.
CENTRE, COMMON_VARIANCE, OWN_VARIANCE = 0.25, 1.0, 0.05
# With more features there is one weight for all of them.
MOST_FEATURES = 256
# Features that repeat one another share what they count: where some are missing, the others count more, by this times
# the share that is missing.
WITH_GAPS = 0.5
# Of larger batches a part is judged, and counts for all.
MOST_JUDGED, MOST_NUMBERS = 5000, 10_000_000


@dataclass(frozen=True)
class Judged:
    """Rows that were scored by the counts of others.

    Attributes
    ----------
    log_prior : ndarray of shape (classes,)
        Of the class frequencies in what was counted.
    evidence : ndarray of shape (2, features, rows, classes)
        log P(x | c), and log P(x | parents, c), which is the same where a parent is missing; zero where the value is.
    target : ndarray of shape (rows,)
    weights : ndarray of shape (rows,)
    counted : float
        The weight of the rows that they were scored by.
    """

    log_prior: FloatArray
    evidence: FloatArray
    target: Target
    weights: FloatArray
    counted: float

    @classmethod
    def of(cls, source: CountSource, dag: DAG, rows: Table, places: Sequence[int], features: int) -> Self:
        """Score rows by counts that do not have them, each feature at its place among all ``features``."""
        share = 1.0
        classes = source.variables[-1].arity
        most = max(min(MOST_JUDGED, MOST_NUMBERS // (LEVELS * features * classes)), 1)
        if rows.n_rows > most:  # which ones depends on their content, not on their order
            chosen = np.sort(order_of_content(rows)[:: -(-rows.n_rows // most)])
            share, rows = rows.n_rows / len(chosen), rows.take(chosen)
        families = FamilyCells.of(source, dag)
        tables = families.log_tables(source)
        evidence = np.zeros((LEVELS, features, rows.n_rows, classes))
        own, full = families.cells(rows, 0), families.cells(rows)
        for family, without, given in zip(families.families, own, full, strict=True):
            known, place = without >= 0, places[family[0]]
            evidence[0, place, known] = tables[without[known]]
            evidence[1, place, known] = tables[given[known]]
        counted = count(source, [[families.target]])[0]
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        prior = np.log(frequencies_of(counted))
        return cls(prior, evidence, class_codes(rows), share * weights, float(counted.sum()))

    def columns(self, per_feature: bool) -> FloatArray:
        """Return what each number is multiplied by, [number, row, class]."""
        evidence = self.evidence if per_feature else self.evidence.sum(axis=1, keepdims=True)
        columns: FloatArray = evidence.reshape(-1, *evidence.shape[2:])
        return columns

    def log_probabilities(self, weights: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities that rows get by weights [level, feature]."""
        return log_softmax(self.log_prior + np.tensordot(weights, self.evidence, 2))


@dataclass(frozen=True)
class JudgedRows:
    """How good answers to rows were that had not been counted yet: sums, of which `OutOfSample` is made.

    Attributes
    ----------
    rows : int
        How many rows were judged.
    sums : ndarray
        Of one, and of the figures of `row_figures` for the answers and for the class frequencies, the entropy of the
        answers, and powers of their log-loss and of how far it is above the entropy; as often as each row counts.
    squares : ndarray of shape (3,)
        Of how often rows count, squared, times powers 0, 1 and 2 of what the answers gain in log-loss.
    costs : tuple of tuples, optional
        What decisions cost, [true class, decision].
    """

    rows: int = 0
    sums: FloatArray = field(default_factory=lambda: np.zeros(14))
    squares: FloatArray = field(default_factory=lambda: np.zeros(3))
    costs: tuple[tuple[float, ...], ...] | None = None

    def faded(self, share: float) -> Self:
        """Return the same where rows count less."""
        return replace(self, sums=share * self.sums, squares=share**2 * self.squares)

    def with_rows(self, log_probabilities: FloatArray, rows: Judged, costs: FloatArray | None) -> Self:
        """Add rows. Where decisions cost something else than before, only these rows count."""
        stated = None if costs is None else tuple(map(tuple, costs.tolist()))
        before = self if stated == self.costs else type(self)(costs=stated)
        counts = rows.weights > 0
        probabilities, target = np.exp(log_probabilities[counts]), rows.target[counts]
        prior, weights = np.exp(rows.log_prior), rows.counted * rows.weights[counts]
        own, usual = (
            _figures(each, target, prior, costs) for each in (probabilities, np.tile(prior, (len(target), 1)))
        )
        entropy, gain = entr(probabilities).sum(axis=1), usual[0] - own[0]
        surprise = own[0] - entropy
        powers = [entropy, own[0] ** 2, own[0] ** 3, surprise**2, surprise**3]
        sums = np.stack([np.ones(len(target)), *own, *usual, *powers]) @ weights
        squares = np.stack([np.ones(len(target)), gain, gain**2]) @ weights**2
        return replace(
            before, rows=before.rows + len(target), sums=before.sums + sums, squares=before.squares + squares
        )

    def out_of_sample(self) -> OutOfSample | None:
        """Return how good the answers were; None where no row was judged."""
        total = float(self.sums[0])
        if not total:
            return None
        means = (self.sums[1:] / total).tolist()
        (loss, right, square, cost), (usual_loss, usual_right, usual_square, usual_cost) = (
            means[:4],
            means[4:8],
        )
        entropy, loss2, loss3, surprise2, surprise3 = means[8:]
        gain = usual_loss - loss
        spread = float(np.array([gain**2, -2.0 * gain, 1.0]) @ self.squares)
        found = OutOfSample(
            self.rows,
            log_loss=loss,
            accuracy=right,
            brier=square,
            frequencies_log_loss=usual_loss,
            frequencies_accuracy=usual_right,
            frequencies_brier=usual_square,
            gain_error=max(spread, 0.0) ** 0.5 / total,
            expected_log_loss=entropy,
            loss_shape=_shape(loss, loss2, loss3),
            surprise_shape=_shape(loss - entropy, surprise2, surprise3),
        )
        if self.costs is None:
            return found
        return replace(found, costs=self.costs, cost=cost, frequencies_cost=usual_cost)


def _figures(
    probabilities: FloatArray, target: Target, prior: FloatArray, costs: FloatArray | None
) -> list[FloatArray]:
    """Return log-loss, whether the decision is right, Brier score and cost of each row."""
    decided = decisions(probabilities, prior, costs)
    cost = np.zeros(len(target)) if costs is None else costs[target, decided]
    return [*row_figures(probabilities, target, decided), cost]


def _shape(mean: float, second: float, third: float) -> tuple[float, float]:
    """Return standard deviation and skewness from the means of powers."""
    variance = max(second - mean**2, 0.0)
    skewed = third - 3.0 * mean * second + 2.0 * mean**3
    return variance**0.5, skewed / variance**1.5 if variance > 1e-12 else 0.0


@dataclass(frozen=True)
class OnlineWeights:
    """The weights so far, and what remains of the rows that they were learned from.

    A row that was judged by the counts of n rows counts n times: the more rows were counted, the more the answers are
    like those to come.

    Attributes
    ----------
    weights : ndarray of shape (2, features)
        What log P(x | c) and log P(x | parents, c) count; with more than ``MOST_FEATURES`` the same for all features.
    curvature : ndarray of shape (numbers, numbers)
        Sums of second derivatives of the losses.
    pull : ndarray of shape (numbers,)
        These times the weights they belong to, less the gradients.
    by_gaps : ndarray of shape (features + 1,)
        The weight of the rows with each number of missing values.
    judged : JudgedRows
        How good answers were, each by the weights before it.
    """

    weights: FloatArray
    curvature: FloatArray
    pull: FloatArray
    by_gaps: FloatArray
    judged: JudgedRows

    @classmethod
    def begin(cls, features: int) -> Self:
        """Return what holds before any row was judged."""
        numbers = LEVELS * (features if features <= MOST_FEATURES else 1)
        weights = np.full((LEVELS, features), CENTRE)
        square, by_gaps = np.zeros((numbers, numbers)), np.zeros(features + 1)
        return cls(weights, square, np.zeros(numbers), by_gaps, JudgedRows())

    def with_gaps(self, gaps: NDArray[np.int64], weights: FloatArray | None) -> Self:
        """Add the numbers of missing values of some rows."""
        return replace(self, by_gaps=self.by_gaps + np.bincount(gaps, weights, len(self.by_gaps)))

    @property
    def usual_gaps(self) -> int:
        """As many missing values are nothing unusual: nine of ten rows have no more."""
        return usual_gaps(np.arange(len(self.by_gaps)), self.by_gaps) if self.by_gaps.any() else 0

    def after(self, batch: Judged, costs: FloatArray | None) -> Self:
        """Return the weights after a batch of rows that was judged by the counts before it."""
        with one_thread():
            judged = self.judged.with_rows(batch.log_probabilities(self.weights), batch, costs)
            return replace(self._learned([batch]), judged=judged)

    def crossed(self, folds: Sequence[Judged], costs: FloatArray | None) -> Self:
        """Return the weights after folds of a batch, each judged by the others and what had been counted before.

        Answers for a fold are those by the weights that the other folds lead to.
        """
        with one_thread():
            judged = self.judged
            for fold in folds:
                others = self._learned([other for other in folds if other is not fold])
                judged = judged.with_rows(fold.log_probabilities(others.weights), fold, costs)
            return replace(self._learned(folds), judged=judged)

    def faded(self, share: float) -> Self:
        """Return the same where what was judged counts less."""
        curvature, pull, by_gaps = (share * each for each in (self.curvature, self.pull, self.by_gaps))
        return replace(self, curvature=curvature, pull=pull, by_gaps=by_gaps, judged=self.judged.faded(share))

    def _learned(self, batches: Sequence[Judged]) -> Self:
        """Return the weights after these rows: the least of their loss, the earlier losses and the penalty."""
        features = self.weights.shape[1]
        per_feature = len(self.pull) == LEVELS * features
        worth = [batch.counted * batch.weights for batch in batches]
        latest = max((batch.counted for batch in batches), default=0.0)
        if not latest:
            return self
        losses = [
            log_loss_slopes(batch.log_prior, batch.columns(per_feature), batch.target, counts / latest)
            for batch, counts in zip(batches, worth, strict=True)
        ]
        penalty, centre = _penalty(len(self.pull) // LEVELS)
        bent, pulled = penalty + self.curvature / latest, centre + self.pull / latest

        def slopes(numbers: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            values, gradients, seconds = zip(*(loss(numbers) for loss in losses), strict=True)
            turned = bent @ numbers
            value = numbers @ turned / 2 - pulled @ numbers + sum(values)
            return float(value), turned - pulled + sum(gradients), bent + sum(seconds)

        first = self.weights if per_feature else self.weights[:, :1]
        numbers = newton_above_zero(slopes, first.ravel())
        _, gradient, second = slopes(numbers)
        curvature = latest * (second - penalty)
        pull = latest * (second @ numbers - gradient - centre)
        weights = np.ascontiguousarray(np.broadcast_to(numbers.reshape(LEVELS, -1), self.weights.shape))
        return replace(self, weights=weights, curvature=curvature, pull=pull)


def _penalty(features: int) -> tuple[FloatArray, FloatArray]:
    """Return the matrix of the penalty on weights, and what it pulls them to: its product with their centre.

    It is the inverse of their covariance: in each level, a common part and one of each feature's own.
    """
    common = 1.0 / OWN_VARIANCE**2 / (1.0 / COMMON_VARIANCE + features / OWN_VARIANCE)
    of_level = np.eye(features) / OWN_VARIANCE - common
    matrix = np.asarray(np.kron(np.eye(LEVELS), of_level), dtype=np.float64)
    return matrix, matrix @ np.full(len(matrix), CENTRE)


def weighed_readings(
    source: CountSource, network: BayesNet, caution: OnlineWeights, places: Sequence[int]
) -> TwoReadings:
    """Return what answers by weighed evidence: a network, and the weighed tables of its features.

    A missing value adds nothing. Where a parent is missing, log P(x | c) counts for both. Where nothing is known, the
    class frequencies are left.

    Parameters
    ----------
    source : CountSource
        Over the network's variables.
    network : BayesNet
        Its class has the class frequencies, and no parents.
    caution : OnlineWeights
    places : sequence of int
        The place of each of the network's features among all.
    """
    dag, classes = network.dag, source.variables[-1].arity
    families = FamilyCells.of(source, dag)
    tables = families.log_tables(source)
    totals, backed_off = np.empty_like(tables), {}
    for number, family in enumerate(families.families):
        alone, given = caution.weights[:, places[family[0]]]
        without = tables[families.slices[number][0]]
        levels = []
        for parents, cells in enumerate(families.slices[number]):
            base = np.tile(without, (families.sizes[number][parents] // len(without), 1))
            totals[cells] = alone * base + given * tables[cells]
            shape = [families.arities[column] for column in (*family[parents:0:-1], family[0])]
            levels.append(totals[cells].reshape(*shape, classes))
        if len(family) > 1:
            backed_off[family[0]] = BackedOff(family[1:], tuple(map(parents_in_order, levels[:-1])))
    scores = families.of_nodes(totals, dag)
    log_prior = np.log(network.tables[families.target])
    weighed = {
        node: np.moveaxis(of_node, dag.parent_indices[node].index(families.target), -1)
        for node, of_node in scores.items()
    }
    scores[families.target] = log_prior
    every = [scores.get(node, np.log(table)) for node, table in enumerate(network.tables)]
    deciding = BayesNet(network.variables, dag, normalised(dag, every), network.target)
    weighed[families.target] = log_prior
    counts = np.zeros((2, len(KNOTS)))
    counts[0, :-1] = 1.0 + WITH_GAPS * np.array(KNOTS[:-1])
    evidence = EvidenceTables(deciding, backed_off, weighed)
    return TwoReadings(network, evidence, GapCaution(caution.usual_gaps, counts))
