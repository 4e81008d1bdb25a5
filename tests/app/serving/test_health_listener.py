"""The health port tells of stuck workers, and has nothing but health and metrics.

test_serve_workers.py asks it while every worker stands still.
"""

import httpx
import pytest

from app.serving.health_listener import listening_for_health
from app.serving.server import CannotListen
from app.settings import Settings
from app.web.callers.keys import KeyRing
from app.web.health import STUCK_SECONDS
from app.web.life_signs import LifeSigns
from migrations.runner import migrate
from tests.app.processes import PATIENCE_SECONDS

KEY = {"Authorization": "Bearer the-readers-secret"}


def test_it_tells_of_a_stuck_worker_and_is_not_ready_before_one_serves(database_url: str):
    migrate(database_url)
    times = [1000.0]
    signs = LifeSigns(2, lambda: times[0])
    settings = Settings.model_validate({"database_url": database_url, "health_port": 0})
    with (
        listening_for_health(settings, KeyRing(settings), signs) as url,
        httpx.Client(base_url=str(url), timeout=PATIENCE_SECONDS) as client,
    ):
        assert client.get("/healthz").status_code == 200, "it starts: nothing is wrong"
        starting = client.get("/readyz")
        assert (starting.status_code, starting.json()["type"]) == (503, "not-ready")
        assert "No worker serves" in starting.json()["detail"]
        signs.show(0)
        signs.show(1)
        assert client.get("/readyz").status_code == 200
        times[0] += STUCK_SECONDS + 1
        signs.show(0)
        stuck = client.get("/healthz")
        assert (stuck.status_code, stuck.json()["type"]) == (503, "not-ready")
        assert "answered nothing for 31 s" in stuck.json()["detail"]


def test_it_has_metrics_for_those_with_a_key_and_nothing_else(database_url: str):
    migrate(database_url)
    settings = Settings.model_validate(
        {"database_url": database_url, "health_port": 0, "api_keys": "the-readers-secret:read"}
    )
    with (
        listening_for_health(settings, KeyRing(settings), LifeSigns(1)) as url,
        httpx.Client(base_url=str(url), timeout=PATIENCE_SECONDS) as client,
    ):
        assert "headgate_topology_gauges_up 1.0" in client.get("/metrics", headers=KEY).text
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers={"Cookie": "headgate=x.y"}).status_code == 401
        for path in ("/v1/topologies", "/docs", "/openapi.json", "/ui/"):
            missing = client.get(path, headers=KEY)
            assert (missing.status_code, missing.json()["type"]) == (404, "not-found"), path


def test_a_taken_port_is_refused_with_the_setting_to_change(database_url: str):
    settings = Settings.model_validate({"database_url": database_url, "health_port": 0})
    with listening_for_health(settings, KeyRing(settings), LifeSigns(1)) as url:
        taken = settings.model_copy(update={"health_port": int(str(url).rpartition(":")[2])})
        with (
            pytest.raises(CannotListen, match="HEADGATE_HEALTH_PORT"),
            listening_for_health(taken, KeyRing(settings), LifeSigns(1)),
        ):
            pass


def test_without_the_setting_there_is_no_second_port():
    with listening_for_health(Settings(), KeyRing(Settings()), LifeSigns(1)) as url:
        assert url is None
