"""Whether gaps tell about the class, counted by hand."""

from collections import Counter
from math import log


def gap_tells(absent, target, weights=None):
    """2 N I(gap; C) > (r - 1) ln N, by the definition of mutual information."""
    weights = [1.0] * len(target) if weights is None else weights
    joint, gaps, classes = Counter(), Counter(), Counter()
    for gap, label, weight in zip(absent, target, weights, strict=True):
        joint[gap, label] += weight
        gaps[gap] += weight
        classes[label] += weight
    total = sum(weights)
    information = sum(
        n / total * log(n * total / (gaps[gap] * classes[label])) for (gap, label), n in joint.items()
    )
    return 2 * total * information > (len(classes) - 1) * log(total)
