"""The garbage collector: what the process has loaded is not searched again for every few requests."""

import re

import httpx

from tests.app.processes import StartService

REQUESTS, MOST = 200, 3


def count_collections(client: httpx.Client) -> int:
    """How often the service's garbage collector has run."""
    found = re.findall(
        r"^python_gc_collections_total\{.*\} (\S+)$", client.get("/metrics").text, re.MULTILINE
    )
    assert len(found) == 3, "one count for each generation"
    return sum(int(float(one)) for one in found)


def test_hundreds_of_requests_need_hardly_a_collection(start_service: StartService, database_url: str):
    with httpx.Client(base_url=start_service(database_url=database_url).url, timeout=60) as client:
        before = count_collections(client)
        for _ in range(REQUESTS):
            assert client.get("/v1/topologies").status_code == 200
        assert count_collections(client) - before <= MOST
