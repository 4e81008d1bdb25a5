"""/healthz asks the process alone, /readyz the database and its schema, /metrics needs a key where there are keys."""

import httpx

from app.load.bodies.topology import FPD
from migrations.runner import migrate, newest_revision
from tests.app.processes import PATIENCE_SECONDS, StartService


def test_ready_means_reachable_and_migrated(client: httpx.Client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready", "schema_revision": newest_revision()}


def test_another_schema_is_not_ready_and_metrics_need_a_key(
    start_service: StartService, empty_database_url: str
):
    service = start_service(
        database_url=empty_database_url, api_keys="the-owners-secret,the-readers-secret:read"
    )
    with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client:
        assert client.get("/readyz").status_code == 200, "health needs no key"
        assert client.get("/metrics").status_code == 401
        headers = {"Authorization": "Bearer the-readers-secret"}
        assert "headgate_requests_total" in client.get("/metrics", headers=headers).text
        assert "headgate_topology_gauges_up 1.0" in client.get("/metrics", headers=headers).text
        migrate(empty_database_url, "base")
        assert "headgate_topology_gauges_up 0.0" in client.get("/metrics", headers=headers).text
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["type"] == "not-ready"
        assert f"has schema none, this version needs {newest_revision()}" in answer.json()["detail"]
        assert client.get("/healthz").status_code == 200
        for answer in (
            client.get("/v1/topologies", headers=headers),
            client.post("/v1/topologies", headers={"Authorization": "Bearer the-owners-secret"}, json=FPD),
            client.get("/v1/topologies/fpd/keda/generator", headers=headers),
            client.get("/v1/overview", headers=headers),
        ):
            assert (answer.status_code, answer.json()["type"]) == (503, "not-ready"), answer.text
            assert "headgate migrate" in answer.json()["detail"]
            assert int(answer.headers["Retry-After"]) > 0
        migrate(empty_database_url)
        assert client.get("/readyz").status_code == 200
