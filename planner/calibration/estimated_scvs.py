"""How variable services are where nobody measured it: from measured waits, from lengths of queues, or from E[T].

Engines count records and busy time, which tell how long a service takes on average. How much services vary shows in how
long tuples wait: W is longer where they vary more. So intervals with the processors and about the rate of now are taken
together, the waits are modelled for SCVs from 0 to 16, and the SCV is that at which the modelled wait is the one seen:

    measured wait     as it is
    queue lengths     W = mean number of waiting tuples / arrival rate, less the time in buffers (Little's law)
    measured E[T]     what services, delays, and waits that are known leave of it, for all other operators together

ln(wait seen / wait modelled at SCV 1) is shrunk to 0 by its noise, so that without evidence the SCV stays 1. Only
operators of which it is known how arrivals vary, and whose queueing is stated, have an estimate: elsewhere a long wait
may have another cause.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, fsum, inf, log, sqrt

import numpy as np

from planner.arrays import Floats
from planner.calibration.modelled_waits import (
    LITTLE_REST,
    LITTLE_WAIT,
    Interval,
    fill_in,
    find_disturbed,
    find_noises,
)
from planner.calibration.shrunk_ratio import LARGEST, SMALLEST
from planner.errors import PlannerError
from planner.queueing.waiting_models import WAITING_MODELS
from planner.situations.situation import Situation, survey_load
from planner.topology.loads import estimate_services
from planner.topology.service_scvs import TWO_SIDED
from planner.topology.smoothing import average_evenly, smooth_loads
from planner.values import Load, Model, OperatorLoad, ScvEstimate, Topology

SCVS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
AT_ONE = SCVS.index(1.0)
PRIOR_SPREAD = 0.8
"""The deviation of ln(wait / wait at SCV 1) before anything is seen: from services that are alike to an SCV of 4."""
MODEL_NOISE = 0.2**2
"""The relative variance of modelled waits of single operators about true ones."""
WRONG_ARRIVALS = 0.2
"""How much of an estimated SCV may be due to arrivals that vary otherwise than modelled; the interval covers it."""
SETTLING = 3
"""How often estimates are made anew with the others': they shape what arrives at each other."""
LEAST_INTERVALS = 6
NEAR_RATE = 0.15
"""Intervals whose external rate differs by more from that of the load tell of other waits."""
OUTLIER = 8.0
"""A queue so many times as long as the others in the mean, where tuples wait at all, is of a burst: chance makes one of
3,000 so long."""
SKEW_SECONDS = 0.005
"""Counters of two operators are read up to so many seconds apart."""
WRONG_BUFFERS = 0.3
"""The relative error of the time in buffers."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A wait that was seen: its seconds, and its relative variance by chance."""

    seconds: float
    noise: float
    source: str


@dataclass(frozen=True, slots=True)
class Modelled:
    """The intervals taken together, their modelled waits at each of SCVS (in rows), and noises of waits.

    `noises` are of waits measured in all of the intervals' seconds, `at_once` of one number of waiting tuples.
    """

    situation: Situation
    counts: Sequence[int]
    measured: Load
    intervals: Sequence[Load]
    waits: Floats
    noises: Sequence[float]
    at_once: Sequence[float]
    delays: Sequence[float]


def estimate_scvs(
    topology: Topology, load: Load, intervals: Sequence[Interval], model: Model, queued: Collection[str] = ()
) -> Load:
    """The load with the SCVs of services that measured waits, queues and E[T] of these intervals show.

    `intervals` are in order of time, the oldest first. `queued` names the operators whose backlog is the number of
    tuples that wait in their own queues, not a lag that commits hold back.
    """
    unknown = list_unknown(topology, load)
    if not unknown or not WAITING_MODELS[model].uses_scvs:
        return load
    modelled = model_together(topology, load, intervals, unknown, model)
    if modelled is None:
        return load
    found: dict[str, ScvEstimate] = {}
    for name in unknown:
        seen = see_wait(modelled, name) or (see_queue(modelled, name) if name in queued else None)
        if seen is not None:
            found |= find_scvs(modelled, [name], seen)
    found = settle(modelled, found)
    rest = [name for name in unknown if name not in found]
    if rest and (seen := see_rest(modelled, rest, found)) is not None:
        found |= find_scvs(modelled, rest, seen)
    return estimate_services(load, {name: widen(one) for name, one in found.items()}) if found else load


