"""Brings a database to the newest schema; two that start at once do it once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

# Any constant that nothing else in this database locks on.
MIGRATION_LOCK = 0x68656164  # "head"


def make_config() -> Config:
    """Alembic's configuration, with no file: the scripts lie beside this module."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def newest_revision() -> str:
    """The revision that this code expects the database to have."""
    head = ScriptDirectory.from_config(make_config()).get_current_head()
    assert head is not None, "migrations/versions is empty"
    return head


def read_revision(connection: Connection) -> str | None:
    """The revision that the database has; None = not migrated yet."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate(url: str, revision: str = "head") -> str | None:
    """Up (or down to an older revision) in one transaction under an advisory lock; answers the revision reached."""
    engine = create_engine(url, connect_args={"connect_timeout": 5})
    try:
        with engine.begin() as connection:
            # Held to the end of the transaction: who comes second waits here, then finds nothing left to do.
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            # A migration that waits for a busy table makes all behind it wait too: better to fail, and retry.
            connection.execute(text("SET LOCAL lock_timeout = '5s'"))
            config = make_config()
            config.attributes["connection"] = connection
            if revision == "base" or _is_older(revision, read_revision(connection)):
                command.downgrade(config, revision)
            else:
                command.upgrade(config, revision)
            return read_revision(connection)
    finally:
        engine.dispose()


def _is_older(revision: str, current: str | None) -> bool:
    if current is None or revision in {"head", current}:
        return False
    script = ScriptDirectory.from_config(make_config())
    return revision in {step.revision for step in script.iterate_revisions(current, "base")}
