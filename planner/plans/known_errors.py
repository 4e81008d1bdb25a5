"""Mean |error| of E[T] beside simulations, by queueing, input and what was measured.

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
