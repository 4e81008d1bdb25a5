"""Stores the live demo with half a day of the past, and lets its platform run on: measure, decide, apply."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.tables import LiveDemoRow, SnapshotRow, TopologyRow
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import store_decision
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import store_policy
from app.demo.day.service import date_decisions, describe_topology, remove_earlier
from app.demo.platform.live_job import DAY_SECONDS, STEP_SECONDS, LiveJob
from app.demo.platform.made_day import BEGIN_WITH, SEED
from app.load.snapshots.schemas import SnapshotBody
from app.load.snapshots.service import store_snapshots
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.settings import Settings
from app.web.problems.stored_data_errors import UnknownTopology
from planner.values import Load

LIVE_NAME = "demo-live"
PAST_SECONDS = DAY_SECONDS // 2
DECIDE_EVERY_PAST = 6
"""Intervals between two decisions of the stored days; the running demo decides after each interval."""
KEPT = timedelta(hours=3)
LIVE_POLICY = {
    "goal": {"t_max_seconds": 0.35},
    "rule": "economic",
    "promise": 0.9,
    "smoothing": {"kind": "window", "size": 6},
    "change_pause_seconds": 2,
    "max_snapshot_age_seconds": 60,
}


@dataclass
class LivePlatform:
    """A job that runs, the time at which it began, and the processors that it will have from the next interval on."""

    job: LiveJob
    begun_at: datetime
    due: dict[str, int] = field(default_factory=dict)

    @property
    def until(self) -> datetime:
        """The end of what was measured."""
        return self.begun_at + timedelta(seconds=self.job.now)

    def measure(self, load_factor: float) -> SnapshotBody:
        """Applies what was decided, and runs for one interval."""
        if self.due:
            self.job.change(self.due)
            self.due = {}
        begin = self.until
        return to_live_snapshot(self.job.run(load_factor), begin)

    def apply(self, recommended: dict[str, int]) -> None:
        """Runs these processors from the next interval on; the same ones are no change."""
        if recommended != self.job.counts:
            self.due = recommended


def to_live_snapshot(load: Load, observed_at: datetime) -> SnapshotBody:
    """The load of an interval as a platform posts it."""
    names = ("service_rate", "arrival_scv", "service_scv", "processors", "backlog_tuples")
    return SnapshotBody.model_validate(
        {
            "observed_at": observed_at,
            "window_seconds": STEP_SECONDS,
            "external_rate": load.external_rate,
            "measured_sojourn_seconds": load.measured_sojourn_seconds,
            "operators": {
                name: {field: getattr(one, field) for field in names} for name, one in load.operators.items()
            },
        }
    )


def start_live(session: Session, settings: Settings, now: datetime, past_seconds: int = PAST_SECONDS) -> None:
    """Stores the live demo in place of an earlier one, with some of its days, which end now; it runs on from there."""
    remove_earlier(session, LIVE_NAME)
    body = describe_topology().model_dump(mode="json", exclude_none=True) | {"name": LIVE_NAME}
    create_topology(session, TopologyBody.model_validate(body), settings, source="demo")
    store_policy(session, LIVE_NAME, PolicyBody.model_validate(LIVE_POLICY))
    # The past ends where the day begins that is watched: its first incident has not come yet.
    platform = LivePlatform(LiveJob(SEED, begin_at=-float(past_seconds)), now.replace(microsecond=0))
    steps = past_seconds // STEP_SECONDS
    for first in range(0, steps, DECIDE_EVERY_PAST):
        measured = [platform.measure(1.0) for _ in range(min(DECIDE_EVERY_PAST, steps - first))]
        store_snapshots(session, LIVE_NAME, measured, settings)
        decide_live(session, settings, platform, platform.until)
    date_decisions(session, LIVE_NAME)
    session.execute(
        insert(LiveDemoRow).values(
            topology_id=find_id(session),
            load_factor=1.0,
            begun_at=platform.until,
            runs_until=now + timedelta(minutes=settings.demo_minutes),
        )
    )


def find_id(session: Session) -> int:
    """The number of the live demo's topology."""
    return session.scalars(select(TopologyRow.id).where(TopologyRow.name == LIVE_NAME)).one()


def decide_live(
    session: Session, settings: Settings, platform: LivePlatform, at: datetime | None = None
) -> None:
    """Decides for now, or for a past time, and applies the decision."""
    decision = store_decision(session, LIVE_NAME, DecisionRequest(at=at), settings)
    if decision.action != "hold":
        platform.apply(dict(decision.processors.recommended))


def resume(session: Session, row: LiveDemoRow, now: datetime) -> LivePlatform:
    """The platform as the newest snapshot shows it, without waiting tuples; its day goes on as if it had run."""
    newest = (
        select(SnapshotRow.operators)
        .where(SnapshotRow.topology_id == row.topology_id)
        .order_by(SnapshotRow.observed_at.desc())
        .limit(1)
    )
    measured = session.scalar(newest) or {}
    counts = {name: measured.get(name, {}).get("processors") or count for name, count in BEGIN_WITH.items()}
    elapsed = (now - row.begun_at) // timedelta(seconds=STEP_SECONDS) * STEP_SECONDS
    return LivePlatform(LiveJob(SEED, counts, float(elapsed)), row.begun_at)


def go_on(session: Session, settings: Settings, platform: LivePlatform, row: LiveDemoRow) -> None:
    """Runs the platform for one interval, decides, and forgets what is older than KEPT."""
    store_snapshots(session, LIVE_NAME, platform.measure(row.load_factor), settings)
    decide_live(session, settings, platform)
    old = SnapshotRow.observed_at < platform.until - KEPT
    session.execute(delete(SnapshotRow).where(SnapshotRow.topology_id == row.topology_id, old))


def find_live(session: Session) -> LiveDemoRow | None:
    """The live demo; None if it is not stored."""
    return session.scalar(
        select(LiveDemoRow)
        .join(TopologyRow, TopologyRow.id == LiveDemoRow.topology_id)
        .where(TopologyRow.name == LIVE_NAME)
        .execution_options(populate_existing=True)
    )


def set_load(session: Session, settings: Settings, load_factor: float, now: datetime) -> LiveDemoRow:
    """Loads the live demo with a multiple of its day's rate, and lets it run for the settings' time again."""
    row = find_live(session)
    if row is None:
        raise UnknownTopology(LIVE_NAME)
    session.execute(
        update(LiveDemoRow)
        .where(LiveDemoRow.topology_id == row.topology_id)
        .values(load_factor=load_factor, runs_until=now + timedelta(minutes=settings.demo_minutes))
    )
    session.refresh(row)
    return row
