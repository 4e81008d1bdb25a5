"""What the framework refuses is a problem too: unknown addresses, wrong methods, unexpected errors."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from sqlalchemy import create_engine, text
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.problems.problem_answers import LastResort
from tests.app.processes import wait_until
from tests.app.web.refusals import assert_refused

WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%INTO policies%'"
)


@pytest.mark.parametrize(
    ("method", "address", "allowed"),
    [
        ("PUT", "/v1/topologies", "GET, POST"),
        ("POST", "/v1/topologies/fpd", "GET, PUT, DELETE"),
        ("GET", "/v1/plans/min-latency", "POST"),
        ("POST", "/healthz", "GET"),
        ("POST", "/docs/files/swagger-ui.css", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_there_is_refused_with_those_that_are(
    client: httpx.Client, method: str, address: str, allowed: str
):
    answer = client.request(method, address)
    assert_refused(answer, status=405, kind="method-not-allowed")
    assert answer.headers["Allow"] == allowed


def test_an_address_that_is_written_nearly_right_is_answered_with_the_right_one(client: httpx.Client):
    for wrong, right in (
        ("/v1/topologys", "/v1/topologies"),
        ("/v1/topologies/fpd/snapshot", "/v1/topologies/fpd/snapshots"),
        ("/healtz", "/healthz"),
    ):
        problem = assert_refused(client.get(wrong), status=404, kind="not-found")
        assert problem["detail"].endswith(f"Did you mean {right!r}?")
    assert "Did you mean" not in client.get("/like/no/other").json()["detail"]


def test_an_unexpected_error_is_answered_with_500_that_shows_nothing_of_the_inside():
    async def fail(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("the password is swordfish")

    sent = asyncio.run(call(LastResort(fail)))
    problem = json.loads(sent[1]["body"])
    assert (sent[0]["status"], problem["type"]) == (500, "internal-error")
    assert "swordfish" not in json.dumps(problem)


def test_an_error_in_the_middle_of_an_answer_ends_the_connection():
    """A second answer cannot follow the beginning of the first: the server must see the error."""

    async def fail_late(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("too late")

    with pytest.raises(RuntimeError, match="too late"):
        asyncio.run(call(LastResort(fail_late)))


async def call(app: ASGIApp) -> list[Message]:
    """What an ASGI application sends in answer to GET /."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def keep(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    await app(scope | {"scheme": "http", "server": ("127.0.0.1", 80)}, receive, keep)
    return sent


def test_a_topology_that_is_deleted_while_something_is_stored_with_it_is_unknown(
    client: httpx.Client, known: str, database_url: str
):
    engine = create_engine(database_url)
    with ThreadPoolExecutor(1) as pool, engine.connect() as deleting, engine.connect() as looking:
        looking.execution_options(isolation_level="AUTOCOMMIT")
        deleting.execute(text("DELETE FROM topologies WHERE name = :name"), {"name": known})
        policy = {"goal": {"t_max_seconds": 1.0}}
        sent = pool.submit(client.put, f"/v1/topologies/{known}/policy", json=policy)
        wait_until(lambda: looking.scalar(text(WAITING)), "it waits for the topology")
        deleting.commit()
        answer = sent.result()
    engine.dispose()
    assert_refused(answer, status=404, kind="unknown-topology")
