"""Stores a topology with a made-up day of measurements and decisions."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.kept_hours import count_hours
from app.database.tables import DecisionRow, EngineMarksRow, TopologyRow
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import store_decision
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import store_policy
from app.demo.platform.made_day import (
    BEGIN_WITH,
    MINUTES,
    SEED,
    TOPOLOGY,
    Platform,
    tell_day,
    tell_throughputs,
)
from app.load.measurements.stored_topologies import find_topology
from app.load.snapshots.schemas import SnapshotBody
from app.load.snapshots.service import store_snapshots
from app.load.throughput_samples.schemas import ThroughputSampleRequest
from app.load.throughput_samples.service import store_samples
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.settings import Settings
from app.web.problems.stored_data_errors import DemoNameTaken
from planner.values import Load

NAME = "demo"
LOCK = 7_364_870_213  # a number that no other lock of the database uses
TARGET_SECONDS = 0.35
DECIDE_EVERY = 30
POLICY = {
    "goal": {"t_max_seconds": TARGET_SECONDS, "t_min_seconds": 0.22},
    "smoothing": {"kind": "window", "size": 5},
    "cooldown_seconds": 1800,
    "scale_down_window_seconds": 3600,
    "least_saving": 0.1,
}
MEASURED = ("service_rate", "service_scv", "arrival_scv", "processors")
MARKS = {"job": "0f" * 16, "job_name": "visits", "scheduler": "Adaptive", "vertices": {}}


@dataclass(frozen=True)
class StoredDemo:
    """The numbers of stored snapshots and decisions."""

    snapshots: int
    decisions: int


def store_demo(session: Session, settings: Settings, now: datetime) -> StoredDemo:
    """Stores the demo for the day that ends now, and removes an earlier demo."""
    remove_earlier(session)
    create_topology(session, describe_topology(), settings, source="demo")
    store_policy(session, NAME, PolicyBody.model_validate(POLICY))
    begin = now.replace(second=0, microsecond=0) - timedelta(minutes=MINUTES)
    platform, waiting, snapshots, decided = Platform(dict(BEGIN_WITH)), [], 0, 0
    draw = random.Random(SEED)  # noqa: S311 - a demo
    for place, minute in enumerate(tell_day()):
        end = begin + timedelta(minutes=place + 1)
        load = platform.live(minute, end - timedelta(minutes=1), draw.lognormvariate(0.0, 0.05))
        if minute.is_measured:
            waiting.append(to_snapshot(load, end - timedelta(minutes=1)))
        if (place + 1) % DECIDE_EVERY == 0 and waiting:
            store_snapshots(session, NAME, waiting, settings)
            snapshots, waiting = snapshots + len(waiting), []
            decide(session, settings, platform, end)
            decided += 1
    date_decisions(session)
    count_kept(session, begin)
    store_marks(session)
    store_throughputs(session, begin)
    return StoredDemo(snapshots, decided)


def remove_earlier(session: Session, name: str = NAME) -> None:
    """Deletes an earlier demo of this name; raises DemoNameTaken if another topology has the name."""
    # A second request that loads the demo at the same time waits here until the first one ends.
    session.execute(select(func.pg_advisory_xact_lock(LOCK)))
    row = session.scalar(select(TopologyRow).where(TopologyRow.name == name).with_for_update())
    if row is None:
        return
    if find_topology(session, name).source != "demo":
        raise DemoNameTaken(name)
    session.delete(row)
    session.flush()


def describe_topology() -> TopologyBody:
    """The demo's topology as a body: its processors are as fast as alone, however many run, and it says so.

    Else the two hours in which `score` is slow, while many run, would be learned as a capacity that bends.
    """
    return TopologyBody.model_validate(
        {
            "name": NAME,
            "operators": [
                {field: getattr(one, field) for field in ("name", "stateful", "queueing", "max_parallelism")}
                | {"scaling": {"kind": "linear"}}
                for one in TOPOLOGY.operators
            ],
            "edges": [edge._asdict() for edge in TOPOLOGY.edges],
            "entries": [entry._asdict() for entry in TOPOLOGY.entries],
        }
    )


def to_snapshot(load: Load, observed_at: datetime) -> SnapshotBody:
    """The load as a platform posts it."""
    operators = {
        name: {field: getattr(one, field) for field in MEASURED} for name, one in load.operators.items()
    }
    return SnapshotBody.model_validate(
        {
            "observed_at": observed_at,
            "external_rate": load.external_rate,
            "measured_sojourn_seconds": load.measured_sojourn_seconds,
            "operators": operators,
        }
    )


def decide(session: Session, settings: Settings, platform: Platform, at: datetime) -> None:
    """Makes a decision at this time and passes it to the platform; reports the outcome of the previous change."""
    platform.report(session, settings)
    decision = store_decision(session, NAME, DecisionRequest(at=at), settings)
    platform.take(session, settings, decision, at)


def date_decisions(session: Session, name: str = NAME) -> None:
    """Sets each decision's creation time to the time of its data, as if the service had run all day."""
    of_demo = select(TopologyRow.id).where(TopologyRow.name == name).scalar_subquery()
    session.execute(
        update(DecisionRow)
        .where(DecisionRow.topology_id == of_demo)
        .values(created_at=DecisionRow.decided_for)
    )


def count_kept(session: Session, begin: datetime) -> None:
    """Judges the hours of the day at once, which else a pass in the background does."""
    first = begin.replace(minute=0, second=0, microsecond=0)
    hours = [first + timedelta(hours=place) for place in range(MINUTES // 60 + 1)]
    count_hours(session.connection(), find_topology(session, NAME).id, hours)


def store_marks(session: Session) -> None:
    """Stores the marks of a Flink job, so that patches name its vertices."""
    topology = session.scalars(select(TopologyRow.id).where(TopologyRow.name == NAME)).one()
    vertices: Mapping[str, str] = {
        operator.name: f"{place:032x}" for place, operator in enumerate(TOPOLOGY.operators, 1)
    }
    marks = {**MARKS, "vertices": dict(vertices), "parallelism": dict.fromkeys(vertices.values(), 1)}
    session.execute(
        insert(EngineMarksRow).values(
            topology_id=topology, engine="flink", marks=marks, seen_at=datetime.now(UTC)
        )
    )


def store_throughputs(session: Session, begin: datetime) -> None:
    """Stores throughput samples of the hours before the day: a schedule of VMs needs them."""
    measured = tell_throughputs()
    samples = [
        ThroughputSampleRequest(
            observed_at=begin - timedelta(minutes=10 * (len(measured) - place)),
            vms=vms,
            throughput=throughput,
        )
        for place, (vms, throughput) in enumerate(measured)
    ]
    store_samples(session, NAME, samples)
