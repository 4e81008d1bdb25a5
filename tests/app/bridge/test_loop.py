"""One interval after the other, between a stand-in engine and the real service."""

from datetime import timedelta

import httpx
import pytest

from tests.app.bridge.bridges import POLICY, Stage

GROWN = {"Source: arrivals": 1, "parse": 6, "score": 6, "Sink: out": 1}


def test_a_constant_load_stays_as_it_is(stage: Stage):
    bridge = stage.make_bridge()
    assert stage.turn(bridge, 8) == ["not-judged"] + 7 * ["nothing-to-do"]
    assert stage.engine.asked == []
    assert bridge.last_end is not None
    assert bridge.last_end.timestamp() == pytest.approx(stage.clock.now, abs=0.1)


def test_looks_that_are_too_close_are_put_together(stage: Stage):
    bridge = stage.make_bridge()
    results = []
    for _ in range(8):
        stage.clock.now += 0.4  # Flink's counters need a second
        results.append(bridge.turn())
    assert results.count("nothing-to-do") == 2


def test_a_policy_that_is_deleted_is_stored_again(stage: Stage, client: httpx.Client):
    bridge = stage.make_bridge()
    stage.turn(bridge, 2)
    assert client.delete(f"/v1/topologies/{stage.topology}/policy").status_code == 204
    assert stage.turn(bridge, 2) == ["not-judged", "nothing-to-do"]


def test_a_step_up_is_applied_and_proved_and_then_nothing_changes(stage: Stage, client: httpx.Client):
    bridge = stage.make_bridge()
    stage.turn(bridge, 3)
    stage.engine.rate = 3900.0
    assert stage.turn(bridge) == ["applied"]
    outcome = client.get(f"/v1/topologies/{stage.topology}/decisions/latest").json()["outcome"]
    assert (outcome["state"], outcome["detail"]) == ("applied", None)
    assert stage.turn(bridge, 5) == ["not-judged", "not-judged", *3 * ["nothing-to-do"]]
    assert stage.engine.asked == [GROWN]
    assert bridge.recorder.waiting == {}
    assert stage.told.find("proved").data["kept"] is True


def test_a_dry_run_says_what_it_would_ask_for_and_asks_nothing(stage: Stage, client: httpx.Client):
    bridge = stage.make_bridge(apply=False)
    stage.engine.rate = 3900.0
    assert stage.turn(bridge, 3) == ["not-judged", "wanted", "wanted"]
    assert stage.engine.asked == []
    wanted = stage.told.find("wanted").text
    assert "PUT /jobs/137fb1cad48a7720f2976c548dfbb1bd/resource-requirements" in wanted
    outcome = client.get(f"/v1/topologies/{stage.topology}/decisions/latest").json()["outcome"]
    assert outcome["state"] == "refused", "no cooldown begins"


def test_a_step_down_is_applied_and_proved(stage: Stage):
    stage.engine.running |= {"parse": 20, "score": 20}
    bridge = stage.make_bridge()
    assert stage.turn(bridge, 5) == ["not-judged", "applied", "not-judged", "not-judged", "nothing-to-do"]
    assert stage.engine.running["parse"] < 20
    assert stage.told.find("proved").data["kept"] is True


def test_growth_is_limited_and_goes_on_after_it_was_proved_without_a_cooldown(stage: Stage):
    stage.engine.rate = 10_000.0
    stage.policy = POLICY | {"cooldown_seconds": 3600.0}
    bridge = stage.make_bridge()
    stage.turn(bridge, 6)
    assert [one["parse"] for one in stage.engine.asked] == [8, 14]
    assert "--max-step allows only a part of it at once" in stage.told.events[1].text


def test_what_goes_on_is_decided_once_without_a_cooldown(stage: Stage):
    stage.engine.rate = 10_000.0
    stage.policy = POLICY | {"cooldown_seconds": 3600.0}
    bridge = stage.make_bridge()
    stage.turn(bridge, 3)
    stage.engine.rate = 5000.0  # what runs now is enough
    assert stage.turn(bridge, 2)[-1:] == ["nothing-to-do"]
    stage.engine.rate = 10_000.0
    assert stage.turn(bridge, 2) == 2 * ["nothing-to-do"]
    assert "cooldown" in str(stage.told.find("decided").data["reasons"])


def test_what_got_worse_is_rolled_back_once_and_not_tried_again(stage: Stage, client: httpx.Client):
    stage.engine.rate = 3900.0
    bridge = stage.make_bridge()
    assert stage.turn(bridge, 2) == ["not-judged", "applied"]
    stage.engine.service_seconds["parse"] = 0.002
    assert stage.turn(bridge, 4) == [*3 * ["not-judged"], "applied"]
    assert "the next one decides" in stage.told.find("waiting").text
    assert [one["parse"] for one in stage.engine.asked] == [6, 4]
    assert stage.turn(bridge, 6) == ["not-judged", "not-judged", *4 * ["wanted"]]
    assert len(stage.engine.asked) == 2
    assert "worse" in stage.told.find("refused").text
    assert stage.turn(stage.make_bridge(), 2) == ["not-judged", "wanted"], "nor by the next start"
    decision = str(stage.told.find("rolled-back").data["decision"])
    outcome = client.get(f"/v1/decisions/{decision}").json()["outcome"]
    assert outcome["state"] == "rolled-back"
    assert outcome["processors"] == {"parse": 4, "score": 4, "Sink: out": 1}


