"""The values of each operator and role at each time, and rescales and restarts between them.

A rate over a window with a rescale or restart in it is too low.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.engines.numbers import MOST, add_known
from app.engines.prometheus.signals import Role, Signal

Values = dict[Role, float | None]
MEANS: tuple[Role, ...] = (
    "service_rate",
    "service_seconds",
    "service_scv",
    "wait_seconds",
    "sojourn_seconds",
)
"""Roles in which two series of one operator cannot be added up."""
SAME_TIME = 1.0
"""Points this close together count as one time, since queries without a common time are asked one after the other."""


@dataclass(slots=True)
class Moment:
    """All values that were measured at one time; `windows` are the lengths of time that the values cover, in
    seconds.
    """

    at: float
    windows: set[float] = field(default_factory=set)
    total: Values = field(default_factory=dict)
    operators: dict[str, Values] = field(default_factory=dict)
    jobs: set[str] = field(default_factory=set)
    doubled: set[str] = field(default_factory=set)
    buckets: dict[str, dict[float, float]] = field(default_factory=dict)
    """Services per second up to each bound, by operator."""

    @property
    def window(self) -> float:
        """The longest length of time that a value of this moment covers, in seconds; 0 if it is not known."""
        return max(self.windows, default=0.0)

    def find(self, operator: str, role: Role) -> float | None:
        """The value of an operator in a role at this time; None if it is unknown."""
        return self.operators.get(operator, {}).get(role)


def make_moments(signals: Iterable[Signal]) -> list[Moment]:
    """The points of all signals grouped by time, oldest first: one moment for each time."""
    listed = list(signals)
    places = dict(_join_times({at for signal in listed for at in signal.points}))
    moments = {at: Moment(at) for at in places.values()}
    cells: dict[tuple[float, str | None, Role], list[float | None]] = defaultdict(list)
    for signal in listed:
        for at, value in signal.points.items():
            moment = moments[places[at]]
            if signal.upper is None:
                cells[moment.at, signal.operator, signal.role].append(value)
            elif signal.operator is not None and value is not None:
                bounds = moment.buckets.setdefault(signal.operator, {})
                bounds[signal.upper] = bounds.get(signal.upper, 0.0) + value
            if signal.job_id is not None:
                moment.jobs.add(signal.job_id)
            if signal.window is not None:
                moment.windows.add(signal.window)
    for (at, operator, role), values in cells.items():
        _fill(moments[at], operator, role, values)
    return [moments[at] for at in sorted(moments)]


def _join_times(times: Iterable[float]) -> Iterator[tuple[float, float]]:
    """Yields each time with the last time within one second of it, which stands for both."""
    group: list[float] = []
    for at in sorted(times):
        if group and at - group[0] > SAME_TIME:
            yield from ((one, group[-1]) for one in group)
            group = []
        group.append(at)
    yield from ((one, group[-1]) for one in group)


def _fill(moment: Moment, operator: str | None, role: Role, values: Sequence[float | None]) -> None:
    """Puts the values of an operator's role into a moment as one sum; several means have no sum, so they give None."""
    cell = moment.total if operator is None else moment.operators.setdefault(operator, {})
    if role in MEANS and len(values) > 1:
        cell[role] = None
        moment.doubled.add(operator or role)
    else:
        total = add_known(values)
        cell[role] = total if total is not None and total <= MOST else None


def list_operators(moments: Iterable[Moment]) -> list[str]:
    """The names of all operators that were measured at any time."""
    return sorted({name for moment in moments for name in moment.operators})


def find_sources(moments: Sequence[Moment]) -> dict[str, bool]:
    """Flink's sources, each with whether it only waits for its input: it takes in nothing, and its busy time is
    unknown.
    """
    found = {}
    for name in list_operators(moments):
        served = [one for moment in moments if (one := moment.find(name, "served_rate")) is not None]
        sends = any(moment.find(name, "sent_rate") is not None for moment in moments)
        if name.startswith("Source") and not any(served) and (served or sends):
            found[name] = all(moment.find(name, "busy_processors") is None for moment in moments)
    return found


def find_external(moment: Moment, sources: Mapping[str, bool], operators: Sequence[str]) -> float | None:
    """The tuples per second that enter: measured directly, or sent by Flink's sources, or arriving at the only
    operator.
    """
    if "external_rate" in moment.total:
        return moment.total["external_rate"]
    if sources:
        return add_known(moment.find(name, "sent_rate") for name in sources)
    if len(operators) == 1:
        return moment.find(operators[0], "arrival_rate")
    return None


Change = Literal["instances-changed", "start-not-seen"]


def find_changes(moments: Sequence[Moment], *, is_asked: bool) -> dict[float, Change] | None:
    """The times whose windows contain a change, or may contain one; None if the answers cannot show any.

    If unchanged instances were asked for, a change is a difference in them (no answer means none). Otherwise it is a
    difference in the processors within the window; a start before the first time of the range is not seen.
    """
    if is_asked:
        return {moment.at: "instances-changed" for moment in moments if _has_changed(moment)}
    counted = [moment for moment in moments if _is_counted(moment)]
    if len(counted) < 2:
        return None
    found: dict[float, Change] = {}
    for moment in moments:
        start = moment.at - moment.window
        within = [one for one in moments if start - SAME_TIME <= one.at <= moment.at]
        if not all(map(_is_counted, within)) or any(_differ(one, moment) for one in within):
            found[moment.at] = "instances-changed"
        elif not any(one.at <= start + SAME_TIME for one in counted):
            found[moment.at] = "start-not-seen"
    return found


def _is_counted(moment: Moment) -> bool:
    """Whether the number of processors is known at this time; if it is not, the job did not run."""
    return any(values.get("processors") is not None for values in moment.operators.values())


def _has_changed(moment: Moment) -> bool:
    """Whether the instances of an operator differ from those of the time before; instances of a job that ended do not
    count.
    """
    return any(
        values.get("unchanged_processors") is None
        or values["unchanged_processors"] != values.get("processors")
        for values in moment.operators.values()
        if values.get("served_rate") is not None or "processors" in values
    )


def _differ(one: Moment, other: Moment) -> bool:
    """Whether an operator has different numbers of processors at two times; an absent operator counts as equal."""
    return any(
        one.find(name, "processors") != other.find(name, "processors")
        for name in one.operators.keys() & other.operators.keys()
        if "processors" in one.operators[name] and "processors" in other.operators[name]
    )
