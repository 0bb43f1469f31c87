"""Slow, obvious references for questions to a joint distribution: every combination of states is looked at."""

from itertools import product

import numpy as np


def given_values(joint, known):
    """P(everything else, known) of a joint whose last axis is the class; known maps axes to states."""
    return joint[tuple(known.get(axis, slice(None)) for axis in range(joint.ndim))]


def class_given(joint, known):
    """P(class | known values)."""
    part = given_values(joint, known)
    sums = part.reshape(-1, part.shape[-1]).sum(axis=0)
    return sums / sums.sum()


def entropy(p):
    return -sum(x * np.log2(x) for x in p if x > 0)


def value_of_information(joint, known, feature):
    """How much knowing one more feature lowers the entropy of the class on average, and what it may then be."""
    before = class_given(joint, known)
    total = given_values(joint, known).sum()
    after, outcomes = 0.0, []
    for state in range(joint.shape[feature]):
        p = given_values(joint, {**known, feature: state}).sum() / total
        outcomes.append((p, class_given(joint, {**known, feature: state})))
        after += p * entropy(outcomes[-1][1])
    return entropy(before) - after, outcomes


def added_by(joint, feature):
    """I(class; feature | all other features), summed over all rows."""
    features = range(joint.ndim - 1)
    total = 0.0
    for row in product(*(range(joint.shape[j]) for j in features)):
        known = dict(enumerate(row))
        p_row = given_values(joint, known).sum()
        without = class_given(joint, {j: s for j, s in known.items() if j != feature})
        total += p_row * sum(
            p * np.log2(p / q) for p, q in zip(class_given(joint, known), without, strict=True)
        )
    return total


def share_no_more_probable(joint, known):
    """The probability of drawing a row whose values of the known features are no more probable than these."""
    p = joint.sum(axis=tuple(j for j in range(joint.ndim) if j not in known))
    mine = p[tuple(known[j] for j in sorted(known))]
    return float(p[p <= mine * (1 + 1e-9)].sum())
