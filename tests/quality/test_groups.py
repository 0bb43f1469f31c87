"""Groups of rows and thresholds: counted one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.quality import Outcome, group_table
from bayleaf.quality.intervals import rarest_class, threshold_counts, wilson_interval


def random_outcome(seed, rows=60):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), size=rows).round(2)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    return Outcome.of(
        rng.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1]), ["a", "b", "c"], p.clip(0, 1)
    ), rng


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_every_group_is_counted_row_by_row(seed):
    outcome, rng = random_outcome(seed)
    groups = rng.choice(np.array(["x", "y", None], dtype=object), 60).tolist()
    table = group_table(outcome, groups, "b")
    assert table["rows"].sum() == sum(group is not None for group in groups)
    for line in table.to_dicts():
        rows = [k for k in range(60) if groups[k] == line["group"]]
        right = [outcome.truth[k] == outcome.predicted[k] for k in rows]
        called = {k: outcome.predicted[k] == 1 for k in rows}
        inside, outside = (
            [k for k in rows if outcome.truth[k] == 1],
            [k for k in rows if outcome.truth[k] != 1],
        )
        assert line["accuracy"] == pytest.approx(np.mean(right))
        assert (line["accuracy_low"], line["accuracy_high"]) == wilson_interval(np.mean(right), len(rows))
        for name, part in (("recall", inside), ("false_alarms", outside)):
            expected = np.mean([called[k] for k in part]) if part else None
            assert line[name] == (None if expected is None else pytest.approx(expected))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 2))
def test_thresholds_are_counted_row_by_row(seed, positive):
    outcome, _ = random_outcome(seed)
    counts = threshold_counts(outcome, positive)
    for step in range(0, 201, 10):
        called = outcome.probabilities[:, positive] >= step / 200
        assert counts["hits"][step] == (called & (outcome.truth == positive)).sum()
        assert counts["alarms"][step] == (called & (outcome.truth != positive)).sum()


def test_the_rarest_class_has_rows_and_is_the_last_of_equals():
    assert rarest_class(Outcome.of(["a", "b"], ["a", "b", "c"], predicted=["a", "a"])) == 1
    assert rarest_class(Outcome.of(["a", "a", "b"], ["a", "b"], predicted=["a"] * 3)) == 1
    assert rarest_class(Outcome.of(["b", "a", "b"], ["a", "b"], predicted=["a"] * 3)) == 0


def test_what_cannot_be_grouped_is_refused():
    outcome, _ = random_outcome(1)
    with pytest.raises(ValueError, match="There are 60 rows, and groups of 2"):
        group_table(outcome, ["x", "y"])
    with pytest.raises(ValueError, match="no class 'd'; there are a, b, c"):
        group_table(outcome, ["x"] * 60, "d")
