"""Values between an engine's JSON and stored snapshots: its answers, and the reading that its reader makes of
them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from types import ModuleType
from typing import Literal, NamedTuple, Protocol, cast, get_args
from urllib.parse import parse_qsl

from pydantic import JsonValue, ValidationError

from app.engines.numbers import read_object, read_text
from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph
from app.web.fields import read_utc_time
from planner.values import Diagnostic
from planner.wording import join_names

EngineName = Literal["flink", "storm", "heron", "spark", "kafka", "prometheus"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
ERROR_FIELDS = ("errors", "errorMessage", "message")
"""Where Flink, Storm, Heron and Kafka's REST proxy write what went wrong; Prometheus' reader quotes its `error`."""
MOST_SHOWN = 100


class EngineAnswer(NamedTuple):
    """One answer of an engine: the path that was asked ("" if unknown), its JSON, and the time when it came (None
    if unknown).

    `pointer` is the place of the answer in a request body; problems name it.
    """

    body: JsonValue
    path: str = ""
    at: datetime | None = None
    pointer: str = "#"


@dataclass(frozen=True, slots=True)
class EngineReading:
    """A reader's result.

    `topology` is None if the answers do not show it. Every load in `loads` has its `observed_at`. `marks` are the
    engine's own names, such as the ids of the job and of each vertex, which a patch needs. `assumed` are the edges, by
    source and target, of which the engine does not tell how much flows there.
    """

    topology: Graph | None
    loads: tuple[LoadBody, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    marks: Mapping[str, JsonValue] = field(default_factory=dict)
    assumed: frozenset[tuple[str, str]] = frozenset()


class UnreadableAnswer(ValueError):
    """The error that an answer does not have the engine's form or holds too little; it has the place, and what to send
    instead.
    """

    def __init__(self, pointer: str, detail: str) -> None:
        """Makes the error; `detail` states what is wrong and what to change."""
        super().__init__(f"{pointer}: {detail}")
        self.pointer, self.detail = pointer, detail


class Asker(Protocol):
    """A client that asks one engine over HTTP; its methods raise the errors of httpx."""

    def get(self, path: str) -> EngineAnswer:
        """The engine's answer to GET of a path, with the time when the answer came."""
        ...


def load_part(engine: str, part: Literal["reader", "asking", "patch"]) -> ModuleType:
    """The module `part` of the reader of an engine, imported at its first use; ModuleNotFoundError if it has no such
    module.
    """
    room = f"spouts_and_bolts.{engine}" if engine in {"storm", "heron"} else engine
    return import_module(f"app.engines.{room}.{part}")


def list_answers(sent: JsonValue) -> list[EngineAnswer]:
    """The answers of a body: {"answers": [{"path", "at", "body"}]}, or one answer as the engine gave it, or a list."""
    if isinstance(sent, dict) and isinstance(sent.get("answers"), list):
        listed = cast("list[JsonValue]", sent["answers"])
        return [_unwrap(one, f"#/answers/{place}") for place, one in enumerate(listed)]
    if isinstance(sent, list):
        return [EngineAnswer(one, pointer=f"#/{place}") for place, one in enumerate(sent)]
    return [EngineAnswer(sent)]


def _unwrap(one: JsonValue, pointer: str) -> EngineAnswer:
    if not isinstance(one, dict) or "body" not in one:
        raise UnreadableAnswer(pointer, 'give an object with "body", the engine\'s JSON, "path" and "at".')
    path, at = one.get("path"), one.get("at")
    if path is not None and not isinstance(path, str):
        raise UnreadableAnswer(f"{pointer}/path", "give the path that was asked as text, or leave it out.")
    try:
        came_at = None if at is None else read_utc_time(at)
    except ValidationError as error:
        raise UnreadableAnswer(f"{pointer}/at", error.errors()[0]["msg"]) from error
    return EngineAnswer(one["body"], path or "", came_at, f"{pointer}/body")


