"""A placement small enough to work out by hand: one task, its profile and two sizes of VM."""

from typing import Any

import httpx

from app.machines.predictions import BLOB_TOPOLOGY

SIZES = [{"name": "D3", "slots": 4, "hourly_price": 0.4}, {"name": "D1", "slots": 1, "hourly_price": 0.1}]
BLOB = [
    {"threads": 1, "peak_rate": 2, "cpu": 0.067, "memory": 0.239},
    {"threads": 50, "peak_rate": 30, "cpu": 0.767, "memory": 0.314},
]
REQUEST: dict[str, Any] = {
    "topology": BLOB_TOPOLOGY,
    "external_rate": 100.0,
    "allocation": "mba",
    "mapping": "sam",
    "routing": "shuffle",
    "profiles": {"blob": BLOB},
    "vm_sizes": SIZES,
}


def place(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = client.post("/v1/placements", json=REQUEST | changes)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refuse(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = client.post("/v1/placements", json=REQUEST | changes)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    return problem
