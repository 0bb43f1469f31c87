"""Learning on Spark: what one partition takes, what merging takes, and what follows for a cluster.

Measured on one core of this machine: a partition of a million rows (those of `scale.py`: 30 columns of texts, 10 of
numbers, a class of 4 labels, Parquet), in each pass of TAN with `Shrinkage`: CPU seconds of the Python worker and of
Java, bytes that the partition sends, and CPU seconds to merge them with others; what the driver takes besides; and
what it takes to score the partition.

Computed from that, not measured: the time of a fit for more rows and more executor cores. Partitions are divided
evenly among the cores, 32 at a time are merged by one of them, and the driver merges the rest, one after another; all
that travels does so at 1 Gbit/s, to the driver through one line. Starting Spark, and rows that have to be read from
elsewhere, are left out.

    python benchmarks/spark.py --folder /tmp/bayleaf-scale
"""

import argparse
import math
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import polars as pl
import pyarrow
from common import report
from pyarrow import parquet
from pyspark.sql import SparkSession
from scale import MILLION, generate

import bayleaf as bl
from bayleaf.spark import BayesNetClassificationModel
from bayleaf.spark.spark_stages import Scoring, score_partition
from bayleaf.streams.spark_stream import LOT_PARTS, PartitionJob, PartitionTally, SparkRows, frames

PASSES = ("first look", "sample", "counts")
LINE = 125e6  # bytes a second: 1 Gbit/s
SPARK_BATCH = 10_000  # rows that Spark hands to Python at once
MERGED = 20


@dataclass(frozen=True)
class Pass:
    """What one pass over one partition takes."""

    python: float
    java: float
    sent: int
    merge: float


class Measured(SparkRows):
    """Spark rows whose passes are measured: in Spark what Java takes, here what Python does with the same rows."""

    def __init__(self, frame: Any, spark: SparkSession, rows: pyarrow.Table) -> None:
        super().__init__(frame)
        self._java_seconds = java_seconds(spark)
        self._rows = rows
        self.passes: list[Pass] = []
        self.measuring = 0.0

    def tally(self, job: PartitionJob, columns: Sequence[str]) -> PartitionTally:
        """Make a pass, and take its time."""
        begin, before = time.process_time(), self._java_seconds()
        found = super().tally(job, columns)
        java = self._java_seconds() - before
        state = pickle.dumps(found, protocol=5)
        python = min(self._python_seconds(job, columns) for _ in range(3))
        self.passes.append(Pass(python, java, len(state), merging(state)))
        self.measuring += time.process_time() - begin
        return found

    def _python_seconds(self, job: PartitionJob, columns: Sequence[str]) -> float:
        batches = self._rows.select(list(columns)).to_batches(max_chunksize=SPARK_BATCH)
        start = time.process_time()
        tallies = job.start(0)
        for frame in frames(batches):
            job.add(tallies, frame)
        pickle.dumps(tallies, protocol=5)
        return time.process_time() - start


def java_seconds(spark: SparkSession) -> Callable[[], float]:
    """Return what tells the CPU seconds of Java."""
    path = Path(f"/proc/{spark._jvm.java.lang.ProcessHandle.current().pid()}/stat")

    def seconds() -> float:
        fields = path.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    return seconds


def merging(state: bytes) -> float:
    """CPU seconds to unpack one more partition and to add it."""
    whole = pickle.loads(state)
    start = time.process_time()
    for _ in range(MERGED):
        whole.merge(pickle.loads(state))
    return (time.process_time() - start) / MERGED


def measure(spark: SparkSession, frame: Any, table: pyarrow.Table) -> tuple[list[Pass], float]:
    """Fit one partition of a million rows; the last time counts, when Java has compiled what it runs."""
    for _ in range(3):
        rows = Measured(frame, spark, table)
        before = time.process_time()
        bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), n_jobs=1).fit_from(rows, target="y")
        driver = time.process_time() - before - rows.measuring
    return rows.passes, driver


def measure_scoring(spark: SparkSession, frame: Any, table: pyarrow.Table) -> tuple[float, float]:
    """CPU seconds of Python and of Java to score the partition."""
    classifier = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), n_jobs=1)
    classifier.fit_from(pl.DataFrame(table).head(100_000), target="y")
    model = BayesNetClassificationModel.of(classifier)
    java = java_seconds(spark)
    for _ in range(2):
        before = java()
        model.transform(frame).write.format("noop").mode("overwrite").save()
        taken = java() - before
    features = [str(name) for name in classifier.feature_names_in_]
    scoring = Scoring(
        model._model_file, table.column_names, features, ["raw", "probability", "prediction", "label"]
    )
    start = time.process_time()
    for _ in score_partition(scoring, table.to_batches(max_chunksize=SPARK_BATCH)):
        pass
    return time.process_time() - start, taken


def computed(passes: list[Pass], driver: float, rows: int, cores: int) -> float:
    """Return the seconds of a fit, by the rule at the top."""
    parts = math.ceil(rows / MILLION)
    lots = math.ceil(parts / LOT_PARTS)
    seconds = driver
    for name, each in zip(PASSES, passes, strict=True):
        transfer = each.merge + each.sent / LINE
        seconds += math.ceil(parts / cores) * (each.python + each.java)
        if name == "sample":  # its rows are divided among all partitions
            seconds += math.ceil(lots / cores) * transfer / lots + transfer
        else:
            seconds += math.ceil(lots / cores) * min(parts, LOT_PARTS) * transfer + lots * transfer
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/bayleaf-scale"))
    folder: Path = parser.parse_args().folder / "one-million"
    folder.mkdir(parents=True, exist_ok=True)
    generate(1, folder)
    warnings.simplefilter("ignore")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master("local[1]").config("spark.driver.memory", "2g")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    frame, table = spark.read.parquet(str(folder)).coalesce(1), parquet.read_table(folder)
    passes, driver = measure(spark, frame, table)
    scored = measure_scoring(spark, frame, table)
    spark.stop()
    lines: list[list[object]] = [
        [name, each.python, each.java, each.sent / 1e6, 1000 * each.merge]
        for name, each in zip(PASSES, passes, strict=True)
    ]
    lines.append(["driver besides", driver, "", "", ""])
    lines.append(["scoring", *scored, "", ""])
    headings = ["pass over a million rows", "Python CPU s", "Java CPU s", "sent MB", "merge ms"]
    report("One partition, measured", headings, lines, "spark.csv")
    cores = [2, 16, 64, 256, 1024]
    table = [
        [f"10^{power}", *(round(computed(passes, driver, 10**power, each)) for each in cores)]
        for power in (7, 8, 9)
    ]
    report(
        "Seconds of a fit, computed, by executor cores",
        ["rows", *map(str, cores)],
        table,
        "spark_computed.csv",
    )


if __name__ == "__main__":
    main()
