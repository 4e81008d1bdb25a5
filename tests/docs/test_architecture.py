"""docs/architecture.md is true: its files exist, and its walks are the modules that run."""

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Response
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from app.main import create_app
from app.settings import Settings
from ingest.reading.blocks import plan_blocks, read_block
from ingest.reading.sources import find_sources
from ingest.windows.operator_windows import summarise
from tests.app.series_examples import make_body
from tests.docs import walks
from tests.docs.consoles import ROOT
from tests.ingest.in_memory import run_stages, slice_windows
from tests.ingest.logs import make_events, to_json

PLAN, DECISION, FORECAST = "The walk of a plan", "The walk of a decision", "The walk of a VM forecast"
LOG_LINE, EXCEPTION = "The walk of a log line", "The walk of an exception"
MOST_LINES, MOST_PLAN, MOST_DECISION = 150, 38, 68
Run = Callable[[str, dict[str, Any]], list[str]]

TOPOLOGY = {
    "operators": [{"name": "parse"}, {"name": "score", "stateful": True}],
    "edges": [{"source": "parse", "target": "score", "selectivity": 2.0}],
}
POLICY = {
    "goal": {"t_max_seconds": 0.12},
    "cooldown_seconds": 300,
    "smoothing": {"kind": "window", "size": 3},
    "states": {"score": {"key_groups": 128}},
}


def make_snapshots() -> list[dict[str, Any]]:
    """The last 29 minutes, with measured sojourns, nodes and instances; of 30, bursts would be counted."""
    now = datetime.now(UTC).replace(microsecond=0)
    return [
        {
            "observed_at": (now - timedelta(minutes=29 - minute)).isoformat(),
            "window_seconds": 60,
            "external_rate": 100.0 + minute % 7,
            "measured_sojourn_seconds": 0.2,
            "operators": {
                "parse": {"service_rate": 40.0, "processors": 4},
                "score": {"service_rate": 30.0, "processors": 8},
            },
        }
        for minute in range(29)
    ]


@pytest.fixture(scope="module")
def app(database_url: str) -> FastAPI:
    """The wiring of the service, in this process."""
    return create_app(Settings(database_url=database_url))


@pytest.fixture
def run(app: FastAPI, client: httpx.Client, database_url: str, name: str) -> Iterator[Run]:
    """Calls a route's function for a topology that has snapshots and a policy, and answers what ran."""
    at = f"/v1/topologies/{name}"
    assert client.post("/v1/topologies", json=TOPOLOGY | {"name": name}).status_code == 201
    assert client.post(f"{at}/snapshots", json=make_snapshots()).status_code == 201
    assert client.put(f"{at}/policy", json=POLICY).status_code in {200, 201}
    engine = create_engine(database_url)

    def run_one(path: str, body: dict[str, Any]) -> list[str]:
        endpoint = walks.find_endpoint(app, path)
        with Session(engine) as session:
            known = {
                "name": name,
                "session": session,
                "settings": Settings(database_url=database_url),
                "response": Response(),
            }
            arguments = walks.bind(endpoint, known, body)
            endpoint(**arguments)  # what is made once, at a first call, is no part of the walk
            return walks.trace(lambda: endpoint(**arguments))

    yield run_one
    engine.dispose()


def test_the_page_is_short_and_its_rooms_are_those_of_the_tree():
    assert len(walks.PAGE.splitlines()) <= MOST_LINES
    named = set(re.findall(r"^- \[\w+\]\(\.\./((?:app|planner)/\w+)\): ", walks.PAGE, re.MULTILINE))
    rooms = {
        f"{top}/{path.parent.name}"
        for top in ("app", "planner")
        for path in (ROOT / top).glob("*/__init__.py")
    }
    assert named == rooms


@pytest.mark.parametrize(
    ("title", "path", "body", "most"),
    [
        (PLAN, "/v1/topologies/{name}/plans/min-latency", {"k_max": 14}, MOST_PLAN),
        (DECISION, "/v1/topologies/{name}/decisions", {}, MOST_DECISION),
    ],
)
def test_a_walk_is_drawn_as_it_runs(run: Run, title: str, path: str, body: dict[str, Any], most: int):
    files = run(path, body)
    assert walks.read_drawing(title) == walks.draw(files)
    links = walks.read_links(title)
    assert [file for file in files if file in links] == links
    assert len(files) <= most, "a walk gets no longer"


def test_the_walk_of_a_forecast_is_what_runs(run: Run):
    files = run("/v1/forecasts/vms", make_body(400))
    links = walks.read_links(FORECAST)
    assert [file for file in files if file in links] == links


def test_the_walk_of_a_log_line_is_what_runs_between_spark_and_the_database(tmp_path: Path):
    """In this process: what the driver and the workers do one after another."""
    slicing = slice_windows()
    (tmp_path / "log.jsonl").write_text("".join(f"{to_json(e)}\n" for e in make_events(20, seed=1)))

    def summarise_log() -> None:
        blocks = plan_blocks(find_sources([str(tmp_path)], None).files)
        found = run_stages((judged for block in blocks for judged in read_block(block)), slicing)
        summaries, _ = summarise(found, slicing.window_ns)
        assert len(list(summaries.operators)) > len(list(summaries.topologies)) > 0

    steps = walks.read_links(LOG_LINE)
    assert (steps[0], steps[-1]) == ("ingest/job.py", "ingest/storing/store.py")
    assert [file for file in walks.trace(summarise_log, "ingest") if file in steps] == steps[1:-1]


def test_an_exception_runs_through_its_walk(app: FastAPI):
    body = {
        "topology": TOPOLOGY,
        "load": {
            "external_rate": 100.0,
            "operators": {"parse": {"service_rate": 40.0}, "score": {"service_rate": 30.0}},
        },
        "k_max": 1,
    }

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            return await client.post("/v1/plans/min-latency", json=body)

    answers: list[httpx.Response] = []
    ran = walks.trace(lambda: answers.append(asyncio.run(ask())))
    assert answers[0].json()["type"] == "budget-too-small"
    links = walks.read_links(EXCEPTION)
    assert [file for file in links if file not in ran] == []
