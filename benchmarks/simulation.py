"""The time of a simulation on one core: by kind of queue, by station and by event, and beside ciw on the same model.

An event is an arrival or a finish at an operator. Times are processor seconds: wall time misleads on a busy machine.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

import ciw

from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.results import Simulation
from planner.simulation.simulate import simulate, warm_up
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, ServiceBucket, Topology

OPERATORS, ROOTS, BUSY = 10, 1_000_000, 0.8
UNREACHED = {"o0": 10**9}
"""A capacity that is never reached makes the simulation go event by event."""
BUCKETS = tuple(ServiceBucket(0.001 * 1.3**step, 1 + 60 * step - step * step) for step in range(40))


def build_row(queueing: str) -> Topology:
    """A chain of ten operators."""
    operators = tuple(Operator(f"o{place}", queueing=queueing) for place in range(OPERATORS))
    edges = tuple(Edge(f"o{place - 1}", f"o{place}") for place in range(1, OPERATORS))
    return Topology(operators, edges)


def build_diamonds() -> Topology:
    """Ten operators, every third of which sends to two that join again: splits, joins and fractions; seven visits."""
    operators = tuple(Operator(f"o{place}", queueing="shared") for place in range(OPERATORS))
    edges = [
        edge
        for first in range(0, OPERATORS - 1, 3)
        for edge in (
            *(Edge(f"o{first}", f"o{first + 1}", 0.4), Edge(f"o{first}", f"o{first + 2}", 0.6)),
            *(Edge(f"o{first + 1}", f"o{first + 3}"), Edge(f"o{first + 2}", f"o{first + 3}")),
        )
    ]
    return Topology(operators, tuple(edges))


def build_ring() -> Topology:
    """Two operators between which tuples return with probability 0.8: ten visits."""
    edges = (Edge("o0", "o1"), Edge("o1", "o0", 0.8))
    return Topology(
        (Operator("o0", queueing="shared"), Operator("o1", queueing="shared")), edges, (Entry("o0"),)
    )


def load_evenly(topology: Topology, processors: int, scv: float, visits: float = 1.0) -> Load:
    """A load of one root tuple per second, with which every operator has a utilisation of 80%."""
    rate = visits / processors / BUSY
    return Load(1.0, {one.name: OperatorLoad(rate, service_scv=scv) for one in topology.operators})


def time_median(call: Callable[[], Simulation], times: int = 3) -> tuple[float, Simulation]:
    """The median processor time of a call in seconds, and the last answer."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        answer = call()
        taken.append(time.process_time() - began)
    return median(taken), answer


def print_row(name: str, call: Callable[[], Simulation]) -> float:
    """Prints a line of the table; returns the events per second."""
    seconds, answer = time_median(call)
    rate = answer.events / seconds
    mean, half = answer.total.mean_seconds, answer.total.half_width_seconds or 0.0
    print(
        f"{name:<46} {answer.events:>11,} {seconds:>7.3f} {rate / 1e6:>7.1f} {2e9 / rate:>8.1f} {half / mean:>8.2%}"
    )
    return rate


def print_engine() -> None:
    """Measures one million root tuples over ten operators; the budget is 1.5 s and 8 million events per second."""
    print(f"{ROOTS:,} roots over {OPERATORS} operators, each busy to {BUSY:.0%}, on one core")
    print(f"{'':<46} {'events':>11} {'seconds':>7} {'M ev/s':>7} {'ns/visit':>8} {'interval':>8}")
    for queueing in ("shared", "round-robin", "random", "keyed"):
        for processors, scv in ((1, 1.0), (4, 1.0), (10, 0.5)):
            topology = build_row(queueing)
            load = load_evenly(topology, processors, scv)
            counts = dict.fromkeys(load.operators, processors)
            print_row(
                f"{queueing}, {processors} processors, service SCV {scv:g}",
                lambda t=topology, at=load, k=counts: simulate(t, at, k, roots=ROOTS),  # type: ignore[misc]
            )
    print_others()


