"""The findings for diagnostics of a load from Flink: measurements that are odd or missing."""

from app.engines.diagnostics import Facts, Rule, Rules
from app.engines.flink.buffers import find_buffered
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
    """Operators whose busy time has a relative error above 5%, each with the text of its error."""
    noises = {name: one.service.noise or 0.0 for name, one in flows.operators.items()}
    return {name: f"{name} by {write_percent(noise)}" for name, noise in noises.items() if noise > QUIET}


def find_hot(flows: JobFlows) -> list[Facts]:
    """Vertices in which some subtasks have no idle time left although the vertex as a whole has some."""
    return [
        Facts([name], hot=", ".join(hot), idle=write_percent(1.0 - share))
        for name, one in flows.vertices.items()
        for hot in ([str(place) for place, part in enumerate(one.subtasks) if part.is_saturated],)
        for share in (one.counted.working_share,)
        if hot and share is not None and share < SATURATED
    ]


def find_unknown_shares(flows: JobFlows) -> Facts | None:
    """Keyed operators with several subtasks for which the caller sent no answer about the subtasks."""
    unknown = {
        name: f"/jobs/<job id>/vertices/{one.vertex.id}"
        for name, one in flows.operators.items()
        if is_keyed(one.vertex.id, flows) and one.vertex.parallelism > 1 and not one.subtasks
    }
    return Facts(unknown, paths=", ".join(unknown.values())) if unknown else None


LOAD_RULES: Rules[JobFlows] = {
    "vertices-not-running": Rule(
        lambda flows: {
            name: f"{name} is {one.vertex.status}"
            for name, one in flows.vertices.items()
            if one.vertex.status != RUNNING
        },
        "Not all tasks run: {texts}. The rates of these vertices are averages over the time in which they ran.",
    ),
    "no-clock": Rule(
        lambda flows: not flows.interval.has_clock,
        "No vertex reports busy, idle and back-pressured times (Flink reports them from 1.16 on). The time "
        "between two samples is taken from the times of Flink's answers, although the counters in them may be "
        "seconds older.",
    ),
    "clocks-differ": Rule(
        find_odd_clocks,
        "The busy, idle and back-pressured times of {names} do not add up to {time}, as the times of the other "
        "vertices do: some subtasks did not report, or ran for only a part of the time.",
    ),
    "source-left-out": Rule(
        lambda flows: [Facts([name]) for name in flows.sources if name not in flows.operators],
        "{names} reports no busy time, as is usual for a source of Flink's older interface. The source only waits for "
        "its input, so it is left out of the topology; its records enter at the vertices that it sends to.",
    ),
    "chained-source": Rule(
        lambda flows: [
            Facts([name], vertex=one.vertex.id)
            for name, one in flows.sources.items()
            if name in flows.operators and one.served is None
        ],
        "{names} is a chain that holds the whole job, so Flink counts no records into it or out of it, and there "
        "is no load. Ask for the metrics of its source operator, /jobs/<job "
        "id>/vertices/{vertex}/subtasks/metrics?get=Source__<name>.numRecordsOut, and send the answer with its "
        "path.",
    ),
    "counted-by-output": Rule(
        lambda flows: [
            Facts([name])
            for name, one in flows.sources.items()
            if name in flows.operators and one.served is not None
            if CHAIN in one.vertex.name and not one.has_own_count
        ],
        "{names} is a chain, and the number of records that its source emitted is unknown. The records that the "
        "chain sends on are counted as the records that enter.",
    ),
    "source-held-back": Rule(
        lambda flows: [
            Facts([name], blocked=write_percent(one.counted.back_pressured_share))
            for name, one in flows.sources.items()
            if (one.counted.back_pressured_share or 0.0) > HELD_BACK and one.pending_growth is None
        ],
        "{names} was blocked for {blocked} of the time, so records may wait before it: the offered load is at least "
        "the measured load.",
    ),
    "service-scv-unknown": Rule(
        lambda _: True,
        "Flink does not measure how much service times vary. Plans use the variation that the stored topology states "
        "for an operator, or else that of exponential service times.",
    ),
    "exchange-delay": Rule(
        find_buffered,
        "Records wait in buffers until their sender flushes them: {texts}. E[T] counts this time; a lower "
        "execution.buffer-timeout.interval shortens it.",
    ),
    "records-unknown": Rule(
        lambda flows: [
            name for name, one in flows.operators.items() if one.served is None and not one.is_source
        ],
        "How many records {names} served is unknown, because Flink's counters are missing or unusable; so is the "
        "service rate.",
    ),
    "service-rate-unknown": Rule(
        lambda flows: [
            name
            for name, one in flows.operators.items()
            if one.served is not None and one.service.rate is None
        ],
        "The service rate of {names} is unknown, because {names} served nothing in this time or reports no busy "
        "time.",
    ),
    "few-records": Rule(
        lambda flows: [
            name
            for name, one in flows.operators.items()
            if 0.0 < (one.served or 0.0) * flows.interval.seconds < FEW
        ],
        "{names} served fewer than 100 records in this time, so the measured rates have an error of 10% or more. "
        "Take samples that are further apart.",
    ),
    "service-rate-since-start": Rule(
        lambda flows: [name for name, one in flows.operators.items() if one.service.since_start],
        "The service rate of {names} is the average since the job started, because the busy time of so short an "
        "interval at so low a load has too large an error.",
    ),
    "busy-time-coarse": Rule(
        find_busy_errors,
        "Flink counts an idle time only when it ends, so busy times and service rates have errors: {texts}. Take "
        "samples that are further apart.",
    ),
    "overloaded": Rule(
        lambda flows: flows.name(flows.list_overloaded()),
        "{names} is overloaded: it served less than was sent to it, and had no idle time left.",
    ),
    "at-capacity": Rule(
        lambda flows: flows.name(one for one in flows.list_saturated() if one not in flows.list_overloaded()),
        "{names} had no idle time left, in all subtasks or in some. Buffers may be full, so the offered load is at "
        "least the measured load. Flink may still report the back pressure as ok.",
    ),
    "backlog-grows": Rule(
        lambda flows: [
            name
            for name, one in flows.vertices.items()
            if not one.is_saturated and flows.takes_less(one.vertex.id)
        ],
        "{names} took less than was sent to it, although it had idle time left. One of its subtasks may have no idle "
        "time left.",
    ),
    "hot-subtasks": Rule(
        find_hot,
        "Subtasks {hot} of {names} had no idle time left, while its subtasks on average were idle for {idle} of "
        "the time: some keys come more often than others. More processors help only if these keys are spread over "
        "several subtasks.",
    ),
    "shares-unknown": Rule(
        find_unknown_shares,
        "How the records are spread over the subtasks of {names} is unknown. An even spread is assumed, which "
        "would hide a hot key. Send the answers of GET {paths} too.",
    ),
    "arrivals-held-back": Rule(
        lambda flows: sorted(flows.name(flows.list_held_back())),
        "An overloaded operator before {names} lets through less than it is sent. So the measured arrival rate of "
        "{names} is left out, and computed from the flow through the topology.",
    ),
}
