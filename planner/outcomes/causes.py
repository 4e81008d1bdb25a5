"""What was measured otherwise while E[T] was longer than a decision expected? (one table of what makes E[T] longer)

The intervals in which E[T] was too long are compared with those that the decision was made from. What differs is named
beside the longer E[T]; whether it is why E[T] became longer is not known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from planner.outcomes.observed import ObservedOutcome, Promised
from planner.values import Load, OperatorLoad
from planner.wording import write_number, write_percent, write_rate, write_seconds

MOST_COMPARED = 60
"""Of the intervals in which E[T] was too long so many are compared: those with the longest."""
MOST_NAMED = 3


class Compared(NamedTuple):
    """The means of what was measured when it was decided, and while E[T] was too long; None: not known any more."""

    then: Load | None
    now: Load | None


@dataclass(frozen=True, slots=True)
class Cause:
    """A measurement of an operator that makes E[T] longer as it rises, or as it falls.

    It is named from a change by the part `least` on: smaller ones are usual from interval to interval.
    """

    find: Callable[[OperatorLoad, float], float | None]
    sentence: str
    write: Callable[[float], str]
    least: float
    is_rise: bool = True

    def measure(self, then: float | None, now: float | None, least: float = 0.0) -> float:
        """By how much the measurement made E[T] longer, as the logarithm of a ratio; 0 if it did not.

        A change by less than `least` counts as none here.
        """
        if not then or not now or then < 0.0 or now < 0.0:
            return 0.0
        ratio = log(now / then) if self.is_rise else log(then / now)
        return ratio if ratio >= log(1.0 + max(self.least, least)) else 0.0


def find_visits(one: OperatorLoad, external_rate: float) -> float | None:
    """The tuples that reach an operator for each external tuple."""
    return one.arrival_rate / external_rate if one.arrival_rate is not None and external_rate else None


def find_dispersion(one: OperatorLoad, _rate: float) -> float | None:
    """The index of dispersion of arrivals in the longest window."""
    return one.arrival_idc[-1].idc if one.arrival_idc else None


CAUSES = (
    Cause(
        lambda one, _: one.service_rate,
        "one processor of {name} served {now} instead of {then}",
        write_rate,
        0.05,
        is_rise=False,
    ),
    Cause(
        find_visits,
        "{name} received {now} tuples for each one from outside instead of {then}",
        write_number,
        0.05,
    ),
    Cause(
        lambda one, _: one.arrival_scv,
        "tuples reached {name} less evenly (an SCV of {now} instead of {then})",
        write_number,
        0.5,
    ),
    Cause(
        find_dispersion,
        "tuples reached {name} in larger bursts (an index of dispersion of {now} instead of {then})",
        write_number,
        0.5,
    ),
    Cause(
        lambda one, _: one.service_scv,
        "services of {name} varied more (an SCV of {now} instead of {then})",
        write_number,
        0.5,
    ),
)
RATE = Cause(lambda _one, rate: rate, "the rate was {now} instead of {then}", write_rate, 0.05)


def is_longer(promised: Promised, found: ObservedOutcome) -> bool:
    """Whether E[T] missed its limit, or was longer than expected by more than the expected one is known to err."""
    return bool(found.missed) or find_excess(promised, found) > promised.error


def find_excess(promised: Promised, found: ObservedOutcome) -> float:
    """The part by which E[T] was above the expected one; 0 where one of them is not known."""
    if not promised.expected_seconds or found.measured_seconds is None:
        return 0.0
    return found.measured_seconds / promised.expected_seconds - 1.0


def describe_causes(promised: Promised, found: ObservedOutcome, compared: Compared | None) -> list[str]:
    """Returns a sentence on what else was measured otherwise where E[T] was too long; none where that is not known."""
    if compared is None or compared.then is None or compared.now is None or not is_longer(promised, found):
        return []
    named = list_causes(compared.then, compared.now, with_rate=not found.missed_beyond_rate)
    begin = name_intervals(promised, found)
    if not named:
        if found.missed_beyond_rate:
            return []
        limit, before = promised.limit_seconds, compared.then.measured_sojourn_seconds
        if limit is not None and before is not None and before > limit:
            since = f"E[T] was {write_seconds(before)} when it was decided"
            return [f"{since}: tuples that waited then were served later, and count here."]
        return [f"{begin} rates, services and bursts were measured about as when it was decided."]
    shown, more = "; ".join(named[:MOST_NAMED]), len(named) - MOST_NAMED
    rest = f"; and {more} more of such changes" if more > 0 else ""
    return [f"{begin} {shown}{rest}: this is compared with what was measured when it was decided."]


def name_intervals(promised: Promised, found: ObservedOutcome) -> str:
    """The beginning of a sentence about the intervals in which E[T] was too long."""
    if not found.missed:
        excess = write_percent(find_excess(promised, found))
        return f"E[T] was on average {excess} above the expected one. In this time"
    if found.missed > MOST_COMPARED:
        return f"In the {MOST_COMPARED} of these intervals with the longest E[T]"
    return "In this interval" if found.missed == 1 else "In these intervals"


def list_causes(then: Load, now: Load, *, with_rate: bool = True, least: float = 0.0) -> list[str]:
    """Clauses on what makes E[T] longer in a load than it was before, the largest change first.

    Changes by less than `least` are left out.
    """
    found: list[tuple[float, str]] = []
    rates = then.external_rate, now.external_rate
    pairs: list[tuple[Cause, str, float | None, float | None]] = [(RATE, "", *rates)] if with_rate else []
    for name, one in now.operators.items():
        before = then.operators.get(name)
        if before is not None:
            pairs += [
                (cause, name, cause.find(before, rates[0]), cause.find(one, rates[1])) for cause in CAUSES
            ]
    for cause, name, was, is_ in pairs:
        size = cause.measure(was, is_, least)
        if size and was and is_:
            clause = cause.sentence.format(name=name, now=cause.write(is_), then=cause.write(was))
            found.append((size, clause))
    return [clause for _, clause in sorted(found, key=lambda one: -one[0])]
