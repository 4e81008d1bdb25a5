"""Stored snapshots at different numbers of processors bend the capacity of every answer, unless the owner says how."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.app.decision_calls import put_policy

SIGMA = 0.05
RUNS = ((4, 30), (8, 30), (12, 10))
"""Counts, and for how many minutes each ran."""


def slow_down(k: int) -> float:
    return 1.0 / (1.0 + SIGMA * (k - 1))


def list_snapshots(served: Mapping[int, float]) -> list[dict[str, Any]]:
    counts = [count for count, minutes in RUNS for _ in range(minutes)]
    begun = datetime.now(UTC) - timedelta(minutes=len(counts))
    return [
        {
            "observed_at": (begun + timedelta(minutes=minute)).isoformat(),
            "window_seconds": 60,
            "external_rate": 0.7 * count * served[count],
            # A few percent of noise, the same at each run.
            "operators": {
                "score": {"service_rate": served[count] * (1.02, 1.0, 0.98)[minute % 3], "processors": count}
            },
        }
        for minute, count in enumerate(counts)
    ]


def store(client: httpx.Client, name: str, served: Mapping[int, float], **words: object) -> None:
    body = {"name": name, "operators": [{"name": "score", "queueing": "round-robin", **words}]}
    assert client.post("/v1/topologies", json=body).status_code == 201
    assert client.post(f"/v1/topologies/{name}/snapshots", json=list_snapshots(served)).status_code == 201


def ask(client: httpx.Client, path: str, **body: object) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{path}", json=body)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def find_note(answer: Mapping[str, Any], code: str) -> str | None:
    return next((one["detail"] for one in answer["diagnostics"] if one["code"] == code), None)


BENT = {count: 20.0 * slow_down(count) for count, _ in RUNS}


def test_every_answer_uses_the_learned_curve_and_shows_its_evidence(client: httpx.Client, name: str) -> None:
    store(client, name, BENT)
    estimate = ask(client, f"{name}/estimate", processors={"score": 24})
    learned = find_note(estimate, "capacity-learned")
    assert learned is not None
    assert "/s with 4 (" in learned
    assert "/s with 8 (" in learned
    assert estimate["operators"][0]["service_rate"] == pytest.approx(20.0 * slow_down(24), rel=0.12)
    # Just below what 20 processors serve by the curve that the rates were made of; straight capacity would say 15.
    factor = 0.999 * 20 * slow_down(20) / (0.7 * 12 * slow_down(12))
    found = ask(client, f"{name}/what-if", load_factor=factor, t_max_seconds=2.0)
    assert found["planned"]["processors"]["score"] == pytest.approx(21, abs=2)
    assert find_note(found, "capacity-learned") == learned
    plan = ask(client, f"{name}/plans/min-processors", t_max_seconds=0.16)
    assert find_note(plan, "capacity-learned") == learned
    gate = ask(client, f"{name}/gate", t_max_seconds=0.5, processors={"score": 12})
    assert find_note(gate, "capacity-learned") == learned
    put_policy(client, name, {"goal": {"t_max_seconds": 2.0}, "cooldown_seconds": 0})
    rate = factor * estimate["external_rate"]
    newest = {"score": {"service_rate": BENT[12], "processors": 12}}
    snapshot = {"observed_at": datetime.now(UTC).isoformat(), "window_seconds": 60, "external_rate": rate}
    sent = client.post(f"/v1/topologies/{name}/snapshots", json=snapshot | {"operators": newest})
    assert sent.status_code == 201
    decided = ask(client, f"{name}/decisions")
    assert decided["processors"]["recommended"]["score"] == pytest.approx(21, abs=2)
    assert "capacity-learned" in [one["code"] for one in decided["diagnostics"]]


def test_the_owners_word_wins(client: httpx.Client, name: str) -> None:
    store(client, name, BENT, scaling={"kind": "linear"})
    estimate = ask(client, f"{name}/estimate", processors={"score": 24})
    assert find_note(estimate, "capacity-learned") is None
    assert estimate["operators"][0]["service_rate"] == pytest.approx(20.0 * slow_down(12) * 0.98, rel=0.05)


def test_straight_capacity_stays(client: httpx.Client, name: str) -> None:
    store(client, name, dict.fromkeys(BENT, 20.0))
    estimate = ask(client, f"{name}/estimate")
    assert not {"capacity-learned", "capacity-bends"} & {one["code"] for one in estimate["diagnostics"]}
