"""What becomes of a wish: never below 1, never above the largest step, never on what does not count."""

from hypothesis import given
from hypothesis import strategies as st

from app.bridge.state_machine import begin, choose, find_distrust, is_same_load, limit_step
from app.bridge.states import BridgeState, Change, Distrust, Observation, Sojourn, Terms, Wish

NAMES = ("parse", "score", "out")
RUNNING = st.fixed_dictionaries(dict.fromkeys(NAMES, st.integers(1, 1000)))
WANTED = st.dictionaries(st.sampled_from([*NAMES, "stranger"]), st.integers(-5, 10**6))
APPLIES = Terms(apply=True, max_step=2.0)
STATE = BridgeState("a", {"parse": 4})


def see(running: dict[str, int], **named: object) -> Observation:
    return Observation(100.0, "a", running, 100.0)._replace(**named)  # type: ignore[arg-type]


@given(RUNNING, WANTED, st.floats(1.0, 10.0))
def test_a_step_stays_within_1_and_the_largest_step_and_goes_towards_what_is_wanted(
    running: dict[str, int], wanted: dict[str, int], step: float
):
    counts = limit_step(running, wanted, step)
    assert set(counts) == set(running)
    for name, count in counts.items():
        assert 1 <= count <= max(running[name] + 1, step * running[name])
        aim = max(1, wanted.get(name, running[name]))
        assert min(aim, running[name]) <= count <= max(aim, running[name])


def test_one_more_is_always_allowed_so_that_small_operators_can_grow():
    assert limit_step({"parse": 1}, {"parse": 9}, 1.5) == {"parse": 2}
    assert limit_step({"parse": 4}, {"parse": 9}, 2.0) == {"parse": 8}
    assert limit_step({"parse": 8}, {"parse": 1}, 2.0) == {"parse": 1}, "giving up is not limited"


def test_a_hold_holds_and_a_dry_run_shows():
    running = {"parse": 4}
    wish = Wish("scale_up", running, {"parse": 6})
    assert choose(STATE, wish._replace(action="hold"), see(running), APPLIES).next == "hold"
    assert choose(STATE, wish, see(running), APPLIES._replace(apply=False)).next == "show"
    chosen = choose(STATE, wish, see(running), APPLIES)
    assert (chosen.next, chosen.counts, chosen.why) == ("apply", {"parse": 6}, "")


def test_a_limited_step_says_what_was_recommended():
    chosen = choose(STATE, Wish("scale_up", {"parse": 4}, {"parse": 20}), see({"parse": 4}), APPLIES)
    assert chosen.counts == {"parse": 8}
    assert chosen.why == "the decision recommends parse 20; --max-step allows only a part of it at once"


def test_what_does_not_count_is_refused_with_its_reason():
    running = {"parse": 4}
    wish = Wish("scale_up", running, {"parse": 6})
    change = Change("d", "scale_up", running, running, 1.0, Sojourn(), None, 0.0, "mmk")
    cases = [
        (STATE, see(running, flaw="the metrics stand still"), wish, "stand still"),
        (STATE._replace(discard=1), see(running), wish, "first after a rescale"),
        (STATE._replace(change=change), see(running), wish, "not measured yet"),
        (STATE, see({"parse": 5}), wish, "other processors"),
    ]
    for state, seen, asked, why in cases:
        chosen = choose(state, asked, seen, APPLIES)
        assert chosen.next == "refuse"
        assert why in chosen.why


def test_what_did_not_help_is_not_tried_again_until_the_load_differs_or_an_hour_has_passed():
    distrust = Distrust("scale_down", {"parse": 3}, 100.0, 0.0, "E[T] got worse")
    state, running = STATE._replace(distrust=distrust), {"parse": 4}
    down, up = Wish("scale_down", running, {"parse": 2}), Wish("scale_up", running, {"parse": 6})
    assert choose(state, down, see(running), APPLIES).next == "refuse"
    assert choose(state, up, see(running), APPLIES).next == "apply"
    assert choose(state, down, see(running, rate=150.0), APPLIES).next == "apply"
    assert find_distrust(state, see(running, at=3601.0)) is None


def test_a_new_change_begins_without_distrust_and_a_roll_back_keeps_it():
    distrust = Distrust("scale_down", {"parse": 3}, 100.0, 0.0, "worse")
    change = Change("d", "scale_up", {}, {}, 1.0, Sojourn(), None, 0.0, "mmk")
    state = STATE._replace(distrust=distrust)
    assert begin(state, change).distrust is None
    assert begin(state, change._replace(is_rollback=True)).distrust == distrust


@given(st.floats(0.0, 1e9), st.floats(0.0, 1e9))
def test_loads_are_the_same_both_ways(rate: float, other: float):
    assert is_same_load(rate, other) == is_same_load(other, rate)
    assert is_same_load(rate, rate)
