"""Signals: the series in Prometheus' answers, each with its role, its operator and the time that its values cover.

Answers are those of query and query_range. The role of a query is given in its path, or recognised by the Flink
metrics in the query; raw counters of Flink become rates.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Literal, NamedTuple, get_args

from pydantic import JsonValue

from app.engines.numbers import (
    add_known,
    find_growth,
    find_rate,
    read_list,
    read_name,
    read_number,
    read_object,
    read_text,
)

LAST_SECOND = 253_402_300_000.0
"""The end of the calendar, 9999-12-31."""

Points = Mapping[float, float | None]
"""Values by their time in epoch seconds; None: "NaN", or a value that cannot be a rate."""


NO_ANSWER = (
    "this is not an answer of /api/v1/query or /api/v1/query_range: send what Prometheus answered there"
)


class LabelledSeries(NamedTuple):
    """One series of an answer: its labels and its points."""

    labels: Mapping[str, str]
    points: Points


class Answered(NamedTuple):
    """The answer to a query; `error` is Prometheus' own text, or describes what is wrong with the document."""

    series: tuple[LabelledSeries, ...]
    error: str | None = None


def read_document(body: JsonValue) -> Answered:
    """The series of an answer, which is a matrix, a vector or a scalar."""
    document = read_object(body)
    if document.get("status") == "error":
        return Answered((), read_text(document.get("error")) or "an error without a text")
    data = read_object(document.get("data"))
    kind, result = read_text(data.get("resultType")), data.get("result")
    if document.get("status") != "success" or kind not in {"matrix", "vector", "scalar"}:
        return Answered((), NO_ANSWER)
    if kind == "scalar":
        return Answered(tuple(_make_series({}, [result])))
    listed = [
        (
            read_object(one.get("metric")),
            read_list(one.get("values")) if kind == "matrix" else [one.get("value")],
        )
        for one in map(read_object, read_list(result))
    ]
    return Answered(tuple([series for one in listed for series in _make_series(*one)]))


def _make_series(metric: Mapping[str, JsonValue], points: Iterable[JsonValue]) -> Iterable[LabelledSeries]:
    """A series with labels and points, in a list; an empty list if no point has a time."""
    labels = {name: value for name, value in metric.items() if isinstance(value, str)}
    timed: dict[float, float | None] = {}
    for point in map(read_list, points):
        at = read_number(point[0]) if len(point) == 2 else None
        if at is not None and at <= LAST_SECOND:
            timed[at] = read_number(point[1])
    if timed:
        yield LabelledSeries(labels, timed)


Role = Literal[
    "external_rate",
    "arrival_rate",
    "served_rate",
    "sent_rate",
    "service_rate",
    "service_seconds",
    "busy_processors",
    "back_pressured_processors",
    "processors",
    "unchanged_processors",
    "backlog_tuples",
    "wait_seconds",
    "sojourn_seconds",
    "service_scv",
    "service_buckets",
]
ROLES: tuple[Role, ...] = get_args(Role)

METRIC = "flink_taskmanager_job_task_"
COUNTERS: Mapping[str, tuple[Role, float]] = {
    f"{METRIC}numRecordsIn": ("served_rate", 1.0),
    f"{METRIC}numRecordsOut": ("sent_rate", 1.0),
    f"{METRIC}accumulateBusyTimeMs": ("busy_processors", 1e-3),
    f"{METRIC}accumulateBackPressuredTimeMs": ("back_pressured_processors", 1e-3),
}
"""Counters of each subtask: the role of their growth per second, and its factor."""

RULE = "headgate:"
"""The beginning of the names of recording rules for Headgate; the role follows."""

RANGE = re.compile(r"\[\s*([0-9a-z]+)\s*(?::[^\]]*)?\]")
PART = re.compile(r"(\d+)(ms|[smhdwy])")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
LONGEST_SECONDS = 86_400.0


class Query(NamedTuple):
    """The quantity that a query measures; values × `factor` are in the unit of the role."""

    role: Role
    factor: float = 1.0


def name_role(parameters: Mapping[str, str]) -> Query | None:
    """The quantity that a query measures: from the role in its path, or else from its text; None if neither tells."""
    given = parameters.get("role")
    if given is not None:
        return Query(given) if given in ROLES else None
    return recognise(parameters.get("query", ""))


def read_rule(labels: Mapping[str, str]) -> Mapping[str, str] | None:
    """The parameters of a recording rule headgate:ROLE, from its labels topology, operator and window_seconds."""
    name = labels.get("__name__", "")
    if not name.startswith(RULE):
        return None
    known = {field: labels[field] for field in ("topology", "operator", "window_seconds") if field in labels}
    return known | {"role": name.removeprefix(RULE)}


def recognise(promql: str) -> Query | None:
    """The role of a query on Flink's counters, such as sum by (task_name)(rate(flink_..._numRecordsIn[1m]))."""
    names = [f"{METRIC}{name}" for name in re.findall(rf"{METRIC}(\w+)", promql)]
    known = [name for name in names if name in COUNTERS]
    if len(known) < len(names) or not known:
        return None
    text = promql.replace(" ", "")
    if text.startswith("count") and len(set(known)) == 1:
        return Query("processors") if len(known) == 1 else None
    if not text.startswith("sum") or "rate(" not in text:
        return None
    if len(known) == 1:
        role, factor = COUNTERS[known[0]]
        return Query(role, 1.0 if text.endswith("/1000") else factor)
    return _recognise_quotient(known, text)


