"""Measured intervals beside the model: the modelled wait at every operator, and the noise of each measured wait.

Values that an interval did not measure are filled in from the load that all intervals make together. Where waits of
single operators are not measured, the total time M leaves a rest for them. vᵢ are the visits, μᵢ the service rates, and
Wᵢ the modelled waits:

    rest = M − Σ vᵢ/μᵢ − Σ vᵢMᵢ over the operators with a measured wait Mᵢ,    modelled rest = Σ vᵢWᵢ over the others
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, fsum, inf
from typing import Literal, NamedTuple

from planner.calibration.shrunk_ratio import (
    SeenWait,
    Waits,
    find_bursts,
    find_noise,
    find_variability,
    guess_probability,
)
from planner.errors import PlannerError
from planner.situations.situation import Situation, survey_load
from planner.values import SHARED, Load, Model, OperatorLoad, Topology

# The largest number of intervals times operators: modelling them takes some tenths of a second.
MOST_LOOKED_AT = 30_000
QUEUE_SECONDS = 1.0
"""Tuples that an operator serves within this time are an ordinary queue, and no backlog."""


@dataclass(frozen=True, slots=True)
class Interval:
    """One measured interval: its load, its weight among the intervals, and its length in seconds, or None
    if not known.
    """

    load: Load
    weight: float = 1.0
    seconds: float | None = None


def as_interval(load: Load, topology: Topology, running: Sequence[int]) -> Interval:
    """Returns the load as one measured interval in which the processors `running` ran."""
    counts = dict(zip([operator.name for operator in topology.operators], running, strict=True))
    operators = {
        name: one._replace(processors=counts.get(name, one.processors))
        for name, one in load.operators.items()
    }
    return Interval(replace(load, operators=operators))


def limit_intervals(
    topology: Topology, intervals: Sequence[Interval], most_looked_at: int = MOST_LOOKED_AT
) -> Sequence[Interval]:
    """The newest intervals, so that intervals × operators are at most `most_looked_at`, and at least one interval."""
    most = max(1, most_looked_at // max(1, len(topology.operators)))
    return intervals[-most:]


def find_disturbed(intervals: Sequence[Interval]) -> frozenset[int]:
    """The places of the intervals, oldest first, in which an operator worked off tuples that had gathered before.

    Their times do not tell of their own processors and rate.
    """
    pairs = enumerate(pairwise(intervals), 1)
    places = {place for place, (before, one) in pairs if is_working_off(before.load, one.load)}
    # With how much the oldest interval began is not known, but tuples had gathered where the next one works off.
    return frozenset(places | {0} if 1 in places else places)


def is_working_off(before: Load, load: Load) -> bool:
    """Whether an operator began an interval with a backlog of the interval before, and ended it with less.

    A backlog is more than QUEUE_SECONDS of the operator's work. One that grows tells of the present processors.
    """
    for name, one in load.operators.items():
        at_begin, at_end = before.operators.get(name, OperatorLoad()).backlog_tuples, one.backlog_tuples
        work = (one.processors or 0) * (one.service_rate or 0.0) * QUEUE_SECONDS
        if at_begin is not None and at_end is not None and work > 0.0 and at_begin > max(work, at_end):
            return True
    return False


def fill_in(interval: Load, load: Load) -> Load:
    """The interval's load; values that it did not measure are taken from `load`, which all intervals make together.

    Shares of instances are taken only where as many instances ran in the interval.
    """
    operators = {}
    for name, other in load.operators.items():
        one = interval.operators.get(name, OperatorLoad())
        instances = one.instances
        if not instances and one.processors == other.processors:
            instances = other.instances
        operators[name] = one._replace(
            service_rate=other.service_rate if one.service_rate is None else one.service_rate,
            arrival_scv=other.arrival_scv if one.arrival_scv is None else one.arrival_scv,
            service_scv=other.service_scv if one.service_scv is None else one.service_scv,
            is_scv_configured=other.is_scv_configured if one.service_scv is None else one.is_scv_configured,
            scv_estimate=other.scv_estimate if one.service_scv is None else one.scv_estimate,
            arrival_idc=one.arrival_idc or other.arrival_idc,
            instances=instances,
            wait_factor=other.wait_factor,
        )
    return replace(interval, operators=operators)


Gap = Literal["not-measured", "processors-unknown", "nothing-arrives", "unstable", "hardly-any-wait"]
"""The reason why an interval gives no factor for an operator."""
# A measured wait below this part of a service is the time to hand tuples over, not a queue.
LITTLE_WAIT = 0.02
# The same bound for a calibration, which takes longer per interval.
MOST_CALIBRATING = 6_000


class ModelledInterval(NamedTuple):
    """The modelled waits of one interval, in topology order; `place` is the interval's place among all intervals."""

    place: int
    interval: Interval
    situation: Situation
    processors: list[int | None]
    waits: list[float]
    noises: list[float]

    def measured(self, operator: int) -> OperatorLoad:
        """The operator's load as this interval measured it."""
        return self.interval.load.operators.get(self.situation.names[operator], OperatorLoad())

    def count_tuples(self, operator: int) -> float:
        """The weight of the operator's tuples: their number if the interval's length is known, else their rate."""
        rate = float(self.situation.flow.arrival_rates[operator])
        return self.interval.weight * rate * (self.interval.seconds or 1.0)


