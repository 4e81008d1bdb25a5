"""What moving state costs, and after which time a change has made up for it.

While an operator's state is repartitioned its tuples wait, half of RT on average:

    cost = Σ λᵢ RTᵢ²/2                                tuple-seconds, over the operators whose state moves
    gain = λ0 (E[T] now − E[T] then)                  tuple-seconds per second
    payback = cost / gain

Es-Stream says how long moving takes (eq. 25). Neither it nor DRS (section IV-C) weighs that against the gain.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from planner.decisions.case import Reason
from planner.decisions.decide import Decision
from planner.decisions.horizon import ChangeHorizon
from planner.decisions.state_migration import Migration, State, plan_migration
from planner.errors import InvalidState, escape_pointer


@dataclass(frozen=True)
class Moves:
    """The migrations of a change by operator, their cost, and when they have paid back; None: not known, or never."""

    migrations: Mapping[str, Migration]
    cost_tuple_seconds: float | None
    payback_seconds: float | None


def plan_moves(decision: Decision, states: Mapping[str, State]) -> Moves:
    """The moves of state from the current to the recommended processors."""
    migrations: dict[str, Migration] = {}
    cost: float | None = 0.0
    operators = decision.situation.topology.operators
    rows = zip(operators, decision.current.operators, decision.recommended.operators, strict=True)
    for operator, before, after in rows:
        if before.processors == after.processors:
            continue
        state = states.get(before.name)
        if state is None:
            # The state of a stateful operator moves also where the policy does not describe it: its cost is unknown.
            cost = None if operator.stateful else cost
            continue
        try:
            migration = plan_migration(
                state, before.processors, after.processors, after.arrival_rate, after.service_rate
            )
        except InvalidState as error:
            pointer = f"/{escape_pointer(before.name)}{error.pointer}"
            raise InvalidState(f"Operator {before.name!r}: {error.detail}", pointer) from error
        migrations[before.name] = migration
        if migration.repartition_seconds is None or cost is None:
            cost = None
        else:
            cost += after.arrival_rate * migration.repartition_seconds**2 / 2.0
    return Moves(migrations, cost, find_payback(decision, cost))


def find_payback(decision: Decision, cost_tuple_seconds: float | None) -> float | None:
    """Seconds until the shorter E[T] has made up for the cost; 0 where E[T] grows without end now."""
    before, after = decision.current.expected_sojourn_seconds, decision.recommended.expected_sojourn_seconds
    if cost_tuple_seconds is None or after is None:
        return None
    if cost_tuple_seconds == 0.0 or before is None:
        return 0.0
    gain = decision.current.external_rate * (before - after)
    return cost_tuple_seconds / gain if gain > 0.0 else None


def is_weighed(decision: Decision, moves: Moves) -> bool:
    """Whether a horizon could hold the change back: state moves, and the change is made for a shorter E[T] alone.

    A change for a missed goal is not held back, nor one that gives processors up.
    """
    return (
        decision.action in {"scale_up", "rebalance"} and not decision.urgent and bool(moves.payback_seconds)
    )


def weigh_change(decision: Decision, moves: Moves, horizon: ChangeHorizon | None) -> Decision:
    """The decision, or to hold where the change would pay back only after its horizon."""
    if horizon is None or horizon.seconds is None or not is_weighed(decision, moves):
        return decision
    payback = moves.payback_seconds
    assert payback is not None  # is_weighed
    if payback <= horizon.seconds:
        return decision
    detail = (
        f"Moving state would cost {moves.cost_tuple_seconds:.6g} tuple-seconds, made up for after {payback:.6g} s: "
        f"later than the next change, in {horizon.seconds:.6g} s. {horizon.detail}"
    )
    return replace(
        decision,
        action="hold",
        recommended=decision.current,
        reasons=(*decision.reasons, Reason("payback", detail)),
    )
