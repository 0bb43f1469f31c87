"""Rows that are looked at in parts, each on its own, and merged: the same as if they had been read in one go."""

import pickle

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.counts import ChangedDataError
from bayleaf.streams import first_look as label_counts
from bayleaf.streams import spark_stream
from bayleaf.streams.batch_reader import NamedColumns
from bayleaf.streams.first_look import FirstLook
from bayleaf.streams.row_rules import RowRules
from bayleaf.streams.spark_stream import PartitionTally, SparkStream
from reference.stream_tables import counting, labels_frame, mixed_frame


class LocalParts(NamedColumns):
    """What `SparkRows` does, without Spark: partitions are tallied in any order, and what they find is sent."""

    def __init__(self, frame: pl.DataFrame, parts: int = 4) -> None:
        super().__init__("The DataFrame", frame.columns)
        self.pieces = list(frame.iter_slices(-(-frame.height // parts)))
        self.sent: list[PartitionTally] = []

    def check_types(self, columns):
        pass

    def tally(self, job, columns):
        found = {}
        for part in np.random.default_rng(0).permutation(len(self.pieces)):
            tallied = PartitionTally(job.start(part), {part: 0})
            frame = self.pieces[part].select(columns)
            tallied.rows[part] += job.add(tallied.tallies, frame)
            tallied.read += frame.height
            found[part] = pickle.loads(pickle.dumps(tallied))
        self.sent = [found[part] for part in sorted(found)]
        whole = pickle.loads(pickle.dumps(self.sent[0]))
        for part in sorted(found)[1:]:
            whole.merge(pickle.loads(pickle.dumps(found[part])))
        return whole


def rules_of(frame: pl.DataFrame) -> RowRules:
    return RowRules.of(counting(), [name for name in frame.columns if name != "class"], "class", None)


def looked(*frames: pl.DataFrame) -> FirstLook:
    look = FirstLook(rules_of(frames[0]))
    for frame in frames:
        look.add(frame)
    return look


@pytest.mark.parametrize("levels", [2**18, 20])
def test_merged_looks_are_one_look(levels, monkeypatch):
    monkeypatch.setattr(label_counts, "MOST_LEVELS", levels)
    frame = mixed_frame().with_columns(street=pl.Series([f"street {k % 90}" for k in range(400)]))
    parts = [frame[:7], frame[7:8].clear(), frame[7:250], frame[250:]]
    whole = looked(frame)
    merged = looked(parts[0])
    for part in parts[1:]:
        merged.merge(looked(part))
    assert (merged.read, merged.rows, merged.without_class) == (400, 400, 0)
    assert merged.counts.keys() == whole.counts.keys()
    np.testing.assert_array_equal(merged.class_rows, whole.class_rows)
    np.testing.assert_array_equal(merged.missing, whole.missing)
    for j, counts in whole.counts.items():
        other = merged.counts[j]
        assert (other.too_many, other.different, other.missing) == (
            counts.too_many,
            counts.different,
            counts.missing,
        )
        assert other.names_rows == counts.names_rows
        if not counts.too_many:
            (column, classes, weights), (again, *others) = counts.as_rows(3), other.as_rows(3)
            assert column.levels == again.levels
            np.testing.assert_array_equal([column.codes, classes, weights], [again.codes, *others])
    assert whole.counts[whole.rules.features.index("street")].too_many == (levels == 20)


def test_whether_rows_are_numbered_is_told_by_the_first_that_count():
    frame = labels_frame().with_columns(number=pl.int_range(400))
    nothing = frame.clear()
    merged = looked(nothing)
    for part in (frame[:200], frame[200:].with_columns(number=pl.lit(7))):
        merged.merge(looked(part))
    assert merged.numbering == {merged.rules.features.index("number")}


@pytest.mark.parametrize("missing", ["auto", "drop"])
@pytest.mark.parametrize("spare", [6.0, -4.0])
def test_samples_are_those_of_batches(spare, missing, monkeypatch):
    monkeypatch.setattr(spark_stream, "SPARE", spare)  # with fewer than none, too few rows are sent at first
    frame = mixed_frame().with_columns(w=pl.Series(np.arange(400) % 3))
    frame = frame.with_columns(pl.when(pl.int_range(400) % 9 > 0).then("class").alias("class"))
    parts = LocalParts(frame)
    with pytest.warns(UserWarning, match="45 of 400 rows have no class"):
        stream = SparkStream(
            counting(missing=missing)._new_reader(), parts, "class", weight="w", sample_rows=60
        )
    with pytest.warns(UserWarning, match="45 of 400 rows have no class"):
        expected = bl.streams.open_stream(
            counting(missing=missing)._new_reader(), frame, "class", weight="w", sample_rows=60
        )
    assert stream.sample.equals(expected.sample)
    assert stream.schema == expected.schema
    rows, others = stream.source().rows(50), expected.source().rows(50)
    np.testing.assert_array_equal(rows.codes, others.codes)
    np.testing.assert_array_equal(rows.weights, others.weights)
    assert others.n_rows == 50


def test_little_more_than_the_sample_is_sent():
    frame = pl.DataFrame({"x": np.arange(20_000) * 0.5, "class": np.arange(20_000) % 2})
    parts = LocalParts(frame, 20)
    SparkStream(counting()._new_reader(), parts, "class", sample_rows=500)
    assert 500 <= sum(each.tallies[0].n_kept for each in parts.sent) < 700
    assert max(len(pickle.dumps(each)) for each in parts.sent) < 10_000


def test_partitions_may_depend_on_the_columns_that_are_read():
    class Whimsical(LocalParts):
        def tally(self, job, columns):
            self.pieces = list(frame.iter_slices(len(columns) * 10))
            return super().tally(job, columns)

    frame = mixed_frame()
    stream = SparkStream(counting()._new_reader(), Whimsical(frame), "class", sample_rows=60)
    assert stream.sample.equals(
        bl.streams.open_stream(counting()._new_reader(), frame, "class", sample_rows=60).sample
    )


def test_rows_that_change_between_passes():
    parts = LocalParts(mixed_frame())
    stream = SparkStream(counting()._new_reader(), parts, "class", sample_rows=60)
    source = stream.source()
    parts.pieces = parts.pieces[::-1]
    assert source.n_rows == 400  # in another order they count the same
    parts.pieces[0] = parts.pieces[0][:-1]
    with pytest.raises(ChangedDataError, match="gave other rows when it was read again: call cache"):
        source.rows(50)
    with pytest.raises(ChangedDataError, match="400 rows in the first pass, 399 in a later one"):
        source.counts([[0, 1, 2, 3]])
