"""The database of a command: configured, in the current folder, or of the only running service."""

from dataclasses import dataclass
from pathlib import Path

from app.database.running_services import RunningService, list_running_services
from app.settings import PREFIX, Settings


class UnclearDatabase(Exception):
    """Several services run on different databases, or the database of the running service cannot be opened."""


@dataclass(frozen=True)
class Choice:
    """A database: its settings, its place, the setting or folder that chose it, and the service that runs on it."""

    settings: Settings
    where: str
    origin: str
    service: RunningService | None = None
    is_found: bool = False
    note: str = ""

    def describe(self) -> str:
        """`the embedded Postgres in /srv/headgate/.headgate (HEADGATE_DATA_DIR)`."""
        return f"{self.where} ({self.origin})"

    def tell_where_to_read(self, path: str) -> str:
        """A sentence with the address that shows the written data, or with the way to start a service."""
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
