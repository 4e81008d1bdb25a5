"""The live demo in the database: its days, what the platform does next, and how it goes on after a restart."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.database.tables import SnapshotRow, TopologyRow
from app.demo.live import service
from app.demo.platform.live_job import STEP_SECONDS, LiveJob
from app.demo.platform.made_day import SEED
from app.load.snapshots.service import store_snapshots
from app.settings import Settings

SETTINGS = Settings(demo_minutes=10)
PAST = 120


@pytest.fixture
def stored(client: httpx.Client, session: Session) -> Session:
    """A session in which the live demo is stored as it begins; nothing is committed."""
    assert client.get("/readyz").status_code == 200  # the service has migrated the database
    session.execute(text("SET LOCAL lock_timeout = '5s'"))
    service.start_live(session, SETTINGS, datetime.now(UTC), PAST)
    return session


def read_counts(session: Session) -> dict[str, int]:
    """The processors that the newest snapshot shows."""
    newest = session.scalars(
        select(SnapshotRow.operators)
        .where(SnapshotRow.topology_id == service.find_id(session))
        .order_by(SnapshotRow.observed_at.desc())
    ).first()
    assert newest is not None
    return {name: one["processors"] for name, one in newest.items()}


def count_snapshots(session: Session) -> int:
    topology = service.find_id(session)
    return session.scalar(select(func.count()).where(SnapshotRow.topology_id == topology)) or 0


def test_the_bottleneck_comes_is_found_and_mended_in_the_first_two_minutes_that_are_watched(stored: Session):
    assert count_snapshots(stored) == PAST // STEP_SECONDS
    begun_at = datetime.now(UTC) - timedelta(minutes=2)
    service.start_live(stored, SETTINGS, begun_at)
    platform = service.LivePlatform(LiveJob(SEED, read_counts(stored)), begun_at.replace(microsecond=0))
    times, totals = [], []
    for _ in range(120 // STEP_SECONDS):
        totals.append(sum(platform.job.counts.values()))
        measured = platform.measure(1.0)
        store_snapshots(stored, service.LIVE_NAME, measured, SETTINGS)
        service.decide_live(stored, SETTINGS, platform, platform.until)
        times.append(measured.measured_sojourn_seconds or 0.0)
    assert totals[4] < totals[-1], "it comes 20 s after the beginning, and is found after it came"
    assert max(times[:4]) < max(times) / 2
    assert max(times) > 0.7, "twice the target"
    assert times[-1] < 1.0


def test_it_goes_on_from_the_newest_snapshot_and_applies_what_is_decided(stored: Session):
    row = service.find_live(stored)
    assert row is not None
    now = row.begun_at + timedelta(seconds=7 * STEP_SECONDS + 1)
    platform = service.resume(stored, row, now - timedelta(seconds=STEP_SECONDS))
    assert platform.until == row.begun_at + timedelta(seconds=6 * STEP_SECONDS)
    assert platform.job.counts == read_counts(stored)
    platform.apply(platform.job.counts)
    assert platform.due == {}
    wanted = platform.job.counts | {"score": 25}
    platform.apply(wanted)
    service.go_on(stored, SETTINGS, platform, row)
    assert platform.job.counts["score"] == 25
    assert count_snapshots(stored) == PAST // STEP_SECONDS + 1


def test_a_new_load_lets_it_run_again_and_an_earlier_demo_makes_room(stored: Session):
    row = service.find_live(stored)
    assert row is not None
    later = row.runs_until + timedelta(hours=1)
    loaded = service.set_load(stored, SETTINGS, 2.0, later)
    assert (loaded.load_factor, loaded.runs_until) == (2.0, later + timedelta(minutes=10))
    service.start_live(stored, SETTINGS, datetime.now(UTC), 2 * STEP_SECONDS)
    assert stored.scalar(select(func.count()).where(TopologyRow.name == service.LIVE_NAME)) == 1
    assert count_snapshots(stored) == 2
