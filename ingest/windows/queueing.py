"""Infers the queueing of each operator from the log; operators without enough evidence are left out.

With one shared queue, a tuple never waits while an instance is idle. With a queue per instance, tuples wait beside
idle instances about as often as if they chose instances at random. The rule by which instances are chosen needs more
evidence: until then, the likeliest rule is given and marked as unsure. The rules were tested on simulated logs.
"""

import math
from typing import NamedTuple

import numpy as np

from ingest.measuring.columns import Column, Floats, Table, take
from ingest.measuring.pieces import Pieces, Spots, group_by
from ingest.measuring.queue_evidence import COUNTS

SHARED, ROUND_ROBIN, RANDOM, KEYED = "shared", "round-robin", "random", "keyed"
LEAST_WAITING = 200
LEAST_EXPECTED = 100.0  # waits beside idle instances, if tuples chose at random
# Tuples that arrive together keep all instances busy: they can show a queue per instance, never a shared one.
LEAST_OF_TIED_OWN = 0.5
LEAST_EXPLAINED = 0.95
# Parts of the waits beside idle instances that random choices would give: a shared queue has none, others many.
MOST_OF_SHARED, LEAST_OF_OWN = 0.005, 0.1
# A lost record or a halt makes an instance look idle; unexplained waits show how often that happens.
HALT_FACTOR = 5.0
# The scatter of the numbers of tuples by instance, as multiples of that of random choices. Round robin has little;
# with services of equal length, a shared queue has little too.
MOST_OF_TURNS, LEAST_OF_POOL = 0.6, 0.15
CHANCE = (0.8, 1.25)
LEAST_FREEDOM = 200.0  # with so many degrees, the scatter is known to 10%
DEVIATIONS = 4.0
# For whole windows: with many senders, each in round robin, a block is too short to tell round robin from chance.
MOST_OF_LONG_TURNS, LEAST_OF_LONG_CHANCE, LEAST_LONG_FREEDOM = 0.1, 0.4, 10
# Shares come from keys if they are uneven beyond chance, the largest by 5%, and the same in all windows.
LEAST_OF_KEYS, LEAST_LARGEST, MOST_CHANGE_OF_KEYS, LEAST_WINDOWS = 10.0, 1.05, 5.0, 3
LEAST_OF_LIKELY_KEYS = 5.0
LIKELY_DEVIATIONS = 2.0  # a difference beyond these is likely, one beyond DEVIATIONS is sure
MOST_CHANGE_OF_SCATTER = 0.25  # tuples that derive from one root share its key, so they arrive in groups
MOST_CELLS = 10_000_000
ROOT, TUPLE = "root", "tuple"
LEAST_APART = 200.0  # pairs of tuples of one root that chance would send to different instances
# The part of these pairs that went to one instance: all where they share a key, hardly any where each has its own.
LEAST_OF_ROOT_KEYS, MOST_OF_OWN_KEYS = 0.95, 0.3


class Dealt(NamedTuple):
    """How an operator's tuples are divided among its instances, over the windows in which all instances have tuples.

    χ² per degree of freedom: `unevenness` of the sums against equal shares, `scatter` of each window against equal
    shares, `change` of each window against the shares of the sums. `largest` is the largest share times the number of
    instances, `freedom` the degrees of freedom of `scatter`, `windows` the number of windows.
    """

    unevenness: float
    change: float
    largest: float
    scatter: float
    freedom: int
    windows: int = LEAST_WINDOWS


class SeenQueueing(NamedTuple):
    """The queueing of an operator that the log shows; if `is_sure` is false, it is only the likeliest kind.

    `keyed_by` says of a keyed operator whether tuples of one root share its key; None: the log does not show it.
    """

    topology: str
    operator: str
    queueing: str
    detail: str
    is_sure: bool = True
    keyed_by: str | None = None


