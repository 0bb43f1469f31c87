"""One small Spark for all tests: two cores of this machine, each task tried three times."""

import os
import sys
from pathlib import Path

import pytest

from reference.asked_folders import leave_unless_asked_for


def pytest_collection_modifyitems(config, items):
    leave_unless_asked_for(Path(__file__).parent, config, items)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'bayleaf[spark]'")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["POLARS_MAX_THREADS"] = "1"  # of the workers
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "1g",
        # Short jobs: compiling their code well takes longer than running it.
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.session.timeZone": "UTC",
        # From Spark 4.1 on, a union of frames of one partition each would have one.
        "spark.sql.unionOutputPartitioning": "false",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = sql.SparkSession.builder.master("local[2,3]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def as_spark(spark):
    """Make a Spark DataFrame of a polars one: in so many partitions, in the order of its rows."""

    def make(frame, parts=3):
        size = -(-frame.height // parts)
        pieces = [spark.createDataFrame(part.to_arrow()).coalesce(1) for part in frame.iter_slices(size)]
        whole = pieces[0]
        for piece in pieces[1:]:
            whole = whole.union(piece)
        return whole

    return make
