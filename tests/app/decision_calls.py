"""Calls that tests of decisions, policies and node advice make, about three operators."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

START = datetime(2026, 11, 18, tzinfo=UTC)
TARGET = {"goal": {"t_max_seconds": 0.1, "t_min_seconds": 0.06}, "cooldown_seconds": 180}
ANY_AGE = TARGET | {"max_snapshot_age_seconds": 1e9}
RATES = {"generator": 80.0, "detector": 130.0, "reporter": 40.0}


def put_policy(client: httpx.Client, name: str, policy: dict[str, Any]) -> None:
    answer = client.put(f"/v1/topologies/{name}/policy", json=policy)
    assert answer.is_success, answer.text


def observe(
    client: httpx.Client, name: str, minute: int, rate: float, processors: dict[str, int], **more: Any
) -> None:
    operators = {one: {"service_rate": mu, "processors": processors[one]} for one, mu in RATES.items()}
    snapshot = {"observed_at": at(minute - 1), "external_rate": rate, "operators": operators} | more
    answer = client.post(f"/v1/topologies/{name}/snapshots", json=snapshot)
    assert answer.status_code == 201, answer.text


def at(minute: int) -> str:
    return (START + timedelta(minutes=minute)).isoformat()


def decide(client: httpx.Client, name: str, minute: int, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/v1/topologies/{name}/decisions", json={"at": at(minute)} | body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


ENOUGH = {"generator": 6, "detector": 13, "reporter": 3}
