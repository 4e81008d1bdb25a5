"""/v1/topologies/{name}/past-forecasts: each forecast beside the highest rate that came in its time."""

import math
from datetime import datetime, timedelta

import httpx

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


def test_more_than_was_covered_is_judged_at_once(client: httpx.Client, known: str):
    put_policy(client, known, TARGET)
    for minute in range(1, 41):
        observe(client, known, minute, rate_of(minute), ENOUGH)
    decide(client, known, 40)
    observe(client, known, 41, 2000.0, ENOUGH)
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    assert (found["items"][0]["covered"], found["coverage"]) == (False, 0.0)
    assert found["mean_error"] < 0.0


def test_without_decisions_there_is_nothing_to_judge(client: httpx.Client, known: str):
    found = client.get(f"/v1/topologies/{known}/past-forecasts").json()
    assert found == {
        "detail": "No earlier forecast can be judged yet: for none of them is the whole time measured.",
        "judged": 0,
        "covered": 0,
        "coverage": None,
        "wanted": None,
        "mean_error": None,
        "items": [],
    }
    assert client.get("/v1/topologies/nowhere/past-forecasts").status_code == 404
