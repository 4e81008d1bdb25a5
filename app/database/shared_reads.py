"""Reads a value once for all requests that need it at the same moment, such as the standing decision of a topology."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

K = TypeVar("K")
V = TypeVar("V")


class SharedReads(Generic[K, V]):
    """Calls `read(key)` in a thread, once for all callers that wait for this key, and at most `threads` at a time.

    No caller receives a read that began before the caller asked: callers that come during a read share the next one.
    All callers must be on one event loop.
    """

    def __init__(self, read: Callable[[K], V], threads: int) -> None:
        self._read = read
        self._threads = asyncio.Semaphore(threads)
        self._next: dict[K, asyncio.Task[V]] = {}
        self._turns: WeakValueDictionary[K, asyncio.Lock] = WeakValueDictionary()

    async def ask(self, key: K) -> V:
        """The value that `read` returns for the key; raises the errors that `read` raises."""
        task = self._next.get(key)
        if task is None:
            task = self._next[key] = asyncio.create_task(self._read_next(key))
        return await asyncio.shield(task)  # a caller that leaves does not end the read for the others

    async def _read_next(self, key: K) -> V:
        turn = self._turns.setdefault(key, asyncio.Lock())
        async with turn, self._threads:
            del self._next[key]
            return await asyncio.to_thread(self._read, key)
