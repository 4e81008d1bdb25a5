"""The services of this user that run on this machine, and the database of each.

Each service keeps a file in `services` below the user's state folder, and an exclusive flock on it while it runs.
A file that can be locked belongs to a service that was killed; the next command that reads the folder removes it.
"""

import fcntl
import json
import logging
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from app.settings import find_state_dir

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunningService:
    """A running service; `data_dir` is absolute, and null if the service does not use the embedded Postgres."""

    pid: int
    host: str
    address: str
    database: str
    data_dir: str | None


@contextmanager
def registered(address: str, database: str, data_dir: Path | None) -> Iterator[None]:
    """Makes the service known to other commands of the same user; a failure to do so is logged and ignored."""
    service = RunningService(
        os.getpid(), socket.gethostname(), address, database, None if data_dir is None else str(data_dir)
    )
    try:
        path, file = _write(service)
    except OSError as error:
        log.info("commands in other folders will not find this service's database: %s", error)
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(file)


def list_running_services() -> list[RunningService]:
    """The running services of this user on this machine, ordered by process id."""
    folder = _find_folder()
    if folder is None or not folder.is_dir():
        return []
    read = [_read(path) for path in folder.glob("*.json")]
    return sorted((one for one in read if one is not None), key=lambda one: one.pid)


def _find_folder() -> Path | None:
    state = find_state_dir()
    return None if state is None else state / "services"


def _write(service: RunningService) -> tuple[Path, int]:
    """Writes and locks the file before it gets its name, so that no reader sees a part of it or an unlocked file."""
    folder = _find_folder()
    if folder is None:
        raise OSError("this user has no home folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{service.pid}-{secrets.token_hex(4)}.json"
    unnamed = path.with_suffix(".new")
    file = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, json.dumps(asdict(service)).encode())
        fcntl.flock(file, fcntl.LOCK_EX)
        unnamed.rename(path)
    except OSError:
        os.close(file)
        unnamed.unlink(missing_ok=True)
        raise
    return path, file


def _read(path: Path) -> RunningService | None:
    """The service of a file; None if it has ended, or belongs to another machine or another user."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            service = RunningService(**json.loads(file.read()))
            if service.host != socket.gethostname():
                return None
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return service
            path.unlink(missing_ok=True)
    except (
        OSError,
        ValueError,
        TypeError,
    ):  # the file was removed after the listing, or another version wrote it
        return None
    return None
