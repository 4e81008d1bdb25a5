"""Small answers without FastAPI's steps: the same keys, refusals, headers, metrics and log lines as on every route."""

import httpx
import pytest
from fastapi import Depends

from app.deciding import keda
from app.load.bodies.topology import FPD
from app.web.callers.security import may_store
from app.web.overload.direct_route import DirectRoute, has_body
from app.web.routing import StrictJsonRoute
from tests.app.decision_calls import ANY_AGE, ENOUGH, observe, put_policy
from tests.app.processes import StartService


@pytest.fixture
def address(client: httpx.Client, known: str) -> str:
    """What KEDA asks for an operator that has an answer."""
    put_policy(client, known, ANY_AGE)
    observe(client, known, 1, 480.0, ENOUGH)
    return f"/v1/topologies/{known}/keda/detector"


def test_the_answer_has_the_headers_of_every_route(client: httpx.Client, address: str):
    direct = client.get(address, headers={"X-Request-Id": "asked-directly"})
    usual = client.get("/v1/topologies", headers={"X-Request-Id": "asked-directly"})
    assert direct.headers.keys() == usual.headers.keys()
    changing = {"etag", "content-length", "date"}
    assert {name: direct.headers[name] for name in direct.headers.keys() - changing} == {
        name: usual.headers[name] for name in usual.headers.keys() - changing
    }
    unchanged = client.get(address, headers={"If-None-Match": direct.headers["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_what_every_route_refuses_is_refused(client: httpx.Client, address: str):
    unknown = client.get(address, params={"at": "now"})
    assert (unknown.status_code, unknown.json()["errors"][0]["pointer"]) == (422, "?at")
    text = client.request("GET", address, content=b"text", headers={"Content-Type": "text/plain"})
    assert (text.status_code, text.json()["type"]) == (415, "unsupported-media-type")
    for odd in ("%00", "%20", "a" * 201):
        assert client.get(address.removesuffix("detector") + odd).status_code == 404, odd
        assert client.get(f"/v1/topologies/{odd}/keda/detector").status_code == 404, odd
    assert client.post(address).status_code == 405
    assert client.get(address, headers={"Host": "attacker.example"}).status_code == 403
    assert client.get(address).status_code == 200


def test_it_asks_for_a_key_and_is_counted_and_logged(
    start_service: StartService, empty_database_url: str, name: str
):
    service = start_service(
        database_url=empty_database_url, api_keys="full-secret-of-tests, reader-secret-of-tests:read"
    )
    path = f"/v1/topologies/{name}/keda/detector"
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for header in ({}, {"Authorization": "Bearer wrong"}):
            assert client.get(path, headers=header).status_code == 401
        client.headers["Authorization"] = "Bearer full-secret-of-tests"
        client.post("/v1/topologies", json=FPD | {"name": name})
        put_policy(client, name, ANY_AGE)
        observe(client, name, 1, 480.0, ENOUGH)
        assert client.get(path, headers={"Authorization": "Bearer reader-secret-of-tests"}).status_code == 200
        route = 'method="GET",route="/v1/topologies/{name}/keda/{operator}"'
        assert f'headgate_requests_total{{{route},status="200"}} 1.0' in client.get("/metrics").text
    assert '"status": 200' in service.wait_for_line(f'"path": "{path}", "status": 200')


def test_only_routes_that_a_reading_key_may_ask_answer_directly():
    [route] = keda.router.routes
    assert isinstance(route, DirectRoute)
    with pytest.raises(AssertionError, match="only this permission"):
        DirectRoute("/", keda.get_processors, dependencies=[Depends(may_store)])
    assert StrictJsonRoute("/", keda.get_processors, dependencies=[Depends(may_store)])


def test_the_headers_tell_whether_there_is_a_body():
    assert not has_body({"headers": [(b"host", b"127.0.0.1")]})
    for name in (b"content-length", b"transfer-encoding"):
        assert has_body({"headers": [(name, b"0")]})
