"""Requests that compute on the event loop take turns: one in each iteration, so that the loop reads and answers others.

Without turns, an iteration would compute for every connection with a request, and a new connection, also of a health
check, would wait for all of them.

Requests begin in the order of arrival, also in a burst. Where they wait too long for some time, more come than can be
computed. Then the newest begins next, and those that have waited too long are refused: each client has an answer while
it can still use it, or is told to try again.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from app.web.overload.compute_queue import ENDED, NOW
from app.web.problems.errors import WaitedTooLong

LANE = "small"  # in the metrics
# A request has waited too long after this time and this number of turns.
PATIENCE_SECONDS = 0.01
PATIENCE_TURNS = 8
BURST_SECONDS = 0.2  # requests may wait too long for this time
CALM_SECONDS = 1.0  # an overload ends when no request was refused for this time
# A refused client may send its request again at once, and a refusal costs a sixth of a plan of ten operators. So
# refusals have a pace as well: otherwise they would take most of the time. What has waited for long is refused faster.
REFUSED_IN_A_TURN = 1
LONG_SECONDS = 1.0
MOST_REFUSED_IN_A_TURN = 16
RETRY_AFTER_SECONDS = 1


@dataclass(eq=False)
class _Place:
    """The place of a request in the queue; its future is done when it may compute, or is refused."""

    turn: asyncio.Future[None]
    since: float


class Turns:
    """The turns of one event loop and the queue before them."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._waiting: deque[_Place] = deque()
        self._is_passing = False  # whether the next iteration may give a turn
        self._passed_at: float | None = None  # the time of the last turn, if a request computed in it
        self._turn_seconds = 0.0
        self._late_since: float | None = None
        self._overloaded_until = -math.inf
        self._queued_now = NOW.labels(LANE, "queued")
        self._begun = ENDED.labels(LANE, "begun")
        self._refused = ENDED.labels(LANE, "refused")

    async def take(self) -> None:
        """Returns when the request may compute until its next `await`; raises `WaitedTooLong` in an overload."""
        if self._is_passing:
            await self._wait()
        else:
            self._is_passing = True
            self._passed_at = self._clock()
            asyncio.get_running_loop().call_soon(self._pass_on)
        self._begun.inc()

    async def _wait(self) -> None:
        place = _Place(asyncio.get_running_loop().create_future(), self._clock())
        self._waiting.append(place)
        self._queued_now.inc()
        try:
            await place.turn
        except asyncio.CancelledError:  # the service is ending
            with suppress(ValueError):  # it has its turn already
                self._waiting.remove(place)
            raise
        finally:
            self._queued_now.dec()

    def _pass_on(self) -> None:
        """Gives the next turn; runs once in each iteration of the event loop while requests wait."""
        now = self._clock()
        if self._passed_at is not None:
            self._turn_seconds += 0.1 * (now - self._passed_at - self._turn_seconds)
        place = self._choose(now) if self._waiting else None
        self._passed_at = None if place is None else now
        if place is not None and not place.turn.done():
            place.turn.set_result(None)
        self._is_passing = place is not None or bool(self._waiting)
        if self._is_passing:
            asyncio.get_running_loop().call_soon(self._pass_on)

    def _choose(self, now: float) -> _Place | None:
        """The request that computes next, which leaves the queue; in an overload also refuses one or several."""
        patience = max(PATIENCE_SECONDS, PATIENCE_TURNS * self._turn_seconds)
        if not self._find_overload(now, patience):
            return self._waiting.popleft()
        for number in range(MOST_REFUSED_IN_A_TURN):
            limit = patience if number < REFUSED_IN_A_TURN else max(patience, LONG_SECONDS)
            if self._waiting and now - self._waiting[0].since > limit:
                self._refuse(self._waiting.popleft(), now)
        is_fresh = bool(self._waiting) and now - self._waiting[-1].since <= patience
        return self._waiting.pop() if is_fresh else None

    def _find_overload(self, now: float, patience: float) -> bool:
        """Whether requests have waited too long for some time, or one was refused a moment ago."""
        if now - self._waiting[0].since <= patience:
            self._late_since = None
        elif self._late_since is None:
            self._late_since = now
        is_late = self._late_since is not None and now - self._late_since > max(BURST_SECONDS, 2 * patience)
        return is_late or now < self._overloaded_until

    def _refuse(self, place: _Place, now: float) -> None:
        self._overloaded_until = now + CALM_SECONDS
        if place.turn.done():  # cancelled a moment ago
            return
        self._refused.inc()
        place.turn.set_exception(WaitedTooLong(now - place.since, len(self._waiting), RETRY_AFTER_SECONDS))
