"""Ends a bridge on SIGINT and SIGTERM: between two requests, never within one."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class Stopped(Exception):
    """Somebody asked the bridge to end."""


class Stop:
    """Whether the bridge was asked to end, and waits that end at once when it is.

    A pipe is written by the handler: unlike a lock, it cannot be held by the code that the signal interrupts.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def ask(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """Ends the wait that is under way, and all that follow."""
        self.is_asked = True
        with suppress(BlockingIOError):  # the pipe is full of earlier signals
            os.write(self._writer, b"x")

    def wait(self, seconds: float) -> None:
        """Waits for a time; raises Stopped as soon as the bridge is asked to end."""
        select.select([self._reader], [], [], max(0.0, seconds))
        self.check()

    def check(self) -> None:
        """Raises Stopped once the bridge was asked to end."""
        if self.is_asked:
            raise Stopped

    def close(self) -> None:
        """Closes the pipe."""
        os.close(self._reader)
        os.close(self._writer)


@contextmanager
def stopping_on_signals() -> Iterator[Stop]:
    """A Stop that both signals ask; the handlers of before come back at the end."""
    stop = Stop()
    before = {number: signal.signal(number, stop.ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.close()
