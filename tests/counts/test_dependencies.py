import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.counts import dependencies as module
from reference.dependence import functional_dependencies


def linked_table(seed, columns=5, rows=60, missing=0.0, weights=None):
    """Columns that are functions of a few hidden values, some of them noisy: full of dependencies."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 6, rows)
    arities = rng.integers(1, 4, columns)
    codes = np.stack([rng.integers(0, arity, 6)[hidden] for arity in arities], axis=1)
    noisy = rng.random((rows, columns)) < rng.choice([0.0, 0.0, 0.1, 0.5], columns)
    codes = np.where(noisy, rng.integers(0, 100, (rows, columns)) % arities, codes)
    codes[rng.random((rows, columns)) < missing] = -1
    names = [*(f"x{j}" for j in range(columns - 1)), "class"]
    variables = tuple(
        bl.data.Variable(name, tuple(range(arity)), None, "integer")
        for name, arity in zip(names, arities, strict=True)
    )
    return bl.data.Table.from_codes(variables, codes, weights, columns - 1), codes.tolist()


def as_dict(found):
    return {
        (x, a, y, b): count
        for x, a, y, b, count in zip(
            found.columns.tolist(),
            found.codes.tolist(),
            found.implied_columns.tolist(),
            found.implied_codes.tolist(),
            found.counts.tolist(),
            strict=True,
        )
    }


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.02, 0.3]), st.sampled_from([1, 3, 10]))
def test_dependencies_are_those_that_every_row_obeys(seed, missing, min_count):
    table, rows = linked_table(seed, missing=missing)
    found = bl.counts.FunctionalDependencies.find(table, min_count)
    assert as_dict(found) == functional_dependencies(rows, range(4), min_count)
    assert list(found.counts) == sorted(found.counts, reverse=True)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_weights_count_like_equal_rows(seed):
    weights = np.random.default_rng(seed).integers(1, 4, 60)
    weighted, _ = linked_table(seed, weights=weights.astype(np.float64))
    plain, _ = linked_table(seed)
    repeated = plain.take(np.repeat(np.arange(60), weights))
    assert as_dict(bl.counts.FunctionalDependencies.find(weighted, 20)) == as_dict(
        bl.counts.FunctionalDependencies.find(repeated, 20)
    )


def test_counting_in_batches_finds_the_same(monkeypatch):
    table, _ = linked_table(3, columns=7)
    at_once = as_dict(bl.counts.FunctionalDependencies.find(table, 3))
    assert at_once
    monkeypatch.setattr(module, "BATCH_CELLS", 5)
    assert as_dict(bl.counts.FunctionalDependencies.find(table, 3)) == at_once


def test_a_value_that_a_row_does_not_have_is_not_determined_there():
    table, rows = linked_table(1, missing=0.1)
    found = bl.counts.FunctionalDependencies.find(table, 3)
    slow = functional_dependencies(rows, range(4), 3)
    assert slow
    for x in range(4):
        for y in range(4):
            if x != y:
                expected = [(x, row[x], y, row[y]) in slow for row in rows]
                assert found.hold(table.codes, x, y).tolist() == expected
                assert found.between[x, y] == any((x, y) == (key[0], key[2]) for key in slow)


def test_the_list_reads_well():
    data = pl.DataFrame(
        {"pregnant": ["no", "no", "yes", "no"], "sex": ["f", "m", "f", "f"], "age": [1, 2, 3, 3]}
    )
    found = bl.counts.FunctionalDependencies.find(data, min_count=1)
    assert ("pregnant", "yes", "sex", "f", 1) in list(found)
    assert found.to_frame("pandas").columns.tolist() == [
        "column", "value", "implied_column", "implied_value", "rows",
    ]  # fmt: skip
    assert len(found.to_frame()) == len(found)
    assert "pregnant = yes" in repr(found)
    assert repr(found).splitlines()[0].startswith(f"{len(found)} functional dependencies (seen at least 1 ti")
    many, _ = linked_table(0, columns=12)
    assert "more; to_frame() has all." in repr(bl.counts.FunctionalDependencies.find(many, 1))


def test_nothing_found_is_an_empty_list():
    table, _ = linked_table(0)
    found = bl.counts.FunctionalDependencies.find(table, 10**6)
    assert len(found) == 0
    assert found.to_frame().shape == (0, 5)
    assert "0 functional dependencies" in repr(found)
    assert not found.hold(table.codes, 0, 1).any()
    with pytest.raises(ValueError, match=r"'min_count' parameter .* in the range \(0, inf\)"):
        bl.counts.FunctionalDependencies.find(table, 0)
