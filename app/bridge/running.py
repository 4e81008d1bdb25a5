"""Runs a bridge once, or until it is asked to end, with growing waits after failures."""

from math import ceil
from random import Random
from time import monotonic

from app.bridge.http_clients import Unanswered
from app.bridge.loop import Bridge, Result
from app.bridge.states import BridgeState
from app.bridge.stopping import Stop, Stopped

LONGEST_SECONDS = 60.0
NOTHING_TO_DO, WANTED, NOT_JUDGED = 0, 1, 2
MOST_INTERVALS = 3
LOOK_SECONDS = 1.0


class Backoff:
    """Waits of 1, 2, 4, ... s after failures, shortened at random by up to half, so that bridges do not ask
    all at once.
    """

    def __init__(self, interval_seconds: float, random: Random) -> None:
        self.first = min(1.0, interval_seconds)
        self.longest = max(self.first, min(LONGEST_SECONDS, 4.0 * interval_seconds))
        self.random, self.failures = random, 0

    def find_wait(self) -> float:
        """The next wait in seconds, which is longer than the one before."""
        # 2**64 s are longer than any longest wait; larger powers would overflow.
        wait = min(self.longest, self.first * 2.0 ** min(self.failures, 64))
        self.failures += 1
        return wait * self.random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """Makes the next wait the shortest one, after a success."""
        self.failures = 0


def run_until_stopped(bridge: Bridge, stop: Stop) -> int:
    """Does one turn of the bridge in each interval until `stop`; after a failure it tries again with growing waits."""
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
                again = f"the bridge asks again until the {error.who} answers"
                bridge.reporter.report_away(error.who, f"{error}; {again}")
                wait = backoff.find_wait()
            if bridge.list_looks():
                wait_and_look(bridge, stop, wait)
            else:
                stop.wait(wait)
    except Stopped:
        bridge.reporter.report("ended", describe_end(bridge.state))
        return NOTHING_TO_DO


def wait_and_look(bridge: Bridge, stop: Stop, seconds: float) -> None:
    """Waits for a time; each second within it the bridge looks at the counters of sources."""
    end = monotonic() + seconds
    for place in range(1, ceil(seconds / LOOK_SECONDS)):
        stop.wait(end - seconds + place * LOOK_SECONDS - monotonic())
        bridge.look()
    stop.wait(end - monotonic())


def describe_end(state: BridgeState | None) -> str:
    """A sentence that tells whether a change is under way, whose effect an ending bridge leaves unmeasured."""
    if state is None or state.change is None:
        return "no change is under way"
    return "the effect of the last change is not measured yet; the next start of the bridge measures it"


def run_once(bridge: Bridge, stop: Stop) -> int:
    """Takes two samples, one interval apart, and asks for one decision; waits until an applied change runs.

    More intervals follow if the first one is unusable, because of a rescale or because the metrics did not change.
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
        while bridge.state is not None and bridge.state.change is not None and not bridge.state.is_running:
            stop.wait(interval)
            result = "wanted"
            bridge.turn()
    except Unanswered as error:
        bridge.reporter.report_away(error.who, str(error))
        return NOT_JUDGED
    except Stopped:
        bridge.reporter.report("ended", describe_end(bridge.state))
        return NOT_JUDGED
    if bridge.state is not None and bridge.state.is_running:
        return NOTHING_TO_DO
    return {"nothing-to-do": NOTHING_TO_DO, "wanted": WANTED, "applied": WANTED}.get(result, NOT_JUDGED)
