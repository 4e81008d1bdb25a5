"""The standing decision of a topology, and the change that began its cooldown.

The standing decision is the newest by the time of its data (`decided_for`) that was made for the topology's present
revision and under its present policy, is no trial, and is not ahead of the clock. Overview, decisions/latest, report,
patch, KEDA and the gauges read it from `select_standing`; the cooldown begins with `find_last_change`. `withhold` says
whether its data are too old, and app/deciding/advised.py how many processors should run by it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    DateTime,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    column,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.selectable import LateralFromClause

from app.database.tables import DecisionRow, PolicyRow, SnapshotRow, TopologyRevisionRow, TopologyRow
from app.deciding.documents import find_key, take_part
from app.deciding.fleet_turns import select_givers, select_share
from app.load.measurements.snapshots import find_latest_end
from app.load.measurements.stored_topologies import StoredTopology
from planner.outcomes.observed import LEAST_DELAY_SECONDS, LONGEST_SEARCH_SECONDS, USUAL_DELAY_INTERVALS

NEVER_MADE = ("refused", "failed")
ROLLED_BACK = "rolled-back"
UNDONE = (*NEVER_MADE, ROLLED_BACK)
NEWEST_FIRST = (DecisionRow.decided_for.desc(), DecisionRow.created_at.desc(), DecisionRow.id)
"""Decisions by the time of their data; of several on the same data, the one made last comes first."""
MOST_CHANGES = 100
"""The newest changes among which the one that began a cooldown is looked for."""
WAITS = and_(DecisionRow.action == "hold", DecisionRow.cooldown_left_seconds > 0.0)
"""SQL: the DecisionRow holds because an earlier change began a cooldown."""


def select_standing(latest_end: datetime | ColumnElement[datetime], *columns: Any) -> Select[Any]:
    """Columns of the standing decision of the TopologyRow in the enclosing query: use it as a lateral or a scalar.

    Decisions on data that ended after `latest_end` are ahead of the clock. For a topology without a policy, decisions
    under any sent policy may stand.
    """
    policy = (
        select(find_key(PolicyRow.policy))
        .where(PolicyRow.topology_id == TopologyRow.id)
        .correlate(TopologyRow)
        .scalar_subquery()
    )
    return (
        select(*columns)
        .where(
            DecisionRow.topology_id == TopologyRow.id,
            DecisionRow.revision == TopologyRow.revision,
            DecisionRow.decided_for <= latest_end,
            DecisionRow.is_trial.is_(False),
            func.coalesce(DecisionRow.policy_key == policy, True),
        )
        .order_by(*NEWEST_FIRST)
        .limit(1)
        .correlate(TopologyRow)
    )


def find_standing_id(session: Session, stored: StoredTopology) -> UUID | None:
    """Returns the id of the topology's standing decision; None if it has none."""
    standing = select_standing(find_latest_end(session), DecisionRow.id).scalar_subquery()
    return session.scalar(select(standing).select_from(TopologyRow).where(TopologyRow.id == stored.id))


def find_standing(session: Session, stored: StoredTopology) -> DecisionRow | None:
    """Returns the topology's standing decision; None if it has none."""
    standing_id = find_standing_id(session, stored)
    return None if standing_id is None else session.get(DecisionRow, standing_id)


def find_last_change(
    session: Session, stored: StoredTopology, decided_for: datetime, without: Sequence[str] = NEVER_MADE
) -> DecisionRow | None:
    """Returns the newest change on data older than `decided_for` that began a cooldown, under any revision and policy.

    A trial, a change that was refused or failed, and a change that snapshots show as never applied begin no cooldown,
    because the platform was not disturbed. A change that was rolled back counts, because the platform was changed
    twice, unless `without` is UNDONE. A change about which nothing is known counts.
    """
    terms = {"topology_id": stored.id, "decided_for": decided_for}
    found = session.scalars(make_changes_query(tuple(without)), terms).one_or_none()
    return None if found is None else session.get(DecisionRow, found)


@cache
def make_changes_query(without: Sequence[str]) -> Select[Any]:
    """The query for the newest change of a topology; it takes longer to make than to answer, so it is kept."""
    decided_for = bindparam("decided_for", type_=DateTime(timezone=True))
    return select_changes(topology_id=bindparam("topology_id"), decided_for=decided_for, without=without)


