"""Events as plain lines and as JSON."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime

from app.bridge.events import Event
from app.bridge.lines import JsonLines, PlainLines

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
