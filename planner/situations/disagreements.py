"""Causes of a measured sojourn time far from the estimate, the likeliest first, each with the E[T] that it would give.

Each of these E[T] is an estimate of the topology or load with one change.
"""

from collections.abc import Callable, Container
from dataclasses import replace
from math import fsum

from planner.queueing.instances.inflows import build_stations, requeue
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.queueing.sojourns import sum_work
from planner.queueing.waiting_models import WAITING_MODELS
from planner.situations.keys import is_skew_known
from planner.topology.loads import take_configured
from planner.values import Diagnostic, Estimate, InstanceLoad, Load, Model, OperatorLoad, Spread, Topology
from planner.wording import write_factor, write_percent, write_seconds

# The models err by less than 20% (Whitt 1993); a factor of two has another cause.
SOJOURN_TOLERANCE = 2.0
# Assumed sizes of causes that are not measured: an instance with 1.5 times its fair share, arrivals ten times as
# variable as single gaps show, service rates wrong by a tenth.
HOT_SHARE, BURST, WRONG_RATE = 1.5, 10.0, 0.1
MOST_SKEWED = 256


def compare_sojourn(topology: Topology, answer: Estimate, load: Load) -> tuple[Diagnostic, ...]:
    """A diagnostic where the measured sojourn is more than twice, or less than half, the estimate."""
    measured, expected = load.measured_sojourn_seconds, answer.expected_sojourn_seconds
    if not measured or not expected:
        return ()
    if 1.0 / SOJOURN_TOLERANCE <= measured / expected <= SOJOURN_TOLERANCE:
        return ()
    list_causes = list_longer if measured > expected else list_shorter
    causes = list_causes(topology, answer, take_configured(topology, load))
    listed = "; ".join(f"({place}) {cause}" for place, cause in enumerate(causes, 1))
    return (
        Diagnostic(
            "sojourn-disagrees",
            f"The measured E[T] of {write_seconds(measured)} is {write_factor(measured / expected)} the estimated "
            f"{write_seconds(expected)}. Possible causes, the likeliest first, with the E[T] that each alone would "
            f"give: {listed}.",
        ),
    )


def list_longer(topology: Topology, answer: Estimate, load: Load) -> list[str]:
    """Causes of a sojourn time longer than modelled, except causes that measurements or a stated queueing rule out."""
    several = {one.name for one in answer.operators if one.visits and one.processors > 1}
    unstated = {one.name for one in topology.operators if one.queueing is None} & several
    unmeasured = {one.name for one in topology.operators if not is_skew_known(load.operators[one.name])}
    may_be_skewed = (
        unstated | {one.name for one in answer.operators if one.queueing == KEYED} & several & unmeasured
    )
    without_bursts = {name for name, one in load.operators.items() if not one.arrival_idc}
    causes = []
    if unstated:
        in_turn, at_random = (
            write_sojourn(requeue(topology, unstated, queueing), answer, load)
            for queueing in (ROUND_ROBIN, RANDOM)
        )
        causes.append(
            f"every processor has a queue of its own: E[T] is {in_turn} if tuples are dealt in turn, "
            f"{at_random} if at random"
        )
    if without_bursts:
        model = answer.model if WAITING_MODELS[answer.model].uses_scvs else "ggk"
        bursty = write_sojourn(topology, answer, multiply_bursts(load, without_bursts), model)
        causes.append(
            "tuples arrive in bursts, which the variability of single gaps does not show: "
            f"E[T] is {bursty} at {write_factor(BURST)} that variability"
        )
    if may_be_skewed:
        keyed = requeue(topology, may_be_skewed, KEYED)
        hot = write_sojourn(keyed, answer, skew_keys(load, answer, may_be_skewed))
        causes.append(
            f"keys are skewed: E[T] is {hot} where one instance gets {write_factor(HOT_SHARE)} its fair share"
        )
    rest = (load.measured_sojourn_seconds or 0.0) - (answer.expected_sojourn_seconds or 0.0)
    slow = write_sojourn(topology, answer, change_rates(load, 1.0 - WRONG_RATE))
    return [
        *causes,
        f"time passes outside the operators, such as on the network: {write_seconds(rest)} would explain it",
        f"service rates are measured too high: E[T] is {slow} if they are {write_percent(WRONG_RATE)} lower",
    ]


