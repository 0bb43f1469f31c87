"""The steps of tuning: weights of levels and features, corrections, further scores; each stays if held-out rows gain.

Whatever a step learns from rows it also learns three times from two thirds of them, so that what it is worth can be
judged by the others. Weights are those of a log-linear pool: one per member, not negative, by the conditional
likelihood of the classes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bayleaf._native import _core
from bayleaf.network.member import KNOTS

from .corrections import CellProblem, Cells, Correction, Part, walk
from .held_out import FloatArray, Target, held_out_loss, log_softmax

# Scores of each member, row and class, as float32 or float64.
MemberScores = NDArray[Any]


@dataclass(frozen=True)
class PoolWeights:
    """What each member of a pool counts, and what each class is given beforehand."""

    weights: FloatArray
    bias: FloatArray

    def scores(self, members: MemberScores, n_jobs: int | None = None) -> FloatArray:
        """Return bias + sum over members of weight * score, [row, class], from scores [member, row, class]."""
        out = np.empty(members.shape[1:])
        _core.pool_scores(members, self.weights, self.bias, out, n_jobs)
        return out


def fit_pool_weights(
    members: MemberScores,
    target: Target,
    centre: FloatArray,
    *,
    penalty: float = 0.1,
    bias_penalty: float | None = None,
    sample_weight: FloatArray | None = None,
    doubt: FloatArray | None = None,
    start: PoolWeights | None = None,
    max_iter: int = 200,
    n_jobs: int | None = None,
) -> PoolWeights:
    """Find the weights w >= 0 and the bias b that fit the classes of rows best.

    They maximise sum over rows of log softmax(b + sum over m of w_m S_m)[own class]
    - penalty / 2 |w - centre|^2 - bias_penalty / 2 |b|^2, by L-BFGS-B from the centre, or from ``start``.

    The scores S_m of the members, [member, row, class], are out-of-sample log-likelihoods of the rows, for instance;
    the bias is drawn as strongly as the weights by default. ``doubt``: see `doubt_about`.
    """
    count, rows, classes = members.shape
    bias_pull = penalty if bias_penalty is None else bias_penalty
    total = max(float(rows if sample_weight is None else sample_weight.sum()), 1.0)
    begin = PoolWeights(centre, np.zeros(classes)) if start is None else start

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        gradient = np.empty_like(parameters)
        weights, bias = parameters[:count], parameters[count:]
        value = _core.pool_loss(
            members, target, sample_weight, doubt, weights, bias, gradient[:count], gradient[count:], n_jobs
        )
        away = weights - centre
        value += 0.5 * penalty * float(away @ away) + 0.5 * bias_pull * float(bias @ bias)
        gradient[:count] += penalty * away
        gradient[count:] += bias_pull * bias
        return value / total, gradient / total

    found = minimize(
        loss,
        np.concatenate([begin.weights, begin.bias]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * count + [(None, None)] * classes,
        options={"maxiter": max_iter, "maxfun": 5 * max_iter, "ftol": 1e-9, "gtol": 1e-6},
    )
    return PoolWeights(np.asarray(found.x[:count]), np.asarray(found.x[count:]))


@dataclass(frozen=True)
class Rows:
    """The rows to tune by, and the part that each is held out with."""

    target: Target
    weights: FloatArray | None
    parts: NDArray[np.uint8]  # 0, 1, ... up to the number of parts less one
    doubt: FloatArray | None = None  # by class: see `doubt_about`
    n_jobs: int | None = None

    @property
    def n_parts(self) -> int:
        """The number of parts."""
        return int(self.parts.max()) + 1

    def without(self, part: int) -> FloatArray:
        """Return the weights of the rows, those of a part zero."""
        weights = np.ones(len(self.target)) if self.weights is None else self.weights
        return np.where(self.parts == part, 0.0, weights)


@dataclass(frozen=True)
class Stage:
    """How far tuning has come.

    ``scores`` [row, class] are by what was learned without each of the parts, and last from all rows; ``held_out``
    has the logarithms of the probabilities of the rows, each by what was learned without its part.
    """

    scores: tuple[FloatArray, ...]
    held_out: FloatArray
    loss: float  # the log-loss of the rows held out

    @classmethod
    def of(cls, rows: Rows, scores: Sequence[FloatArray]) -> "Stage":
        """Judge scores, the last of which are by what was learned from all rows."""
        held_out = np.empty_like(scores[-1])
        for part in range(rows.n_parts):
            held_out[rows.parts == part] = scores[part][rows.parts == part]
        loss = held_out_loss(held_out, rows.target, rows.weights, rows.doubt)
        return cls(tuple(scores), log_softmax(held_out), loss)


# What draws the weights of the levels to their centre: a half for the class, a half for all levels together.
LEVEL_PENALTY = 0.1
# What draws the bias to zero, at least.
BIAS_PENALTY = 1.0
# What draws the weights of the features to 1, from strong to weak.
FEATURE_PENALTIES = (100.0, 30.0, 10.0, 3.0, 1.0)
# Iterations of a search for weights, at most.
WEIGHT_STEPS = 60


def fit_level_weights(levels: MemberScores, rows: Rows) -> tuple[Stage, list[PoolWeights]]:
    """Give the class one weight, and each level of back-off one for all its features together.

    ``levels`` has log P(c), then for each level the sum over the features of log P(x | c, parents). The weights that
    are returned were learned without each of the parts; the last are those from all rows.
    """
    n_levels = len(levels) - 1
    centre = np.concatenate([[0.5], np.full(n_levels, 0.5 / max(n_levels, 1))])
    whole = _fitted_weights(levels, rows, rows.weights, centre, LEVEL_PENALTY)
    found = [
        _fitted_weights(levels, rows, rows.without(part), centre, LEVEL_PENALTY, whole)
        for part in range(rows.n_parts)
    ]
    found.append(whole)
    return Stage.of(rows, [each.scores(levels, rows.n_jobs) for each in found]), found


def fit_feature_weights(
    members: MemberScores, rows: Rows, stage: Stage, penalties: Sequence[float] = FEATURE_PENALTIES
) -> tuple[Stage, PoolWeights | None, float]:
    """Give each feature a weight, drawn to 1 as strongly as held-out rows say; None where that does not pay.

    ``members`` has the scores of the class and of each feature, weighted by level already. The penalty that was taken
    is returned too, 0 for none.
    """
    ones = np.ones(len(members))
    current: list[PoolWeights | None] = [None] * rows.n_parts
    best, strength, lowest = stage, 0.0, np.inf
    for penalty in penalties:
        found = [
            _fitted_weights(members, rows, rows.without(part), ones, penalty, start)
            for part, start in enumerate(current)
        ]
        tried = Stage.of(rows, [weights.scores(members, rows.n_jobs) for weights in found])
        if tried.loss < best.loss:
            best, strength = tried, penalty
        if tried.loss >= lowest:
            break
        lowest, current = tried.loss, list(found)
    if best is stage:
        return stage, None, 0.0
    whole = _fitted_weights(members, rows, rows.weights, ones, strength)
    return replace(best, scores=(*best.scores, whole.scores(members, rows.n_jobs))), whole, strength


def refit_feature_weights(members: Iterable[MemberScores], rows: Rows, penalty: float) -> FloatArray:
    """Return what feature weights say of held-out rows where the level weights have not seen these either.

    ``members`` has the scores of the class and of each feature for each part, by level weights that were learned
    without it. Logarithms of probabilities are returned.
    """
    scores = []
    for part, own in enumerate(members):
        found = _fitted_weights(own, rows, rows.without(part), np.ones(len(own)), penalty)
        scores.append(found.scores(own, rows.n_jobs))
    return Stage.of(rows, scores).held_out


def add_scores(scores: FloatArray, rows: Rows, stage: Stage) -> tuple[Stage, PoolWeights | None]:
    """Add further scores to what has been learned, with a weight for each; None where that does not pay.

    ``scores`` is what a further member says of each row, whose fold it has not seen. The scores of single parts in
    the stage are not weighted, and stay as they are.
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    members = np.stack([stage.held_out, shifted]).astype(np.float32)
    centre = np.array([1.0, 0.0])
    found = [
        _fitted_weights(members, rows, rows.without(part), centre, LEVEL_PENALTY)
        for part in range(rows.n_parts)
    ]
    tried = Stage.of(rows, [each.scores(members, rows.n_jobs) for each in found])
    if not tried.loss < stage.loss:
        return stage, None
    better = replace(stage, held_out=tried.held_out, loss=tried.loss)
    return better, _fitted_weights(members, rows, rows.weights, centre, LEVEL_PENALTY)


