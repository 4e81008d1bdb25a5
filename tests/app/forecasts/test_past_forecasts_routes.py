"""/v1/topologies/{name}/past-forecasts: each forecast beside the highest rate that came in its time."""

import math
from datetime import datetime, timedelta

import httpx
import pytest

from planner.wording import write_percent
from planner.workloads.accuracy import bound_share
from tests.app.decision_calls import ENOUGH, TARGET, at, decide, observe, put_policy

COOLDOWN_MINUTES = 3


def rate_of(minute: int) -> float:
    return 300.0 + 20.0 * math.sin(minute / 9.0) + (minute * 7) % 5


def test_a_forecast_is_judged_when_its_time_was_measured(client: httpx.Client, known: str):
    put_policy(client, known, TARGET | {"look_ahead": True})
    for minute in range(1, 46):
        observe(client, known, minute, rate_of(minute), ENOUGH)
        if minute in {40, 44}:
            assert decide(client, known, minute)["look_ahead"] is not None
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    old, new = found["items"]
    assert old["decided_for"] == at(40).replace("+00:00", "Z")
    until = datetime.fromisoformat(old["until"])
    steps = round((until - datetime.fromisoformat(at(40))) / timedelta(minutes=1))
    assert steps >= COOLDOWN_MINUTES
    came = [rate_of(minute) for minute in range(41, min(40 + steps, 45) + 1)]
    assert old["came_rate"] == max(came)
    assert old["covered"] is (max(came) <= old["upper_rate"])
    assert (new["is_complete"], new["covered"]) == (False, None)
    assert (found["judged"], found["covered"]) == (1, int(old["covered"]))
    assert found["wanted"] == 0.95


def test_more_than_was_covered_is_seen_at_once_and_counts_when_its_time_is_over(
    client: httpx.Client, known: str
):
    put_policy(client, known, TARGET)
    for minute in range(1, 41):
        observe(client, known, minute, rate_of(minute), ENOUGH)
    decide(client, known, 40)
    observe(client, known, 41, 2000.0, ENOUGH)
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    # A hit is known only when its time is over: misses that counted before would make the share too low.
    assert (found["items"][0]["covered"], found["coverage"]) == (False, None)
    for minute in range(42, 51):
        observe(client, known, minute, rate_of(minute), ENOUGH)
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    assert (found["items"][0]["covered"], found["coverage"]) == (False, 0.0)
    assert found["mean_error"] < 0.0
    trial = decide(client, known, 40)
    assert trial["trial"], "it leaves out newer snapshots"
    assert client.get(f"/v1/topologies/{known}/past-forecasts").json()["items"] == found["items"]
    assert "From these the true share can only be told" in found["detail"]


def test_the_error_and_the_interval_are_those_of_judged_forecasts_of_any_lead(
    client: httpx.Client, known: str
):
    put_policy(client, known, TARGET | {"look_ahead": True})
    for minute in range(1, 91):
        observe(
            client, known, minute, rate_of(minute) + {46: 700.0, 66: 7e3, 86: 7e4}.get(minute, 0.0), ENOUGH
        )
        if minute in {40, 45, 65, 85}:
            decide(client, known, minute)
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    items = found["items"]
    assert [one["covered"] for one in items[1:]] == [False, False, False]
    came = [one["came_rate"] for one in items]
    error = sum(one["expected_rate"] - rate for one, rate in zip(items, came, strict=True)) / sum(came)
    assert found["mean_error"] == pytest.approx(error, rel=1e-12)
    # Each forecast is of three minutes or a little more, and none of them overlap.
    bounds = bound_share(found["coverage"], 4)
    assert (found["least_coverage"], found["most_coverage"]) == pytest.approx(bounds)
    assert found["falls_short"]
    assert found["detail"].find(f"and {write_percent(bounds[1])}, which is below the aim; ") > 0


def test_without_decisions_there_is_nothing_to_judge(client: httpx.Client, known: str):
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    assert found == {
        "detail": "No earlier forecast can be judged yet: for none of them is the whole time measured.",
        "judged": 0,
        "covered": 0,
        "coverage": None,
        "least_coverage": None,
        "most_coverage": None,
        "falls_short": False,
        "wanted": None,
        "mean_error": None,
        "items": [],
    }
    assert client.get("/v1/topologies/nowhere/past-forecasts").status_code == 404
