"""A change beside its promise: kept, missed, worse, or not comparable."""

from math import inf

import pytest

from app.bridge.state_machine import prove
from app.bridge.states import BridgeState, Change, Observation, Sojourn

BEFORE, ASKED = {"parse": 4}, {"parse": 6}
UP = Change("d", "scale_up", BEFORE, ASKED, 100.0, Sojourn(None, 0.5), 0.1, 0.0, "ggk-whitt")
SEEN = Observation(60.0, "a", ASKED, 100.0)


def find_proof(change: Change, after: Sojourn, seen: Observation = SEEN, *, is_doubted: bool = True):
    """The proof of the second interval, unless the first is asked for."""
    state = BridgeState("a", ASKED, change=change._replace(is_doubted=is_doubted), is_running=True)
    return prove(state, seen, after)


def test_one_interval_alone_rolls_nothing_back():
    state, proof = find_proof(UP, Sojourn(None, 0.6), is_doubted=False)
    assert (proof.kept, proof.roll_back, proof.is_open) == (None, None, True)
    assert (state.change, state.is_running, state.distrust) == (UP._replace(is_doubted=True), True, None)
    again, worse = prove(state, SEEN, Sojourn(None, 0.6))
    assert (worse.roll_back, again.change) == (BEFORE, None)
    settled, kept = prove(state, SEEN, Sojourn(None, 0.11))
    assert (kept.kept, kept.roll_back, settled.change) == (True, None, None)
    at_once, proof = find_proof(UP, Sojourn(None, 0.11), is_doubted=False)
    assert (proof.kept, proof.is_open, at_once.change) == (True, False, None)


@pytest.mark.parametrize(
    ("before", "after", "kept", "is_rolled_back"),
    [
        (0.5, 0.1, True, False),
        (0.5, 0.114, True, False),
        (0.5, 0.2, False, False),
        (0.5, 0.56, False, False),
        (0.5, 0.6, False, True),
        (0.5, inf, False, True),
        (inf, inf, False, False),
        (inf, 3.0, False, False),
        (0.05, 0.12, False, True),
        (0.05, 0.11, True, False),
    ],
)
def test_worse_than_both_before_and_promise_is_rolled_back(
    *, before: float, after: float, kept: bool, is_rolled_back: bool
):
    state, proof = find_proof(UP._replace(sojourn=Sojourn(None, before)), Sojourn(None, after))
    assert proof.kept is kept
    assert proof.roll_back == (BEFORE if is_rolled_back else None)
    assert state.change is None
    assert (state.distrust is not None) is is_rolled_back


def test_measured_times_are_compared_with_measured_ones():
    change = UP._replace(sojourn=Sojourn(0.2, 0.5))
    _, proof = find_proof(change, Sojourn(0.3, 0.1))
    assert proof.roll_back == BEFORE
    assert "300 ms (measured), was 200 ms" in proof.why
    _, proof = find_proof(change, Sojourn(None, 0.1))
    assert proof.kept


def test_under_another_load_nothing_is_compared():
    _, proof = find_proof(UP, Sojourn(None, 9.0), SEEN._replace(rate=150.0))
    assert (proof.kept, proof.roll_back) == (None, None)
    assert "from 100/s to 150/s" in proof.why
    assert find_proof(UP, Sojourn(None, 9.0), SEEN._replace(rate=None))[1].kept is None


def test_what_is_not_known_is_not_compared():
    assert find_proof(UP, Sojourn())[1].kept is None
    down = UP._replace(promised_seconds=None, action="scale_down")
    assert find_proof(down, Sojourn(None, 9.0))[1].roll_back is None


def test_a_part_of_what_was_decided_must_be_no_worse_than_before():
    part = UP._replace(promised_seconds=None)
    assert find_proof(part, Sojourn(None, 0.55))[0].goes_on
    assert not find_proof(part, Sojourn(None, 0.6))[0].goes_on
    assert not find_proof(UP, Sojourn(None, 0.1))[0].goes_on
    assert find_proof(part, Sojourn(None, 0.55))[1].kept is None
    assert find_proof(part, Sojourn(None, 0.6))[1].roll_back == BEFORE


def test_a_larger_known_error_allows_more():
    assert find_proof(UP._replace(error=0.5), Sojourn(None, 0.6))[1].roll_back is None


def test_a_roll_back_is_not_rolled_back():
    _, proof = find_proof(UP._replace(is_rollback=True), Sojourn(None, inf))
    assert (proof.kept, proof.roll_back) == (None, None)
