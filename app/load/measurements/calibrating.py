"""Reads the snapshots that calibrate the waits of a stored topology."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from app.database.stored_topologies import StoredTopology
from app.database.tables import SnapshotRow
from app.load.measurements.snapshots import IS_WHOLE, KEY, ended, is_partial, read_first, select_snapshots

# As many intervals leave little noise, and are read quickly; those of an older day may be of other code.
MOST_INTERVALS = 24
LONGEST_SPAN = timedelta(days=1)
# Operators times snapshots whose bursts and instances are read, for some hundredths of a second.
MOST_SHAPED = 120


def has_waits(row: SnapshotRow) -> bool:
    """Whether the snapshot has the measured wait of any operator."""
    return any(one.get("measured_wait_seconds") is not None for one in row.operators.values())


def count_shaped(operators: int) -> int:
    """Of how many snapshots the bursts and instances are read; older ones get those of the load."""
    return max(1, MOST_SHAPED // max(1, operators))


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
    query = select_snapshots(stored).where(*bounds).order_by(*(column.desc() for column in KEY))
    newest = read_first(session, query, MOST_INTERVALS, count_shaped(len(stored.definition["operators"])))
    recent = [row for row in newest if used[-1].observed_at - row.observed_at <= LONGEST_SPAN]
    rows = {(row.observed_at, row.window_seconds): row for row in (*used, *recent)}
    usable = [rows[key] for key in sorted(rows) if not is_partial(rows[key]) and has_waits(rows[key])]
    return usable[-MOST_INTERVALS:]
