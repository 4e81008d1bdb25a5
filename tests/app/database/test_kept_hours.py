"""Hours of measured E[T] are judged once, by the target of their time; late snapshots are judged too."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, select, update
from sqlalchemy.orm import Session

from app.database.kept_hours import KeptHours
from app.database.tables import HourlyKeptRow, SnapshotRow
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import store_policy
from app.load.bodies.topology import FPD
from app.load.snapshots.schemas import SnapshotBody
from app.load.snapshots.service import delete_snapshots, store_snapshots
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.settings import Settings
from migrations.runner import migrate
from tests.app.processes import open_session

NAME = "fpd"
NOW = datetime.now(UTC).replace(minute=30, second=0, microsecond=0)
HOUR = NOW.replace(minute=0)


@pytest.fixture
def stored(empty_database_url: str) -> Iterator[Session]:
    """A topology with a target of 100 ms."""
    migrate(empty_database_url)
    with open_session(empty_database_url) as session:
        create_topology(session, TopologyBody.model_validate(FPD | {"name": NAME}), Settings())
        want(session, {"t_max_seconds": 0.1})
        yield session


@pytest.fixture
def connection(empty_database_url: str) -> Iterator[Connection]:
    engine: Engine = create_engine(empty_database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def want(session: Session, goal: dict[str, Any]) -> None:
    store_policy(session, NAME, PolicyBody.model_validate({"goal": goal}))
    session.commit()


def measure(session: Session, hours_ago: int, times: Sequence[float | None], window: float = 60.0) -> None:
    """Snapshots one after the other from the beginning of an hour on."""
    first = HOUR - timedelta(hours=hours_ago)
    bodies = [
        SnapshotBody(
            observed_at=first + timedelta(seconds=place * window),
            window_seconds=window,
            external_rate=100.0,
            operators={},
            measured_sojourn_seconds=seconds,
        )
        for place, seconds in enumerate(times)
    ]
    store_snapshots(session, NAME, bodies, Settings(max_snapshot_lead_seconds=1e9))
    session.commit()


def read_hours(session: Session) -> dict[int, tuple[float, float]]:
    """Judged and kept seconds by the hours since."""
    session.rollback()
    rows = session.scalars(select(HourlyKeptRow).order_by(HourlyKeptRow.hour)).all()
    return {
        round((HOUR - row.hour) / timedelta(hours=1)): (row.judged_seconds, row.kept_seconds) for row in rows
    }


def test_each_hour_is_judged_by_the_target_that_it_had_and_counted_anew_only_where_snapshots_came(
    stored: Session, connection: Connection
):
    kept = KeptHours()
    measure(stored, 30, [0.05, 0.1, 0.2, None])
    measure(stored, 5, [0.3], window=300.0)
    assert kept.count(connection, NOW, 30) == 2
    judged = {30: (180.0, 120.0), 5: (300.0, 0.0)}
    assert read_hours(stored) == judged
    # A pass looks some minutes back, for transactions that took long: these snapshots were stored before that.
    stored.execute(update(SnapshotRow).values(stored_at=NOW - timedelta(days=1)))
    want(stored, {"t_max_seconds": 0.01})
    measure(stored, 24, [0.005, 0.05])
    assert kept.count(connection, NOW, 30) == 1
    assert read_hours(stored) == judged | {24: (120.0, 60.0)}
    measure(stored, 30, [0.05])  # in place of what was measured before: the hour is judged anew
    assert KeptHours().count(connection, NOW, 30) == 2, "another process goes on from what is stored"
    assert read_hours(stored) == judged | {24: (120.0, 60.0), 30: (180.0, 0.0)}


def test_old_hours_go_and_those_whose_snapshots_were_deleted_stay_as_they_are(
    stored: Session, connection: Connection
):
    kept = KeptHours()
    measure(stored, 7 * 24 - 1, [0.05, 0.2])
    measure(stored, 30, [0.05, 0.2])
    assert kept.count(connection, NOW, 0) == 2
    delete_snapshots(stored, NAME, HOUR - timedelta(hours=30), None)
    stored.commit()
    measure(stored, 30, [0.05])
    assert kept.count(connection, NOW, 1) == 0, "minutes of the day before yesterday are taken to be deleted"
    assert kept.count(connection, NOW + timedelta(hours=2), 1) == 0
    assert read_hours(stored) == {30: (120.0, 60.0)}


@pytest.mark.parametrize(
    ("goal", "counted"),
    [
        ({"target": {"of": "total", "quantile": None, "seconds": 0.1}}, 1),
        ({"target": {"of": "total", "quantile": 0.99, "seconds": 0.1}}, 0),
        ({"target": {"of": "completion", "quantile": None, "seconds": 0.1}}, 0),
        ({"k_max": 9}, 0),
    ],
)
def test_a_mean_is_judged_by_targets_of_that_mean_alone(
    stored: Session, connection: Connection, goal: dict[str, Any], counted: int
):
    want(stored, goal)
    measure(stored, 2, [0.05])
    assert KeptHours().count(connection, NOW, 30) == counted
