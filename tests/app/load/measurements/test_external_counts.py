"""Bursts of the stream from outside, from what successive snapshots counted, and from the spans within them."""

from typing import Any

import httpx
import numpy as np
import pytest

from app.load.measurements.external_counts import cut_runs
from app.load.measurements.snapshots import Counted
from planner.queueing.bursts.counted_bursts import Span
from tests.app.load.snapshots.test_routes import read_all, snapshot

CODE = "bursts-from-counters"
RNG = np.random.default_rng(7)


def count_minutes(count: int, tuples: Any) -> list[dict[str, Any]]:
    """Snapshots of successive minutes in which so many tuples came."""
    return [snapshot(minute, external_rate=float(tuples(minute)) / 60.0) for minute in range(count)]


def estimate(client: httpx.Client, name: str, snapshots: list[dict[str, Any]]) -> dict[str, Any]:
    client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).raise_for_status()
    answer: dict[str, Any] = client.post(f"/v1/topologies/{name}/estimate").json()
    return answer


def find_said(answer: dict[str, Any]) -> str:
    return next((said["detail"] for said in answer["diagnostics"] if said["code"] == CODE), "")


def test_minutes_that_differ_more_than_by_chance_are_bursts(client: httpx.Client, stored: str):
    bursty = [int(one) for one in RNG.negative_binomial(24.0, 1.0 / 801.0, 120)]
    bursty[-1] = 19_200
    few = estimate(client, stored, count_minutes(120, lambda minute: bursty[minute])[-20:])
    assert not find_said(few)
    many = estimate(client, stored, count_minutes(120, lambda minute: bursty[minute]))
    assert "from counts" in find_said(many)
    assert many["expected_sojourn_seconds"] > few["expected_sojourn_seconds"]
    assert "bursts of the external stream, from counts of its tuples" in many["evidence"]["measured"]


def test_minutes_that_differ_by_chance_change_nothing(client: httpx.Client, stored: str):
    calm = [*RNG.poisson(19_200.0, 119).tolist(), 19_200]
    few = estimate(client, stored, count_minutes(120, lambda minute: calm[minute])[-20:])
    many = estimate(client, stored, count_minutes(120, lambda minute: calm[minute]))
    assert find_said(many)
    assert many["expected_sojourn_seconds"] == pytest.approx(few["expected_sojourn_seconds"], rel=0.03)


def test_a_rate_that_never_changes_was_not_counted(client: httpx.Client, stored: str):
    assert not find_said(estimate(client, stored, count_minutes(60, lambda _: 19_200)))


def test_spans_within_snapshots_show_shorter_bursts_and_are_shown_as_sent(client: httpx.Client, stored: str):
    rows = count_minutes(2, lambda _: 19_200)
    for row in rows:
        row["external_counts"] = [
            {"seconds": 1.0, "tuples": int(one)} for one in RNG.negative_binomial(40.0, 1.0 / 9.0, 60)
        ]
    answer = estimate(client, stored, rows)
    assert "up to windows of 4 s" in find_said(answer)
    (*_, shown) = read_all(client, f"/v1/topologies/{stored}/snapshots")
    assert shown["external_counts"] == rows[-1]["external_counts"]
    known = client.get(f"/v1/topologies/{stored}").json()
    topology = {key: known[key] for key in ("operators", "edges", "entries") if key in known}
    alone = client.post("/v1/estimate", json={"topology": topology, "load": rows[0]}).json()
    assert "bursts of the external stream, from counts of its tuples" in alone["evidence"]["measured"]


def test_a_gap_between_snapshots_ends_a_run():
    row = [Counted(at, Span(60.0, 1.0)) for at in (0.0, 60.0, 121.0, 200.0, 260.0)]
    assert [len(run) for run in cut_runs(row)] == [3, 2]
    assert list(cut_runs([])) == []
