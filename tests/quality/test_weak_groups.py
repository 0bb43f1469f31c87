"""Groups that a model predicts worse than chance would explain: planted ones are found, and noise is not."""

import numpy as np
import pytest

from bayleaf.quality.weak_groups import weak_groups


def rows(seed, n=400, features=5):
    rng = np.random.default_rng(seed)
    return rng.integers(-1, 3, (n, features), dtype=np.int32), rng.random(n) ** 4


def test_a_planted_pair_is_found_rather_than_its_halves():
    codes, losses = rows(0)
    planted = (codes[:, 1] == 2) & (codes[:, 3] == -1)
    losses[planted] += 1.0
    found = weak_groups(losses, codes)
    first = found.groups[0]
    assert first.states == ((1, 2), (3, -1))
    assert first.rows.tolist() == np.flatnonzero(planted).tolist()
    assert first.loss == pytest.approx(losses[planted].mean())
    assert first.p == pytest.approx(1 / 201)
    assert len(found.groups) == 1  # each half is worse only by these rows


def test_a_single_state_is_not_cut_into_pairs():
    codes, losses = rows(1)
    losses[codes[:, 0] == 1] += 0.6
    assert [group.states for group in weak_groups(losses, codes).groups] == [((0, 1),)]


def test_all_groups_of_enough_rows_are_looked_at():
    codes, losses = rows(2, n=120, features=3)
    columns = [range(-1, 3)] * 3
    sizes = [(codes[:, j] == s).sum() for j in range(3) for s in columns[j]]
    sizes += [
        ((codes[:, j] == s) & (codes[:, k] == t)).sum()
        for j in range(3)
        for k in range(j + 1, 3)
        for s in columns[j]
        for t in columns[k]
    ]
    assert weak_groups(losses, codes).looked_at == sum(size >= 10 for size in sizes)


def test_noise_is_seldom_called_weak():
    false = sum(
        bool(weak_groups(*reversed(rows(seed, n=150, features=4)), seed).groups) for seed in range(100)
    )
    assert false <= 12  # 5 are expected; without the correction it is nearly all


def test_many_rows_are_judged_by_some_and_counted_in_full():
    codes, losses = rows(3, n=9000, features=3)
    planted = codes[:, 2] == 0
    losses[planted] += 0.5
    (group,) = weak_groups(losses, codes).groups
    assert group.states == ((2, 0),)
    assert len(group.rows) == planted.sum()


def test_nothing_is_found_where_nothing_can_be():
    codes, losses = rows(4)
    assert weak_groups(np.zeros(400), codes).groups == ()
    assert weak_groups(losses[:5], codes[:5]).groups == ()
    assert weak_groups(losses, np.zeros((400, 2), dtype=np.int32)).looked_at == 0
