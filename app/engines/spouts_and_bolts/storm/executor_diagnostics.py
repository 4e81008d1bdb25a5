"""Diagnostics of Storm's executors: numbers that contradict each other, and executors that differ from their
siblings.

Storm computes capacity = executed × latency / min(uptime, 600 s) for each executor, so the four numbers of a row must
fit, up to rounding. A comparison with the other executors, or with the row of totals, shows which number is wrong.
"""

from collections.abc import Callable, Iterator
from math import log
from statistics import median

from app.engines.diagnostics import Facts, Finding, Rule, Rules, join_texts
from app.engines.numbers import find_rate, read_number
from app.engines.spouts_and_bolts.storm.components import TOLERANCE, StormComponent
from app.engines.spouts_and_bolts.storm.fields import CAPACITY_WINDOW, LAST_DIGIT, Executor, read_milliseconds
from planner.wording import write_count, write_counted, write_number, write_seconds

STANDS_OUT = 2.0  # an executor that is this many times slower than the middle one
FEWEST = 3  # executors that have a middle one
CLEAR = 2.0  # the odd number deviates this many times more than the next

Bolts = list[StormComponent]
Number = Callable[[Executor], float | None]
NUMBERS: tuple[tuple[str, Number, Callable[[StormComponent], float | None]], ...] = (
    ("capacity", lambda row: row.capacity, lambda bolt: bolt.capacity),
    (
        "execute latency",
        lambda row: row.latency,
        lambda bolt: read_milliseconds(bolt.totals.get("executeLatency")),
    ),
    (
        "executed / uptime",
        lambda row: row.executed_rate,
        lambda bolt: find_rate(read_number(bolt.totals.get("executed")), bolt.covered),
    ),
)
"""A number's name, its value for an executor, and its value on the row that sums up a bolt."""


def list_rows(bolts: Bolts) -> Iterator[tuple[StormComponent, Executor]]:
    """Every executor with its bolt."""
    return ((bolt, row) for bolt in bolts for row in bolt.rows)


def find_utilisation(row: Executor) -> float | None:
    """The share of time in which an executor was busy: executed × latency / seconds covered; None if one is unknown."""
    return None if row.executed_rate is None or row.latency is None else row.executed_rate * row.latency


def fits(row: Executor, window: float | None) -> bool:
    """Whether the four numbers of an executor's row agree; also true if its window is not ten minutes, the one
    of the capacity.
    """
    utilisation = find_utilisation(row)
    if utilisation is None or row.capacity is None or not row.uptime or not row.covered:
        return True
    if window != CAPACITY_WINDOW and row.uptime > CAPACITY_WINDOW:
        return True
    executed = row.executed or 0.0
    rounding = LAST_DIGIT + executed * LAST_DIGIT / 1000.0 / row.covered + utilisation / row.covered
    largest = max(utilisation, row.capacity)
    return abs(utilisation - row.capacity) <= TOLERANCE * largest + rounding


def name_odd_number(bolt: StormComponent, row: Executor) -> str:
    """A sentence that names the number in an executor's row that contradicts the others."""
    apart = []
    for name, number, total in NUMBERS:
        others = [one for other in bolt.rows if other is not row and (one := number(other))]
        usual, own = median(others) if others else total(bolt), number(row)
        if usual and own:
            apart.append((abs(log(own) - log(usual)), name))
    apart.sort(reverse=True)
    is_clear = len(apart) == 1 or (len(apart) > 1 and apart[0][0] > CLEAR * apart[1][0])
    if is_clear and apart[0][0] > log(1.0 + TOLERANCE):
        beside = "the other executors" if len(bolt.rows) > 1 else "the component's totals"
        return f"compared with {beside}, {apart[0][1]} stands out"
    return "it is unknown which of the four is wrong"


def describe(bolt: StormComponent, row: Executor) -> str:
    """The id of an executor with the worker that runs it, as a text."""
    return f"{bolt.name} {row.id}" + (f" on {row.place}" if row.place else "")


def _find_misfits(bolts: Bolts) -> Finding:
    odd = [(bolt, row) for bolt, row in list_rows(bolts) if not fits(row, bolt.window)]
    texts = [
        f"{bolt.name} {row.id}: executed {write_count(int(row.executed or 0))} × {write_seconds(row.latency)} / "
        f"{write_seconds(row.covered)} = {write_number(find_utilisation(row))}, but capacity "
        f"{write_number(row.capacity)}; {name_odd_number(bolt, row)}"
        for bolt, row in odd
    ]
    return Facts([bolt.name for bolt, _ in odd], texts=join_texts(texts)) if odd else None


def _find_above_one(bolts: Bolts) -> Finding:
    high = [
        (bolt.name, row.id, row.capacity) for bolt, row in list_rows(bolts) if (row.capacity or 0.0) > 1.0
    ]
    high += [
        (bolt.name, "", bolt.capacity) for bolt in bolts if not bolt.rows and (bolt.capacity or 0.0) > 1.0
    ]
    texts = [f"{name} {row} {write_number(capacity)}".replace("  ", " ") for name, row, capacity in high]
    return Facts([name for name, _, _ in high], texts=join_texts(texts)) if high else None


def _find_idle(bolts: Bolts) -> Finding:
    busy = [bolt for bolt in bolts if bolt.executed_rate]
    idle = [(bolt, row) for bolt, row in list_rows(busy) if row.executed == 0.0]
    texts = join_texts([describe(bolt, row) for bolt, row in idle])
    number = write_counted(len(idle), "executor")
    return Facts([bolt.name for bolt, _ in idle], number=number, texts=texts) if idle else None


def _find_slow(bolts: Bolts) -> Finding:
    slow = []
    for bolt in bolts:
        served = [(row, row.latency) for row in bolt.rows if row.executed and row.latency]
        usual = median([latency for _, latency in served]) if len(served) >= FEWEST else None
        slow += [(bolt, row) for row, latency in served if usual and latency > STANDS_OUT * usual]
    texts = join_texts([f"{describe(bolt, row)} {write_seconds(row.latency)}" for bolt, row in slow])
    return Facts([bolt.name for bolt, _ in slow], texts=texts) if slow else None


RULES: Rules[Bolts] = {
    "numbers-disagree": Rule(
        _find_misfits,
        "Some executors have numbers that do not fit each other, by more than 5%: {texts}. No number was "
        "corrected: rates are executed / uptime, services are execute latencies.",
    ),
    "capacity-above-one": Rule(
        _find_above_one,
        "These executors have a capacity above 1, which is impossible: {texts}. Either their latency, the mean of "
        "every 20th tuple only, came out too high, or they were saturated. The mean over all executors is used.",
    ),
    "executors-idle": Rule(
        _find_idle,
        "{number} executors executed nothing while others of their bolt did: {texts}. They count as processors, "
        "but have no share of the arrivals. Check whether they hang, or whether no key belongs to them.",
    ),
    "executors-slow": Rule(
        _find_slow,
        "Some executors take more than twice as long for a service as their siblings: {texts}. The service rate "
        "is the mean over all tuples. Check the workers of these executors.",
    ),
}
