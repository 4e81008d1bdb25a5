"""`headgate mcp`, asked by the official client, beside a running service."""

from collections.abc import Mapping
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from app.load.bodies.topology import FPD
from tests.app.planning.gates.test_routes import newest
from tests.app.processes import HEADGATE, Service, StartService, environment

READING = ["overview", "decision", "what_if", "fleet", "report", "simulate"]
STORING = ["make_decision", "decide_fleet", "record_outcome"]
Asked = tuple[str, Mapping[str, Any]]


@pytest.fixture
def measured(stored: str, service: Service) -> str:
    """A stored topology with a snapshot, a policy and a decision."""
    address = f"{service.url}/v1/topologies/{stored}"
    httpx.post(f"{address}/snapshots", json=newest()).raise_for_status()
    httpx.put(f"{address}/policy", json={"goal": {"t_max_seconds": 0.5}}).raise_for_status()
    httpx.post(f"{address}/decisions").raise_for_status()
    return stored


def ask_tools(url: str, *asked: Asked, **variables: str) -> tuple[list[Any], list[Any]]:
    """The tools that the command offers, and its answers to calls, one after the other."""

    async def ask() -> tuple[list[Any], list[Any]]:
        command = StdioServerParameters(
            command=str(HEADGATE), args=["mcp", "--url", url], env=environment() | variables
        )
        async with Client(stdio_client(command)) as client:
            offered = (await client.list_tools()).tools
            return offered, [await client.call_tool(name, dict(given)) for name, given in asked]

    return anyio.run(ask)


def test_tools_answer_what_the_service_answers(measured: str, service: Service):
    named = {"topology": measured}
    offered, found = ask_tools(
        service.url,
        ("overview", {}),
        ("decision", named),
        ("what_if", named | {"load_factor": 1.5}),
        ("fleet", {"k_max": 1000, "label": "nobody has this label"}),
        ("report", named),
        ("simulate", named | {"roots": 2000}),
        ("decision", {"topology": "no-such-topology"}),
    )
    assert [tool.name for tool in offered] == READING
    assert all(tool.annotations.read_only_hint for tool in offered)
    assert all(tool.description.endswith(".") for tool in offered)
    overview, decision, what_if, fleet, report, simulated, refused = found
    assert measured in [row["name"] for row in overview.structured_content["topologies"]]
    address = f"{service.url}/v1/topologies/{measured}"
    made = httpx.post(f"{address}/decisions", json={"store": False}).json()
    assert decision.structured_content["verdict"] == made["verdict"]
    assert decision.structured_content["reasons"] == made["reasons"]
    asked = httpx.post(f"{address}/what-if", json={"load_factor": 1.5}).json()
    assert what_if.structured_content["planned"] == asked["planned"]
    assert fleet.structured_content["unused_processors"] == 1000
    assert report.content[0].text.startswith(f"# {measured}: ")
    assert simulated.structured_content["roots"] == 2000
    assert refused.is_error
    assert "no-such-topology" in refused.content[0].text
    assert len(httpx.get(f"{address}/decisions").json()["items"]) == 1, "nothing more was stored"


def test_tools_that_store_need_a_key_of_their_own(start_service: StartService, database_url: str, name: str):
    """With a key that only reads, the service refuses them in a sentence."""
    service = start_service(
        database_url=database_url, api_keys="writer=0123456789abcdef-w,reader=0123456789abcdef-r:read"
    )
    may_store = {"Authorization": "Bearer 0123456789abcdef-w"}
    address = f"{service.url}/v1/topologies/{name}"
    body = FPD | {"name": name}
    assert httpx.post(f"{service.url}/v1/topologies", json=body, headers=may_store).status_code == 201
    httpx.post(f"{address}/snapshots", json=newest(), headers=may_store).raise_for_status()
    httpx.put(
        f"{address}/policy", json={"goal": {"t_max_seconds": 0.5}}, headers=may_store
    ).raise_for_status()
    keys = {"HEADGATE_API_KEY": "0123456789abcdef-r"}
    offered, _ = ask_tools(service.url, **keys)
    assert [tool.name for tool in offered] == READING
    offered, [refused] = ask_tools(
        service.url,
        ("make_decision", {"topology": name}),
        **keys,
        HEADGATE_STORING_KEY="0123456789abcdef-r",
    )
    assert [tool.name for tool in offered] == [*READING, *STORING]
    assert refused.is_error
    assert "forbidden" in refused.content[0].text
    _, [made] = ask_tools(
        service.url,
        ("make_decision", {"topology": name}),
        **keys,
        HEADGATE_STORING_KEY="0123456789abcdef-w",
    )
    assert not made.is_error, made.content[0].text
    decision = made.structured_content["id"]
    _, [told] = ask_tools(
        service.url,
        ("record_outcome", {"decision_id": decision, "state": "applied"}),
        **keys,
        HEADGATE_STORING_KEY="0123456789abcdef-w",
    )
    assert told.structured_content["state"] == "applied"
