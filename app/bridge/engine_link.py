"""One engine over HTTP: takes samples, reads two of them as an observation, and sends a change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import time

import httpx
from pydantic import JsonValue

from app.bridge.http_clients import Unanswered, describe, describe_status, quote_text, read_json
from app.bridge.states import Observation
from app.bridge.stopping import Stop
from app.engines.answers import (
    EngineAnswer,
    EngineName,
    EngineReading,
    UnreadableAnswer,
    load_part,
    read_answers,
)
from app.engines.looks import LOOK
from app.engines.numbers import read_count, read_object
from app.engines.patches import Counts, EnginePatch
from app.load.bodies.load import LoadBody
from planner.wording import write_seconds

OF_A_PROXY = {502, 503, 504}
"""Statuses after which it is unknown whether the engine received the request."""
CLOCKS = frozenset(
    {"now", "duration", "uptime", "uptimeSeconds", "timestamp", "timestamps", "ts", "time", "age", "at"}
)
"""Fields that change with the engine's clock, even if its measurements do not."""
RUNS = ("job", "topology_id", "run_id")
"""The marks that name a run: Flink's and Prometheus' job, Storm's topology, Spark's run of a query."""
RESET = frozenset({"interval-discarded"})
"""Diagnostics of readers after which an earlier sample can no longer be used."""

LONGEST_LEAD_SECONDS, LONGEST_LAG_SECONDS = 300.0, 3600.0
"""How far the end of an interval may lie after or before the time of the answers, by clocks of two machines."""

Place = tuple[str | int, ...]
"""The names and indices that lead to a value in JSON."""


class PatchRefused(Exception):
    """The error that the engine refused a change, with the engine's own text."""


class EngineLink:
    """Talks to one engine; a signal, noted in `stop`, ends a reading request at once, and prevents a change
    not yet sent.
    """

    def __init__(
        self,
        engine: EngineName,
        client: httpx.Client,
        job: str | None,
        stop: Stop,
        clock: Callable[[], float] = time,
    ) -> None:
        self.engine, self.client, self.job, self.stop, self.clock = engine, client, job, stop, clock

    def get(self, path: str) -> EngineAnswer:
        """The engine's answer to GET of a path, with the time when the answer came."""
        # httpx would add a slash to an address that has a path.
        address = str(self.client.base_url).rstrip("/") if path == "/" else path
        with self.stop.reading():
            answer = self.client.get(address)
        if not answer.is_success:
            raise httpx.HTTPStatusError(describe_status(answer), request=answer.request, response=answer)
        came_at = datetime.fromtimestamp(self.clock(), UTC)
        return EngineAnswer(read_json("engine", answer), path, came_at)

    def take_sample(self) -> list[EngineAnswer]:
        """The answers of one sample of the job; raises Unanswered if the engine does not give them."""
        try:
            found: list[EngineAnswer] = load_part(self.engine, "asking").ask(self, self.job)
        except httpx.HTTPStatusError as error:
            raise Unanswered("engine", str(error)) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unanswered("engine", f"does not answer: {describe(error)}") from error
        except UnreadableAnswer as error:
            raise Unanswered("engine", f"cannot be read: {error.detail}") from error
        return found

    def list_looks(self, sample: Sequence[EngineAnswer]) -> list[str]:
        """The paths of a sample that count what sources emitted; empty if the engine has no such paths."""
        list_looks = getattr(load_part(self.engine, "asking"), "list_looks", None)
        return [] if list_looks is None else list(list_looks(sample))

    def look(self, paths: Sequence[str]) -> list[EngineAnswer]:
        """The counters of sources between two samples; empty if the engine does not answer, which a sample tells."""
        with suppress(httpx.HTTPError, Unanswered):
            return [self.get(path)._replace(path=f"{path}{LOOK}") for path in paths]
        return []

    def make_patch(self, counts: Counts, marks: Mapping[str, JsonValue]) -> EnginePatch | None:
        """The change as a request to the engine or a command for a person; None if the engine cannot be changed."""
        try:
            patch = load_part(self.engine, "patch")
        except ModuleNotFoundError:
            return None
        made: EnginePatch = patch.make_patch(counts, marks)
        return made

    def send(self, patch: EnginePatch) -> None:
        """Sends a change to the engine; raises PatchRefused if the engine refuses it, Unanswered if the result
        is unknown.
        """
        assert patch.method is not None
        assert patch.path is not None
        self.stop.check()
        try:
            answer = self.client.request(patch.method, patch.path, json=patch.body)
        except httpx.TransportError as error:
            raise Unanswered("engine", f"does not answer: {describe(error)}") from error
        if answer.status_code in OF_A_PROXY:
            raise Unanswered("engine", describe_status(answer))
        if not answer.is_success:
            raise PatchRefused(f"the engine refused the change ({answer.status_code}): {quote_text(answer)}")


