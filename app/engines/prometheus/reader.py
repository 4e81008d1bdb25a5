"""Prometheus' answers as loads, one for each step of a range; the topology is the stored one, since Prometheus has
no edges.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.answers import (
    EngineAnswer,
    EngineReading,
    RunningJob,
    UnreadableAnswer,
    choose_job,
    find_pointer,
    read_parameters,
)
from app.engines.diagnostics import Facts, Rule, Rules, find_diagnostics, say
from app.engines.prometheus.loads import ReadLoads, Reason, make_loads
from app.engines.prometheus.moments import Moment, list_operators, make_moments
from app.engines.prometheus.signals import (
    NO_ANSWER,
    ROLES,
    LabelledSeries,
    Query,
    Role,
    Signal,
    find_window,
    is_counter,
    make_signal,
    name_role,
    read_counters,
    read_document,
    read_rule,
)
from planner.values import Diagnostic
from planner.wording import join_names, write_counted

Key = tuple[tuple[str, str, str], frozenset[tuple[str, str]]]
"""The query, its role and operator, and the labels of a series."""
REMEDY = 'A topology is one job: filter the queries, such as {job_name="NAME"}.'


@dataclass(slots=True)
class _Found:
    """The series of Prometheus' answers by their query; a series that two answers contain is kept once."""

    counters: dict[Key, LabelledSeries] = field(default_factory=dict)
    queried: dict[Key, tuple[LabelledSeries, Query, Mapping[str, str]]] = field(default_factory=dict)
    roles: set[Role] = field(default_factory=set)
    problems: list[UnreadableAnswer] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """Reads the answers of Prometheus: the loads that they measure, with marks and diagnostics."""
    pointer = find_pointer(answers)
    found = _Found()
    for answer in answers:
        _sort_answer(answer, found)
    signals = [*_make_signals(found, pointer), *read_counters(found.counters.values())]
    jobs = [RunningJob(name, name) for name in {signal.job_name for signal in signals} if name is not None]
    if jobs:
        choose_job(jobs, None, REMEDY, pointer=pointer)
    moments = make_moments(signals)
    is_asked = "unchanged_processors" in found.roles | {signal.role for signal in signals}
    loads = make_loads(moments, is_asked=is_asked)
    if not loads.loads and not loads.left.will_pass:
        nothing = UnreadableAnswer(pointer, explain_nothing(loads, moments))
        raise next(iter(found.problems), nothing)
    diagnostics = list_notes(loads, moments, found.empty, found.problems)
    return EngineReading(None, tuple(loads.loads), diagnostics, _list_marks(signals))


def _sort_answer(answer: EngineAnswer, found: _Found) -> None:
    parameters = read_parameters(answer.path)
    if "role" in parameters and parameters["role"] not in ROLES:
        detail = f"role={parameters['role'][:50]!r} in the path is unknown: the roles are {', '.join(ROLES)}."
        raise UnreadableAnswer(answer.pointer, detail)
    document = read_document(answer.body)
    if document.error is not None:
        found.problems.append(UnreadableAnswer(answer.pointer, _explain_error(document.error)))
        return
    if not document.series:
        found.empty.append(parameters.get("query") or answer.pointer)
    if (query := name_role(parameters)) is not None:
        found.roles.add(query.role)
    known = [_sort_series(series, parameters, found) for series in document.series]
    if not all(known):
        detail = (
            "the role of this query is unknown. Give its path with the query and a role, such as "
            "/api/v1/query_range?query=...&role=arrival_rate."
        )
        found.problems.append(UnreadableAnswer(answer.pointer, detail))


def _sort_series(series: LabelledSeries, parameters: Mapping[str, str], found: _Found) -> bool:
    """Adds a series with its role; False if neither the path, the series' name nor the query tells the role."""
    labels = frozenset(series.labels.items())
    asked = parameters
    if "role" not in parameters:
        if is_counter(series):
            key = ("", "", ""), labels
            found.counters[key] = _join(found.counters.get(key), series)
            return True
        asked = read_rule(series.labels) or parameters
    query = name_role(asked)
    if query is None:
        return False
    key = (asked.get("query", ""), query.role, asked.get("operator", "")), labels
    known = found.queried.get(key)
    found.queried[key] = _join(known[0] if known else None, series), query, asked
    return True


def _join(known: LabelledSeries | None, series: LabelledSeries) -> LabelledSeries:
    return series if known is None else series._replace(points={**known.points, **series.points})


def _explain_error(error: str) -> str:
    text = error[:300]
    remedy = " Ask for a shorter range or a longer step." if "maximum resolution" in text else ""
    return f"{text if text == NO_ANSWER else f'Prometheus refused the query: {text}'}.{remedy}"


def _make_signals(found: _Found, pointer: str) -> Iterable[Signal]:
    unnamed = set[str]()
    for series, query, parameters in found.queried.values():
        signal = make_signal(series, query, find_window(parameters), parameters)
        if signal is not None:
            yield signal
        elif query.role not in unnamed:
            unnamed.add(query.role)
            detail = (
                f"the operator of the series of {query.role} is unknown: aggregate by one label, or give operator=NAME "
                "or operator_label=LABEL in the path."
            )
            found.problems.append(UnreadableAnswer(pointer, detail))


def _list_marks(signals: Iterable[Signal]) -> Mapping[str, JsonValue]:
    """The id and the name of the newest Flink job among the signals, as the marks of the topology."""
    newest = max(signals, key=lambda one: (max(one.points), one.job_id or ""), default=None)
    marks = {} if newest is None else {"job": newest.job_id or newest.job_name, "job_name": newest.job_name}
    return {name: value for name, value in marks.items() if value is not None}


