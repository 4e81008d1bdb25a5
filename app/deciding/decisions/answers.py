"""Turns a decision of the planner into the JSON answer and into a picture."""

from datetime import datetime
from math import isfinite
from typing import Any

from app.deciding.advised import UNSEEN
from app.deciding.decisions.gathering import GatheredDecision
from app.deciding.decisions.schemas import CatchingUpAnswer, Counts, DecisionAnswer, Moving, Optimum
from app.deciding.economic_rule import weigh_choice
from app.load.bodies.answers import to_estimate_answer
from app.rendering.graph_pictures import draw_graph
from app.rendering.operator_graphs import OperatorGraph, graph_estimate
from app.rendering.picture_files import write_picture
from app.web.fields import move_time
from planner.decisions.compose import ComposedDecision, Decision
from planner.decisions.horizon import RateOutlook
from planner.decisions.wording import describe_effect
from planner.values import Estimate, Topology
from planner.wording import write_reach


def to_decision_answer(
    gathered: GatheredDecision, composed: ComposedDecision, outlook: RateOutlook
) -> DecisionAnswer:
    """Returns the planner's decision as JSON, with the policy and the stored data that it is based on."""
    decision = composed.decision
    current = to_estimate_answer(decision.current._replace(diagnostics=()))
    return DecisionAnswer.model_validate(
        {
            "decided_for": gathered.decided_for,
            "action": decision.action,
            "goal": decision.goal,
            "processors": to_counts(decision),
            "reasons": decision.reasons,
            "constraints": decision.constraints,
            "external_rate": decision.current.external_rate,
            "rate_change": decision.rate_change,
            "cooldown_left_seconds": decision.cooldown_left_seconds,
            "measured_sojourn_seconds": decision.measured_sojourn_seconds,
            "current": current.model_copy(update={"calibration": list(gathered.found.calibration) or None}),
            "sized_for": composed.sized_for,
            "look_ahead": outlook.rate,
            "correction": decision.correction if decision.correction.intervals else None,
            "expected_sojourn_seconds": decision.recommended.expected_sojourn_seconds,
            "corrected_sojourn_seconds": composed.corrected_seconds,
            "optimum": to_optimum(decision.optimum) if decision.optimum else None,
            "needed_total": decision.needed if gathered.terms.scale_down_window_seconds else None,
            "catching_up": to_catching_up(composed, gathered.decided_for),
            "counterfactuals": composed.counterfactuals,
            "moving": to_moving(composed),
            "nodes": composed.nodes,
            "streams": composed.streams,
            "diagnostics": gathered.found.diagnostics + composed.diagnostics,
            "policy": gathered.terms,
            "basis": gathered.found.basis,
            "rule_detail": gathered.terms.describe_rule(),
            **(weigh_choice(decision, gathered.decided_for) if decision.case.policy.is_economic else {}),
        }
    )


def to_counts(decision: Decision) -> Counts:
    """Returns the processors of every operator before the decision and as the decision recommends them."""
    current, recommended = decision.current, decision.recommended
    return Counts(
        current=name_counts(current),
        recommended=name_counts(recommended),
        current_total=current.processors_total,
        recommended_total=recommended.processors_total,
    )


def to_catching_up(composed: ComposedDecision, decided_for: datetime) -> CatchingUpAnswer | None:
    """Returns the tuples that wait in queues, and the time by which they should be worked off."""
    if composed.catching_up is None:
        return None
    answer = CatchingUpAnswer.model_validate(composed.catching_up)
    left = answer.left_seconds
    if left is not None:
        answer.finished_by = move_time(decided_for, left)
    return answer


def to_optimum(optimum: Estimate) -> Optimum:
    """Returns the allocation that the policy's goal asks for as JSON, also if the decision is to hold."""
    return Optimum(
        processors=name_counts(optimum),
        processors_total=optimum.processors_total,
        expected_sojourn_seconds=optimum.expected_sojourn_seconds,
    )


def to_moving(composed: ComposedDecision) -> Moving:
    """Returns the state that the change moves, the cost of moving it, and the time within which it must pay back."""
    moves = composed.decision.moves
    return Moving.model_validate(
        {
            "migrations": moves.migrations,
            "cost_tuple_seconds": moves.cost_tuple_seconds,
            "payback_seconds": moves.payback_seconds,
            "horizon": composed.decision.horizon,
        }
    )


def list_columns(answer: DecisionAnswer) -> dict[str, Any]:
    """Returns the columns of a decision that lists, pages and metrics read; NaN and infinity become null."""
    ahead = answer.look_ahead
    found = {
        "external_rate": answer.external_rate,
        "running": answer.processors.current_total,
        "recommended": answer.processors.recommended_total,
        "needed": answer.needed_total,
        "cooldown_left_seconds": answer.cooldown_left_seconds,
        "misses_target": any(one.code == "target-missed" for one in answer.reasons),
        "is_stable": answer.current.stable,
        "expected_seconds": answer.expected_sojourn_seconds,
        "current_seconds": answer.current.expected_sojourn_seconds,
        "recommended_seconds": answer.outlook.then_seconds,
        "measured_seconds": answer.measured_sojourn_seconds,
        "holds_up_to_rate": answer.counterfactuals.holds_up_to_rate,
    }
    for name in ("expected_rate", "upper_rate", "quantile", "steps"):
        found[f"ahead_{name}"] = getattr(ahead, name, None)
    known = {name: None if value is None or not isfinite(value) else value for name, value in found.items()}
    promised = answer.catching_up.finished_by if answer.catching_up else None
    return known | {"ahead_model": ahead and ahead.model, "finished_by": promised}


def name_counts(estimate: Estimate) -> dict[str, int]:
    """Returns the number of processors of each operator of an estimate, by the operator's name."""
    return {one.name: one.processors for one in estimate.operators}


def draw_decision(decision: DecisionAnswer, form: str, topology: Topology) -> bytes:
    """Draws the operators with their utilisation and the recommended change, under the verdict as the title."""
    return write_picture(draw_graph(graph_decision(decision, topology)), form)


def graph_decision(decision: DecisionAnswer, topology: Topology) -> OperatorGraph:
    """Returns the graph of the operators, with the decision's verdict and the measured times as lines above it."""
    wanted = decision.advised.wanted
    return graph_estimate(
        f"{decision.basis.topology}: {decision.change}",
        [say_times(decision), f"Decided on data until {decision.decided_for:%Y-%m-%d %H:%M:%S} UTC"],
        topology,
        decision.current,
        wanted,
    )


def say_times(decision: DecisionAnswer) -> str:
    """Says E[T] now, E[T] as recommended with the target, and the rate up to which the recommended processors do."""
    advised, outlook = decision.advised, decision.outlook
    text = describe_effect(decision.running, decision.processors.recommended, outlook)
    if decision.waits_for is not None:
        text = f"{UNSEEN} {text}"
    if advised.holds_up_to_rate is None:
        return text
    has_target = outlook.target is not None
    return f"{text} {write_reach(advised.total, advised.holds_up_to_rate, has_target=has_target)}."
