"""A look at an engine: what runs, and why an interval must not be acted on."""

from datetime import UTC, datetime

import pytest

from app.bridge.engine_link import list_leaves, observe
from app.engines.answers import EngineAnswer, UnreadableAnswer
from app.engines.flink.asking import ask
from tests.app.bridge.bridges import HandClock
from tests.app.bridge.flink_stand_in import FlinkStandIn


class Asks:
    """Asks a stand-in without HTTP."""

    def __init__(self, engine: FlinkStandIn) -> None:
        self.engine = engine

    def get(self, path: str) -> EngineAnswer:
        return EngineAnswer(self.engine.get(path.partition("?")[0]), path, datetime.now(UTC))

    def take_sample(self) -> list[EngineAnswer]:
        return ask(self, "network")


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def engine(clock: HandClock) -> FlinkStandIn:
    found = FlinkStandIn(clock)
    clock.now += 60.0
    return found


def test_two_looks_make_an_interval(engine: FlinkStandIn, clock: HandClock):
    first = Asks(engine).take_sample()
    alone = observe("flink", [], first)
    assert alone.observation.flaw == "this is the first sample, and rates need two"
    assert alone.observation.running == {"parse": 4, "score": 4, "Sink: out": 1}
    clock.now += 15.0
    both = observe("flink", first, Asks(engine).take_sample())
    assert both.observation.flaw is None
    assert both.observation.rate == pytest.approx(2000.0)
    assert both.observation.run == engine.job
    end = both.ends_at
    assert end is not None
    assert end.timestamp() == pytest.approx(clock.now, abs=0.1)


def test_the_same_counters_twice_are_stale_though_the_clock_moves(engine: FlinkStandIn, clock: HandClock):
    first = Asks(engine).take_sample()
    engine.is_fetching = False
    clock.now += 15.0
    both = observe("flink", first, Asks(engine).take_sample())
    assert both.is_early
    assert both.observation.flaw == "the engine gave the same answer twice: its metrics did not change"


def test_an_interval_that_ends_no_later_than_the_last_one_is_stale(engine: FlinkStandIn, clock: HandClock):
    first = Asks(engine).take_sample()
    clock.now += 15.0
    second = Asks(engine).take_sample()
    end = observe("flink", first, second).ends_at
    flaw = observe("flink", first, second, end).observation.flaw
    assert flaw == "the engine's clock does not advance: its metrics did not change"


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (20 * 3600.0, "ends 20 h ahead of this machine's clock"),
        (-20 * 3600.0, "ended 20 h ago by this machine's clock"),
        (120.0, None),
        (-120.0, None),
    ],
)
def test_an_interval_far_from_the_time_of_its_answers_is_not_acted_on(seconds: float, says: str | None):
    clock = HandClock()
    clock.now += seconds
    engine = FlinkStandIn(clock)
    clock.now += 60.0
    first = Asks(engine).take_sample()
    clock.now += 15.0
    flaw = observe("flink", first, Asks(engine).take_sample()).observation.flaw
    assert flaw is None if says is None else flaw is not None and says in flaw


def test_a_rescale_shows_what_runs_now_and_has_no_interval(engine: FlinkStandIn, clock: HandClock):
    first = Asks(engine).take_sample()
    engine.rescale({"parse": 7})
    clock.now += 15.0
    both = observe("flink", first, Asks(engine).take_sample())
    assert both.observation.running["parse"] == 7
    assert both.observation.flaw is not None
    assert both.observation.flaw.startswith("no interval could be measured.")


def test_an_earlier_look_that_cannot_be_used_is_left_out(engine: FlinkStandIn):
    now = Asks(engine).take_sample()
    found = observe("flink", [EngineAnswer({"errors": ["not now"]}, at=datetime.now(UTC))], now)
    assert found.observation.running["parse"] == 4


def test_what_is_no_engine_is_unreadable():
    with pytest.raises(UnreadableAnswer):
        observe("flink", [], [EngineAnswer({"hello": "world"})])


def test_leaves_are_numbers_and_texts_without_clocks():
    answer = EngineAnswer({"now": 1, "a": [{"b": 2}, "c"], "timestamps": {"RUNNING": 3}})
    assert list_leaves([answer]) == {(0, "a", 0, "b"): 2, (0, "a", 1): "c"}
