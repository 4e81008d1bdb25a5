"""Tells events: what a bridge does in sentences, each condition once when it begins and once when it ends."""

from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import JsonValue

from app.bridge.backoff import Conditions
from app.bridge.events import Display, Event, EventKind

QUIET: dict[EventKind, set[EventKind]] = {
    "not-judged": {"decided", "applied", "discarded"},
    "waiting": {"applied"},
    "wanted": {"applied", "discarded", "runs"},
}
"""Kinds that are told again only where the text differs from the last one, or after one of these."""

ASKED_AGAIN = "; without --once it is asked again until it answers"


class Teller:
    """Makes events of what happens, and passes them to a display."""

    def __init__(self, display: Display) -> None:
        self.display = display
        self.last: dict[EventKind, str] = {}
        self.noted: set[str] = set()
        self.conditions = Conditions(
            lambda subject, why: self.tell("away", why + ASKED_AGAIN, {"of": subject}),
            lambda subject: self.tell("back", f"the {subject} answers again", {"of": subject}),
        )

    def tell(self, kind: EventKind, text: str, data: Mapping[str, JsonValue] | None = None) -> None:
        """Tells an event; a reason that goes on is told once."""
        if kind in QUIET and self.last.get(kind) == text:
            return
        self.last = {one: said for one, said in self.last.items() if kind not in QUIET[one]}
        if kind in QUIET:
            self.last[kind] = text
        self.display.show(Event(kind, datetime.now(UTC), text, data or {}))

    def tell_once(self, text: str) -> None:
        """A note, such as a warning of a reader, the first time that it is said."""
        if text not in self.noted:
            self.noted.add(text)
            self.tell("note", text)
