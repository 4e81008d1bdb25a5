"""What the answers of Prometheus do not show, and what was left out of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from app.engines.answers import UnreadableAnswer
from app.engines.diagnostics import say
from app.engines.prometheus.loads import ReadLoads, Reason
from app.engines.prometheus.tables import Moment, list_operators
from planner.values import Diagnostic
from planner.wording import join_names


def list_notes(
    read: ReadLoads, moments: Sequence[Moment], empty: Sequence[str], problems: Sequence[UnreadableAnswer]
) -> tuple[Diagnostic, ...]:
    """The diagnostics of one reading; `empty` are queries without a series, `problems` answers that were left out."""
    said = [_tell_of_edges(), *_tell_of_left(read), *_tell_of_sources(read), *_tell_of_unknown(read)]
    doubled = sorted({name for moment in moments for name in moment.doubled})
    if doubled:
        detail = (
            f"Several series give a mean of {join_names(doubled)}: which one holds is unknown, so none is taken. "
            "Aggregate them in the query, such as sum(...) / sum(...)."
        )
        said.append(say("several-means", detail, doubled))
    said += [say("answer-left-out", f"Left out {problem.pointer}: {problem.detail}") for problem in problems]
    if empty:
        said.append(say("query-without-series", _word_empty(empty)))
    return tuple(said)


def _word_empty(empty: Sequence[str]) -> str:
    return (
        f"{len(empty)} queries were answered with no series, as Prometheus answers for a metric or label that it does "
        f"not know, or a range with fewer than two scrapes: {'; '.join(query[:120] for query in empty[:5])}."
    )


def _tell_of_edges() -> Diagnostic:
    detail = (
        "Prometheus does not know which operator sends to which: the edges are those of the stored topology, as the "
        "engine's own reader or its owner gave them."
    )
    return say("edges-not-in-prometheus", detail)


LEFT: Mapping[Reason, tuple[str, str]] = {
    "changed": (
        "instances-changed",
        "instances started, ended or were reset within the window, as at a rescale, and rates over it are too low",
    ),
    "start_not_seen": (
        "start-not-seen",
        "the range begins within the window: a rescale before is not seen. Ask for a range that is one window longer",
    ),
    "two_jobs": (
        "two-jobs",
        "series of two jobs at once. Filter the queries by job_id, or ask again when the older job is gone",
    ),
    "windows_differ": (
        "windows-differ",
        "rates over times of different length. Use one range in all queries, and for raw counters a step as long",
    ),
    "no_external": (
        "external-rate-unknown",
        "how much enters from outside is unknown then (a gap, NaN, or no query for it)",
    ),
    "no_window": (
        "window-unknown",
        "no query says over which time: write the range, such as rate(x[1m]), or give window_seconds in the path",
    ),
    "overlapping": (
        "overlapping-windows",
        "the window overlaps that of a later load. A step as long as the range in the query uses every point",
    ),
}


def _tell_of_left(read: ReadLoads) -> Iterable[Diagnostic]:
    for reason, times in sorted(read.left.times.items(), key=lambda one: -len(one[1])):
        code, why = LEFT[reason]
        yield say(code, f"Left out {_list_times(times)}: {why}.")
    if read.left.unchecked and read.loads:
        detail = (
            "Whether instances started or ended within a window does not show in the answers; rates over a rescale are "
            "too low. Ask for unchanged_processors, or for processors over a range."
        )
        yield say("changes-not-checked", detail)


def _tell_of_sources(read: ReadLoads) -> Iterable[Diagnostic]:
    waiting = [name for name, waits in read.sources.items() if waits]
    if waiting:
        detail = (
            f"{join_names(waiting)}: the busy time of this source is not measured. It only waits for its input, so it "
            "is no operator here; what it sends is the external rate."
        )
        yield say("source-left-out", detail, waiting)
    if read.left.saturated:
        names = sorted(read.left.saturated)
        detail = (
            f"{join_names(names)} worked all the time: it served less than it was offered, or just as much, and "
            "others got less or were held back. What operators were offered is unknown then (arrival_rate is left to "
            "the flow), and the external rate is what the job took in."
        )
        yield say("saturated", detail, names)


def _tell_of_unknown(read: ReadLoads) -> Iterable[Diagnostic]:
    if not read.loads:
        return
    newest = read.loads[-1].operators
    for role, field in (("service rate", "service_rate"), ("number of processors", "processors")):
        names = sorted(name for name, one in newest.items() if getattr(one, field) is None)
        if names:
            detail = (
                f"The newest load does not have the {role} of {join_names(names)}: not asked for, NaN, or nothing was "
                "served."
            )
            yield say(f"{field.replace('_', '-')}-unknown", detail, names)


def _list_times(times: Sequence[float]) -> str:
    shown = [datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S") for at in sorted(times)[:3]]
    more = f" and {len(times) - 3} more" if len(times) > 3 else ""
    word = "time" if len(times) == 1 else "times"
    return f"{len(times)} {word} ({', '.join(shown)} UTC{more})"


def explain_nothing(read: ReadLoads, moments: Sequence[Moment]) -> str:
    """Why no load can be made, and what to send."""
    if not moments:
        return (
            "the answers have no series: Prometheus answers so for a metric or label that it does not know. Check the "
            "names in the queries, and that the engine is scraped."
        )
    if read.left.chained:
        return (
            f"{join_names(sorted(read.sources))} sends nothing to another task: the whole job is one chain, and Flink "
            "counts no records in it. Break the chain before the operators to plan for (disableChaining), or ask for "
            "the external rate with ?role=external_rate."
        )
    reasons = [one.detail for one in _tell_of_left(read)]
    if reasons:
        return f"no time of the range can be used. {reasons[0]}"
    return (
        f"rates are missing: the answers measure {join_names(list_operators(moments)) or 'no operator'}, but not how "
        "much arrives or is served in a known time. Send query_range of rates, or two points of raw counters."
    )
