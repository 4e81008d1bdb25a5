"""Operators that are not queues of busy threads: what they wait for does not show in busy time.

Each kind has a diagnostic. An operator is told by the name that Flink gives it, which is the caller's own where a job
sets names, or because it holds its senders back while it is idle itself.
"""

import re

from app.engines.diagnostics import Facts, Rule, Rules
from app.engines.flink.graph import JobFlows
from planner.wording import write_percent

ASYNC = re.compile(r"async", re.IGNORECASE)
WINDOW = re.compile(r"Window|windowed", re.IGNORECASE)
TIMER = re.compile(r"KeyedProcess|KeyedCoProcess|IntervalJoin|timer", re.IGNORECASE)
SINK = re.compile(r"\bWriter\b|\bCommitter\b|\bbatch", re.IGNORECASE)
BATCH = re.compile(r"\bbatch", re.IGNORECASE)
BLOCKED, IDLE = 0.3, 0.3
"""Senders blocked and an operator idle, each for at least this part of the time, contradict each other."""


def find_named(pattern: re.Pattern[str], flows: JobFlows) -> list[str]:
    """The operators whose names, or those of the operators chained in them, fit a pattern."""
    return [name for name, one in flows.operators.items() if pattern.search(one.vertex.name)]


def find_idle_brakes(flows: JobFlows) -> dict[str, float]:
    """The operators that are idle for a large part of the time while all their senders are blocked, with that part."""
    found = {}
    for name, one in flows.operators.items():
        inputs = [flows.interval.activities[each.vertex] for each in flows.shape.inputs[one.vertex.id]]
        takers = {taker for each in inputs for taker in flows.shape.list_takers(each.vertex.id)}
        blocked = [each.counted.back_pressured_share or 0.0 for each in inputs]
        working = one.counted.working_share
        if not inputs or takers != {one.vertex.id} or working is None or min(blocked) < BLOCKED:
            continue
        if 1.0 - working >= IDLE and not any(part.is_saturated for part in one.subtasks):
            found[name] = 1.0 - working
    return found


def list_unjudged(flows: JobFlows) -> set[str]:
    """The operators whose capacity does not show in busy time, by name."""
    return {*find_named(ASYNC, flows), *find_named(BATCH, flows), *find_idle_brakes(flows)}


UNJUDGED_RULES: Rules[JobFlows] = {
    "asynchronous-calls": Rule(
        lambda flows: find_named(ASYNC, flows),
        "{names} makes asynchronous calls: busy time shows neither how long a call takes nor how many are under way. "
        "State its concurrency (calls under way for each instance), or its capacity_rate and delay_seconds.",
    ),
    "windows": Rule(
        lambda flows: find_named(WINDOW, flows),
        "{names} keeps records until a window ends: E[T] does not count this time, and arrivals behind it come in "
        "batches. State the mean time that a record waits for the end of its window as its delay_seconds.",
    ),
    "timers": Rule(
        lambda flows: find_named(TIMER, flows),
        "{names} may keep records until a timer fires: E[T] does not count this time. If it does, state the mean time "
        "as its delay_seconds.",
    ),
    "batching-sink": Rule(
        lambda flows: find_named(SINK, flows),
        "{names} may collect records and write them in batches: then busy time shows neither how long a record waits "
        "for its batch nor how much can be written. State its delay_seconds and capacity_rate.",
    ),
    "idle-but-full": Rule(
        lambda flows: [
            Facts([name], idle=write_percent(idle)) for name, idle in find_idle_brakes(flows).items()
        ],
        "{names} holds its senders back although it was idle for {idle} of the time: it waits for something else than "
        "its processors, such as asynchronous calls, locks or an outside service. What it served is taken as all that "
        "it can serve.",
    ),
}
