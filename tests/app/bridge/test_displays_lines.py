"""Events as plain lines and as JSON."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import JsonValue

from app.bridge.displays import JsonLines, PlainLines
from app.bridge.events import Event

EVENT = Event("applied", datetime(2026, 11, 19, 10, 0, 0, tzinfo=UTC), "asked for parse 6", {"decision": "d"})


def test_a_plain_line_has_the_time_the_kind_and_the_sentence():
    stream = io.StringIO()
    lines = PlainLines(stream)
    lines.show(EVENT)
    lines.close()
    assert stream.getvalue() == "2026-11-19T10:00:00Z applied: asked for parse 6\n"


def test_holding_for_the_same_reason_is_one_line():
    stream = io.StringIO()
    lines = PlainLines(stream)
    hold = Event("decided", EVENT.at, "hold", {"next": "hold", "reasons": ["target-met"]})
    for event in (hold, hold, EVENT, hold, replace(hold, data={"next": "hold", "reasons": ["cooldown"]})):
        lines.show(event)
    assert [line.split()[1] for line in stream.getvalue().splitlines()] == [
        "decided:",
        "applied:",
        "decided:",
        "decided:",
    ]


def test_each_kind_of_warning_is_one_line_also_where_a_hold_is_not_written_again():
    stream = io.StringIO()
    lines = PlainLines(stream)
    for records in (None, 7, 8):
        few: list[JsonValue] = [{"code": "few-records", "detail": f"{records} records"}] if records else []
        lines.show(Event("decided", EVENT.at, "hold", {"next": "hold", "reasons": ["x"], "warnings": few}))
    assert [line.partition(" ")[2] for line in stream.getvalue().splitlines()] == [
        "decided: hold",
        "warning: few-records: 7 records",
    ]


def test_a_json_line_has_the_numbers_too():
    stream = io.StringIO()
    lines = JsonLines(stream)
    lines.show(EVENT)
    lines.close()
    assert json.loads(stream.getvalue()) == {
        "at": "2026-11-19T10:00:00+00:00",
        "event": "applied",
        "detail": "asked for parse 6",
        "decision": "d",
    }
