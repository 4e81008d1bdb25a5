"""/healthz and /readyz, over HTTP and by a clock that the test moves."""

import socket

import httpx
import pytest

from app.bridge.events import Health, serving_health
from app.terminal.commands import Refused


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bridge_is_ready_while_both_answer_and_alive_while_its_loop_turns():
    clock = Clock()
    health = Health(clock, 15.0)
    assert health.answer("/readyz")[0] == health.answer("/healthz")[0] == 503, "nothing has happened yet"
    for part in ("loop", "engine", "service"):
        health.succeed(part)
    clock.now = 60.0
    health.succeed("loop")
    health.succeed("service")
    assert health.answer("/readyz")[0] == 200
    clock.now = 71.0
    status, body = health.answer("/readyz")
    assert (status, body["late"]) == (503, ["engine"])
    assert body["last_success_seconds_ago"] == {
        "loop": 11.0,
        "engine": 71.0,
        "service": 11.0,
        "decision": None,
    }
    assert health.answer("/healthz")[0] == 200
    clock.now = 400.0
    assert health.answer("/healthz")[0] == 503


def test_it_is_served_over_http():
    health = Health(Clock(), 15.0)
    health.succeed("loop")
    with (
        serving_health(health, "127.0.0.1", 0) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        assert client.get("/healthz?x=1").json()["status"] == "ok"
        assert client.get("/readyz").status_code == 503
        assert client.get("/other").status_code == 404


def test_without_a_port_nothing_is_served_and_a_port_in_use_is_refused():
    with serving_health(Health(Clock(), 1.0), "127.0.0.1", None) as port:
        assert port is None
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        with (
            pytest.raises(Refused, match=str(number)),
            serving_health(Health(Clock(), 1.0), "127.0.0.1", number),
        ):
            pass
