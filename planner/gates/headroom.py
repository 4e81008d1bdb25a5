"""A situation at another external rate, and the largest rate at which a condition holds."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, ulp

from planner.errors import InvalidLoad
from planner.gates.crossing import Probe, find_crossing
from planner.plans.estimation import Situation
from planner.topology.flow import NO_INPUT
from planner.topology.loads import SMALLEST, check_number, check_offered_load


def scale_load(situation: Situation, external_rate: float) -> Situation:
    """The situation at another external rate: visits, service rates and SCVs stay, arrivals are vᵢλ0.

    Real streams rarely keep their SCV at a higher rate; without a measurement at that rate this is the best assumption,
    and a diagnostic of the verdict says so.
    """
    if external_rate == situation.load.external_rate:
        return situation
    rates = [visits * external_rate for visits in situation.flow.visits]
    diagnostics = tuple(said for said in situation.flow.diagnostics if said is not NO_INPUT)
    if not external_rate:
        diagnostics += (NO_INPUT,)
    return situation._replace(
        load=replace(situation.load, external_rate=external_rate),
        flow=situation.flow._replace(arrival_rates=rates, diagnostics=diagnostics),
        stations=replace(situation.stations, arrival_rate=rates),
    )


def check_rate(situation: Situation, external_rate: float) -> None:
    """Raise InvalidLoad where the rate is no rate, or would keep more processors busy than can be planned."""
    try:
        check_number(external_rate, "external_rate", least=SMALLEST)
        for name, visits in zip(situation.names, situation.flow.visits, strict=True):
            check_offered_load(name, visits * external_rate, situation.load.operators[name])
    except InvalidLoad as error:  # the load itself was checked before: the rate asked for is wrong
        raise replace(error, pointer="", argument="external_rate") from error


def find_largest_rate(
    margin: Callable[[float], float], start: float, ceiling: float, tolerance: float = 0.0
) -> float | None:
    """The largest double at which `margin` is not below 0; None where it is below 0 at a rate of 0.

    With a tolerance, a rate at which it is not, below the largest one by at most this part. `margin` must not rise to 0
    again once it is below; at `ceiling` it counts as below 0 in any case.
    """
    low = Probe(0.0, margin(0.0))
    if not low.holds:
        return None
    if ceiling == inf:
        return inf
    high = Probe(ceiling, min(margin(ceiling), -ulp(0.0)))
    if start < ceiling:
        begun = Probe(start, margin(start))
        low, high = (begun, high) if begun.holds else (low, begun)
    return find_crossing(margin, low, high, SMALLEST, tolerance)
