"""Events are told; a reason that goes on is told once."""

from app.bridge.telling import Teller
from tests.app.bridge.bridges import Told


def test_a_reason_that_goes_on_is_told_once_and_again_after_something_else():
    told = Told()
    teller = Teller(told)
    for text in ("stale", "stale", "other", "other"):
        teller.tell("not-judged", text)
    teller.tell("decided", "hold")
    teller.tell("note", "something")
    teller.tell("not-judged", "other")
    assert [event.text for event in told.events] == ["stale", "other", "hold", "something", "other"]


def test_who_is_away_is_told_once_and_once_when_back():
    told = Told()
    teller = Teller(told)
    for _ in range(3):
        teller.conditions.hold("engine", "the engine does not answer: refused")
    teller.conditions.clear("engine")
    assert told.list_kinds() == ["away", "back"]
    assert [event.data["of"] for event in told.events] == ["engine", "engine"]
    assert "engine answers again" in told.events[1].text


def test_a_note_is_told_the_first_time():
    told = Told()
    teller = Teller(told)
    for _ in range(2):
        teller.tell_once("the service keeps no outcomes")
    assert told.list_kinds() == ["note"]
