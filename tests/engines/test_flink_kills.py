"""A bridge that is killed at any moment under a changing load: the engine goes on, and so does the next bridge."""

import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import httpx

from tests.app.processes import Service
from tests.engines.bridge_process import start_bridge
from tests.engines.flink_cluster import Fields, wait_for
from tests.engines.flink_jobs import Job, JobPlan, StartJob
from tests.engines.test_flink_loop import HIGH, LOW, OPERATORS, POLICY

Counts = tuple[int, ...]
KILLS = int(os.environ.get("KILLS", "3"))
LONGEST_LIFE_SECONDS = 15.0


def read_requirements(job: Job) -> Counts:
    """The upper bounds that Flink keeps, in the order of the operators."""
    asked = job.flink.get(f"/jobs/{job.id}/resource-requirements")
    bounds = {vertex: cast("Fields", cast("Fields", one)["parallelism"]) for vertex, one in asked.items()}
    return tuple(cast("int", bounds[job.vertices[one.name]]["upperBound"]) for one in OPERATORS)


def list_recommended(client: httpx.Client, topology: str) -> set[Counts]:
    """The processors that any decision has recommended."""
    answer = client.get(f"/v1/topologies/{topology}/decisions")
    decisions = answer.json()["items"] if answer.status_code == 200 else []
    recommended = [one["processors"]["recommended"] for one in decisions]
    return {tuple(one[name] for name in ("parse", "score", "Sink: write")) for one in recommended}


def list_allowed(seen: set[Counts], recommended: set[Counts]) -> set[Counts]:
    """What may run: what ran, and each recommendation, at most twice what ran (--max-step 2x)."""
    steps = {
        tuple(min(to, 2 * now) for now, to in zip(ran, wanted, strict=True))
        for ran in seen
        for wanted in recommended
    }
    return seen | recommended | steps


def test_a_killed_bridge_leaves_nothing_half_done(
    start: StartJob,
    service: Service,
    client: httpx.Client,
    tmp_path: Path,
    report: Callable[[str], None],
) -> None:
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps(POLICY | {"cooldown_seconds": 0, "smoothing": None}))
    job = start(JobPlan("killed", "rebalance", OPERATORS, LOW))
    seen, lives = {read_requirements(job)}, []
    for kill in range(KILLS):
        job.set_rate(LOW if kill % 2 else HIGH)
        bridge = start_bridge(job, service.url, policy, interval="2s")
        wait_for(lambda: bridge.events, "the bridge has begun")  # noqa: B023 - called in this turn
        lives.append(random.uniform(0.0, LONGEST_LIFE_SECONDS))
        time.sleep(lives[-1])  # how long it lives
        assert bridge.stop(signal.SIGKILL) == -signal.SIGKILL
        asked = read_requirements(job)
        assert asked in list_allowed(seen, list_recommended(client, "killed")), asked
        seen.add(asked)
        wait_for(job.is_running, "the job runs on")
        assert all(tally.services for tally in job.count().values())
    bridge = start_bridge(job, service.url, policy, interval="2s")
    bridge.wait_for_more(["decided"], 3, 60.0)
    assert bridge.stop() == 0
    report(
        f"kills: {KILLS}, after {', '.join(f'{life:.1f}' for life in lives)} s; {len(seen)} sets of processors ran"
    )
