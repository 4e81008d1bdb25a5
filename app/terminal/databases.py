"""The database of a command that reads and stores, as `headgate ingest` does."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from app.database.database_choice import Choice
from app.terminal.commands import fail, refuse_other_schema, say


@contextmanager
def open_migrated_database(
    choice: Choice, does: str, beside: AbstractContextManager[object]
) -> Iterator[str]:
    """The URL of the service's migrated database; the database is named on standard error first.

    What runs `beside` is ended before an error is told, so that the error stands below what it printed.
    """
    from psycopg import OperationalError as ConnectionLost
    from sqlalchemy.exc import OperationalError

    from app.database.embedded_keeper import open_database_url
    from app.database.embedded_postgres import EmbeddedPostgresError
    from app.serving.observability import configure_logging
    from migrations import runner

    in_force = choice.settings
    # A job's log lines are read by a person, so they are text unless JSON is asked for.
    configure_logging("json" if in_force.log_format == "json" else "text", in_force.log_level)
    say(f"{does} {choice.describe()}")
    try:
        with beside, open_database_url(in_force) as url:
            if choice.is_found:
                refuse_other_schema(url, choice)
            else:
                runner.migrate(url)
            yield url
    except (OperationalError, ConnectionLost, EmbeddedPostgresError) as error:
        raise fail(f"the database cannot be used: {error}", 1) from error
