"""Which services of this user run on this machine, and on which database each works.

Each service keeps a file in `services` below the user's state folder, and an exclusive flock on it while it runs.
A file that can be locked belongs to a service that was killed, and is removed by whoever finds it.
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
    """A service: `data_dir` is absolute, and null where the service has a Postgres of its user's own."""

    pid: int
    host: str
    address: str
    database: str
    data_dir: str | None


@contextmanager
def registered(address: str, database: str, data_dir: Path | None) -> Iterator[None]:
    """Makes the service known to other commands of the same user; it runs also where that cannot be done."""
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
    """Those of this user on this machine, in the order of their process ids."""
    folder = _find_folder()
    if folder is None or not folder.is_dir():
        return []
    read = [_read(path) for path in folder.glob("*.json")]
    return sorted((one for one in read if one is not None), key=lambda one: one.pid)


def _find_folder() -> Path | None:
    state = find_state_dir()
    return None if state is None else state / "services"


def _write(service: RunningService) -> tuple[Path, int]:
    """The file gets its name when it is whole and locked: nobody reads half of it, or takes it for a dead one's."""
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
    """None for a service that has ended, for one of another machine that shares the folder, and for another user's."""
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
    except (OSError, ValueError, TypeError):  # gone meanwhile, or another version's
        return None
    return None
