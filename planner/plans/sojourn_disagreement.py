"""Causes of a measured sojourn far from the estimate, the likeliest first, each with the E[T] that it would give.

Where an operator's queueing is not said, its processors share one queue in the model. If each had a queue of its own,
it would receive λ/k with the variability that planner.queueing.queueings has for dealing in turn and at random.
"""

from collections.abc import Callable
from math import inf

from planner.queueing.queueings import ROUND_ROBIN, deal_in_turn
from planner.queueing.sojourn import sum_work
from planner.queueing.streams import count_senders, find_stations
from planner.queueing.waiting import wait_seconds
from planner.queueing.waiting_models import FLOATS, WAITING_MODELS
from planner.values import SHARED, Diagnostic, Estimate, Load, Model, OperatorEstimate, Topology

# The models err by less than 20% (Whitt 1993); a factor of two has another cause.
SOJOURN_TOLERANCE = 2.0
# Assumed sizes of causes that are not measured: an instance with 1.5 times its fair share, arrivals ten times as
# variable as single gaps show, service rates wrong by a tenth.
HOT_SHARE, BURST, WRONG_RATE = 1.5, 10.0, 0.1

Wait = Callable[[OperatorEstimate, float, float], float]


def compare_sojourn(topology: Topology, answer: Estimate, load: Load) -> tuple[Diagnostic, ...]:
    """A diagnostic where the measured sojourn is more than twice, or less than half, the estimate."""
    measured, expected = load.measured_sojourn_seconds, answer.expected_sojourn_seconds
    if not measured or not expected:
        return ()
    if 1.0 / SOJOURN_TOLERANCE <= measured / expected <= SOJOURN_TOLERANCE:
        return ()
    list_causes = list_longer if measured > expected else list_shorter
    causes = list_causes(topology, answer, load)
    listed = "; ".join(f"({place}) {cause}" for place, cause in enumerate(causes, 1))
    return (
        Diagnostic(
            "sojourn-disagrees",
            f"The measured sojourn of {measured:.4g} s is {measured / expected:.3g} times the estimated "
            f"{expected:.4g} s. Causes, the likeliest first, with the E[T] that each alone would give: {listed}.",
        ),
    )


