"""What do the numbers of a row of a series not say? (what was slow, what waited, which change was not applied)

A row is a stretch of time with the load of its newest interval. Its operators are compared with their medians over all
rows: slower services and more tuples per external one (planner.outcomes.causes) are named from a change by LEAST_CHANGE
on; the variability of so short a time is not.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from statistics import median
from typing import NamedTuple

from planner.outcomes.causes import MOST_NAMED, find_visits, list_causes
from planner.values import Load, OperatorLoad
from planner.wording import write_counted

LEAST_CHANGE = 0.2
MOST_LOOKED_AT = 50_000
"""Of more operators × rows nothing is compared: that would take longer than all numbers of the rows."""
WAITED = "Tuples that had waited since before are served here: E[T] counts their wait."
LONG_AFTER_OVERLOAD = 2.0
"""After an overload or a change an E[T] of more than so many times the estimated one says that tuples waited before."""


class SeriesRow(NamedTuple):
    """One stretch of time; None: not known. An `expected_seconds` of inf: an operator could not keep up.

    `wanted` are the processors that a decision for more or fewer processors recommended at the end of this time.
    """

    load: Load | None = None
    measured_seconds: float | None = None
    expected_seconds: float | None = None
    running: int | None = None
    wanted: int | None = None


def describe_rows(rows: Sequence[SeriesRow]) -> list[str | None]:
    """Returns what is to be said of each row; None: its numbers say all that is known."""
    said = zip(list_measured(rows), list_waiting(rows), list_unapplied(rows), strict=True)
    return [" ".join(filter(None, parts)) or None for parts in said]


def list_measured(rows: Sequence[SeriesRow]) -> list[str]:
    """For each row a sentence on operators that were measured otherwise than usual, so that E[T] was longer."""
    loads = [one.load for one in rows if one.load is not None]
    if sum(len(one.operators) for one in loads) > MOST_LOOKED_AT or len(loads) < 2:
        return [""] * len(rows)
    usual = find_usual(loads)
    said = []
    for one in rows:
        named = list_causes(usual, one.load, with_rate=False, least=LEAST_CHANGE) if one.load else []
        said.append(f"Not as usual: {'; '.join(named[:MOST_NAMED])}." if named else "")
    return said


def find_usual(loads: Sequence[Load]) -> Load:
    """The median service rate and tuples per external one of each operator, over all loads that have them."""
    rate = median([one.external_rate for one in loads])
    operators = {}
    for name in dict.fromkeys(name for one in loads for name in one.operators):
        seen = [(one.operators[name], one.external_rate) for one in loads if name in one.operators]
        visits = find_median([find_visits(*one) for one in seen])
        operators[name] = OperatorLoad(
            service_rate=find_median([one.service_rate for one, _ in seen]),
            arrival_rate=None if visits is None else visits * rate,
        )
    return Load(rate, operators)


def find_median(values: Sequence[float | None]) -> float | None:
    """The median of the values that are known; None if none is."""
    known = [one for one in values if one is not None]
    return median(known) if known else None


def list_waiting(rows: Sequence[SeriesRow]) -> list[str]:
    """For each row a sentence where tuples gathered, or where those that had gathered were served."""
    said, gathered, running = [], False, None
    for one in rows:
        measured, expected = one.measured_seconds, one.expected_seconds
        is_changed = None not in {running, one.running} and running != one.running
        running = running if one.running is None else one.running
        if expected == inf:
            said.append("More tuples came than were served: the rest waits, and E[T] grows.")
            gathered = True
            continue
        if measured is None or expected is None:
            said.append("")
            continue
        is_long = measured > LONG_AFTER_OVERLOAD * expected
        if is_long and is_changed and not gathered:
            said.append("The processors were changed here: tuples waited meanwhile.")
        else:
            said.append(WAITED if is_long and gathered else "")
        gathered = is_long and (gathered or is_changed)
    return said


def list_unapplied(rows: Sequence[SeriesRow]) -> list[str]:
    """For each row whose decision wanted other processors a sentence if no row until the next such row shows them."""
    said = [""] * len(rows)
    changes = [place for place, one in enumerate(rows) if one.wanted is not None]
    for place, following in pairwise([*changes, len(rows)]):
        later = [one.running for one in rows[place + 1 : following + 1] if one.running is not None]
        if later and rows[place].wanted not in later:
            until = "later row" if following == len(rows) else "row before the next change"
            said[place] = (
                f"No {until} shows the {write_counted(rows[place].wanted or 0, 'processor')} that were recommended "
                f"here: {later[-1]:,} ran."
            )
    return said
