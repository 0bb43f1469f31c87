"""Slow and obvious discretisation: whole numbers of rows, plain loops, forty digits."""

from collections import Counter
from decimal import Decimal, localcontext
from functools import cache
from itertools import pairwise

DIGITS = 40
TINY = Decimal(10) ** -30  # smaller than any true difference here, larger than any rounding error


@cache
def log2(number):
    with localcontext(prec=DIGITS):
        return Decimal(number).ln() / Decimal(2).ln()


def entropy(labels):
    """Ent(S) of Fayyad and Irani (1993)."""
    return sum(Decimal(n) / len(labels) * (log2(len(labels)) - log2(n)) for n in Counter(labels).values())


def repeat_rows(values, target, weights):
    """The rows as (value, class), each as often as its weight says."""
    return [(v, c) for v, c, w in zip(values, target, weights, strict=True) for _ in range(int(w))]


def best_cut(rows):
    """The cut of least entropy over all midpoints, and the bits that it saves (negative: refuse it)."""
    best = None
    for below, above in pairwise(sorted({value for value, _ in rows})):
        lower = [label for value, label in rows if value <= below]
        upper = [label for value, label in rows if value >= above]
        remaining = (len(lower) * entropy(lower) + len(upper) * entropy(upper)) / len(rows)
        if best is None or remaining < best[0] - TINY:
            best = remaining, (below + above) / 2, lower, upper
    if best is None:
        return None
    remaining, cut, lower, upper = best
    labels = lower + upper
    n, k, k1, k2 = len(labels), len(set(labels)), len(set(lower)), len(set(upper))
    gain = entropy(labels) - remaining
    delta = log2(3**k - 2) - (k * entropy(labels) - k1 * entropy(lower) - k2 * entropy(upper))
    return cut, n * gain - log2(n - 1) - delta


def slow_mdlp(rows):
    """Recursive minimal entropy partitioning, word for word."""
    with localcontext(prec=DIGITS):
        found = best_cut(rows)
        if found is None or found[1] <= 0:
            return []
        cut = found[0]
        lower = [row for row in rows if row[0] <= cut]
        upper = [row for row in rows if row[0] > cut]
        return [*slow_mdlp(lower), cut, *slow_mdlp(upper)]


def slow_mdlp_limited(rows, max_bins):
    """The same, but always the most profitable of all open cuts, until there are max_bins bins."""
    parts, cuts = [rows], []
    with localcontext(prec=DIGITS):
        while len(parts) < max_bins:
            offers = [(best_cut(part), part) for part in parts]
            offers = [(found, part) for found, part in offers if found is not None and found[1] > 0]
            if not offers:
                break
            # ties go to the first, so near-equal savings must become equal
            (cut, _), part = max(offers, key=lambda offer: round(offer[0][1], 20))
            cuts.append(cut)
            halves = [row for row in part if row[0] <= cut], [row for row in part if row[0] > cut]
            place = parts.index(part)
            parts[place : place + 1] = halves
    return sorted(cuts)


def slow_codes(values, cuts):
    return [sum(cut < value for cut in cuts) for value in values]


def slow_quantile(values, part, parts):
    """Quantile part/parts: the value at that rank, or the mean of two where the rank falls between them."""
    ordered = sorted(values)
    rank, rest = divmod(len(ordered) * part, parts)
    return ordered[rank] if rest else (ordered[rank - 1] + ordered[rank]) / 2


def slow_quantile_cuts(values, bins):
    """Quantiles, at most one for each way to separate the values, and none that separates nothing."""
    distinct = sorted(set(values))
    cuts, seen = [], set()
    for part in range(1, bins):
        cut = slow_quantile(values, part, bins)
        if cut >= distinct[-1] and len(distinct) > 1:
            cut = (distinct[-2] + distinct[-1]) / 2
        rows_below = sum(value <= cut for value in values)
        if rows_below < len(values) and rows_below not in seen:
            seen.add(rows_below)
            cuts.append(cut)
    return cuts
