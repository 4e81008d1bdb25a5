"""Estimates beside simulations: E[T] from measured loads, and the quantiles of total and completion time."""

from collections.abc import Iterator

import numpy as np

from benchmarks.truth_cases import QUEUEINGS, Case, draw_case, queue_case
from benchmarks.truth_logs import Measured, forget_bursts, forget_inside, measure_visits
from benchmarks.truth_tables import Kind, Tables
from planner.quantiles.spread import add_spread
from planner.simulation.simulate import simulate_visits
from planner.situations.situation import estimate
from planner.topology.flow import solve_visits
from planner.values import Estimate, Load, Spread, Topology

MOST_VISITS = 9_000_000
ROOTS = {"calm": 300_000, "bursty": 1_500_000}  # long bursts are rare events
LEVELS = (0.5, 0.95, 0.99)


def draw_cases(seed: int, count: int) -> Iterator[Case]:
    """`count` calm and as many bursty topologies, the same for the same seed."""
    for bursty in (False, True):
        for number in range(count):
            yield draw_case(seed + number, bursty=bursty)


def count_roots(case: Case) -> int:
    """The number of root tuples to simulate: enough for this kind of arrivals, and at most what memory holds."""
    return min(ROOTS[case.input], int(MOST_VISITS / sum(solve_visits(case.topology))))


def simulate_case(case: Case, processors: dict[str, int] | None = None) -> Measured:
    """The load and the times that a log of this case shows."""
    log = simulate_visits(
        case.topology,
        case.load,
        processors,
        roots=count_roots(case),
        seed=case.seed % 2**31,
        arrivals=case.arrivals,
        services=case.services,
    )
    return measure_visits(case, log)


def compare_estimates(seed: int, count: int, tables: Tables) -> None:
    """Every case under every queueing."""
    for case in draw_cases(seed, count):
        for queueing in QUEUEINGS:
            queued = queue_case(case, queueing)
            measured = simulate_case(queued)
            kind = Kind(queueing, case.input)
            compare_means(queued, measured, kind, tables)
            compare_quantiles(queued, measured, kind, tables)


def compare_means(case: Case, measured: Measured, kind: Kind, tables: Tables) -> None:
    """The errors of E[T] from SCVs alone, and from all that is measured."""
    truth = float(measured.total.mean())
    entries = [entry.operator for entry in case.topology.entries]
    scvs = forget_bursts(measured.load)

    def add(title: str, topology: Topology, load: Load) -> None:
        tables.add(f"E[T], {title}", kind, find_error(estimate(topology, load), truth))

    add("taken as shared queues, SCVs alone", queue_case(case, "shared").topology, scvs)
    add("SCVs alone", case.topology, scvs)
    add("bursts measured everywhere", case.topology, measured.load)
    add("bursts measured at the entries alone", case.topology, forget_inside(measured.load, entries))


def find_error(answer: Estimate, truth: float) -> float:
    """Relative error of E[T]; an answer that says unstable errs by 100%."""
    expected = answer.expected_sojourn_seconds
    return 1.0 if expected is None else expected / truth - 1.0


def compare_quantiles(case: Case, measured: Measured, kind: Kind, tables: Tables) -> None:
    """p50, p95 and p99 of total and completion, with histograms of services."""
    answer = add_spread(case.topology, measured.load, estimate(case.topology, measured.load), LEVELS)
    for name, told, true in (
        ("total", answer.total, measured.total),
        ("completion", answer.completion, measured.completion),
    ):
        if told is not None:
            add_quantiles(name, told, true, kind, tables)


def add_quantiles(name: str, told: Spread, true: np.ndarray, kind: Kind, tables: Tables) -> None:
    """The errors of the quantiles and of the mean of one time."""
    tables.add(f"{name}, mean", kind, told.mean_seconds / float(true.mean()) - 1.0)
    for one, seconds in zip(told.quantiles, np.quantile(true, LEVELS).tolist(), strict=True):
        tables.add(f"{name}, p{100 * one.quantile:.0f}", kind, one.seconds / seconds - 1.0)
