"""Mean |error| of E[T] beside simulations, by queueing, input and what was measured.

`TRUTH_WRITE=1 make bench BENCH=truth` writes these numbers.
The topologies are drawn at random: 3 to 8 operators at 1 to 12 processors, each used 40% to 90%, with services of SCVs
from 0 to 4, forks, joins and loops. docs/how-true-is-et.md has the whole tables.
"""

from collections.abc import Mapping

EVERYWHERE, ENTRIES, SCVS = "bursts measured everywhere", "bursts measured at the entries alone", "SCVs alone"

KNOWN_ERRORS: Mapping[tuple[str, str, str], float] = {
    ("shared", "calm", EVERYWHERE): 0.012,
    ("round-robin", "calm", EVERYWHERE): 0.026,
    ("random", "calm", EVERYWHERE): 0.025,
    ("keyed", "calm", EVERYWHERE): 0.037,
    ("shared", "bursty", EVERYWHERE): 0.191,
    ("round-robin", "bursty", EVERYWHERE): 0.136,
    ("random", "bursty", EVERYWHERE): 0.121,
    ("keyed", "bursty", EVERYWHERE): 0.108,
    ("shared", "calm", ENTRIES): 0.013,
    ("round-robin", "calm", ENTRIES): 0.021,
    ("random", "calm", ENTRIES): 0.02,
    ("keyed", "calm", ENTRIES): 0.029,
    ("shared", "bursty", ENTRIES): 0.163,
    ("round-robin", "bursty", ENTRIES): 0.15,
    ("random", "bursty", ENTRIES): 0.14,
    ("keyed", "bursty", ENTRIES): 0.165,
    ("shared", "calm", SCVS): 0.022,
    ("round-robin", "calm", SCVS): 0.048,
    ("random", "calm", SCVS): 0.024,
    ("keyed", "calm", SCVS): 0.082,
    ("shared", "bursty", SCVS): 0.82,
    ("round-robin", "bursty", SCVS): 0.75,
    ("random", "bursty", SCVS): 0.73,
    ("keyed", "bursty", SCVS): 0.67,
}
"""Relative: 0.03 is 3%."""
