"""Closed by default: without keys only loopback is answered, and a key may do what its entry says."""

import json
import socket

import httpx

from app.load.bodies.topology import FPD
from app.web.callers.security import is_loopback
from tests.app.processes import StartService, refuse_to_serve


def test_beyond_loopback_it_refuses_to_start_without_keys(postgres_url: str):
    ended = refuse_to_serve("--host", "0.0.0.0", "--port", "0", database_url=postgres_url)
    assert ended.returncode == 2
    assert "HEADGATE_API_KEYS" in ended.stderr


def test_a_key_may_do_what_its_entry_says_and_nothing_else(
    start_service: StartService, database_url: str, name: str
):
    service = start_service(
        "--host",
        "0.0.0.0",
        database_url=database_url,
        api_keys="full=the-full-secret-1, the-readers-secret:read, schlüssel-aus-messing",
    )
    port = httpx.URL(service.url).port
    body = FPD | {"name": name}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:

        def post(key: str | None) -> httpx.Response:
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            return client.post("/v1/topologies", json=body, headers=headers)

        for key in (None, "wrong", "the-full-secret-12", "the-readers-secret:read", "full=the-full-secret-1"):
            refused = post(key)
            assert (refused.status_code, refused.json()["type"]) == (401, "unauthorized")
            assert refused.headers["WWW-Authenticate"] == "Bearer"
        for kind in ("application/json", "text/plain"):
            unread = client.post("/v1/topologies", content=b"{", headers={"Content-Type": kind})
            assert unread.status_code == 401, "the key is checked before the body is parsed"
        refused = post("the-readers-secret")
        assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
        assert post("the-full-secret-1").status_code == 201
        read = client.get(f"/v1/topologies/{name}", headers={"Authorization": "Bearer the-readers-secret"})
        assert read.status_code == 200
        for coding in ("utf-8", "latin-1"):
            header = {b"Authorization": "Bearer schlüssel-aus-messing".encode(coding)}
            assert client.get(f"/v1/topologies/{name}", headers=header).status_code == 200, coding
        assert client.get("/metrics").status_code == 401
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
    assert not any("the-full-secret" in line for line in service.lines), "a secret is in the log"
    logged = [json.loads(line) for line in service.lines if '"message": "request"' in line]
    assert [line["key"] for line in logged if line["status"] == 201] == ["full"]
    assert [line["key"] for line in logged if line["status"] == 403] == ["key-2"]
    assert not any("key" in line for line in logged if line["status"] == 401)


def test_without_keys_only_loopback_names_are_answered(client: httpx.Client):
    for host, status in (("attacker.example", 403), ("localhost:8000", 200), ("[::1]", 200)):
        assert client.get("/v1/topologies", headers={"Host": host}).status_code == status


def test_loopback_is_told_from_everything_else():
    assert all(map(is_loopback, ["127.0.0.1", "127.8.9.1", "::1", "localhost"]))
    assert not any(
        map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "localhost.example", "", "127.0.0.1.example"])
    )


def test_a_taken_port_is_said_in_one_line(postgres_url: str):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = refuse_to_serve("--port", str(taken.getsockname()[1]), database_url=postgres_url)
    assert ended.returncode == 1
    assert "cannot listen on 127.0.0.1:" in ended.stderr
