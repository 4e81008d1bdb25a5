"""`headgate ingest` and `headgate prune` as users run them, and what the service then answers."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from shutil import copy
from typing import Any

import httpx
import pyspark
import pytest

from app.database.embedded.database_choice import mask_url
from ingest.session import prepare_environment
from migrations.runner import migrate
from tests.app.processes import HEADGATE, environment, made_database, start
from tests.ingest import reference
from tests.ingest.logs import START_NS, make_events, to_json
from tests.ingest.reference import Event
from tests.ingest.shapes import assert_shapes, describe_shapes

PROJECT = Path(__file__).parents[2]
SPARK_SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[str]:
    with made_database(postgres_url) as url:
        migrate(url)
        yield url


@pytest.fixture(scope="module")
def client(database: str) -> Iterator[httpx.Client]:
    service = start([], database_url=database, default_page_size="7")
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client
    service.stop()


def run(database: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HEADGATE, *arguments],
        cwd=cwd,
        env=environment(database_url=database),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def read_all(client: httpx.Client, address: str) -> list[dict[str, Any]]:
    items = []
    page = client.get(address).raise_for_status().json()
    while True:
        items += page["items"]
        if page["next"] is None:
            return items
        page = client.get(page["next"]).raise_for_status().json()


def test_what_the_command_measured_is_what_the_service_answers(
    client: httpx.Client, database: str, tmp_path: Path
):
    events = make_events(150, seed=11)
    (tmp_path / "log.jsonl").write_text("".join(to_json(event) + "\n" for event in events) + "torn {\n")
    here = tmp_path / ".here"
    here.mkdir()
    (here / "numpy.py").write_text("raise ImportError('workers take it for numpy')")
    done = run(database, "ingest", str(tmp_path), "--master", "local[2]", cwd=here)
    assert done.returncode == 0, done.stderr
    assert f"read {len(events) + 1} = accepted" in done.stdout
    assert done.stdout.count("\n") == 1, "one line sums it up"
    assert "leaked" not in done.stderr, "a library's complaints at the end would hide what was said"
    assert f"log.jsonl, line {len(events) + 1}: not one JSON object: torn {{" in done.stderr
    assert "GET /v1/ingest-runs/1/rejects" in done.stderr
    where = f"{mask_url(database)} (HEADGATE_DATABASE_URL)"
    assert done.stderr.index(f"headgate: writes to {where}") < done.stderr.index("run 1: ")
    assert f"{client.base_url}/v1/ingest-runs shows the result" in done.stderr.splitlines()[-1].replace(
        "//v1", "/v1"
    )

    items = assert_summaries_are_the_reference(client, events)
    assert_parts_are_found(client, items, len(reference.summarise_topologies(events, 60)))
    assert_the_run_is_listed(client, len(events) + 1)
    assert_the_topology_is_discovered(client, items)

    pruned = run(database, "prune", "--older-than", "90d")
    assert pruned.returncode == 0, pruned.stderr
    assert len(read_all(client, "/v1/topologies/fpd/summaries")) == len(items), "nothing is that old"


def assert_summaries_are_the_reference(client: httpx.Client, events: list[Event]) -> list[dict[str, Any]]:
    expected, shapes = reference.summarise_operators(events, 60), describe_shapes(events, 60)
    items = read_all(client, "/v1/topologies/fpd/summaries")
    assert len(items) == len(expected)
    assert items == sorted(items, key=lambda item: (item["window_start"], item["operator"]))
    for item in items:
        start_at = datetime.fromisoformat(item["window_start"])
        key = ("fpd", item["operator"], int(start_at.timestamp()) // 60)
        summary = expected[key]
        assert_shapes(item, shapes[key])
        assert item["window_seconds"] == 60
        assert {one["instance"]: one["busy"] for one in item["busy_fractions"]} == pytest.approx(
            summary["busy_fractions"]
        )
        assert {one["from_operator"]: one["tuples"] for one in item["upstream"]} == summary["upstream"]
        assert item["processors_basis"] == summary["processors_basis"]
        for name in summary.keys() - {"busy_fractions", "upstream", "processors_basis"}:
            assert item[name] == (None if summary[name] is None else pytest.approx(summary[name], rel=1e-9))
    return items


def assert_parts_are_found(client: httpx.Client, items: list[dict[str, Any]], windows: int) -> None:
    """One operator, a stretch of time, and small pages."""
    since = datetime.fromtimestamp(START_NS // 10**9 + 60, UTC).isoformat().replace("+00:00", "Z")
    until = datetime.fromtimestamp(START_NS // 10**9 + 180, UTC).isoformat().replace("+00:00", "Z")
    some = read_all(client, f"/v1/topologies/fpd/summaries?operator=detector&from={since}&to={until}&limit=1")
    assert some == [i for i in items if i["operator"] == "detector" and since <= i["window_start"] < until]
    assert len(read_all(client, "/v1/topologies/fpd/windows?limit=2")) == windows
    assert client.get("/v1/topologies/absent/summaries").status_code == 404
    assert client.get("/v1/topologies/fpd/summaries?cursor=bm8").status_code == 422


def assert_the_run_is_listed(client: httpx.Client, lines: int) -> None:
    (the_run,) = read_all(client, "/v1/ingest-runs")
    assert the_run["state"] == "succeeded"
    assert the_run["read"] == the_run["accepted"] + the_run["rejected"] + the_run["duplicates"] == lines
    assert client.get(f"/v1/ingest-runs/{the_run['id']}").json() == the_run
    rejects = client.get(f"/v1/ingest-runs/{the_run['id']}/rejects").json()
    assert rejects["reasons"] == {"not one JSON object": 1}
    assert [(one["line"], one["text"]) for one in rejects["items"]] == [(lines, "torn {")]
    assert client.get("/v1/ingest-runs/999").json()["type"] == "unknown-ingest-run"


def assert_the_topology_is_discovered(client: httpx.Client, items: list[dict[str, Any]]) -> None:
    topology = client.get("/v1/topologies/fpd").json()
    assert topology["source"] == "discovered"
    snapshots = read_all(client, "/v1/topologies/fpd/snapshots")
    assert [s["observed_at"] for s in snapshots] == sorted({i["window_start"] for i in items})
    estimate = client.post("/v1/topologies/fpd/estimate", json={}).raise_for_status().json()
    assert estimate["expected_sojourn_seconds"] > 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ingest", "absent-file"], "does not exist"),
        (["ingest", ".", "--date", "someday"], "write 2026-11-18, or yesterday"),
        (["ingest", ".", "--max-rejected", "many"], "write 5% or 0.05"),
        (["ingest", ".", "--max-rejected", "1"], "write 1% or 100%"),
        (["prune", "--older-than", "long"], "write a time such as"),
    ],
)
def test_wrong_words_are_told_what_is_right(database: str, arguments: list[str], told: str):
    done = run(database, *arguments)
    assert done.returncode == 2
    assert told in done.stderr


def test_spark_submit_runs_the_job_from_a_zip_and_too_many_rejected_lines_exit_with_2(
    database: str, tmp_path: Path
):
    """As docs/ingest.md says, where nothing of the project is installed: from another folder, without its path."""
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"topology": "t"}) + "\n")
    packages = tmp_path / "headgate.zip"
    with zipfile.ZipFile(packages, "w") as archive:
        for source in (*PROJECT.glob("ingest/**/*.py"), *PROJECT.glob("app/**/*.py")):
            archive.write(source, source.relative_to(PROJECT))
    prepare_environment(is_local=True)
    done = subprocess.run(
        [
            *(SPARK_SUBMIT, "--master", "local[1]", "--py-files", packages),
            *(copy(PROJECT / "ingest" / "job.py", tmp_path), log),
            *("--database-url", database),
        ],
        cwd=tmp_path,
        env=environment() | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "1 of 1 records cannot be used" in done.stdout, "spark-submit prints there what the driver logs"
    assert "operator is missing" in done.stdout
