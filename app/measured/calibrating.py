"""Reads the snapshots that calibrate the waits of a stored topology."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session, undefer

from app.measured.snapshots import IS_WHOLE, KEY, ended, is_partial, select_snapshots
from app.storage.stored_topologies import StoredTopology
from app.tables import SnapshotRow

# As many intervals leave little noise, and are read quickly; those of an older day may be of other code.
MOST_INTERVALS = 24
LONGEST_SPAN = timedelta(days=1)


def has_waits(row: SnapshotRow) -> bool:
    """Whether the snapshot has the measured wait of any operator."""
    return any(one.get("measured_wait_seconds") is not None for one in row.operators.values())


def find_calibrating(
    session: Session, stored: StoredTopology, used: Sequence[SnapshotRow], ended_by: datetime | None
) -> list[SnapshotRow]:
    """The newest snapshots with measured waits that cover their whole window, oldest first: at most MOST_INTERVALS.

    Beside those that the load was made of, only snapshots of the day before the newest, stored under this revision.
    None where the load itself has no measured wait.
    """
    if not any(map(has_waits, used)):
        return []
    bounds = (IS_WHOLE, *ended(ended_by), SnapshotRow.stored_at >= stored.created_at)
    query = select_snapshots(stored).where(*bounds).options(undefer(SnapshotRow.shapes))
    newest = session.scalars(query.order_by(*(column.desc() for column in KEY)).limit(MOST_INTERVALS)).all()
    recent = [row for row in newest if used[-1].observed_at - row.observed_at <= LONGEST_SPAN]
    rows = {(row.observed_at, row.window_seconds): row for row in (*used, *recent)}
    usable = [rows[key] for key in sorted(rows) if not is_partial(rows[key]) and has_waits(rows[key])]
    return usable[-MOST_INTERVALS:]