def read_answers(engine: EngineName, answers: Sequence[EngineAnswer]) -> EngineReading:
    """The reading of an engine's answers; raises only UnreadableAnswer, if they hold too little."""
    try:
        reading: EngineReading = load_part(engine, "reader").read(answers)
    except UnreadableAnswer as error:
        refusals = [text for one in answers if (text := describe_refusal(one.body)) is not None]
        raise UnreadableAnswer(error.pointer, " ".join([error.detail, *refusals[:1]])) from error
    except OverflowError as error:
        detail = "a time or a length of time in the answers is too large for a date."
        raise UnreadableAnswer("#", detail) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(str(part) for part in first["loc"])
        detail = f"the engine's numbers give no usable load: {place}: {first['msg']}."
        raise UnreadableAnswer("#", detail) from error
    return reading


def describe_refusal(body: JsonValue) -> str | None:
    """A sentence with the beginning of a text, such as a page of HTML, or of an engine's error; None for others."""
    if isinstance(body, str):
        return f"An answer is text, not JSON: {shorten(body)}."
    text = find_error(body)
    return None if text is None else f"An answer is an error: {shorten(text)}."


def find_error(body: JsonValue) -> str | None:
    """The text of the first error in an engine's document; None if the document holds no error."""
    values = [read_object(body).get(name) for name in ERROR_FIELDS]
    texts = [read_text(one[0] if isinstance(one, list) and one else one) for one in values]
    return next((text for text in texts if text is not None and text.strip()), None)


def shorten(text: str) -> str:
    """The beginning of a text in quotation marks, on one line."""
    line = " ".join(text.split())
    return repr(line if len(line) <= MOST_SHOWN else f"{line[:MOST_SHOWN]}…")


def sort_by_time(answers: Sequence[EngineAnswer]) -> Sequence[EngineAnswer]:
    """The answers, oldest first, if all of them have a time; else in the order in which the caller sent them."""
    times = [one.at.timestamp() for one in answers if one.at is not None]
    if len(times) < len(answers):
        return answers
    return [answers[place] for place in sorted(range(len(times)), key=times.__getitem__)]


def read_parameters(path: str) -> Mapping[str, str]:
    """The parameters after the question mark of a path, decoded; if a name occurs twice, its first value."""
    listed = parse_qsl(path.partition("?")[2], keep_blank_values=True)
    return dict(reversed(listed))


def find_parameter(answers: Iterable[EngineAnswer], name: str) -> str | None:
    """The value of a parameter, from the first answer whose request path contains the parameter; None if no
    path does.
    """
    return next((found for one in answers if (found := read_parameters(one.path).get(name))), None)


def find_pointer(answers: Sequence[EngineAnswer]) -> str:
    """The place in the request's body of the answer, if there is only one answer; else the place of the whole body."""
    return answers[0].pointer if len(answers) == 1 else "#"


class RunningJob(NamedTuple):
    """A job that an engine runs, with its id and name; of jobs with one name, the job that started last is chosen."""

    id: str
    name: str
    started: float = 0.0


def choose_job(
    jobs: Iterable[RunningJob], wanted: str | None, remedy: str, *, kind: str = "job", pointer: str = "#"
) -> RunningJob:
    """The running job whose id or name is `wanted`; without `wanted`, the only running job.

    Raises UnreadableAnswer with the names of the jobs that run; `remedy` states how to choose one of several.
    """
    listed = list(jobs)
    found = [one for one in listed if wanted is None or wanted in {one.id, one.name}]
    newest = [one for one in found if one.started == max(other.started for other in found)]
    if len(found) == 1 or (wanted is not None and len(newest) == 1):
        return newest[0]
    if not found:
        asked = "" if wanted is None else f" with the name or id {wanted!r}"
        others = f" Running: {join_names(sorted({one.name for one in listed}))}." if listed else ""
        raise UnreadableAnswer(pointer, f"no {kind}{asked} runs.{others}")
    names = join_names(sorted({one.name for one in found} if wanted is None else {one.id for one in found}))
    raise UnreadableAnswer(pointer, f"more than one {kind} fits: {names}. {remedy}")
