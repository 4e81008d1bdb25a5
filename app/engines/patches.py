"""A patch: the request, command or document that makes an engine run the recommended processors."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from app.engines.numbers import read_count, read_object


@dataclass(frozen=True, slots=True)
class EnginePatch:
    """One change, ready to send: an HTTP request, a command or a document; `notes` state what it needs and costs.

    `placeholders` are the parts that the caller must fill in, such as <job id> if the engine was never read.
    `content_type` is the type of the request's body; None: application/json.
    """

    format: str
    method: str | None = None
    path: str | None = None
    body: JsonValue = None
    command: str | None = None
    notes: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    content_type: str | None = None


Counts = Mapping[str, int]
"""Processors by operator."""


def find_changes(counts: Counts, running: JsonValue) -> dict[str, int]:
    """The recommended processors that differ from the running ones, which the engine's marks hold."""
    known = read_object(running)
    return {name: count for name, count in counts.items() if read_count(known.get(name)) != count}
