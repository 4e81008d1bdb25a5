"""The thread of the live demo: one process at a time runs it, as long as it may run."""

from datetime import UTC, datetime, timedelta

import httpx
import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import LiveDemoRow, SnapshotRow
from app.demo.live import service
from app.demo.live_thread import LiveDemo
from app.demo.platform.live_job import STEP_SECONDS
from app.settings import Settings
from tests.app.processes import Service, StartService


@pytest.fixture
def running(empty_database_url: str, start_service: StartService) -> Service:
    """A service that has migrated an empty database and runs no live demo of its own."""
    return start_service(database_url=empty_database_url)


def test_it_stores_each_interval_once_until_its_time_is_over(running: Service, empty_database_url: str):
    assert httpx.get(f"{running.url}/readyz").status_code == 200
    settings = Settings(database_url=SecretStr(empty_database_url), demo_minutes=1)
    thread = LiveDemo(settings)
    assert thread.run_interval(None, datetime.now(UTC)) is None, "none is stored"
    with Session(thread.engine) as session, session.begin():
        service.start_live(session, settings, datetime.now(UTC), 2 * STEP_SECONDS)
        row = session.scalars(select(LiveDemoRow)).one()
        begun, until = row.begun_at, row.runs_until
    platform = thread.run_interval(None, begun + timedelta(seconds=STEP_SECONDS))
    assert platform is not None
    assert platform.until == begun + timedelta(seconds=STEP_SECONDS)
    again = thread.run_interval(platform, begun + timedelta(seconds=STEP_SECONDS + 1))
    assert again is platform
    with Session(thread.engine) as session:
        ends = session.scalars(select(SnapshotRow.observed_at).order_by(SnapshotRow.observed_at)).all()
    assert ends == [begun + timedelta(seconds=STEP_SECONDS * place) for place in (-2, -1, 0)]
    assert thread.run_interval(platform, until + timedelta(seconds=1)) is None, "its time is over"


def test_another_process_that_runs_it_keeps_this_one_away(running: Service, empty_database_url: str):
    assert httpx.get(f"{running.url}/readyz").status_code == 200
    thread = LiveDemo(Settings(database_url=SecretStr(empty_database_url), demo_minutes=1))
    with psycopg.connect(empty_database_url.replace("+psycopg", ""), autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LiveDemo.lock])
        thread.make_pass(datetime.now(UTC))
    thread.start()
    thread.stop()
    assert not thread.is_alive()
