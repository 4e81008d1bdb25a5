"""Shares one budget among stored topologies, under the loads of their newest snapshots and their policies' targets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.deciding.fleet.answers import to_fleet_answer
from app.deciding.fleet.gathering import (
    MOST_CALIBRATED,
    gather_calibrated,
    gather_fleet,
    is_calibrated,
)
from app.deciding.fleet.schemas import FleetPlanAnswer, FleetRequest, NewTopology
from app.deciding.fleet_budgets import find_footprints, gather_budget, place_fleet
from app.deciding.policies.schemas import PolicyBody
from app.load.bodies.topology import Graph, check_size
from app.load.measurements.freshness import describe_data, find_age
from app.load.measurements.load import read_loads
from app.settings import Settings
from app.web.observability import time_planner
from app.web.problems.error_pointers import (
    DESCRIBED,
    Places,
    RefusedByPlanner,
    find_place,
    pointing_into_body,
)
from app.web.problems.errors import InvalidRequest
from planner.decisions.policy import Policy, bound_topology
from planner.decisions.shared_budget import MOST_DRAWN, find_target, keep_room
from planner.errors import PlannerError, suggest_name
from planner.fleet.admission import Admission, admit
from planner.fleet.claims import Member
from planner.fleet.footprint import Footprint
from planner.fleet.plan import plan_fleet
from planner.situations.situation import Situation, scale_load, survey_load
from planner.values import Load


@dataclass(frozen=True)
class HeldTopology:
    """A topology that is not planned and keeps what runs, with the reason."""

    name: str
    processors: dict[str, int]
    detail: str


def answer_fleet(session: Session, body: FleetRequest, settings: Settings) -> FleetPlanAnswer:
    """The best share of the budget among the topologies that the request names."""
    now = datetime.now(UTC)
    for place, one in enumerate(body.new):
        check_size(one.topology, settings, f"#/new/{place}/topology")
    rows = gather_fleet(session, body.topologies, now)
    check_names(body, [row.name for row in rows])
    policies = {row.name: PolicyBody.model_validate(row.policy, strict=False) for row in rows if row.policy}
    fresh = [row for row in rows if find_reason(row, now) is None]
    loads = gather_calibrated(session, fresh, policies, settings)
    budget = gather_budget(session, body, rows)
    with time_planner("fleet"):
        members, held, notes = read_members(rows, body, policies, loads, now)
        footprints = find_footprints(budget, body, rows)
        new = [read_new(one, place, body.load_factor) for place, one in enumerate(body.new)]
        members, new = [
            [one._replace(footprint=footprints[one.name]) for one in some] for some in (members, new)
        ]
        taken = sum(measure_held(one, footprints[one.name]) for one in held)
        with pointing_into_body(find_places(body)):
            if new:
                found = admit(members, new, budget.total, body.price, taken, unit=budget.unit)
            else:
                plan = plan_fleet(members, budget.total, body.price, taken, unit=budget.unit)
                found = Admission(plan)
        kept = {one.name: one.processors for one in held}
        kept |= {
            one.name: one.situation.name_counts(one.running or ())
            for one, _ in found.plan.held
            if one.running
        }
        placed = place_fleet(budget, found.plan.shares, rows, kept, footprints)
    answer = to_fleet_answer(body, budget, found, held, notes)
    return answer.model_copy(update={"placement": placed})


def measure_held(one: HeldTopology, footprint: Footprint | None) -> int:
    """What a topology that keeps what runs takes of the budget."""
    if footprint is None:
        return sum(one.processors.values())
    return footprint.count_slots([one.processors.get(name, 0) for name in footprint.names])


def find_places(body: FleetRequest) -> Places:
    """Where the body has its budget."""
    if body.k_max is not None:
        return DESCRIBED
    field = "/slots" if body.slots is not None else "/vms" if body.vms else "/hourly_price"
    return DESCRIBED | {"k_max": field}


def check_names(body: FleetRequest, names: Sequence[str]) -> None:
    """Refuses weights, priorities and floors of topologies that do not share the budget, and new names twice."""
    known, errors = set(names), []
    for part in ("weights", "priorities", "floors"):
        for name in getattr(body, part):
            if name not in known:
                detail = f"{name!r} does not share this budget: name it in topologies too.{suggest_name(name, known)}"
                errors.append((f"#/{part}/{name}", detail))
    for place, one in enumerate(body.new):
        if one.name in known:
            errors.append(
                (f"#/new/{place}/name", f"{one.name!r} is there already: give the new job another name.")
            )
        known.add(one.name)
    if errors:
        raise InvalidRequest(tuple(errors))


def read_members(
    rows: Iterable[Row[Any]],
    body: FleetRequest,
    policies: Mapping[str, PolicyBody],
    loads: Mapping[str, Load],
    now: datetime,
) -> tuple[list[Member], list[HeldTopology], dict[str, str]]:
    """The topologies that can be planned, those that keep what runs, and notes on targets by name."""
    members, held, notes = [], [], {}
    drawn = 0
    for row in rows:
        running = {} if row.ended_at is None else count_running(row.operators)
        reason = find_reason(row, now)
        if reason is None:
            policy = (
                None
                if row.policy is None
                else PolicyBody.model_validate(row.policy, strict=False).to_value(now)
            )
            try:
                situation = survey_row(row, policy, loads.get(row.name), body.load_factor)
                target, note, is_drawn = find_target(situation, policy, may_draw=drawn < MOST_DRAWN)
            except PlannerError as error:
                reason = str(error)
            else:
                drawn += is_drawn
                members.append(make_member(row.name, situation, target, policy, body, running))
                if row.name not in loads and is_calibrated(row, policies):
                    note = f"{note} Its waits are as modelled: only {MOST_CALIBRATED} others are calibrated.".lstrip()
                notes[row.name] = note
        if reason is not None:
            held.append(HeldTopology(row.name, running, reason))
    return members, held, notes


def find_reason(row: Row[Any], now: datetime) -> str | None:
    """Why a topology cannot be planned on its measurements; None where they are recent."""
    if row.ended_at is not None and find_age(row.ended_at, now) <= row.limit_seconds:
        return None
    data = describe_data(row.ended_at, row.limit_seconds, None, now, has_policy=row.policy is not None)
    return data.detail


def count_running(operators: dict[str, dict[str, Any]]) -> dict[str, int]:
    """The processors that run at each operator, by the newest snapshot."""
    return {name: one["processors"] for name, one in operators.items() if one.get("processors")}


def survey_row(row: Row[Any], policy: Policy | None, load: Load | None, load_factor: float) -> Situation:
    """The situation of a stored topology under its newest snapshot, within the bounds of its policy; `load` is
    calibrated.
    """
    topology = Graph.model_validate(row.definition).to_values()
    if policy is not None:
        topology = bound_topology(topology, policy)
    if load is None:
        known = {operator.name for operator in topology.operators}
        load = read_loads([row], known)[0][0]  # type: ignore[list-item]  # the row has a snapshot's columns
    model = Policy().model if policy is None else policy.model
    situation = scale_load(survey_load(topology, load, model, is_open=True), load_factor * load.external_rate)
    return situation if policy is None else keep_room(situation, policy)


def make_member(
    name: str,
    situation: Situation,
    target: float | None,
    policy: Policy | None,
    body: FleetRequest,
    running: dict[str, int],
) -> Member:
    """A member of the fleet, with the terms of the request."""
    counts = [running.get(one, 0) for one in situation.names]
    return Member(
        name,
        situation,
        target,
        body.weights.get(name, 1.0),
        body.priorities.get(name, 0),
        body.floors.get(name, 0),
        None if policy is None else policy.k_max,
        counts if all(counts) else None,
    )


def read_new(new: NewTopology, place: int, load_factor: float) -> Member:
    """A job that does not run yet, as a member of the fleet."""
    try:
        load = new.load.to_values()
        situation = survey_load(new.topology.to_values(), load, Policy().model, is_open=True)
    except PlannerError as error:
        raise RefusedByPlanner(error, f"/new/{place}{find_place(error)}") from error
    situation = scale_load(situation, load_factor * load.external_rate)
    return Member(new.name, situation, new.t_max_seconds, new.weight, new.priority)
