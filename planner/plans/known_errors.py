"""Mean |error| of E[T] beside simulations, by queueing, input and what was measured.

`TRUTH_WRITE=1 make bench BENCH=truth` writes these numbers.
The topologies are drawn at random: 3 to 8 operators at 1 to 12 processors, each used 40% to 90%, with services of SCVs
from 0 to 4, forks, joins and loops. docs/how-true-is-et.md has the whole tables.
"""

from collections.abc import Mapping

EVERYWHERE, ENTRIES, SCVS = "bursts measured everywhere", "bursts measured at the entries alone", "SCVs alone"

KNOWN_ERRORS: Mapping[tuple[str, str, str], float] = {
    ("shared", "calm", EVERYWHERE): 0.014,
    ("round-robin", "calm", EVERYWHERE): 0.018,
    ("random", "calm", EVERYWHERE): 0.019,
    ("keyed", "calm", EVERYWHERE): 0.033,
    ("shared", "bursty", EVERYWHERE): 0.205,
    ("round-robin", "bursty", EVERYWHERE): 0.121,
    ("random", "bursty", EVERYWHERE): 0.089,
    ("keyed", "bursty", EVERYWHERE): 0.085,
    ("shared", "calm", ENTRIES): 0.017,
    ("round-robin", "calm", ENTRIES): 0.029,
    ("random", "calm", ENTRIES): 0.016,
    ("keyed", "calm", ENTRIES): 0.027,
    ("shared", "bursty", ENTRIES): 0.15,
    ("round-robin", "bursty", ENTRIES): 0.115,
    ("random", "bursty", ENTRIES): 0.106,
    ("keyed", "bursty", ENTRIES): 0.112,
    ("shared", "calm", SCVS): 0.026,
    ("round-robin", "calm", SCVS): 0.067,
    ("random", "calm", SCVS): 0.033,
    ("keyed", "calm", SCVS): 0.09,
    ("shared", "bursty", SCVS): 0.789,
    ("round-robin", "bursty", SCVS): 0.725,
    ("random", "bursty", SCVS): 0.702,
    ("keyed", "bursty", SCVS): 0.636,
}
"""Relative: 0.03 is 3%."""
