"""Whether the answers of a model are still what they were on held-out training rows: classes, certainty, quality.

Without labels, what the model says of the new rows is compared with what it said of training rows that were held out:
how probable each class is on average, and how sure the answers are. If the classes are more or less frequent than
before and everything else is the same, the mean probability of a class is the statistic that shows it best where the
change is small. With labels, the classes themselves are compared, and how good the answers are.
"""

from collections.abc import Iterator
from math import isnan

import numpy as np

from bayleaf._util.words import short
from bayleaf.data.target import unknown_labels
from bayleaf.learn.tuning.held_out import SURPRISING, OutOfSample

from .drift_columns import FEWEST_ROWS, Finding, most_changed, percent
from .drift_sums import DriftSums, Moments
from .two_samples import Shape, different_mean, higher_mean, higher_share, same_shares

# Held-out rows are judged by what was learned without them. What so few training rows more or less do to a mean
# probability, or to a mean of the expected log-loss, is no change of the new rows.
FEW = 2.0


def compare_answers(sums: DriftSums) -> Iterator[Finding]:
    """Compare classes, certainty and quality, as far as labels and held-out training rows are known."""
    yield from _classes(sums)
    held_out = sums.held_out
    if held_out is None or sums.training_rows:
        return
    if not sums.labelled:
        yield from _predicted(sums, held_out)
    elif sums.loss.n >= FEWEST_ROWS:
        yield from _quality(sums, held_out)
        yield from _surprises(sums, held_out)


def _classes(sums: DriftSums) -> Iterator[Finding]:
    """Compare how frequent the classes are."""
    if not sums.labelled:
        return
    target, known = sums.model.schema_.target, sums.model.classes_.tolist()
    unknown_labels(list(sums.labels), known)  # refuses them where none is a class of the model
    labels = [*known, *(label for label in sums.labels if label not in set(known))]
    before = np.zeros(len(labels))
    before[: len(known)] = np.array(sums.kept.classes) * sums.kept.scale
    now = np.array([sums.labels[label] for label in labels], dtype=np.float64)
    p = same_shares(before, now)
    if p is not None:
        yield Finding("classes", target.name, *most_changed(labels, before, now), p, target.name)


def _predicted(sums: DriftSums, held_out: OutOfSample) -> Iterator[Finding]:
    """Compare how probable each class is on average, and how sure the answers are."""
    n, rows, expected = sums.certainty.n, effective_rows(sums, held_out.rows), held_out.expected_log_loss
    if held_out.chances is None or held_out.entropy_shape is None or expected is None or n < FEWEST_ROWS:
        return
    now, slack = _shapes(sums.chances), FEW / rows
    p_values = [
        different_mean((old[0] + min(max(new[0] - old[0], -slack), slack), *old[1:]), rows, new, n)
        for old, new in zip(held_out.chances, now, strict=True)
    ]
    place = int(np.argmin(p_values))
    p = min(1.0, p_values[place] * (len(now) if len(now) > 2 else 1))  # two classes say the same
    old, new = held_out.chances[place][0], now[place][0]
    name = f"mean P({short(sums.model.classes_[place])})"
    target = sums.model.schema_.target.name
    yield Finding("answers", target, f"{name} {percent(old)}", f"{name} {percent(new)}", new - old, p)
    after = _shapes(sums.certainty)[0]
    p = higher_mean((expected + slack, *held_out.entropy_shape), rows, after, n)
    before, surer = (f"log-loss {each:.3f} expected" for each in (expected, after[0]))
    yield Finding("answers", "certainty", before, surer, after[0] - expected, p)


def _quality(sums: DriftSums, held_out: OutOfSample) -> Iterator[Finding]:
    """Compare accuracy, log-loss and calibration with those on held-out training rows."""
    n, rows = sums.loss.n, effective_rows(sums, held_out.rows)
    right, p = sums.right / n, None
    if not isnan(held_out.accuracy):  # as where the costs of decisions were changed after fit
        p = higher_share(rows * (1 - held_out.accuracy), rows, n - sums.right, n)
    if p is not None:
        before, now = (percent(each) for each in (held_out.accuracy, right))
        yield Finding("quality", "accuracy", before, now, right - held_out.accuracy, p)
    expected, of_loss, of_surprise = (
        held_out.expected_log_loss,
        held_out.loss_shape,
        held_out.surprise_shape,
    )
    if expected is None or of_loss is None or of_surprise is None:
        return  # the model file does not say
    loss, surprise = _shapes(sums.loss)[0], _shapes(sums.surprise)[0]
    p = higher_mean((held_out.log_loss, *of_loss), rows, loss, n)
    before, now = f"{held_out.log_loss:.3f}", f"{loss[0]:.3f}"
    yield Finding("quality", "log-loss", before, now, loss[0] - held_out.log_loss, p)
    excess = held_out.log_loss - expected
    # A model that was less sure than it might be, as one that has seen fewer rows, may be surer now.
    p = higher_mean((max(excess, 0.0), *of_surprise), rows, surprise, n)
    before, now = (
        f"log-loss {abs(each):.3f} {'above' if each >= 0 else 'below'} what the model expects"
        for each in (excess, surprise[0])
    )
    yield Finding("quality", "calibration", before, now, surprise[0] - excess, p)


def _surprises(sums: DriftSums, held_out: OutOfSample) -> Iterator[Finding]:
    """Compare how many rows have a class that the model called nearly impossible.

    A few wrong labels hardly show in the mean log-loss, which varies much from row to row; here each of them counts.
    """
    if held_out.surprising is None:
        return
    share, rows = sums.surprises / sums.loss.n, effective_rows(sums, held_out.rows)
    p = higher_share(rows * held_out.surprising, rows, sums.surprises, sums.loss.n)
    if p is not None:
        before, now = (f"{percent(each)} with P < {SURPRISING:.0%}" for each in (held_out.surprising, share))
        yield Finding("quality", "surprising classes", before, now, share - held_out.surprising, p)


def _shapes(seen: Moments) -> list[Shape]:
    """Return mean, standard deviation and skewness of each of several numbers."""
    return [(float(a), float(b), float(c)) for a, b, c in zip(*seen.shape, strict=True)]


def effective_rows(sums: DriftSums, rows: int) -> float:
    """Return how many rows without weights say as much as the held-out rows with theirs."""
    share = sums.kept.scale * sums.kept.weight / max(int(sums.model.training_.rows), 1)
    return rows * min(float(share), 1.0)
