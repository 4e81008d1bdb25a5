"""The load and the correction of waits that only steady intervals tell of.

An interval in which processors were changed, or a backlog of that change was worked off, says nothing of E[T]. The
load is the mean of the steady intervals, where the weight halves with every 13 minutes of age; shares of instances come
from intervals with one number of processors. An operator that became slower beyond chance has its newest service rate
at once. The correction is the factor of measured over modelled waits,

    c = median (M − S)/(E − S)  over the newest 30 minutes,   shrunk towards 1 and bounded

with the measured time M, the modelled time E and the time S of services alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from statistics import median

import numpy as np

from planner.calibration.modelled_waits import Interval
from planner.calibration.wait_correction import UNCORRECTED, Correction
from planner.economics.history import History
from planner.economics.needs import Needs
from planner.situations.situation import Situation, scale_load
from planner.topology.loads import take_configured
from planner.topology.smoothing import smooth_loads
from planner.values import Load, Topology

HALF_LIFE, CALIBRATED = 13.0, 30.0
SHRUNK_BY = 5
LEAST, MOST = 0.6, 1.6
LEAST_WAIT = 0.05
SLOWER, BEYOND_CHANCE = 0.2, 3.0
"""An operator whose newest service rate is lower than usual by more than SLOWER, and by more than BEYOND_CHANCE
deviations of the mean of its services, has become slower."""


def smooth_steady(loads: Sequence[Load], history: History) -> Load:
    """The load of the newest steady intervals; `loads` are the newest as they were measured, oldest first."""
    steady = [place for place in range(len(loads)) if history.is_steady(history.place(len(loads) - place))]
    if not steady:
        steady = [len(loads) - 1]
    fading: float = 0.5 ** (history.step / history.size / HALF_LIFE)

    def average(values: Sequence[float]) -> float:
        weights = fading ** np.arange(len(values))[::-1]
        return float((weights * np.asarray(values, dtype=float)).sum() / weights.sum())

    def weigh(count: int) -> Sequence[float]:
        return [fading**age for age in range(count - 1, -1, -1)]

    all_of = smooth_loads([loads[place] for place in steady], average, weigh)[0]
    ran = [history.intervals[history.place(len(loads) - place)].counts for place in steady]
    alike = [place for place, counts in zip(steady, ran, strict=True) if counts == ran[-1]]
    if len(alike) == len(steady):
        return all_of
    newest = smooth_loads([loads[place] for place in alike], average, weigh)[0]
    operators = {
        name: one._replace(
            instances=newest.operators[name].instances, processors=newest.operators[name].processors
        )
        for name, one in all_of.operators.items()
        if name in newest.operators
    }
    return replace(all_of, operators={**all_of.operators, **operators})


def smooth_seen(
    topology: Topology, load: Load, intervals: Sequence[Interval], window_seconds: float, seen: History
) -> Load:
    """The load of the steady intervals, with the factors of waits that calibration found for `load`."""
    loads = [one.load for one in intervals][-seen.size * len(seen.intervals) :]
    steady = smooth_steady(loads, seen)
    operators = {
        name: one._replace(
            wait_factor=load.operators[name].wait_factor if name in load.operators else one.wait_factor
        )
        for name, one in steady.operators.items()
    }
    found = take_slower(replace(steady, operators=operators), loads[-1], window_seconds)
    return take_configured(topology, found)


def take_slower(load: Load, newest: Load, window_seconds: float) -> Load:
    """The load with the newest service rate of operators that became slower beyond chance: a mean would see it late."""
    operators = dict(load.operators)
    for name, now in newest.operators.items():
        usual = operators.get(name)
        if usual is None or not usual.service_rate or not now.service_rate:
            continue
        arrived = newest.external_rate if now.arrival_rate is None else now.arrival_rate
        chance = BEYOND_CHANCE / sqrt(max(arrived * window_seconds, 1.0))
        if now.service_rate < (1.0 - max(SLOWER, chance)) * usual.service_rate:
            operators[name] = usual._replace(service_rate=now.service_rate)
    return replace(load, operators=operators)


def see_newest(situation: Situation, rate: float, seen: History) -> Situation:
    """The situation of steady intervals at the rate and with the measured time of the newest interval."""
    newest = scale_load(situation, rate)
    return newest._replace(load=replace(newest.load, measured_sojourn_seconds=seen.intervals[-1].seconds))


def find_correction(needs: Needs, history: History) -> Correction:
    """The factor of measured over modelled waits, with the number of intervals behind it."""
    newest = range(max(0, len(history.intervals) - round(CALIBRATED / history.step)), len(history.intervals))
    groups: dict[tuple[int, ...], list[tuple[float, float]]] = {}
    for place in newest:
        one = history.intervals[place]
        if one.seconds is not None and one.rate > 0.0 and history.is_steady(place):
            groups.setdefault(one.counts, []).append((one.rate, one.seconds))
    service = needs.situation.find_lower_bound()
    ratios: list[float] = []
    for counts, seen in groups.items():
        rates = [rate for rate, _ in seen]
        grid = np.linspace(min(rates), max(rates), 3) if max(rates) > min(rates) else np.array(rates[:1])
        speeds = [needs.find_speed(counts, float(rate)) for rate in grid]
        for rate, seconds in seen:
            speed = float(np.interp(rate, grid, speeds))
            if speed > 0.0:
                modelled = max(1.0 / speed - service, LEAST_WAIT * service)
                ratios.append((seconds - service) / modelled)
    if not ratios:
        return UNCORRECTED
    factor = (len(ratios) * median(ratios) + SHRUNK_BY) / (len(ratios) + SHRUNK_BY)
    return Correction(min(max(factor, LEAST), MOST), intervals=len(ratios))
