"""Mean |error| of E[T] beside simulations, by queueing, input and what was measured.

`TRUTH_WRITE=1 make bench BENCH=truth` writes these numbers.
The topologies are drawn at random: 3 to 8 operators at 1 to 12 processors, each used 40% to 90%, with services of SCVs
from 0 to 4, forks, joins and loops. docs/how-true-is-et.md has the whole tables.
"""

from collections.abc import Mapping

EVERYWHERE, ENTRIES, SCVS = "bursts measured everywhere", "bursts measured at the entries alone", "SCVs alone"

KNOWN_ERRORS: Mapping[tuple[str, str, str], float] = {
    ("shared", "calm", EVERYWHERE): 0.015,
    ("round-robin", "calm", EVERYWHERE): 0.03,
    ("random", "calm", EVERYWHERE): 0.025,
    ("keyed", "calm", EVERYWHERE): 0.03,
    ("shared", "bursty", EVERYWHERE): 0.13,
    ("round-robin", "bursty", EVERYWHERE): 0.13,
    ("random", "bursty", EVERYWHERE): 0.12,
    ("keyed", "bursty", EVERYWHERE): 0.12,
    ("shared", "calm", ENTRIES): 0.02,
    ("round-robin", "calm", ENTRIES): 0.035,
    ("random", "calm", ENTRIES): 0.025,
    ("keyed", "calm", ENTRIES): 0.03,
    ("shared", "bursty", ENTRIES): 0.12,
    ("round-robin", "bursty", ENTRIES): 0.12,
    ("random", "bursty", ENTRIES): 0.11,
    ("keyed", "bursty", ENTRIES): 0.12,
    ("shared", "calm", SCVS): 0.03,
    ("round-robin", "calm", SCVS): 0.045,
    ("random", "calm", SCVS): 0.03,
    ("keyed", "calm", SCVS): 0.05,
    ("shared", "bursty", SCVS): 0.88,
    ("round-robin", "bursty", SCVS): 0.78,
    ("random", "bursty", SCVS): 0.77,
    ("keyed", "bursty", SCVS): 0.72,
}
"""Relative: 0.03 is 3%."""
