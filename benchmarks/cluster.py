"""A standalone cluster on this machine: a master and two workers of one core each, every one in a folder of its own."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from ingest.session import prepare_environment

SPARK_CLASS = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
WORKERS = 2


@contextmanager
def running_cluster(folder: Path) -> Iterator[str]:
    """The address of the master."""
    prepare_environment(is_local=True)
    with ExitStack() as stack:
        log = start(stack, folder, "master", "org.apache.spark.deploy.master.Master", "--port", "0")
        url = wait_for(log, r"Starting Spark master at (spark://\S+)")
        for number in range(WORKERS):
            name, work = f"worker{number}", str(folder / f"work{number}")
            arguments = ("--cores", "1", "--memory", "1g", "--work-dir", work, url)
            wait_for(
                start(stack, folder, name, "org.apache.spark.deploy.worker.Worker", *arguments),
                "(Successfully registered) with master",
            )
        yield url


def start(stack: ExitStack, folder: Path, name: str, *arguments: str) -> Path:
    """Starts a daemon of Spark, and waits until its log reports that it is ready."""
    log = folder / f"{name}.log"
    process = subprocess.Popen(
        [SPARK_CLASS, *arguments, "--host", "127.0.0.1", "--webui-port", "0"],
        env=os.environ | {"SPARK_DAEMON_MEMORY": "256m"},
        stdout=log.open("wb"),
        stderr=subprocess.STDOUT,
    )
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return log


def wait_for(log: Path, pattern: str) -> str:
    give_up_at = time.monotonic() + 60
    while not (found := re.search(pattern, log.read_text())):
        assert time.monotonic() < give_up_at, log.read_text()
        time.sleep(0.1)
    return found[1]