def settle(modelled: Modelled, found: Mapping[str, ScvEstimate]) -> dict[str, ScvEstimate]:
    """The estimates when each one is made with those of the others, which shape what arrives at it."""
    names, settled = modelled.situation.names, dict(found)
    for _ in range(SETTLING if len(found) > 1 else 0):
        now = find_waits(
            survey(modelled.situation, {name: one.scv for name, one in settled.items()}), modelled
        )
        for name, first in found.items():
            place, one = names.index(name), settled[name]
            wanted = find_wait(modelled, place, first.scv)
            factor = wanted / now[place] if now[place] > 0.0 else 1.0
            scv, low, high = (scale_scv(modelled, place, end, factor) for end in (one.scv, one.low, one.high))
            settled[name] = ScvEstimate(scv, low, high, one.source)
    return settled


def widen(one: ScvEstimate) -> ScvEstimate:
    """The estimate with an interval that covers arrivals too that vary otherwise than modelled."""
    return one._replace(low=max(one.low - WRONG_ARRIVALS, 0.0), high=one.high + WRONG_ARRIVALS)


def scale_scv(modelled: Modelled, place: int, scv: float, factor: float) -> float:
    """The SCV at which the modelled wait of an operator is `factor` times that at `scv`."""
    return float(np.interp(factor * find_wait(modelled, place, scv), modelled.waits[:, place], SCVS))


def survey(situation: Situation, scvs: Mapping[str, float]) -> Situation:
    """The situation with these SCVs of services."""
    load = situation.load
    operators = {name: load.operators[name]._replace(service_scv=scv) for name, scv in scvs.items()}
    asked = replace(load, operators={**load.operators, **operators})
    return survey_load(situation.topology, asked, situation.stations.model)


def find_waits(situation: Situation, modelled: Modelled) -> list[float]:
    """The modelled waits of all operators with the processors that ran."""
    waits = situation.wait_seconds(modelled.counts)
    return situation.stations.find_queue_waits(waits, modelled.counts)


def list_unknown(topology: Topology, load: Load) -> list[str]:
    """The operators whose services vary nobody knows how much, while arrivals and queueing are known."""
    return [
        one.name
        for one in topology.operators
        if (measured := load.operators.get(one.name)) is not None
        and measured.service_scv is None
        and measured.service_rate is not None
        and measured.processors is not None
        and (one.queueing is not None or measured.processors == 1)
        and (load.external_idc or measured.arrival_idc or measured.arrival_scv is not None)
        and not measured.is_unjudged
        and one.concurrency == 1
    ]


def model_together(
    topology: Topology, load: Load, intervals: Sequence[Interval], unknown: Sequence[str], model: Model
) -> Modelled | None:
    """The intervals like the newest, taken together and modelled; None where they are few, or an operator cannot
    keep up.
    """
    disturbed = find_disturbed(intervals)
    alike = [
        one for place, one in enumerate(intervals) if place not in disturbed and is_alike(one.load, load)
    ]
    if len(alike) < LEAST_INTERVALS:
        return None
    loads = [one.load for one in alike]
    measured = smooth_loads(loads, average_evenly, lambda count: [1.0] * count)[0]
    filled = replace(fill_in(measured, load), external_idc=load.external_idc)
    try:
        known = survey_load(topology, filled, model)
        counts = [filled.operators[name].processors or 1 for name in known.names]
        asked = [survey(known, dict.fromkeys(unknown, scv)) for scv in SCVS]
        all_waits = [one.wait_seconds(counts) for one in asked]
    except PlannerError:
        return None
    rows = [known.stations.find_queue_waits(waits, counts) for waits in all_waits]
    waits = np.maximum.accumulate(np.array(rows), axis=0)
    if not np.isfinite(waits).all():
        return None
    seconds = fsum([one.seconds or 1.0 for one in alike])
    noises, at_once = (
        find_noises(known, Interval(known.load, seconds=length), counts, rows[AT_ONE])
        for length in (seconds, 1e-12)
    )
    beyond = [float(wait) - alone for wait, alone in zip(all_waits[AT_ONE], rows[AT_ONE], strict=True)]
    return Modelled(known, counts, measured, loads, waits, noises, at_once, beyond)


def is_alike(interval: Load, load: Load) -> bool:
    """Whether an interval ran with the processors of the load, at about its rate."""
    if abs(interval.external_rate - load.external_rate) > NEAR_RATE * load.external_rate:
        return False
    return all(
        interval.operators.get(name, OperatorLoad()).processors == one.processors
        for name, one in load.operators.items()
    )