def _recognise_quotient(known: list[str], text: str) -> Query | None:
    """The quantity of a query that divides two counters: records per busy millisecond, or × 1000 per busy second."""
    if [COUNTERS[name][0] for name in known] != ["served_rate", "busy_processors"] or text.count(
        ")/sum"
    ) != 1:
        return None
    return Query("service_rate", 1.0 if text.endswith("*1000") else 1000.0)


def find_window(parameters: Mapping[str, str]) -> float | None:
    """The seconds that each value covers: window_seconds, or the longest [range] of the query, or the step."""
    for name in ("window_seconds", "query", "step"):
        text = parameters.get(name, "")
        found = [read_duration(one) for one in (RANGE.findall(text) if name == "query" else [text])]
        lengths = [one for one in found if one is not None]
        if lengths:
            return max(lengths)
    return None


def read_duration(text: str) -> float | None:
    """The seconds of a number or of a PromQL duration such as 1m30s; None for other texts, and for more than a day."""
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        seconds = float(text)
    elif re.fullmatch(rf"(?:{PART.pattern})+", text) and len(text) <= 40:
        seconds = sum(float(count) * SECONDS[unit] for count, unit in PART.findall(text))
    else:
        return None
    return seconds if 1.0 <= seconds <= LONGEST_SECONDS else None


MOST_JITTER = 1.5
"""Points that are further apart than this many steps have a gap between them."""
JOB_LABELS = ("job_name", "job_id")
OF_JOB: frozenset[Role] = frozenset({"external_rate", "sojourn_seconds"})
STATES: frozenset[Role] = frozenset({"processors", "unchanged_processors", "backlog_tuples"})
"""Roles whose values hold at a time, not over a window."""
UPPER, BUCKETS = "le", "service_buckets"  # the label with a bucket's upper bound, and the role of buckets
NOT_AN_OPERATOR = frozenset({"__name__", "instance", "job", UPPER, *JOB_LABELS})


class Signal(NamedTuple):
    """A series whose role is known; `window` is the time that each value covers, None if the values are states.
    `upper` is the bound up to which a bucket of services counts.
    """

    role: Role
    operator: str | None
    job_name: str | None
    job_id: str | None
    window: float | None
    points: Points
    upper: float | None = None


def find_operator(labels: Mapping[str, str], parameters: Mapping[str, str]) -> str | None:
    """The operator that a series measures: from the path, or Flink's task_name, or the only label."""
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
    """The series with the role of its query; None if the operator that it measures is unknown."""
    operator = None if query.role in OF_JOB else find_operator(series.labels, parameters)
    bound = series.labels.get(UPPER) if query.role == BUCKETS else None
    upper = inf if bound == "+Inf" else read_number(bound)
    if (operator is None and query.role not in OF_JOB) or (query.role == BUCKETS and upper is None):
        return None
    points = {at: None if value is None else value * query.factor for at, value in series.points.items()}
    return Signal(
        query.role,
        operator,
        read_name(parameters.get("topology", series.labels.get("job_name"))),
        read_name(series.labels.get("job_id")),
        None if query.role in STATES else window,
        points,
        upper,
    )


def is_counter(series: LabelledSeries) -> bool:
    """Whether a series is a counter of a single Flink subtask, which has not been made a rate."""
    return series.labels.get("__name__") in COUNTERS and "task_name" in series.labels


def read_counters(listed: Iterable[LabelledSeries]) -> Iterator[Signal]:
    """Rates from raw counters: their growth from point to point, summed over the subtasks of a task.

    A subtask that starts, ends or restarts between two points does not count as an unchanged processor.
    """
    groups: dict[tuple[str, ...], list[Points]] = defaultdict(list)
    for series in listed:
        names = ("__name__", "task_name", *JOB_LABELS)
        groups[tuple(series.labels.get(name, "") for name in names)].append(series.points)
    for (metric, task, job_name, job_id), members in groups.items():
        operator = read_name(task)
        if operator is not None:
            yield from _measure_task(metric, operator, (read_name(job_name), read_name(job_id)), members)


def _measure_task(
    metric: str, operator: str, job: tuple[str | None, str | None], members: Sequence[Points]
) -> Iterator[Signal]:
    role, factor = COUNTERS[metric]
    times = sorted({at for points in members for at in points})
    starts = {after: before for before, after in list_steps(times)}
    for at in times:
        there = [points for points in members if at in points]
        before = starts.get(at)
        pairs = (
            [] if before is None else [(points[before], points[at]) for points in there if before in points]
        )
        if role == "served_rate":
            fell = sum(old is not None and new is not None and new < old for old, new in pairs)
            yield Signal("processors", operator, *job, None, {at: float(len(there))})
            yield Signal("unchanged_processors", operator, *job, None, {at: float(len(pairs) - fell)})
        if before is not None:
            grown = add_known(find_growth(*pair) for pair in pairs)
            rate = find_rate(None if grown is None else grown * factor, at - before)
            yield Signal(role, operator, *job, at - before, {at: rate})


def list_steps(times: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Pairs of successive times; pairs with a gap between them are left out."""
    pairs = list(pairwise(times))
    shortest = min((after - before for before, after in pairs), default=0.0)
    for before, after in pairs:
        if after - before <= MOST_JITTER * shortest and after - before >= 1.0:
            yield before, after
