"""How sure a probability is: an interval of P(class | what is known of a row), for a model of one network.

A probability is wrong for three reasons, whose variances on the scale of log-odds are added up:

1. **Few rows.** A table entry p, counted in n rows, is taken for a share of a Dirichlet distribution of s = n + 1
   rows. Downwards the variance of log p is psi'(p s) - psi'(s), with the trigamma function psi'. Upwards it is
   log(1 + (1 - p) / (p (s + 1))), that of a log-normal number of the same mean and variance: a value that hardly any
   row has may be far less probable than it seems, but not far more. Scores of the classes are sums over the known
   features, and so are their variances V_c.
2. **Dependence that the graph misses**, M: of a feature with another one that is not its parent, as far as it is
   not the same in all classes (`missed_dependence`).
3. **The two readings disagree**: what answers, and the joint network G, its log-odds multiplied by the factor b that
   left-out rows ask for. Of the squared difference the answer gets the share w, more if it is no better than the
   network on held-out rows, and all of it where a third of the values is missing. N rows do not support log-odds
   beyond log(N + 1): where G is farther from 0 than these and than the answer, it counts as the farther of the two.

Together

    Var(logit P_c) = f r^2 (V_c + sum of q_k^2 V_k) + (1 + sum of q_k^2) M + w (logit P_c - logit G_c)^2

with sums over the other classes k, whose probabilities among themselves are q_k; f = 1 + 30 / N for N rows, as the
weights of the evidence are uncertain too; and r = b / b_n, at most 1: features that repeat one another make evidence
count less than b_n = 1 - V / (logit G - logit prior)^2, which is what few rows alone would explain. For the lower
limit the score of the own class moves downwards and the others upwards, for the upper limit the other way round.

M, b, r and w need the rows of fit; the counts of rows are kept with the model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logsumexp, ndtri, polygamma

from bayleaf.counts import Counts, count, family_counts
from bayleaf.counts.information import mutual_information_of_counts
from bayleaf.data import Table
from bayleaf.learn.parameters import Shrinkage
from bayleaf.network import BayesNet
from bayleaf.network.member import TwoReadings
from bayleaf.network.predictors import how_it_predicts

from .record import MOST_SCORED, TrainingRecord, row_scores

FloatArray = NDArray[np.float64]
LEVEL = 0.9  # of the intervals that are shown beside answers
# With how many other features the dependence of a feature is measured, and of how many features: those that tell most
# about the class; from so many tables, cells and rows at most.
MOST_PARTNERS, MOST_FEATURES = 12, 300
MOST_TABLES, MOST_TABLE_CELLS, MOST_ROWS = 300, 20_000, 50_000
# The factor for missed dependence: its log-odds have longer tails than a normal distribution.
TAILS = 1.25
# Counting errors of N rows are taken for 1 + FEW / N times as large.
FEW = 30.0
# Expected rows of a cell that counts, and how exact an estimate of missed dependence must be to count.
LEAST_EXPECTED, LEAST_EXACT = 0.3, 0.3
SWEEPS = 8
# A share is no smaller than that of so many rows among those it is a share of, whatever a table says: tables of other
# learners may have zeros, and rows of large weights nearly so, while the counts are those of rows.
LEAST_ROWS = 0.05


def no_intervals(network: BayesNet, predictor: Any, record: TrainingRecord | None) -> str | None:
    """Say why a model of one network has no intervals; None where it has."""
    query = len(network.nodes) - 1
    if network.dag.parent_indices[query]:
        return (
            f"Intervals need a network in which the class '{network.target}' has no parents: learn another graph, "
            "such as TAN()."
        )
    if not (predictor is network or isinstance(predictor, TwoReadings)):
        return f"There are no intervals for a model that {how_it_predicts(predictor)}: use one network."
    if record is None or record.counts is None or not record.counts.families:
        return (
            "The model has no counts of its training rows to make intervals from: fit it again, not with "
            "class_weight and sample_weight together, and save it without min_count."
        )
    return None


def joint_network(network: BayesNet, predictor: Any, families: Sequence[Counts]) -> BayesNet:
    """Return the graph of a model with `Shrinkage` tables, which has no zeros."""
    if isinstance(predictor, TwoReadings):
        return network
    tables = Shrinkage().left_out(network.dag, families, len(network.nodes) - 1)[0]
    return BayesNet(network.variables, network.dag, tables, network.target)


@dataclass(frozen=True)
class Misfit:
    """How far a network may be off for other reasons than few rows.

    Attributes
    ----------
    factor : float
        b: what the evidence of the joint network is multiplied by, so that it fits left-out rows best; at most 1.
    repeated : float
        r: how much of the counting error is left, as features repeat one another; at most 1.
    share : float
        w: the share of the squared difference of the two readings that is the answer's.
    missed : dict
        By feature, the variance that dependence which the graph misses adds to the score of each class.
    """

    factor: float = 1.0
    repeated: float = 1.0
    share: float = 0.5
    missed: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of_model(cls, table: Table, network: BayesNet, predictor: Any, record: TrainingRecord) -> "Misfit":
        """Measure it on the training rows of a model, a column for each node."""
        joint = joint_network(network, predictor, family_counts(table, network.dag))
        held_out = record.out_of_sample
        return cls.of(table, joint, predictor, None if held_out is None else held_out.log_loss)

    @classmethod
    def of(cls, table: Table, network: BayesNet, predictor: Any, log_loss: float | None) -> "Misfit":
        """Measure it on training rows, a column for each node.

        Parameters
        ----------
        table : Table
        network : BayesNet
            The graph with `Shrinkage` tables.
        predictor : Predictor
            What answers.
        log_loss : float, optional
            Of what answers, on held-out rows.
        """
        query = len(network.nodes) - 1
        table = _in_rows(table)
        families = family_counts(table, network.dag)
        missed = missed_dependence(table, network)
        left_out = Shrinkage().left_out(network.dag, families, query)[1:]
        rows = _sampled(table, MOST_SCORED)
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        target, features = rows.codes[:, query].astype(np.int64), rows.select(list(range(query)))
        prior = np.log(network.tables[query])
        evidence = row_scores(network, rows, left_out) - prior

        def loss(factor: float) -> float:
            scores = factor * evidence + prior
            of_rows = logsumexp(scores, axis=1) - scores[np.arange(len(scores)), target]
            return float(np.average(of_rows, weights=weights))

        factor = float(minimize_scalar(loss, bounds=(0.05, 1.0), method="bounded").x)
        joint = network.log_joint(features, query)
        sureness = Sureness(network, [each.astype(np.float64) for each in families], cls())
        counted = _of_logits(sureness.counting(features)[1], normalised(joint))
        total = (log_odds(normalised(joint)) - log_odds(prior[None])) ** 2
        alone = max(1.0 - counted.mean() / max(total.mean(), 1e-12), factor)
        share = 0.5
        if log_loss is not None and math.isfinite(log_loss):
            answers = normalised(predictor.log_joint(features, query))
            other = normalised(factor * (joint - prior) + prior)
            distance = float(np.average((np.exp(answers) * (answers - other)).sum(axis=1), weights=weights))
            share = 0.5 * (1.0 - (loss(factor) - log_loss) / max(distance, 1e-9))
        return cls(factor, float(min(factor / alone, 1.0)), float(np.clip(share, 0.05, 1.0)), missed)


def _in_rows(table: Table) -> Table:
    """Return a table whose weights count effective rows, whatever their unit."""
    if table.weights is None:
        return table
    weights = table.weights / table.weights.max()
    return replace(table, weights=weights * (weights.sum() / (weights**2).sum()))


def _sampled(table: Table, most: int) -> Table:
    if table.n_rows <= most:
        return table
    return table.take(np.random.default_rng(0).choice(table.n_rows, most, replace=False))


def missed_dependence(table: Table, network: BayesNet) -> dict[str, float]:
    """Return by feature the variance of the score of each class by dependence that its parents do not cover.

    Without an interaction of a feature X, another feature S and the class C, given the parents of X, expected counts
    E have the margins (C, S), (C, X) and (S, X) of the counts N. Where the class frequencies of a cell with n rows
    are Dirichlet-distributed around the expected shares q with m imaginary rows,

        E[sum of (N - E)^2 / E] = a sum of (1 - q) + a sum of (1 - q) (n - 1) / (m + 1),

    with a the degrees of freedom divided by K - 1 times the number of cells. This gives 1 / (m + 1), and K / (m + 1)
    is the variance for each of K classes. It is summed over those S that are no descendants of X: given its parents,
    X should not depend on them. Estimates may be negative; the features share what is left of the sum.
    """
    query = len(network.nodes) - 1
    classes = network.variables[query].arity
    table = _sampled(table, MOST_ROWS)
    order = np.argsort(-_told(table, query), kind="stable")[:MOST_FEATURES].tolist()
    most = max(1, min(MOST_PARTNERS, MOST_TABLES // max(len(order), 1)))
    found = np.zeros(query)
    for node in order:
        given = [parent for parent in network.dag.parent_indices[node] if parent != query]
        tied = {node, *given, *_descendants(network, node)}
        sets = [[*given, query, other, node] for other in order if other not in tied][:most]
        fitting = min(table.n_rows, MOST_TABLE_CELLS)
        sets = [each for each in sets if math.prod(table.arities[each].tolist()) <= fitting]
        for cells in count(table, sets):
            found[node] += classes * _interaction(cells.reshape(-1, *cells.shape[-3:]).astype(np.float64))
    positive = np.maximum(found, 0.0)
    scale = max(found.sum(), 0.0) / positive.sum() if positive.any() else 0.0
    return {
        name: float(TAILS * scale * each)
        for name, each in zip(network.nodes[:-1], positive.tolist(), strict=True)
        if scale * each > 0.0
    }


def _told(table: Table, query: int) -> FloatArray:
    """Return the information of each feature about the class."""
    pairs = count(table, [[j, query] for j in range(query)])
    return np.array([float(mutual_information_of_counts(each)) for each in pairs])


def _descendants(network: BayesNet, node: int) -> set[int]:
    found: set[int] = set()
    for later in network.dag.topological_indices:
        if any(parent == node or parent in found for parent in network.dag.parent_indices[later]):
            found.add(later)
    return found


def _interaction(cells: FloatArray) -> float:
    """Return the estimate of 1 / (m + 1) from counts [parents, class, other, own state]; 0 where it says little."""
    expected = np.ones_like(cells)
    for _ in range(SWEEPS):
        for axis in (1, 2, 3):
            margin = expected.sum(axis=axis, keepdims=True)
            expected *= (cells.sum(axis=axis, keepdims=True) + 1e-3) / np.maximum(margin, 1e-12)
    rows = cells.sum(axis=1, keepdims=True)
    others = 1.0 - expected / expected.sum(axis=1, keepdims=True)
    seen = [(cells.sum(axis=axes) > 0).sum(axis=1) - 1 for axes in ((2, 3), (1, 3), (1, 2))]
    freedom = np.prod(np.maximum(seen, 0), axis=0).sum() / ((cells.shape[1] - 1) * max((rows > 0).sum(), 1))
    counted = expected > LEAST_EXPECTED
    by_chance = freedom * others[counted].sum()
    slope = freedom * (others * np.maximum(rows - 1.0, 0.0))[counted].sum()
    # The standard deviation of the variance that this would add to the score of a class.
    if slope <= 0.0 or cells.shape[1] * np.sqrt(2.0 * max(by_chance, 1.0)) / slope >= LEAST_EXACT:
        return 0.0
    difference = ((cells - expected) ** 2 / expected)[counted].sum()
    return float((difference - by_chance) / slope)


def normalised(scores: FloatArray) -> FloatArray:
    """Return the logarithms of posteriors, from scores of the classes."""
    result: FloatArray = scores - logsumexp(scores, axis=1, keepdims=True)
    return result


def log_odds(logs: FloatArray) -> FloatArray:
    """Return the log-odds of each class against all others, from logarithms of posteriors.

    Examples
    --------
    >>> log_odds(np.log([[0.5, 0.3, 0.2]])).round(3)
    array([[ 0.   , -0.847, -1.386]])
    """
    rows, top, others = _without_top(logs)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # of the most probable class, for which it is not exact
        against = np.log1p(-np.exp(logs))
    against[rows, top] = logsumexp(others, axis=1)
    result: FloatArray = logs - against
    return result


def _of_logits(own: FloatArray, logs: FloatArray, others: FloatArray | None = None) -> FloatArray:
    """Return the variance of the log-odds of each class, from those of the scores of the classes."""
    others = own if others is None else others
    rows, top, rivals = _without_top(logs)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.exp(2.0 * logs) * others
        result = (parts.sum(axis=1, keepdims=True) - parts) / (1.0 - np.exp(logs)) ** 2
        shares = np.nan_to_num(np.exp(normalised(rivals)))  # where all others are impossible
    result[rows, top] = (shares**2 * others).sum(axis=1)
    together: FloatArray = own + result
    return together


def _without_top(logs: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
    """Return the rows, their most probable class, and the logarithms with that one left out."""
    rows, top, others = np.arange(len(logs)), logs.argmax(axis=1), logs.copy()
    others[rows, top] = -np.inf
    return rows, top, others


def spread(p: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the variances of log p, downwards and upwards, of shares counted in so many rows.

    Examples
    --------
    >>> spread(np.array([0.5, 0.01]), np.array([99.0, 99.0])).round(3)
    array([[0.01 , 1.635],
           [0.01 , 0.683]])
    """
    s = rows + 1.0
    p = np.maximum(p, LEAST_ROWS / s)
    down = polygamma(1, p * s) - polygamma(1, s)
    return np.stack([down, np.log1p((1.0 - p) / (p * (s + 1.0)))])


