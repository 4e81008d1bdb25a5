"""The arrival rate of each operator: the traffic equations of a stream with splits, joins and loops.

    λ = λ0·e + Gᵀλ,   G[i,j] = selectivity(i→j),   visits vᵢ = λᵢ/λ0        (DRS, section III-A)

λ0 is the external rate, and e the share of each entry. Strongly connected components are solved one after the other,
upstream first. Outside cycles this adds and multiplies numbers ≥ 0 only, so visits are as exact as the selectivities.
planner.topology.cycles solves each cycle.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from planner.errors import InvalidTopology, NoSteadyState
from planner.topology.cycles import NEARLY_ONE, Cycle, find_components, solve_cycle
from planner.topology.loads import check_load, check_offered_load
from planner.topology.network import LARGEST, Network, index_topology
from planner.values import Diagnostic, Load, Topology
from planner.wording import join_names, write_rate

# Counts over an interval of some hundred tuples scatter by less than this.
ARRIVAL_TOLERANCE = 0.1
MOST_REMEMBERED = 100
"""Operators of a topology whose visits are remembered: more would take too much memory."""
NO_INPUT = Diagnostic(
    "no-input", "external_rate is 0: nothing waits, and E[T] is the service time of a single tuple."
)


class Flow(NamedTuple):
    """Visits per external tuple and arrival rates of the operators, both in topology order, and their network."""

    visits: list[float]
    arrival_rates: list[float]
    diagnostics: tuple[Diagnostic, ...]
    network: Network


def check_topology(topology: Topology) -> None:
    """Raise InvalidTopology with a pointer, or NoSteadyState for a cycle that multiplies tuples without end.

    Such a cycle is refused even where no external tuple reaches it: entries change more often than graphs, and a single
    tuple would be enough.
    """
    settle_network(index_topology(topology))


def solve_visits(topology: Topology) -> list[float]:
    """The visits v of each operator per external tuple: v = e + Gᵀv, with entry shares e and selectivities G."""
    return settle_network(index_topology(topology))


def arrival_rates(topology: Topology, load: Load) -> tuple[list[float], tuple[Diagnostic, ...]]:
    """The tuples per second that reach each operator: the measured rate if known, else visits × external rate."""
    flow = measure_flow(topology, load)
    return flow.arrival_rates, flow.diagnostics


def settle_network(network: Network) -> list[float]:
    """The visits of each operator; only operators on or downstream of a cycle need the search for cycles."""
    received = list(network.shares)
    order, rest = order_acyclic(network)
    for operator in order:
        pass_on(network, operator, received)
    for component in reversed(find_components(network.successors, rest)) if rest else ():
        if len(component) == 1:
            pass_on(network, component[0], received)
        else:
            pass_around(network, component, received)
    # one sum shows whether any value exceeds the limit or is infinite or NaN
    if not sum(received) <= LARGEST:
        check_visits(network, received)
    return received


def check_visits(network: Network, received: Sequence[float]) -> None:
    """Raise InvalidTopology for the first operator that an external tuple visits more than LARGEST times."""
    for operator, visits in enumerate(received):
        if not visits <= LARGEST:
            raise InvalidTopology(
                f"The selectivities on the way to operator {network.names[operator]} multiply to more "
                f"than {LARGEST:g}: lower them.",
                f"/operators/{operator}",
            )


def order_acyclic(network: Network) -> tuple[list[int], list[int]]:
    """The operators outside cycles, each after all that feed it (Kahn), and those on or downstream of a cycle."""
    waiting = list(network.fan_in)
    order = [operator for operator, count in enumerate(waiting) if not count]
    for operator in order:  # the loop appends to the list it reads
        for target in network.successors[operator]:
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    if len(order) == len(waiting):
        return order, []
    return order, [operator for operator, count in enumerate(waiting) if count]


def pass_on(network: Network, operator: int, received: list[float]) -> None:
    """Finishes the visits of one operator, and adds its output to the visits of its successors.

    A self-loop of selectivity g multiplies visits by 1/(1 − g).
    """
    visits = received[operator]
    loop = network.loops[operator]
    if loop:
        if not 1.0 - loop > NEARLY_ONE:
            raise NoSteadyState((network.names[operator],), loop)
        visits /= 1.0 - loop
        received[operator] = visits
    selectivities = network.selectivities[operator]
    for i, target in enumerate(network.successors[operator]):
        received[target] += selectivities[i] * visits


def pass_around(network: Network, component: Sequence[int], received: list[float]) -> None:
    """Solves the visits of the operators of a cycle together, and adds their output to successors outside the cycle."""
    place = {operator: position for position, operator in enumerate(component)}
    edges = [(position, position, network.loops[operator]) for position, operator in enumerate(component)]
    leaving: list[tuple[int, int, float]] = []
    for operator in component:
        for target, selectivity in zip(
            network.successors[operator], network.selectivities[operator], strict=True
        ):
            if target in place:
                edges.append((place[operator], place[target], selectivity))
            else:
                leaving.append((operator, target, selectivity))
    cycle = Cycle(tuple([network.names[operator] for operator in sorted(component)]), edges)
    settled = solve_cycle(cycle, [received[operator] for operator in component])
    for operator, visits in zip(component, settled, strict=True):
        received[operator] = visits
    for operator, target, selectivity in leaving:
        received[target] += selectivity * received[operator]


def settle_topology(topology: Topology) -> tuple[Network, list[float]]:
    """The network of a topology and its visits, kept because a topology has many loads; callers must not
    change them.
    """
    is_small = len(topology.operators) <= MOST_REMEMBERED
    return (remember_settled if is_small else remember_settled.__wrapped__)(topology)


@lru_cache(maxsize=256)
def remember_settled(topology: Topology) -> tuple[Network, list[float]]:
    """The result of settle_topology, kept in memory, so that a topology is solved only once."""
    network = index_topology(topology)
    return network, settle_network(network)


def measure_flow(topology: Topology, load: Load) -> Flow:
    """The visits and arrival rates of the operators under a load.

    A measured rate replaces the derived rate of its own operator only. Operators downstream still follow the external
    rate, so that one wrong counter does not spread.
    """
    network, settled = settle_topology(topology)
    visits = list(settled)  # a copy: the remembered list stays as it is
    check_load(network, load)
    external_rate = load.external_rate
    diagnostics = list(network.diagnostics)
    if 0.0 in visits:
        diagnostics.append(describe_unreached(network, visits))
    if not external_rate:
        diagnostics.append(NO_INPUT)
    rates = [external_rate * count for count in visits]
    disagreements: list[Disagreement] = []
    for operator, name in enumerate(network.names):
        measured = load.operators[name]
        if measured.arrival_rate is not None:
            disagreement = Disagreement(name, measured.arrival_rate, rates[operator])
            if disagreement.ratio > ARRIVAL_TOLERANCE:
                disagreements.append(disagreement)
            rates[operator] = measured.arrival_rate
            if external_rate:
                visits[operator] = measured.arrival_rate / external_rate
        check_offered_load(name, rates[operator], measured)
    if disagreements:
        diagnostics.append(describe_disagreements(disagreements))
    return Flow(visits, rates, tuple(diagnostics), network)


class Disagreement(NamedTuple):
    """An operator whose measured arrival rate differs from the rate by the external rate and the selectivities."""

    operator: str
    measured: float
    derived: float

    @property
    def ratio(self) -> float:
        """The difference of both rates as a part of the larger rate."""
        larger = max(self.measured, self.derived)
        return abs(self.measured - self.derived) / larger if larger else 0.0


def describe_unreached(network: Network, visits: Sequence[float]) -> Diagnostic:
    """A diagnostic of the operators that no external tuple reaches: their rate is 0, and each gets one processor."""
    names = tuple(name for name, count in zip(network.names, visits, strict=True) if not count)
    return Diagnostic("unreachable", f"No external tuple reaches {join_names(names)}.", names)


def describe_disagreements(disagreements: Sequence[Disagreement]) -> Diagnostic:
    """One diagnostic for all operators with contradicting arrival rates, the largest difference first."""
    worst_first = sorted(disagreements, key=lambda one: -one.ratio)
    rows = [f"{one.operator} {write_rate(one.measured)} for {write_rate(one.derived)}" for one in worst_first]
    return Diagnostic(
        "arrival-rate-disagrees",
        f"Measured arrival rates differ by more than {ARRIVAL_TOLERANCE:.0%} from those that external_rate "
        f"and the selectivities give: {join_names(rows)}. The measured ones are used; operators without one "
        "still follow external_rate, also downstream of these. Check the selectivities.",
        tuple(one.operator for one in worst_first),
    )
