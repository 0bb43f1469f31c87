"""Slow, obvious versions of the measures and tests of ``bayleaf.benchmark``, and a classifier that takes notes."""

import csv
import itertools
import math
from pathlib import Path

import narwhals as nw
import numpy as np
from scipy import integrate
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin

EXPECTED = Path(__file__).parents[2] / "experiments" / "expected"


def slow_ranks(values, higher_is_better):
    """Rank of an entry = 1 + number of better entries + half the number of other equal entries."""
    table = []
    for row in values:
        ranks = []
        for i, own in enumerate(row):
            better = sum(1 for other in row if (other > own if higher_is_better else other < own))
            equal = sum(1 for j, other in enumerate(row) if j != i and other == own)
            ranks.append(1 + better + equal / 2)
        table.append(ranks)
    return np.array(table)


def slow_friedman(ranks, correct_ties):
    """Friedman's statistic by the textbook formula; ties by the sum of t^3 - t."""
    n, k = ranks.shape
    sums = [sum(row[j] for row in ranks) for j in range(k)]
    statistic = 12 / (n * k * (k + 1)) * sum(s * s for s in sums) - 3 * n * (k + 1)
    if correct_ties:
        ties = 0
        for row in ranks:
            for value in set(row):
                t = list(row).count(value)
                ties += t**3 - t
        statistic /= 1 - ties / (n * k * (k * k - 1))
    return statistic


def slow_studentized_range(q, k):
    """Chance that the range of k standard normal numbers exceeds q."""
    inside, _ = integrate.quad(
        lambda x: k * norm.pdf(x) * (norm.cdf(x) - norm.cdf(x - q)) ** (k - 1), -12, 12 + q, epsabs=1e-12
    )
    return 1 - inside


def slow_sign_test(wins, losses):
    """Sum of binomial chances."""
    n = wins + losses
    return sum(math.comb(n, i) for i in range(wins, n + 1)) / 2**n


def slow_signed_rank(differences):
    """Two-sided p-value by going through all signs (no zeros, no ties)."""
    order = np.argsort(np.argsort(np.abs(differences))) + 1
    observed = order[np.asarray(differences) > 0].sum()
    centre = order.sum() / 2
    extreme = total = 0
    for signs in itertools.product([0, 1], repeat=len(order)):
        total += 1
        extreme += abs(np.dot(signs, order) - centre) >= abs(observed - centre) - 1e-9
    return extreme / total


def slow_corrected_t(differences, test_share):
    """Nadeau and Bengio's statistic, sums written out."""
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    return mean / math.sqrt((1 / n + test_share) * variance)


def closed_testing(p_values, local_test):
    """Adjusted p-values of a closed test: the largest local p-value of all subsets with the hypothesis."""
    m = len(p_values)
    adjusted = [0.0] * m
    for size in range(1, m + 1):
        for subset in itertools.combinations(range(m), size):
            p = local_test([p_values[i] for i in subset])
            for i in subset:
                adjusted[i] = max(adjusted[i], p)
    return adjusted


def bonferroni(p_values):
    """Local test whose closure is Holm's procedure."""
    return min(1.0, len(p_values) * min(p_values))


def simes(p_values):
    """Local test whose closure is Hommel's procedure."""
    ordered = sorted(p_values)
    return min(len(ordered) * p / (i + 1) for i, p in enumerate(ordered))


def slow_auc(truth, probabilities):
    """Mean over classes of the share of (class row, other row) pairs in the right order."""
    areas = []
    for label in range(probabilities.shape[1]):
        inside = [p[label] for t, p in zip(truth, probabilities, strict=True) if t == label]
        outside = [p[label] for t, p in zip(truth, probabilities, strict=True) if t != label]
        if inside and outside:
            wins = sum((a > b) + 0.5 * (a == b) for a in inside for b in outside)
            areas.append(wins / (len(inside) * len(outside)))
    return sum(areas) / len(areas) if areas else math.nan


def slow_calibration_error(truth, probabilities, bins):
    """Walk through the bins (i / bins, (i + 1) / bins], the first one closed on both sides."""
    total = 0.0
    for i in range(bins):
        inside = []
        for t, p in zip(truth, probabilities, strict=True):
            confidence = max(p)
            if (i / bins < confidence or i == 0) and confidence <= (i + 1) / bins:
                inside.append((list(p).index(confidence) == t, confidence))
        if inside:
            right = sum(hit for hit, _ in inside) / len(inside)
            confidence = sum(c for _, c in inside) / len(inside)
            total += len(inside) / len(truth) * abs(right - confidence)
    return total


def published_table(name, separator=" ", skip=1):
    """Methods, data sets and means of a table with cells "mean (deviation)" or "mean ± deviation".

    Lines of averages are left out; ``skip`` columns stand before the values.
    """
    with (EXPECTED / name).open(encoding="utf-8", newline="") as file:
        header, *lines = list(csv.reader(file))
    lines = [line for line in lines if line[0].lower() != "average"]
    values = [[float(cell.split(separator)[0]) for cell in line[skip:]] for line in lines]
    return header[skip:], [line[skip > 1] for line in lines], values


class Witness(ClassifierMixin, BaseEstimator):
    """A majority classifier that keeps a diary: what it was given, in a file of its own."""

    n_parameters_ = 7

    def __init__(self, diary, fail_on=None):
        self.diary = diary
        self.fail_on = fail_on

    def fit(self, X, y):
        rows = nw.from_native(X, pass_through=True)
        first = rows["id"].to_numpy() if hasattr(rows, "columns") else np.asarray(X)[:, 0]
        with Path(self.diary).open("a") as file:
            file.write(f"{type(X).__module__.split('.')[0]} {sorted(int(v) for v in first)}\n")
        if self.fail_on is not None and self.fail_on in first:
            raise RuntimeError(f"row {self.fail_on}\nis not for me")
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def numbered(rows=20):
    """Data whose first column is the row number."""
    return np.column_stack([np.arange(rows), np.zeros(rows)]), np.arange(rows) % 2


def diary_lines(path):
    """One line per fit of a :class:`Witness`."""
    return path.read_text().splitlines() if path.exists() else []


def without_times(results):
    """All columns that two equal runs share."""
    return results.frame.drop("fit_seconds", "predict_seconds")