def select_changes(
    *correlated: FromClause | type[TopologyRow],
    topology_id: Any,
    decided_for: Any,
    without: Sequence[str] = NEVER_MADE,
) -> Select[Any]:
    """Id, processors (`change`), outcome (`change_outcome`) and numbers of the newest change on data older than
    `decided_for`, no trial, whose outcome is not in `without`, unless snapshots show that it never ran.

    `correlated` are the tables of the enclosing query from which `topology_id` and `decided_for` are.
    """
    state = DecisionRow.outcome["state"].astext
    newest_first = (
        select(DecisionRow)
        .where(
            DecisionRow.topology_id == topology_id,
            DecisionRow.is_trial.is_(False),
            DecisionRow.action != literal("hold", literal_execute=True),  # no parameter: there is an index
            DecisionRow.decided_for < decided_for,
            or_(state.is_(None), state.not_in(without)),
        )
        .order_by(*NEWEST_FIRST)
        .limit(MOST_CHANGES)
        .correlate(*correlated)
        .subquery("newest_first")
    )
    change = aliased(DecisionRow, newest_first)
    numbers = {
        "change": change.processors,
        "change_outcome": change.outcome,
        "change_expected": change.expected_seconds,
        "change_seconds": change.recommended_seconds,
        "change_reach": change.holds_up_to_rate,
    }
    columns: list[Any] = [change.id, *(value.label(name) for name, value in numbers.items())]
    ran = or_(change.outcome.is_not(None), ~was_never_applied(change, decided_for, *correlated))
    order = change.decided_for.desc(), change.created_at.desc(), change.id
    return select(*columns).where(ran).order_by(*order).limit(1)


def was_never_applied(change: Any, decided_for: Any, *correlated: Any) -> ColumnElement[bool]:
    """SQL: every snapshot since the change, up to `decided_for`, still shows the processors from before the change.

    The usual delay with which changes are applied has passed, too.
    """
    processors = change.processors
    before = func.jsonb_each(processors["current"]).table_valued("key", column("value", JSONB), name="before")
    unchanged = (
        select(func.jsonb_object_agg(before.c.key, func.jsonb_build_object("processors", before.c.value)))
        .where(before.c.value != processors["recommended"][before.c.key])
        .correlate(change)
        .scalar_subquery()
    )
    window, began = SnapshotRow.window_seconds, SnapshotRow.observed_at
    since = (
        select(SnapshotRow.observed_at)
        .where(
            SnapshotRow.topology_id == change.topology_id,
            began >= change.decided_for,
            began < change.decided_for + timedelta(seconds=LONGEST_SEARCH_SECONDS),
            began + func.make_interval(0, 0, 0, 0, 0, 0, window) <= decided_for,
        )
        .correlate(change, *correlated)
    )
    delay = func.greatest(USUAL_DELAY_INTERVALS * window, LEAST_DELAY_SECONDS)
    is_late = began >= change.decided_for + func.make_interval(0, 0, 0, 0, 0, 0, delay)
    is_unchanged = SnapshotRow.operators.contains(unchanged)
    shows_change = since.where(~func.coalesce(is_unchanged, False)).exists()
    return and_(since.where(is_late, is_unchanged).exists(), ~shows_change)


def select_decided(latest_end: datetime | ColumnElement[datetime], *columns: Any) -> LateralFromClause:
    """The standing decision of the TopologyRow in the enclosing query, with these columns and those that
    `select_waited_for` needs.
    """
    held = case((WAITS, take_part("processors", "recommended"))).label("held")
    policy = case((WAITS, take_part("policy"))).label("held_policy")
    after, share = select_givers(latest_end).label("after"), select_share()
    before = case((share.is_not(None), take_part("processors", "current"))).label("before_turn")
    found = DecisionRow.decided_for, held, policy, after, share.label("share"), before
    return select_standing(latest_end, *found, *columns).lateral("decided")


def select_waited_for(decided: LateralFromClause) -> LateralFromClause:
    """The change for which the standing decision waits, with the topology's definition; no row if there is none."""
    change = select_changes(
        TopologyRow, decided, topology_id=TopologyRow.id, decided_for=decided.c.decided_for
    )
    found = change.where(decided.c.held.is_not(None)).correlate(TopologyRow, decided).lateral("found")
    definition = (
        select(TopologyRevisionRow.definition)
        .where(
            TopologyRevisionRow.topology_id == TopologyRow.id,
            TopologyRevisionRow.revision == TopologyRow.revision,
        )
        .correlate(TopologyRow)
        .scalar_subquery()
    )
    return select(found, definition.label("definition")).correlate(TopologyRow, decided).lateral("waited_for")


def is_waiting(decided: LateralFromClause, waited_for: LateralFromClause) -> ColumnElement[bool]:
    """SQL: the standing decision waits for a change that its measurements do not show: other processors run.

    Here the bounds of topology and policy do not count, as they do in `advised.bound_wanted`.
    """
    change, outcome = waited_for.c.change, waited_for.c.change_outcome
    each = func.jsonb_each(decided.c.held).table_valued("key", column("value", JSONB), name="held_each")
    is_rolled_back = outcome["state"].astext == ROLLED_BACK
    since = case((is_rolled_back, change["current"][each.c.key]), else_=change["recommended"][each.c.key])
    differs = (
        select(literal(1))
        .select_from(each)
        .where(func.coalesce(outcome["processors"][each.c.key], since) != each.c.value)
    )
    return differs.correlate(decided, waited_for).exists()
