"""Delays that keep no processor busy, such as timers, as stations of a simulation behind their operators."""

from math import ceil, sqrt

from planner.simulation.laws import ServiceLaw
from planner.simulation.system import MOST_PROCESSORS, Link, SimulatedStation, System
from planner.values import SHARED


def add_delays(system: System) -> System:
    """The system with a station behind each operator that delays tuples, with a server for each tuple in it."""
    delayed = tuple(place for place, one in enumerate(system.stations) if one.delay_seconds)
    if not delayed:
        return system
    behind = {place: len(system.stations) + at for at, place in enumerate(delayed)}
    stations, visits = list(system.stations), list(system.visits)
    for place in delayed:
        seconds = system.stations[place].delay_seconds
        inside = system.rate * system.visits[place] * seconds
        servers = min(ceil(inside + 10.0 * sqrt(inside) + 20.0), MOST_PROCESSORS)
        stations.append(SimulatedStation("", servers, SHARED, ServiceLaw("deterministic", seconds)))
        visits.append(system.visits[place])
    links = [link._replace(source=behind.get(link.source, link.source)) for link in system.links]
    links += [Link(place, at, 1.0) for place, at in behind.items()]
    order = [one for place in system.order for one in (place, behind.get(place)) if one is not None]
    return system._replace(
        stations=tuple(stations),
        links=tuple(links),
        visits=tuple(visits),
        order=tuple(order),
        delayed=delayed,
    )
