"""The demo fills every page: snapshots with a gap, decisions of each kind, outcomes, a policy, marks of an engine."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, SnapshotRow, TopologyRow
from app.deciding.documents import unfold_rows
from app.deciding.outcomes.service import find_outcomes
from app.deciding.promises import StoredDecision
from app.demo.day.service import DECIDE_EVERY, NAME, describe_topology, remove_earlier, store_demo
from app.demo.platform.made_day import MINUTES, SILENT
from app.settings import Settings

NOW = datetime(2026, 11, 19, 12, 0, 30, tzinfo=UTC)


@pytest.fixture
def demo(client: httpx.Client, session: Session) -> Session:
    """A session in which the demo is stored; nothing is committed."""
    assert client.get("/readyz").status_code == 200  # the service has migrated the database
    session.execute(text("SET LOCAL lock_timeout = '5s'"))
    store_demo(session, Settings(max_snapshot_lead_seconds=1e9), NOW)
    return session


def test_the_day_has_decisions_of_each_kind_and_makes_room_for_the_next(demo: Session):
    assert demo.scalar(select(func.count()).where(TopologyRow.name == NAME)) == 1
    of_demo = select(TopologyRow.id).where(TopologyRow.name == NAME).scalar_subquery()
    stored = demo.scalar(select(func.count()).where(SnapshotRow.topology_id == of_demo))
    assert stored == MINUTES - len(SILENT)
    decisions = demo.scalars(
        select(DecisionRow).where(DecisionRow.topology_id == of_demo).order_by(DecisionRow.created_at)
    ).all()
    assert len(decisions) == MINUTES // DECIDE_EVERY - 1
    assert {"hold", "scale_up", "scale_down"} <= {one.action for one in decisions}
    assert any(one.outcome and one.outcome["kept"] for one in decisions)
    assert {one.is_stable for one in decisions} == {True, False}
    assert decisions[-1].created_at == decisions[-1].decided_for == NOW.replace(second=0)
    assert decisions[0].decided_for > NOW - timedelta(days=1)
    check_outcomes(demo, decisions)
    kinds = {one.scaling.kind for one in describe_topology().operators if one.scaling}
    assert kinds == {"linear"}, "nothing is learned from the hours in which one is slow"
    remove_earlier(demo)
    assert demo.scalar(select(func.count()).where(TopologyRow.name == NAME)) == 0


def check_outcomes(demo: Session, rows: Sequence[DecisionRow]) -> None:
    """Some were kept, some missed, some never applied; one was applied later than it was decided."""
    answers = unfold_rows(demo, rows)
    stored = [
        StoredDecision(row.action, row.decided_for, answer, row.outcome)
        for row, answer in zip(rows, answers, strict=True)
    ]
    became = find_outcomes(demo, rows[0].topology_id, stored)
    seen = [one.observed for one in became]
    assert {"applied", "held", "partly-applied", "not-applied", "waiting"} <= {one.state for one in seen}
    assert {one.kept for one in seen} == {True, False, None}
    assert any(one.missed_beyond_rate for one in seen), "the spike was more than what ran held for"
    applied = [
        (row.decided_for, one.applied_at) for row, one in zip(rows, seen, strict=True) if one.applied_at
    ]
    assert any(at > decided for decided, at in applied)
    assert {one.outcome.source for one in became if one.outcome} == {"reported", "snapshots"}
    reports = [one for one in became if one.outcome and one.outcome.source == "reported"]
    told = [(one.outcome.measured_seconds, one.observed.measured_seconds) for one in reports if one.outcome]
    assert [one for one, _ in told if one is not None] == pytest.approx(
        [one for _, one in told if one is not None]
    ), "the platform reports the same E[T] as its snapshots show"
    assert {one.outcome.state for one in became if one.outcome} == {"applied", "refused"}
