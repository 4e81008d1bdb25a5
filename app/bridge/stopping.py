"""The end of a bridge by a signal: waits and reading requests end at once, changes of the engine are completed."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class Stopped(Exception):
    """The error that ends a bridge which was asked to end."""


class Stop:
    """Holds the request to end the bridge, which a signal makes.

    The signal handler writes to a pipe: unlike a lock, a pipe cannot be held by the code that the signal interrupts.
    """

    def __init__(self) -> None:
        self.is_asked = self.is_reading = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def ask(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """Ends the present wait or reading request, and every later one before it begins."""
        self.is_asked = True
        with suppress(BlockingIOError):  # the pipe is full of earlier signals
            os.write(self._writer, b"x")
        if self.is_reading:
            self.is_reading = False
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Waits for a time; raises Stopped as soon as the bridge is asked to end."""
        select.select([self._reader], [], [], max(0.0, seconds))
        self.check()

    def check(self) -> None:
        """Raises Stopped if the bridge was asked to end."""
        if self.is_asked:
            raise Stopped

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A context for a request that changes nothing: a signal within it raises Stopped at once."""
        self.is_reading = True
        try:
            self.check()
            yield
        finally:
            self.is_reading = False

    def close(self) -> None:
        """Closes the pipe through which the signal handler wakes the bridge."""
        os.close(self._reader)
        os.close(self._writer)


@contextmanager
def stopping_on_signals() -> Iterator[Stop]:
    """A Stop that SIGINT and SIGTERM trigger; restores the old handlers at the end."""
    stop = Stop()
    before = {number: signal.signal(number, stop.ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.close()
