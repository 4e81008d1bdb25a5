"""Tradeoff: the cost of one more processor against the tuples that it takes off the queue (Es-Stream, eqs. 8-18).

    z(k) = βk + (1 − β)Q(k),   Q(k) = λW(k) + λ/μ           tuples in the operator
    k*   = the least stable k with Q(k) − Q(k+1) ≤ β/(1 − β)

k is the number of processors of an operator, β the weight of processors, λ the arrival rate, W the wait and 1/μ the
service time. Q falls by ever smaller steps, so the first k that is not worth another is the minimum of z. The paper's
Algorithm 1 begins at ⌊λ/μ⌋, which is not stable, and its line 7 subtracts the wrong way round; its eq. 14 divides by p0
where it must multiply. Here k begins at the least stable count, and the difference is a gain of gain_curve.Curve.
"""

from planner.allocation.allocate import refuse_hot_keys
from planner.errors import InvalidLoad
from planner.plans.explanation import explain_plan
from planner.queueing.gain_curves import Curve
from planner.situations.situation import Situation, survey_load
from planner.situations.throttle import describe_throttled, throttle_flow
from planner.values import Effect, Load, Model, Plan, Topology
from planner.wording import write_number


def tradeoff(topology: Topology, load: Load, beta: float, model: Model = "mmk") -> Plan:
    """Plans for each operator the best tradeoff of processors against waiting tuples, within its bounds.

    `beta` is the weight of processors. An operator that cannot keep up within its bound sends less downstream.
    """
    if not 0.0 < beta < 1.0:
        raise InvalidLoad(
            f"beta = {beta} gives one side no weight: give more than 0 (a processor costs nothing) and less "
            "than 1 (a waiting tuple costs nothing).",
            argument="beta",
        )
    situation, throttled = throttle_flow(survey_load(topology, load, model, is_open=True))
    refuse_hot_keys(situation.stations, situation.names)
    curves = situation.stations.curves
    counts = choose_counts(situation, curves, beta / (1.0 - beta))
    said = describe_throttled(throttled)
    plan = explain_plan(situation, counts, objective="tradeoff", optimal=True, said=said)
    by_name = dict(zip(situation.names, zip(curves, counts, strict=True), strict=True))
    effects = tuple(
        one if one.operator in throttled else add_price(one, by_name[one.operator][0], beta)
        for one in plan.explanation
    )
    return plan._replace(explanation=effects)


def choose_counts(situation: Situation, curves: list[Curve], price: float) -> list[int]:
    """Returns the processors of each operator that are worth their price; a processor costs `price` waiting tuples."""
    return [
        min(find_first_unworthy(curve, price), int(most))
        for curve, most in zip(curves, situation.stations.max_processors, strict=True)
    ]


def find_first_unworthy(curve: Curve, price: float) -> int:
    """Returns the fewest processors of an operator of which one more takes at most `price` tuples off the queue."""
    low, step = curve.floor, 1
    if not curve.is_busy or curve[low] <= price:
        return low
    while curve[low + step] > price:
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if curve[middle] > price else (low, middle)
    return high


def add_price(effect: Effect, curve: Curve, beta: float) -> Effect:
    """Returns the effect with a comparison: the tuples that one more processor takes off the queue, and its cost."""
    taken = max(curve.find_gain(effect.processors), 0.0)
    price = beta / (1.0 - beta)
    relation = "not worth" if taken <= price else "worth"
    detail = (
        f"{effect.detail} One more would take {write_number(taken)} tuples off its queue, {relation} the "
        f"{price:.4g} that it costs at β = {beta:.4g}."
    )
    return effect._replace(detail=detail)