def model_intervals(
    topology: Topology, load: Load, intervals: Sequence[Interval], model: Model
) -> list[ModelledInterval]:
    """The newest intervals with modelled waits, without those that cannot be modelled or are disturbed."""
    newest = limit_intervals(topology, intervals, MOST_CALIBRATING)
    before = len(intervals) - len(newest)
    disturbed = find_disturbed(intervals)
    found = [
        model_interval(topology, load, place, one, model)
        for place, one in enumerate(newest, before)
        if place not in disturbed
    ]
    return [one for one in found if one is not None]


def model_interval(
    topology: Topology, load: Load, place: int, interval: Interval, model: Model
) -> ModelledInterval | None:
    """The modelled waits of an interval under its own load and processors; None if its load cannot be modelled."""
    if not interval.load.external_rate:
        return None
    try:
        situation = survey_load(topology, fill_in(interval.load, load), model)
    except PlannerError:
        return None
    known = [interval.load.operators.get(name, OperatorLoad()).processors for name in situation.names]
    rates = zip(situation.flow.arrival_rates, situation.stations.service_rate, strict=True)
    offered = [float(rate / service) for rate, service in rates]
    # The processors upstream shape a stream; if their number is unknown, any number that keeps up is near enough.
    counts = [ceil(a + 1.0) if one is None else one for one, a in zip(known, offered, strict=True)]
    waits = situation.stations.find_queue_waits(situation.wait_seconds(counts), counts)
    return ModelledInterval(
        place, interval, situation, known, waits, find_noises(situation, interval, counts, waits)
    )


def find_noises(
    situation: Situation, interval: Interval, counts: Sequence[int], waits: Sequence[float]
) -> list[float]:
    """The relative variance of each operator's measured wait by chance; inf where an operator could not keep up."""
    measured = [situation.load.operators[name] for name in situation.names]
    bursts = find_bursts(measured)
    noises = []
    for place, operator in enumerate(situation.topology.operators):
        count, rate = counts[place], float(situation.flow.arrival_rates[place])
        mu, wait = float(situation.stations.service_rate[place]), waits[place]
        if wait == inf:
            noises.append(inf)
            continue
        variability = find_variability(measured[place], bursts, operator.queueing, count)
        utilisation = rate / mu / count
        servers = count if operator.queueing in {None, SHARED} else 1
        probability = guess_probability(wait * mu * servers, utilisation, variability)
        tuples = None if interval.seconds is None else rate * interval.seconds
        noises.append(find_noise(Waits(tuples, utilisation, probability, variability)))
    return noises


def see_wait(modelled: ModelledInterval, operator: int) -> SeenWait | Gap:
    """The operator's measured wait beside the modelled one, or the reason why they cannot be compared.

    Which intervals count follows from loads and processors alone, never from how long tuples were measured to wait.
    """
    wait = modelled.waits[operator]
    measured = modelled.measured(operator).measured_wait_seconds
    if measured is None:
        return "not-measured"
    if modelled.processors[operator] is None:
        return "processors-unknown"
    if not modelled.situation.flow.arrival_rates[operator]:
        return "nothing-arrives"
    if wait == inf:
        return "unstable"
    if wait * modelled.situation.stations.service_rate[operator] < LITTLE_WAIT:
        return "hardly-any-wait"
    noise, tuples = modelled.noises[operator], modelled.count_tuples(operator)
    return SeenWait(modelled.place, measured, wait, noise, tuples)


# A rest shorter than this part of all services is within the error of the service rates.
LITTLE_REST = 0.2


def see_rest(modelled: ModelledInterval, others: Sequence[int]) -> SeenWait | None:
    """The time that a measured total leaves for the waits of the operators `others`, beside the modelled time.

    None if it cannot be computed.
    """
    measured = modelled.interval.load.measured_sojourn_seconds
    visits = [float(one) for one in modelled.situation.flow.visits]
    visited = [one for one in others if visits[one]]
    if measured is None or not visited:
        return None
    if any(modelled.processors[one] is None or modelled.waits[one] == inf for one in visited):
        return None
    known = []
    for operator, times in enumerate(visits):
        if operator not in others and times:
            wait = modelled.measured(operator).measured_wait_seconds
            if wait is None:
                return None
            known.append(times * wait)
    services = modelled.situation.find_lower_bound()
    waits = [visits[one] * modelled.waits[one] for one in visited]
    rest = fsum(waits)
    if rest < LITTLE_REST * services:
        return None
    noise = fsum(
        [(wait / rest) ** 2 * modelled.noises[one] for one, wait in zip(visited, waits, strict=True)]
    )
    tuples = (
        modelled.interval.weight * modelled.situation.load.external_rate * (modelled.interval.seconds or 1.0)
    )
    return SeenWait(modelled.place, max(0.0, measured - services - fsum(known)), rest, noise, tuples)
