"""Changes and their records, between a stand-in engine and the real service."""

import httpx

from app.bridge.changes import describe_by_hand, plan_change
from app.bridge.states import BridgeState
from app.engines.patches import EnginePatch
from tests.app.bridge.bridges import Stage
from tests.app.bridge.examples import make_decision


def test_a_change_that_the_engine_refuses_is_not_asked_for_again(stage: Stage):
    bridge = stage.make_bridge()
    stage.engine.rate, stage.engine.refuses = 3900.0, 500
    assert stage.turn(bridge, 4) == ["not-judged", *3 * ["wanted"]]
    assert "refused the change (500)" in stage.told.find("failed").text
    assert "tried at 3,900/s before" in stage.told.find("refused").text
    assert sum(one.startswith("PUT") for one in stage.engine.requests) == 1


def test_what_is_not_known_of_the_engine_is_never_guessed(stage: Stage):
    change = plan_change(make_decision(), {"parse": 6}, 0.0)
    state, is_taken = stage.make_bridge().applier.apply(BridgeState(), change, {})
    assert (state.change, is_taken) == (None, False)
    assert "<job id>" in stage.told.find("wanted").text
    assert stage.engine.requests == []


def test_an_outcome_is_kept_while_the_service_is_away(stage: Stage, client: httpx.Client):
    bridge = stage.make_bridge(apply=False)
    stage.engine.rate = 3900.0
    stage.turn(bridge, 2)
    decision = str(stage.told.find("wanted").data["decision"])
    address = bridge.service.client.base_url
    bridge.service.client.base_url = address.copy_with(port=1)
    bridge.recorder.record(decision, {"state": "failed", "detail": "while away"})
    bridge.service.client.base_url = address
    stage.turn(bridge)
    assert client.get(f"/v1/decisions/{decision}").json()["outcome"]["detail"] == "while away"


def test_an_engine_that_cannot_be_changed_is_told_how_by_hand():
    change = plan_change(make_decision(), {"parse": 6}, 0.0)
    assert "change it where it is deployed" in describe_by_hand(change, None)
    command = EnginePatch(
        "heron", command="heron update fpd --component-parallelism=parse:6", notes=("Slow.",)
    )
    assert describe_by_hand(change, command) == f"wanted: parse 6; run: {command.command}. Slow."
    request = EnginePatch("flink", method="PUT", path="/jobs/1", body={"a": 1})
    assert describe_by_hand(change, request) == 'wanted: parse 6; it is PUT /jobs/1 {"a": 1}.'


def test_a_job_without_the_adaptive_scheduler_is_not_asked(stage: Stage):
    bridge = stage.make_bridge()
    stage.engine.rate, stage.engine.scheduler = 3900.0, "Default"
    assert stage.turn(bridge, 2) == ["not-judged", "wanted"]
    assert not any(one.startswith("PUT") for one in stage.engine.requests)
    assert "adaptive" in stage.told.find("wanted").text
