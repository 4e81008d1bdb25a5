"""Diagnostics of a load from Flink: each odd or missing measurement, and what it means."""

from app.engines.diagnostics import DiagnosticRule, Facts
from app.engines.flink.counters import QUIET
from app.engines.flink.documents import RUNNING
from app.engines.flink.graph import JobFlows, is_keyed
from app.engines.flink.vertices import SATURATED
from planner.wording import write_percent, write_seconds

CHAIN = "->"
CLOCK_TOLERANCE = 0.05
HELD_BACK = 0.05
FEW = 100.0


def find_odd_clocks(flows: JobFlows) -> Facts | None:
    """Vertices whose busy, idle and back-pressured times add up to another time than the median."""
    seconds = flows.interval.seconds
    clocks = {name: seconds if one.seconds is None else one.seconds for name, one in flows.vertices.items()}
    odd = [name for name, own in clocks.items() if abs(own - seconds) > CLOCK_TOLERANCE * seconds]
    return Facts(odd, time=write_seconds(seconds)) if odd else None


def find_busy_errors(flows: JobFlows) -> dict[str, str]:
    """Operators whose busy time errs by more than 5%, and by how much."""
    noises = {name: one.service.noise or 0.0 for name, one in flows.operators.items()}
    return {name: f"{name} by {write_percent(noise)}" for name, noise in noises.items() if noise > QUIET}


def find_hot(flows: JobFlows) -> list[Facts]:
    """Vertices of which some subtasks have no idle time left, and the vertex as a whole has."""
    return [
        Facts([name], hot=", ".join(hot), idle=write_percent(1.0 - share))
        for name, one in flows.vertices.items()
        for hot in ([str(place) for place, part in enumerate(one.subtasks) if part.is_saturated],)
        for share in (one.counted.working_share,)
        if hot and share is not None and share < SATURATED
    ]


def find_unknown_shares(flows: JobFlows) -> Facts | None:
    """Keyed operators with several subtasks, none of which was asked for."""
    unknown = {
        name: f"/jobs/<job id>/vertices/{one.vertex.id}"
        for name, one in flows.operators.items()
        if is_keyed(one.vertex.id, flows) and one.vertex.parallelism > 1 and not one.subtasks
    }
    return Facts(unknown, paths=", ".join(unknown.values())) if unknown else None


LOAD_RULES: tuple[DiagnosticRule[JobFlows], ...] = (
    DiagnosticRule(
        "vertices-not-running",
        lambda flows: {
            name: f"{name} is {one.vertex.status}"
            for name, one in flows.vertices.items()
            if one.vertex.status != RUNNING
        },
        "Not all tasks run: {texts}. Their rates are of the part of the time in which they did.",
    ),
    DiagnosticRule(
        "no-clock",
        lambda flows: not flows.interval.has_clock,
        "No vertex has busy, idle and back-pressured times (Flink has them from 1.16 on): the time between two samples "
        "is that between Flink's answers, though its metrics may be seconds older.",
    ),
    DiagnosticRule(
        "clocks-differ",
        find_odd_clocks,
        "Busy, idle and back-pressured times of {names} add up to another time than those of the other vertices, "
        "{time}: some subtasks did not report, or ran for a part of it.",
    ),
    DiagnosticRule(
        "source-left-out",
        lambda flows: [Facts([name]) for name in flows.sources if name not in flows.operators],
        "{names} has no busy time (a legacy source): it only waits for its input, so it is no operator; its records "
        "enter at the vertices that it sends to.",
    ),
    DiagnosticRule(
        "chained-source",
        lambda flows: [
            Facts([name], vertex=one.vertex.id)
            for name, one in flows.sources.items()
            if name in flows.operators and one.served is None
        ],
        "{names} holds its whole chain, and shows no records in or out: ask for the metrics of its source operator, "
        "/jobs/<job id>/vertices/{vertex}/subtasks/metrics?get=Source__<name>.numRecordsOut, with their path. Without "
        "them there is no load.",
    ),
    DiagnosticRule(
        "counted-by-output",
        lambda flows: [
            Facts([name])
            for name, one in flows.sources.items()
            if name in flows.operators and one.served is not None
            if CHAIN in one.vertex.name and not one.has_own_count
        ],
        "{names} is a chain, and the records that its source emitted are unknown: the records that the chain sends on "
        "count as those that enter.",
    ),
    DiagnosticRule(
        "source-held-back",
        lambda flows: [
            Facts([name], blocked=write_percent(one.counted.back_pressured_share))
            for name, one in flows.sources.items()
            if (one.counted.back_pressured_share or 0.0) > HELD_BACK and one.pending_growth is None
        ],
        "{names} was blocked for {blocked} of the time: more may wait outside than it let in, so the offered load "
        "is at least the measured one.",
    ),
    DiagnosticRule(
        "service-scv-unknown",
        lambda _: True,
        "Flink does not measure how service times vary: service_scv is left out. It is 1, that of exponential "
        "services, unless the operator of the stored topology has a service_scv.",
    ),
    DiagnosticRule(
        "service-rate-unknown",
        lambda flows: [
            name
            for name, one in flows.operators.items()
            if one.served is not None and one.service.rate is None
        ],
        "{names} served nothing in this time, or shows no busy time: the service rate is unknown.",
    ),
    DiagnosticRule(
        "few-records",
        lambda flows: [
            name
            for name, one in flows.operators.items()
            if 0.0 < (one.served or 0.0) * flows.interval.seconds < FEW
        ],
        "{names} served fewer than 100 records in this time: rates err by some 10% and more.",
    ),
    DiagnosticRule(
        "service-rate-since-start",
        lambda flows: [name for name, one in flows.operators.items() if one.service.since_start],
        "The service rate of {names} is the average since the start: in so short a time at so low a load, busy time "
        "errs too much.",
    ),
    DiagnosticRule(
        "busy-time-coarse",
        find_busy_errors,
        "Flink counts an idle time when it ends, so busy times err: {texts}, and their service rates as much. Take "
        "samples that are further apart.",
    ),
    DiagnosticRule(
        "overloaded",
        lambda flows: flows.name(flows.list_overloaded()),
        "{names} served less than was sent, and had no idle time left.",
    ),
    DiagnosticRule(
        "at-capacity",
        lambda flows: flows.name(one for one in flows.list_saturated() if one not in flows.list_overloaded()),
        "{names} had no idle time left, or subtasks without. Their buffers may be full, so the offered load is at "
        "least the measured one. Flink's back pressure may still be ok.",
    ),
    DiagnosticRule(
        "backlog-grows",
        lambda flows: [
            name
            for name, one in flows.vertices.items()
            if not one.is_saturated and flows.takes_less(one.vertex.id)
        ],
        "{names} took less than was sent, though they had idle time left. One of their subtasks may have none left.",
    ),
    DiagnosticRule(
        "hot-subtasks",
        find_hot,
        "Subtasks {hot} of {names} had no idle time left, while its subtasks had {idle} on average: their keys "
        "come more often. More processors help only where those keys lie apart.",
    ),
    DiagnosticRule(
        "shares-unknown",
        find_unknown_shares,
        "The spread of records over the subtasks of {names} is unknown, and assumed to be even: a hot key would not be "
        "seen. Send the answers of GET {paths} too.",
    ),
    DiagnosticRule(
        "arrivals-held-back",
        lambda flows: sorted(flows.name(flows.list_held_back())),
        "Before {names} an overloaded operator lets less through than it is sent: their arrival_rate is left out, and "
        "comes from the flow.",
    ),
)
