"""How a bridge runs: until it is asked to end, or once."""

import pytest

from app.bridge.running import describe_end, run_once, run_until_stopped
from app.bridge.states import BridgeState
from app.bridge.stopping import Stop, Stopped
from tests.app.bridge.bridges import INTERVAL_SECONDS, Stage
from tests.app.bridge.test_state_machine_machine import make_change


class Hurried(Stop):
    """A stop that waits for nobody: instead of time, the engine's clock passes; it ends after so many waits."""

    def __init__(self, stage: Stage, most: int = 99) -> None:
        super().__init__()
        self.stage, self.left, self.waits = stage, most, list[float]()

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.stage.clock.now += 15.0
        self.left -= 1
        if self.left == 0:
            raise Stopped


def test_a_flat_load_is_fine_at_once(stage: Stage):
    stop = Hurried(stage)
    assert run_once(stage.make_bridge(), stop) == 0
    assert len(stop.waits) == 1, "two looks, one interval apart"
    stop.close()


def test_who_does_not_answer_and_what_has_no_policy_is_not_judged(stage: Stage):
    stop = Hurried(stage)
    stage.policy = None
    assert run_once(stage.make_bridge(), stop) == 2
    assert stage.told.events[-1].data["code"] == "no-policy"
    bridge = stage.make_bridge()
    bridge.engine.client.base_url = bridge.engine.client.base_url.join("/nothing/")
    assert run_once(bridge, stop) == 2
    assert "answers 404" in stage.told.events[-1].text
    stop.close()


def test_metrics_that_stand_still_are_not_judged(stage: Stage):
    stop = Hurried(stage)
    bridge = stage.make_bridge()
    stage.engine.get("/overview")
    stage.engine.is_fetching = False
    assert run_once(bridge, stop) == 2
    assert "did not change" in stage.told.events[-1].text
    assert stage.engine.asked == []
    stop.close()


def test_once_goes_on_for_a_little_where_the_first_interval_does_not_count(stage: Stage):
    class Rescued(Hurried):
        """Metrics that stand still until the second wait."""

        def wait(self, seconds: float) -> None:
            super().wait(seconds)
            self.stage.engine.is_fetching = len(self.waits) > 1

    stop = Rescued(stage)
    bridge = stage.make_bridge()
    stage.engine.get("/overview")
    stage.engine.is_fetching = False
    assert run_once(bridge, stop) == 0
    assert len(stop.waits) == 2
    stop.close()


def test_a_change_that_does_not_run_in_time_ends_with_1(stage: Stage):
    stage.engine.rate, stage.engine.is_rescaling_at_once = 3900.0, False
    stop = Hurried(stage)
    assert run_once(stage.make_bridge(settle_seconds=0.0), stop) == 1
    assert len(stage.engine.asked) == 1
    assert "slots" in stage.told.find("failed").text
    stop.close()


def test_more_than_the_slots_runs_fewer_which_is_said(stage: Stage):
    stage.engine.rate, stage.engine.slots = 3900.0, 5
    stop = Hurried(stage)
    assert run_once(stage.make_bridge(settle_seconds=0.0), stop) == 1
    assert stage.engine.running["parse"] == 5
    assert "does not run it: parse 6, score 6" in stage.told.find("failed").text
    stop.close()


def test_who_is_away_is_asked_again_after_growing_waits(stage: Stage):
    bridge = stage.make_bridge()
    bridge.engine.client.base_url = bridge.engine.client.base_url.join("/nothing/")
    stop = Hurried(stage, most=6)
    assert run_until_stopped(bridge, stop) == 0
    for place, wait in enumerate(stop.waits[:4]):
        assert 2.0**place / 2 <= wait <= 2.0**place
    assert stage.told.list_kinds() == ["away", "ended"]
    stop.close()


def test_sources_are_looked_at_each_second_between_two_samples(stage: Stage):
    class Seconds(Hurried):
        """The engine's clock passes as long as each wait takes; its source emits a burst in every fourth."""

        def wait(self, seconds: float) -> None:
            self.stage.engine.rate = 5000.0 if len(self.waits) % 4 == 0 else 1000.0
            self.stage.clock.now += 1.0 - INTERVAL_SECONDS
            super().wait(seconds)

    stage.engine.shows_source = True
    stop = Seconds(stage, most=31)
    assert run_until_stopped(stage.make_bridge(), stop) == 0
    client = stage.open(stage.service_url)
    (*_, stored) = client.get(f"/v1/topologies/{stage.topology}/snapshots").json()["items"]
    counted = [one["tuples"] for one in stored["external_counts"]]
    assert len(counted) == 14  # the numbers of the last look but one come with the sample, a second later
    assert sorted(counted)[-4] == pytest.approx(5000.0, rel=0.1)
    assert sum(counted) == pytest.approx(stored["external_rate"] * stored["window_seconds"], rel=0.1)
    stop.close()


def test_an_end_says_what_is_left(stage: Stage):
    assert "no change" in describe_end(None)
    change = make_change({"parse": 8})
    assert "next start" in describe_end(BridgeState("a", {}, change=change))
    bridge = stage.make_bridge()
    stop = Hurried(stage, most=1)
    assert run_once(bridge, stop) == 2
    assert stage.told.events[-1].kind == "ended"
    stop.close()


def test_a_service_that_goes_away_is_told_once_and_asked_again(stage: Stage):
    class Outage(Hurried):
        """The service goes away at the third wait, and is back at the fifth."""

        def wait(self, seconds: float) -> None:
            super().wait(seconds)
            if self.left in {6, 4}:
                bridge.service.client.base_url = bridge.service.client.base_url.copy_with(
                    port=1 if self.left == 6 else port
                )

    bridge = stage.make_bridge()
    port = bridge.service.client.base_url.port
    stop = Outage(stage, most=9)
    assert run_until_stopped(bridge, stop) == 0
    assert stage.told.list_kinds() == [
        "not-judged", "decided", "decided", "away", "back", "decided", "decided", "decided", "decided", "ended",
    ]  # fmt: skip
    away = stage.told.find("away").text
    assert away.startswith("the service does not answer")
    assert away.endswith("; the bridge asks again until the service answers")
    stop.close()
