"""The standing decision of a topology, what it is worth now, and the change that began its cooldown.

The standing decision is the newest by the time of its data (`decided_for`) that was made for the topology's present
revision and under its present policy, is no trial, and is not ahead of the clock. Overview, decisions/latest, report,
patch, KEDA and the gauges read it from `select_standing`; the cooldown begins with `find_last_change`. `withhold` says
whether its data are too old, and `find_wanted` how many processors should run by it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field
from sqlalchemy import ColumnElement, FromClause, Select, and_, case, column, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.selectable import LateralFromClause

from app.database.tables import DecisionRow, PolicyRow, SnapshotRow, TopologyRevisionRow, TopologyRow
from app.deciding.documents import find_key, take_part
from app.deciding.policies.schemas import PolicyBody
from app.load.bodies.topology import Graph
from app.load.measurements.freshness import DataState, Withheld, find_data_state, withhold
from app.load.measurements.snapshots import find_latest_end
from app.load.measurements.stored_topologies import StoredTopology
from app.web.fields import Answer
from planner.decisions.policy import bound_topology
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


class AsOfNow(Answer):
    """The parts of a decision's answer that depend on the time at which the decision is read."""

    trial: Annotated[
        bool,
        Field(
            description="The decision never stands: made with `store: false`, under another policy than the "
            "stored one, or without the newest snapshots."
        ),
    ] = False
    data: Annotated[DataState | None, Field(description="The topology's measurements now.")] = None
    withheld: Annotated[
        Withheld | None,
        Field(description="Why not to act on what was decided, now a record; null: its data are recent."),
    ] = None
    wanted: Annotated[
        dict[str, int] | None,
        Field(
            description="The processors that should run: the recommended ones, or those of the earlier change for "
            "which the decision waits. null: withheld."
        ),
    ] = None


def describe_now(
    session: Session,
    stored: StoredTopology,
    action: str,
    decided_for: datetime,
    answer: Mapping[str, Any],
    *,
    is_trial: bool,
) -> AsOfNow:
    """Returns the state of the data now, whether the decision is withheld, and the processors that should run by it.

    `answer` is the decision as a JSON document.
    """
    data = find_data_state(session, stored)
    withheld = withhold(stored.name, data, decided_for)
    wanted = None if withheld else find_wanted(session, stored, action, decided_for, answer)
    return AsOfNow(trial=is_trial, data=data, withheld=withheld, wanted=wanted)


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
    change = select_changes(topology_id=stored.id, decided_for=decided_for, without=without)
    found = session.scalars(change).one_or_none()
    return None if found is None else session.get(DecisionRow, found)


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
    found: tuple[Any, ...] = (
        change.id,
        change.processors.label("change"),
        change.outcome.label("change_outcome"),
        change.recommended_seconds.label("change_seconds"),
        change.holds_up_to_rate.label("change_reach"),
    )
    return (
        select(*found)
        .where(or_(change.outcome.is_not(None), ~was_never_applied(change, decided_for, *correlated)))
        .order_by(change.decided_for.desc(), change.created_at.desc(), change.id)
        .limit(1)
    )


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


def find_wanted(
    session: Session, stored: StoredTopology, action: str, decided_for: datetime, answer: Mapping[str, Any]
) -> dict[str, int]:
    """Returns the processors that should run by a decision (`AsOfNow.wanted`); `answer` is its JSON document."""
    recommended: dict[str, int] = answer["processors"]["recommended"]
    if action != "hold" or not answer["cooldown_left_seconds"] > 0.0:
        return recommended
    last = find_last_change(session, stored, decided_for)
    return bound_wanted(recommended, read_counts(last), stored.definition, answer["policy"])


def bound_wanted(
    recommended: Mapping[str, int], since: Mapping[str, int], definition: Any, policy: Any
) -> dict[str, int]:
    """Returns the processors that run `since` the change for which a decision waits, within the present bounds.

    A decision to hold recommends the measured number. Shortly after a change, the measured number is still the one from
    before, and would undo the change. The change may be older than the bounds of the topology and the policy.
    """
    wanted = {name: since.get(name, count) for name, count in recommended.items()}
    if not since:
        return wanted
    topology = Graph.model_validate(definition).to_values()
    for one in bound_topology(topology, PolicyBody.model_validate(policy).to_value()).operators:
        if one.name in wanted:
            most = wanted[one.name] if one.ceiling is None else min(wanted[one.name], one.ceiling)
            wanted[one.name] = max(most, one.min_processors)
    return wanted


def select_decided(latest_end: datetime | ColumnElement[datetime], *columns: Any) -> LateralFromClause:
    """The standing decision of the TopologyRow in the enclosing query, with these columns and those that
    `select_waited_for` needs.
    """
    held = case((WAITS, take_part("processors", "recommended"))).label("held")
    policy = case((WAITS, take_part("policy"))).label("held_policy")
    return select_standing(latest_end, DecisionRow.decided_for, held, policy, *columns).lateral("decided")


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


def read_wanted(row: Any, recommended: Mapping[str, int]) -> dict[str, int]:
    """Returns what `find_wanted` returns, from a row with the columns of `select_decided` and `select_waited_for`."""
    since = {} if row.change is None else join_counts(row.change, row.change_outcome)
    return bound_wanted(recommended, since, row.definition, row.held_policy)


def read_counts(change: DecisionRow | None) -> dict[str, int]:
    """Returns the processors that run since a change: as reported, else as recommended, or as before if the change was
    rolled back.
    """
    return (
        {}
        if change is None or change.answer is None
        else join_counts(change.answer["processors"], change.outcome)
    )


def join_counts(processors: Mapping[str, Any], outcome: Mapping[str, Any] | None) -> dict[str, int]:
    """Returns what `read_counts` returns, from the processors in a change's answer and the outcome of the change."""
    reported = outcome or {}
    since = "current" if reported.get("state") == ROLLED_BACK else "recommended"
    counts: dict[str, int] = processors[since]
    return counts | (reported.get("processors") or {})
