"""The documents of Flink's REST interface about a job, recognised by their path or their shape; names of operators."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.answers import EngineAnswer
from app.engines.flink.counters import VertexCounters, read_counters
from app.engines.looks import is_look
from app.engines.numbers import read_count, read_list, read_number, read_object, read_text

METRICS_PATH = re.compile(
    r"/jobs/(?P<job>[^/]+)/vertices/(?P<vertex>[^/]+)/(?P<subtasks>subtasks/)?metrics\?.*get="
)
MOST_SUBTASKS = 2**15  # Flink's own limit of a parallelism
SUBTASK = re.compile(r"(\d+)\.(.+)")
LATEST_MS = 4_102_444_800_000.0  # the year 2100: a later time is no time
LONGEST_NAME = 180
RUNNING = "RUNNING"
ID_CHARACTERS = 6
METRIC_PREFIX = "Source__"
"""The first part of the names of a source operator's metrics: Flink writes _ for characters other than letters and
digits.
"""


class VertexInput(NamedTuple):
    """An input of a vertex: the sending vertex, and the exchange that chooses which subtask gets a record."""

    vertex: str
    ship_strategy: str


class VertexState(NamedTuple):
    """A vertex in a job's document; its counters begin at the start of its tasks."""

    id: str
    name: str
    parallelism: int
    max_parallelism: int | None
    status: str
    started_ms: float | None
    counters: VertexCounters
    slot_group: str = ""


class JobState(NamedTuple):
    """A job in the answer of `GET /jobs/:id`; `at_ms` is the time by Flink's clock, else the time when the
    answer came.
    """

    pointer: str
    id: str
    name: str
    state: str
    scheduler: str
    started_ms: float | None
    running_ms: float | None
    at_ms: float | None
    came_at: datetime | None
    vertices: Mapping[str, VertexState]
    inputs: Mapping[str, tuple[VertexInput, ...]]


class SubtaskState(NamedTuple):
    """A subtask in a vertex's document; its counters begin at 0 with each attempt to run the subtask."""

    attempt: int | None
    counters: VertexCounters


class VertexDetail(NamedTuple):
    """A vertex in the answer of `GET /jobs/:id/vertices/:id`, with each of its subtasks."""

    vertex: str
    subtasks: tuple[SubtaskState, ...]
    at_ms: float | None


class MetricSums(NamedTuple):
    """The metrics of a vertex by name, each summed over the vertex's subtasks; a look is between two samples."""

    job: str
    vertex: str
    values: Mapping[str, float]
    came_at: datetime | None
    is_look: bool = False


class FlinkCluster(NamedTuple):
    """The slots and options of a Flink cluster; None means that the answers do not show a value."""

    slots_total: int | None = None
    slots_available: int | None = None
    options: Mapping[str, str] | None = None


Document = JobState | VertexDetail | MetricSums | FlinkCluster


def read_document(answer: EngineAnswer) -> Document | None:
    """The Flink document in an answer, recognised by its path or shape; None if it is of no use for a topology
    or load.
    """
    body = read_object(answer.body)
    if isinstance(body.get("vertices"), list):
        return read_job(answer, body)
    if isinstance(body.get("subtasks"), list) and "id" in body and "now" in body:
        return read_detail(answer, body)
    if "slots-total" in body:
        return FlinkCluster(read_count(body["slots-total"]), read_count(body.get("slots-available")))
    if isinstance(answer.body, list):
        return read_metrics(answer, answer.body) or read_options(answer.body)
    return None


def to_milliseconds(time: datetime | None) -> float | None:
    """A time as epoch milliseconds, the form that Flink's documents use."""
    return None if time is None else time.timestamp() * 1000.0


def to_time(milliseconds: float) -> datetime:
    """Epoch milliseconds, the form that Flink's documents use, as a UTC time."""
    return datetime.fromtimestamp(milliseconds / 1000.0, UTC)


def read_time(value: JsonValue) -> float | None:
    """Epoch milliseconds; None for -1, which Flink writes for events that have not happened, and for values that
    are not a time.
    """
    number = read_number(value)
    return number if number is not None and 0.0 < number < LATEST_MS else None


def read_job(answer: EngineAnswer, body: Mapping[str, JsonValue]) -> JobState:
    """The job in the answer of `GET /jobs/:id`; Flink leaves vertices and plan empty until the job has begun."""
    vertices = [read_vertex(read_object(one)) for one in read_list(body.get("vertices"))]
    return JobState(
        answer.pointer,
        read_text(body.get("jid")) or "",
        read_text(body.get("name")) or "",
        read_text(body.get("state")) or RUNNING,
        read_text(body.get("schedulerType")) or "",
        read_time(body.get("start-time")),
        read_time(read_object(body.get("timestamps")).get("RUNNING")),
        read_time(body.get("now")) or to_milliseconds(answer.at),
        answer.at,
        {one.id: one for one in vertices if one is not None},
        read_inputs(read_object(body.get("plan"))),
    )


