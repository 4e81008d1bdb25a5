"""The state machine: whatever happens, there is one change at a time, and none on a sample with a flaw."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from app.bridge.state_machine import adopt, advance, begin, choose, prove
from app.bridge.states import BridgeState, Change, Observation, Sojourn, Terms, Wish

NAMES = ("parse", "score")
TERMS = Terms(apply=True, max_step=2.0, settle_seconds=60.0)
COUNTS = st.fixed_dictionaries(dict.fromkeys(NAMES, st.integers(1, 40)))


def make_change(asked: dict[str, int], asked_at: float = 0.0) -> Change:
    before = dict.fromkeys(NAMES, 4)
    return Change("d", "scale_up", before, asked, 100.0, Sojourn(None, 0.2), 0.1, asked_at, "ggk-whitt")


def see(running: dict[str, int], at: float = 15.0, flaw: str | None = None, run: str = "a") -> Observation:
    return Observation(at, run, running, 100.0, flaw)


class Happening(NamedTuple):
    """What the world does before a look, and what the service would want then."""

    flaw: str | None
    somebody: dict[str, int] | None
    restarts: bool
    runs_what_was_asked: bool
    wanted: dict[str, int]
    after: float
    rate: float


HAPPENINGS = st.builds(
    Happening,
    st.none() | st.just("the metrics stand still"),
    st.none() | st.none() | st.none() | COUNTS,
    st.sampled_from([False, False, False, False, True]),
    st.booleans(),
    COUNTS,
    st.sampled_from([0.05, 0.1, 0.5, float("inf")]),
    st.sampled_from([100.0, 100.0, 200.0]),
)


class World:
    """An engine, as far as the machine sees it, and a count of what was applied and ended."""

    def __init__(self) -> None:
        self.state, self.running = BridgeState(), dict.fromkeys(NAMES, 4)
        self.asked: dict[str, int] | None = None
        self.runs, self.applied, self.ended, self.quiet = 0, 0, 0, 99

    def live(self, step: int, now: Happening) -> None:
        """One interval, and what a bridge does after it."""
        before = (self.running, self.runs)
        self.change(now)
        if self.state.run is not None:  # nobody knows what was before the first look
            self.quiet = 0 if before != (self.running, self.runs) else self.quiet + 1
        seen = Observation(15.0 * step, f"run {self.runs}", dict(self.running), now.rate, now.flaw)
        had = self.state.change
        self.state, found = advance(self.state, seen, TERMS)
        self.ended += had is not None and self.state.change is None
        if found.next == "prove":
            assert now.flaw is None
            self.state, proof = prove(self.state, seen, Sojourn(None, now.after))
            self.ended += not proof.is_open
            if proof.roll_back is not None:
                assert had is not None
                assert not had.is_rollback, "one roll-back is never followed by another one"
                self.apply(seen, dict(proof.roll_back), is_rollback=True)
        elif found.next == "decide":
            self.decide(seen, now)

    def change(self, now: Happening) -> None:
        """What the engine, and others, do."""
        if now.runs_what_was_asked and self.asked is not None:
            self.running, self.asked = self.asked, None
        if now.somebody is not None:
            self.running = now.somebody
        self.runs += now.restarts

    def decide(self, seen: Observation, now: Happening) -> None:
        """A decision that wants whatever it wants."""
        chosen = choose(self.state, Wish("scale_up", seen.running, now.wanted), seen, TERMS)
        if chosen.next != "apply":
            return
        assert now.flaw is None
        assert self.quiet >= 2, "the first interval after a rescale does not count"
        for name, count in chosen.counts.items():
            assert 1 <= count <= max(self.running[name] + 1, 2 * self.running[name])
        self.apply(seen, dict(chosen.counts), is_rollback=False)

    def apply(self, seen: Observation, counts: dict[str, int], *, is_rollback: bool) -> None:
        assert self.state.change is None
        assert self.applied == self.ended, "one change at a time"
        self.asked = counts
        self.applied += 1
        change = make_change(counts, seen.at)._replace(
            before=dict(seen.running), rate=seen.rate or 0.0, is_rollback=is_rollback
        )
        self.state = begin(self.state, change)


@given(st.lists(HAPPENINGS, min_size=1, max_size=40))
def test_whatever_happens_there_is_one_change_at_a_time_and_none_on_what_does_not_count(
    happenings: list[Happening],
):
    world = World()
    for step, now in enumerate(happenings):
        world.live(step, now)


def test_a_first_look_decides_at_once_where_it_has_no_flaw():
    state, found = advance(BridgeState(), see({"parse": 4}), TERMS)
    assert found.next == "decide"
    assert state.running == {"parse": 4}


def test_a_flaw_is_skipped_with_its_reason():
    state, found = advance(BridgeState(), see({"parse": 4}, flaw="the metrics stand still"), TERMS)
    assert (found.next, found.why) == ("skip", "the metrics stand still")
    assert advance(state, see({}), TERMS)[1].next == "skip", "what runs is not known"


def test_a_rescale_by_somebody_else_costs_two_intervals():
    state, _ = advance(BridgeState(), see({"parse": 4}), TERMS)
    state, found = advance(state, see({"parse": 5}), TERMS)
    assert found.next == "discard"
    assert "other than this bridge" in found.why
    state, found = advance(state, see({"parse": 5}), TERMS)
    assert found.next == "discard"
    assert advance(state, see({"parse": 5}), TERMS)[1].next == "decide"


def test_a_flaw_does_not_use_up_the_interval_that_is_discarded():
    state, _ = advance(BridgeState(), see({"parse": 4}), TERMS)
    state, _ = advance(state, see({"parse": 5}), TERMS)
    state, found = advance(state, see({"parse": 5}, flaw="stale"), TERMS)
    assert found.next == "skip"
    assert advance(state, see({"parse": 5}), TERMS)[1].next == "discard"


def test_a_window_that_began_before_a_rescale_does_not_count():
    state, _ = advance(BridgeState(), see({"parse": 4}, at=0.0), TERMS)
    state, _ = advance(state, see({"parse": 5}, at=100.0), TERMS)
    steps = []
    for at in (400.0, 700.0, 1000.0):
        state, found = advance(state, see({"parse": 5}, at=at)._replace(window_seconds=600.0), TERMS)
        steps.append((found.next, "over 10 min" in found.why))
    assert steps == [("discard", True), ("discard", False), ("decide", False)]


def test_an_operator_that_comes_into_sight_is_no_rescale():
    state, _ = advance(BridgeState(), see({"parse": 4}), TERMS)
    assert advance(state, see({"parse": 4, "out": 1}), TERMS)[1].next == "decide"


def test_a_new_run_ends_what_was_under_way():
    change = make_change({"parse": 8, "score": 4})
    state = begin(adopt(see({"parse": 4, "score": 4}), None, 15.0), change)
    state, found = advance(state, see({"parse": 4, "score": 4}, run="b"), TERMS)
    assert (found.next, found.ended) == ("discard", change)
    assert state.change is None


def test_a_change_that_runs_is_proved_by_the_second_interval_after_it():
    asked = {"parse": 8, "score": 4}
    state = begin(adopt(see({"parse": 4, "score": 4}), None, 15.0), make_change(asked))
    state, found = advance(state, see({"parse": 4, "score": 4}), TERMS)
    assert found.next == "wait"
    steps = []
    for _ in range(3):
        state, found = advance(state, see(asked), TERMS)
        steps.append(found.next)
    assert steps == ["discard", "discard", "prove"]


def test_what_never_runs_is_given_up_and_not_asked_again_under_the_same_load():
    asked, running = {"parse": 8, "score": 4}, {"parse": 4, "score": 4}
    state = begin(adopt(see(running), None, 15.0), make_change(asked))
    state, found = advance(state, see(running, at=TERMS.settle_seconds), TERMS)
    assert found.next == "give-up"
    assert "slots" in found.why
    wish = Wish("scale_up", running, asked)
    assert choose(state, wish, see(running, at=90.0), TERMS).next == "refuse"
    assert choose(state, wish, see(running, at=90.0)._replace(rate=200.0), TERMS).next == "apply"
    assert choose(state, wish, see(running, at=700.0), TERMS).next == "apply", "after ten minutes"


def test_somebody_else_between_a_change_and_its_proof_ends_it():
    asked = {"parse": 8, "score": 4}
    state = begin(adopt(see({"parse": 4, "score": 4}), None, 15.0), make_change(asked))
    state, _ = advance(state, see(asked), TERMS)
    state, found = advance(state, see({"parse": 9, "score": 4}), TERMS)
    assert found.ended is not None
    assert state.change is None


def test_a_start_goes_on_with_a_change_that_runs_and_forgets_one_that_does_not():
    asked = {"parse": 8, "score": 4}
    change = make_change(asked, asked_at=10.0)
    found = adopt(see(asked, at=15.0), change, 15.0)
    assert (found.change, found.is_running, found.discard) == (change, True, 1)
    assert adopt(see(asked, at=60.0), change, 15.0).discard == 0, "the rescale is long over"
    assert adopt(see(asked, at=9000.0), change, 15.0).change is None, "too long ago"
    assert adopt(see({"parse": 4, "score": 4}), change, 15.0).change is None


def test_the_first_interval_after_a_restart_of_the_same_run_does_not_count():
    running = dict.fromkeys(NAMES, 4)
    state, _ = advance(BridgeState(), see(running, 15.0), TERMS)
    restarted = see(running, 30.0, flaw="the job was started anew")._replace(is_restarted=True)
    state, found = advance(state, restarted, TERMS)
    assert found.next == "discard"
    state, found = advance(state, see(running, 45.0), TERMS)
    assert found.next == "discard"
    assert advance(state, see(running, 60.0), TERMS)[1].next == "decide"
