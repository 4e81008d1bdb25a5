"""Displays of events: plain lines, lines of JSON, and a table on a terminal that is redrawn with each event."""

import json
from collections import deque
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.bridge.events import Event
from app.engines.numbers import read_list, read_object
from planner.wording import UNBOUNDED, write_number, write_percent, write_seconds

EVENTS_SHOWN = 6
WARNINGS_SHOWN = 4
COLUMNS = ("operator", "offered/s", "served/s", "utilisation", "processors", "wanted")


class PlainLines:
    """One line for each event: time, kind and sentence; each kind of warning is shown once."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.held: object = None
        self.warned: set[str] = set()

    def show(self, event: Event) -> None:
        """Writes the event at once; of several decisions to hold for the same reasons only the first."""
        held = event.data.get("reasons") if event.data.get("next") == "hold" else None
        if held is None or held != self.held:
            self.write(event, event.kind, event.text)
        self.held = held
        for warning in map(read_object, read_list(event.data.get("warnings"))):
            if (code := str(warning.get("code"))) not in self.warned:
                self.warned.add(code)
                self.write(event, "warning", f"{code}: {warning.get('detail')}")

    def write(self, event: Event, kind: str, text: str) -> None:
        """Writes one event as a line: its time, its kind and a sentence."""
        print(f"{event.at:%Y-%m-%dT%H:%M:%SZ} {kind}: {text}", file=self.stream, flush=True)

    def close(self) -> None:
        """Does nothing, because every line is already written."""


class JsonLines:
    """One JSON object for each event."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def show(self, event: Event) -> None:
        """Writes the event at once."""
        fields = {"at": event.at.isoformat(), "event": event.kind, "detail": event.text, **event.data}
        print(json.dumps(fields, allow_nan=False), file=self.stream, flush=True)

    def close(self) -> None:
        """Does nothing, because every event is already written."""


class LiveTable:
    """The operators, the times, the last events and warnings."""

    def __init__(self, console: Console, title: str) -> None:
        self.title = title
        self.events: deque[Event] = deque(maxlen=EVENTS_SHOWN)
        self.decided: dict[str, Any] = {}
        self.away: dict[str, str] = {}
        self.live = Live(self.render(), console=console, auto_refresh=False)
        self.live.start()

    def show(self, event: Event) -> None:
        """Redraws the table with the event; of several decisions to hold only the last stays."""
        if self.events and _is_hold(event) and _is_hold(self.events[-1]):
            self.events.pop()
        self.events.append(event)
        if "operators" in event.data:
            self.decided = dict(event.data)
        if event.kind == "away":
            self.away[str(event.data.get("of"))] = event.text
        elif event.kind == "back":
            self.away.pop(str(event.data.get("of")), None)
        self.live.update(self.render(), refresh=True)

    def close(self) -> None:
        """Ends the redrawing and leaves the last table on the screen."""
        self.live.stop()

    def render(self) -> Group:
        """The content of the whole screen: the table, the times, the last events and the warnings."""
        parts: list[Text | Table] = [Text(self.title, style="bold")]
        if self.decided:
            parts += [Text(describe_times(self.decided)), make_table(self.decided)]
        parts += [Text(why, style="red") for why in self.away.values()]
        warnings = self.decided.get("warnings", [])[:WARNINGS_SHOWN]
        parts += [Text(f"warning: {one['detail']}", style="yellow") for one in warnings]
        parts += [Text(f"{one.at:%H:%M:%S} {one.kind}: {one.text}") for one in self.events]
        return Group(*parts)


def describe_times(decided: dict[str, Any]) -> str:
    """A line with the external rate, E[T] now, E[T] as the decision expects it, and the target."""
    now, then = (
        write_seconds(decided[name], UNBOUNDED) for name in ("sojourn_seconds", "expected_sojourn_seconds")
    )
    rate = f"{write_number(decided['external_rate'])} tuples/s"
    expected = "" if decided["next"] == "hold" else f"   expected {then}"
    return f"{rate}   E[T] now {now} ({decided['sojourn_is']}){expected}   target: {decided['target']}"


def make_table(decided: dict[str, Any]) -> Table:
    """The table of a decision, with one row for each operator."""
    table = Table(box=SIMPLE_HEAD)
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "operator" else "right")
    for row in decided["operators"]:
        wanted = "" if row["wanted"] == row["processors"] else f"-> {row['wanted']}"
        rates = [write_number(row[name]) for name in ("offered_rate", "served_rate")]
        used = write_percent(row["utilisation"])
        table.add_row(*map(Text, (row["operator"], *rates, used, str(row["processors"]), wanted)))
    return table


def _is_hold(event: Event) -> bool:
    return event.data.get("next") == "hold"
