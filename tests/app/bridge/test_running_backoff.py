"""Waits that grow."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from app.bridge.running import LONGEST_SECONDS, Backoff


@given(st.floats(0.1, 3600.0), st.integers(0, 100), st.integers())
def test_waits_grow_up_to_a_longest_one_and_begin_anew(interval: float, failures: int, seed: int):
    backoff = Backoff(interval, Random(seed))
    waits = [backoff.find_wait() for _ in range(failures + 1)]
    for place, wait in enumerate(waits):
        whole = min(backoff.longest, backoff.first * 2.0**place)
        assert whole / 2 <= wait <= whole <= max(LONGEST_SECONDS, 1.0)
    backoff.reset()
    assert backoff.find_wait() <= backoff.first


def test_two_bridges_do_not_ask_at_the_same_times():
    assert Backoff(15.0, Random(1)).find_wait() != Backoff(15.0, Random(2)).find_wait()
