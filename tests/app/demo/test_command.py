"""`headgate demo` as a person calls it."""

import subprocess
from pathlib import Path

import httpx

from tests.app.processes import environment, start


def test_the_command_stores_the_demo_where_the_service_reads_it(empty_database_url: str):
    service = start([], database_url=empty_database_url)
    try:
        done = subprocess.run(
            [str(Path(".venv/bin/headgate").resolve()), "demo"],
            env=environment(database_url=empty_database_url),
            capture_output=True,
            text=True,
            check=True,
        )
        assert "stored topology demo" in done.stdout
        (row,) = httpx.get(f"{service.url}/v1/overview").json()["items"]
        assert (row["name"], len(row["rates"])) == ("demo", 30)
        assert row["processors_running"] > 0
    finally:
        service.stop()
