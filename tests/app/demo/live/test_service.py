"""The live demo in the database: its days, what the platform does next, and how it goes on after a restart."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, SnapshotRow, TopologyRow
from app.demo.live import service
from app.demo.platform.live_job import STEP_SECONDS
from app.settings import Settings

SETTINGS = Settings(demo_minutes=10)
PAST = 120


@pytest.fixture
def stored(client: httpx.Client, session: Session) -> Session:
    """A session in which two minutes of the live demo are stored; nothing is committed."""
    assert client.get("/readyz").status_code == 200  # the service has migrated the database
    session.execute(text("SET LOCAL lock_timeout = '5s'"))
    service.start_live(session, SETTINGS, datetime.now(UTC), PAST)
    return session


def count_snapshots(session: Session) -> int:
    topology = service.find_id(session)
    return session.scalar(select(func.count()).where(SnapshotRow.topology_id == topology)) or 0


def test_the_bottleneck_is_found_and_mended_within_two_minutes(stored: Session):
    assert count_snapshots(stored) == PAST // STEP_SECONDS
    topology = service.find_id(stored)
    actions = stored.scalars(
        select(DecisionRow.action)
        .where(DecisionRow.topology_id == topology)
        .order_by(DecisionRow.decided_for)
    ).all()
    assert "scale_up" in actions
    newest = stored.scalars(
        select(SnapshotRow.measured_sojourn_seconds)
        .where(SnapshotRow.topology_id == topology)
        .order_by(SnapshotRow.observed_at)
    ).all()
    assert max(one or 0.0 for one in newest) > 2.0
    within = [one for one in newest[-12:] if (one or 0.0) < 0.35]
    assert len(within) >= 6, "most of the second minute is within the target again"


def test_it_goes_on_from_the_newest_snapshot_and_applies_what_is_decided(stored: Session):
    row = service.find_live(stored)
    assert row is not None
    now = row.begun_at + timedelta(seconds=7 * STEP_SECONDS + 1)
    platform = service.resume(stored, row, now - timedelta(seconds=STEP_SECONDS))
    assert platform.until == row.begun_at + timedelta(seconds=6 * STEP_SECONDS)
    newest = stored.scalars(
        select(SnapshotRow.operators)
        .where(SnapshotRow.topology_id == row.topology_id)
        .order_by(SnapshotRow.observed_at.desc())
    ).first()
    assert newest is not None
    assert platform.job.counts == {name: one["processors"] for name, one in newest.items()}
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
