"""Limits how many requests compute at once: a request needs a slot, waits in a short queue, or is refused (503).

Python computes on one core at a time, so more slots would make no answer quicker and every answer wait for all others.
Short requests have slots of their own, because they would wait behind long ones otherwise.
"""

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from anyio import CapacityLimiter, to_thread
from prometheus_client import Counter, Gauge
from starlette.types import Receive

from app.settings import Settings
from app.web.problems.errors import Overloaded

SHORT_SECONDS = 0.05  # a request that is expected to take longer is long
BRIEF_WAIT_SECONDS = 0.5  # a full queue of short requests still accepts one where the wait is below this
UNKNOWN_SECONDS = 0.1  # the first guess for a call that reads stored data: its body does not show the size
SECONDS_PER_BYTE = (
    5e-7  # the first guess for a call whose body holds all it needs: a plan of a megabyte takes half a second
)
MOST_REMEMBERED = 4_096
# A computing thread keeps the interpreter for this time before the event loop gets it, and the loop needs it for each
# piece of a body. At Python's default of 5 ms, 64 bodies of 1 MB beside two plans take seconds, and /healthz waits.
SWITCH_SECONDS = 1e-4

NOW = Gauge(
    "headgate_computing", "Requests computed or queued now", ["lane", "state"], multiprocess_mode="livesum"
)
ENDED = Counter(
    "headgate_computing_ended", "Requests by how their wait for a slot ended", ["lane", "outcome"]
)


class ClientGone(Exception):
    """The error that the client closed its connection while its request waited for a slot."""


@dataclass(eq=False)
class _Place:
    """The place of a request in a queue; its future is done when the request has a slot."""

    has_slot: asyncio.Future[None]
    expected_seconds: float


class Lane:
    """Some slots and the queue before them, in which the first to come is the first served."""

    def __init__(self, name: str, slots: int, queue: int, patience_seconds: float = 0.0) -> None:
        self._slots = slots
        self._queue = queue
        self._patience_seconds = patience_seconds
        self._running = 0
        self._running_seconds = 0.0
        self._waiting: deque[_Place] = deque()
        self._running_now = NOW.labels(name, "running")
        self._queued_now = NOW.labels(name, "queued")
        self._begun = ENDED.labels(name, "begun")
        self._refused = ENDED.labels(name, "refused")
        self._abandoned = ENDED.labels(name, "abandoned")

    @property
    def is_free(self) -> bool:
        """Whether a slot of the lane is free, so that a request can begin at once."""
        return self._running < self._slots

    @property
    def wait_seconds(self) -> float:
        """The seconds that a request which comes now is expected to wait in the queue."""
        queued = sum(place.expected_seconds for place in self._waiting)
        return (self._running_seconds + queued) / self._slots

    def refuse_if_full(self) -> None:
        """Raises `Overloaded` if no slot is free and one more request in the queue would wait too long."""
        if self.is_free or len(self._waiting) < self._queue:
            return
        if self.wait_seconds < self._patience_seconds:
            return
        self._refused.inc()
        raise Overloaded(len(self._waiting), max(1, math.ceil(self.wait_seconds)))

    async def enter(self, expected_seconds: float, receive: Receive) -> None:
        """Takes a slot, after a wait in the queue if none is free; raises `ClientGone` if the client leaves
        meanwhile.
        """
        if self.is_free:
            self._running += 1
            self._running_now.inc()
        else:
            await self._wait(expected_seconds, receive)
        self._running_seconds += expected_seconds
        self._begun.inc()

    def leave(self, expected_seconds: float) -> None:
        """Gives back the slot of a request that was expected to take `expected_seconds`."""
        self._running_seconds = max(0.0, self._running_seconds - expected_seconds)
        self._release()

    async def _wait(self, expected_seconds: float, receive: Receive) -> None:
        self.refuse_if_full()
        place = _Place(asyncio.get_running_loop().create_future(), expected_seconds)
        self._waiting.append(place)
        self._queued_now.inc()
        leaving = asyncio.create_task(_wait_until_gone(receive))
        try:
            await asyncio.wait({place.has_slot, leaving}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # the service is ending
            self._abandon(place)
            raise
        finally:
            self._queued_now.dec()
            is_gone = leaving.done()
            leaving.cancel()
        if is_gone:
            self._abandon(place)
            raise ClientGone

    def _abandon(self, place: _Place) -> None:
        """Removes a request from the queue; if it has just received a slot, gives the slot back."""
        self._abandoned.inc()
        if place.has_slot.done():
            self._release()
        else:
            self._waiting.remove(place)

    def _release(self) -> None:
        """Gives a free slot to the request that has waited longest; if no request waits, the slot stays free."""
        if self._waiting:
            self._waiting.popleft().has_slot.set_result(None)
        else:
            self._running -= 1
            self._running_now.dec()


async def _wait_until_gone(receive: Receive) -> None:
    """Returns when the client has left; since its body is already read, no other message can come."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Computing:
    """The slots to compute of one process: a lane for short requests and one for long requests."""

    def __init__(self, settings: Settings) -> None:
        slots = settings.computing_slots
        self._short = Lane("short", slots, settings.computing_queue, BRIEF_WAIT_SECONDS)
        self._long = Lane("long", slots, settings.computing_queue)
        self._seconds: OrderedDict[str, float] = OrderedDict()
        self._threads = CapacityLimiter(2 * slots)

    def expect(self, key: str, guess_seconds: float) -> float:
        """The seconds that recent requests with this key took; `guess_seconds` if there were none."""
        return self._seconds.get(key, guess_seconds)

    def choose_lane(self, expected_seconds: float) -> Lane:
        """The lane of short requests or that of long ones, by the expected duration of a request."""
        return self._short if expected_seconds <= SHORT_SECONDS else self._long

    def remember(self, key: str, seconds: float) -> None:
        """Records the duration of a request. A longer duration replaces the estimate; a shorter one moves it by 30%.

        An estimate that is too long does less harm than one that is too short.
        """
        before = self._seconds.get(key, seconds)
        self._seconds[key] = seconds if seconds > before else 0.7 * before + 0.3 * seconds
        self._seconds.move_to_end(key)
        if len(self._seconds) > MOST_REMEMBERED:
            self._seconds.popitem(last=False)

    async def run_in_thread(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Runs a coroutine that computes for long between its awaits in a thread, on an event loop of its own."""
        return await to_thread.run_sync(lambda: asyncio.run(work()), limiter=self._threads)
