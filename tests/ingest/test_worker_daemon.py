"""Idle workers end without a word when Spark closes them; that they run tasks, every test with a context shows."""

import os
import select
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark import SparkContext

from ingest.session import LOCAL_SETTINGS

MODULE = LOCAL_SETTINGS["spark.python.daemon.module"]


def read_what_an_idle_worker_prints(module: str, folder: Path) -> str:
    """Starts the daemon as Spark does, closes the socket of a worker that has no task, and waits for its end."""
    environment = os.environ | {
        "PYTHON_UNIX_DOMAIN_ENABLED": "true",
        "PYTHON_WORKER_FACTORY_SOCK_DIR": str(folder),
        "SPARK_REUSE_WORKER": "1",
    }
    command = [sys.executable, "-m", module, "pyspark.worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as daemon:
        assert daemon.stdin
        assert daemon.stdout
        assert daemon.stderr
        address = daemon.stdout.read(int.from_bytes(daemon.stdout.read(4)))
        with socket.socket(socket.AF_UNIX) as worker:
            worker.connect(address)
            ended = os.pidfd_open(int.from_bytes(worker.recv(4)))
        select.select([ended], [], [])  # Spark would kill it some milliseconds later
        os.close(ended)
        daemon.stdin.close()
        return daemon.stderr.read().decode()


def test_an_idle_worker_ends_without_a_word_where_that_of_spark_prints_a_broken_pipe():
    with tempfile.TemporaryDirectory(
        prefix="hg-"
    ) as short:  # the address of a socket has at most 107 letters
        assert "BrokenPipeError" in read_what_an_idle_worker_prints("pyspark.daemon", Path(short))
        assert read_what_an_idle_worker_prints(MODULE, Path(short)) == ""


def test_workers_of_a_local_context_are_of_this_daemon(spark: SparkContext):
    started = spark.parallelize([0], 1).map(lambda _: sys.modules["__main__"].__spec__)
    assert getattr(started.first(), "name", None) == MODULE
