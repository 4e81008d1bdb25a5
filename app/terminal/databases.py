"""Finds the database of a command, checks its schema, and gives its URL while the command works."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from psycopg import OperationalError as ConnectionLost
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from app.database.embedded.database_choice import Choice, UnclearDatabase, choose_database
from app.database.embedded.embedded_postgres import EmbeddedPostgresError, open_database_url
from app.settings import PREFIX, Settings
from app.terminal.commands import clean_up_at_interrupts, fail, say
from app.web.observability import configure_logging
from migrations import runner


def choose_or_fail(settings: Settings) -> Choice:
    """Returns the database that a command works on; ends the command with the candidates if the choice is unclear."""
    try:
        choice = choose_database(settings)
    except UnclearDatabase as error:
        raise fail(str(error)) from error
    if choice.note:
        say(choice.note)
    return choice


def refuse_other_schema(url: str, choice: Choice, revision: str = "head") -> None:
    """Refuses another schema version in a database that no setting names, because a running service expects its own."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = runner.read_revision(connection)
    engine.dispose()
    wanted = runner.newest_revision() if revision == "head" else revision
    if found != wanted:
        raise fail(
            f"{choice.describe()} has schema {found or 'none'}, and this command would make it {wanted}: set "
            f"{PREFIX}DATA_DIR={choice.settings.data_dir} to change a database that another service uses, or use "
            "the headgate that the service was started with.",
            1,
        )


@contextmanager
def open_migrated_database(
    choice: Choice, does: str, beside: AbstractContextManager[object]
) -> Iterator[str]:
    """Yields the URL of the service's database with its newest schema, after naming the database on standard error.

    The context `beside` is ended before an error is printed, so that the error is the last line.
    """
    clean_up_at_interrupts()
    in_force = choice.settings
    # People read the log lines of a command, so they are text unless JSON is configured.
    configure_logging("json" if in_force.log_format == "json" else "text", in_force.log_level)
    say(f"{does} {choice.describe()}")
    try:
        with beside, open_database_url(in_force) as url:
            if choice.is_found:
                refuse_other_schema(url, choice)
            else:
                runner.migrate(url)
            yield url
    except (OperationalError, ConnectionLost, EmbeddedPostgresError, runner.NewerSchema) as error:
        raise fail(f"the database cannot be used: {error}", 1) from error
