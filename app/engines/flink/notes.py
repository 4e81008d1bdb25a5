"""What a reader of a load from Flink must know: each odd or missing measurement, with what it means."""

from collections.abc import Iterable, Mapping

from app.engines.diagnostics import say
from app.engines.flink.activity import JobInterval
from app.engines.flink.documents import FlinkCluster
from app.engines.flink.flows import JobFlows
from app.engines.flink.graph import JobShape
from app.engines.flink.loads import list_busy, list_held_back, list_overloaded, takes_less
from app.engines.flink.naming import CHAIN
from app.engines.flink.services import QUIET
from app.engines.flink.subtasks import SATURATED
from planner.values import Diagnostic

CLOCK_TOLERANCE = 0.05
HELD_BACK = 0.05
RUNNING = "RUNNING"
FEW = 100.0
OLD_SECONDS = 5.0
BUFFER_TIMEOUTS = ("execution.buffer-timeout.interval", "execution.buffer-timeout")
DEFAULT_BUFFER_TIMEOUT = "100 ms"


def note_interval(interval: JobInterval, flows: JobFlows, shape: JobShape) -> Iterable[Diagnostic]:
    """All notes on the newest interval."""
    yield from note_states(interval, shape.names)
    yield from note_clocks(interval, shape.names)
    yield from note_sources(interval, shape)
    yield from note_services(interval, shape)
    yield from note_busy_times(interval, shape)
    yield from note_overload(interval, flows, shape)


def note_age(lag_seconds: float, *, is_only: bool) -> Iterable[Diagnostic]:
    """That metrics are old: tasks have run for longer than they counted.

    One sample cannot tell age from the time that the tasks took to start; of several, the youngest is taken as new.
    """
    if lag_seconds >= OLD_SECONDS:
        start = ", or its tasks took that long to start" if is_only else ""
        yield say(
            "metrics-old",
            f"The newest metrics are {lag_seconds:.0f} s older than the answer that holds them{start}: Flink answers "
            "with what it fetched last, and starts a new fetch.",
        )


def note_states(interval: JobInterval, names: Mapping[str, str]) -> Iterable[Diagnostic]:
    """Vertices whose tasks do not all run, such as those of a bounded source that has ended."""
    states = {
        names[v]: one.vertex.status for v, one in interval.activities.items() if one.vertex.status != RUNNING
    }
    if states:
        listed = ", ".join(f"{name} is {status}" for name, status in states.items())
        yield say(
            "vertices-not-running",
            f"Not all tasks run: {listed}. Their rates are of the part of the time in which they did.",
            list(states),
        )


def note_clocks(interval: JobInterval, names: Mapping[str, str]) -> Iterable[Diagnostic]:
    """Where the time that vertices counted is not the time that passed."""
    if not interval.has_clock:
        yield say(
            "no-clock",
            "No vertex has busy, idle and back-pressured times (Flink has them from 1.16 on): the time between two "
            "samples is taken from when Flink answered, though its metrics may be seconds older.",
        )
    odd = [
        names[vertex]
        for vertex, activity in interval.activities.items()
        if activity.seconds is not None
        and abs(activity.seconds - interval.seconds) > CLOCK_TOLERANCE * interval.seconds
    ]
    if odd:
        yield say(
            "clocks-differ",
            f"Busy, idle and back-pressured times of {', '.join(odd)} add up to another time than those of the other "
            f"vertices, {interval.seconds:.1f} s: some subtasks did not report, or ran for a part of it.",
            odd,
        )


def note_sources(interval: JobInterval, shape: JobShape) -> Iterable[Diagnostic]:
    """What the sources do not show."""
    for vertex, activity in interval.activities.items():
        if not activity.is_source:
            continue
        name = shape.names[vertex]
        if not shape.has(vertex):
            yield say(
                "source-left-out",
                f"{name} has no busy time (a legacy source): it only waits for its input, so it is no operator; its "
                "records enter at what it sends to.",
                [name],
            )
        elif activity.served is None:
            yield say(
                "chained-source",
                f"{name} holds its whole chain, and shows no records in or out: ask for the metrics of its source "
                f"operator, /jobs/<job id>/vertices/{vertex}/subtasks/metrics?get=Source__<name>.numRecordsOut, "
                "with their path. Without them no load can be read.",
                [name],
            )
        elif CHAIN in activity.vertex.name and not activity.has_own_count:
            yield say(
                "counted-by-output",
                f"{name} is a chain, and how many records its source emitted is not known: the records that the chain "
                "sends on are counted as those that enter.",
                [name],
            )
        blocked = activity.counted.back_pressured_share or 0.0
        if blocked > HELD_BACK and activity.pending_growth is None:
            yield say(
                "source-held-back",
                f"{name} was blocked for {blocked:.0%} of the time: more may wait "
                "outside than it let in, so the offered load is at least what was measured.",
                [name],
            )


def note_services(interval: JobInterval, shape: JobShape) -> Iterable[Diagnostic]:
    """What is not known of service times."""
    stations = {v: one for v, one in interval.activities.items() if shape.has(v)}
    yield say(
        "service-scv-unknown",
        "Flink does not measure how service times vary: service_scv is left out. It is taken as 1, that of exponential "
        "services, unless the operator of the stored topology says its service_scv.",
    )
    idle = [
        shape.names[v] for v, one in stations.items() if one.served is not None and one.service.rate is None
    ]
    if idle:
        yield say(
            "service-rate-unknown",
            f"{', '.join(idle)} served nothing in this time, or shows no busy time: the service rate is not known.",
            idle,
        )
    few = [
        shape.names[v]
        for v, one in stations.items()
        if one.served is not None and 0.0 < one.served * interval.seconds < FEW
    ]
    if few:
        yield say(
            "few-records",
            f"{', '.join(few)} served fewer than {FEW:.0f} records in this time: rates err by some 10% and more.",
            few,
        )


