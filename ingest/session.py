"""The Spark session and its settings; a cluster keeps its own for the rest."""

import logging
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from pyspark.sql import SparkSession

from ingest.java import find_java_home

SETTINGS = {
    # Times are compared, cut into windows and printed in UTC, whatever the time zone of the machines.
    "spark.sql.session.timeZone": "UTC",
    # Spark has no type for Parquet's timestamps in nanoseconds: they are read as integers.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.parquet.binaryAsString": "true",
    # The code generated for each record is long; Java interprets a method above this limit and does not compile it.
    "spark.sql.codegen.hugeMethodLimit": "8000",
    # Kept records are read three times: compressing them would take longer than it saves.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # The groups of a task should fit into a small memory; if they spill to disk, a run takes a sixth longer.
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "16m",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    # A batch has ten thousand lines, which are two megabytes; long lines need a limit in bytes.
    "spark.sql.execution.arrow.maxBytesPerBatch": "8m",
}
LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "16",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    # Throughput matters here, pauses do not: this takes a tenth less processor time than Java's default. Most objects
    # are short-lived, hence the large young generation.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC -XX:NewRatio=1",
}


def open_session(master: str | None, settings: dict[str, str] | None = None) -> SparkSession:
    """A session on `master`; without one, the session of spark-submit with the cluster's settings."""
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it logs every call
    builder = SparkSession.builder.appName("headgate ingest")
    # A progress bar on a terminal; elsewhere the log lines of the job show the progress.
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
    """Sets what Spark reads from the environment; variables that are set already are kept, JAVA_HOME if it fits."""
    shims = Path(tempfile.gettempdir()) / f"headgate-java-{os.getuid()}"
    os.environ["JAVA_HOME"] = str(find_java_home(shims))
    os.environ.setdefault("TZ", "UTC")
    if is_local:
        # Without it Spark does not start on a machine whose own name cannot be resolved. On a cluster the executors
        # must reach the driver, so it is not set there.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def shares_python(spark: SparkSession) -> bool:
    """Whether the tasks can run this Python with its pyarrow, which is so on this machine only."""
    context = spark.sparkContext
    is_here = str(context.master).startswith("local") and context.pythonExec == sys.executable
    return is_here and find_spec("pyarrow") is not None
