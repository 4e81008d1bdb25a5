"""Events as lines: plain, or JSON."""

import json
from typing import TextIO

from app.bridge.events import Event
from app.engines.numbers import read_list, read_object


class PlainLines:
    """One line for each event: when, what, and the sentence; each kind of warning once."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.held: object = None
        self.warned: set[str] = set()

    def show(self, event: Event) -> None:
        """Writes it at once; of decisions to hold for one reason, one after the other, the first."""
        held = event.data.get("reasons") if event.data.get("next") == "hold" else None
        if held is None or held != self.held:
            self.write(event, event.kind, event.text)
        self.held = held
        for warning in map(read_object, read_list(event.data.get("warnings"))):
            if (code := str(warning.get("code"))) not in self.warned:
                self.warned.add(code)
                self.write(event, "warning", f"{code}: {warning.get('detail')}")

    def write(self, event: Event, kind: str, text: str) -> None:
        """One line."""
        print(f"{event.at:%Y-%m-%dT%H:%M:%SZ} {kind}: {text}", file=self.stream, flush=True)

    def close(self) -> None:
        """Every line is written already."""


class JsonLines:
    """One JSON object for each event."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def show(self, event: Event) -> None:
        """Writes it at once."""
        said = {"at": event.at.isoformat(), "event": event.kind, "detail": event.text, **event.data}
        print(json.dumps(said, allow_nan=False), file=self.stream, flush=True)

    def close(self) -> None:
        """Every line is written already."""
