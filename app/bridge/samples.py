"""One look at an engine as an observation: what runs, and whether the interval since the last look may be acted on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import JsonValue

from app.bridge.states import Observation
from app.engines.answers import EngineAnswer, EngineName, EngineReading, UnreadableAnswer, read_answers
from app.engines.numbers import read_count, read_object
from app.load.bodies.load import LoadBody

CLOCKS = frozenset(
    {"now", "duration", "uptime", "uptimeSeconds", "timestamp", "timestamps", "ts", "time", "age", "at"}
)
"""Fields that move with the engine's clock, also where its measurements stand still."""

RUNS = ("job", "topology_id", "run_id")
"""The marks of engines that name a run: Flink's and Prometheus' job, Storm's topology, Spark's run of a query."""

RESET = frozenset({"interval-discarded"})
"""Diagnostics of readers after which an earlier look is of no use any more."""

Leaves = dict[tuple[str | int, ...], JsonValue]


@dataclass(frozen=True, slots=True)
class Sighting:
    """An observation with the answers and the load that it rests on.

    `is_early`: too little was counted since the look before, which is still of use.
    """

    observation: Observation
    answers: tuple[EngineAnswer, ...]
    load: LoadBody | None
    reading: EngineReading
    is_early: bool = False

    def find_end(self) -> datetime | None:
        """Where the interval ends."""
        return find_end(self.load)


def observe(
    engine: EngineName,
    before: Sequence[EngineAnswer],
    now: Sequence[EngineAnswer],
    last_end: datetime | None = None,
) -> Sighting:
    """What the answers of the last look and of this one say together; raises UnreadableAnswer."""
    reading = _read_both(engine, before, now) or read_answers(engine, now)
    load = _find_newest(reading)
    is_stale = bool(before) and list_leaves(before) == list_leaves(now)
    flaw = "the engine answered the same twice: its metrics stand still" if is_stale else None
    flaw = flaw or _find_flaw(before, reading, load, last_end)
    is_restarted = load is None and not RESET.isdisjoint(one.code for one in reading.diagnostics)
    is_early = is_stale or (load is None and not is_restarted)
    running = read_running(load, reading)
    seen_at = max((answer.at.timestamp() for answer in now if answer.at is not None), default=0.0)
    rate = load.external_rate if load else None
    run = next((str(reading.marks[name]) for name in RUNS if reading.marks.get(name)), "")
    window = load.window_seconds if load else 0.0
    observation = Observation(seen_at, run, running, rate, flaw, window, is_restarted)
    return Sighting(observation, (*before, *now), load, reading, is_early)


def _read_both(
    engine: EngineName, before: Sequence[EngineAnswer], now: Sequence[EngineAnswer]
) -> EngineReading | None:
    """Both looks together; None where there is one alone, or the earlier one cannot be used with this one."""
    try:
        return read_answers(engine, [*before, *now]) if before else None
    except UnreadableAnswer:
        return None


def _find_newest(reading: EngineReading) -> LoadBody | None:
    return reading.loads[-1] if reading.loads else None


def find_end(load: LoadBody | None) -> datetime | None:
    """Where the interval of a load ends."""
    if load is None or load.observed_at is None:
        return None
    return load.observed_at + timedelta(seconds=load.window_seconds)


def _find_flaw(
    before: Sequence[EngineAnswer], reading: EngineReading, load: LoadBody | None, last_end: datetime | None
) -> str | None:
    """Why the interval must not be acted on; None: it may."""
    if not before:
        return "rates need two looks: this is the first"
    if load is None:
        said = " ".join(one.detail for one in reading.diagnostics)
        return f"no interval could be measured. {said}".strip()
    end = find_end(load)
    if end is None or (last_end is not None and end <= last_end):
        return "the engine's clock does not advance: its metrics stand still"
    operators = reading.topology.operators if reading.topology else []
    unknown = [one.name for one in operators if one.name not in read_running(load, reading)]
    if unknown:
        return f"the engine does not say how many processors run at {', '.join(unknown)}"
    return None


def read_running(load: LoadBody | None, reading: EngineReading) -> dict[str, int]:
    """The processors that run, by operator; what the engine does not say is left out."""
    parallelism = read_object(reading.marks.get("parallelism"))
    named = {
        name: read_count(parallelism.get(str(vertex)))
        for name, vertex in read_object(reading.marks.get("vertices")).items()
    }
    known = {name: count for name, count in named.items() if count}
    if load is not None:
        known |= {name: one.processors for name, one in load.operators.items() if one.processors}
    return known


def list_leaves(answers: Sequence[EngineAnswer]) -> Leaves:
    """Every number and text of the answers by its place, but for those that only tell the time."""
    return {
        (place, *at): value for place, answer in enumerate(answers) for at, value in _walk(answer.body, ())
    }


def _walk(value: JsonValue, at: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in CLOCKS:
                yield from _walk(part, (*at, name))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _walk(part, (*at, place))
    else:
        yield at, value
