"""Signals: what each series measures, of which operator, over which time; rates out of raw counters."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.engines.numbers import add_known, find_growth, find_rate, read_name
from app.engines.prometheus.documents import LabelledSeries, Points
from app.engines.prometheus.roles import COUNTERS, Query, Role

ROLE_OF_JOBS = ("job_name", "job_id")
NOT_AN_OPERATOR = frozenset({"__name__", "instance", "job", *ROLE_OF_JOBS})


class Signal(NamedTuple):
    """One series in its role; `window` is the time that each value covers, None where it is a state."""

    role: Role
    operator: str | None
    job_name: str | None
    job_id: str | None
    window: float | None
    points: Points


def find_operator(labels: Mapping[str, str], parameters: Mapping[str, str]) -> str | None:
    """The operator that a series measures: as the path says, or Flink's task_name, or the only label."""
    if "operator" in parameters:
        return read_name(parameters["operator"])
    if "operator_label" in parameters:
        return read_name(labels.get(parameters["operator_label"]))
    if "task_name" in labels:
        return read_name(labels["task_name"])
    others = [value for name, value in labels.items() if name not in NOT_AN_OPERATOR]
    return read_name(others[0]) if len(others) == 1 else None


def make_signal(
    series: LabelledSeries, query: Query, window: float | None, parameters: Mapping[str, str]
) -> Signal | None:
    """The series in the role of its query; None where it does not say of which operator."""
    operator = (
        None
        if query.role in {"external_rate", "sojourn_seconds"}
        else find_operator(series.labels, parameters)
    )
    if operator is None and query.role not in {"external_rate", "sojourn_seconds"}:
        return None
    states = {"processors", "unchanged_processors", "backlog_tuples"}
    points = {at: None if value is None else value * query.factor for at, value in series.points.items()}
    return Signal(
        query.role,
        operator,
        read_name(parameters.get("topology", series.labels.get("job_name"))),
        read_name(series.labels.get("job_id")),
        None if query.role in states else window,
        points,
    )


def is_counter(series: LabelledSeries) -> bool:
    """Whether it is a counter of one of Flink's subtasks, as scraped."""
    return series.labels.get("__name__") in COUNTERS and "task_name" in series.labels


def read_counters(listed: Iterable[LabelledSeries]) -> Iterator[Signal]:
    """Rates out of raw counters: their growth from point to point, summed over the subtasks of a task.

    A subtask that starts, ends or begins anew between two points is not among the unchanged processors.
    """
    groups: dict[tuple[str, ...], list[LabelledSeries]] = defaultdict(list)
    for series in listed:
        names = ("__name__", "task_name", *ROLE_OF_JOBS)
        groups[tuple(series.labels.get(name, "") for name in names)].append(series)
    for (metric, task, job_name, job_id), members in groups.items():
        operator = read_name(task)
        if operator is not None:
            yield from _measure_task(
                metric, operator, (read_name(job_name), read_name(job_id)), [one.points for one in members]
            )


def _measure_task(
    metric: str, operator: str, job: tuple[str | None, str | None], members: Sequence[Points]
) -> Iterator[Signal]:
    role, factor = COUNTERS[metric]
    times = sorted({at for points in members for at in points})
    starts = {after: before for before, after in list_steps(times)}
    for at in times:
        there = [points for points in members if at in points]
        before = starts.get(at)
        both = [] if before is None else [points for points in there if before in points]
        if role == "served_rate":
            fell = sum(1 for points in both if before is not None and _fell(points[before], points[at]))
            yield Signal("processors", operator, *job, None, {at: float(len(there))})
            yield Signal("unchanged_processors", operator, *job, None, {at: float(len(both) - fell)})
        if before is not None:
            grown = add_known(find_growth(points[before], points[at]) for points in both)
            rate = find_rate(None if grown is None else grown * factor, at - before)
            yield Signal(role, operator, *job, at - before, {at: rate})


def _fell(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and after < before


def list_steps(times: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Neighbouring times, without those that have a gap between them."""
    pairs = list(pairwise(times))
    shortest = min((after - before for before, after in pairs), default=0.0)
    for before, after in pairs:
        if after - before <= MOST_JITTER * shortest and after - before >= 1.0:
            yield before, after


MOST_JITTER = 1.5
"""Points further apart than this many steps have a gap between them."""
