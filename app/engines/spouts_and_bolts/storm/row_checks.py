"""Numbers of executors that contradict each other, or stand out from those of their siblings.

Storm computes capacity = executed × latency / min(uptime, 600 s) of each executor: the four numbers of a row must fit,
but for their last digits. Which of them is odd shows beside the other executors, or beside the row of totals.
"""

from collections.abc import Callable, Iterable, Sequence
from math import log
from statistics import median

from app.engines.diagnostics import say
from app.engines.numbers import find_rate, read_number
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.executors import Executor
from app.engines.spouts_and_bolts.storm.fields import CAPACITY_WINDOW, LAST_DIGIT, read_decimal
from app.engines.spouts_and_bolts.storm.totals import TOLERANCE
from planner.values import Diagnostic

STANDS_OUT = 2.0  # an executor that is this many times slower or busier than the middle one
MOST_NAMED = 5
CLEAR = 2.0  # the odd number deviates this many times more than the next

Number = Callable[[Executor], float | None]
NUMBERS: tuple[tuple[str, Number], ...] = (
    ("capacity", lambda row: row.capacity),
    ("execute latency", lambda row: row.latency),
    ("executed / uptime", lambda row: row.executed_rate),
)


def check_rows(bolts: Iterable[Component]) -> list[Diagnostic]:
    """All diagnostics of executors."""
    listed = list(bolts)
    return [
        *check_fit(listed),
        *check_above_one(listed),
        *check_idle(listed),
        *check_slow(listed),
    ]


def check_fit(bolts: Sequence[Component]) -> list[Diagnostic]:
    """One diagnostic for all rows whose four numbers do not fit."""
    odd = [(bolt, row) for bolt in bolts for row in bolt.rows if not fits(row, bolt.window)]
    if not odd:
        return []
    texts = [
        f"{bolt.name} {row.id}: executed {row.executed:.0f} × {1000 * (row.latency or 0):.3f} ms / "
        f"{row.covered:.0f} s = {find_utilisation(row):.3f}, but capacity {row.capacity:.3f}; {find_odd(bolt, row)}"
        for bolt, row in odd[:MOST_NAMED]
    ]
    texts += [""] * (len(odd) - len(texts))
    detail = (
        "Numbers of executors do not fit each other by more than 5%: " + join_some(texts) + ". "
        "Rates are executed / uptime, services are execute latencies: no number was corrected."
    )
    return [say("numbers-disagree", detail, list(dict.fromkeys(bolt.name for bolt, _ in odd)))]


def find_utilisation(row: Executor) -> float | None:
    """executed × latency / seconds covered; None where one is unknown."""
    if row.executed_rate is None or row.latency is None:
        return None
    return row.executed_rate * row.latency


def fits(row: Executor, window: float | None) -> bool:
    """Whether a row's numbers fit; so do numbers that do not compare: of another window than ten minutes."""
    utilisation = find_utilisation(row)
    if utilisation is None or row.capacity is None or not row.uptime or not row.covered:
        return True
    if window != CAPACITY_WINDOW and row.uptime > CAPACITY_WINDOW:
        return True
    executed = row.executed or 0.0
    rounding = LAST_DIGIT + executed * LAST_DIGIT / 1000.0 / row.covered + utilisation / row.covered
    largest = max(utilisation, row.capacity)
    return abs(utilisation - row.capacity) <= TOLERANCE * largest + rounding


def find_odd(bolt: Component, row: Executor) -> str:
    """Which of a row's numbers stands out, in words."""
    apart = []
    for name, number in NUMBERS:
        others = [one for other in bolt.rows if other is not row and (one := number(other))]
        usual = median(others) if others else find_total(bolt, name)
        own = number(row)
        if usual and own:
            apart.append((abs(log(own) - log(usual)), name))
    apart.sort(reverse=True)
    if (
        apart
        and apart[0][0] > log(1.0 + TOLERANCE)
        and (len(apart) == 1 or apart[0][0] > CLEAR * apart[1][0])
    ):
        beside = "the other executors" if len(bolt.rows) > 1 else "the component's totals"
        return f"beside {beside}, the odd one is {apart[0][1]}"
    return "which of the four is odd cannot be told"


def find_total(bolt: Component, name: str) -> float | None:
    """The number of a bolt with one executor on the row that sums it up."""
    if name == "capacity":
        return read_decimal(bolt.totals.get("capacity"))
    if name == "execute latency":
        return (read_decimal(bolt.totals.get("executeLatency")) or 0.0) / 1000.0
    return find_rate(read_number(bolt.totals.get("executed")), bolt.covered)


def check_above_one(bolts: Sequence[Component]) -> list[Diagnostic]:
    """A capacity above 1: an error of Storm's sample, or executors that can do no more."""
    high = [(bolt, row) for bolt in bolts for row in bolt.rows if (row.capacity or 0.0) > 1.0]
    totals = [bolt for bolt in bolts if not bolt.rows and (bolt.capacity or 0.0) > 1.0]
    if not high and not totals:
        return []
    texts = [f"{bolt.name} {row.id} {row.capacity:.3f}" for bolt, row in high]
    texts += [f"{bolt.name} {bolt.capacity:.3f}" for bolt in totals]
    detail = (
        f"Capacity above 1: {join_some(texts)}. No executor works more than all the time: the latency is the mean of "
        "every 20th tuple only, and was taken too high, or the executor was saturated. The mean over all executors "
        "is used."
    )
    names = dict.fromkeys([bolt.name for bolt, _ in high] + [bolt.name for bolt in totals])
    return [say("capacity-above-one", detail, list(names))]


def check_idle(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Executors that executed nothing while their siblings did."""
    idle = [
        (bolt, row)
        for bolt in bolts
        for row in bolt.rows
        if row.executed == 0.0 and (bolt.executed_rate or 0.0) > 0.0
    ]
    if not idle:
        return []
    detail = (
        f"{len(idle)} executors executed nothing while others of their bolt did: "
        f"{join_some([describe(bolt, row) for bolt, row in idle])}. They count as processors, and have no share of the "
        "arrivals; look whether they hang, or whether no key is theirs."
    )
    return [say("executors-idle", detail, list(dict.fromkeys(bolt.name for bolt, _ in idle)))]


def check_slow(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Executors whose services take far longer than those of their siblings."""
    slow = []
    for bolt in bolts:
        latencies = [row.latency for row in bolt.rows if row.executed and row.latency]
        usual = median(latencies) if len(latencies) > 2 else None
        slow += [
            (bolt, row)
            for row in bolt.rows
            if usual and row.executed and row.latency and row.latency > STANDS_OUT * usual
        ]
    if not slow:
        return []
    texts = [f"{describe(bolt, row)} {1000 * (row.latency or 0):.0f} ms" for bolt, row in slow]
    detail = (
        f"Executors whose services take more than twice as long as those of their siblings: {join_some(texts)}. "
        "The service rate is the mean over all tuples; look at their workers."
    )
    return [say("executors-slow", detail, list(dict.fromkeys(bolt.name for bolt, _ in slow)))]


def describe(bolt: Component, row: Executor) -> str:
    """An executor and where it runs."""
    return f"{bolt.name} {row.id}" + (f" on {row.place}" if row.place else "")


def join_some(texts: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    more = len(texts) - MOST_NAMED
    return ", ".join(texts[:MOST_NAMED]) + (f", and {more} more" if more > 0 else "")
