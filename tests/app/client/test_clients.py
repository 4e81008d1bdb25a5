"""Both clients against a real service."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from app.client.answers import EstimateFields
from app.client.exchanges import Call
from headgate.client import AsyncClient, Client, HeadgateProblem
from tests.app.processes import Service

TOPOLOGY: dict[str, Any] = {
    "operators": [{"name": "parse"}, {"name": "score"}],
    "edges": [{"source": "parse", "target": "score", "selectivity": 2.0}],
}
LOAD: dict[str, Any] = {
    "external_rate": 100.0,
    "operators": {
        "parse": {"service_rate": 40.0, "processors": 4},
        "score": {"service_rate": 30.0, "processors": 8},
    },
}


def snapshot() -> dict[str, Any]:
    return LOAD | {"observed_at": datetime.now(UTC).isoformat(), "window_seconds": 60}


def test_a_plan_and_a_gate_from_documents(service: Service):
    with Client(service.url) as client:
        plan = client.plan("min-latency", TOPOLOGY, LOAD, k_max=12)
        assert plan["processors"] == {"parse": 4, "score": 8}
        assert client.estimate(TOPOLOGY, LOAD)["expected_sojourn_seconds"] == plan["expected_sojourn_seconds"]
        assert client.gate(TOPOLOGY, LOAD, t_max_seconds=1.0)["passed"]
        assert not client.gate(TOPOLOGY, LOAD, t_max_seconds=0.11)["passed"]


def test_from_a_topology_to_a_decision_and_its_outcome(service: Service, name: str):
    with Client(service.url) as client:
        assert client.create_topology(TOPOLOGY | {"name": name})["revision"] == 1
        changed = client.change_topology(name, TOPOLOGY | {"queueing": "random"})
        assert client.topology(name)["revision"] == changed["revision"] == 2
        assert client.push(name, [snapshot()])["stored"] == 1
        assert client.set_policy(name, {"goal": {"t_max_seconds": 0.3}})["goal"]["t_max_seconds"] == 0.3
        assert client.policy(name)["goal"]["t_max_seconds"] == 0.3
        assert client.decide(name, store=False)["id"] is None
        decided = client.decide(name)
        assert decided["id"] is not None
        assert client.decision(decided["id"])["verdict"] == decided["verdict"]
        assert client.patch(decided["id"], "json")
        assert client.record_outcome(decided["id"], {"state": "applied"})["state"] == "applied"
        assert name in {row["name"] for row in client.overview()}
        assert name in {row["name"] for row in client.topologies()}
        assert client.estimate_stored(name)["processors_total"] == 12
        assert client.plan_stored(name, "min-processors", t_max_seconds=0.3)["optimal"]
        assert client.gate_stored(name, k_max=100)["checks"]
        assert client.what_if(name, load_factor=1.2)["frontier"]
        assert client.replay(name)["ran"]
        assert client.report(name).startswith(f"# {name}")
        client.delete_topology(name)
        with pytest.raises(HeadgateProblem) as refused:
            client.topology(name)
        assert (refused.value.status, refused.value.type) == (404, "unknown-topology")


def test_all_pages_of_a_list_are_the_answer(service: Service, name: str):
    with Client(service.url) as client:
        names = [f"{name}-{number}" for number in range(3)]
        for one in names:
            client.create_topology(TOPOLOGY | {"name": one})
        found = client.send(
            Call[list[dict[str, str]]]("GET", "/v1/topologies", query={"limit": 1}, is_list=True)
        )
        assert set(names) <= {row["name"] for row in found}
        for one in names:
            client.delete_topology(one)


def test_a_problem_says_what_to_change(service: Service):
    with Client(service.url) as client, pytest.raises(HeadgateProblem) as refused:
        client.plan("min-latency", TOPOLOGY, LOAD, k_max=3)
    assert str(refused.value).startswith("budget-too-small: 3 processors")
    assert refused.value.fields["needed"] == 10
    assert refused.value.errors[0]["pointer"] == "#/k_max"


def test_the_same_methods_are_awaited_side_by_side(service: Service):
    async def ask() -> list[float | None]:
        async with AsyncClient(service.url) as client:
            plans = [client.plan("min-latency", TOPOLOGY, LOAD, k_max=k) for k in (12, 13, 14)]
            with pytest.raises(HeadgateProblem):
                await client.topology("no-such-topology")
            return [plan["expected_sojourn_seconds"] for plan in await asyncio.gather(*plans)]

    found = asyncio.run(ask())
    assert found == sorted(found, key=lambda one: -(one or 0.0))


def test_the_environment_names_service_and_key(service: Service, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADGATE_URL", service.url)
    monkeypatch.setenv("HEADGATE_API_KEY", "secret")
    with Client() as client:
        assert str(client.http.base_url) == service.url
        assert client.http.headers["Authorization"] == "Bearer secret"


def test_a_method_says_what_it_does():
    assert (
        Client.decide.__doc__
        == "What should change now, and why; with store=False a trial, which begins nothing."
    )
    with Client() as client:
        assert client.decide.__doc__ == Client.decide.__doc__


def test_answers_are_typed(service: Service):
    """mypy checks this function: an answer has its own type, and an unknown field or argument is an error."""
    with Client(service.url) as client:
        found: EstimateFields = client.estimate(TOPOLOGY, LOAD)
        assert found["stable"]
        with pytest.raises(KeyError):
            found["no_field"]  # type: ignore[typeddict-item]
        with pytest.raises(TypeError):
            client.decide()  # type: ignore[call-arg]
