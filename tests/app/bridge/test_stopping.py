"""A wait ends at once when the bridge is asked to end."""

import os
import signal

import pytest

from app.bridge.stopping import Stop, Stopped, stopping_on_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_both_signals_end_a_wait_that_would_be_long_and_all_that_follow(number: signal.Signals):
    before = signal.getsignal(number)
    with stopping_on_signals() as stop:
        stop.check()
        os.kill(os.getpid(), number)
        for _ in range(2):
            with pytest.raises(Stopped):
                stop.wait(3600.0)
        with pytest.raises(Stopped):
            stop.check()
    assert signal.getsignal(number) is before


def test_a_signal_ends_a_reading_request_at_once_and_no_other_one():
    with stopping_on_signals() as stop:
        with pytest.raises(Stopped), stop.reading():
            os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)  # outside of a reading request nothing is raised
        with pytest.raises(Stopped):
            stop.reading().__enter__()


def test_a_wait_of_no_time_ends():
    stop = Stop()
    stop.wait(-1.0)
    stop.close()


def test_a_flood_of_signals_is_no_error():
    stop = Stop()
    for _ in range(70_000):  # more than a pipe holds
        stop.ask()
    stop.close()
