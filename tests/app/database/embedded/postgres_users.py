"""Other processes that use an embedded Postgres, and what its files say of it."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg

USER = """
import sys
from pathlib import Path
from app.database.embedded.embedded_postgres import shared_postgres
with shared_postgres(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


class User:
    """Another process that uses the folder's server until it is told to leave, or killed."""

    def __init__(self, data_dir: Path, *packages: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, packages), *sys.path])},
        )

    def wait_for_url(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        self.process.communicate("", timeout=30)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def read_postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def is_stopped(data_dir: Path) -> bool:
    return not (data_dir / "postgres" / "data" / "postmaster.pid").exists()
