"""GET /v1/audit: who changed what, filtered and paged; and the name of the key beside what it stored."""

from collections.abc import Callable
from typing import Any

import httpx

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.processes import StartService

KEYS = {"ci": "a-secret-of-ci-01", "bridge": "a-bridges-secret"}
CATALOGUE = {"sizes": [{"name": "D1", "slots": 1, "hourly_price": 0.1}]}
PROFILE = {"points": [{"threads": 1, "peak_rate": 100.0, "cpu": 0.5, "memory": 0.5}]}


def list_changes(client: httpx.Client, **asked: Any) -> list[dict[str, Any]]:
    """All changes over all pages."""
    changes, address = [], str(httpx.URL("/v1/audit", params=asked))
    while address:
        answer = client.get(address)
        assert answer.is_success, answer.text
        page = answer.json()
        changes += page["items"]
        address = page["next"]
    return changes


def store_of_each_kind(send: Callable[..., httpx.Response], client: httpx.Client) -> None:
    """Stores an answer of each kind with the key ci, and reads it with the key bridge."""
    for path, body in (
        ("/v1/topologies/t/plans/min-latency", {"k_max": 22}),
        ("/v1/topologies/t/decisions", {"at": "2026-11-18T00:01:00Z"}),
        ("/v1/topologies/t/simulations", {"roots": 1000}),
        ("/v1/profiles", PROFILE | {"name": "p"}),
        ("/v1/vm-catalogues", CATALOGUE | {"name": "c"}),
    ):
        made = send("ci", "POST", path, body)
        assert made.json()["created_by"] == "ci", path
        client.headers["Authorization"] = f"Bearer {KEYS['bridge']}"
        assert client.get(made.headers["Location"]).json()["created_by"] == "ci", path


def test_changes_name_their_key_and_so_does_what_was_stored(
    start_service: StartService, empty_database_url: str
):
    service = start_service(
        database_url=empty_database_url,
        api_keys=",".join(f"{name}={secret}" for name, secret in KEYS.items()),
        audit_clients="true",
        simulation_events_at_once="0",
        simulation_processes="0",
        backtest_processes="0",
    )
    with httpx.Client(base_url=service.url, timeout=60) as client:

        def send(who: str, method: str, path: str, body: Any) -> httpx.Response:
            client.headers["Authorization"] = f"Bearer {KEYS[who]}"
            answer = client.request(method, path, json=body)
            assert answer.is_success, answer.text
            return answer

        topology = send("ci", "POST", "/v1/topologies", FPD | {"name": "t"})
        assert topology.json()["created_by"] == "ci"
        changed = send("bridge", "PUT", "/v1/topologies/t", topology.json())
        assert changed.json()["created_by"] == "bridge"
        send("bridge", "POST", "/v1/topologies/t/snapshots", FPD_LOAD)
        send("ci", "PUT", "/v1/topologies/t/policy", {"goal": {"k_max": 22}})
        store_of_each_kind(send, client)
        everything = list_changes(client, limit=3)
        assert [one["at"] for one in everything] == sorted((one["at"] for one in everything), reverse=True)
        assert {one["client"] for one in everything} == {"127.0.0.1"}
        by_bridge = list_changes(client, key="bridge")
        assert {(one["method"], one["address"]) for one in by_bridge} == {
            ("PUT", "/v1/topologies/t"),
            ("POST", "/v1/topologies/t/snapshots"),
        }
        assert len(list_changes(client, name="t")) == len(everything) - 2
        middle = everything[3]["at"]
        assert list_changes(client, **{"from": middle}) == [one for one in everything if one["at"] >= middle]
        assert list_changes(client, to=middle) == [one for one in everything if one["at"] < middle]
        client.headers.pop("Authorization")
        assert client.get("/v1/audit").status_code == 401