def note_busy_times(interval: JobInterval, shape: JobShape) -> Iterable[Diagnostic]:
    """How far service rates err, since Flink counts an idle time when it ends."""
    stations = {v: one for v, one in interval.activities.items() if shape.has(v)}
    old = [shape.names[v] for v, one in stations.items() if one.service.since_start]
    if old:
        yield say(
            "service-rate-since-start",
            f"The service rate of {', '.join(old)} is the average since the start: in so short a time at so low a "
            "load, busy time errs too much.",
            old,
        )
    noisy = {
        shape.names[v]: one.service.noise for v, one in stations.items() if (one.service.noise or 0.0) > QUIET
    }
    if noisy:
        listed = ", ".join(f"{name} by {noise:.0%}" for name, noise in noisy.items())
        yield say(
            "busy-time-coarse",
            f"Flink counts an idle time when it ends, so busy times err: {listed}, and their service rates as much. "
            "Take samples that are further apart.",
            list(noisy),
        )


def note_overload(interval: JobInterval, flows: JobFlows, shape: JobShape) -> Iterable[Diagnostic]:
    """Who works all the time, and what that hides."""
    names = shape.names
    overloaded = [names[vertex] for vertex in list_overloaded(interval, flows)]
    if overloaded:
        yield say(
            "overloaded",
            f"Served less than was sent, and had no idle time left: {', '.join(overloaded)}.",
            overloaded,
        )
    full = [name for name in list_busy(interval, names) if name not in overloaded]
    if full:
        yield say(
            "at-capacity",
            f"Had no idle time left, or subtasks without: {', '.join(full)}. Their buffers may be full, so the offered "
            "load is at least what was measured. Flink's back pressure may still say ok.",
            full,
        )
    behind = [
        names[vertex]
        for vertex, activity in interval.activities.items()
        if not activity.is_saturated and takes_less(vertex, interval, flows)
    ]
    if behind:
        yield say(
            "backlog-grows",
            f"Took less than was sent, though they had idle time left: {', '.join(behind)}. One of their subtasks may "
            "have none left.",
            behind,
        )
    yield from note_hot(interval, names)
    yield from note_unknown_shares(interval, shape)
    held = sorted(names[vertex] for vertex in list_held_back(interval, flows, shape))
    if held:
        yield say(
            "arrivals-held-back",
            f"Before {', '.join(held)} an overloaded operator lets less through than it is sent: their arrival_rate is "
            "left out, and comes from the flow.",
            held,
        )


def note_hot(interval: JobInterval, names: Mapping[str, str]) -> Iterable[Diagnostic]:
    """Where some subtasks have no idle time left while others of their vertex wait."""
    for vertex, activity in interval.activities.items():
        hot = [place for place, one in enumerate(activity.subtasks) if one.is_saturated]
        share = activity.counted.working_share
        if hot and share is not None and share < SATURATED:
            yield say(
                "hot-subtasks",
                f"Subtasks {', '.join(map(str, hot))} of {names[vertex]} had no idle time left, its subtasks on the "
                f"average {1.0 - share:.0%}: their keys come more often. More processors help only where those keys "
                "lie apart.",
                [names[vertex]],
            )


def note_unknown_shares(interval: JobInterval, shape: JobShape) -> Iterable[Diagnostic]:
    """Where keys decide which subtask gets a record, and subtasks were not asked for."""
    operators = [] if shape.graph is None else shape.graph.operators
    keyed = {one.name for one in operators if one.queueing == "keyed"}
    unknown = {
        shape.names[vertex]: vertex
        for vertex, activity in interval.activities.items()
        if shape.names[vertex] in keyed and activity.vertex.parallelism > 1 and not activity.subtasks
    }
    if unknown:
        paths = ", ".join(f"/jobs/<job id>/vertices/{vertex}" for vertex in unknown.values())
        yield say(
            "shares-unknown",
            f"How records spread over the subtasks of {', '.join(unknown)} is not known, and is taken as even: "
            f"one with a hot key would not be seen. Send the answers of GET {paths} too.",
            list(unknown),
        )


def note_cluster(cluster: FlinkCluster, slots_used: int) -> Iterable[Diagnostic]:
    """What the cluster's options and slots mean for E[T] and for plans."""
    if cluster.options is not None:
        given = [cluster.options[key] for key in BUFFER_TIMEOUTS if key in cluster.options]
        timeout = given[0] if given else f"{DEFAULT_BUFFER_TIMEOUT} (the default)"
        if timeout.removesuffix("ms").strip() != "0":
            yield say(
                "buffer-timeout",
                f"The cluster's buffer timeout is {timeout}, unless the job sets its own: below some thousand records "
                "per second each hop to another task adds about half of it, which E[T] does not count.",
            )
    if cluster.slots_available == 0:
        yield say(
            "no-free-slots",
            f"All {cluster.slots_total or slots_used} slots are taken: with more processors than slots Flink answers "
            "as if all were well, and runs fewer.",
        )
