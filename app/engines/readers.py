"""The readers by the name of their engine; each is loaded when it is first asked."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Literal, cast, get_args

from pydantic import JsonValue, ValidationError

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.web.fields import read_utc_time

EngineName = Literal["flink", "storm", "heron", "spark", "kafka", "prometheus"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)

Reader = Callable[[Sequence[EngineAnswer]], EngineReading]


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
    """What the answers of an engine say; raises UnreadableAnswer, and nothing else, where they say too little."""
    read: Reader = import_module(f"app.engines.{engine}.reader").read
    try:
        return read(answers)
    except OverflowError as error:
        raise UnreadableAnswer(
            "#", "a time or a length of time in the answers lies beyond all calendars."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(str(part) for part in first["loc"])
        raise UnreadableAnswer(
            "#", f"the engine's numbers give no usable load: {place}: {first['msg']}."
        ) from error
