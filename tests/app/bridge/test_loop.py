"""One interval after the other, between a stand-in engine and the real service."""

from collections.abc import Iterator

import pytest

from tests.app.bridge.bridges import Stage, staged
from tests.app.processes import Service

GROWN = {"Source: arrivals": 1, "parse": 6, "score": 6, "Sink: out": 1}


@pytest.fixture
def stage(service: Service, name: str) -> Iterator[Stage]:
    with staged(service.url, name) as found:
        yield found


def test_a_constant_load_stays_as_it_is(stage: Stage):
    bridge = stage.make_bridge()
    assert stage.turn(bridge, 8) == ["not-judged"] + 7 * ["nothing-to-do"]
    assert stage.engine.asked == []


def test_a_step_up_is_applied_and_proved_and_then_nothing_changes(stage: Stage):
    bridge = stage.make_bridge()
    stage.turn(bridge, 3)
    stage.engine.rate = 3900.0
    assert stage.turn(bridge, 6) == ["applied", "not-judged", "not-judged", *3 * ["nothing-to-do"]]
    assert stage.engine.asked == [GROWN]
    assert stage.told.find("proved").data["kept"] is True


def test_a_dry_run_says_what_it_would_ask_for_and_asks_nothing(stage: Stage):
    bridge = stage.make_bridge(apply=False)
    stage.engine.rate = 3900.0
    assert stage.turn(bridge, 3) == ["not-judged", "wanted", "wanted"]
    assert stage.engine.asked == []
    assert (
        "PUT /jobs/137fb1cad48a7720f2976c548dfbb1bd/resource-requirements" in stage.told.find("wanted").text
    )
