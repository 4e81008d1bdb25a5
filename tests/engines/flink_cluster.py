"""A real Flink of this run: one job manager with the adaptive scheduler, one task manager, both on 127.0.0.1."""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeVar, cast

import httpx
import pyflink.version
from pydantic import JsonValue

from ingest.session import find_java_home

FLINK = Path(pyflink.version.__file__).parent
OPENED = (
    "lang", "net", "io", "nio", "lang.reflect", "text", "time", "util", "util.concurrent",
    "util.concurrent.atomic", "util.concurrent.locks",
)  # fmt: skip
"""Packages of java.base that Flink looks into; without them the cluster starts and every job is refused."""

Fields = dict[str, JsonValue]
Found = TypeVar("Found")
PATIENCE_SECONDS = 120  # for what takes some seconds on a quiet machine


def wait_for(look: Callable[[], Found | None], what: str, seconds: float = PATIENCE_SECONDS) -> Found:
    """Looks every 0.1 s until there is something; fails at the deadline."""
    give_up_at = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < give_up_at, f"waited {seconds:.0f} s in vain until {what}"
        time.sleep(0.1)
    return found


def find_free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def find_java() -> Path:
    """The Java that Spark would run on: Flink needs the same version."""
    home = find_java_home(Path(tempfile.gettempdir(), f"headgate-java-{os.getuid()}"))
    return home / "bin" / "java"


@dataclass
class Flink:
    """A running cluster: its address, and the processes behind it."""

    folder: Path
    slots: int
    settings: dict[str, str]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    reporters: dict[str, int] = field(default_factory=dict)
    logs: list[IO[bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where its REST API answers."""
        return f"http://127.0.0.1:{self.settings['rest.port']}"

    def ask(self, method: str, path: str, body: JsonValue = None) -> JsonValue:
        """One REST call; fails on every status but 200 and 202."""
        answer = httpx.request(method, self.url + path, json=body, timeout=PATIENCE_SECONDS)
        assert answer.status_code in {200, 202}, f"{method} {path}: {answer.status_code} {answer.text}"
        return cast("JsonValue", answer.json())

    def get(self, path: str) -> Fields:
        """A GET that answers with an object."""
        return cast("Fields", self.ask("GET", path))

    def start(self, role: str, main_class: str) -> None:
        """Starts one process; its log is <role>.log in the folder."""
        opens = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in OPENED]
        self.reporters[role] = find_free_port()
        reporter = {"metrics.reporter.prom.port": str(self.reporters[role])}
        given = [f"-D{name}={value}" for name, value in (self.settings | reporter).items()]
        jars = ":".join(str(jar) for jar in sorted((FLINK / "lib").glob("*.jar")))
        log = (self.folder / f"{role}.log").open("ab")
        self.logs.append(log)
        small = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx320m"]
        self.processes[role] = subprocess.Popen(
            [find_java(), *small, *opens, "-cp", jars, main_class, "--configDir", self.folder, *given],
            env=os.environ | {"FLINK_PLUGINS_DIR": str(FLINK / "plugins")},
            stdout=log,
            stderr=log,
            cwd=self.folder,
        )

    def start_task_manager(self) -> None:
        """Starts the task manager, and waits until its slots are there."""
        self.start("task-manager", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner")
        wait_for(lambda: self.count_slots() == self.slots, "the task manager brings its slots")

    def count_slots(self) -> int:
        """Slots of all task managers; 0 while the job manager does not answer; fails if one of both has ended."""
        for role, process in self.processes.items():
            said = (self.folder / f"{role}.log").read_text(errors="replace")[-2000:]
            assert process.poll() is None, f"the {role} has ended:\n{said}"
        try:
            answer = httpx.get(f"{self.url}/overview", timeout=PATIENCE_SECONDS)
        except httpx.TransportError:
            return 0
        return cast("int", answer.json()["slots-total"]) if answer.status_code == 200 else 0

    def stop(self) -> None:
        """Ends its processes."""
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=20)
        for log in self.logs:
            log.close()


MEMORY = {
    "taskmanager.memory.task.heap.size": "192m",
    "taskmanager.memory.task.off-heap.size": "0m",
    "taskmanager.memory.framework.heap.size": "64m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.network.min": "128m",
    "taskmanager.memory.network.max": "128m",
    "taskmanager.memory.managed.size": "16m",
    "taskmanager.memory.jvm-metaspace.size": "128m",
    "taskmanager.memory.jvm-overhead.min": "64m",
    "taskmanager.memory.jvm-overhead.max": "64m",
}


def list_settings(folder: Path, slots: int) -> dict[str, str]:
    """What Flink is set to: small, quick to rescale, and quick to tell its metrics."""
    rpc, rest = find_free_port(), find_free_port()
    return {
        "jobmanager.rpc.address": "127.0.0.1",
        "jobmanager.bind-host": "127.0.0.1",
        "jobmanager.rpc.port": str(rpc),
        "rest.address": "127.0.0.1",
        "rest.bind-address": "127.0.0.1",
        "rest.port": str(rest),
        "taskmanager.host": "127.0.0.1",
        "taskmanager.bind-host": "127.0.0.1",
        "taskmanager.numberOfTaskSlots": str(slots),
        "taskmanager.cpu.cores": "2",
        **MEMORY,
        "jobmanager.scheduler": "adaptive",
        "jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling": "1 s",
        "jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout": "1 s",
        "jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout": "1 s",
        "web.refresh-interval": "200",
        "metrics.fetcher.update-interval": "500",
        "pekko.startup-timeout": "100 s",  # a loaded machine starts slowly
        "pekko.ask.timeout": "60 s",
        "heartbeat.timeout": "120 s",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "1000",
        "restart-strategy.fixed-delay.delay": "1 s",
        "metrics.reporter.prom.factory.class": "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
        "io.tmp.dirs": str(folder),
        "web.tmpdir": str(folder),
        "web.upload.dir": str(folder),
    }


@contextmanager
def running_flink(folder: Path, slots: int) -> Iterator[Flink]:
    """A session cluster with so many slots; ends with the block."""
    (folder / "config.yaml").write_text("{}\n")  # all settings come by -D
    flink = Flink(folder, slots, list_settings(folder, slots))
    try:
        flink.start("job-manager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint")
        flink.start_task_manager()
        yield flink
    finally:
        flink.stop()
