"""The table on a terminal."""

import io
from datetime import UTC, datetime

from rich.console import Console

from app.bridge.decision_texts import to_data
from app.bridge.displays import LiveTable
from app.bridge.events import Event, EventKind
from app.bridge.states import Chosen
from tests.app.bridge.examples import make_decision
from tests.app.bridge.test_decision_texts_views import LOAD, READING


def draw(table: LiveTable) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table.render())
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


def show(table: LiveTable, kind: EventKind, text: str, **data: str) -> None:
    table.show(Event(kind, datetime(2026, 11, 19, 10, 0, 0, tzinfo=UTC), text, data))


def test_it_shows_operators_times_warnings_and_the_last_events():
    table = LiveTable(Console(file=io.StringIO(), force_terminal=True), "bridge flink: fpd")
    assert "bridge flink: fpd" in draw(table)
    decision = make_decision()
    data = to_data(READING, LOAD, decision, Chosen("apply", {"parse": 6}))
    table.show(Event("decided", datetime(2026, 11, 19, 10, 0, 0, tzinfo=UTC), "scale_up [to] parse 6", data))
    drawn = draw(table)
    for part in (
        "parse",
        "100",
        "90%",
        "-> 6",
        "E[T] now 500 ms (estimated)",
        "expected 100 ms",
        "warning: The engine is odd",
    ):
        assert part in drawn, part
    assert "10:00:00 decided: scale_up [to] parse 6" in drawn, "brackets of a text are no markup"
    table.close()


def test_who_is_away_stays_shown_until_it_is_back():
    table = LiveTable(Console(file=io.StringIO(), force_terminal=True), "bridge")
    show(table, "away", "the engine does not answer", of="engine")
    for _ in range(9):
        show(table, "note", "something")
    assert "the engine does not answer" in draw(table)
    show(table, "back", "the engine answers again", of="engine")
    assert "does not answer" not in draw(table)
    table.close()


def test_what_is_not_known_is_a_dash_and_no_number():
    current = {
        "stable": False,
        "expected_sojourn_seconds": None,
        "operators": [{"name": "parse", "arrival_rate": None, "utilisation": None, "processors": 4}],
    }
    table = LiveTable(Console(file=io.StringIO(), force_terminal=True), "bridge")
    data = to_data(READING, LOAD, make_decision(current=current), Chosen("hold", {"parse": 4}))
    table.show(Event("decided", datetime(2026, 11, 19, 10, 0, 0, tzinfo=UTC), "hold", data))
    assert "–" in draw(table)
    assert "expected" not in draw(table), "nothing changes"
    table.show(Event("decided", datetime(2026, 11, 19, 10, 0, 15, tzinfo=UTC), "hold", data))
    assert draw(table).count("decided: hold") == 1, "the last one of several"
    assert "E[T] now unbounded" in draw(table)
    table.close()
