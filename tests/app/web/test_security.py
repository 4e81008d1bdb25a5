"""Closed by default: without keys only loopback is answered, and a key may do what its entry says."""

import socket

import httpx

from app.load.bodies.topology import FPD
from app.web.security import find_key, is_loopback, parse_api_keys
from tests.app.processes import StartService, refuse_to_serve


def test_beyond_loopback_it_refuses_to_start_without_keys(postgres_url: str):
    ended = refuse_to_serve("--host", "0.0.0.0", "--port", "0", database_url=postgres_url)
    assert ended.returncode == 2
    assert "HEADGATE_API_KEYS" in ended.stderr


def test_a_key_may_do_what_its_entry_says_and_nothing_else(
    start_service: StartService, database_url: str, name: str
):
    service = start_service(
        "--host", "0.0.0.0", database_url=database_url, api_keys="full-secret, reader:read, schlüssel"
    )
    port = httpx.URL(service.url).port
    body = FPD | {"name": name}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:

        def post(key: str | None) -> httpx.Response:
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            return client.post("/v1/topologies", json=body, headers=headers)

        for key in (None, "wrong", "full-secret2", "reader:read", "full-secret, reader:read"):
            refused = post(key)
            assert (refused.status_code, refused.json()["type"]) == (401, "unauthorized")
            assert refused.headers["WWW-Authenticate"] == "Bearer"
        for kind in ("application/json", "text/plain"):
            unread = client.post("/v1/topologies", content=b"{", headers={"Content-Type": kind})
            assert unread.status_code == 401, "the key is checked before the body is parsed"
        assert (post("reader").status_code, post("reader").json()["type"]) == (403, "forbidden")
        assert post("full-secret").status_code == 201
        read = client.get(f"/v1/topologies/{name}", headers={"Authorization": "Bearer reader"})
        assert read.status_code == 200
        for coding in ("utf-8", "latin-1"):
            header = {b"Authorization": "Bearer schlüssel".encode(coding)}
            assert client.get(f"/v1/topologies/{name}", headers=header).status_code == 200, coding
        assert client.get("/metrics").status_code == 401
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
    assert not any("full-secret" in line for line in service.lines), "a secret is in the log"


def test_without_keys_only_loopback_names_are_answered(client: httpx.Client):
    for host, status in (("attacker.example", 403), ("localhost:8000", 200), ("[::1]", 200)):
        assert client.get("/v1/topologies", headers={"Host": host}).status_code == status


def test_keys_are_compared_whole():
    keys = parse_api_keys(" alpha , beta:read ,, ")
    assert [key.may_store for key in keys] == [True, False]
    assert find_key(keys, "alpha") is keys[0]
    assert find_key(keys, "beta") is keys[1]
    for wrong in ("", "alph", "alphaa", "beta:read", "gamma"):
        assert find_key(keys, wrong) is None


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
