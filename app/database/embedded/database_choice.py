"""The database that a command uses: the configured one, that of a running service, or an embedded Postgres.

Each service of this user keeps a file in `services` below the user's state folder, and an exclusive flock on it while
it runs. A file that can be locked belongs to a service that was killed: the next command removes it.
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

from app.settings import PREFIX, Settings, find_state_dir

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunningService:
    """A running service of this user; `data_dir` is absolute, and null if the service does not use the
    embedded Postgres.
    """

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
    """The running service that a file describes; None if it has ended, or belongs to another machine or
    another user.
    """
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


class UnclearDatabase(Exception):
    """The error that several services run on different databases, or that the running service's database
    cannot be opened.
    """


@dataclass(frozen=True)
class Choice:
    """The database that a command uses, with its place, the setting or folder that chose it, and the service
    that runs on it.
    """

    settings: Settings
    where: str
    origin: str
    service: RunningService | None = None
    is_found: bool = False
    note: str = ""

    def describe(self) -> str:
        """The database's place and what chose it: `the embedded Postgres in /srv/headgate/.headgate
        (HEADGATE_DATA_DIR)`.
        """
        return f"{self.where} ({self.origin})"

    def tell_where_to_read(self, path: str) -> str:
        """A sentence with the address that shows the written data, or with the way to start a service for it."""
        if self.service is not None:
            return f"{self.service.address}{path} shows the result"
        if self.settings.database_url is not None:
            return f"{path} of a service with this {PREFIX}DATABASE_URL shows it"
        start = f"{PREFIX}DATA_DIR={self.settings.data_dir} headgate serve"
        return f"to read it, start `{start}` and ask for {path}"


def choose_own_database(settings: Settings) -> Choice:
    """The database in the settings, whatever services run; a relative folder is below the current folder."""
    services = list_running_services()
    if settings.database_url is not None:
        where = mask_url(settings.database_url.get_secret_value())
        service = next((one for one in services if one.database == where), None)
        return Choice(settings, where, f"{PREFIX}DATABASE_URL", service)
    data_dir = settings.data_dir.absolute()
    origin = f"{PREFIX}DATA_DIR" if _names_folder(settings) else "of the current folder"
    service = next((one for one in services if one.data_dir == str(data_dir)), None)
    at_home = settings.model_copy(update={"data_dir": data_dir})
    return Choice(
        at_home, describe_folder(data_dir), origin, service, note=_note(services, service, data_dir)
    )


def choose_database(settings: Settings) -> Choice:
    """The database in the settings or the current folder; if there is none, the database of the running services."""
    own = choose_own_database(settings)
    is_named = settings.database_url is not None or _names_folder(settings)
    if is_named or (own.settings.data_dir / "postgres").exists():
        return own if not is_named else Choice(own.settings, own.where, own.origin, own.service)
    services = list_running_services()
    if not services:
        return own
    if len({one.database for one in services}) > 1:
        raise UnclearDatabase(
            f"{len(services)} services run on different databases, and no setting chooses one:\n"
            + "\n".join(f"  {describe_service(one)}" for one in services)
            + f"\nSet {_tell_what_to_set(services)}."
        )
    [service, *_] = services
    if service.data_dir is None:
        raise UnclearDatabase(
            f"A service runs, {describe_service(service)}, and this command does not know its password: set "
            f"{_tell_what_to_set([service])}."
        )
    data_dir = Path(service.data_dir)
    found = settings.model_copy(update={"data_dir": data_dir})
    origin = f"of the service that runs at {service.address}"
    return Choice(found, describe_folder(data_dir), origin, service, is_found=True)


def _names_folder(settings: Settings) -> bool:
    return "data_dir" in settings.model_fields_set


def _tell_what_to_set(services: list[RunningService]) -> str:
    """The variables to set for the database of one of these services, or for one in the current folder."""
    ways = []
    if any(one.data_dir for one in services):
        ways.append(f"{PREFIX}DATA_DIR to the folder of the right one")
    if any(one.data_dir is None for one in services):
        ways.append(f"{PREFIX}DATABASE_URL to the same URL as the service")
    own = Settings.model_fields["data_dir"].default
    return ", or ".join([*ways, f"{PREFIX}DATA_DIR={own} for a database of this folder"])


def _note(services: list[RunningService], service: RunningService | None, data_dir: Path) -> str:
    """A sentence about a service on another database if no service runs on this one; else empty."""
    others = [one for one in services if one.data_dir != str(data_dir)]
    if service is not None or not others:
        return ""
    return f"no service reads {data_dir}; one runs on another database: {describe_service(others[0])}"


def describe_folder(data_dir: Path) -> str:
    return f"the embedded Postgres in {data_dir}"


def describe_service(service: RunningService) -> str:
    return f"{service.address} (process {service.pid}) on {service.database}"


def mask_url(url: str) -> str:
    """The URL with user, host and database only: options are left out, because one of them may be a password."""
    from sqlalchemy.engine import make_url  # noqa: PLC0415  # `headgate --help` does not need it
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415  # `headgate --help` does not need it

    try:
        read = make_url(url)
    except ArgumentError:
        return f"the database of {PREFIX}DATABASE_URL"
    user = f"{read.username}@" if read.username else ""
    host = read.host or read.query.get("host") or ""
    hosts = host if isinstance(host, str) else ",".join(host)
    port = f":{read.port}" if read.port else ""
    return f"postgresql://{user}{hosts}{port}/{read.database or ''}"