def _fitted_weights(
    members: MemberScores,
    rows: Rows,
    row_weights: FloatArray | None,
    centre: FloatArray,
    penalty: float,
    start: PoolWeights | None = None,
) -> PoolWeights:
    return fit_pool_weights(
        members,
        rows.target,
        centre,
        penalty=penalty,
        bias_penalty=max(penalty, BIAS_PENALTY),
        sample_weight=row_weights,
        doubt=rows.doubt,
        start=start,
        max_iter=WEIGHT_STEPS,
        n_jobs=rows.n_jobs,
    )


# What draws the weights of evidence at neighbouring shares of gaps to each other.
SMOOTHNESS = 12.0
# Of Newton's method: most steps, the smallest share of a step that is tried, and the gain below which it ends.
NEWTON_STEPS, SMALLEST_STEP, NEWTON_GAIN = 30, 1e-3, 1e-4


def fit_gap_weights(
    readings: FloatArray,
    log_prior: FloatArray,
    share: FloatArray,
    target: Target,
    weights: FloatArray | None = None,
    n_rows: int | None = None,
) -> FloatArray:
    """Find what each reading counts in rows with gaps, [reading, knot]: see `bayleaf.network.member.KNOTS`.

    With a weight w_r(g) for each reading, linear in the share of gaps g between the knots, they maximise the sum over
    rows of log softmax(log P(c) + sum over r of w_r(g) (S_r(c) - log P(c)))[own class], less a penalty on the squared
    differences between neighbouring knots. No weight is negative. The first knot is a complete row: there the first
    reading counts one, and the others nothing. At the last nothing is known, and none counts.

    Parameters
    ----------
    readings : ndarray of shape (readings, rows, classes)
        Scores of rows with hidden values, up to a constant for each row.
    log_prior : ndarray of shape (classes,)
    share : ndarray of shape (rows,)
        How large a share of the values is missing.
    target : ndarray of shape (rows,)
    weights : ndarray of shape (rows,), optional
    n_rows : int, optional
        How many different rows these are, where some occur several times.
    """
    n_readings, rows, classes = readings.shape
    at_knots = np.stack([np.interp(share, KNOTS, unit) for unit in np.eye(len(KNOTS))])
    evidence = readings - log_prior
    evidence -= evidence.mean(axis=2, keepdims=True)
    # One column for each weight, the complete row's apart: its weights are known.
    known = log_prior + at_knots[0][:, None] * evidence[0]
    columns = (evidence[:, None] * at_knots[None, 1:-1, :, None]).reshape(-1, rows, classes)
    counts = np.ones(rows) if weights is None else weights
    counts = counts * min((rows if n_rows is None else n_rows) / rows, 1.0)
    n_knots = len(KNOTS) - 2
    steps = np.diff(np.eye(len(KNOTS)), axis=0)
    bend = SMOOTHNESS * steps.T @ steps
    curvature = np.kron(np.eye(n_readings), bend[1:-1, 1:-1])
    pull = np.concatenate([bend[1:-1, 0], np.zeros((n_readings - 1) * n_knots)])
    slopes_of_loss = log_loss_slopes(known, columns, target, counts)

    def slopes(numbers: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the loss, its gradient and its second derivatives."""
        loss, gradient, second = slopes_of_loss(numbers)
        penalty = numbers @ (curvature @ numbers) / 2 + pull @ numbers
        return float(penalty + loss), gradient + curvature @ numbers + pull, second + curvature

    numbers = np.zeros(n_readings * n_knots)
    numbers[:n_knots] = 1.0 - np.array(KNOTS[1:-1])
    numbers = newton_above_zero(slopes, numbers)
    found = np.zeros((n_readings, len(KNOTS)))
    found[0, 0] = 1.0
    found[:, 1:-1] = numbers.reshape(n_readings, -1)
    return found


Slopes = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]


def log_loss_slopes(known: FloatArray, columns: FloatArray, target: Target, counts: FloatArray) -> Slopes:
    """Return a function of numbers v: the log-loss of softmax(known + sum over k of v_k columns_k), and derivatives.

    Parameters
    ----------
    known : ndarray of shape (rows, classes), or (classes,)
    columns : ndarray of shape (numbers, rows, classes)
    target : ndarray of shape (rows,)
    counts : ndarray of shape (rows,)
        How often each row counts.
    """
    own = np.zeros(columns.shape[1:])
    own[np.arange(len(own)), target] = 1.0

    def slopes(numbers: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        logarithms = log_softmax(known + np.tensordot(numbers, columns, 1))
        chances = np.exp(logarithms)
        gradient = np.tensordot(columns, counts[:, None] * (chances - own), 2)
        spread = columns - (columns * chances).sum(axis=2, keepdims=True)
        left = (spread * (counts[:, None] * chances)).reshape(len(numbers), -1)
        second = left @ spread.reshape(len(numbers), -1).T
        return -float(counts @ (logarithms * own).sum(axis=1)), gradient, second

    return slopes


def newton_above_zero(slopes: Slopes, start: FloatArray) -> FloatArray:
    """Minimise a convex function of a few numbers that must not be negative, by Newton's method.

    ``slopes`` returns its value, gradient and second derivatives. A number at zero whose slope would lower it stays.
    """
    numbers = start
    value, gradient, second = slopes(numbers)
    for _ in range(NEWTON_STEPS):
        free = np.flatnonzero((numbers > 0) | (gradient < 0))
        step = np.zeros_like(numbers)
        step[free] = np.linalg.solve(second[np.ix_(free, free)], -gradient[free])
        size = 1.0
        while size > SMALLEST_STEP:
            tried = np.maximum(numbers + size * step, 0.0)
            found = slopes(tried)
            if found[0] < value:
                break
            size /= 2
        else:
            break
        gain = value - found[0]
        numbers, (value, gradient, second) = tried, found
        if gain < NEWTON_GAIN:
            break
    return numbers


@dataclass(frozen=True)
class Corrections:
    """What has been corrected so far, without each of the parts."""

    cells: tuple[Cells, ...]  # [family, row]: the number of the correction that each row feels, or -1
    penalties: tuple[FloatArray, ...]
    parts: tuple[Correction, ...]
    pull: float | None = None  # what draws scale and bias to 1 and 0: the strength of the first corrections

    @classmethod
    def none(cls, rows: Rows, classes: int) -> "Corrections":
        """Return the beginning: nothing is corrected."""
        cells = np.empty((0, len(rows.target)), dtype=np.int32)
        parts = rows.n_parts
        return cls((cells,) * parts, (np.empty(0),) * parts, (Correction.none(classes),) * parts)


def correct(
    stage: Stage,
    rows: Rows,
    done: Corrections,
    cells: Sequence[Cells],
    relative: Sequence[FloatArray],
    max_iter: int,
) -> tuple[Stage, Corrections, tuple[float, ...]]:
    """Correct further cells, as far as held-out rows gain by it.

    Which cells there are may be learned, so each part has its own, of what was learned without it: ``cells`` numbered
    from zero, and ``relative``, what the strength of their penalty is multiplied by. Those corrected before are
    learned on with the same penalty. Stage and corrections are returned as they were given where nothing is gained;
    the strengths are those that were taken one after the other.
    """
    joined = tuple(
        np.concatenate([before, np.where(new < 0, -1, new + len(known)).astype(np.int32)])
        for before, known, new in zip(done.cells, done.penalties, cells, strict=True)
    )
    of_parts = list(zip(done.penalties, relative, strict=True))
    fixed = [np.concatenate([known, np.zeros(len(new))]) for known, new in of_parts]
    added = [np.concatenate([np.zeros(len(known)), new]) for known, new in of_parts]
    parts = [
        Part.of(
            CellProblem(stage.scores[part], joined[part], rows.target, rows.weights, rows.n_jobs, rows.doubt),
            rows.parts == part,
            added[part],
            fixed[part],
            done.parts[part],
            done.pull,
        )
        for part in range(rows.n_parts)
    ]
    found = walk(parts, rows.target, rows.weights, max_iter=max_iter)
    if found.loss >= stage.loss:
        return stage, done, ()
    better = replace(stage, held_out=found.scores, loss=found.loss)
    penalties = tuple(known + found.strengths[-1] * new for known, new in zip(fixed, added, strict=True))
    pull = found.strengths[-1] if done.pull is None else done.pull
    return better, Corrections(joined, penalties, found.corrections, pull), found.strengths
