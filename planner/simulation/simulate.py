"""The simulation of a topology, tuple by tuple; every formula of the planner is checked against it.

A finished tuple emits floor(selectivity) tuples on each edge, and one more with the probability of the fraction; an
entry does the same for each root, a tuple of the external stream. Queues are served in order of arrival.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import floor, fsum, ulp

from planner.errors import InvalidLoad, SimulationTooLarge
from planner.simulation.arrivals import (
    ARRIVALS,
    ArrivalLaw,
    check_arrivals,
    check_seed,
    draw_arrivals,
    make_random,
)
from planner.simulation.delays import add_delays
from planner.simulation.laws import ServiceLaw, find_mean
from planner.simulation.results import MeasuredTime, SimulatedOperator, Simulation, VisitLog
from planner.simulation.system import Scenario, System, build_system, find_busiest
from planner.topology.flow import solve_visits
from planner.values import Diagnostic, Load, Topology
from planner.wording import join_names, write_count, write_counted, write_percent, write_seconds

__all__ = [
    "ArrivalLaw",
    "MeasuredTime",
    "ServiceLaw",
    "SimulatedOperator",
    "Simulation",
    "VisitLog",
    "count_events",
    "simulate",
    "simulate_visits",
    "warm_up",
]

MOST_EVENTS = 200_000_000  # half a minute without loops, a minute with them
MOST_LOGGED = 20_000_000  # events in a log of visits, which takes a gigabyte
MOST_ROUNDING = 0.01  # as a part of the shortest mean service
MOST_ROOTS = 20_000_000  # each takes 40 bytes
POISSON = ArrivalLaw()
NOTHING: Mapping[str, ServiceLaw] = {}
NO_BOUNDS: Mapping[str, int] = {}
LEVELS = (0.5, 0.95, 0.99)


def simulate(
    topology: Topology,
    load: Load,
    processors: Mapping[str, int] | None = None,
    *,
    roots: int,
    seed: int = 1,
    arrivals: ArrivalLaw = POISSON,
    services: Mapping[str, ServiceLaw] = NOTHING,
    capacities: Mapping[str, int] = NO_BOUNDS,
    levels: Sequence[float] = LEVELS,
    warm_up_share: float = 0.1,
    report: Callable[[float], None] | None = None,
) -> Simulation:
    """Simulates the topology for `roots` external tuples; the first `warm_up_share` of them are not measured.

    `report` is called from time to time with the finished part; an exception that it raises ends the simulation.
    """
    check_levels(levels)
    if not 0.0 <= warm_up_share < 1.0:
        raise InvalidLoad(
            f"warm_up_share is {warm_up_share}: give the share of roots to leave out, at least 0 and below 1.",
            "",
            "warm_up_share",
        )
    system = add_delays(build_system(topology, load, processors, services, capacities))
    check_size(system, roots, MOST_EVENTS)
    scenario = draw_scenario(system, roots, seed, arrivals)
    from planner.simulation.engine import measure_scenario

    size = len(scenario.arrivals)
    answer = measure_scenario(scenario, levels, min(int(warm_up_share * size), size - 1), report)
    return replace(answer, diagnostics=(*system.diagnostics, *describe_arrivals(scenario, roots, arrivals)))


def simulate_visits(
    topology: Topology,
    load: Load,
    processors: Mapping[str, int] | None = None,
    *,
    roots: int,
    seed: int = 1,
    arrivals: ArrivalLaw = POISSON,
    services: Mapping[str, ServiceLaw] = NOTHING,
    capacities: Mapping[str, int] = NO_BOUNDS,
) -> VisitLog:
    """The visits of the simulation that `simulate` runs with the same arguments."""
    system = add_delays(build_system(topology, load, processors, services, capacities))
    check_size(system, roots, MOST_LOGGED)
    from planner.simulation.engine import log_visits

    return log_visits(draw_scenario(system, roots, seed, arrivals))


def count_events(topology: Topology, roots: int) -> float:
    """The expected number of events of a simulation: an arrival and a finish for each visit of each root."""
    return 2.0 * roots * fsum(solve_visits(topology))


def draw_scenario(system: System, roots: int, seed: int, law: ArrivalLaw) -> Scenario:
    """A system to simulate, with the drawn arrival times of its external tuples."""
    check_seed(seed)
    check_arrivals(law, system.rate, roots)
    times = draw_arrivals(law, system.rate, roots, make_random(seed, ARRIVALS))
    check_length(system, float(times[-1]), law)
    return Scenario(system, times, seed)


def check_length(system: System, end: float, law: ArrivalLaw) -> None:
    """Raise InvalidLoad if the stream lasts so long that the rounding of times hides a service."""
    shortest = min(
        [find_mean(one.law) for one, visits in zip(system.stations, system.visits, strict=True) if visits]
    )
    if ulp(end) <= MOST_ROUNDING * shortest:
        return
    name = "interval_seconds" if law.kind == "series" else "external_rate"
    raise InvalidLoad(
        f"The simulated stream lasts {write_seconds(end)}, so that rounded times cannot show services of "
        f"{write_seconds(shortest)}: {'lower' if law.kind == 'series' else 'raise'} {name}, or simulate fewer roots.",
        f"/{name}",
        "arrivals" if law.kind == "series" else "load",
    )


def describe_arrivals(scenario: Scenario, roots: int, law: ArrivalLaw) -> tuple[Diagnostic, ...]:
    """Diagnostics of simulated arrivals: a series with too few external tuples, and operators that cannot keep up."""
    found, rate = len(scenario.arrivals), scenario.system.rate
    if law.kind == "series":
        intervals = floor(float(scenario.arrivals[-1]) / law.interval_seconds) + 1
        rate = found / (intervals * law.interval_seconds)
    notes = find_overloaded(scenario.system, rate)
    if found < roots:
        has, wanted = write_counted(found, "root"), write_count(roots)
        detail = (
            f"The series has {has}, fewer than the requested {wanted}: all roots of the series are simulated."
        )
        notes = (Diagnostic("series-shorter", detail), *notes)
    return notes


def check_size(system: System, roots: int, most_events: int) -> None:
    """Raise SimulationTooLarge if a simulation would take too much time or memory, and InvalidLoad without external
    tuples.
    """
    if roots < 1:
        raise InvalidLoad(f"roots is {roots}: give at least 1 external tuple to simulate.", "", "roots")
    if roots > MOST_ROOTS:
        raise SimulationTooLarge("roots", roots, MOST_ROOTS)
    events = 2.0 * roots * fsum(system.visits)
    if events > most_events:
        raise SimulationTooLarge("events", events, most_events)
    emitted = max(link.mean for link in system.links)
    if emitted > most_events:  # a rare tuple with many children, all at once
        raise SimulationTooLarge("tuples on one edge at once", emitted, most_events, "topology")


def check_levels(levels: Sequence[float]) -> None:
    """Raise InvalidLoad unless all levels of quantiles are between 0 and 1."""
    for place, level in enumerate(levels):
        if not 0.0 < level < 1.0:
            raise InvalidLoad(
                f"The level of quantile {place} is {level}: give a number above 0 and below 1.",
                f"/{place}",
                "levels",
            )


def find_overloaded(system: System, rate: float) -> tuple[Diagnostic, ...]:
    """A diagnostic of the operators that cannot serve the external rate `rate`."""
    busiest = {
        station.name: find_busiest(station, rate * visits)
        for station, visits in zip(system.stations, system.visits, strict=True)
    }
    names = tuple(name for name, utilisation in busiest.items() if utilisation >= 1.0)
    if not names:
        return ()
    listed = join_names(
        [f"{name} ({write_percent(busiest[name])} of its busiest instance)" for name in names]
    )
    detail = (
        f"These operators receive more than they can serve: {listed}. No steady state exists: queues and measured "
        "times grow as long as roots arrive."
    )
    return (Diagnostic("unstable", detail, names),)


def warm_up() -> None:
    """Compiles all functions of a simulation, or loads their machine code from disk."""
    from planner.simulation.engine import warm_up_engine

    warm_up_engine()