def test_a_roll_back_that_does_not_run_is_told_and_stays_the_outcome(stage: Stage, client: httpx.Client):
    stage.engine.rate = 3900.0
    bridge = stage.make_bridge(settle_seconds=30.0)
    stage.turn(bridge, 2)
    stage.engine.service_seconds["parse"], stage.engine.is_rescaling_at_once = 0.002, False
    stage.turn(bridge, 7)
    decision = str(stage.told.find("failed").data["decision"])
    assert client.get(f"/v1/decisions/{decision}").json()["outcome"]["state"] == "rolled-back"
    assert "note" not in stage.told.list_kinds()


def test_a_worse_time_under_another_load_is_no_reason_to_roll_back(stage: Stage):
    stage.engine.rate = 3900.0
    bridge = stage.make_bridge()
    stage.turn(bridge, 2)
    stage.engine.rate = 5800.0
    stage.turn(bridge, 3)
    assert "not comparable" in stage.told.find("proved").text
    assert [one["parse"] for one in stage.engine.asked] == [6, 8]


def test_metrics_that_stand_still_are_never_acted_on(stage: Stage):
    bridge = stage.make_bridge()
    stage.turn(bridge, 2)
    stage.engine.rate, stage.engine.is_fetching = 3900.0, False
    assert stage.turn(bridge, 3) == 3 * ["not-judged"]
    assert stage.told.list_kinds()[2:] == ["not-judged"], "told once"
    stage.engine.is_fetching = True
    assert stage.turn(bridge) == ["applied"]


def test_a_rescale_by_somebody_else_is_followed_and_its_first_interval_does_not_count(stage: Stage):
    bridge = stage.make_bridge()
    stage.turn(bridge, 2)
    stage.engine.rescale({"parse": 5})
    assert stage.turn(bridge, 3) == ["not-judged", "not-judged", "nothing-to-do"]
    said = [event.text for event in stage.told.events if event.kind == "discarded"]
    assert "other than this bridge" in said[0]
    assert "first interval after a rescale" in said[1]


def test_a_job_that_was_started_again_is_followed_by_its_name(stage: Stage):
    bridge = stage.make_bridge()
    stage.engine.rate = 3900.0
    stage.turn(bridge, 2)
    stage.engine.running |= {"parse": 4, "score": 4}
    stage.engine.restart("a" * 32)
    assert stage.turn(bridge, 3) == ["not-judged", "not-judged", "applied"]
    assert "restarted" in stage.told.find("failed").text
    assert stage.engine.asked[-1]["parse"] == 6


def test_a_start_proves_what_was_applied_before_the_last_end(stage: Stage, client: httpx.Client):
    stage.engine.rate = 3900.0
    killed = stage.make_bridge()
    assert stage.turn(killed, 2) == ["not-judged", "applied"]
    assert stage.turn(stage.make_bridge(), 3) == ["not-judged", "nothing-to-do", "nothing-to-do"]
    assert "not measured yet: parse 6" in stage.told.find("runs").text
    proved = stage.told.find("proved")
    assert proved.data["kept"] is True
    outcome = client.get(f"/v1/decisions/{proved.data['decision']}").json()["outcome"]
    assert (outcome["state"], outcome["detail"]) == ("applied", proved.text)


def test_a_start_proves_what_was_applied_and_never_recorded(stage: Stage, client: httpx.Client):
    stage.engine.rate = 3900.0
    stage.turn(stage.make_bridge(apply=False), 1)
    stage.turn(stage.make_bridge(apply=False), 2)
    at = f"/v1/topologies/{stage.topology}/decisions"
    decided = client.post(at, json={}).json()
    stage.engine.rescale(decided["processors"]["recommended"])
    assert stage.turn(stage.make_bridge(), 3)[-1:] == ["nothing-to-do"]
    assert stage.told.find("proved").data["decision"] == decided["id"]


def test_a_start_decides_anew_about_what_was_decided_and_never_applied(stage: Stage, client: httpx.Client):
    stage.engine.rate = 3900.0
    stage.turn(stage.make_bridge(apply=False), 2)
    client.post(f"/v1/topologies/{stage.topology}/decisions", json={})
    assert stage.turn(stage.make_bridge(), 2) == ["not-judged", "applied"]
    assert [one["parse"] for one in stage.engine.asked] == [6]


def test_a_gap_that_is_too_long_is_no_interval(stage: Stage):
    bridge = stage.make_bridge()
    stage.turn(bridge, 2)
    bridge.before = [one._replace(at=one.at and one.at - timedelta(seconds=100)) for one in bridge.before]
    assert stage.turn(bridge, 2) == ["not-judged", "nothing-to-do"]