def infer_queueing(log: Pieces) -> list[SeenQueueing]:
    """The queueing of each operator with enough evidence."""
    evidence, operators = group_by(log.tables["queues"], "operator")
    sums = {name: operators.sum(evidence[name]) for name in COUNTS}
    instances = operators.max(evidence["instances"])
    found, keyed = [], infer_keys(log.tables["keys"])
    for row in np.flatnonzero(sums["waiting"] >= LEAST_WAITING).tolist():
        operator = int(evidence["operator"][operators.begins[row]])
        counted = {name: float(column[row]) for name, column in sums.items()}
        dealt = find_dealt(take(log.tables["instances"], log.tables["instances"]["operator"] == operator))
        topology, name, *_ = log.operators[operator]
        if judged := judge_queueing(counted, int(instances[row]), dealt):
            queueing, is_sure, words = judged
            keyed_by = keyed.get(operator) if queueing == KEYED else None
            found.append(SeenQueueing(str(topology), str(name), queueing, words, is_sure, keyed_by))
    return found


def infer_keys(keys: Table) -> dict[int, str]:
    """Whether the tuples of one root share their key at each operator, where enough of them are in the log."""
    table, operators = group_by(keys, "operator")
    pairs, same, expected = (operators.sum(table[name]) for name in ("pairs", "same", "expected"))
    apart = pairs - expected
    together = (same - expected) / np.where(apart > 0.0, apart, np.nan)
    found = {}
    for operator, part, likely in zip(
        operators.first(table["operator"]).tolist(), together.tolist(), apart.tolist(), strict=True
    ):
        if likely >= LEAST_APART and not MOST_OF_OWN_KEYS < part < LEAST_OF_ROOT_KEYS:
            found[operator] = ROOT if part >= LEAST_OF_ROOT_KEYS else TUPLE
    return found


def find_waits_beside_idle(queues: Table, spots: Spots) -> Floats:
    """For each operator and window, the share of waiting tuples that came while another instance was idle; NaN
    if unknown.
    """
    table, windows = group_by(queues, "operator", "window")
    sums = {name: windows.sum(table[name]) for name in ("known", "explained", "untied", "beside_idle")}
    is_known = (sums["untied"] > 0) & (sums["explained"] >= LEAST_EXPLAINED * sums["known"])
    found = np.full(len(spots.key), np.nan)
    place = np.searchsorted(
        spots.key, spots.find(windows.first(table["operator"]), windows.first(table["window"]))
    )
    found[place[is_known]] = sums["beside_idle"][is_known] / sums["untied"][is_known]
    return found


def judge_queueing(
    counted: dict[str, float], instances: int, dealt: Dealt | None
) -> tuple[str, bool, str] | None:
    """The queueing of an operator, whether it is sure, and its evidence in words; None if the evidence is not
    enough.
    """
    lost = 1.0 - counted["waiting_explained"] / counted["waiting"]
    is_clean = counted["explained"] >= LEAST_EXPLAINED * counted["known"] and lost <= 1.0 - LEAST_EXPLAINED
    is_tied = counted["expected"] < LEAST_EXPECTED
    prefix, least = ("tied_", LEAST_OF_TIED_OWN) if is_tied else ("", LEAST_OF_OWN)
    waiting = counted["waiting"] - counted["untied"] if is_tied else counted["untied"]
    beside, expected = counted[prefix + "beside_idle"], counted[prefix + "expected"]
    if not is_clean or expected < LEAST_EXPECTED or not waiting:
        return None
    share, part = beside / waiting, beside / expected
    scatter = counted["unevenness"] / counted["freedom"] if counted["freedom"] else math.nan
    words = (
        f"{share:.1%} of {waiting:,.0f} waiting tuples arrived while another instance was idle, which is {part:.1%} of "
        f"what a random choice of instances would give; the numbers of tuples by instance scatter {scatter:.2g} times "
        "as much as with a random choice"
    )
    if part <= MOST_OF_SHARED and not is_tied:
        return (SHARED, True, words) if scatter >= LEAST_OF_POOL else None
    halted = max((instances - 1) * lost, counted["halted_ns"] / max(counted["length_ns"], 1.0))
    if part < least or share < HALT_FACTOR * halted:
        return None
    sure = choose_dealing(scatter, counted["freedom"], dealt)
    return sure or guess_dealing(scatter, counted["freedom"], dealt), sure is not None, words


