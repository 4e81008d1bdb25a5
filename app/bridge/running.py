"""Runs a bridge: until it is asked to end, or once."""

from random import Random
from time import monotonic

from app.bridge.asking import Unanswered
from app.bridge.backoff import Backoff
from app.bridge.loop import Bridge, Result
from app.bridge.states import BridgeState
from app.bridge.stopping import Stop, Stopped

NOTHING_TO_DO, WANTED, NOT_JUDGED = 0, 1, 2
MOST_INTERVALS = 3


def run_until_stopped(bridge: Bridge, stop: Stop) -> int:
    """One turn each interval; who does not answer is asked again after growing waits."""
    interval = bridge.plan.interval_seconds
    backoff = Backoff(interval, Random())  # noqa: S311 -- spreads bridges over time
    try:
        while True:
            began = monotonic()
            try:
                bridge.turn()
                backoff.reset()
                wait = interval - (monotonic() - began)
            except Unanswered as error:
                bridge.teller.conditions.hold(error.who, str(error))
                wait = backoff.find_wait()
            stop.wait(wait)
    except Stopped:
        bridge.teller.tell("ended", describe_end(bridge.state))
        return NOTHING_TO_DO


def describe_end(state: BridgeState | None) -> str:
    """What a bridge leaves behind."""
    if state is None or state.change is None:
        return "nothing is under way"
    return "the last change is not proved yet; the next start proves it"


def run_once(bridge: Bridge, stop: Stop) -> int:
    """Two looks, one interval apart, and one decision; a change that is applied is waited for until it runs.

    More intervals follow where the first one does not count: after a rescale, or where the metrics stood still.
    """
    interval = bridge.plan.interval_seconds
    result: Result = "not-judged"
    try:
        bridge.turn()
        for _ in range(MOST_INTERVALS):
            stop.wait(interval)
            result = bridge.turn()
            if result != "not-judged":
                break
        while is_under_way(bridge.state):
            stop.wait(interval)
            result = "wanted"
            bridge.turn()
    except Unanswered as error:
        bridge.teller.conditions.hold(error.who, str(error))
        return NOT_JUDGED
    except Stopped:
        bridge.teller.tell("ended", describe_end(bridge.state))
        return NOT_JUDGED
    if bridge.state is not None and bridge.state.is_running:
        return NOTHING_TO_DO
    return {"nothing-to-do": NOTHING_TO_DO, "wanted": WANTED, "applied": WANTED}.get(result, NOT_JUDGED)


def is_under_way(state: BridgeState | None) -> bool:
    """Whether the engine was asked for a change that it does not run yet."""
    return state is not None and state.change is not None and not state.is_running
