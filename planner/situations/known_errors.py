"""Mean relative |error| of answers beside simulations, by queueing and input: of E[T], and of quantiles.

`TRUTH_WRITE=1 make bench BENCH=truth` writes this table, and draws it in docs/how-true-is-et.md. The topologies are
drawn at random: 3 to 8 operators at 1 to 12 processors, each used 40% to 90%, with services of SCVs from 0 to 4, forks,
joins and loops.
"""

from collections.abc import Iterable, Mapping

EVERYWHERE, ENTRIES, SCVS = "bursts measured everywhere", "bursts measured at the entries alone", "SCVs alone"
"""What was measured of bursts, in the names of errors of E[T]."""

KNOWN_ERRORS: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("shared", "calm"): {
        "E[T], taken as shared queues, SCVs alone": 0.029,
        "E[T], SCVs alone": 0.029,
        "E[T], bursts measured everywhere": 0.02,
        "E[T], bursts measured at the entries alone": 0.021,
        "total, p50": 0.04,
        "total, p95": 0.03,
        "total, p99": 0.04,
        "completion, p50": 0.03,
        "completion, p95": 0.02,
        "completion, p99": 0.02,
    },
    ("round-robin", "calm"): {
        "E[T], taken as shared queues, SCVs alone": 0.52,
        "E[T], SCVs alone": 0.071,
        "E[T], bursts measured everywhere": 0.017,
        "E[T], bursts measured at the entries alone": 0.035,
        "total, p50": 0.04,
        "total, p95": 0.03,
        "total, p99": 0.05,
        "completion, p50": 0.05,
        "completion, p95": 0.05,
        "completion, p99": 0.07,
    },
    ("random", "calm"): {
        "E[T], taken as shared queues, SCVs alone": 0.64,
        "E[T], SCVs alone": 0.018,
        "E[T], bursts measured everywhere": 0.015,
        "E[T], bursts measured at the entries alone": 0.016,
        "total, p50": 0.02,
        "total, p95": 0.02,
        "total, p99": 0.02,
        "completion, p50": 0.03,
        "completion, p95": 0.02,
        "completion, p99": 0.03,
    },
    ("keyed", "calm"): {
        "E[T], taken as shared queues, SCVs alone": 0.69,
        "E[T], SCVs alone": 0.042,
        "E[T], bursts measured everywhere": 0.025,
        "E[T], bursts measured at the entries alone": 0.034,
        "total, p50": 0.04,
        "total, p95": 0.05,
        "total, p99": 0.07,
        "completion, p50": 0.04,
        "completion, p95": 0.05,
        "completion, p99": 0.06,
    },
    ("shared", "bursty"): {
        "E[T], taken as shared queues, SCVs alone": 0.91,
        "E[T], SCVs alone": 0.909,
        "E[T], bursts measured everywhere": 0.162,
        "E[T], bursts measured at the entries alone": 0.151,
        "total, p50": 0.35,
        "total, p95": 0.21,
        "total, p99": 0.24,
        "completion, p50": 0.49,
        "completion, p95": 0.18,
        "completion, p99": 0.17,
    },
    ("round-robin", "bursty"): {
        "E[T], taken as shared queues, SCVs alone": 0.93,
        "E[T], SCVs alone": 0.853,
        "E[T], bursts measured everywhere": 0.153,
        "E[T], bursts measured at the entries alone": 0.14,
        "total, p50": 0.43,
        "total, p95": 0.23,
        "total, p99": 0.3,
        "completion, p50": 0.54,
        "completion, p95": 0.17,
        "completion, p99": 0.19,
    },
    ("random", "bursty"): {
        "E[T], taken as shared queues, SCVs alone": 0.94,
        "E[T], SCVs alone": 0.838,
        "E[T], bursts measured everywhere": 0.138,
        "E[T], bursts measured at the entries alone": 0.13,
        "total, p50": 0.39,
        "total, p95": 0.24,
        "total, p99": 0.3,
        "completion, p50": 0.47,
        "completion, p95": 0.18,
        "completion, p99": 0.2,
    },
    ("keyed", "bursty"): {
        "E[T], taken as shared queues, SCVs alone": 0.95,
        "E[T], SCVs alone": 0.788,
        "E[T], bursts measured everywhere": 0.156,
        "E[T], bursts measured at the entries alone": 0.174,
        "total, p50": 0.32,
        "total, p95": 0.23,
        "total, p99": 0.25,
        "completion, p50": 0.39,
        "completion, p95": 0.2,
        "completion, p99": 0.17,
    },
}
"""By queueing and input, then by answer; 0.03 is 3%."""


def find_error(queueings: Iterable[str], arrivals: str, answer: str) -> float:
    """The known error of an answer under the worst of the given queueings; `arrivals` is `calm` or `bursty`."""
    return max([KNOWN_ERRORS[queueing, arrivals][answer] for queueing in queueings])
