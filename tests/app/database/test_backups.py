"""A backup is whole, and a restore puts everything of it into a database, or changes nothing."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from app.database.backups import BackupError, make_backup, restore_backup
from app.database.tables import Base
from migrations.runner import migrate


def read_all(url: str) -> dict[str, list[str]]:
    """Every row of every table, as text."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = {
            name: sorted(connection.scalars(text(f'SELECT t::text FROM "{name}" t')))
            for name in [*Base.metadata.tables, "alembic_version"]
        }
    engine.dispose()
    return found


def test_a_backup_moves_into_another_empty_database_and_back(
    database_url: str, empty_database_url: str, tmp_path: Path
):
    file = tmp_path / "moved.backup"
    migrate(database_url)
    migrate(empty_database_url)
    make_backup(empty_database_url, file)
    assert list(tmp_path.iterdir()) == [file]
    restore_backup(empty_database_url, file, replaces=False)  # no data: nothing would be lost
    size = make_backup(database_url, file)
    assert size == file.stat().st_size
    restore_backup(empty_database_url, file, replaces=False)
    again = tmp_path / "again.backup"
    kept = read_all(empty_database_url)
    make_backup(empty_database_url, again)
    restore_backup(empty_database_url, again, replaces=True)
    assert read_all(empty_database_url) == kept


def test_what_is_no_backup_of_a_known_schema_is_refused(empty_database_url: str, tmp_path: Path):
    file = tmp_path / "file"
    with pytest.raises(BackupError, match="no data of Headgate"):
        make_backup(empty_database_url, file)
    with pytest.raises(BackupError, match="there is no file"):
        restore_backup(empty_database_url, file, replaces=True)
    file.write_text("SELECT 1;")
    with pytest.raises(BackupError, match="is not a whole backup"):
        restore_backup(empty_database_url, file, replaces=True)
    migrate(empty_database_url)
    engine = create_engine(empty_database_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'of the future'"))
    make_backup(empty_database_url, file)
    before = read_all(empty_database_url)
    with pytest.raises(BackupError, match="has the schema of the future"):
        restore_backup(empty_database_url, file, replaces=True)
    assert read_all(empty_database_url) == before
    engine.dispose()
