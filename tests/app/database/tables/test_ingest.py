"""A run that succeeded adds up, and summaries of a day need that day's partition."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import IngestRunRow, OperatorSummaryRow, RejectedLineRow, TopologySummaryRow


def make_run(**changed: object) -> IngestRunRow:
    values = {"state": "succeeded", "paths": ["a"], "window_seconds": 60}
    counts = {"read": 6, "accepted": 3, "rejected": 2, "duplicates": 1}
    return IngestRunRow(**(values | counts | changed))


def test_a_run_that_does_not_add_up_cannot_succeed(session: Session):
    session.add_all([make_run(), make_run(state="failed", read=7)])
    session.flush()
    session.add(make_run(read=7))
    with pytest.raises(IntegrityError, match="ck_ingest_runs_adds_up"):
        session.flush()


def test_rejected_lines_go_with_their_run(session: Session):
    run = make_run()
    session.add(run)
    session.flush()
    session.add(RejectedLineRow(run_id=run.id, number=1, file="a", line=3, reason="torn", text="{"))
    session.flush()
    session.delete(run)
    session.flush()
    assert session.scalar(select(func.count()).select_from(RejectedLineRow)) == 0


def test_summaries_are_partitioned_by_day_and_hold_no_foreign_key(session: Session):
    """A foreign key would be looked up for each row of a day."""
    kind = session.scalar(text("SELECT relkind FROM pg_class WHERE relname = 'operator_summaries'"))
    assert kind == "p"
    assert not OperatorSummaryRow.__table__.foreign_keys
    session.add(
        TopologySummaryRow(
            topology_id=7,
            window_start=datetime(2026, 11, 18, tzinfo=UTC),
            window_seconds=60,
            run_id=7,
            external_rate=1.0,
            root_tuples=1,
        )
    )
    session.flush()