def read_vertex(body: Mapping[str, JsonValue]) -> VertexState | None:
    """A vertex in a job's document; None if the vertex has no id, or if none of its subtasks runs."""
    vertex, parallelism = read_text(body.get("id")), read_count(body.get("parallelism"))
    if vertex is None or not parallelism or parallelism > MOST_SUBTASKS:
        return None
    most = read_count(body.get("maxParallelism")) or None
    return VertexState(
        vertex,
        read_text(body.get("name")) or vertex,
        parallelism,
        most if most is not None and most <= MOST_SUBTASKS else None,
        read_text(body.get("status")) or RUNNING,
        read_time(body.get("start-time")),
        read_counters(read_object(body.get("metrics"))),
        read_text(body.get("slotSharingGroupId")) or "",
    )


def read_inputs(plan: Mapping[str, JsonValue]) -> dict[str, tuple[VertexInput, ...]]:
    """The inputs of each vertex in a plan, by vertex id; a sender that the plan lists twice counts once."""
    inputs: dict[str, tuple[VertexInput, ...]] = {}
    for node in map(read_object, read_list(plan.get("nodes"))):
        vertex = read_text(node.get("id"))
        if vertex is None:
            continue
        strategies: dict[str, str] = {}
        for one in map(read_object, read_list(node.get("inputs"))):
            sender = read_text(one.get("id"))
            if sender is not None:
                strategies.setdefault(sender, read_text(one.get("ship_strategy")) or "")
        inputs[vertex] = tuple(VertexInput(*pair) for pair in strategies.items())
    return inputs


def read_detail(answer: EngineAnswer, body: Mapping[str, JsonValue]) -> VertexDetail | None:
    """The subtasks in a vertex's document; Flink's own sums are not read: they are -1 where a subtask's value
    is NaN.
    """
    vertex = read_text(body.get("id"))
    listed = [read_object(one) for one in read_list(body.get("subtasks"))]
    if vertex is None:
        return None
    subtasks = [
        SubtaskState(read_count(one.get("attempt")), read_counters(read_object(one.get("metrics"))))
        for one in listed
    ]
    return VertexDetail(vertex, tuple(subtasks), read_time(body.get("now")) or to_milliseconds(answer.at))


def read_metrics(answer: EngineAnswer, listed: list[JsonValue]) -> MetricSums | None:
    """The metrics of a vertex, summed over its subtasks; the vertex is read from the path, as the answer does not name
    it.
    """
    asked = METRICS_PATH.search(answer.path)
    if asked is None:
        return None
    sums: dict[str, float] = {}
    unknown: set[str] = set()
    for one in map(read_object, listed):
        name, number = read_text(one.get("id")) or "", read_number(one.get("sum", one.get("value")))
        of_subtask = None if asked["subtasks"] else SUBTASK.fullmatch(name)
        name = of_subtask[2] if of_subtask else name
        if number is None:
            unknown.add(name)
        else:
            sums[name] = sums.get(name, 0.0) + number
    known = {name: total for name, total in sums.items() if name not in unknown}
    return MetricSums(asked["job"], asked["vertex"], known, answer.at, is_look(answer))


def read_options(listed: list[JsonValue]) -> FlinkCluster | None:
    """The options of a cluster from the list that `GET /jobmanager/config` answers; None if the list is of another
    kind.
    """
    options: dict[str, str] = {}
    for one in map(read_object, listed):
        key, value = read_text(one.get("key")), read_text(one.get("value"))
        if key is not None and value is not None:
            options[key] = value
    return FlinkCluster(options=options) if options else None


def name_operators(vertices: Iterable[VertexState]) -> dict[str, str]:
    """A name of an operator for the id of each vertex: unique, printable, and the same at every reading.

    Vertices with equal names get the start of their id behind the name.
    """
    plain = {one.id: clean(one.name) or clean(one.id) or "vertex" for one in vertices}
    counts = Counter(plain.values())
    names = {
        vertex: name if counts[name] == 1 else f"{name} ({clean(vertex)[:ID_CHARACTERS]})"
        for vertex, name in plain.items()
    }
    if len(set(names.values())) == len(names):
        return names
    return {vertex: f"{name} ({place})" for place, (vertex, name) in enumerate(plain.items())}


def clean(name: str) -> str:
    """The name of a vertex on one line, shortened to 180 characters."""
    return to_line(name)[:LONGEST_NAME].strip()


def to_line(text: str) -> str:
    """A text with its line breaks and control characters replaced, so that it fits on one line."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