@dataclass(frozen=True)
class Sureness:
    """What intervals are made from.

    Attributes
    ----------
    network : BayesNet
        The graph with `Shrinkage` tables; its class has no parents.
    families : list of ndarray
        The training rows of each cell of its tables.
    misfit : Misfit
    """

    network: BayesNet
    families: Sequence[FloatArray]
    misfit: Misfit

    @classmethod
    def of_model(cls, network: BayesNet, predictor: Any, record: TrainingRecord) -> "Sureness":
        """Take the counts that a model has kept."""
        assert record.counts is not None
        families = [record.counts.family(node, table.shape) for node, table in enumerate(network.tables)]
        misfit = Misfit() if record.misfit is None else Misfit(**record.misfit)
        return cls(joint_network(network, predictor, families), families, misfit)

    @property
    def scale(self) -> float:
        """By what variances for few rows are multiplied: f r^2."""
        rows = float(self.families[-1].sum())
        return (1.0 + FEW / max(rows, 1.0)) * self.misfit.repeated**2

    def counting(self, features: Table) -> FloatArray:
        """Return the variances of the scores of the classes for few rows, [down or up, row, class].

        A feature some of whose parents are missing counts as one without them.
        """
        query = len(self.network.nodes) - 1
        known = self._known(features)
        codes = np.where(features.arities > 1, features.codes, 0).astype(np.int64)
        found = np.tile(
            1.0 / (self.families[query] + 1.0), (features.n_rows, 2)
        )  # of all classes down, then up
        for node, parents in enumerate(self.network.dag.parent_indices[:query]):
            if query not in parents:
                continue
            given = [parent for parent in parents if parent != query]
            whole = known[:, [*given, node]].all(axis=1)
            for rows, parts in ((whole, given), (known[:, node] & ~whole, [])):
                if not rows.any():
                    continue
                at = tuple(codes[rows, j] for j in (*parts, node))
                sizes = [self.network.variables[j].arity for j in (*parts, node)]
                found[rows] += self._spread_of(node, bool(parts)).take(
                    np.ravel_multi_index(at, sizes), axis=0
                )
        return np.moveaxis(found.reshape(features.n_rows, 2, -1), 1, 0)

    def _spread_of(self, node: int, with_parents: bool) -> FloatArray:
        """Return the variances of a feature by its parents' states, if asked for, and its own: [cell, down and up].

        They are kept, as explanations and predictions of single rows ask for them again and again.
        """
        kept = self._spreads.get((node, with_parents))
        if kept is not None:
            return kept
        query, parents = len(self.network.nodes) - 1, self.network.dag.parent_indices[node]
        place = parents.index(query)
        cells = np.moveaxis(self.families[node], place, -2)
        shares = np.moveaxis(self.network.tables[node], place, -2)
        if not with_parents and len(parents) > 1:
            cells = cells.sum(axis=tuple(range(len(parents) - 1)))
            shares = (cells + 0.5) / (cells.sum(axis=-1, keepdims=True) + 0.5 * cells.shape[-1])
        both = spread(shares, np.broadcast_to(cells.sum(axis=-1, keepdims=True), cells.shape))
        of_states = np.moveaxis(both, (0, -2), (-2, -1))  # parents, own state, down or up, class
        found: FloatArray = np.ascontiguousarray(of_states).reshape(-1, 2 * cells.shape[-2])
        self._spreads[node, with_parents] = found
        return found

    @cached_property
    def _spreads(self) -> dict[tuple[int, bool], FloatArray]:
        return {}

    def missed(self, features: Table) -> FloatArray:
        """Return the variance of each row that missed dependence adds to the score of each class.

        A feature that is missing adds none; the others less, as what they would depend on is missing too.
        """
        query = len(self.network.nodes) - 1
        of_features = np.array([self.misfit.missed.get(name, 0.0) for name in self.network.nodes[:query]])
        result: FloatArray = (self._known(features) @ of_features) * (1.0 - self._unknown(features))
        return result

    def _known(self, features: Table) -> NDArray[np.bool_]:
        """Tell which values are known; a feature of one state has it."""
        known: NDArray[np.bool_] = (features.codes != features.missing_code) | (features.arities == 1)
        return known

    def _unknown(self, features: Table) -> FloatArray:
        """Return the share of values that are missing in each row, of the features that can tell something."""
        telling = features.arities > 1
        missing: FloatArray = (~self._known(features)[:, telling]).sum(axis=1) / max(telling.sum(), 1)
        return missing

    def limits(self, answers: FloatArray, features: Table, level: float) -> FloatArray:
        """Return intervals of probabilities, [row, class, low or high].

        Parameters
        ----------
        answers : ndarray
            Logarithms of the probabilities that the model answers, [row, class].
        features : Table
            The rows, a column for each node but the class.
        level : float
        """
        query, misfit = len(self.network.nodes) - 1, self.misfit
        prior = np.log(self.network.tables[query])
        joint = self.network.log_joint(features, query)
        other = log_odds(normalised(misfit.factor * (joint - prior) + prior))
        given = log_odds(answers)
        most = np.log1p(self.families[query].sum())
        other = np.clip(other, np.minimum(given, -most), np.maximum(given, most))
        # Held-out rows judged the readings on complete rows; with gaps the difference counts more.
        unknown = np.minimum(3.0 * self._unknown(features), 1.0)
        share = misfit.share + (1.0 - misfit.share) * unknown
        with np.errstate(invalid="ignore"):  # infinite log-odds of both
            apart = np.nan_to_num((given - other) ** 2, nan=0.0, posinf=0.0) * np.reshape(share, (-1, 1))
        missed = np.tile(self.missed(features)[:, None], (1, answers.shape[1]))
        apart += _of_logits(missed, answers)
        down, up = self.scale * self.counting(features)
        low = np.sqrt(_of_logits(down, answers, up) + apart)
        high = np.sqrt(_of_logits(up, answers, down) + apart)
        z, posterior = ndtri((1.0 + level) / 2.0), np.exp(answers)
        # Rounding must not push the answer out of its own interval.
        least, most = expit(given - z * low), expit(given + z * high)
        return np.stack([np.minimum(least, posterior), np.maximum(most, posterior)], axis=-1)
