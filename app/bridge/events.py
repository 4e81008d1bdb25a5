"""What a bridge tells its owner, one event at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from pydantic import JsonValue

EventKind = Literal[
    "started", "away", "back", "not-judged", "discarded", "waiting", "decided", "wanted", "refused", "applied",
    "failed", "runs", "proved", "rolled-back", "note", "ended",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, in a sentence; `data` has the same as numbers."""

    kind: EventKind
    at: datetime
    text: str
    data: Mapping[str, JsonValue] = field(default_factory=dict)


class Display(Protocol):
    """Shows events."""

    def show(self, event: Event) -> None:
        """Shows one."""
        ...

    def close(self) -> None:
        """Nothing follows."""
        ...
