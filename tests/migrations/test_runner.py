"""The schema: up, down and up again, and the same as tables.py says."""

import subprocess
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, inspect, text

from app.database.tables import Base
from migrations.runner import migrate, newest_revision, read_revision
from tests.app.processes import HEADGATE, environment


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    engine = create_engine(empty_database_url)
    yield engine
    engine.dispose()


def tables_of(engine: Engine) -> set[str]:
    return set(inspect(engine).get_table_names()) - {"alembic_version"}


def test_up_down_and_up_again_ends_with_what_tables_says(engine: Engine, empty_database_url: str):
    assert migrate(empty_database_url) == newest_revision()
    assert tables_of(engine) >= set(Base.metadata.tables)
    assert migrate(empty_database_url, "base") is None
    assert tables_of(engine) == set()
    assert migrate(empty_database_url) == newest_revision()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
        constraints = connection.scalars(text("SELECT conname FROM pg_constraint WHERE contype = 'c'")).all()
    declared = {
        c.name for table in Base.metadata.tables.values() for c in table.constraints if "ck_" in str(c.name)
    }
    assert declared <= set(constraints), "checks are not seen by Alembic's comparison"


def test_two_that_migrate_at_once_do_it_once(engine: Engine, empty_database_url: str):
    command = [HEADGATE, "migrate"]
    running = [
        subprocess.Popen(
            command, env=environment(database_url=empty_database_url), stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert said == [f"schema {newest_revision()}\n"] * 3
    assert [process.returncode for process in running] == [0, 0, 0]
    with engine.connect() as connection:
        assert read_revision(connection) == newest_revision()


def test_a_failed_migration_leaves_the_schema_as_it_was(engine: Engine, empty_database_url: str):
    with engine.begin() as connection:
        connection.execute(
            text("CREATE TABLE plans (id int)")
        )  # in the way of the first migration's last step
    with pytest.raises(Exception, match="already exists"):
        migrate(empty_database_url)
    assert tables_of(engine) == {"plans"}


@pytest.mark.parametrize(
    "command", [("serve", "--port", "0"), ("migrate",), ("prune", "--older-than", "90d")]
)
def test_an_older_version_refuses_the_schema_of_a_newer_one(
    engine: Engine, empty_database_url: str, command: tuple[str, ...]
):
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num varchar(64) PRIMARY KEY)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('2999_01_01_later')"))
    done = subprocess.run(
        [HEADGATE, *command],
        env=environment(database_url=empty_database_url),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "the database has the schema 2999_01_01_later, which this version does not know" in done.stderr
    assert "Traceback" not in done.stderr
    assert tables_of(engine) == set()
