"""Stores and finds policies; each topology has at most one."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func
from sqlalchemy.orm import Session

from app.database.tables import PolicyRow, WebhookRow
from app.database.upserts import upsert
from app.deciding.fleet_turns import SHARE, FleetShare, say_turn
from app.deciding.policies.schemas import PolicyAnswer, PolicyBody
from app.deciding.policy_parts import WebhookBody
from app.load.measurements.snapshots import find_latest_end
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.web.negotiation import may_change
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import NoStoredPolicy, RevisionConflict
from planner.decisions.policy import Policy
from planner.errors import MOST_SUGGESTED, escape_pointer, suggest_name
from planner.values import Diagnostic
from planner.wording import write_counted

GOAL = PolicyRow.policy["goal"]
TARGET_SECONDS = func.coalesce(GOAL["t_max_seconds"].as_float(), GOAL["target"]["seconds"].as_float())
"""SQL for the seconds of a stored policy's time target, of E[T] or of another time; null: none."""


def store_policy(
    session: Session, name: str, body: PolicyBody, if_match: str | None = None
) -> tuple[PolicyAnswer, bool]:
    """Creates or replaces the topology's policy, if it is still the one that If-Match names; returns the stored policy,
    and whether it was created.
    """
    stored = find_topology(session, name)
    check_policy(stored, body)
    if if_match is not None:
        refuse_other(session, stored, if_match)
    document = body.model_dump(mode="json")
    row = {"topology_id": stored.id, "policy": document}
    (kept,) = upsert(
        session, PolicyRow, [row], ["topology_id"], ["policy", "updated_at"], PolicyRow.updated_at
    )
    store_webhook(session, stored, body.webhook)
    answer = PolicyAnswer.model_validate(document | {"updated_at": kept.updated_at}, strict=False)
    return answer.model_copy(update={"webhook": body.webhook}), kept.is_new


def refuse_other(session: Session, stored: StoredTopology, if_match: str) -> None:
    """Raises RevisionConflict if the stored policy is not the one that If-Match names; other changes of it wait."""
    row = session.get(PolicyRow, stored.id, with_for_update=True)
    current = "no policy" if row is None else tag_policy(row.updated_at)
    if row is None or not may_change(current, if_match):
        raise RevisionConflict(stored.name, if_match, current, "The policy of topology")


def tag_policy(updated_at: datetime) -> str:
    """The ETag of a stored policy: no two are stored at one microsecond."""
    return f'"{updated_at.timestamp():.6f}"'


def store_webhook(session: Session, stored: StoredTopology, webhook: WebhookBody | None) -> None:
    """Stores who is told of the topology's changes; what was told before stays known under another address."""
    if webhook is None:
        session.execute(delete(WebhookRow).where(WebhookRow.topology_id == stored.id))
        return
    known = webhook.model_dump()
    upsert(session, WebhookRow, [{"topology_id": stored.id, **known}], ["topology_id"], list(known))


def find_policy(session: Session, name: str) -> PolicyAnswer:
    """Returns the topology's policy with its defaults; raises if the topology has none."""
    stored = find_topology(session, name)
    row = session.get(PolicyRow, stored.id)
    if row is None:
        raise NoStoredPolicy(name)
    told = session.get(WebhookRow, stored.id)
    webhook = told and WebhookBody.model_validate({"url": told.url, "form": told.form})
    answer = PolicyAnswer.model_validate(row.policy | {"updated_at": row.updated_at}, strict=False)
    return answer.model_copy(update={"webhook": webhook})


def find_body(session: Session, stored: StoredTopology) -> PolicyBody | None:
    """Returns the topology's policy as the caller sent it; None if the topology has no policy."""
    row = session.get(PolicyRow, stored.id)
    return None if row is None else PolicyBody.model_validate(row.policy, strict=False)


def find_share(session: Session, stored: StoredTopology) -> FleetShare | None:
    """The share of a topology; None: it shares no budget, or that was decided too long ago."""
    terms = {"topology_id": stored.id, "latest_end": find_latest_end(session)}
    row = session.execute(SHARE, terms).one_or_none()
    return None if row is None else FleetShare(row[0], row[1] or ())