def see_wait(modelled: Modelled, name: str) -> Seen | None:
    """The measured wait of an operator; None where it is not measured."""
    seconds = modelled.measured.operators[name].measured_wait_seconds
    if seconds is None:
        return None
    return Seen(seconds, modelled.noises[modelled.situation.names.index(name)], "measured waits")


def see_queue(modelled: Modelled, name: str) -> Seen | None:
    """The wait that the lengths of an operator's queue at the ends of intervals tell; None where they are few."""
    pairs = [
        (one.backlog_tuples, one.exchange_seconds)
        for load in modelled.intervals
        if (one := load.operators[name]).backlog_tuples is not None
    ]
    pairs = [pair for pair in pairs if not is_outlier(pair[0], [length for length, _ in pairs if length])]
    place = modelled.situation.names.index(name)
    rate, wait = float(modelled.situation.flow.arrival_rates[place]), float(modelled.waits[AT_ONE][place])
    if len(pairs) < LEAST_INTERVALS or not rate or not wait:
        return None
    buffered = fsum([seconds for _, seconds in pairs]) / len(pairs)
    seconds = fsum([waiting for waiting, _ in pairs]) / len(pairs) / rate - buffered
    by_chance = modelled.at_once[place] + 1.0 / (rate * wait) + (SKEW_SECONDS / wait) ** 2
    noise = by_chance / len(pairs) + (WRONG_BUFFERS * buffered / wait) ** 2
    return Seen(max(seconds, 0.0), noise, "lengths of queues")


def is_outlier(length: float, lengths: Sequence[float]) -> bool:
    """Whether a queue is far longer than the others of `lengths`, which are those above 0."""
    others = len(lengths) - 1
    return others >= 1 and length > OUTLIER * max(fsum(lengths) - length, 1.0) / others


def see_rest(modelled: Modelled, rest: Sequence[str], found: Mapping[str, ScvEstimate]) -> Seen | None:
    """The time that a measured E[T] leaves for the waits of operators; None where it is little, or not measured."""
    measured, names = modelled.measured.measured_sojourn_seconds, modelled.situation.names
    if measured is None:
        return None
    visits = [float(one) for one in modelled.situation.flow.visits]
    known, modelled_rest, noise = modelled.situation.find_lower_bound(), 0.0, 0.0
    for place, name in enumerate(names):
        wait = float(modelled.waits[AT_ONE][place])
        known += visits[place] * modelled.delays[place]
        noise += (visits[place] * wait) ** 2 * modelled.noises[place]
        if name in rest:
            modelled_rest += visits[place] * wait
        else:
            seen = modelled.measured.operators[name].measured_wait_seconds
            at = found[name].scv if name in found else 1.0
            known += visits[place] * (find_wait(modelled, place, at) if seen is None else seen)
    if modelled_rest < LITTLE_REST * known:
        return None
    return Seen(max(measured - known, 0.0), noise / modelled_rest**2, "measured E[T]")


def find_wait(modelled: Modelled, place: int, scv: float) -> float:
    """The modelled wait of an operator with services of an SCV; the SCV does not matter where it is known."""
    return float(np.interp(scv, SCVS, modelled.waits[:, place]))


def find_scvs(modelled: Modelled, names: Sequence[str], seen: Seen) -> dict[str, ScvEstimate]:
    """The SCVs at which the waits of these operators are together as long as seen, each with its interval.

    Nothing where tuples hardly wait, or where waits do not depend on the SCV.
    """
    places = [modelled.situation.names.index(name) for name in names]
    visits = np.array([float(modelled.situation.flow.visits[place]) for place in places])
    weights = visits if len(names) > 1 or seen.source == "measured E[T]" else np.ones(1)
    curve = modelled.waits[:, places] @ weights
    wait, service = (
        curve[AT_ONE],
        float(weights @ [1.0 / modelled.situation.stations.service_rate[one] for one in places]),
    )
    if not LITTLE_WAIT * service < wait < inf or curve[-1] <= curve[0]:
        return {}
    noise = seen.noise + MODEL_NOISE
    kept = PRIOR_SPREAD**2 / (PRIOR_SPREAD**2 + noise)
    ratio = min(max(seen.seconds / wait, SMALLEST), LARGEST)
    middle, aside = kept * log(ratio), TWO_SIDED * sqrt(kept * noise)
    low, scv, high = (
        float(np.interp(wait * exp(middle + step), curve, SCVS)) for step in (-aside, 0.0, aside)
    )
    return {name: ScvEstimate(scv, low, high, seen.source) for name in names}