LEFT: Mapping[Reason, str] = {
    "instances-changed": (
        "instances started, ended or were reset within the window, as in a rescale, so rates over it are too low"
    ),
    "start-not-seen": (
        "the range begins within the window, so a rescale before it would not be noticed. Ask for a range that is "
        "one window longer"
    ),
    "two-jobs": (
        "there are series of two jobs at once. Filter the queries by job_id, or ask again when the older job is "
        "gone"
    ),
    "windows-differ": (
        "the rates cover times of different length. Use one range in all queries, and for raw counters a step as "
        "long"
    ),
    "external-rate-unknown": ("the external rate is unknown at these times (a gap, NaN, or no query for it)"),
    "window-unknown": (
        "no query states the time that its rates cover: write the range, such as rate(x[1m]), or give "
        "window_seconds in the path"
    ),
    "overlapping-windows": (
        "the window overlaps the window of a later load. A step as long as the range in the query uses every "
        "point"
    ),
}
"""Why times give no load, by the code of their diagnostic."""


def list_left(read: ReadLoads) -> list[Diagnostic]:
    """The diagnostics on times that gave no load, the most frequent reason first."""
    left = sorted(read.left.times.items(), key=lambda one: -len(one[1]))
    return [say(reason, f"{_list_times(times)} left out: {LEFT[reason]}.") for reason, times in left]


def _list_times(times: Sequence[float]) -> str:
    clocks = [datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S") for at in sorted(times)]
    return f"{write_counted(len(times), 'time')} (UTC: {join_names(clocks, 3)})"


class ReadRange(NamedTuple):
    """A range that was read, from which diagnostics are found; `empty` are queries without a series, `problems` answers
    that were left out.
    """

    read: ReadLoads
    moments: Sequence[Moment]
    empty: Sequence[str]
    problems: Sequence[UnreadableAnswer]

    def list_without(self, field: str) -> list[str]:
        """The operators of the newest load that have no value in a field."""
        newest = self.read.loads[-1].operators if self.read.loads else {}
        return sorted(name for name, one in newest.items() if getattr(one, field) is None)


def list_notes(
    read: ReadLoads, moments: Sequence[Moment], empty: Sequence[str], problems: Sequence[UnreadableAnswer]
) -> tuple[Diagnostic, ...]:
    """All diagnostics of one reading of Prometheus' answers."""
    subject = ReadRange(read, moments, empty, problems)
    left_out = [say("answer-left-out", f"Left out {one.pointer}: {one.detail}") for one in problems]
    return (*list_left(read), *find_diagnostics(RULES, subject), *left_out)


RULES: Rules[ReadRange] = {
    "edges-not-in-prometheus": Rule(
        lambda _: True,
        "The edges are those of the stored topology, because Prometheus does not know which operator sends to "
        "which.",
    ),
    "changes-not-checked": Rule(
        lambda one: one.read.left.unchecked and bool(one.read.loads),
        "The answers do not show whether instances started or ended within a window, and rates over a rescale are "
        "too low. Ask for unchanged_processors, or for processors over a range.",
    ),
    "source-left-out": Rule(
        lambda one: [name for name, waits in one.read.sources.items() if waits],
        "The busy time of the source {names} is not measured. The source only waits for its input, so it is left out "
        "as an operator, and the rate at which it sends is the external rate.",
    ),
    "saturated": Rule(
        lambda one: sorted(one.read.left.saturated),
        "{names} was busy all the time and may have been offered more than it served; other operators may have been "
        "held back. So arrival rates are left out and computed from the flow, and the external rate is the rate that "
        "the job took in.",
    ),
    "service-rate-unknown": Rule(
        lambda one: one.list_without("service_rate"),
        "The service rate of {names} is unknown in the newest load: nobody asked for it, its value is not a number, "
        "or nothing was served.",
    ),
    "arrival-rate-unknown": Rule(
        lambda one: one.list_without("arrival_rate") if not one.read.left.saturated else [],
        "The arrival rate of {names} is unknown in the newest load: nobody asked for it, or its value is not a "
        "number. It is computed from the external rate and the selectivities of the stored topology.",
    ),
    "processors-unknown": Rule(
        lambda one: one.list_without("processors"),
        "The number of processors of {names} is unknown in the newest load: nobody asked for it, or its value is not "
        "a whole number.",
    ),
    "several-means": Rule(
        lambda one: sorted({name for moment in one.moments for name in moment.doubled}),
        "Several series give a mean of {names}, and which of them is right is unknown, so none is used. Aggregate the "
        "series in the query, such as sum(...) / sum(...).",
    ),
    "query-without-series": Rule(
        lambda one: (
            bool(one.empty)
            and Facts(count=len(one.empty), queries="; ".join(query[:120] for query in one.empty[:5]))
        ),
        "{count} queries have no series in their answer: the metric or label is unknown to Prometheus, or the "
        "range has fewer than two scrapes. The queries: {queries}.",
    ),
}


def explain_nothing(read: ReadLoads, moments: Sequence[Moment]) -> str:
    """The reason why the answers of Prometheus give no load, and what to send."""
    if not moments:
        return (
            "the answers have no series, because Prometheus does not know the metric or label. Check the names in "
            "the queries, and that the engine is scraped."
        )
    if read.left.chained:
        return (
            f"{join_names(sorted(read.sources))} sends nothing to another task: the whole job is one chain, and "
            "Flink counts no records inside it. Break the chain before the operators to plan for "
            "(disableChaining), or ask for the external rate with ?role=external_rate."
        )
    if left := list_left(read):
        return f"no time of the range can be used. {left[0].detail}"
    return (
        f"rates are missing: the answers measure {join_names(list_operators(moments)) or 'no operator'}, but not how "
        "much arrives or is served in a known time. Send query_range of rates, or two points of raw counters."
    )