def list_shorter(topology: Topology, answer: Estimate, load: Load) -> list[str]:
    """Causes of a sojourn time shorter than modelled."""
    calm = fsum(
        one.visits * ((one.concurrency or 1) / one.service_rate + (one.delay_seconds or 0.0))
        for one in answer.operators
    )
    fast = write_sojourn(topology, answer, change_rates(load, 1.0 + WRONG_RATE))
    longest = max(one.sojourn_seconds or 0.0 for one in answer.operators)
    return [
        f"forked tuples are processed at once, but E[T] adds their times: the longest is {write_seconds(longest)}",
        f"arrivals or services vary less than measured or assumed: E[T] is {write_seconds(calm)} without any wait",
        f"service rates are measured too low: E[T] is {fast} if they are {write_percent(WRONG_RATE)} higher",
    ]


def write_sojourn(topology: Topology, answer: Estimate, load: Load, model: Model | None = None) -> str:
    """E[T] as text, for the processors and arrival rates of `answer` under another topology, load or model."""
    operators = answer.operators
    rates = [one.arrival_rate for one in operators]
    stations = build_stations(topology, load, rates, model or answer.model)
    waits = stations.add_delays(stations.wait_seconds([one.processors for one in operators]))
    return write_seconds(sum_work([one.visits for one in operators], waits, stations.service_rate))


def multiply_bursts(load: Load, names: Container[str]) -> Load:
    """The load with arrivals at the operators `names` BURST times as variable; an SCV that is not measured is 1."""

    def change(_name: str, one: OperatorLoad) -> OperatorLoad:
        return one._replace(arrival_scv=BURST * (1.0 if one.arrival_scv is None else one.arrival_scv))

    return change_operators(load, change, names)


def skew_keys(load: Load, answer: Estimate, names: Container[str]) -> Load:
    """The load in which one of the k instances of each operator in `names` gets HOT_SHARE/k of its arrivals.

    The other instances get the rest evenly. Of more than MOST_SKEWED instances, KeyShares gets the same from two with
    shares of 1/2 ± (HOT_SHARE − 1)/k.
    """
    counts = {one.name: one.processors for one in answer.operators}

    def change(name: str, one: OperatorLoad) -> OperatorLoad:
        count = counts[name]
        if count <= MOST_SKEWED:
            rest = [InstanceLoad(str(i), (1.0 - HOT_SHARE / count) / (count - 1)) for i in range(1, count)]
            return one._replace(instances=(InstanceLoad("hot", HOT_SHARE / count), *rest))
        more = (HOT_SHARE - 1.0) / count
        return one._replace(instances=(InstanceLoad("hot", 0.5 + more), InstanceLoad("cold", 0.5 - more)))

    return change_operators(load, change, names)


def change_rates(load: Load, factor: float) -> Load:
    """The load with all service rates multiplied by `factor`."""

    def change(_name: str, one: OperatorLoad) -> OperatorLoad:
        return one._replace(service_rate=(one.service_rate or 0.0) * factor)

    return change_operators(load, change, load.operators)


def change_operators(
    load: Load, change: Callable[[str, OperatorLoad], OperatorLoad], names: Container[str]
) -> Load:
    operators = load.operators.items()
    return replace(
        load, operators={name: change(name, one) if name in names else one for name, one in operators}
    )


def compare_completion(load: Load, answer: Estimate, completion: Spread) -> tuple[Diagnostic, ...]:
    """A diagnostic if the measured completion is more than twice, or less than half, the modelled one."""
    measured, modelled = load.measured_completion_seconds, completion.mean_seconds
    if not measured or not modelled or not is_running(load, answer):
        return ()
    ratio = measured / modelled
    if 1.0 / SOJOURN_TOLERANCE <= ratio <= SOJOURN_TOLERANCE:
        return ()
    cause = (
        "Tuples wait longer than modelled, or time passes outside the operators, such as on the network."
        if ratio > 1.0
        else "Tuples wait less than modelled, or the log ends before the last derived tuples are finished."
    )
    detail = (
        f"The measured mean time to completion, {write_seconds(measured)}, is {write_factor(ratio)} the modelled one, "
        f"{write_seconds(modelled)}. {cause}"
    )
    return (Diagnostic("completion-disagrees", detail),)


def is_running(load: Load, answer: Estimate) -> bool:
    """Whether the answer has the processors that run by the load, as far as the load names them."""
    return all(load.operators[one.name].processors in {None, one.processors} for one in answer.operators)
