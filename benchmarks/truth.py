"""How true E[T] is: estimates, plans and quantiles beside simulations of topologies drawn at random.

    make bench BENCH=truth                    fresh topologies, about ten minutes
    TRUTH_CASES=5 make bench BENCH=truth      a quick look
    TRUTH_SEED=7 make bench BENCH=truth       the same topologies again

Every topology is simulated under each queueing. What a log of its visits tells is measured; the planner is asked with
that alone. docs/how-true-is-et.md says what the tables mean.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from random import SystemRandom

import numpy as np

from benchmarks.truth_cases import QUEUEINGS, Case, draw_case, queue_case
from benchmarks.truth_logs import Measured, forget_bursts, forget_inside, measure_visits
from planner.plans.estimation import estimate
from planner.simulation.simulate import simulate_visits
from planner.topology.flow import solve_visits
from planner.values import Load, Topology

CASES = int(os.environ.get("TRUTH_CASES", "40"))
MOST_VISITS = 9_000_000
ROOTS = {False: 300_000, True: 1_500_000}
"""By whether the input is bursty: long bursts are rare events."""

Errors = dict[tuple[str, str], list[float]]


def name_input(case: Case) -> str:
    """Calm or bursty."""
    return "bursty" if case.is_bursty else "calm"


def draw_cases(seed: int, count: int, *, bursty: bool) -> Iterator[Case]:
    """`count` topologies, the same for the same seed."""
    for number in range(count):
        yield draw_case(seed + number, bursty=bursty)


def simulate_case(case: Case) -> Measured:
    """What a log of this case tells."""
    visits = sum(solve_visits(case.topology))
    roots = min(ROOTS[case.is_bursty], int(MOST_VISITS / visits))
    log = simulate_visits(
        case.topology,
        case.load,
        None,
        roots=roots,
        seed=case.seed % 2**31,
        arrivals=case.arrivals,
        services=case.services,
    )
    return measure_visits(case, log)


def err(topology: Topology, load: Load, truth: float) -> float:
    """Relative error of E[T]; an estimate that says unstable errs by 100%."""
    found = estimate(topology, load).expected_sojourn_seconds
    return 1.0 if found is None else found / truth - 1.0


def compare_estimates(seed: int) -> tuple[dict[str, Errors], Errors]:
    """Errors of E[T] by what was measured, and of quantiles."""
    means: dict[str, Errors] = defaultdict(lambda: defaultdict(list))
    quantiles: Errors = defaultdict(list)
    for bursty in (False, True):
        for case in draw_cases(seed, CASES, bursty=bursty):
            for queueing in QUEUEINGS:
                queued = queue_case(case, queueing)
                measured = simulate_case(queued)
                truth = float(measured.total.mean())
                kind = (queueing, name_input(case))
                entries = [entry.operator for entry in case.topology.entries]
                pooled = queue_case(case, "shared").topology
                means["as one shared queue"][kind].append(err(pooled, forget_bursts(measured.load), truth))
                means["SCVs alone"][kind].append(err(queued.topology, forget_bursts(measured.load), truth))
                means["all measured"][kind].append(err(queued.topology, measured.load, truth))
                means["source alone"][kind].append(
                    err(queued.topology, forget_inside(measured.load, entries), truth)
                )
    return means, quantiles


def print_errors(title: str, errors: Errors) -> None:
    """One row per kind."""
    print(f"\n{title}\n{'':24}{'cases':>6}{'mean':>8}{'median':>8}{'p90':>8}{'worst':>8}{'bias':>8}")
    for kind in sorted(errors, key=lambda kind: (kind[1] == "bursty", QUEUEINGS.index(kind[0]))):
        found = np.array(errors[kind])
        size = np.abs(found)
        row = (size.mean(), np.median(size), np.quantile(size, 0.9), size.max(), found.mean())
        print(f"{', '.join(kind):24}{len(found):>6}" + "".join(f"{value:>8.1%}" for value in row))


def main() -> None:
    """Print all tables."""
    seed = int(os.environ.get("TRUTH_SEED") or SystemRandom().randrange(10**9))
    print(f"TRUTH_SEED={seed} TRUTH_CASES={CASES}")
    means, _ = compare_estimates(seed)
    for title, errors in means.items():
        print_errors(f"E[T], {title}: |error| beside simulation", errors)


if __name__ == "__main__":
    main()
