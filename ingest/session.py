"""The Spark session: what the job needs set, and what it leaves to the cluster."""

import logging
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from pyspark.sql import SparkSession

from ingest.java import find_java_home

SETTINGS = {
    # Times are compared, cut into windows and printed in UTC, whatever the machines' zone.
    "spark.sql.session.timeZone": "UTC",
    # Parquet's nanosecond timestamps come as integers: Spark has no type for them.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.parquet.binaryAsString": "true",
    # What runs over each record is long: as one method Java would not compile it but interpret it.
    "spark.sql.codegen.hugeMethodLimit": "8000",
    # Records are kept for three readers only: to compress them would take longer than to write and read them.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # A task's groups should fit into a small memory: larger ones spill, and so cost a sixth more in all.
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "16m",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    # Ten thousand lines a batch are two megabytes; of long ones they would be many.
    "spark.sql.execution.arrow.maxBytesPerBatch": "8m",
}
LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "16",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    # Throughput counts here, not pauses: a tenth less processor time than Java's own choice; most objects die young.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC -XX:NewRatio=1",
}


def open_session(master: str | None, settings: dict[str, str] | None = None) -> SparkSession:
    """A session on `master`; without one, that of spark-submit, to which the cluster's settings are left."""
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it tells of every call, and of its own end
    builder = SparkSession.builder.appName("headgate ingest")
    # A bar where somebody watches; elsewhere the job's own lines say how far it is.
    chosen = SETTINGS | {"spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if master is not None:
        prepare_environment(is_local=master.startswith("local"))
        builder = builder.master(master)
        chosen |= LOCAL_SETTINGS if master.startswith("local") else {}
    for name, value in (chosen | (settings or {})).items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    return session


def prepare_environment(*, is_local: bool) -> None:
    """What Spark reads from the environment when it is started here; what is set already stays."""
    shims = Path(tempfile.gettempdir()) / f"headgate-java-{os.getuid()}"
    os.environ["JAVA_HOME"] = str(find_java_home(shims))
    os.environ.setdefault("TZ", "UTC")
    if is_local:
        # A machine whose own name does not resolve cannot start Spark otherwise; a cluster must reach the driver.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def shares_python(spark: SparkSession) -> bool:
    """Whether its tasks may call this Python and its pyarrow: on this machine only."""
    context = spark.sparkContext
    is_here = str(context.master).startswith("local") and context.pythonExec == sys.executable
    return is_here and find_spec("pyarrow") is not None