def print_others() -> None:
    """Measures service histograms, bursts, splits, and the cases that are simulated event by event."""
    row = build_row("shared")
    load, counts = load_evenly(row, 4, 1.0), dict.fromkeys((f"o{place}" for place in range(OPERATORS)), 4)
    measured = {name: one._replace(service_histogram=BUCKETS) for name, one in load.operators.items()}
    bursts = ArrivalLaw("mmpp", burst_ratio=3.0, burst_share=0.1, mean_burst_seconds=50.0)
    print_row(
        "shared, 4 processors, histograms", lambda: simulate(row, Load(1.0, measured), counts, roots=ROOTS)
    )
    print_row(
        "shared, 4 processors, bursts", lambda: simulate(row, load, counts, roots=ROOTS, arrivals=bursts)
    )
    print_row("splits and joins", lambda: simulate(build_diamonds(), load, counts, roots=ROOTS))
    ring = build_ring()
    returning = load_evenly(ring, 4, 1.0, visits=5.0)
    print_row(
        "event by event: a loop", lambda: simulate(ring, returning, {"o0": 4, "o1": 4}, roots=ROOTS // 4)
    )
    print_row(
        "event by event: the row of shared, 4 processors",
        lambda: simulate(row, load, counts, roots=ROOTS // 4, capacities=UNREACHED),
    )
    dealt = build_row("round-robin")
    print_row(
        "event by event: round-robin, 10 places each",
        lambda: simulate(dealt, load, counts, roots=ROOTS // 4, capacities=dict.fromkeys(counts, 10)),
    )


def simulate_by_ciw(customers: int) -> float:
    """Three stations of two exponential servers in a row; the mean time in stations."""
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(1.0), None, None],
        service_distributions=[ciw.dists.Exponential(0.5 / BUSY)] * 3,
        routing=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
        number_of_servers=[2, 2, 2],
    )
    ciw.seed(1)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(customers, method="Finish")
    records = simulation.get_all_records()
    return sum(float(one.exit_date - one.arrival_date) for one in records) / customers


def print_beside_ciw(customers: int = 50_000) -> None:
    """Measures Headgate and ciw on the same model with the same number of root tuples, in the same process."""
    names = ("a", "b", "c")
    topology = Topology(
        tuple(Operator(name, queueing="shared") for name in names), (Edge("a", "b"), Edge("b", "c"))
    )
    load = Load(1.0, {name: OperatorLoad(0.5 / BUSY, service_scv=1.0) for name in names})
    counts: Mapping[str, int] = dict.fromkeys(names, 2)
    began = time.process_time()
    mean = simulate_by_ciw(customers)
    theirs = time.process_time() - began
    ours, answer = time_median(
        lambda: simulate(topology, load, counts, roots=customers, warm_up_share=0.0), 9
    )
    by_event, _ = time_median(
        lambda: simulate(topology, load, counts, roots=customers, capacities={"a": 10**9}), 9
    )
    print(f"\nM/M/2 three times in a row, {customers:,} roots, beside ciw {ciw.__version__}")
    print(f"ciw             {theirs:>9.4f} s, mean time {mean:.3f} s")
    mean, times = answer.total.mean_seconds, theirs / ours
    print(f"by station      {ours:>9.4f} s, mean time {mean:.3f} s: {times:,.0f} times faster")
    print(f"by event        {by_event:>9.4f} s: {theirs / by_event:,.0f} times faster")


def print_start() -> None:
    """Measures the time before the first simulation of a process, with compiled code kept on disk."""
    code = (
        "import time; began = time.process_time(); from planner.simulation.simulate import warm_up; {}; "
        "print(time.process_time() - began)"
    )
    for name, call in (("import", "pass"), ("import, then warm_up()", "warm_up()")):
        done = subprocess.run(
            [sys.executable, "-c", code.format(call)], capture_output=True, text=True, check=True
        )
        print(f"{name:<24} {float(done.stdout):.2f} s")


def main() -> None:
    """Prints all tables."""
    warm_up()
    print_engine()
    print_beside_ciw()
    print("\nA process before its first simulation")
    print_start()


if __name__ == "__main__":
    main()
