"""Runs and measures a simulated system. Import this module late: it loads the compiler, which takes half a second."""

from collections.abc import Callable, Sequence
from math import fsum

import numpy as np

from planner.arrays import Floats
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.simulation.laws import ServiceLaw
from planner.simulation.measures import ARRIVED, BUSY, SOJOURN, WAIT, Tally
from planner.simulation.results import ServedVisits, SimulatedOperator, Simulation, VisitLog
from planner.simulation.runs.events import run_by_events
from planner.simulation.runs.station_by_station import run_stations
from planner.simulation.system import OUTSIDE, UNBOUNDED, Link, Scenario, SimulatedStation, System
from planner.values import SHARED

Recorder = Callable[[ServedVisits], None]
Report = Callable[[float], None]


def run_scenario(scenario: Scenario, window: Floats, record: Recorder) -> Floats:
    """Simulates all roots and passes visits to `record`; returns how long each server was blocked within the window."""
    system, arrivals, seed = scenario
    is_plain = all(one.capacity == UNBOUNDED and one.concurrency == 1 for one in system.stations)
    if system.order and is_plain:
        run_stations(system, arrivals, seed, record)
        return np.zeros(len(system.stations))
    return run_by_events(system, arrivals, seed, window, record)


def measure_scenario(
    scenario: Scenario, levels: Sequence[float], warm_up_roots: int, report: Report | None = None
) -> Simulation:
    """Simulates and measures a scenario, without diagnostics; `report` is called with the finished part of the work."""
    system, arrivals, seed = scenario
    tallied = Tally.start(arrivals, warm_up_roots, len(system.stations))
    record = tallied.record if report is None else make_reporting(tallied.record, scenario, report)
    blocked = run_scenario(scenario, tallied.window, record)
    return Simulation(
        total=tallied.measure_totals(levels),
        completion=tallied.measure_completions(levels),
        operators=tuple(
            describe_station(place, station, tallied, float(blocked[place]))
            for place, station in enumerate(system.operators)
        ),
        events=tallied.count_events(),
        roots=len(arrivals),
        warm_up_roots=warm_up_roots,
        simulated_seconds=float(np.max(tallied.last)),
        seed=seed,
        diagnostics=(),
    )


def make_reporting(record: Recorder, scenario: Scenario, report: Report) -> Recorder:
    """A recorder of visits that calls `record`, and then `report` with the finished part of the expected visits."""
    expected = len(scenario.arrivals) * fsum(scenario.system.visits)
    done = 0

    def record_and_report(visits: ServedVisits) -> None:
        nonlocal done
        record(visits)
        done += len(visits.root)
        report(min(done / expected, 1.0))

    return record_and_report


def describe_station(
    place: int, station: SimulatedStation, tallied: Tally, blocked_seconds: float
) -> SimulatedOperator:
    """The measures of one simulated operator, from its tallied visits and the blocked time of its servers."""
    seconds = float(tallied.window[1] - tallied.window[0])
    time = seconds * station.processors
    return SimulatedOperator(
        station.name,
        tallied.visits_by_root(place),
        float(tallied.busy[place, ARRIVED]) / seconds if seconds else 0.0,
        tallied.mean_by_visit(place, WAIT),
        tallied.half_width_by_visit(place, WAIT),
        tallied.mean_by_visit(place, SOJOURN) + station.delay_seconds,
        float(tallied.busy[place, BUSY]) / time if time else 0.0,
        station.instances,
        blocked_seconds / time if time else 0.0,
    )


def log_visits(scenario: Scenario) -> VisitLog:
    """All visits of a simulation, in order of arrival."""
    parts: list[ServedVisits] = []
    run_scenario(scenario, np.zeros(2), parts.append)
    parts = [part for part in parts if part.station < len(scenario.system.operators)]
    station = np.repeat([part.station for part in parts], [len(part.root) for part in parts])
    columns = [
        np.concatenate([part[column] for part in parts]) for column in range(1, len(ServedVisits._fields))
    ]
    order = np.argsort(columns[2], kind="stable")
    instance, root, arrived, started, finished = (column[order] for column in columns)
    return VisitLog(station[order], instance, root, arrived, started, finished, scenario.arrivals)


def warm_up_engine() -> None:
    """Calls every compiled function once, with the types of all calls."""
    law = ServiceLaw("exponential", 0.5)
    stations = tuple(
        SimulatedStation(queueing, 2, queueing, law, (0.5, 1.0))
        for queueing in (SHARED, ROUND_ROBIN, RANDOM, KEYED)
    )
    links = (Link(OUTSIDE, 0, 1.0), Link(0, 1, 1.0), Link(1, 2, 1.5), Link(2, 3, 0.5))
    arrivals = np.arange(1.0, 21.0)
    for order in ((0, 1, 2, 3), ()):  # without events, and with them
        system = System(stations, links, (1.0, 1.0, 1.5, 0.75), order, 1.0, ())
        measure_scenario(Scenario(system, arrivals, 1), (0.5,), 2)
