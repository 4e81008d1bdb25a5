"""A table on a terminal that is drawn again with each event."""

from collections import deque
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.bridge.events import Event
from planner.wording import UNBOUNDED, write_number, write_percent, write_seconds

EVENTS_SHOWN = 6
WARNINGS_SHOWN = 4
COLUMNS = ("operator", "offered/s", "served/s", "utilisation", "processors", "wanted")


class LiveTable:
    """The operators, the times, the last events and warnings."""

    def __init__(self, console: Console, title: str) -> None:
        self.title = title
        self.events: deque[Event] = deque(maxlen=EVENTS_SHOWN)
        self.decided: dict[str, Any] = {}
        self.away: dict[str, str] = {}
        self.live = Live(self.draw(), console=console, auto_refresh=False)
        self.live.start()

    def show(self, event: Event) -> None:
        """Draws the table with it."""
        if self.events and _is_hold(event) and _is_hold(self.events[-1]):
            self.events.pop()
        self.events.append(event)
        if "operators" in event.data:
            self.decided = dict(event.data)
        if event.kind == "away":
            self.away[str(event.data.get("of"))] = event.text
        elif event.kind == "back":
            self.away.pop(str(event.data.get("of")), None)
        self.live.update(self.draw(), refresh=True)

    def list_warnings(self) -> list[dict[str, str]]:
        """The first warnings of the last decision."""
        return list(self.decided.get("warnings", []))[:WARNINGS_SHOWN]

    def close(self) -> None:
        """Leaves the last table on the screen."""
        self.live.stop()

    def draw(self) -> Group:
        """The whole picture."""
        parts: list[Text | Table] = [Text(self.title, style="bold")]
        if self.decided:
            parts += [Text(describe_times(self.decided)), draw_operators(self.decided)]
        parts += [Text(why, style="red") for why in self.away.values()]
        parts += [Text(f"warning: {one['detail']}", style="yellow") for one in self.list_warnings()]
        parts += [Text(f"{one.at:%H:%M:%S} {one.kind}: {one.text}") for one in self.events]
        return Group(*parts)


def describe_times(decided: dict[str, Any]) -> str:
    """The rate, E[T] now and as promised, and the target."""
    now, promised = (
        write_seconds(decided[name], UNBOUNDED) for name in ("sojourn_seconds", "expected_sojourn_seconds")
    )
    rate = f"{write_number(decided['external_rate'])} tuples/s"
    promise = "" if decided["next"] == "hold" else f"   promised {promised}"
    return f"{rate}   E[T] now {now} ({decided['sojourn_is']}){promise}   target: {decided['target']}"


def draw_operators(decided: dict[str, Any]) -> Table:
    """One row for each operator."""
    table = Table(box=SIMPLE_HEAD)
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "operator" else "right")
    for row in decided["operators"]:
        used = write_percent(row["utilisation"])
        wanted = "" if row["wanted"] == row["processors"] else f"-> {row['wanted']}"
        rates = [write_number(row[name]) for name in ("offered_rate", "served_rate")]
        table.add_row(*map(Text, (row["operator"], *rates, used, str(row["processors"]), wanted)))
    return table


def _is_hold(event: Event) -> bool:
    return event.data.get("next") == "hold"
