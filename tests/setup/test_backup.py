"""tools/backup.sh backs a real database up, keeps what is young, and deletes nothing while backups fail."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from migrations.runner import migrate

SCRIPT = Path(__file__).parents[2] / "tools" / "backup.sh"
DAY_SECONDS = 86_400


@pytest.fixture
def stored(empty_database_url: str) -> str:
    """The URL of a database of Headgate."""
    migrate(empty_database_url)
    return empty_database_url


def run(folder: Path, database_url: str, **variables: str) -> subprocess.CompletedProcess[str]:
    found = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HEADGATE_DATABASE_URL": database_url,
        "BACKUP_FOLDER": str(folder),
        "BACKUP_KEEP_DAYS": "14",
    }
    command = ["sh", str(SCRIPT), "--once"]
    environment = os.environ | found | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def make_old(folder: Path, days: float) -> Path:
    path = folder / f"headgate-{days}-days-old.dump"
    path.write_text("old")
    then = time.time() - days * DAY_SECONDS
    os.utime(path, (then, then))
    return path


def test_a_backup_is_written_and_only_those_that_are_too_old_are_deleted(tmp_path: Path, stored: str) -> None:
    young, old = make_old(tmp_path, 13.9), make_old(tmp_path, 14.1)
    other = make_old(tmp_path, 99).rename(tmp_path / "notes.txt")
    ended = run(tmp_path, stored)
    assert ended.returncode == 0, ended.stderr
    assert not old.exists()
    [dump] = set(tmp_path.iterdir()) - {young, other}
    assert dump.read_bytes().startswith(b"PGDMP")
    assert ended.stdout == f"{dump}: {dump.stat().st_size:,} bytes\n"


def test_while_backups_fail_the_old_ones_stay_and_no_half_is_left(tmp_path: Path, stored: str) -> None:
    old = make_old(tmp_path, 99)
    elsewhere = make_url(stored).set(database="no_such_database").render_as_string(hide_password=False)
    ended = run(tmp_path, elsewhere)
    assert ended.returncode == 1
    assert "the backup failed" in ended.stderr
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize(
    ("name", "value"), [("BACKUP_HOURS", "-1"), ("BACKUP_KEEP_DAYS", "two"), ("BACKUP_HOURS", "")]
)
def test_what_is_no_number_is_refused(tmp_path: Path, stored: str, name: str, value: str) -> None:
    ended = run(tmp_path, stored, **{name: value})
    assert ended.returncode == (0 if value == "" else 2), ended.stderr
