"""What an engine answered, and what a reader makes of it: the values between an engine's JSON and a stored snapshot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph
from planner.values import Diagnostic


class EngineAnswer(NamedTuple):
    """One answer of an engine: the path that was asked ("" = not known), its JSON, and when it came (None: not known).

    `pointer` is where the answer stands in a request body; problems name it.
    """

    body: JsonValue
    path: str = ""
    at: datetime | None = None
    pointer: str = "#"


@dataclass(frozen=True, slots=True)
class EngineReading:
    """What the answers of an engine say.

    `topology` is None where they do not show it. Every load in `loads` has its `observed_at`. `marks` is what the
    engine calls things, such as the id of the job and of each vertex: a patch needs it.
    """

    topology: Graph | None
    loads: tuple[LoadBody, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    marks: Mapping[str, JsonValue] = field(default_factory=dict)


class UnreadableAnswer(ValueError):
    """An answer is not what the engine gives, or does not say enough: where it stands, and what to send instead."""

    def __init__(self, pointer: str, detail: str) -> None:
        """`detail` says what is wrong and what to change."""
        super().__init__(f"{pointer}: {detail}")
        self.pointer, self.detail = pointer, detail


def say(code: str, detail: str, operators: Sequence[str] = ()) -> Diagnostic:
    """A diagnostic of a reader."""
    return Diagnostic(code, detail, tuple(operators))


class Asker(Protocol):
    """Asks an engine over HTTP; raises httpx's errors."""

    def get(self, path: str) -> EngineAnswer:
        """The answer to GET of this path, with the time when it came."""
        ...
