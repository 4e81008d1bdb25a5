"""Starts the real service in a process of its own, and makes databases for it."""

import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from tests.app.prepared import PreparedProcess, open_program

HEADGATE = str(Path(sys.executable).parent / "headgate")
ADDRESS = re.compile(r"serving on (http://\S+?)[,\"]")
PATIENCE_SECONDS = 60
START_SECONDS = 120  # a loaded machine starts slowly; a broken service ends at once


@dataclass
class Service:
    """A running `headgate serve`, and the lines that it has logged."""

    process: PreparedProcess
    url: str = ""
    lines: list[str] = field(default_factory=list)
    said: threading.Condition = field(default_factory=threading.Condition)
    listener: threading.Thread | None = None

    def wait_for_line(self, part: str) -> str:
        """The first line that contains the text; it may arrive a little after the answer that it is about."""
        with self.said:
            found = self.said.wait_for(lambda: [line for line in self.lines if part in line], timeout=60)
        assert found, f"no line says {part}"
        return found[0]

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Sends the signal and waits until the process has ended; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        code = self.process.wait(timeout=60)
        if self.listener:
            self.listener.join()
        return code


StartService = Callable[..., Service]


def environment(**settings: str) -> dict[str, str]:
    """This process's environment, with these Headgate settings and no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADGATE_")}
    return kept | {f"HEADGATE_{name.upper()}": value for name, value in settings.items()}


KEEPS_ALL = {"log_format": "json", "keep_minutes_days": "0", "keep_hours_days": "0"}
"""The settings of services in tests: their data are of any age."""


def start(arguments: list[str], **settings: str) -> Service:
    """Starts a service on a free port and waits until it answers; its modules are loaded already."""
    command = ["serve", "--port", "0", *arguments]
    return wait_until_serving(open_program().start(command, environment(**(KEEPS_ALL | settings))))


def wait_until_serving(process: PreparedProcess) -> Service:
    """The service of a process that was just started, when it answers."""
    service = Service(process)
    serving = threading.Event()

    def listen(stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with service.said:
                    service.lines.append(line)
                    service.said.notify_all()
                if found := ADDRESS.search(line):
                    service.url = found.group(1)
                    serving.set()
        serving.set()

    service.listener = threading.Thread(target=listen, args=[process.stderr], daemon=True)
    service.listener.start()
    assert serving.wait(START_SECONDS), "the service did not start in time"
    assert service.url, f"the service did not start:\n{''.join(service.lines)}"
    wait_until_answering(service.url)
    return service


def refuse_to_serve(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Runs a `headgate serve` that is expected to end by itself, without a traceback."""
    command = ["serve", *arguments]
    process = open_program().start(command, environment(**settings))
    with process.stderr as errors:
        try:
            code = process.wait(timeout=START_SECONDS)
        finally:
            process.kill()
        said = errors.read()
    assert "Traceback" not in said
    return subprocess.CompletedProcess(command, code, stderr=said)


def wait_until_answering(url: str) -> None:
    """Waits for the first answer: the socket listens before the server accepts, so the request may wait."""
    with httpx.Client(base_url=url, timeout=START_SECONDS) as client:
        assert client.get("/healthz").status_code == 200


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Waits until the condition holds; fails after a minute, so that a broken run ends."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < give_up_at, f"waited in vain until {what}"
        time.sleep(0.01)


def connect(url: str) -> http.client.HTTPConnection:
    """A connection to the service, made before this returns."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=PATIENCE_SECONDS)
    try:
        connection.connect()
    except OSError:
        connection.close()
        raise
    return connection


def is_refused(url: str) -> bool:
    """Whether no program listens at the address any more."""
    try:
        connect(url).close()
    except ConnectionRefusedError:
        return True
    return False


def find_workers(service: Service) -> list[int]:
    """The process ids of the workers that have begun to serve, in that order."""
    said = [re.search(r"Started server process \[(\d+)\]", line) for line in list(service.lines)]
    return [int(one.group(1)) for one in said if one]


@contextmanager
def make_open_folder() -> Iterator[Path]:
    """A folder that every user can enter: run as root, Postgres runs as another user."""
    with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def open_session(url: str) -> Iterator[Session]:
    """A session on a database; nothing is committed."""
    engine = create_engine(url)
    with Session(engine) as session:
        yield session
    engine.dispose()


@contextmanager
def made_database(server_url: str) -> Iterator[str]:
    """An empty database of its own on the run's Postgres."""
    name = f"test_{uuid.uuid4().hex}"
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        try:
            yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


def list_family(pid: int) -> list[int]:
    """The process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


@contextmanager
def stopped(folder: Path) -> Iterator[None]:
    """Stops the Postgres of a data folder for the time of the block."""
    [found] = folder.rglob("postmaster.pid")
    family = list_family(int(found.read_text().splitlines()[0]))
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in family:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def starting(start_it: Callable[..., Service]) -> Iterator[StartService]:
    """Starts services in the given way, with the settings that a test gives; they end with the test."""
    with ExitStack() as stack:

        def start_one(*arguments: str, **settings: str) -> Service:
            service = start_it(list(arguments), **settings)
            stack.callback(service.stop)
            return service

        yield start_one


@contextmanager
def serving(server_url: str, **settings: str) -> Iterator[Service]:
    """A service on an empty database of its own."""
    with made_database(server_url) as url:
        service = start([], database_url=url, **settings)
        try:
            yield service
        finally:
            assert service.stop() == 0
