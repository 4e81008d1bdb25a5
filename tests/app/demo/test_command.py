"""`headgate demo` as a person calls it."""

import subprocess
from pathlib import Path

import httpx

from tests.app.processes import environment, start


def run_demo(url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(".venv/bin/headgate").resolve()), "demo"],
        env=environment(database_url=url),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_stores_the_demo_where_the_service_reads_it_and_replaces_nothing_else(
    empty_database_url: str,
):
    service = start([], database_url=empty_database_url)
    try:
        done = run_demo(empty_database_url)
        assert done.returncode == 0, done.stderr
        assert "stored topology demo" in done.stdout
        (row,) = httpx.get(f"{service.url}/v1/overview").json()["items"]
        assert (row["name"], len(row["rates"])) == ("demo", 30)
        assert row["processors_running"] > 0
        address = f"{service.url}/v1/topologies/demo"
        topology = httpx.get(address).json()
        assert topology["source"] == "demo"
        for form in ("html", "markdown"):
            report = httpx.get(f"{address}/report?format={form}").text
            assert "The numbers of this demo are generated; no real platform was measured." in report
        changed = httpx.put(address, json=topology)
        assert (changed.status_code, changed.json()["source"]) == (200, "posted")
        refused = run_demo(empty_database_url)
        assert refused.returncode == 1
        assert "is not the demo, so it stays" in refused.stderr
        assert httpx.get(address).json() == changed.json()
    finally:
        service.stop()