def list_longer(topology: Topology, answer: Estimate, load: Load) -> list[str]:
    """Causes of a sojourn longer than modelled."""
    model = answer.model if WAITING_MODELS[answer.model].uses_scvs else "ggk"
    said = {operator.name for operator in topology.operators if operator.queueing is not None}
    waits = OwnWaits(topology, answer, load)

    def in_turn(one: OperatorEstimate, a: float, s: float) -> float:
        return waits.as_modelled(one, a, s) if one.name in said else waits.in_turn(one, a, s)

    def at_random(one: OperatorEstimate, a: float, s: float) -> float:
        return waits.as_modelled(one, a, s) if one.name in said else waits.at_random(one, a, s)

    def in_bursts(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_seconds(one.arrival_rate, one.service_rate, one.processors, BURST * a, s, model)

    def skewed(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_skewed(one, 1.0 + (a - 1.0) / one.processors, s, answer.model)

    own, mixed, bursty, hot = (
        say_seconds(sum_sojourn(answer, load, wait)) for wait in (in_turn, at_random, in_bursts, skewed)
    )
    slow = say_seconds(sum_sojourn(answer, load, waits.as_modelled, 1.0 - WRONG_RATE))
    rest = (load.measured_sojourn_seconds or 0.0) - (answer.expected_sojourn_seconds or 0.0)
    causes = [
        f"every processor has a queue of its own: {own} where tuples are dealt in turn, {mixed} at random",
        f"arrivals come in bursts, which the SCV of single gaps does not show: {bursty} at {BURST:g} times that SCV",
        f"keys are skewed: {hot} where one instance gets {HOT_SHARE:g} times its fair share",
        f"time passes outside the operators, as on the network: {rest:.4g} s would",
        f"service rates are measured too high: {slow} if they are {WRONG_RATE:.0%} lower",
    ]
    if all(one.processors == 1 for one in answer.operators if one.visits):  # one processor shares with none
        del causes[2], causes[0]
    elif len(said) == len(answer.operators):  # the queueing is known: it is no cause
        del causes[0]
    return causes


def list_shorter(topology: Topology, answer: Estimate, load: Load) -> list[str]:
    """Causes of a sojourn shorter than modelled."""
    calm = say_seconds(sum_sojourn(answer, load, lambda _one, _a, _s: 0.0))
    waits = OwnWaits(topology, answer, load)
    fast = say_seconds(sum_sojourn(answer, load, waits.as_modelled, 1.0 + WRONG_RATE))
    longest = max(one.sojourn_seconds or 0.0 for one in answer.operators)
    return [
        f"tuples that fork are worked on at once, which E[T] adds up: {longest:.4g} s in the slowest operator",
        f"arrivals or services vary less than measured or assumed: {calm} without any wait",
        f"service rates are measured too low: {fast} if they are {WRONG_RATE:.0%} higher",
    ]


def wait_own(one: OperatorEstimate, arrival_scv: float, service_scv: float, model: Model) -> float:
    """The wait at one instance that receives λ/k."""
    rate = one.arrival_rate / one.processors
    return wait_seconds(rate, one.service_rate, 1, arrival_scv, service_scv, model)


def wait_skewed(one: OperatorEstimate, arrival_scv: float, service_scv: float, model: Model) -> float:
    """The mean wait where one instance receives HOT_SHARE times its fair share and the others the rest evenly."""
    if one.processors == 1:
        return wait_own(one, arrival_scv, service_scv, model)
    hot = min(HOT_SHARE / one.processors, 1.0)
    cold = (1.0 - hot) / (one.processors - 1)
    waits = [
        wait_seconds(share * one.arrival_rate, one.service_rate, 1, arrival_scv, service_scv, model)
        for share in (hot, cold)
    ]
    return hot * waits[0] + (1.0 - hot) * waits[1]


class OwnWaits:
    """The waits at operators with one queue, or a queue for each processor, from SCVs alone."""

    def __init__(self, topology: Topology, answer: Estimate, load: Load) -> None:
        self.model = answer.model
        self.stations = find_stations(topology, load, [one.arrival_rate for one in answer.operators])

    def in_turn(self, one: OperatorEstimate, a: float, s: float) -> float:
        """Where senders deal their tuples in turn."""
        offered, senders = one.arrival_rate / one.service_rate, count_senders(self.stations[one.name].streams)
        return wait_own(one, deal_in_turn(a, one.processors, senders, offered, FLOATS), s, self.model)

    def at_random(self, one: OperatorEstimate, a: float, s: float) -> float:
        """Where a tuple goes to any of the processors."""
        return wait_own(one, 1.0 + (a - 1.0) / one.processors, s, self.model)

    def as_modelled(self, one: OperatorEstimate, a: float, s: float) -> float:
        """As the operator's queueing says."""
        if one.queueing == ROUND_ROBIN:
            return self.in_turn(one, a, s)
        if one.queueing != SHARED:
            return self.at_random(one, a, s)
        return wait_seconds(one.arrival_rate, one.service_rate, one.processors, a, s, self.model)


def sum_sojourn(answer: Estimate, load: Load, wait: Wait, speed: float = 1.0) -> float:
    """Σ vᵢ(Wᵢ + 1/μᵢ) with other waits, and service rates `speed` times as high; an SCV not measured is 1."""
    waits, rates = [], [one.service_rate * speed for one in answer.operators]
    for one, rate in zip(answer.operators, rates, strict=True):
        seen = load.operators[one.name]
        a, s = (1.0 if scv is None else scv for scv in (seen.arrival_scv, seen.service_scv))
        waits.append(wait(one._replace(service_rate=rate), a, s))
    return sum_work([one.visits for one in answer.operators], waits, rates)


def say_seconds(seconds: float) -> str:
    """Seconds for reading; inf is `no end`."""
    return "no end" if seconds == inf else f"{seconds:.4g} s"
