"""A snapshot ahead of the service's clock is stored and named, and is the newest for nobody."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.load.bodies.load import FPD_LOAD
from tests.app.decision_calls import ENOUGH, RATES, TARGET, put_policy

OPERATORS = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}


def send(client: httpx.Client, name: str, minutes: float, rate: float) -> dict[str, Any]:
    """Stores a snapshot that ends so many minutes from now."""
    began = datetime.now(UTC) + timedelta(minutes=minutes - 1)
    load = {"observed_at": began.isoformat(), "external_rate": rate, "operators": OPERATORS}
    answer = client.post(f"/v1/topologies/{name}/snapshots", json=load)
    assert answer.status_code == 201, answer.text
    stored: dict[str, Any] = answer.json()
    return stored


def find_codes(answer: dict[str, Any]) -> list[str]:
    return [one["code"] for one in answer["diagnostics"]]


@pytest.fixture
def ahead(client: httpx.Client, known: str) -> str:
    """A topology with fresh snapshots of 640/s and one of 10/s that ends 20 hours ahead."""
    put_policy(client, known, TARGET)
    for minutes in (-3, -2, -1):
        assert send(client, known, minutes, 640.0 + minutes) == {"stored": 1, "replaced": 0}
    assert find_codes(send(client, known, 1200, 10.0)) == ["ahead-of-clock"]
    return known


@pytest.mark.parametrize(
    ("call", "body"),
    [
        ("estimate", {}),
        ("estimate", {"smoothing": {"kind": "window", "size": 3}}),
        ("plans/min-latency", {"k_max": 60}),
        ("what-if", {}),
        ("gate", {"k_max": 60}),
        ("decisions", {}),
    ],
)
def test_answers_use_the_snapshots_before_it_and_name_it(
    client: httpx.Client, ahead: str, call: str, body: dict[str, Any]
):
    answer = client.post(f"/v1/topologies/{ahead}/{call}", json=body)
    assert answer.is_success, answer.text
    found = answer.json()
    assert "ahead-of-clock" in find_codes(found)
    last = datetime.fromisoformat(found["basis"]["last_observed_at"])
    assert timedelta() < datetime.now(UTC) - last < timedelta(minutes=10)


def test_a_decision_is_made_on_the_newest_data_that_are_not_ahead(client: httpx.Client, ahead: str):
    made = client.post(f"/v1/topologies/{ahead}/decisions").json()
    assert (made["action"], made["external_rate"], made["withheld"]) == ("scale_up", 639.0, None)
    assert (made["data"]["state"], made["data"]["usable"]) == ("ahead", True)
    wanted = made["processors"]["recommended"]
    told = {one: client.get(f"/v1/topologies/{ahead}/keda/{one}").json()["value"] for one in RATES}
    assert told == made["wanted"] == wanted
    (row,) = client.get("/v1/overview", params={"contains": ahead}).json()["items"]
    assert (row["external_rate"], row["rates"]) == (639.0, [637.0, 638.0, 639.0])
    points = client.get(f"/v1/topologies/{ahead}/series").json()["points"]
    assert {one["external_rate"] for one in points if one["external_rate"] is not None} <= {
        637.0,
        638.0,
        639.0,
    }
    assert client.get(f"/v1/decisions/{made['id']}").json()["observed"]["state"] == "waiting"


def test_a_topology_with_nothing_else_or_with_old_data_says_why_nothing_is_decided(
    client: httpx.Client, known: str
):
    put_policy(client, known, TARGET)
    send(client, known, 1200, 10.0)
    for minutes, kind in ((1200.0, "no-snapshot"), (-60.0, "stale-snapshots")):
        send(client, known, minutes, 20.0)
        refused = client.post(f"/v1/topologies/{known}/decisions")
        assert (refused.status_code, refused.json()["type"]) == (409, kind)
        assert "ahead of the service's clock" in refused.json()["detail"]
        (row,) = client.get("/v1/overview", params={"contains": known}).json()["items"]
        assert (row["status"], row["action"]) == ("ahead-of-clock", None)
        assert "ahead of the service's clock" in row["detail"]


def test_five_minutes_ahead_are_allowed(client: httpx.Client, known: str):
    assert send(client, known, 4.5, 320.0) == {"stored": 1, "replaced": 0}
    found = client.post(f"/v1/topologies/{known}/estimate").json()
    assert (found["basis"]["snapshots"], found["external_rate"]) == (1, 320.0)
    assert "ahead-of-clock" not in find_codes(found)
    sent = FPD_LOAD | {"observed_at": (datetime.now(UTC) + timedelta(minutes=6)).isoformat()}
    told = client.post(f"/v1/topologies/{known}/snapshots", json=sent).json()
    assert find_codes(told) == ["ahead-of-clock"]
