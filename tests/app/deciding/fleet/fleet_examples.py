"""Fleets of one-operator topologies, of which a processor serves 10/s, in a service."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

OPERATORS = {"operators": [{"name": "a"}]}


def make_load(rate: float, processors: int | None, *, seconds_ago: float = 120.0) -> dict[str, Any]:
    """A snapshot that began so long ago and lasted a minute."""
    begun = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).replace(microsecond=0)
    one: dict[str, Any] = {"service_rate": 10.0}
    if processors is not None:
        one["processors"] = processors
    return {
        "observed_at": begun.isoformat(),
        "window_seconds": 60,
        "external_rate": rate,
        "operators": {"a": one},
    }


def add_member(
    client: httpx.Client,
    name: str,
    label: str,
    rate: float,
    goal: dict[str, Any] | None = None,
    *,
    processors: int | None = 12,
    seconds_ago: float = 120.0,
) -> str:
    """Stores a topology with a label, a snapshot and a policy."""
    made = client.post("/v1/topologies", json=OPERATORS | {"name": name, "labels": [label]})
    assert made.status_code == 201, made.text
    load = make_load(rate, processors, seconds_ago=seconds_ago)
    assert client.post(f"/v1/topologies/{name}/snapshots", json=load).status_code == 201
    if goal is not None:
        assert client.put(f"/v1/topologies/{name}/policy", json={"goal": goal}).is_success
    return name


def ask_fleet(client: httpx.Client, label: str, k_max: int, **terms: Any) -> dict[str, Any]:
    """The plan of the topologies with a label."""
    answer = client.post("/v1/plans/fleet", json={"k_max": k_max, "topologies": {"label": label}} | terms)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
