"""Events as lines: plain, or JSON."""

import json
from typing import TextIO

from app.bridge.events import Event


class PlainLines:
    """One line for each event: when, what, and the sentence."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.held: object = None

    def show(self, event: Event) -> None:
        """Writes it at once; of decisions to hold for one reason, one after the other, the first."""
        held = (
            (event.data.get("reasons"), event.data.get("warnings"))
            if event.data.get("next") == "hold"
            else None
        )
        if held is not None and held == self.held:
            return
        self.held = held
        print(f"{event.at:%Y-%m-%dT%H:%M:%SZ} {event.kind}: {event.text}", file=self.stream, flush=True)

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
