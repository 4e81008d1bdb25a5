"""Causes of a measured sojourn far from the estimate, the likeliest first, each with the E[T] that it would give.

In the model all processors of an operator share one queue. Where each instance has its own queue, it receives λ/k, as
a stream of SCV a':

    in turn (round robin):   a' = 1 − w + w·a/k,  w = 1/(1 + 4(1 − ρ)²(v − 1)),  v = 1/Σ pᵤ²
    at random:               a' = 1 + (a − 1)/k

pᵤ are the shares of the upstream instances, each of which deals its tuples in turn by itself (the superposition of
Whitt's QNA, 1983). The external stream counts as one such instance.
"""

from collections.abc import Callable, Mapping
from math import fsum, inf

from planner.queueing.sojourn import sum_work
from planner.queueing.waiting import wait_seconds
from planner.queueing.waiting_models import WAITING_MODELS
from planner.values import Diagnostic, Estimate, Load, Model, OperatorEstimate, Topology

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
    causes = list_longer(topology, answer, load) if measured > expected else list_shorter(answer, load)
    listed = "; ".join(f"({place}) {cause}" for place, cause in enumerate(causes, 1))
    return (
        Diagnostic(
            "sojourn-disagrees",
            f"The measured sojourn of {measured:.4g} s is {measured / expected:.3g} times the estimated "
            f"{expected:.4g} s. Causes, the likeliest first, with the E[T] that each alone would give: {listed}.",
        ),
    )


def list_longer(topology: Topology, answer: Estimate, load: Load) -> list[str]:
    """Causes of a sojourn longer than with shared queues."""
    streams = find_streams(topology, answer)
    model = answer.model if WAITING_MODELS[answer.model].uses_scvs else "ggk"

    def in_turn(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_own(one, weigh_turns(one, a, streams[one.name]), s, answer.model)

    def at_random(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_own(one, 1.0 + (a - 1.0) / one.processors, s, answer.model)

    def in_bursts(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_seconds(one.arrival_rate, one.service_rate, one.processors, BURST * a, s, model)

    def skewed(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_skewed(one, 1.0 + (a - 1.0) / one.processors, s, answer.model)

    own, mixed, bursty, hot = (
        say_seconds(sum_sojourn(answer, load, wait)) for wait in (in_turn, at_random, in_bursts, skewed)
    )
    slow = say_seconds(sum_sojourn(answer, load, wait_as_modelled(answer), 1.0 - WRONG_RATE))
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
    return causes


def list_shorter(answer: Estimate, load: Load) -> list[str]:
    """Causes of a sojourn shorter than modelled."""
    calm = say_seconds(sum_sojourn(answer, load, lambda _one, _a, _s: 0.0))
    fast = say_seconds(sum_sojourn(answer, load, wait_as_modelled(answer), 1.0 + WRONG_RATE))
    longest = max(one.sojourn_seconds or 0.0 for one in answer.operators)
    return [
        f"tuples that fork are worked on at once, which E[T] adds up: {longest:.4g} s in the slowest operator",
        f"arrivals or services vary less than measured or assumed: {calm} without any wait",
        f"service rates are measured too low: {fast} if they are {WRONG_RATE:.0%} higher",
    ]


def find_streams(topology: Topology, answer: Estimate) -> Mapping[str, list[tuple[float, int]]]:
    """For each operator the rates that reach it, each with the number of instances that send it."""
    known = {one.name: one for one in answer.operators}
    streams: dict[str, list[tuple[float, int]]] = {name: [] for name in known}
    for edge in topology.edges:
        source = known[edge.source]
        streams[edge.target].append((source.arrival_rate * edge.selectivity, source.processors))
    for name, listed in streams.items():
        outside = known[name].arrival_rate - fsum([rate for rate, _ in listed])
        if outside > 0.0:
            listed.append((outside, 1))
    return streams


def weigh_turns(one: OperatorEstimate, arrival_scv: float, streams: list[tuple[float, int]]) -> float:
    """a' of one instance where senders deal in turn."""
    total = fsum([rate for rate, _ in streams])
    if total <= 0.0:
        return arrival_scv
    senders = 1.0 / fsum([(rate / total) ** 2 / count for rate, count in streams])
    w = 1.0 / (1.0 + 4.0 * (1.0 - one.utilisation) ** 2 * (senders - 1.0))
    return 1.0 - w + w * arrival_scv / one.processors


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


def wait_as_modelled(answer: Estimate) -> Wait:
    """The wait of the estimate's model, for other service rates."""

    def wait(one: OperatorEstimate, a: float, s: float) -> float:
        return wait_seconds(one.arrival_rate, one.service_rate, one.processors, a, s, answer.model)

    return wait


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
