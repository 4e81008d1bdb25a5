"""Brings a database to the newest schema; two processes that start at the same time migrate once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

# A constant that no other advisory lock in this database uses.
MIGRATION_LOCK = 0x68656164  # "head"


class NewerSchema(Exception):
    """The error that a newer version has migrated the database: this version could misread its data."""


def make_config() -> Config:
    """Alembic's configuration without a file; the scripts are beside this module."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def newest_revision() -> str:
    """The revision that this code expects the database to have."""
    head = ScriptDirectory.from_config(make_config()).get_current_head()
    assert head is not None, "migrations/versions is empty"
    return head


def list_revisions() -> set[str]:
    """Every revision that this code knows."""
    return {step.revision for step in ScriptDirectory.from_config(make_config()).walk_revisions()}


def read_revision(connection: Connection) -> str | None:
    """The revision of the database; None if it was never migrated."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate(url: str, revision: str = "head") -> str | None:
    """Upgrades or downgrades in one transaction under an advisory lock; returns the revision reached."""
    engine = create_engine(url, connect_args={"connect_timeout": 5})
    try:
        with engine.begin() as connection:
            # Held until the end of the transaction: a second process waits here, and then finds nothing to do.
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            # A migration that waits for a busy table makes all later statements wait too: it fails instead.
            connection.execute(text("SET LOCAL lock_timeout = '5s'"))
            current = read_revision(connection)
            _refuse_newer(current)
            config = make_config()
            config.attributes["connection"] = connection
            if revision == "base" or _is_older(revision, current):
                command.downgrade(config, revision)
            else:
                command.upgrade(config, revision)
            return read_revision(connection)
    finally:
        engine.dispose()


def _refuse_newer(current: str | None) -> None:
    if current is not None and current not in list_revisions():
        raise NewerSchema(
            f"the database has the schema {current}, which this version does not know: a newer version migrated it. "
            "Start that version. To go back, run `headgate migrate` of that version with the revision of this one, "
            f"{newest_revision()}."
        )


def _is_older(revision: str, current: str | None) -> bool:
    if current is None or revision in {"head", current}:
        return False
    script = ScriptDirectory.from_config(make_config())
    return revision in {step.revision for step in script.iterate_revisions(current, "base")}
