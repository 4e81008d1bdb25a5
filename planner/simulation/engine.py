"""Runs a system and measures it. This module loads the compiler, which takes half a second: import it when needed."""

from collections.abc import Callable, Sequence

import numpy as np

from planner.arrays import Floats
from planner.simulation.acyclic import run_acyclic
from planner.simulation.measures import ARRIVED, BUSY, SOJOURN, WAIT, Tally
from planner.simulation.results import SimulatedOperator, Simulation
from planner.simulation.system import Scenario, Station
from planner.simulation.visits import ServedVisits, VisitLog


def run_scenario(scenario: Scenario, record: Callable[[ServedVisits], None]) -> Floats:
    """Simulates all roots; `record` gets the visits. The seconds that servers of each station were blocked."""
    system, arrivals, seed = scenario
    if not system.order or any(station.capacity >= 0 for station in system.stations):
        raise NotImplementedError("loops and bounded queues come with the next commit")
    run_acyclic(system, arrivals, seed, record)
    return np.zeros(len(system.stations))


def measure_scenario(scenario: Scenario, levels: Sequence[float], warm_up_roots: int) -> Simulation:
    """The answer of a simulation, without diagnostics."""
    system, arrivals, seed = scenario
    tallied = Tally.start(arrivals, warm_up_roots, len(system.stations))
    blocked = run_scenario(scenario, tallied.record)
    return Simulation(
        total=tallied.measure_totals(levels),
        completion=tallied.measure_completions(levels),
        operators=tuple(
            describe_station(place, station, tallied, float(blocked[place]))
            for place, station in enumerate(system.stations)
        ),
        events=tallied.count_events(),
        roots=len(arrivals),
        warm_up_roots=warm_up_roots,
        simulated_seconds=float(np.max(tallied.last)),
        seed=seed,
        diagnostics=(),
    )


def describe_station(
    place: int, station: Station, tallied: Tally, blocked_seconds: float
) -> SimulatedOperator:
    """What was measured at one station."""
    seconds = tallied.window_seconds()
    time = seconds * station.processors
    return SimulatedOperator(
        station.name,
        tallied.visits_by_root(place),
        float(tallied.busy[place, ARRIVED]) / seconds if seconds else 0.0,
        tallied.mean_by_visit(place, WAIT),
        tallied.half_width_by_visit(place, WAIT),
        tallied.mean_by_visit(place, SOJOURN),
        float(tallied.busy[place, BUSY]) / time if time else 0.0,
        station.processors,
        blocked_seconds / time if time else 0.0,
    )


def log_visits(scenario: Scenario) -> VisitLog:
    """All visits of a simulation, in order of arrival."""
    parts: list[ServedVisits] = []
    run_scenario(scenario, parts.append)
    station = np.repeat([part.station for part in parts], [len(part.root) for part in parts])
    columns = [
        np.concatenate([part[column] for part in parts]) for column in range(1, len(ServedVisits._fields))
    ]
    order = np.argsort(columns[2], kind="stable")
    instance, root, arrived, started, finished = (column[order] for column in columns)
    return VisitLog(station[order], instance, root, arrived, started, finished, scenario.arrivals)


def warm_up_engine() -> None:
    """Calls every compiled function once."""
