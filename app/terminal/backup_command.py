"""`headgate backup` and `headgate restore`: all data of a database in one file, also while a service runs."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from app.terminal.commands import clean_up_at_interrupts, fail, load_settings, say


def backup(
    file: Annotated[
        Path, typer.Argument(help="The file to write; an older one is replaced when this one is whole.")
    ],
) -> None:
    """Write all data into a file, as they are at one moment; the service may run meanwhile."""
    from psycopg import OperationalError as ConnectionLost
    from sqlalchemy.exc import OperationalError

    from app.database.backups import BackupError, make_backup
    from app.database.embedded.embedded_postgres import EmbeddedPostgresError, open_database_url
    from app.terminal.databases import choose_or_fail

    clean_up_at_interrupts()
    choice = choose_or_fail(load_settings())
    say(f"backs up {choice.describe()}")
    try:
        with open_database_url(choice.settings) as url:
            size = make_backup(url, file)
    except BackupError as error:
        raise fail(str(error)) from error
    except (OperationalError, ConnectionLost, EmbeddedPostgresError) as error:
        raise fail(f"the database cannot be used: {error}", 1) from error
    typer.echo(f"{file}: {size:,} bytes")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `headgate backup` wrote.")],
    *,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Delete the data that the database has, and put these in their place."
        ),
    ] = False,
) -> None:
    """Put the data of a backup into the database: all of them, or none if anything fails."""
    from app.database.backups import BackupError, restore_backup
    from app.terminal.databases import choose_or_fail, open_migrated_database

    choice = choose_or_fail(load_settings())
    with open_migrated_database(choice, "restores into", nullcontext()) as url:
        try:
            revision = restore_backup(url, file, replaces=replace)
        except BackupError as error:
            raise fail(str(error)) from error
    typer.echo(f"restored {file} (schema {revision})")
