"""Mean |error| of answers beside simulations: of E[T] by queueing, input and what was measured; of p99 beside them.

`TRUTH_WRITE=1 make bench BENCH=truth` writes these numbers.
The topologies are drawn at random: 3 to 8 operators at 1 to 12 processors, each used 40% to 90%, with services of SCVs
from 0 to 4, forks, joins and loops. docs/how-true-is-et.md has the whole tables.
"""

from collections.abc import Mapping

EVERYWHERE, ENTRIES, SCVS = "bursts measured everywhere", "bursts measured at the entries alone", "SCVs alone"

KNOWN_ERRORS: Mapping[tuple[str, str, str], float] = {
    ("shared", "calm", EVERYWHERE): 0.02,
    ("round-robin", "calm", EVERYWHERE): 0.017,
    ("random", "calm", EVERYWHERE): 0.015,
    ("keyed", "calm", EVERYWHERE): 0.025,
    ("shared", "bursty", EVERYWHERE): 0.162,
    ("round-robin", "bursty", EVERYWHERE): 0.153,
    ("random", "bursty", EVERYWHERE): 0.138,
    ("keyed", "bursty", EVERYWHERE): 0.156,
    ("shared", "calm", ENTRIES): 0.021,
    ("round-robin", "calm", ENTRIES): 0.035,
    ("random", "calm", ENTRIES): 0.016,
    ("keyed", "calm", ENTRIES): 0.034,
    ("shared", "bursty", ENTRIES): 0.151,
    ("round-robin", "bursty", ENTRIES): 0.14,
    ("random", "bursty", ENTRIES): 0.13,
    ("keyed", "bursty", ENTRIES): 0.174,
    ("shared", "calm", SCVS): 0.029,
    ("round-robin", "calm", SCVS): 0.071,
    ("random", "calm", SCVS): 0.018,
    ("keyed", "calm", SCVS): 0.042,
    ("shared", "bursty", SCVS): 0.909,
    ("round-robin", "bursty", SCVS): 0.853,
    ("random", "bursty", SCVS): 0.838,
    ("keyed", "bursty", SCVS): 0.788,
}
"""Relative: 0.03 is 3%."""

QUANTILE_ERRORS: Mapping[tuple[str, str], tuple[float, float]] = {
    ("shared", "calm"): (0.04, 0.02),
    ("round-robin", "calm"): (0.05, 0.07),
    ("random", "calm"): (0.02, 0.03),
    ("keyed", "calm"): (0.07, 0.06),
    ("shared", "bursty"): (0.24, 0.17),
    ("round-robin", "bursty"): (0.3, 0.19),
    ("random", "bursty"): (0.3, 0.2),
    ("keyed", "bursty"): (0.25, 0.17),
}
"""Of p99 of total and of completion, by queueing and input."""
