"""Plans, placements and decisions are deleted with their topology."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, PlacementRow, PlanRow, TopologyRow


def make_decision(topology: TopologyRow, action: str) -> DecisionRow:
    return DecisionRow(
        id=uuid4(),
        topology_id=topology.id,
        revision=1,
        decided_for=datetime(2026, 11, 18, tzinfo=UTC),
        action=action,
        external_rate=1.0,
        policy_key=uuid4(),
        answer={},
    )


def test_answers_go_with_their_topology(session: Session, topology: TopologyRow):
    both = {"topology_id": topology.id, "revision": 1, "request": {}, "answer": {}}
    session.add_all(
        [
            PlanRow(id=uuid4(), objective="min-latency", **both),
            PlacementRow(id=uuid4(), **both),
            make_decision(topology, "hold"),
        ]
    )
    session.flush()
    session.execute(delete(TopologyRow).where(TopologyRow.id == topology.id))
    for table in (PlanRow, PlacementRow, DecisionRow):
        assert session.scalar(select(func.count()).select_from(table)) == 0


def test_an_unknown_action_is_refused(session: Session, topology: TopologyRow):
    session.add(make_decision(topology, "wait"))
    with pytest.raises(IntegrityError, match="ck_decisions_action"):
        session.flush()