def choose_dealing(scatter: float, freedom: float, dealt: Dealt | None) -> str | None:
    """The rule by which tuples choose among queues per instance; None if the evidence is not clear."""
    dealt = dealt if dealt is not None and dealt.windows >= LEAST_WINDOWS else None
    if dealt is not None and dealt.unevenness >= LEAST_OF_KEYS and dealt.largest >= LEAST_LARGEST:
        most = max(MOST_CHANGE_OF_KEYS, MOST_CHANGE_OF_SCATTER * dealt.scatter)
        return KEYED if dealt.change <= most else None
    if not freedom:
        return None
    deviation = math.sqrt(2.0 / freedom)
    if scatter <= MOST_OF_TURNS and scatter + DEVIATIONS * deviation < 1.0:
        return ROUND_ROBIN
    is_chance = CHANCE[0] <= scatter <= CHANCE[1] and freedom >= LEAST_FREEDOM
    if not is_chance or dealt is None or dealt.freedom < LEAST_LONG_FREEDOM:
        return None
    if dealt.scatter <= MOST_OF_LONG_TURNS:
        return ROUND_ROBIN
    return RANDOM if dealt.scatter >= LEAST_OF_LONG_CHANCE else None


def guess_dealing(scatter: float, freedom: float, dealt: Dealt | None) -> str:
    """The likeliest rule by which tuples choose among queues per instance: random, without evidence against it.

    A wrong guess of keys does little harm: with measured shares it gives the right wait at the running processors.
    """
    long = (dealt.scatter, dealt.freedom) if dealt is not None else (math.inf, 0)
    if (scatter <= MOST_OF_TURNS and scatter + deviate(freedom) < 1.0) or long[0] + deviate(long[1]) < 1.0:
        return ROUND_ROBIN
    is_uneven = (
        dealt is not None and dealt.unevenness >= LEAST_OF_LIKELY_KEYS and dealt.largest >= LEAST_LARGEST
    )
    return KEYED if is_uneven or scatter > 1.0 + deviate(freedom) else RANDOM


def deviate(freedom: float) -> float:
    """How far χ² per degree of freedom may lie from its mean by chance: LIKELY_DEVIATIONS standard deviations."""
    return LIKELY_DEVIATIONS * math.sqrt(2.0 / freedom) if freedom else math.inf


def find_dealt(instances: Table) -> Dealt | None:
    """Measures the division of one operator's tuples among its instances; None if instances start and stop."""
    names, place = np.unique(instances["instance"], return_inverse=True)
    windows, row = np.unique(instances["window"], return_inverse=True)
    if len(names) < 2 or len(names) * len(windows) > MOST_CELLS:
        return None
    cells = np.bincount(row * len(names) + place, instances["tuples"], len(windows) * len(names))
    table = cells.reshape(len(windows), len(names))
    whole = table[(table > 0).all(axis=1)]
    if len(whole) < max(1, len(windows) / 2):
        return None
    total, freedom = whole.sum(axis=0), len(names) - 1
    even = total.sum() / len(names)
    of_windows = whole.sum(axis=1, keepdims=True)
    return Dealt(
        find_chi_square(total, even) / freedom,
        find_chi_square(whole, of_windows * total / total.sum()) / freedom / max(len(whole) - 1, 1),
        float(total.max() / even),
        find_chi_square(whole, of_windows / len(names)) / freedom / len(whole),
        freedom * len(whole),
        len(whole),
    )


def find_chi_square(counts: Column, expected: Floats | float) -> float:
    return float(((counts - expected) ** 2 / expected).sum())
