"""Events are told; a reason that goes on is told once."""

from app.bridge.events import Reporter
from tests.app.bridge.bridges import Told


def test_a_reason_that_goes_on_is_told_once_and_again_after_something_else():
    told = Told()
    reporter = Reporter(told)
    for text in ("stale", "stale", "other", "other"):
        reporter.report("not-judged", text)
    reporter.report("decided", "hold")
    reporter.report("note", "something")
    reporter.report("not-judged", "other")
    assert [event.text for event in told.events] == ["stale", "other", "hold", "something", "other"]


def test_a_reason_with_a_code_is_told_once_though_its_words_change():
    told = Told()
    reporter = Reporter(told)
    for age in ("20 min", "21 min"):
        reporter.report("not-judged", f"the newest snapshot is {age} old", {"code": "stale-snapshots"})
    assert [event.text for event in told.events] == ["the newest snapshot is 20 min old"]


def test_who_is_away_is_told_once_and_once_when_back():
    told = Told()
    reporter = Reporter(told)
    for _ in range(3):
        reporter.report_away("engine", "the engine does not answer: refused")
    reporter.report_back("engine")
    assert told.list_kinds() == ["away", "back"]
    assert [event.data["of"] for event in told.events] == ["engine", "engine"]
    assert "engine answers again" in told.events[1].text
    reporter.report_back("engine")
    reporter.report_back("service")
    assert len(told.events) == 2, "who was not away is not back"


def test_a_note_is_told_the_first_time():
    told = Told()
    reporter = Reporter(told)
    for _ in range(2):
        reporter.report_once("the service keeps no outcomes")
    assert told.list_kinds() == ["note"]