def limit_to_share(
    session: Session, stored: StoredTopology, policy: Policy, running: int
) -> tuple[Policy, tuple[Diagnostic, ...]]:
    """The policy within the topology's share of the fleet's budget, and a diagnostic, in a tuple, that says so.

    While others must give processors up before, it takes no more than run.
    """
    share = find_share(session, stored)
    if share is None:
        return policy, ()
    most = min(share.processors, running) if share.givers else share.processors
    if policy.k_max is not None and policy.k_max <= most:
        return policy, ()
    detail = (
        f"The fleet's newest decision gave this topology {write_counted(share.processors, 'processor')}. Until the "
        "next one its own decisions take no more."
    )
    if most < share.processors:
        detail += f" It keeps to the {most:,} that run {say_turn(share.givers)}."
    return replace(policy, k_max=most), (Diagnostic("fleet-share", detail),)


def delete_policy(session: Session, name: str) -> None:
    """Deletes the policy: later decisions need a policy in their request."""
    stored = find_topology(session, name)
    row = session.get(PolicyRow, stored.id)
    if row is None:
        raise NoStoredPolicy(name)
    store_webhook(session, stored, None)
    session.delete(row)
    session.flush()


def check_policy(stored: StoredTopology, body: PolicyBody, pointer: str = "#") -> None:
    """Raises InvalidRequest with every part of the policy that the topology contradicts."""
    operators = {one["name"]: one for one in stored.definition["operators"]}
    errors: list[tuple[str, str]] = []
    for part, named in (("bounds", body.bounds.keys()), ("states", body.states.keys())):
        for operator in named - operators.keys():
            detail = (
                f"Topology {stored.name!r} has no operator {operator!r}: correct the name, or add it first."
                f"{suggest_name(operator, operators) if len(errors) < MOST_SUGGESTED else ''}"
            )
            errors.append((f"{pointer}/{part}/{escape_pointer(operator)}", detail))
    for operator in body.states.keys() & operators.keys():
        if not operators[operator].get("stateful"):
            detail = (
                f"Operator {operator!r} is not stateful: set `stateful` in the topology, or leave out its "
                "state."
            )
            errors.append((f"{pointer}/states/{escape_pointer(operator)}", detail))
    errors += find_strange_schedules(stored, body, pointer)
    least = {name: max(1, one.get("min_processors") or 1) for name, one in operators.items()}
    for name, bounds in body.bounds.items():
        least[name] = max(least.get(name, 1), bounds.min_processors)
    errors += find_empty_bounds(operators, body, least, pointer)
    if body.goal.k_max is not None and sum(least.values()) > body.goal.k_max:
        detail = (
            f"The min_processors of all operators add up to {sum(least.values())}: raise k_max, or lower "
            "them."
        )
        errors.append((f"{pointer}/goal/k_max", detail))
    if errors:
        raise InvalidRequest(tuple(errors))


def find_strange_schedules(stored: StoredTopology, body: PolicyBody, pointer: str) -> list[tuple[str, str]]:
    """Returns a pointer and a detail for each operator of a schedule that is unknown or may not have so many."""
    operators = {one["name"]: one for one in stored.definition["operators"]}
    errors = []
    for place, schedule in enumerate(body.schedules):
        for name, least in schedule.min_processors.items():
            where = f"{pointer}/schedules/{place}/min_processors/{escape_pointer(name)}"
            most = operators.get(name, {}).get("max_processors")
            bounds = body.bounds.get(name)
            ceilings = [one for one in (most, bounds.max_processors if bounds else None) if one is not None]
            if name not in operators:
                detail = (
                    f"Topology {stored.name!r} has no operator {name!r}: correct the name, or add it first."
                )
                errors.append((where, detail + suggest_name(name, operators)))
            elif ceilings and min(ceilings) < least:
                detail = f"Operator {name!r} may have at most {min(ceilings)} processors: lower this number."
                errors.append((where, detail))
    return errors


def find_empty_bounds(
    operators: Mapping[str, Mapping[str, Any]], body: PolicyBody, least: Mapping[str, int], pointer: str
) -> list[tuple[str, str]]:
    """Returns a pointer and a detail for each operator whose least number of processors is above its most."""
    errors = []
    for name, operator in operators.items():
        state, bounds = body.states.get(name), body.bounds.get(name)
        ceilings = {
            "the topology's max_processors": operator.get("max_processors"),
            "max_processors": bounds.max_processors if bounds else None,
            "its key_groups": state.key_groups if state else None,
        }
        for what, most in ceilings.items():
            if most is not None and most < least[name]:
                part = "bounds" if bounds else "states"
                detail = (
                    f"Operator {name!r} must have at least {least[name]} processors, but {what} allow {most}: "
                    "correct one of them."
                )
                errors.append((f"{pointer}/{part}/{escape_pointer(name)}", detail))
    return errors
