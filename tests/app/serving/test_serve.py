"""`headgate serve`: what it refuses at its start, and how it ends."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from app.serving.serve import UnsafeStart, handle_signals, refuse_unsafe_start
from app.settings import Settings
from tests.app.processes import HEADGATE, PATIENCE_SECONDS, StartService, environment


@pytest.fixture
def _handlers() -> Iterator[None]:
    """Puts this process's signal handlers back after a test."""
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGHUP])
def test_the_embedded_postgres_stops_with_its_last_user(
    start_service: StartService, tmp_path: Path, with_signal: signal.Signals
):
    services = [start_service(data_dir=str(tmp_path)) for _ in range(2)]
    running = tmp_path / "postgres" / "data" / "postmaster.pid"
    assert services[0].stop(with_signal) == 0
    assert running.exists()
    assert httpx.get(f"{services[1].url}/readyz", timeout=PATIENCE_SECONDS).status_code == 200
    assert services[1].stop(with_signal) == 0
    assert not running.exists()


@pytest.mark.usefixtures("_handlers")
def test_under_nohup_a_hangup_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    handle_signals(Settings())
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    handle_signals(Settings())
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGHUP)


def test_a_misspelt_setting_is_said_at_the_start(start_service: StartService, database_url: str):
    service = start_service(database_url=database_url, max_bodybytes="7")
    service.wait_for_line("HEADGATE_MAX_BODYBYTES")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "203.0.113.7", "example.invalid"])
def test_addresses_that_others_can_reach_need_keys(host: str):
    with pytest.raises(UnsafeStart, match="HEADGATE_API_KEYS"):
        refuse_unsafe_start(Settings(host=host))
    refuse_unsafe_start(Settings(host=host, api_keys=SecretStr("ci=a-secret-of-ci-01")))
    refuse_unsafe_start(Settings(host="127.0.0.1"))


def test_a_database_that_cannot_be_reached_is_one_sentence_and_no_traceback():
    ended = subprocess.run(
        [HEADGATE, "serve", "--port", "0"],
        env=environment(database_url="postgresql://me:secret@127.0.0.1:1/x"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 1
    assert "headgate: cannot use postgresql://me@127.0.0.1:1/x: " in ended.stderr
    assert "HEADGATE_DATABASE_URL" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "secret" not in ended.stderr
