"""When the event loop of each worker last ran: the health listener, which is no part of a worker, reads it."""

import time
from collections.abc import Callable
from multiprocessing import get_context

NOT_SERVING = 0.0


class LifeSigns:
    """A time for each worker, in memory that all processes of the service share."""

    def __init__(self, workers: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen_at = get_context("spawn").RawArray("d", [NOT_SERVING] * workers)

    def show(self, worker: int) -> None:
        """The event loop of the worker runs and serves."""
        self._seen_at[worker] = self._clock()

    def clear(self, worker: int) -> None:
        """The worker ends, has died or has not begun to serve."""
        self._seen_at[worker] = NOT_SERVING

    @property
    def serving(self) -> int:
        """The number of workers that serve."""
        return sum(seen_at != NOT_SERVING for seen_at in self._seen_at)

    @property
    def longest_silence_seconds(self) -> float:
        """The time since the last sign of the serving worker that gave none for the longest time; 0 if none serves."""
        now = self._clock()
        return max((now - seen_at for seen_at in self._seen_at if seen_at != NOT_SERVING), default=0.0)
