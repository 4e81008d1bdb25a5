"""A real cluster, what its executors need, and what is left of runs that were killed in it.

A master and two workers from the installed Spark, each in a folder of its own; the command line or spark-submit as
driver. They share the log, nothing else.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy
from typing import Any

import pyspark
import pytest
from psycopg.rows import dict_row
from pyspark import SparkContext

from app.database.embedded.embedded_postgres import shared_postgres
from ingest.job import run_ingest
from ingest.request import Request
from ingest.session import FOLDER, PYTHON
from ingest.storing.runs import connect
from migrations.runner import migrate
from tests.app.processes import HEADGATE, environment, made_database
from tests.ingest.logs import make_events, to_json

PROJECT = Path(__file__).parents[2]
SPARK = Path(pyspark.__file__).parent / "bin"
KILLS = int(os.environ.get("INGEST_KILLS", "2"))
LONGEST_WAIT_SECONDS = 9.0  # about as long as a run takes: a kill hits any part of it
REGISTERED = "Successfully registered with master()"
TABLES = ("operator_summaries", "topology_summaries", "snapshots")


@dataclass
class Cluster:
    """The processes of a standalone cluster on the loopback."""

    folder: Path
    url: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, name: str, *arguments: str) -> Path:
        folder = self.folder / name
        folder.mkdir()
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [SPARK / "spark-class", *arguments, "--host", "127.0.0.1", "--webui-port", "0"],
                cwd=folder,
                env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that a worker can be ended together with its executor
            )
        self.processes.append(process)
        return folder / "log"

    def start_master(self) -> None:
        log = self.start("master", "org.apache.spark.deploy.master.Master", "--port", "0")
        self.url = wait_for(log, r"Starting Spark master at (spark://\S+)")

    def start_worker(self) -> Path:
        name = f"worker{len(list(self.folder.iterdir()))}"
        work = str(self.folder / name / "work")
        arguments = ("--cores", "1", "--memory", "1g", "--work-dir", work, self.url)
        return self.start(name, "org.apache.spark.deploy.worker.Worker", *arguments)

    def kill_worker(self) -> None:
        """The oldest, with its executor; another takes its place."""
        victim = self.processes.pop(1)
        end_group(victim)
        wait_for(self.start_worker(), REGISTERED)

    def stop(self) -> None:
        for process in self.processes:
            end_group(process)


def wait_for(log: Path, pattern: str) -> str:
    """Daemons tell only their logs that they are ready."""
    give_up_at = time.monotonic() + 120
    while not (found := re.search(pattern, log.read_text())):
        assert time.monotonic() < give_up_at, log.read_text()
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(["tail", "-F", str(log)], capture_output=True, timeout=0.2, check=False)
    return found.group(1)


def end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        running.start_master()
        for started in [running.start_worker(), running.start_worker()]:
            wait_for(started, REGISTERED)
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    events = make_events(300, seed=21)
    for part in range(4):
        lines = [to_json(event) for event in [*events[part::4], *events[:10]]]
        (folder / f"part{part}.jsonl").write_text("\n".join([*lines, "torn {"]))
    return folder


@pytest.fixture(scope="module")
def clean(spark: SparkContext, postgres_url: str, log: Path) -> list[Any]:
    """What one undisturbed run leaves."""
    with made_database(postgres_url) as url:
        migrate(url)
        run_ingest(spark, url, Request((str(log),), None, 60, 0.05))
        return dump(url)


def dump(url: str) -> list[Any]:
    found: list[Any] = []
    with connect(url) as connection:
        for table in TABLES:
            rows = connection.cursor(row_factory=dict_row).execute(
                f"SELECT t.name, to_jsonb(s) - 'run_id' - 'topology_id' - 'stored_at' AS row"
                f" FROM {table} s JOIN topologies t ON t.id = s.topology_id ORDER BY 1, 2"
            )
            found.append(rows.fetchall())
        found.append(
            connection.execute("SELECT revision, definition, source FROM topology_revisions").fetchall()
        )
    return found


def start_ingest(cluster: Cluster, log: Path, data_dir: Path) -> subprocess.Popen[bytes]:
    """On an embedded Postgres; executors have this Python."""
    return subprocess.Popen(
        [HEADGATE, "ingest", str(log), "--master", cluster.url],
        env=environment(data_dir=str(data_dir))
        | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
        cwd=data_dir,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill_postgres(data_dir: Path) -> None:
    with suppress(FileNotFoundError, ProcessLookupError):
        pid = (data_dir / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0]
        os.kill(int(pid), signal.SIGQUIT)


def wait_a_moment(run: subprocess.Popen[bytes], seconds: float) -> None:
    """Lets a run go on for so long, or to its end."""
    with suppress(subprocess.TimeoutExpired):
        run.wait(timeout=seconds)


def test_runs_killed_anywhere_leave_what_one_clean_run_leaves(
    cluster: Cluster, log: Path, clean: list[Any], tmp_path_factory: pytest.TempPathFactory
):
    """The driver, or a worker and then the database, go at random moments of a run; then one run more, undisturbed."""
    data_dir = tmp_path_factory.mktemp("killed")
    moments = random.Random(1)
    for number in range(KILLS):
        run = start_ingest(cluster, log, data_dir)
        if number % 2 == 0:
            wait_a_moment(run, moments.uniform(1, LONGEST_WAIT_SECONDS))
            end_group(run)
            continue
        wait_a_moment(run, moments.uniform(1, LONGEST_WAIT_SECONDS / 2))
        cluster.kill_worker()
        wait_a_moment(run, moments.uniform(0, LONGEST_WAIT_SECONDS / 2))
        kill_postgres(data_dir)
        run.wait(timeout=300)
    last = start_ingest(cluster, log, data_dir)
    assert last.wait(timeout=300) == 0
    with shared_postgres(data_dir) as url:
        assert dump(url) == clean
        with connect(url) as connection:
            states = [
                row[0] for row in connection.execute("SELECT state FROM ingest_runs ORDER BY id").fetchall()
            ]
    assert states[-1] == "succeeded"
    assert "running" not in states, "the last run saw that the killed ones are gone"


def run_without_packages(command: list[str], database: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """From another folder, with executors whose Python has no package, as on a cluster's machines."""
    bare = folder / "python3"
    bare.write_text(f'#!/bin/sh\nexec {sys.base_prefix}/bin/{PYTHON} -S "$@"\n')
    bare.chmod(0o755)
    settings = "cores.max 1", "task.maxFailures 1", "sql.codegen.factoryMode NO_CODEGEN"
    (folder / "spark-defaults.conf").write_text("".join(f"spark.{setting}\n" for setting in settings))
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(database_url=database)
        | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": str(folder)}
        | {"PYSPARK_PYTHON": str(bare), "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_executors_without_packages_are_told_of_with_the_remedy(
    cluster: Cluster, log: Path, database: str, tmp_path: Path
):
    command = [HEADGATE, "ingest", str(log), "--master", cluster.url]
    done = run_without_packages(command, database, tmp_path)
    assert done.returncode == 1, done.stderr
    assert "the executors cannot run this job" in done.stderr
    assert "`make workers` (--worker-archive" in done.stderr


def test_executors_without_packages_run_the_job_from_the_archive(
    cluster: Cluster, log: Path, clean: list[Any], database: str, tmp_path: Path
):
    """As docs/ingest.md says; a file that only Spark can read repeats a part of the log, which changes nothing."""
    archive, copies = tmp_path / "workers.zip", tmp_path / "part0.jsonl.deflate"
    copies.write_bytes(zlib.compress((log / "part0.jsonl").read_bytes()))
    subprocess.run([sys.executable, PROJECT / "tools" / "pack_workers.py", archive], check=True)
    packages = ["--archives", f"{archive}#{FOLDER}", "--conf", f"spark.executorEnv.PYTHONPATH={FOLDER}"]
    job = [copy(PROJECT / "ingest" / "job.py", tmp_path / "job.py"), log, copies, "--database-url", database]
    command = [SPARK / "spark-submit", "--master", cluster.url, *packages, *job]
    done = run_without_packages([str(word) for word in command], database, tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    assert dump(database) == clean