@dataclass(frozen=True, slots=True)
class EngineSample:
    """An observation of the engine with the answers and the load that it was made from.

    `is_early`: too little was counted since the sample before; that sample can still be used.
    """

    observation: Observation
    answers: tuple[EngineAnswer, ...]
    load: LoadBody | None
    reading: EngineReading
    is_early: bool = False

    @property
    def ends_at(self) -> datetime | None:
        """The end of the measured interval; None if it is not known."""
        return _find_end(self.load)


def observe(
    engine: EngineName,
    before: Sequence[EngineAnswer],
    now: Sequence[EngineAnswer],
    last_end: datetime | None = None,
) -> EngineSample:
    """The observation from the last sample and this one, or from this one alone; raises UnreadableAnswer if
    both fail.
    """
    reading = _read_both(engine, before, now) or read_answers(engine, now)
    load = reading.loads[-1] if reading.loads else None
    is_stale = bool(before) and list_leaves(before) == list_leaves(now)
    flaw = "the engine gave the same answer twice: its metrics did not change" if is_stale else None
    is_restarted = load is None and not RESET.isdisjoint(one.code for one in reading.diagnostics)
    observation = Observation(
        at=max((answer.at.timestamp() for answer in now if answer.at is not None), default=0.0),
        run=next((str(reading.marks[name]) for name in RUNS if reading.marks.get(name)), ""),
        running=read_running(load, reading),
        rate=load.external_rate if load else None,
        flaw=flaw or _find_flaw(before, now, reading, load, last_end),
        window_seconds=load.window_seconds if load else 0.0,
        is_restarted=is_restarted,
    )
    is_early = is_stale or (load is None and not is_restarted)
    return EngineSample(observation, (*before, *now), load, reading, is_early)


def _read_both(
    engine: EngineName, before: Sequence[EngineAnswer], now: Sequence[EngineAnswer]
) -> EngineReading | None:
    """The reading of both samples together; None if there is only one, or if the earlier sample does not fit
    the later.
    """
    try:
        return read_answers(engine, [*before, *now]) if before else None
    except UnreadableAnswer:
        return None


def _find_end(load: LoadBody | None) -> datetime | None:
    if load is None or load.observed_at is None:
        return None
    return load.observed_at + timedelta(seconds=load.window_seconds)


def _find_flaw(
    before: Sequence[EngineAnswer],
    now: Sequence[EngineAnswer],
    reading: EngineReading,
    load: LoadBody | None,
    last_end: datetime | None,
) -> str | None:
    """The reason why the bridge must not act on the measured interval; None if it may."""
    if not before:
        return "this is the first sample, and rates need two"
    if load is None:
        details = " ".join(one.detail for one in reading.diagnostics)
        return f"no interval could be measured. {details}".strip()
    if (flaw := _find_clock_flaw(now, _find_end(load), last_end)) is not None:
        return flaw
    operators, running = reading.topology.operators if reading.topology else [], read_running(load, reading)
    unknown = [one.name for one in operators if one.name not in running]
    if unknown:
        return f"the engine does not report how many processors run at {', '.join(unknown)}"
    return None


def _find_clock_flaw(
    now: Sequence[EngineAnswer], end: datetime | None, last_end: datetime | None
) -> str | None:
    """The reason why an interval's end cannot be right by this machine's clock; None if it can be right."""
    if end is None or (last_end is not None and end <= last_end):
        return "the engine's clock does not advance: its metrics did not change"
    lead = end.timestamp() - max((one.at.timestamp() for one in now if one.at is not None), default=0.0)
    if lead > LONGEST_LEAD_SECONDS:
        return (
            f"the interval that the engine measured ends {write_seconds(lead)} ahead of this machine's clock: set the "
            "clock of the engine or of this machine"
        )
    if lead < -LONGEST_LAG_SECONDS:
        return (
            f"the interval that the engine measured ended {write_seconds(-lead)} ago by this machine's clock: the "
            "engine measures nothing now, or the clock of the engine or of this machine is wrong"
        )
    return None


def read_running(load: LoadBody | None, reading: EngineReading) -> dict[str, int]:
    """The running processors by operator; operators with an unknown number are left out."""
    parallelism = read_object(reading.marks.get("parallelism"))
    named = {
        name: read_count(parallelism.get(str(vertex)))
        for name, vertex in read_object(reading.marks.get("vertices")).items()
    }
    known = {name: count for name, count in named.items() if count}
    if load is not None:
        known |= {name: one.processors for name, one in load.operators.items() if one.processors}
    return known


def list_leaves(answers: Sequence[EngineAnswer]) -> dict[Place, JsonValue]:
    """Every number and text of the answers by its place, except fields that only give the time, to tell
    whether anything changed.
    """
    bodies: list[JsonValue] = [answer.body for answer in answers]
    return dict(_walk(bodies, ()))


def _walk(value: JsonValue, at: Place) -> Iterator[tuple[Place, JsonValue]]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in CLOCKS:
                yield from _walk(part, (*at, name))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _walk(part, (*at, place))
    else:
        yield at, value
