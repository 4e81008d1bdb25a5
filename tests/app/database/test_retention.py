"""Old snapshots become hours that a series shows as before, old holds go by whole weeks, and the rest stays."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy import create_engine, select, text
from sqlalchemy.orm import Session

from app.database import retention
from app.database.retention import Retention
from app.database.tables import (
    DecisionRow,
    HourlyLoadRow,
    SnapshotRow,
    TopologyRow,
    TopologySummaryRow,
    name_day,
)
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import store_decision
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import store_policy
from app.load.bodies.topology import FPD
from app.load.snapshots.schemas import SnapshotBody
from app.load.snapshots.service import store_snapshots
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.pages.series.schemas import SeriesPoint
from app.pages.series.service import read_series
from app.settings import Settings
from migrations.runner import migrate
from tests.app.decision_calls import ENOUGH, RATES, START
from tests.app.processes import open_session

NAME, MINUTES, EVERY = "fpd", 300, 20
HOUR = timedelta(hours=1)
LATER = START + timedelta(days=31, hours=3)
"""The first three of the five hours are older than 30 days then."""


def make_snapshot(minute: int) -> SnapshotBody:
    operators = {name: {"service_rate": rate, "processors": ENOUGH[name]} for name, rate in RATES.items()}
    load = {"external_rate": 300.123 + minute % 37, "operators": operators}
    measured = {"measured_sojourn_seconds": 0.07 + minute % 11 / 1000.0} if minute % 3 else {}
    return SnapshotBody.model_validate(
        {"observed_at": begin(minute), "window_seconds": 60, **load, **measured}
    )


def begin(minute: int) -> datetime:
    return START + timedelta(days=1, minutes=minute)


@pytest.fixture
def stored(empty_database_url: str) -> Iterator[Session]:
    """Five hours of minutes with decisions, about 31 days before LATER."""
    migrate(empty_database_url)
    settings = Settings(max_snapshot_lead_seconds=1e9, clock_lead_seconds=1e9)
    with open_session(empty_database_url) as session:
        session.info["clock_lead_seconds"] = 1e9
        create_topology(session, TopologyBody.model_validate(FPD | {"name": NAME}), settings)
        store_policy(
            session, NAME, PolicyBody.model_validate({"goal": {"t_max_seconds": 0.2}, "look_ahead": False})
        )
        store_snapshots(session, NAME, [make_snapshot(minute) for minute in range(MINUTES)], settings)
        for minute in range(EVERY, MINUTES, EVERY):
            store_decision(session, NAME, DecisionRequest(at=begin(minute)), settings)
        session.commit()
        yield session


def make_retention(url: str, **settings: int) -> Retention:
    return Retention(Settings(database_url=SecretStr(url)).model_copy(update=settings))


def read_points(session: Session) -> list[SeriesPoint]:
    """The five hours, a point each."""
    session.rollback()
    series = read_series(session, NAME, begin(0), begin(MINUTES), 5)
    assert series.bucket_seconds == HOUR.total_seconds()
    return series.points


def test_a_series_shows_the_same_after_its_old_hours_were_rolled_up_in_steps(
    stored: Session, empty_database_url: str, monkeypatch: pytest.MonkeyPatch
):
    before = read_points(stored)
    monkeypatch.setattr(retention, "MOST_ROWS", 50)  # hours are cut by the ends of steps
    done = make_retention(empty_database_url).make_pass(LATER)
    assert done == {"kept": 0, "snapshots": 180, "holds": 0, "hours": 0}
    after = read_points(stored)
    for one, other in zip(before, after, strict=True):
        for name, value in one.model_dump().items():
            is_number = isinstance(value, float)
            assert getattr(other, name) == (pytest.approx(value, rel=1e-12) if is_number else value), name
    series = read_series(stored, NAME, begin(0), begin(MINUTES), 300)
    assert (series.bucket_seconds, series.hourly_until) == (3600.0, begin(180)), "no finer than what is left"
    assert read_series(stored, NAME, begin(180), begin(MINUTES), 300).hourly_until is None
    assert len(stored.scalars(select(SnapshotRow)).all()) == MINUTES - 180
    assert make_retention(empty_database_url).make_pass(LATER)["snapshots"] == 0


def test_a_late_minute_joins_its_hour_and_old_hours_go(stored: Session, empty_database_url: str):
    kept = make_retention(empty_database_url)
    kept.make_pass(LATER)
    late = make_snapshot(10).model_copy(update={"observed_at": begin(0) + timedelta(seconds=30)})
    settings = Settings(max_snapshot_lead_seconds=1e9)
    store_snapshots(stored, NAME, late, settings)
    stored.commit()
    assert kept.make_pass(LATER)["snapshots"] == 1
    hours = stored.scalars(select(HourlyLoadRow).order_by(HourlyLoadRow.hour)).all()
    assert [one.snapshots for one in hours] == [61, 60, 60]
    assert [one.newest_at for one in hours] == [begin(59), begin(119), begin(179)]
    assert kept.make_pass(START + timedelta(days=402))["hours"] == 5
    never = make_retention(empty_database_url, keep_minutes_days=0, keep_hours_days=0)
    assert never.make_pass(datetime(9000, 1, 1, tzinfo=UTC)) == {"kept": 0}


def test_holds_go_by_whole_weeks_and_what_changed_something_stays(stored: Session, empty_database_url: str):
    rows = stored.scalars(select(DecisionRow).order_by(DecisionRow.decided_for)).all()
    assert {row.action for row in rows} == {"hold"}
    assert any(row.changed for row in rows)
    assert rows[0].changed is None
    stored.execute(text("UPDATE decisions SET action = 'scale_up' WHERE id = :id"), {"id": rows[0].id})
    stored.commit()
    kept = make_retention(empty_database_url)
    assert kept.make_pass(LATER)["holds"] == 0, "their week has begun less than 30 days before"
    assert kept.make_pass(LATER + timedelta(weeks=1))["holds"] == len(rows) - 1
    assert stored.scalars(select(DecisionRow.id)).all() == [rows[0].id]


def test_summaries_of_the_ingest_go_only_where_a_setting_says_so(stored: Session, empty_database_url: str):
    (topology_id,) = stored.scalars(select(TopologyRow.id))
    days = [START + timedelta(days=day) for day in range(3)]
    for day in days:
        window = {"topology_id": topology_id, "window_start": day + 18 * HOUR, "window_seconds": 60}
        stored.add(TopologySummaryRow(**window, run_id=1, external_rate=1.0, root_tuples=60))
        bounds = f"FROM ('{day:%Y-%m-%d}T00:00Z') TO ('{day + timedelta(days=1):%Y-%m-%d}T00:00Z')"
        stored.execute(
            text(f"CREATE TABLE {name_day(day)} PARTITION OF operator_summaries FOR VALUES {bounds}")
        )
    stored.commit()
    later = days[2].replace(hour=12) + timedelta(days=31)
    assert set(make_retention(empty_database_url).make_pass(later)) == {"kept", "snapshots", "holds", "hours"}
    done = make_retention(empty_database_url, keep_summaries_days=31).make_pass(later)
    assert (done["windows"], done["days"]) == (2, 2), "the third day begins before, and ends after"
    assert stored.scalars(select(TopologySummaryRow.window_start)).all() == [days[2] + 18 * HOUR]
    left = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'operator_summaries'::regclass"
    assert stored.scalars(text(left)).all() == [name_day(days[2])]


def test_one_process_at_a_time_does_it(stored: Session, empty_database_url: str):
    engine = create_engine(empty_database_url)
    with engine.connect() as other:
        other.execute(text("SELECT pg_advisory_lock(:key)"), {"key": Retention.lock})
        assert make_retention(empty_database_url).make_pass(LATER) == {}
    engine.dispose()
    assert make_retention(empty_database_url).make_pass(LATER)["snapshots"] == 180
    assert stored.scalar(select(TopologyRow.name)) == NAME
