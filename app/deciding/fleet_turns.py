"""A topology's share of the fleet's budget, and for whom it waits before it takes processors.

Who takes waits until the newest snapshot of each topology that gives shows no more processors than that one's share.
So the topologies of a fleet never run more than the budget together, whatever carries decisions out: KEDA, patches and
the bridge take no more than what runs until then. A snapshot that does not give all processors shows nothing: then the
next decision of the fleet says what may be taken.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Integer,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal_column,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session, aliased

from app.database.tables import FleetShareRow, SnapshotRow, TopologyRow
from app.load.measurements.snapshots import IS_WHOLE, KEY, find_latest_end, is_usable
from planner.wording import join_names

SHARE_HOLDS = timedelta(hours=1)
"""How long a decision of the fleet limits the decisions about one topology."""
NAMED = 3


class FleetShare(NamedTuple):
    """The processors that a topology may have in all, and the topologies that have not given theirs up yet."""

    processors: int
    givers: Sequence[str]


def select_givers(latest_end: datetime | ColumnElement[datetime]) -> ColumnElement[list[str] | None]:
    """SQL: the names of the topologies for which the TopologyRow of the enclosing query waits; null: none."""
    mine, theirs, giver = aliased(FleetShareRow), aliased(FleetShareRow), aliased(TopologyRow)
    newest = (
        select(SnapshotRow.operators, SnapshotRow.stored_at)
        .where(SnapshotRow.topology_id == giver.id, *is_usable(latest_end), IS_WHOLE)
        .order_by(*(column.desc() for column in KEY))
        .limit(1)
        .correlate(giver)
        .lateral("shown")
    )
    one = func.jsonb_each(newest.c.operators).table_valued("key", "value", name="one")
    running: ColumnElement[str] = literal_column("one.value ->> 'processors'")
    has_given = (
        select(
            (func.count() == func.count(running)) & (func.sum(cast(running, Integer)) <= theirs.processors)
        )
        .select_from(one)
        .correlate(newest, theirs)
        .scalar_subquery()
    )
    return (
        select(func.array_agg(aggregate_order_by(giver.name, giver.name)))
        .select_from(mine)
        .join(theirs, theirs.topology_id == func.any(mine.after))
        .join(giver, giver.id == theirs.topology_id)
        .outerjoin(newest, true())
        .where(
            mine.topology_id == TopologyRow.id,
            mine.decided_at > func.now() - SHARE_HOLDS,
            # What was measured before the decision may show a number that was about to grow.
            ~func.coalesce(has_given & (newest.c.stored_at > theirs.decided_at), False),
        )
        .correlate(TopologyRow)
        .scalar_subquery()
    )


def select_share() -> ColumnElement[int | None]:
    """SQL: the share of the TopologyRow of the enclosing query; null: none."""
    mine = aliased(FleetShareRow)
    share = select(mine.processors).where(
        mine.topology_id == TopologyRow.id, mine.decided_at > func.now() - SHARE_HOLDS
    )
    return share.correlate(TopologyRow).scalar_subquery()


SHARE = (
    select(FleetShareRow.processors, select_givers(bindparam("latest_end", type_=DateTime(timezone=True))))
    .join(TopologyRow, TopologyRow.id == FleetShareRow.topology_id)
    .where(TopologyRow.id == bindparam("topology_id"), FleetShareRow.decided_at > func.now() - SHARE_HOLDS)
)
"""The query of `find_share`, which takes longer to make than to answer."""
PROMISED = (
    select(
        FleetShareRow.topology_id,
        FleetShareRow.processors,
        select_givers(bindparam("latest_end", type_=DateTime(timezone=True))),
    )
    .join(TopologyRow, TopologyRow.id == FleetShareRow.topology_id)
    .where(FleetShareRow.decided_at > func.now() - SHARE_HOLDS)
)


def find_promised(session: Session) -> dict[int, int]:
    """The processors that topologies may run by the newest decision of the fleet, whether they do yet or not; by id."""
    terms = {"latest_end": find_latest_end(session)}
    return {row[0]: row[1] for row in session.execute(PROMISED, terms).all() if not row[2]}


def say_turn(givers: Sequence[str]) -> str:
    """For whom a topology waits, as the end of a sentence."""
    return f"until {join_names(givers, NAMED)} gave processors up"


def store_shares(session: Session, shares: Sequence[Mapping[str, Any]]) -> None:
    """Stores the shares of a new decision of the fleet instead of all earlier ones; each has the columns of a row."""
    session.execute(delete(FleetShareRow))
    if shares:
        session.execute(insert(FleetShareRow), shares)
